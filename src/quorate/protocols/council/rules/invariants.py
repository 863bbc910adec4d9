"""The council's invariants, stated independently of the protocol's own functions; `verify` proves them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from quorate.core.forms import Key, Reply
from quorate.core.protocol import Invariant
from quorate.core.types import Ask, Reason, Seat
from quorate.protocols.council.rules.forms import (
    Answers,
    Application,
    Assessment,
    AssuranceTree,
    Ballots,
    Binding,
    GateReport,
    LastProposals,
    Matches,
    MockRun,
    Patch,
    ScoringTable,
)
from quorate.protocols.council.rules.model import CouncilSettings, Finding, Outcome, Phase, Resolution, State, Step
from quorate.protocols.council.rules.promises import (
    Check,
    accounted,
    as_counted,
    course,
    deadlocks,
    decides,
    degraded,
    gates_stand,
    lone_blockers,
    losses,
    merges,
    never_less,
    no_approval,
    quorum,
    remedied,
    settles,
    stalls,
    told,
    verdict,
)
from quorate.protocols.council.rules.recount import Recount
from quorate.protocols.council.rules.redraw import drawn
from quorate.protocols.council.rules.retally import items
from quorate.protocols.council.rules.sheet import GRAVE, M
from quorate.protocols.council.rules.taxonomy import Severity

Wanted = tuple[Seat, str, type[Reply], tuple[Key, ...]]
GATES, MATCHER = Seat("gates"), Seat("matcher")
ARTIFACTS: Mapping[str, tuple[str, type[Reply]]] = {
    "SA-1": ("score", ScoringTable),
    "SA-2": ("mock-run", MockRun),
    "SA-3": ("assure", AssuranceTree),
}
LEADS: Mapping[Any, Mapping[Any, Phase]] = {
    Phase.INIT: {Outcome.MODES_DRAWN: Phase.CYCLE_1},
    Phase.CYCLE_1: {
        Outcome.EXAMINED: Phase.CYCLE_1,
        Outcome.REVIEWED: Phase.CYCLE_1,
        Outcome.MERGED: Phase.CYCLE_2,
        Outcome.GATE_FAILED: Phase.CONVERGED,
        Outcome.NO_GATES: Phase.ABORTED,
        Outcome.INSUFFICIENT_AGENTS: Phase.ABORTED,
    },
    Phase.CYCLE_2: {
        Outcome.ASSESSED: Phase.CYCLE_2,
        Outcome.MERGED: Phase.CYCLE_2,
        Outcome.RESPONDED: Phase.CYCLE_2,
        Outcome.BOUND: Phase.CYCLE_3,
        Outcome.INSUFFICIENT_AGENTS: Phase.ABORTED,
    },
    Phase.CYCLE_3: {
        Outcome.PROPOSED: Phase.CYCLE_3,
        Outcome.VOTED: Phase.CYCLE_3,
        Outcome.PATCHED: Phase.CYCLE_3,
        Outcome.APPLIED: Phase.CYCLE_3,
        Outcome.CONSENSUS: Phase.CONVERGED,
        Outcome.DEADLOCK: Phase.DEADLOCKED,
        Outcome.INSUFFICIENT_AGENTS: Phase.ABORTED,
    },
}
"""The seed's rows between the phases, and the steps inside them (C2)."""


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


def _asks() -> Check:
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


def _leads(recount: Recount, moment: M) -> bool:
    """Every outcome is one of its phase, and leads where its row says (C2)."""
    return not isinstance(moment.to, Phase) or LEADS[moment.phase].get(moment.outcome) is moment.to


PROMISES: tuple[tuple[str, str, Check], ...] = (
    ("findings raised are the sum over their resolutions, merged ones included", "C25", accounted),
    ("no number is given twice, and no finding is forgotten", "C14 C25", never_less),
    ("what a gate found is never merged away, contested, dismissed or voted upon", "C9", gates_stand),
    ("merges stay within one place and one gate", "C14", merges),
    ("a lone BLOCKER is not dismissed without a refutation", "C23", lone_blockers),
    ("no quorum without its votes, whoever is lost", "C22 C36", quorum),
    ("a lost seat stays lost, and too few seats end ABORTED", "C36", losses),
    ("no approval while something stands in its way", "C12 C31 C32", no_approval),
    ("the verdict follows from the findings", "C30-C33", verdict),
    ("DEADLOCKED exactly where agreement is lacking", "C11 C30", deadlocks),
    ("REMEDIATED by an edit that held, and by nothing else", "C38", remedied),
    ("the vote alone settles early, and only where it is certain", "C24", settles),
    ("every outcome leads where it should", "C2", _leads),
    ("each step comes in its turn, and no cycle comes back", "C2 C13 C15 C18", course),
    ("the lenses are drawn by the algorithm and checked", "C3 C4", drawn),
    ("every decision is the one that the rules name", "C2 C11 C12 C30 C36", decides),
    ("findings have the numbers and places under which they were raised", "C8 C13 C14", as_counted("numbers")),
    ("severities are the median of those who back them", "C17", as_counted("severities")),
    ("agreement follows from backers, answers and votes", "C9 C20-C23", as_counted("agreements")),
    ("resolutions follow from votes and edits", "C22 C25 C37-C39", as_counted("resolutions")),
    ("remediations are counted as proposed", "C15 C18", as_counted("remedies")),
    ("attempts at edits are counted", "C38 C39", as_counted("attempts")),
    ("who backs a finding is known until it is answered", "C16 C20", as_counted("backing")),
    ("a seat without a usable reply is lost", "C36", as_counted("losses")),
    ("doubts are those of the assessment", "C32", as_counted("doubts")),
    ("a lens is bound by a finding or a row that is not blank", "C6", as_counted("lenses")),
    ("the state says which step comes next", "C2 C13 C15 C18 C38", as_counted("course")),
    ("the record is told what was counted, and nothing else", "C6 C14 C16 C22 C38", told),
)


def invariants(settings: CouncilSettings) -> tuple[Invariant[State], ...]:
    """Return the council's invariants under these settings; interruptions (C33) have their own."""
    recount = Recount(settings)

    def always(check: Check) -> Callable[[M], bool]:
        return lambda moment: check(recount, moment)

    def normally(check: Check) -> Callable[[M], bool]:
        """Limit a check to the council's own phases; phases added by others have their own invariants."""

        def holds(moment: M) -> bool:
            ours = isinstance(moment.phase, Phase) and moment.interrupted is None
            return not ours or check(recount, moment)

        return holds

    def interrupted(moment: M) -> bool:
        if moment.interrupted is None:
            return True
        waits = moment.interrupted in (Reason.WISH, Reason.STALL)  # they withdraw no ask
        kept = moment.after == moment.state and not (waits and moment.asks)
        return moment.to is Phase.ABORTED and kept and verdict(recount, moment)

    return (
        *(Invariant(name, rule, normally(check)) for name, rule, check in PROMISES),
        Invariant("every step asks exactly whom the rules name", "C1 C13 C15 C18 C38", normally(_asks())),
        Invariant("a verdict says whether seats were lost", "C36", always(degraded)),
        Invariant("a stall is a phase in which nobody brought anything", "C34", always(stalls)),
        Invariant("an interruption decides nothing and keeps what is found", "C33", interrupted),
    )
