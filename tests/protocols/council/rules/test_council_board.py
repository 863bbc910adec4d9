"""The board and the gauges of a council, at every moment of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate import catalog
from quorate.core.record import Record
from quorate.kit.board import Board, Dated
from quorate.kit.gauges import Gauge
from quorate.protocols.council import DEFINITION
from quorate.protocols.council.rules.board import board
from quorate.protocols.council.rules.gauges import gauges
from quorate.protocols.council.rules.result import result
from tests.support import councils_ended
from tests.support.council_words import rfc
from tests.support.councils import Sitting
from tests.support.courses import again, course, named, sound
from tests.support.examples import few

ENDED = [
    each for name, each in vars(councils_ended).items() if callable(each) and each.__module__ == councils_ended.__name__
]
MATERIAL = {"rfc": json.dumps(rfc()), "gates": "{}"}


def contested() -> Sitting:
    """A finding of one seat that another disputes, with a remediation, before the vote."""
    return (
        Sitting()
        .review({"SA-1": ["AMBIGUOUS_SCOPE T3"]})
        .respond({"SA-1": "CONFIRM fix", "SA-2": "DISPUTE", "SA-3": "ABSTAIN"})
        .reach("vote")
    )


def agrees(record: Record) -> None:
    """Whether board and gauges say what the result says."""
    shown, found = board(record), result(record)
    told = [(each["finding_id"], each["severity"], each["resolution"]) for each in found["findings"]]
    assert [(each.id, each.severity, each.status) for each in shown.findings] == told
    assert [each.blocking for each in shown.findings] == [each["blocking"] for each in found["findings"]]
    merged = [into for each in shown.findings for into in dict(each.facts).get("merged from", "").split(", ") if into]
    assert sorted(merged) == sorted(each["finding_id"] for each in found["merged_findings"])
    assert list(shown.warnings) == found["warnings"]
    gates = dict(named(gauges(record), "gates").parts)
    for word, status in (("passed", "PASSED"), ("failed", "FAILED")):
        assert gates[word] == sum(each["status"] == status for each in found["gates"])
    assert gates["not applicable"] + gates["undecided"] == sum(
        each["status"] == "NOT_APPLICABLE" for each in found["gates"]
    )
    if found["findings"]:
        fates = dict(named(gauges(record), "findings").parts)
        assert fates["deadlocked"] == len(found["deadlocked_findings"])
        assert fates["open"] == sum(each["resolution"] == "OPEN" for each in found["findings"])


# Findings


def test_a_finding_has_its_answers_and_votes_by_cycle() -> None:
    (found,) = board(councils_ended.split().record).findings
    assert (found.id, found.severity, found.status) == ("FND-RFC-0042-001", "MAJOR", "DEADLOCKED")
    assert found.title == found.text == "a seat holds: AMBIGUOUS_SCOPE T3"
    assert found.location == "TCK-00003, rfcs/RFC-0042/tickets/TCK-00003.yaml:1"
    assert (found.raised_by, found.agreed_by) == (("SA-1",), ())
    assert found.votes == (("SA-1", "SUPPORT"), ("SA-2", "OPPOSE"), ("SA-3", "ABSTAIN"))
    assert (found.blocking, found.proven) == (True, False)
    assert found.history == (
        Dated(1, "MAJOR raised by SA-1"),
        Dated(2, "answered: SA-1 CONFIRM, SA-2 DISPUTE, SA-3 ABSTAIN"),
        Dated(3, "voted: SA-1 SUPPORT, SA-2 OPPOSE, SA-3 ABSTAIN; split"),
    )
    facts = dict(found.facts)
    assert facts["agreement"] == "DEADLOCKED"
    assert facts["quotation"] == "occurs in the RFC"
    assert facts["SA-2 dissents"] == "I oppose it."


def test_what_was_merged_is_part_of_the_finding_it_went_into() -> None:
    (found,) = board(councils_ended.with_remediation().record).findings
    assert (found.raised_by, found.agreed_by) == (("SA-1", "SA-2"), ("SA-3",))
    assert found.history[:2] == (
        Dated(1, "MAJOR raised by SA-1"),
        Dated(1, "MAJOR raised by SA-2 as FND-RFC-0042-002, merged (alike)"),
    )
    assert dict(found.facts)["merged from"] == "FND-RFC-0042-002"
    assert Dated(3, "remediation of SA-1 agreed upon") in found.history


def test_a_lone_blocker_says_what_would_dismiss_it() -> None:
    (kept,) = board(councils_ended.lone_blocker().record).findings
    (gone,) = board(councils_ended.refuted().record).findings
    assert (kept.status, gone.status) == ("DEADLOCKED", "DISMISSED")
    assert Dated(2, "a lone BLOCKER: only a quotation that refutes it can dismiss it") in kept.history
    assert dict(gone.facts)["refuted"] == "with a quotation"


def test_what_a_gate_found_is_proven_and_edits_are_part_of_its_history() -> None:
    proven, other = board(councils_ended.remediated().record).findings
    assert (proven.proven, proven.raised_by, proven.votes, proven.status) == (True, ("gate",), (), "REMEDIATED")
    assert proven.history[0] == Dated(1, "BLOCKER raised by gate")
    assert other.history[-2:] == (Dated(3, "edits tried: regressed"), Dated(3, "edits tried: applied"))


def test_a_seat_that_was_lost_is_absent_with_the_reason() -> None:
    sitting = Sitting().review({"SA-1": ["AMBIGUOUS_SCOPE T3"], "SA-3": "absent"}).respond().finish()
    (found,) = board(sitting.record).findings
    assert found.votes == (("SA-1", "CONFIRM"), ("SA-2", "CONFIRM"), ("SA-3", "absent (timed_out)"))


def test_a_changed_severity_is_part_of_the_answer() -> None:
    sitting = Sitting().review({"SA-1": ["AMBIGUOUS_SCOPE T3"]})
    sitting.respond({"SA-2": "SEVERITY MINOR", "SA-3": "SEVERITY MINOR"})
    (found,) = board(sitting.record).findings
    assert found.severity == "MAJOR"
    assert found.votes == (("SA-1", "CONFIRM"), ("SA-2", "SEVERITY MINOR"), ("SA-3", "SEVERITY MINOR"))
    assert "severity because" not in dict(found.facts)
    lowered = board(sitting.vote("OPPOSE").record).findings[0]
    assert lowered.severity == "MINOR"
    assert dict(lowered.facts)["severity because"].startswith("lowered by a vote (C17): SA-1 raised it as MAJOR")


def test_what_seats_say_in_the_phase_under_way_is_on_no_board() -> None:
    sitting = contested()
    before = board(sitting.record)
    sitting.reply("SA-1", {"votes": {key: {"vote": "OPPOSE"} for key in sitting.ask("SA-1").keys}})
    assert board(sitting.record) == before
    raising = Sitting().reach("score").reply("SA-1")
    assert board(raising.record) == Board()


# Gauges


def test_the_instruments_before_anybody_has_replied() -> None:
    assert gauges(Sitting().record) == (
        Gauge("cycles", "cycle 1 of 3", 3, (("used", 1),)),
        Gauge(
            "gates",
            "0 of 7 gates passed; 7 undecided",
            7,
            (("passed", 0), ("failed", 0), ("not applicable", 0), ("undecided", 7)),
        ),
    )


def test_a_vote_under_way_counts_who_has_voted_and_nothing_else() -> None:
    sitting = contested()
    sitting.reply("SA-1", {"votes": {key: {"vote": "OPPOSE"} for key in sitting.ask("SA-1").keys}})
    shown = gauges(sitting.record)
    assert named(shown, "votes") == Gauge(
        "votes",
        "1 contested finding: 1 of 3 seats have voted, sealed until the vote ends; 2 votes on each decide: "
        "1 vote still needed",
        3,
        (("in", 1), ("absent", 0), ("open", 2)),
        needed=2,
        missing=1,
    )
    assert named(shown, "votes on remediations").of == 3
    assert named(shown, "findings").parts == (("resolved", 0), ("deadlocked", 0), ("open", 1))


def test_a_vote_that_was_settled_early_misses_nobody() -> None:
    counted = named(gauges(councils_ended.refuted().record), "votes")
    assert counted.words == "1 contested finding, 2 votes decide each: 1 opposed"
    parts = (("for", 0), ("against", 2), ("abstained", 0), ("absent", 0), ("not needed", 1))
    assert (counted.of, counted.parts, counted.missing) == (3, parts, 0)


def test_a_vote_without_a_quorum_says_what_it_lacks() -> None:
    counted = named(gauges(councils_ended.split().record), "votes")
    assert counted.words == "1 contested finding, 2 votes decide each: 1 split: 1 vote lacking for a quorum"
    assert counted.missing == 1


def test_gates_that_failed_and_what_nobody_came_to_decide_are_told_apart() -> None:
    assert named(gauges(councils_ended.failed_fast().record), "gates").words == (
        "3 of 7 gates passed; 1 failed; 3 undecided"
    )


# At every moment


@pytest.mark.parametrize("ended", ENDED, ids=lambda each: each.__name__)
def test_board_and_gauges_are_defined_at_every_event_and_agree_with_the_result(ended: Callable[[], Sitting]) -> None:
    for record in again(ended().record):
        sound(gauges(record))
        assert isinstance(board(record), Board)
    agrees(record)


@settings(few, max_examples=12)
@given(st.sampled_from(sorted(DEFINITION.profiles)), st.integers(0, 2**32))
def test_whatever_is_said_board_and_gauges_are_defined_and_agree_with_the_result(profile: str, seed: int) -> None:
    protocol = catalog.build("council", DEFINITION.profiles[profile], seed=7)
    for record in course(protocol, MATERIAL, Random(seed)):
        sound(gauges(record))
        assert isinstance(board(record), Board)
    agrees(record)
