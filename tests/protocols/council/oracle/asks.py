"""Whom every step has to ask, about what, in which form (C1, C13, C15, C18, C38)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from quorate.core.forms import Key, Reply
from quorate.core.types import Ask, Seat
from quorate.protocols.council.rules.forms import (
    Answers,
    Application,
    Assessment,
    AssuranceTree,
    Ballots,
    Binding,
    Coverage,
    GateReport,
    LastProposals,
    Matches,
    MockRun,
    Patch,
    ScoringTable,
)
from quorate.protocols.council.rules.model import Finding, Phase, Resolution, State, Step
from quorate.protocols.council.rules.taxonomy import Severity
from tests.protocols.council.oracle.recount import Recount
from tests.protocols.council.oracle.retally import items
from tests.protocols.council.oracle.sheet import GRAVE, M

Wanted = tuple[Seat, str, type[Reply], tuple[Key, ...]]
GATES, MATCHER = Seat("gates"), Seat("matcher")
ARTIFACTS: Mapping[str, tuple[str, type[Reply]]] = {
    "SA-1": ("score", ScoringTable),
    "SA-2": ("mock-run", MockRun),
    "SA-3": ("assure", AssuranceTree),
}


@cache
def _places(tickets: int) -> tuple[Key, ...]:
    documents = tuple(Key(f"R{number:02}") for number in range(10))
    return (Key("RFC"), *documents, *(Key(f"T{number}") for number in range(1, tickets + 1)))


def _wanted(state: State, alone: bool) -> Iterator[Wanted]:
    """Yield the asks that the rules require of a step: seat, brief, form and keys."""
    active = [each.seat for each in state.seats if not each.lost]
    places = _places(state.tickets)
    match state.step:
        case Step.EXAMINE:
            yield GATES, "examine", GateReport, _places(200)
        case Step.REVIEW:
            yield from ((seat, *ARTIFACTS[seat], places) for seat in active)
        case Step.MATCH:
            if len(state.findings) > 1 and not all(each.proven for each in state.findings):
                yield MATCHER, "match", Matches, _keys(state, lambda _: True)
            if state.cycle == 2:
                yield GATES, "cover", Coverage, places
        case Step.ASSESS:
            yield from ((seat, "assess", Assessment, places) for seat in active)
        case Step.RESPOND:
            keys = _keys(state, lambda each: not each.proven or each.severity in GRAVE)
            yield from ((seat, "respond", Answers, keys) for seat in active if keys)
        case Step.BIND:
            yield from ((s.seat, "bind", Binding, places) for s in state.seats if s.unbound and not s.lost)
        case _:
            yield from _wanted_to_converge(state, active, alone)


def _wanted_to_converge(state: State, active: list[Seat], alone: bool) -> Iterator[Wanted]:
    match state.step:
        case Step.REMEDIATE:
            keys = _keys(state, _without_remedy)
            yield from ((seat, "remediate", LastProposals, keys) for seat in active if keys)
        case Step.VOTE:
            keys = tuple(items(state))
            yield from ((seat, "vote", Ballots, keys) for seat in active if keys and not alone)
        case Step.PATCH:
            keys = _keys(state, _agreed)
            for turn, seat in enumerate(active):
                if own := keys[turn :: len(active)]:
                    yield seat, "patch", Patch, (*own, *_places(state.tickets))
        case Step.APPLY:
            yield GATES, "apply", Application, _keys(state, _agreed)


def _keys(state: State, wanted: Callable[[Finding], bool]) -> tuple[Key, ...]:
    return tuple(each.key for each in state.findings if wanted(each))


def _without_remedy(finding: Finding) -> bool:
    open_ = finding.resolution is not Resolution.DISMISSED
    return finding.severity is Severity.BLOCKER and finding.proposals == 0 and open_


def _agreed(finding: Finding) -> bool:
    return finding.resolution is Resolution.REMEDIATION_AGREED


def asks() -> Callable[[Recount, M], bool]:
    """Every step asks exactly the seats the rules name, once each, about exactly the right keys."""
    seen: list[Any] = [None, None]

    def holds(recount: Recount, moment: M) -> bool:
        if seen[0] is moment.asks and seen[1] is moment.state and moment.asks:
            return True  # the same asks as a moment ago, answered otherwise
        wanted = [] if moment.phase is Phase.INIT else list(_wanted(moment.state, recount.alone))
        if [_as_wanted(ask) for ask in moment.asks] != wanted:
            return False
        seen[:] = moment.asks, moment.state
        return True

    return holds


def _as_wanted(ask: Ask) -> Wanted:
    return ask.seat, ask.brief, ask.form, ask.keys
