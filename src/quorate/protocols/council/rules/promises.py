"""The council's invariants, one function each, about a single moment or its recount."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from quorate.core.forms import Key
from quorate.core.protocol import Degradation
from quorate.core.types import Reason
from quorate.protocols.council.rules.forms import (
    Answers,
    Application,
    Applied,
    Assessment,
    AssuranceTree,
    Ballots,
    Binding,
    GateReport,
    LastProposals,
    MockRun,
    Patch,
    ScoringTable,
    Vote,
)
from quorate.protocols.council.rules.model import Agreement, Outcome, Phase, Resolution, State, Step, Verdict
from quorate.protocols.council.rules.recount import Recount, near
from quorate.protocols.council.rules.sheet import GRAVE, M
from quorate.protocols.council.rules.taxonomy import Severity

Check = Callable[[Recount, M], bool]
LEFT = (Resolution.UPHELD, Resolution.REMEDIATION_AGREED)
"""What is true and not mended (C31)."""
APPROVED = (Verdict.APPROVED, Verdict.APPROVED_WITH_REMEDIATION)
ORDER: Mapping[Any, tuple[Step, ...]] = {
    Phase.INIT: (Step.EXAMINE,),
    Phase.CYCLE_1: (Step.EXAMINE, Step.REVIEW, Step.MATCH),
    Phase.CYCLE_2: (Step.ASSESS, Step.MATCH, Step.RESPOND, Step.BIND),
    Phase.CYCLE_3: (Step.REMEDIATE, Step.VOTE, Step.PATCH, Step.APPLY, Step.END),
}


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


# Findings


def accounted(recount: Recount, moment: M) -> bool:
    """Findings raised equal the sum over resolutions plus those merged; each has its own number (C25)."""
    state = moment.after
    numbers = [int(each.key[1:]) for each in state.findings]
    listed = all(one < other for one, other in pairwise(numbers))
    known = not any(each.resolution is Resolution.MERGED for each in state.findings)
    return (
        state.raised == len(numbers) + state.merged
        and listed
        and known
        and (not numbers or numbers[-1] <= state.raised)
    )


def never_less(recount: Recount, moment: M) -> bool:
    """No number is given twice, and nothing that was counted is forgotten (C25)."""
    before, after = moment.state, moment.after
    if after.raised < before.raised or after.merged < before.merged:
        return False
    if before.findings is after.findings:
        return True
    old = {each.key for each in before.findings}
    fresh = [each for each in after.findings if each.key not in old]
    gone = len(before.findings) + len(fresh) - len(after.findings)
    return all(int(each.key[1:]) > before.raised for each in fresh) and 0 <= gone <= after.merged - before.merged


def gates_stand(recount: Recount, moment: M) -> bool:
    """A gate's finding stays until an edit removes it: never merged, contested, dismissed or voted on (C9)."""
    proven = [each for each in moment.after.findings if each.proven]
    if moment.outcome is not Outcome.EXAMINED and moment.outcome is not Outcome.GATE_FAILED:
        kept = {each.key: each.severity for each in proven}
        if {each.key: each.severity for each in moment.state.findings if each.proven} != kept:
            return False
    if any(each.agreement is not Agreement.UNANIMOUS or each.lone for each in proven):
        return False
    mended = moment.outcome is Outcome.APPLIED or moment.phase is Phase.CYCLE_3
    stands = (*LEFT, Resolution.REMEDIATED, Resolution.DEADLOCKED) if mended else LEFT[:1]
    voted = {key for ask in moment.asks if ask.form is Ballots for key in ask.keys}
    return all(each.resolution in stands and each.key not in voted for each in proven)


def merges(recount: Recount, moment: M) -> bool:
    """Near matches are merged only within one place and gate, exact ones when raised (C14)."""
    known = {each.key: each for each in moment.state.findings}
    for fact in moment.facts:
        if fact.name == "merged":
            values = dict(fact.values)
            if values["how"] == "same":
                if moment.state.step is Step.MATCH:
                    return False
                continue
            kept, gone = known[Key(str(values["into"]))], known[Key(str(values["key"]))]
            if moment.state.step is not Step.MATCH or gone.proven or not near(kept, gone):
                return False
    return True


# Votes


