"""Runs over the corpus: real sessions of the protocol and of plain calls, gone on with, and a model on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from quorate.config import read_config
from quorate.core.errors import InputError, SettingError
from quorate.lab.bench.corpus import ChangeItem, sample
from quorate.lab.bench.decisions import BenchOrder
from quorate.lab.bench.review_bench import ReviewCell, read_review_cell, read_review_methods
from quorate.lab.bench.review_run import ReviewRun, measure_reviews
from quorate.lab.bench.seats import Simulated
from quorate.lab.bench.task import Kind
from quorate.workspace import Workspace
from tests.support.provider import Says, Server, filled

ALL = "protocol,plain,plain3"


def workspace() -> Workspace:
    return Workspace(None, read_config([], {}, (), ""), "memory:")


def order(folder: Path, methods: str = ALL, accuracy: str = "1", **changes: Any) -> BenchOrder:
    simulated = Simulated(Fraction(accuracy), Fraction(0), 1)
    made = BenchOrder((Kind.CODE,), 1, read_review_methods(methods), folder, simulated=simulated)
    return replace(made, **changes)


def cells_in(folder: Path) -> dict[tuple[str, str], ReviewCell]:
    lines = [json.loads(line) for line in (folder / "cells.jsonl").read_text(encoding="utf-8").splitlines()]
    done = [read_review_cell(line["done"]) for line in lines[1:] if "done" in line]
    return {(cell.task, cell.method): cell for cell in done}


async def test_seats_that_are_always_right_find_every_fault_and_raise_no_alarm(tmp_path: Path) -> None:
    found = await measure_reviews(workspace(), order(tmp_path), 8)
    assert found.finished
    assert [row.method for row in found.figures.rows] == ALL.split(",")
    for row in found.figures.rows:
        assert (row.strict.part, row.strict.whole, row.stopped.part) == (4, 4, 4), row.method
        assert (row.alarmed.part, row.alarmed.whole) == (0, 4), row.method
        assert (row.at_once.part, row.absent, row.invented.part) == (row.at_once.whole, 0, 0)
        assert sum(faulty + clean for _, faulty, clean in row.verdicts) == 8
    assert {(name, faulty, clean) for name, faulty, clean in found.figures.rows[1].verdicts} == {
        ("DEFECTIVE", 4, 0),
        ("SOUND", 0, 4),
    }


async def test_seats_that_are_always_wrong_find_nothing_and_raise_alarms(tmp_path: Path) -> None:
    found = await measure_reviews(workspace(), order(tmp_path, accuracy="0"), 4)
    for row in found.figures.rows:
        assert row.strict.part == row.lenient.part == 0
        assert row.alarmed.part == row.alarmed.whole == 2


async def test_a_vote_of_three_calls_has_three_sessions(tmp_path: Path) -> None:
    await measure_reviews(workspace(), order(tmp_path, "plain,plain3", "7/10"), 4)
    cells = cells_in(tmp_path)
    for item in sample(4, 1):
        one, three = cells[item.id, "plain"], cells[item.id, "plain3"]
        assert (len(one.sessions), len(three.sessions), len(set(three.sessions))) == (1, 3, 3)
        assert (one.asks, three.asks, three.replies.replies) == (1, 3, 3)
        assert three.tokens > 2 * one.tokens


async def test_what_is_finished_is_never_run_again_and_a_run_may_grow(tmp_path: Path) -> None:
    first = await measure_reviews(workspace(), order(tmp_path, "plain", "7/10"), 4)
    before = (tmp_path / "cells.jsonl").read_bytes()
    again = await measure_reviews(workspace(), order(tmp_path, "plain", "7/10"), 4)
    assert (tmp_path / "cells.jsonl").read_bytes() == before
    assert again.data() == first.data()
    more = await measure_reviews(workspace(), order(tmp_path, "plain,plain3", "7/10"), 6)
    assert (tmp_path / "cells.jsonl").read_bytes().startswith(before)
    assert [row.changes for row in more.figures.rows] == [6, 6]


async def test_a_cell_that_was_cut_short_goes_on_in_its_sessions(tmp_path: Path) -> None:
    await measure_reviews(workspace(), order(tmp_path, "plain3"), 1)
    (cell,) = cells_in(tmp_path).values()
    file = tmp_path / "cells.jsonl"
    *before, last = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(before) + last[:40])
    await measure_reviews(workspace(), order(tmp_path, "plain3"), 1)
    assert list(cells_in(tmp_path).values()) == [cell]
    file.write_bytes(b"".join(before[:3]))  # it ended before the third call was noted
    await measure_reviews(workspace(), order(tmp_path, "plain3"), 1)
    (later,) = cells_in(tmp_path).values()
    assert later.sessions[:2] == cell.sessions[:2]
    assert later.score == cell.score


async def test_a_run_stays_within_its_tokens_and_goes_on_with_more(tmp_path: Path) -> None:
    free = await measure_reviews(workspace(), order(tmp_path / "free", "plain"), 6)
    tokens = sum(cell.tokens for cell in cells_in(tmp_path / "free").values())
    short = await measure_reviews(workspace(), order(tmp_path / "short", "plain", tokens=tokens // 2), 6)
    assert not short.finished
    assert "tokens of the run are spent" in (tmp_path / "short" / "report.md").read_text(encoding="utf-8")
    assert 0 < sum(cell.tokens for cell in cells_in(tmp_path / "short").values()) <= tokens // 2
    rest = await measure_reviews(workspace(), order(tmp_path / "short", "plain"), 6)
    assert rest.finished
    assert rest.figures.rows[0].strict == free.figures.rows[0].strict


async def test_another_seed_or_another_kind_of_run_does_not_mix(tmp_path: Path) -> None:
    await measure_reviews(workspace(), order(tmp_path, "plain"), 2)
    with pytest.raises(SettingError, match="seed: is 2"):
        await measure_reviews(workspace(), order(tmp_path, "plain", seed=2), 2)
    (tmp_path / "cells.jsonl").write_text('{"format": "quorate-bench/1", "plan": {}}\n{"done": {}}\n', encoding="utf-8")
    with pytest.raises((InputError, SettingError)):
        await measure_reviews(workspace(), order(tmp_path, "plain"), 2)


def test_methods_are_known_by_name() -> None:
    found = read_review_methods("plain3,protocol")
    assert [(method.name, method.calls) for method in found] == [("plain3", 3), ("protocol", 0)]
    task = sample(1, 1)[0].task()
    assert found[1].protocol(task) == "review"
    assert read_review_methods("review")[0].fits(task)
    with pytest.raises(SettingError, match="did you mean 'plain'"):
        read_review_methods("plane")
    with pytest.raises(SettingError, match="is 'debate'"):
        read_review_methods("debate")


# A model, served on this machine


@pytest.fixture
def server() -> Iterator[Server]:
    found = Server()
    yield found
    found.http.shutdown()
    found.http.server_close()


def served(folder: Path, server: Server, methods: str) -> BenchOrder:
    model = f"openai-compatible:tiny@{server.url}"
    return replace(order(folder, methods), simulated=None, model=model, at_once=1)


def reviewer(item: ChangeItem, evidence: str) -> Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]:
    """Return a model that says the same of everything, and fills in any other form as plainly as can be."""

    def act(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        schema = body["response_format"]["json_schema"]["schema"]
        reply = filled(schema)
        if "findings" in schema["properties"]:
            consequence = "The reader of the page waits for ever and is told nothing of it"
            finding = {"line": item.twins.line, "evidence": evidence, "consequence": consequence, "blocking": True}
            reply = {"findings": [{"path": item.twins.path, **finding}], "judgement": "defective"}
        Says(json.dumps(reply))(http, body)

    return act


async def test_a_model_is_shown_the_whole_change_and_nothing_that_tells_the_twins_apart(
    tmp_path: Path, server: Server
) -> None:
    first, second = sample(2, 1)
    server.will(Says('{"findings": 7}'), reviewer(first, first.twins.faulty.splitlines()[first.twins.line - 1]))
    found = await measure_reviews(workspace(), served(tmp_path, server, "plain,protocol"), 2)
    assert found.finished
    for body in server.bodies:
        words = json.dumps(body["messages"])
        assert first.id not in words
        assert second.id not in words
        assert first.twins.fault not in words
    lines = [line[1:] for line in first.diff.splitlines()[4:]]
    whole = [all(line in text for line in lines) for text in map(_words, server.bodies)]
    assert whole[:2] == [True, True], "the plain call, and its repair"
    assert any(whole[3:]), "the members of the committee"


def _words(body: dict[str, Any]) -> str:
    return "\n".join(str(message.get("content")) for message in body["messages"])


async def test_replies_and_quotations_of_a_model_are_counted(tmp_path: Path, server: Server) -> None:
    first, _ = sample(2, 1)
    server.will(Says('{"findings": 7}'), reviewer(first, "raise OutOfPaper(printer)"))
    found: ReviewRun = await measure_reviews(workspace(), served(tmp_path, server, "plain"), 2)
    (row,) = found.figures.rows
    assert (row.at_once.part, row.fitting.part, row.fitting.whole) == (1, 2, 2), "the first one had to be repaired"
    assert (row.cut.part, row.cut.whole) == (2, 2)
    assert (row.invented.part, row.invented.whole) == (2, 2)
    assert (row.strict.part, row.strict.whole) == (1, 1), "it stands where it says, if its evidence is nowhere"
    assert (row.alarmed.part, row.alarmed.whole) == (1, 1)
    assert row.tokens is not None
    assert row.tokens.value == (110 * 3) / 2
    assert row.seconds is not None


async def test_a_model_that_is_not_there_is_asked_again(tmp_path: Path) -> None:
    gone = Server()
    gone.http.shutdown()
    gone.http.server_close()
    away = replace(served(tmp_path, gone, "plain"), simulated=None)
    found = await measure_reviews(workspace(), away, 1)
    assert not found.finished
    assert found.figures.rows == ()
    assert "nobody could be reached" in found.unfinished
