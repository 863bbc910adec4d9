"""Invariants that nothing said vanishes and nothing is approved unseen, proven by `verify` of every move.

They read the replies themselves, not what the rules made of them.
"""

from __future__ import annotations

from collections.abc import Callable

from quorate.core.forms import Key, Keyed
from quorate.core.protocol import Moment
from quorate.core.types import Seat
from quorate.protocols.council.rules.forms import (
    Answer,
    Answers,
    Assessment,
    AssuranceTree,
    Ballots,
    Coverage,
    GateReport,
    MockRun,
    Response,
    ScoringTable,
    Vote,
)
from quorate.protocols.council.rules.model import (
    APPROVALS,
    REMAINING,
    CouncilSettings,
    Depth,
    Finding,
    Outcome,
    Phase,
    Resolution,
    State,
    Step,
    finding_key,
    severity_key,
)
from quorate.protocols.council.rules.taxonomy import GateStatus, GateType, Severity, gate_type

M = Moment[State]
Check = Callable[[CouncilSettings, M], bool]
DECIDED = (Outcome.CONSENSUS, Outcome.DEADLOCK)
ARTIFACTS = (ScoringTable, MockRun, AssuranceTree)


# Findings


def one_fate(_: CouncilSettings, moment: M) -> bool:
    """Everything said is raised; each is in the ledger once or joined to one that is; at the end each is decided."""
    before, after = moment.state, moment.after
    gone = [each.gone for each in after.joined]
    live = [each.key for each in after.findings]
    if sorted((*gone, *live)) != sorted(finding_key(number) for number in range(1, after.raised + 1)):
        return False
    if any(each.into not in (*live, *gone[place + 1 :]) for place, each in enumerate(after.joined)):
        return False
    if after.joined[: len(before.joined)] != before.joined or after.raised - before.raised != len(_said(moment)):
        return False
    told = [dict(fact.values) for fact in moment.facts if fact.name == "merged"]
    fresh = [(each.gone, each.into) for each in after.joined[len(before.joined) :]]
    if [(each["key"], each["into"]) for each in told] != fresh:
        return False
    return moment.outcome not in DECIDED or all(each.resolution is not Resolution.OPEN for each in after.findings)


def _said(moment: M) -> list[Severity]:
    """Return the severity of each finding that the replies of this moment raise."""
    if moment.outcome is Outcome.NO_GATES:
        return []
    raising = (*ARTIFACTS, Assessment, GateReport)
    return [each.severity for _, reply in moment.replies if isinstance(reply, raising) for each in reply.findings]


# Severities


def severities(settings: CouncilSettings, moment: M) -> bool:
    """A severity is what was raised, or worse; only a vote about it lowers it, or of one seat alone its answer."""
    old = {each.key for each in moment.state.findings}
    joined = {each.gone for each in moment.after.joined}
    fresh = [each for each in moment.after.findings if each.key not in old]
    if not any(each.key in joined for each in fresh):
        if sorted(each.severity.rank for each in fresh) != sorted(each.rank for each in _said(moment)):
            return False
    if any(_fell(settings, moment, was) for was in moment.state.findings):
        return False
    return not any(_vanished(settings, moment, was) for was in moment.state.findings)


def _now(moment: M, key: Key) -> Finding:
    into = {each.gone: each.into for each in moment.after.joined}
    while key in into:
        key = into[key]
    return moment.after.finding(key)


def _fell(settings: CouncilSettings, moment: M, was: Finding) -> bool:
    now = _now(moment, was.key)
    if now.proven:  # what a gate proved is no matter of opinion, and takes in nothing that is worse (C9, C14)
        held = [] if was.proven else _answered(moment, was.key)
        return any(now.severity.rank > each.rank for each in (was.severity, *held))
    if settings.depth is Depth.STANDARD:
        return now.severity.rank > was.severity.rank and not _answered(moment, was.key)
    if moment.state.step is Step.RESPOND and moment.outcome is not Outcome.INSUFFICIENT_AGENTS:
        held = _answered(moment, was.key)
        if any(now.severity.rank > each.rank for each in held):
            return True
        if now.severity.at_least(Severity.MAJOR) and now.lower is None:
            return any(now.severity.rank < rank for rank in _worst_by_seat(moment, now.key))
    if now.severity.rank <= was.severity.rank:
        return False
    opposed = _votes(moment, severity_key(was.key), Vote.OPPOSE) >= settings.quorum
    return moment.outcome is not Outcome.VOTED or now.severity is not was.lower or not opposed


def _answered(moment: M, key: Key) -> list[Severity]:
    """Return the severities that answers give a finding in place of its own."""
    given = [reply.answers[key] for _, reply in moment.replies if isinstance(reply, Answers) and key in reply.answers]
    return [each.severity for each in given if each.response is Response.SEVERITY]


def _worst_by_seat(moment: M, key: Key) -> list[int]:
    """Return, by seat that only gives severities to what became this finding, the rank of its worst (C16, C17)."""
    one = [each.key for each in moment.state.findings if not each.proven and _now(moment, each.key).key == key]
    found: list[int] = []
    for ask, reply in moment.replies:
        answers = reply.answers if isinstance(reply, Answers) else Keyed[Answer]()
        backs = {each.key for seat in moment.state.seats if seat.seat == ask.seat for each in seat.backs}
        given = [answers[each] for each in one if each in answers]
        silent = any(each in backs and each not in answers for each in one)
        if given and not silent and all(each.response is Response.SEVERITY for each in given):
            found.append(min(each.severity.rank for each in given))
    return found


