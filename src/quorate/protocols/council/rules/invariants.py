"""The council's invariants: short statements about one moment, which `verify` proves of every move.

The tests hold every move against a second coding of RULES.md as well, the oracle in tests/protocols/council/oracle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from quorate.core.forms import Key
from quorate.core.protocol import Degradation, Invariant, Moment
from quorate.core.types import Reason, Seat
from quorate.protocols.council.rules.forms import Application, Applied, Ballots, Vote
from quorate.protocols.council.rules.invariants_of_fates import FATES
from quorate.protocols.council.rules.lenses import ANCHORS
from quorate.protocols.council.rules.model import (
    APPROVALS,
    REMAINING,
    Agreement,
    CouncilSettings,
    Depth,
    Finding,
    Outcome,
    Phase,
    Resolution,
    State,
    Step,
    Verdict,
    severity_key,
)
from quorate.protocols.council.rules.taxonomy import Severity

M = Moment[State]
Check = Callable[[CouncilSettings, M], bool]
VERDICTS: Mapping[Any, tuple[Verdict | None, ...]] = {
    Phase.CONVERGED: (*APPROVALS, Verdict.REJECTED, Verdict.NEEDS_ADJUDICATION),
    Phase.DEADLOCKED: (Verdict.NEEDS_ADJUDICATION,),
    Phase.ABORTED: (Verdict.ABORTED,),
}
HOW = {Step.MATCH: "alike", Step.RESPOND: "agreed"}
"""By step how findings become one in it (C14)."""
ORDER: Mapping[Any, tuple[Step, ...]] = {
    Phase.INIT: (Step.EXAMINE,),
    Phase.CYCLE_1: (Step.EXAMINE, Step.REVIEW, Step.MATCH),
    Phase.CYCLE_2: (Step.ASSESS, Step.MATCH, Step.RESPOND, Step.BIND),
    Phase.CYCLE_3: (Step.REMEDIATE, Step.VOTE, Step.PATCH, Step.APPLY, Step.END),
}


# Findings


def accounted(_: CouncilSettings, moment: M) -> bool:
    """Findings raised equal the sum over resolutions plus those merged; each has its own number (C25)."""
    state = moment.after
    numbers = [int(each.key[1:]) for each in state.findings]
    listed = all(one < other for one, other in pairwise(numbers))
    known = not any(each.resolution is Resolution.MERGED for each in state.findings)
    return (
        state.raised == len(numbers) + len(state.joined)
        and listed
        and known
        and (not numbers or numbers[-1] <= state.raised)
    )


def never_less(_: CouncilSettings, moment: M) -> bool:
    """No number is given twice, and nothing that was counted is forgotten (C25)."""
    before, after = moment.state, moment.after
    if after.raised < before.raised or len(after.joined) < len(before.joined):
        return False
    if before.findings is after.findings:
        return True
    old = {each.key for each in before.findings}
    fresh = [each for each in after.findings if each.key not in old]
    gone = len(before.findings) + len(fresh) - len(after.findings)
    return all(int(each.key[1:]) > before.raised for each in fresh) and 0 <= gone <= len(after.joined) - len(
        before.joined
    )


def gates_stand(_: CouncilSettings, moment: M) -> bool:
    """A gate's finding stays until an edit removes it: never merged, contested, dismissed or voted on (C9)."""
    proven = [each for each in moment.after.findings if each.proven]
    if moment.outcome is not Outcome.EXAMINED and moment.outcome is not Outcome.GATE_FAILED:
        kept = {each.key: each.severity for each in proven}
        if {each.key: each.severity for each in moment.state.findings if each.proven} != kept:
            return False
    if any(each.agreement is not Agreement.UNANIMOUS or each.lone for each in proven):
        return False
    mended = moment.outcome is Outcome.APPLIED or moment.phase is Phase.CYCLE_3
    stands = (*REMAINING, Resolution.REMEDIATED, Resolution.DEADLOCKED) if mended else REMAINING[:1]
    voted = {key for ask in moment.asks if ask.form is Ballots for key in ask.keys}
    return all(each.resolution in stands and each.key not in voted for each in proven)


def merges(_: CouncilSettings, moment: M) -> bool:
    """Code joins what has one kind, place and field; seats whatever they call the same, but a gate's (C14)."""
    known = {each.key: each for each in moment.state.findings}
    for fact in moment.facts:
        values = dict(fact.values)
        if fact.name != "merged":
            continue
        kept, gone = known[Key(str(values["into"]))], known[Key(str(values["key"]))]
        alike = kept.same == gone.same or moment.state.step is not Step.MATCH
        worse = kept.proven and gone.severity.rank < kept.severity.rank
        if gone.proven or worse or not alike or values["how"] != HOW.get(moment.state.step):
            return False
    return True


