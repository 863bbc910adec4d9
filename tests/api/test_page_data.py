"""The data of one session's page: everything is there, boards where they change, and enormous sessions are bounded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import quorate.web
from quorate import catalog
from quorate.api.page import page, page_data
from quorate.api.protocol_data import describe_protocol
from quorate.api.results import report, reports, texts
from quorate.api.sessions import Result
from quorate.codec import read_record
from quorate.codec.canonical import canonical
from quorate.codec.chain import Entry
from quorate.evidence.bundle import check_bundle
from tests.support.played_debate import open_debate
from tests.support.reviewed import SESSION, compromised, vetoed

SAMPLE = Path(next(iter(quorate.web.__path__))) / "static" / "sample.json"


def review() -> Result:
    reviewed = compromised()
    return Result(SESSION, reviewed.record, reviewed.entries)


def debate(**how: Any) -> Result:
    played = open_debate(**how).play()
    return Result("s", played.record, played.entries)


def board_at(data: dict[str, Any], seq: int) -> dict[str, Any]:
    """As the page reads it: the last board up to an entry, with its cards."""
    board = [each for at, each in data["boards"] if at <= seq][-1]
    return {
        name: [data["cards"][card] if isinstance(card, int) else card for card in listed]
        for name, listed in board.items()
    }


def test_everything_that_the_page_shows_is_there_as_plain_json() -> None:
    result = review()
    data = page_data(result)
    assert json.loads(json.dumps(data)) == json.loads(json.dumps(data, ensure_ascii=False))
    assert [event["seq"] for event in data["events"]] == list(range(len(result.entries)))
    assert [event["hash"] for event in data["events"]] == [entry.hash for entry in result.entries]
    assert data["summary"]["verdict"] == "REQUEST_CHANGES"
    assert data["summary"]["last"] == len(result.entries) - 1
    assert data["protocol"] == describe_protocol("review")
    assert data["seal"] == {
        "ok": True,
        "entries": len(result.entries),
        "head": result.entries[-1].hash,
        "problems": [],
    }
    assert "REQUEST_CHANGES" in data["explanation"]
    assert data["left_out"] == []
    assert all("reply" not in event for event in data["events"])
    assert all(value for event in data["events"] if event["kind"] == "replied" for value in event["said"])


def test_the_reports_in_the_page_are_those_that_a_session_leaves() -> None:
    result = review()
    carried = {each["name"]: each["text"] for each in page_data(result)["reports"]}
    left = reports(result)
    page_name = next(name for name in left if name.endswith(".html"))
    assert carried == {name: text for name, text in left.items() if name != page_name}
    assert left[page_name] == page(result) == report(result, "html")
    kinds = {each["name"]: each["media_type"] for each in page_data(result)["reports"]}
    assert kinds["bundle.json"] == "application/json"
    assert kinds["review-report.md"] == "text/markdown"


def test_a_board_is_kept_where_it_changes_and_holds_until_the_next() -> None:
    vetoing = vetoed()
    result = Result(SESSION, vetoing.record, vetoing.entries)
    data = page_data(result)
    found = catalog.definition("review")
    again = type(result.record)(result.record.protocol, result.record.opening, result.record.material)
    expected = [len(found.board(again).findings)]
    for event, envelope in result.record.events():
        again.take(event, envelope)
        expected.append(len(found.board(again).findings))
    assert [len(board_at(data, seq)["findings"]) for seq in range(len(expected))] == expected
    assert len(set(expected)) > 1
    assert len(data["boards"]) < len(expected)
    seqs = [seq for seq, _ in data["boards"]]
    assert seqs == sorted(set(seqs))
    assert all(isinstance(card["text"], list) for card in board_at(data, 10_000)["findings"])


def test_a_long_session_has_fewer_boards_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quorate.api.page.MOST_BOARDS", 4)
    data = page_data(review())
    assert 1 <= len(data["boards"]) <= 5
    assert "as of every" in data["left_out"][0]
    assert board_at(data, 10_000) == board_at(page_data(review()), 10_000)


def test_too_many_words_are_left_out_the_oldest_first_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = page_data(debate())
    size = sum(len(json.dumps(event, ensure_ascii=False)) for event in whole["events"])
    monkeypatch.setattr("quorate.api.page.MOST_EVENTS", size - 500)
    data = page_data(debate())
    assert [event["seq"] for event in data["events"]] == [event["seq"] for event in whole["events"]]
    cut = [event["seq"] for event in data["events"] if "left out of this file" in json.dumps(event.get("said"))]
    assert cut
    first = [event["seq"] for event in data["events"] if "said" in event][: len(cut)]
    assert cut == first
    assert f"The words of the first {len(cut)} contributions are left out" in data["left_out"][0]


def test_where_even_that_is_too_much_the_last_events_are_left_out_and_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("quorate.api.page.MOST_EVENTS", 6_000)
    monkeypatch.setattr("quorate.api.page.MOST_REPORTS", 5_000)
    result = debate()
    data = page_data(result)
    kept = len(data["events"])
    assert 0 < kept < len(result.entries)
    assert f"Entries {kept} to {len(result.entries) - 1} are left out" in " ".join(data["left_out"])
    assert any("bundle.json has" in said for said in data["left_out"])


def test_a_session_that_is_not_concluded_has_a_page_too() -> None:
    played = open_debate().play(3)
    data = page_data(Result("s", played.record, played.entries))
    assert data["summary"]["verdict"] is None
    assert len(data["events"]) == 4


def test_the_sample_is_what_its_own_journal_gives() -> None:
    """`python docs/sample.py` records it anew after a change of the rules or of the page's data."""
    sample = json.loads(SAMPLE.read_text(encoding="utf-8"))
    bundle = json.loads(next(each["text"] for each in sample["reports"] if each["name"] == "bundle.json"))
    named = bundle["protocol"]
    built = catalog.build(named["name"], named["settings"], seed=bundle["seed"], kept=named["briefs"])
    fates = catalog.definition_in(named["name"], named["version"]).fates
    assert check_bundle(bundle, built, fates=fates) == []
    entries = [Entry(each["seq"], canonical(each["body"]), each["hash"]) for each in bundle["entries"]]
    material = {name: each["text"] for name, each in bundle["material"].items()}
    result = Result(bundle["session"], read_record(built, entries, material), entries)
    assert json.loads(json.dumps(page_data(result))) == sample
    kinds = {event["kind"] for event in sample["events"]}
    assert {"opened", "replied", "absent"} <= kinds
    assert sample["summary"]["verdict"] == "REQUEST_CHANGES"


def test_an_enormous_report_is_laid_out_in_part_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quorate.api.page.MOST_PROSE", 1_000)
    result = debate()
    whole = report(result, "md")
    data = page_data(result)
    shown = data["reports"][0]
    assert (shown["name"], shown["text"]) == ("report.md", whole), "it can be saved whole"
    assert f"{len(whole) - 1_000} more characters" in json.dumps(shown["tree"], ensure_ascii=False)
    assert any("report.md is shown up to its character 1,000" in each for each in data["left_out"])
    assert "more characters are in the report as Markdown" in page(result)
    assert page(result, texts(result)) == page(result)
