"""Whether a moment is what the recount expects: outcome, state, facts, course and verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quorate.core.protocol import Degradation
from quorate.core.types import Reason
from quorate.protocols.council.rules.forms import (
    Answers,
    Assessment,
    AssuranceTree,
    Ballots,
    Binding,
    GateReport,
    LastProposals,
    MockRun,
    Patch,
    ScoringTable,
)
from quorate.protocols.council.rules.model import Outcome, Phase, Resolution, State, Step, Verdict
from quorate.protocols.council.rules.taxonomy import Severity
from tests.protocols.council.oracle.recount import Recount
from tests.protocols.council.oracle.sheet import GRAVE, M

Check = Callable[[Recount, M], bool]
LEFT = (Resolution.UPHELD, Resolution.REMEDIATION_AGREED)
"""What is true and not mended (C31)."""
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


def as_counted(*parts: str) -> Check:
    """Return the check that these parts of the state equal the recount."""
    wanted = frozenset(parts)

    def holds(recount: Recount, moment: M) -> bool:
        return recount.of(moment).differs.isdisjoint(wanted)

    return holds


def decides(recount: Recount, moment: M) -> bool:
    """The outcome is the one that the rules give, including for lack of seats, gates or agreement."""
    return moment.outcome is recount.of(moment).outcome


def told(recount: Recount, moment: M) -> bool:
    """The facts recorded are exactly what was raised, merged, answered, voted and edited."""
    return moment.phase is Phase.INIT or moment.facts == recount.of(moment).facts


def settles(recount: Recount, moment: M) -> bool:
    """Only the vote is settled before all replies are in, and only if its result is certain (C24)."""
    if len(moment.replies) == len(moment.asks):
        return True
    return moment.state.step is Step.VOTE and recount.votes.certain(moment.state, moment.replies)


def stalls(recount: Recount, moment: M) -> bool:
    """A stall follows only a phase in which every reply was missing or empty (C34)."""
    if moment.interrupted is not Reason.STALL:
        return True
    return not any(_brings(reply) for _, reply in recount.heard_before(moment))


def _brings(reply: object) -> bool:
    """Return whether a seat's reply has any content; an artifact always has."""
    lists = {Answers: "answers", LastProposals: "proposals", Ballots: "votes", Binding: "uses"}
    if isinstance(reply, Assessment):
        return len(reply.gates) + len(reply.findings) > 0
    if type(reply) in lists:
        return len(getattr(reply, lists[type(reply)])) > 0
    return isinstance(reply, ScoringTable | MockRun | AssuranceTree | Patch)


def verdict(recount: Recount, moment: M) -> bool:
    """The verdict follows from the findings, and is given exactly at the end (C30 to C33)."""
    if moment.to is Phase.ABORTED:
        return moment.verdict is Verdict.ABORTED
    if moment.to is Phase.DEADLOCKED:
        return moment.verdict is Verdict.NEEDS_ADJUDICATION
    if moment.to is not Phase.CONVERGED:
        return moment.verdict is None
    return moment.verdict is _converged(recount, moment.after)


def _converged(recount: Recount, state: State) -> Verdict:
    grave = [each for each in state.findings if each.resolution in LEFT and each.severity in GRAVE]
    agreed = [each for each in grave if each.resolution is Resolution.REMEDIATION_AGREED]
    blocked = [each for each in grave if each.severity is Severity.BLOCKER]
    if blocked or len(agreed) < len(grave) or len(grave) > recount.settings.most_majors:
        return Verdict.REJECTED
    if [each.low for each in state.seats].count(True) > (0 if len(state.seats) == 1 else 1):
        return Verdict.NEEDS_ADJUDICATION
    if [each.judged for each in state.seats].count(True) < (1 if len(state.seats) == 1 else 2) or not state.covered:
        return Verdict.NEEDS_ADJUDICATION
    if state.refused > 0:
        return Verdict.NEEDS_ADJUDICATION
    return Verdict.APPROVED_WITH_REMEDIATION if grave else Verdict.APPROVED


def deadlocks(recount: Recount, moment: M) -> bool:
    """DEADLOCKED exactly if a required quorum is missing; never after the gates alone (C11, C30)."""
    if moment.to is Phase.DEADLOCKED:
        return recount.votes.deadlocked(moment.after)
    if moment.to is not Phase.CONVERGED:
        return True
    failed = moment.outcome is Outcome.GATE_FAILED and any(isinstance(r, GateReport) for _, r in moment.replies)
    return failed or (moment.state.step is Step.END and not recount.votes.deadlocked(moment.after))


def degraded(recount: Recount, moment: M) -> bool:
    """The degradation of a verdict tells whether seats were lost, and whether too many (C36)."""
    if moment.verdict is None:
        return moment.degradation is None
    lost = sum(each.lost for each in moment.after.seats)
    if len(moment.after.seats) - lost < recount.needed:
        return moment.degradation is Degradation.BELOW_SETTINGS
    return moment.degradation is (Degradation.WITHIN_SETTINGS if lost else Degradation.NONE)


def leads(recount: Recount, moment: M) -> bool:
    """Every outcome is one of its phase, and leads where its row says (C2)."""
    return not isinstance(moment.to, Phase) or LEADS[moment.phase].get(moment.outcome) is moment.to