def _votes(moment: M, key: Key, vote: Vote) -> int:
    cast = (reply.votes.get(key) for _, reply in moment.replies if isinstance(reply, Ballots))
    return sum(each is not None and each.vote is vote for each in cast)


def _vanished(settings: CouncilSettings, moment: M, was: Finding) -> bool:
    """Return whether a finding is dismissed by anything but a quorum against it, or its one seat (C22, C37)."""
    now = _now(moment, was.key)
    if now.resolution is not Resolution.DISMISSED or was.resolution is Resolution.DISMISSED:
        return False
    if settings.depth is Depth.STANDARD:
        return moment.state.step is not Step.RESPOND
    return moment.outcome is not Outcome.VOTED or _votes(moment, was.key, Vote.OPPOSE) < settings.quorum


# What was seen and judged


def covered(_: CouncilSettings, moment: M) -> bool:
    """An approval needs the word of code that everything was shown to some seat, and nothing else gives it."""
    if moment.verdict in APPROVALS and not moment.after.covered:
        return False
    if moment.after.covered and not moment.state.covered:
        said = [reply for _, reply in moment.replies if isinstance(reply, Coverage)]
        return len(said) == 1 and not said[0].unshown
    left = {str(key) for _, reply in moment.replies if isinstance(reply, Coverage) for key in reply.unshown}
    return {str(dict(fact.values)["key"]) for fact in moment.facts if fact.name == "unshown"} == left


def answerable(_: CouncilSettings, moment: M) -> bool:
    """An approval needs that no finding of a seat was refused, as code says it."""
    said = [reply.refused for _, reply in moment.replies if isinstance(reply, Coverage)]
    if moment.after.refused != (said[0] if said else moment.state.refused):
        return False
    return moment.verdict not in APPROVALS or not moment.after.refused


def judged(_: CouncilSettings, moment: M) -> bool:
    """An approval needs two seats that judged, or the one; judging is an artifact with content and an assessment."""
    before, after = (frozenset(each.seat for each in state.seats if each.judged) for state in _both(moment))
    if moment.verdict in APPROVALS and len(after) < min(2, len(moment.after.seats)):
        return False
    match moment.state.step if moment.phase in (Phase.CYCLE_1, Phase.CYCLE_2) else None:
        case Step.EXAMINE:
            return not after and moment.after.assessable == (moment.outcome is not Outcome.NO_GATES and _open(moment))
        case Step.REVIEW:
            return after <= _with_content(moment)
        case Step.ASSESS:
            return after <= before & _assessing(moment)
        case _:
            return after == before and moment.after.assessable == moment.state.assessable


def _both(moment: M) -> tuple[State, State]:
    return moment.state, moment.after


def _open(moment: M) -> bool:
    """Return whether there is a gate for the seats to assess."""
    reports = (reply for _, reply in moment.replies if isinstance(reply, GateReport))
    runs = [run for report in reports for run in report.gates if gate_type(run.gate) is GateType.LLM_ASSISTED]
    return any(run.status is not GateStatus.NOT_APPLICABLE for run in runs)


def _with_content(moment: M) -> frozenset[Seat]:
    def says(reply: object) -> bool:
        match reply:
            case ScoringTable(scores=rows) | MockRun(steps=rows):
                return bool(reply.findings) or any(not row.blank for row in rows)
            case AssuranceTree():
                tops = [row for row in reply.claims if row.parent == 0]
                return bool(reply.findings) or (bool(tops) and any(not row.blank for row in reply.claims))
            case _:
                return False

    return frozenset(ask.seat for ask, reply in moment.replies if says(reply))


def _assessing(moment: M) -> frozenset[Seat]:
    given = ((ask.seat, reply) for ask, reply in moment.replies if isinstance(reply, Assessment))
    free = not moment.state.assessable
    return frozenset(seat for seat, reply in given if free or reply.gates or reply.findings)


def gates_read(_: CouncilSettings, moment: M) -> bool:
    """No report counts in which a gate passed that had read nothing."""
    reports = (reply for _, reply in moment.replies if isinstance(reply, GateReport))
    empty = any(run.status is GateStatus.PASSED and run.read == 0 for report in reports for run in report.gates)
    return not empty or (moment.outcome is Outcome.NO_GATES and not moment.after.findings)


def blockers_leave(_: CouncilSettings, moment: M) -> bool:
    """An approval leaves no BLOCKER that was neither remediated nor dismissed."""
    live = (*REMAINING, Resolution.OPEN, Resolution.DEADLOCKED)
    return moment.verdict not in APPROVALS or not any(
        each.severity is Severity.BLOCKER and each.resolution in live for each in moment.after.findings
    )


FATES: tuple[tuple[str, str, Check], ...] = (
    ("every finding raised has exactly one fate", "C14 C25 C47", one_fate),
    ("no severity falls without a vote", "C14 C17 C22 C37", severities),
    ("no approval while something was shown to nobody", "C42", covered),
    ("no approval over a finding that nobody could answer", "C28", answerable),
    ("no approval that nobody judged", "C46", judged),
    ("no gate passes on nothing", "C7 C12", gates_read),
    ("no approval over a BLOCKER that was neither remediated nor dismissed", "C17 C31", blockers_leave),
)