def remedied(_: CouncilSettings, moment: M) -> bool:
    """A finding becomes REMEDIATED by an edit that held, and by nothing else (C38)."""
    old = {each.key for each in moment.state.findings if each.resolution is Resolution.REMEDIATED}
    fresh = [each for each in moment.after.findings if each.resolution is Resolution.REMEDIATED and each.key not in old]
    if not fresh:
        return True
    reply = next((reply for _, reply in moment.replies if isinstance(reply, Application)), None)
    return reply is not None and all(reply.results.get(each.key) is Applied.APPLIED for each in fresh)


# Votes


def quorum(settings: CouncilSettings, moment: M) -> bool:
    """No QUORUM_* without that many votes, however many seats are left (C22)."""
    if moment.outcome is not Outcome.VOTED:
        return True
    old = {each.key: each for each in moment.state.findings}
    return all(_has_quorum(settings, moment, old[each.key], each) for each in moment.after.findings)


def _has_quorum(settings: CouncilSettings, moment: M, was: Finding, now: Finding) -> bool:
    if now.agreement is was.agreement or now.agreement is Agreement.DEADLOCKED:
        return True
    vote = {Agreement.QUORUM_SUPPORT: Vote.SUPPORT, Agreement.QUORUM_OPPOSE: Vote.OPPOSE}.get(now.agreement)
    if vote is None or not (was.doubted or was.lower):
        return False
    if now.resolution is Resolution.DISMISSED:
        return was.doubted and vote is Vote.OPPOSE and votes(moment, was.key, vote) >= settings.quorum
    if was.doubted and votes(moment, was.key, Vote.SUPPORT) < settings.quorum:
        return False
    return was.lower is None or votes(moment, severity_key(was.key), vote) >= settings.quorum


def votes(moment: M, key: Key, vote: Vote, refuting: bool = False) -> int:
    """Return how many seats cast this vote on an item; with `refuting`, only those that quote a refutation."""
    cast = (reply.votes.get(key) for _, reply in moment.replies if isinstance(reply, Ballots))
    return sum(each is not None and each.vote is vote and (each.refuted or not refuting) for each in cast)


def lone_blockers(settings: CouncilSettings, moment: M) -> bool:
    """A BLOCKER with one backer is dismissed only if a seat quotes text that refutes it (C23)."""
    if moment.outcome is not Outcome.VOTED or settings.depth is Depth.STANDARD:
        return True
    lone = {each.key for each in moment.state.findings if each.lone}
    return not any(
        each.key in lone and each.resolution is Resolution.DISMISSED and not votes(moment, each.key, Vote.OPPOSE, True)
        for each in moment.after.findings
    )


def settles(_: CouncilSettings, moment: M) -> bool:
    """Only the vote may be settled before all replies are in (C24)."""
    return len(moment.replies) == len(moment.asks) or moment.state.step is Step.VOTE


# Seats and course


def lenses(_: CouncilSettings, moment: M) -> bool:
    """Each seat has five modes, its two anchors among them (C3)."""
    if moment.phase is not Phase.INIT:
        return True
    told = (dict(fact.values) for fact in moment.facts if fact.name == "modes")
    modes = {Seat(str(each["seat"])): {int(mode) for mode in str(each["modes"]).split(", ")} for each in told}
    return set(modes) == set(ANCHORS) and all(len(own) == 5 and set(ANCHORS[seat]) < own for seat, own in modes.items())


def asks(_: CouncilSettings, moment: M) -> bool:
    """Nobody is asked twice in a step, nobody lost is asked, and only seats of the council vote (C1, C36)."""
    asked = [ask.seat for ask in moment.asks]
    seats = {each.seat: each.lost for each in moment.state.seats}
    voting = {ask.seat for ask in moment.asks if ask.form is Ballots}
    return len(asked) == len(set(asked)) and voting <= set(seats) and not any(seats.get(seat) for seat in asked)


def losses(settings: CouncilSettings, moment: M) -> bool:
    """A lost seat stays lost, and with fewer seats than the quorum the council ends ABORTED (C36)."""
    before = {each.seat for each in moment.state.seats if each.lost}
    after = {each.seat for each in moment.after.seats if each.lost}
    kept = [each.seat for each in moment.state.seats] == [each.seat for each in moment.after.seats]
    least = 1 if settings.depth is Depth.STANDARD else settings.quorum
    few = len(moment.after.seats) - len(after) < least
    if not kept or not before <= after or few != (moment.outcome is Outcome.INSUFFICIENT_AGENTS):
        return False
    return moment.to is Phase.ABORTED or not few


