"""Collecting findings of gates and seats, and merging duplicates (C9, C14, C17, C20)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.types import Seat
from quorate.core.values import replace
from quorate.protocols.council.version_1.rules.forms import GateFinding, Pair, Raised
from quorate.protocols.council.version_1.rules.model import (
    Agreement,
    Backing,
    Finding,
    Resolution,
    Reviewer,
    State,
    finding_key,
)
from quorate.protocols.council.version_1.rules.taxonomy import Severity

SEVERITIES = tuple(Severity)


def median(severities: Iterable[Severity]) -> Severity:
    """Return the severity in the middle, the worse of two (C17)."""
    ranks = sorted(severity.rank for severity in severities)
    return SEVERITIES[ranks[(len(ranks) - 1) // 2]]


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
    """Add the findings of seats, merging exact duplicates (C14).

    Numbers depend on what was raised, not on who raised it, so that seats are interchangeable.
    """
    batch = [(seat, index, each) for seat, raised in given for index, each in enumerate(raised)]
    batch.sort(key=lambda item: (_place(item[2]), item[2].severity.rank))
    findings, facts, number, merged = list(state.findings), [], state.raised, state.merged
    backs: dict[Seat, dict[Key, Severity]] = {
        each.seat: {back.key: back.severity for back in each.backs} for each in state.seats
    }
    for seat, index, each in batch:
        number += 1
        key = finding_key(number)
        facts.append(Fact.of("raised", key=key, by=seat, index=index))
        same = next((f for f in findings if f.same == (each.subcategory, each.place, each.field)), None)
        if same is None:
            same = Finding(key, each.subcategory, each.place, each.field, each.severity, False)
            findings.append(same)
        else:
            merged += 1
            facts.append(Fact.of("merged", key=key, into=same.key, how="same"))
        held = backs[seat].get(same.key, each.severity)
        backs[seat][same.key] = min(held, each.severity, key=lambda severity: severity.rank)
    after = replace(state, seats=_backing(state, backs), findings=tuple(findings), raised=number, merged=merged)
    return _weighed(after), facts


def _place(raised: Raised) -> tuple[str, str, str]:
    return raised.place, raised.subcategory.value, raised.field.value


def _backing(state: State, backs: Mapping[Seat, Mapping[Key, Severity]]) -> tuple[Reviewer, ...]:
    return tuple(
        replace(
            each,
            backs=tuple(Backing(key, backs[each.seat][key]) for key in sorted(backs[each.seat], key=_number)),
        )
        for each in state.seats
    )


def _number(key: Key) -> int:
    return int(key[1:])


def take_pairs(state: State, pairs: Iterable[Pair]) -> tuple[State, list[Fact]]:
    """Merge near matches within one place and one gate; a gate's finding is never merged away (C14)."""
    facts = []
    for pair in pairs:
        known = {each.key: each for each in state.findings}
        kept, gone = known.get(pair.kept), known.get(pair.merged)
        if kept is None or gone is None or not _mergeable(kept, gone):
            facts.append(Fact.of("merge_refused", key=pair.merged, into=pair.kept))
            continue
        facts.append(Fact.of("merged", key=gone.key, into=kept.key, how="near"))
        backs: dict[Seat, dict[Key, Severity]] = {}
        for each in state.seats:
            own = {back.key: back.severity for back in each.backs}
            if (moved := own.pop(gone.key, None)) is not None:
                held = own.get(kept.key, moved)
                own[kept.key] = min(held, moved, key=lambda severity: severity.rank)
            backs[each.seat] = own
        left = tuple(each for each in state.findings if each.key != gone.key)
        state = replace(state, seats=_backing(state, backs), findings=left, merged=state.merged + 1)
    return _weighed(state), facts


def _mergeable(kept: Finding, gone: Finding) -> bool:
    return (
        kept.key != gone.key
        and not gone.proven
        and kept.place == gone.place
        and kept.subcategory.gate is gone.subcategory.gate
    )


def _weighed(state: State) -> State:
    """Compute severity and agreement of the findings of seats (C17, C20)."""
    return replace(state, findings=tuple(each if each.proven else _weigh(state, each) for each in state.findings))


def _weigh(state: State, finding: Finding) -> Finding:
    held = backers(state, finding.key)
    return replace(finding, severity=median(held.values()), agreement=agreed_by(state, len(held)))
