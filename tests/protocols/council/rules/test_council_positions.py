"""The positions of a council: who held a finding true, and so the RFC sound, cycle by cycle."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

import pytest

from quorate import catalog
from quorate.core.record import Record
from quorate.core.types import Seat
from quorate.kit.positions import MATTER, Position, changes
from quorate.protocols.council import DEFINITION
from quorate.protocols.council.rules.board import board
from quorate.protocols.council.rules.positions import GRAVE, SOUND, positions
from tests.support import councils_ended
from tests.support.council_words import rfc
from tests.support.councils import SEATS, Sitting
from tests.support.courses import course

ENDED = [
    each for name, each in vars(councils_ended).items() if callable(each) and each.__module__ == councils_ended.__name__
]


def of(record: Record, seat: str, about: str = MATTER) -> list[tuple[int, str, bool | None]]:
    return [(e.round, e.stance, e.holds) for e in positions(record) if (e.seat, e.about) == (seat, about)]


def finding(record: Record, index: int = 0) -> str:
    return board(record).findings[index].id


def contested() -> Record:
    """SA-1 raises it; SA-2 disputes and then supports it; SA-3 confirms and opposes."""
    sitting = Sitting().review({"SA-1": ["AMBIGUOUS_SCOPE T3"]})
    sitting.respond({"SA-1": "CONFIRM fix", "SA-2": "DISPUTE", "SA-3": "CONFIRM"})
    return sitting.vote({"SA-2": "SUPPORT", "SA-3": "OPPOSE"}).finish().record


def test_the_definition_gives_them() -> None:
    assert DEFINITION.positions(contested()) == positions(contested()) != ()


def test_raising_answering_and_voting_are_positions_on_a_finding() -> None:
    record = contested()
    about = finding(record)
    severity = board(record).findings[0].severity
    assert of(record, "SA-1", about) == [
        (1, f"raised as {severity}", True),
        (2, "CONFIRM", True),
        (3, "SUPPORT", True),
    ]
    assert of(record, "SA-2", about) == [(2, "DISPUTE", False), (3, "SUPPORT", True)]
    assert [each.after.seat for each in changes(positions(record)) if each.after.about == about] == ["SA-2"]


def test_a_seat_has_seen_who_raised_and_who_answered_before() -> None:
    record = contested()
    about = finding(record)
    shown = {(str(e.seat), e.round): e.shown for e in positions(record) if e.about == about}
    assert shown["SA-1", 1] == ()
    assert shown["SA-1", 2] == (), "its own finding is nobody else's word"
    assert shown["SA-2", 2] == ("SA-1",)
    assert shown["SA-2", 3] == ("SA-1", "SA-3")


def test_a_seat_holds_the_rfc_sound_while_it_holds_no_grave_finding() -> None:
    record = contested()
    assert of(record, "SA-1")[0] == (1, GRAVE, False)
    assert of(record, "SA-2")[0] == (1, SOUND, True)
    assert {each.shown for each in positions(record) if each.about == MATTER and each.round == 1} == {()}
    assert of(record, "SA-2")[-1] == (3, GRAVE, False)
    assert [holds for _, _, holds in of(record, "SA-3")][:3] == [True, True, False]


def test_a_minor_finding_leaves_the_rfc_sound() -> None:
    record = Sitting().review({"SA-1": ["AMBIGUOUS_SCOPE T2 MINOR"]}).respond("CONFIRM").finish().record
    assert {holds for seat in SEATS for _, _, holds in of(record, seat)} == {True}


def test_a_severity_that_a_seat_holds_right_is_what_it_holds() -> None:
    sitting = Sitting().review({"SA-1": ["MISSING_VERIFICATION T1 criteria"]})
    record = sitting.respond({"SA-1": "SEVERITY MINOR", "SA-2": "CONFIRM", "SA-3": "ABSTAIN"}).finish().record
    assert of(record, "SA-1", finding(record))[1] == (2, "SEVERITY MINOR", True)
    assert of(record, "SA-1")[-1][2] is True, "a MINOR finding is not grave"
    assert of(record, "SA-2")[-1][2] is False
    assert of(record, "SA-3", finding(record))[0] == (2, "ABSTAIN", None)


def test_what_a_gate_has_proven_is_no_position_of_anybody() -> None:
    record = councils_ended.rejected_by_gate().record
    assert [each for each in positions(record) if each.about == MATTER] == []
    proven = {card.id for card in board(record).findings if card.proven}
    assert proven
    assert proven.isdisjoint({each.about for each in positions(record)})


def test_findings_that_are_merged_are_one() -> None:
    sitting = Sitting().review(
        {"SA-1": ["MISSING_VERIFICATION T1 criteria"], "SA-2": ["MISSING_VERIFICATION T1 criteria"]}
    )
    record = sitting.finish().record
    about = {each.about for each in positions(record) if each.about.startswith("FND")}
    assert {each.partition(",")[0] for each in about} == {finding(record)}
    assert of(record, "SA-2", finding(record))[0][2] is True


@pytest.mark.parametrize("ended", ENDED, ids=lambda each: each.__name__)
def test_they_are_there_at_every_moment_and_stay(ended: Callable[[], Sitting]) -> None:
    whole = ended().record
    again = Record(whole.protocol, whole.opening, whole.material)
    before: list[tuple[Seat, int, str]] = []
    for event, envelope in whole.events():
        again.take(event, envelope)
        now = [(each.seat, each.seq, each.stance) for each in positions(again)]
        assert now[: len(before)] == before
        before = now
    found: tuple[Position, ...] = positions(whole)
    assert [each.seq for each in found] == sorted(each.seq for each in found)
    known = {card.id for card in board(whole).findings}
    assert {each.about.partition(",")[0] for each in found} <= known | {MATTER}


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_said_there_are_positions(seed: int) -> None:
    protocol = catalog.build("council", {"remediate": seed % 2 == 0}, seed=7)
    for record in course(protocol, {"rfc": json.dumps(rfc()), "gates": "{}"}, Random(seed)):
        assert all(each.seat in SEATS and each.seq for each in positions(record))