def quorum(recount: Recount, moment: M) -> bool:
    """No QUORUM_* without that many votes, however many seats are left (C22)."""
    if moment.outcome is not Outcome.VOTED:
        return True
    old = {each.key: each.agreement for each in moment.state.findings}
    for each in moment.after.findings:
        if each.agreement is old[each.key]:
            continue
        vote = {Agreement.QUORUM_SUPPORT: Vote.SUPPORT, Agreement.QUORUM_OPPOSE: Vote.OPPOSE}.get(each.agreement)
        if vote is None:
            if each.agreement is not Agreement.DEADLOCKED:
                return False
        elif votes(moment, each.key, vote) < recount.settings.quorum:
            return False
    return True


def votes(moment: M, key: Key, vote: Vote, refuting: bool = False) -> int:
    cast = (reply.votes.get(key) for _, reply in moment.replies if isinstance(reply, Ballots))
    return sum(each is not None and each.vote is vote and (each.refuted or not refuting) for each in cast)


def lone_blockers(recount: Recount, moment: M) -> bool:
    """A BLOCKER with one backer is dismissed only if a seat quotes text that refutes it (C23)."""
    if moment.outcome is not Outcome.VOTED or recount.alone:
        return True
    lone = {each.key for each in moment.state.findings if each.lone}
    return not any(
        each.key in lone and each.resolution is Resolution.DISMISSED and not votes(moment, each.key, Vote.OPPOSE, True)
        for each in moment.after.findings
    )


def settles(recount: Recount, moment: M) -> bool:
    """Only the vote is settled before all replies are in, and only if its result is certain (C24)."""
    if len(moment.replies) == len(moment.asks):
        return True
    return moment.state.step is Step.VOTE and recount.votes.certain(moment.state, moment.replies)


def remedied(recount: Recount, moment: M) -> bool:
    """A finding becomes REMEDIATED by an edit that held, and by nothing else (C38)."""
    old = {each.key for each in moment.state.findings if each.resolution is Resolution.REMEDIATED}
    fresh = [each for each in moment.after.findings if each.resolution is Resolution.REMEDIATED and each.key not in old]
    if not fresh:
        return True
    reply = next((reply for _, reply in moment.replies if isinstance(reply, Application)), None)
    return reply is not None and all(reply.results.get(each.key) is Applied.APPLIED for each in fresh)


# Seats and course


def losses(recount: Recount, moment: M) -> bool:
    """A lost seat stays lost and is not asked again; with fewer seats than the quorum the end is ABORTED (C36)."""
    lost = {each.seat for each in moment.state.seats if each.lost}
    gone = {each.seat for each in moment.after.seats if each.lost}
    if not lost <= gone or any(ask.seat in lost for ask in moment.asks):
        return False
    if [each.seat for each in moment.state.seats] != [each.seat for each in moment.after.seats]:
        return False
    few = len(moment.after.seats) - len(gone) < recount.needed
    if few != (moment.outcome is Outcome.INSUFFICIENT_AGENTS):
        return False
    return moment.to is Phase.ABORTED if few else True


def course(recount: Recount, moment: M) -> bool:
    """Steps come in order and once, except edits; no cycle is repeated (C2)."""
    before, after = moment.state, moment.after
    steps = ORDER[moment.phase]
    if before.step not in steps or after.cycle not in (before.cycle, before.cycle + 1):
        return False
    if moment.to is not moment.phase:
        return True
    if (before.step, after.step) == (Step.APPLY, Step.PATCH):
        return after.attempts == 1
    return steps.index(after.step) > steps.index(before.step)


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


# The end


def no_approval(recount: Recount, moment: M) -> bool:
    """No approval with a BLOCKER, too many MAJORs, a MAJOR without agreed remediation, or without gates (C31)."""
    if moment.verdict not in APPROVED:
        return True
    left = [each for each in moment.after.findings if each.resolution in LEFT]
    majors = [each for each in left if each.severity is Severity.MAJOR]
    return (
        moment.state.step is Step.END
        and not any(each.severity is Severity.BLOCKER for each in left)
        and len(majors) <= recount.settings.most_majors
        and all(each.resolution is Resolution.REMEDIATION_AGREED for each in majors)
        and (moment.verdict is Verdict.APPROVED_WITH_REMEDIATION) == bool(majors)
        and sum(each.low for each in moment.after.seats) < min(2, len(moment.after.seats))
    )


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
