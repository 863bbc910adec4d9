"""Rulings as evidence: in the bundle, under the seal, in the explanation and in the report."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from quorate.codec import canonical, encode_entry, encode_opening, protocol_digest
from quorate.codec.chain import GENESIS, Entry, chain
from quorate.core.record import Envelope, Opening, Record
from quorate.core.types import AskId, Event, Replied, Ruled
from quorate.evidence.bundle import check_bundle, make_bundle, schema
from quorate.evidence.explain import explain_text
from quorate.evidence.report import GENERIC, markdown
from tests.support.toy import Verdict, Voice, ballot, note, voting

RULES = voting(1, needed=1, most=1, rulings={Verdict.UNDECIDED: (Verdict.WON, Verdict.STOPPED)})
UNDECIDED: list[Event] = [Replied(AskId("1.0"), ballot(Voice.NO)), Replied(AskId("2.0"), note())]
RULED = Ruled("STOPPED", "Ann", "# Not a heading\n\n| not | a table |")
AGAIN = Ruled("WON", "Bob <bob@example.org>", "On second thoughts")


def play(*rulings: Ruled) -> tuple[Record, list[Entry]]:
    opening = Opening(RULES.name, RULES.version, protocol_digest(RULES), "A vote", 1, {}, {}, {})
    record, bodies = Record(RULES, opening, {}), [encode_opening(opening, Envelope())]
    for seq, event in enumerate([*UNDECIDED, *rulings], start=1):
        envelope = Envelope(seq=seq, at=1_767_268_800_000 + seq)
        record.take(event, envelope)
        bodies.append(encode_entry(event, envelope))
    entries: list[Entry] = []
    for seq, body in enumerate(bodies):
        entries.append(Entry(seq, body, chain(entries[-1].hash if entries else GENESIS, body)))
    return record, entries


def bundle_of(*rulings: Ruled) -> dict[str, Any]:
    return make_bundle(*play(*rulings), "vote-1")


def reseal(bundle: dict[str, Any]) -> None:
    previous = GENESIS
    for entry in bundle["entries"]:
        previous = entry["hash"] = chain(previous, canonical(entry["body"]))
    bundle["seal"] |= {"head": previous, "entries": len(bundle["entries"])}


def test_the_bundle_tells_verdict_and_rulings_side_by_side() -> None:
    bundle = bundle_of(RULED, AGAIN)
    assert Draft202012Validator(schema()).is_valid(bundle)
    assert check_bundle(bundle, RULES) == []
    assert bundle["verdict"]["verdict"] == "UNDECIDED"
    assert bundle["verdict"] == bundle_of()["verdict"], "what was concluded stays as it was"
    assert [(each["seq"], each["verdict"], each["by"]) for each in bundle["rulings"]] == [
        (3, "STOPPED", "Ann"),
        (4, "WON", "Bob <bob@example.org>"),
    ]
    assert bundle["protocol"]["rulings"] == {"UNDECIDED": ["WON", "STOPPED"]}
    assert bundle_of()["rulings"] == []


@pytest.mark.parametrize("field", ["verdict", "by", "reason"])
def test_a_ruling_that_was_changed_is_located(field: str) -> None:
    bundle = bundle_of(RULED)
    changed = copy.deepcopy(bundle)
    changed["entries"][3]["body"]["ruled"][field] = "WON"
    assert f"/entries/3/body/ruled/{field}" in [problem.place for problem in check_bundle(changed, RULES)]
    copied = copy.deepcopy(bundle)
    copied["rulings"][0][field] = "WON"
    assert [problem.place for problem in check_bundle(copied, None)] == [f"/rulings/0/{field}"]


def test_a_ruling_that_was_left_out_or_forged_is_found_out() -> None:
    left_out = bundle_of(RULED)
    left_out["rulings"] = []
    assert "/rulings" in [problem.place for problem in check_bundle(left_out, None)]
    removed = bundle_of(RULED)
    del removed["entries"][3]
    assert check_bundle(removed, None)
    forged = bundle_of(RULED)
    forged["entries"][3]["body"]["ruled"]["verdict"] = forged["rulings"][0]["verdict"] = "UNDECIDED"
    reseal(forged)
    assert check_bundle(forged, None) == [], "nothing contradicts it but the rules"
    (problem,) = check_bundle(forged, RULES)
    assert (problem.place, "not a ruling that UNDECIDED allows" in problem.what) == ("/entries/3/body", True)


def test_the_explanation_ends_with_every_ruling() -> None:
    record, _ = play(RULED, AGAIN)
    text = explain_text(record)
    assert "END concludes with the verdict UNDECIDED." in text
    assert text.endswith("Bob <bob@example.org> ruled WON: On second thoughts\n")
    assert "Ann ruled STOPPED" in text


def test_the_report_has_the_ruling_in_its_heading_and_its_reason_below() -> None:
    record, entries = play(RULED, AGAIN)
    text = markdown(record, GENERIC, "vote-1", entries[-1].hash)
    assert text.startswith("# UNDECIDED, ruled WON: A vote\n")
    assert "## Ruling" in text
    assert "- **STOPPED** by Ann, 2026-01-01" in text
    assert "Bob &lt;bob@example.org>" in text
    assert "\n# Not a heading" not in text
    assert "> \\| not \\| a table \\|" in text
    assert "the last ruling counts" in text


def test_a_report_without_a_ruling_says_nothing_of_one() -> None:
    record, entries = play()
    text = markdown(record, GENERIC, "vote-1", entries[-1].hash)
    assert text.startswith("# UNDECIDED: A vote\n")
    assert "uling" not in text
