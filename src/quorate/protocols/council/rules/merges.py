"""Collecting findings of gates and seats, and joining those that are one (C9, C14, C17, C20)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.types import Seat
from quorate.core.values import replace
from quorate.protocols.council.rules.forms import GateFinding, Pair, Raised
from quorate.protocols.council.rules.model import (
    Agreement,
    Backing,
    Finding,
    Join,
    Resolution,
    Reviewer,
    State,
    finding_key,
)
from quorate.protocols.council.rules.taxonomy import Severity

ALIKE, AGREED = "alike", "agreed"
"""How two findings became one: their texts are alike beyond doubt, or seats called them the same (C14)."""


def worst(severities: Iterable[Severity]) -> Severity:
    """Return the worst of these severities."""
    return min(severities, key=lambda each: each.rank)


def backers(state: State, key: Key) -> dict[Seat, Severity]:
    """Return the seats that back a finding, with the severity each gives it."""
    return {each.seat: back.severity for each in state.seats for back in each.backs if back.key == key}


def agreed_by(state: State, count: int) -> Agreement:
    """Return the agreement that this number of backers amounts to (C20)."""
    if count == len(state.seats) > 1 and not any(each.lost for each in state.seats):
        return Agreement.UNANIMOUS
    return Agreement.MAJORITY if count > 1 else Agreement.PENDING


def take_proven(state: State, proven: Sequence[GateFinding]) -> tuple[State, list[Fact]]:
    """Add the gates' findings: each stays separate, is upheld, and is never voted on (C9)."""
    found, facts = [], []
    for number, each in enumerate(proven, start=state.raised + 1):
        key = finding_key(number)
        found.append(
            Finding(
                key,
                each.subcategory,
                each.place,
                each.field,
                each.severity,
                True,
                Agreement.UNANIMOUS,
                Resolution.UPHELD,
            )
        )
        facts.append(Fact.of("raised", key=key, by="gates", index=number - state.raised - 1))
    after = replace(state, findings=(*state.findings, *found), raised=state.raised + len(found))
    return after, facts


def take_raised(state: State, given: Iterable[tuple[Seat, Sequence[Raised]]]) -> tuple[State, list[Fact]]:
    """Add the findings of seats, each for itself; an equal key makes a group and nothing more (C14).

    Numbers depend on what was raised, not on who raised it, so that seats are interchangeable.
    """
    batch = [(seat, index, each) for seat, raised in given for index, each in enumerate(raised)]
    batch.sort(key=lambda item: (_place(item[2]), item[2].severity.rank))
    findings, facts = list(state.findings), []
    backs: dict[Seat, dict[Key, Severity]] = {each.seat: _backed(each) for each in state.seats}
    for number, (seat, index, each) in enumerate(batch, start=state.raised + 1):
        key = finding_key(number)
        facts.append(Fact.of("raised", key=key, by=seat, index=index))
        findings.append(Finding(key, each.subcategory, each.place, each.field, each.severity, False))
        backs[seat][key] = each.severity
    after = replace(state, seats=_backing(state, backs), findings=tuple(findings), raised=state.raised + len(batch))
    return _grouped(after), facts


def _place(raised: Raised) -> tuple[str, str, str]:
    return raised.place, raised.subcategory.value, raised.field.value


def _backed(reviewer: Reviewer) -> dict[Key, Severity]:
    return {back.key: back.severity for back in reviewer.backs}


def _backing(state: State, backs: Mapping[Seat, Mapping[Key, Severity]]) -> tuple[Reviewer, ...]:
    return tuple(
        replace(
            each,
            backs=tuple(Backing(key, backs[each.seat][key]) for key in sorted(backs[each.seat], key=number_of)),
        )
        for each in state.seats
    )


def number_of(key: Key) -> int:
    return int(key[1:])


def take_pairs(state: State, pairs: Iterable[Pair]) -> tuple[State, list[Fact]]:
    """Join findings of one group whose texts are alike beyond doubt; every other pair is refused (C14)."""
    facts = []
    for pair in pairs:
        known = {each.key: each for each in state.findings}
        kept, gone = known.get(pair.kept), known.get(pair.merged)
        if kept is None or gone is None or kept.same != gone.same or not may_join(kept, gone):
            facts.append(Fact.of("merge_refused", key=pair.merged, into=pair.kept))
            continue
        facts.append(Fact.of("merged", key=gone.key, into=kept.key, how=ALIKE))
        state = join(state, gone.key, kept.key)
    return _grouped(state), facts


def may_join(kept: Finding, gone: Finding) -> bool:
    """Return whether one may go into the other: never a gate's, nor into a milder one of a gate (C14)."""
    milder = kept.proven and gone.severity.rank < kept.severity.rank
    return kept.key != gone.key and not gone.proven and not milder


def join(state: State, gone: Key, into: Key) -> State:
    """Make one finding of two: the worse severity stands, and whoever backed either backs it, as badly as it said."""
    backs: dict[Seat, dict[Key, Severity]] = {}
    for each in state.seats:
        own = backs[each.seat] = _backed(each)
        if (moved := own.pop(gone, None)) is not None:
            own[into] = worst((own.get(into, moved), moved))
    severity = state.finding(gone).severity
    findings = tuple(
        replace(each, severity=worst((each.severity, severity))) if each.key == into else each
        for each in state.findings
        if each.key != gone
    )
    return replace(state, seats=_backing(state, backs), findings=findings, joined=(*state.joined, Join(gone, into)))


def _grouped(state: State) -> State:
    """Give each finding of a seat the provisional status of its group: how many seats raised one of it (C20)."""
    seats: dict[object, set[Seat]] = {}
    same = {each.key: each.same for each in state.findings}
    for reviewer in state.seats:
        for back in reviewer.backs:
            if back.key in same:
                seats.setdefault(same[back.key], set()).add(reviewer.seat)
    return replace(
        state,
        findings=tuple(
            each if each.proven else replace(each, agreement=agreed_by(state, len(seats[each.same])))
            for each in state.findings
        ),
    )