def course(_: CouncilSettings, moment: M) -> bool:
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


# The end


def no_approval(settings: CouncilSettings, moment: M) -> bool:
    """No approval with a BLOCKER, too many MAJORs, a MAJOR without agreed remediation, or without gates (C31)."""
    if moment.verdict not in APPROVALS:
        return True
    left = [each for each in moment.after.findings if each.resolution in REMAINING]
    majors = [each for each in left if each.severity is Severity.MAJOR]
    return (
        moment.state.step is Step.END
        and not any(each.severity is Severity.BLOCKER for each in left)
        and len(majors) <= settings.most_majors
        and all(each.resolution is Resolution.REMEDIATION_AGREED for each in majors)
        and sum(each.low for each in moment.after.seats) < min(2, len(moment.after.seats))
    )


def deadlocks(_: CouncilSettings, moment: M) -> bool:
    """No end is DEADLOCKED without a finding that is, or a BLOCKER that is upheld (C30)."""
    return moment.to is not Phase.DEADLOCKED or any(
        each.resolution is Resolution.DEADLOCKED
        or (each.severity is Severity.BLOCKER and each.resolution is Resolution.UPHELD)
        for each in moment.after.findings
    )


def ends(_: CouncilSettings, moment: M) -> bool:
    """A verdict is given at an end and nowhere else, and is one of that end (C30 to C33)."""
    return moment.verdict in VERDICTS.get(moment.to, (None,))


def degraded(_: CouncilSettings, moment: M) -> bool:
    """A verdict says whether seats were lost (C36)."""
    if moment.verdict is None:
        return moment.degradation is None
    return (moment.degradation is Degradation.NONE) != any(each.lost for each in moment.after.seats)


def _interrupted(moment: M) -> bool:
    """An interruption ends the council as it is; a wish and a stall wait for the open asks (C33)."""
    if moment.interrupted is None:
        return True
    waits = moment.interrupted in (Reason.WISH, Reason.STALL)
    kept = moment.after == moment.state and not (waits and moment.asks)
    return moment.to is Phase.ABORTED and moment.verdict is Verdict.ABORTED and kept


PROMISES: tuple[tuple[str, str, Check], ...] = (
    ("findings raised are the sum over their resolutions, merged ones included", "C25", accounted),
    ("no number is given twice, and no finding is forgotten", "C14 C25", never_less),
    ("what a gate found is never merged away, contested, dismissed or voted upon", "C9", gates_stand),
    ("code joins within a group alone, and no gate's finding becomes another", "C14", merges),
    ("REMEDIATED by an edit that held, and by nothing else", "C38", remedied),
    ("no quorum without its votes, whoever is lost", "C22 C36", quorum),
    ("a lone BLOCKER is not dismissed without a refutation", "C23", lone_blockers),
    ("nothing but the vote settles early", "C24", settles),
    ("each seat has five lenses, its two anchors among them", "C3", lenses),
    ("nobody is asked twice, nobody lost is asked, and only seats vote", "C1 C36", asks),
    ("a lost seat stays lost, and too few seats end ABORTED", "C36", losses),
    ("each step comes in its turn, and no cycle comes back", "C2 C13 C15 C18", course),
    ("no approval while something stands in its way", "C12 C31 C32", no_approval),
    ("no end is DEADLOCKED without something that is not agreed", "C30", deadlocks),
    ("a verdict is given at an end, and is one of that end", "C30-C33", ends),
)


def invariants(settings: CouncilSettings) -> tuple[Invariant[State], ...]:
    """Return the council's invariants under these settings; interruptions (C33) have their own."""

    def normally(check: Check) -> Callable[[M], bool]:
        """Limit a check to the council's own phases; phases added by others have their own invariants."""

        def holds(moment: M) -> bool:
            ours = isinstance(moment.phase, Phase) and moment.interrupted is None
            return not ours or check(settings, moment)

        return holds

    return (
        *(Invariant(name, rule, normally(check)) for name, rule, check in (*PROMISES, *FATES)),
        Invariant("a verdict says whether seats were lost", "C36", lambda moment: degraded(settings, moment)),
        Invariant("an interruption decides nothing and keeps what is found", "C33", _interrupted),
    )
