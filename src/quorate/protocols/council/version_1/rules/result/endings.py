"""How a council ended: the verdict's reason, abort reason, lost seats and cycles completed (C30 to C36)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from quorate.core.forms import Key
from quorate.core.session import Cause
from quorate.core.types import Absent, Reason
from quorate.protocols.council.version_1.rules.conclusion import is_stranded, too_many
from quorate.protocols.council.version_1.rules.model import Depth, Finding, Outcome, Phase, Resolution, Verdict
from quorate.protocols.council.version_1.rules.notes import notes
from quorate.protocols.council.version_1.rules.result.overview import Reading
from quorate.protocols.council.version_1.rules.taxonomy import Severity

ESCALATION_TARGET = "Human review required"
CYCLES = {1: "STRUCTURAL", 2: "FEASIBILITY", 3: "CONVERGE"}
ABORTS = {
    Reason.BUDGET: "BUDGET_EXHAUSTED",
    Reason.EPISODES: "EPISODE_LIMIT",
    Reason.STALL: "STALL_DETECTED",
    Reason.CANCELLED: "CANCELLED",
    Reason.WISH: "CONCLUDED_EARLY",
}
ABORT_WORDS = {
    "BUDGET_EXHAUSTED": "the token budget is spent",
    "EPISODE_LIMIT": "the next replies would be more than max_episodes",
    "STALL_DETECTED": "as many replies in a row as stall_after brought no progress",
    "INSUFFICIENT_AGENTS": "fewer seats are left than the quorum",
    "NO_GATES": "the gates gave no report, and nothing is approved that was not gated",
    "CANCELLED": "somebody cancelled it",
    "CONCLUDED_EARLY": "somebody wished it to end",
}


def abort_reason(reading: Reading) -> str | None:
    """Return why the council was aborted, or None (C33)."""
    conclusion = reading.record.session.conclusion
    if conclusion is None or conclusion.phase is not Phase.ABORTED:
        return None
    if conclusion.interrupted is not None:
        return ABORTS[conclusion.interrupted]
    return reading.moves[-1].outcome.name


def verdict_reason(reading: Reading) -> str:
    """Return the verdict's reason in one sentence, from the last decision's tests and counts; empty before the end."""
    if reading.verdict is None:
        return ""
    match reading.terminal:
        case Phase.ABORTED:
            why = abort_reason(reading) or ""
            return f"The council was aborted in {_last_phase(reading)}: {ABORT_WORDS[why]} (C33)."
        case Phase.DEADLOCKED:
            return f"The council did not agree: {'; '.join(_unagreed(reading))} (C30)."
        case _:
            return _left(reading)


def _unagreed(reading: Reading) -> Iterator[str]:
    """Yield what the council did not agree on."""
    split = sum(each.resolution is Resolution.DEADLOCKED for each in reading.state.findings)
    stuck = len(escalated(reading)) - split
    if split:
        yield f"{split} finding{'' if split == 1 else 's'} found no quorum"
    if stuck:
        yield f"{stuck} BLOCKER{' is' if stuck == 1 else 's are'} upheld, and no quorum backs a remediation"


def _last_phase(reading: Reading) -> str:
    return reading.moves[-1].phase.name


def _left(reading: Reading) -> str:
    """Return what is left once the council agreed, as the verdict counts it (C11, C31, C32)."""
    counts = Counter(each.severity for each in reading.remaining)
    told = ", ".join(f"{counts[severity]} {severity.value}" for severity in Severity)
    remain = f"{told} of what is upheld and not mended"
    if reading.moves[-1].outcome is Outcome.GATE_FAILED:
        test = next(each for each in reading.moves[-1].because if each.held)
        return f"The council ended after the gates, {test.claim} ({test.rule}): {remain}."
    match Verdict[reading.verdict or ""]:
        case Verdict.REJECTED:
            return f"{_capital('; '.join(_against(reading, counts)))} (C31): {remain}."
        case Verdict.NEEDS_ADJUDICATION:
            low = sum(each.low for each in reading.state.seats)
            told = "seat is in doubt" if low == 1 else "seats are in doubt"
            return f"{low} {told} of what would be approved (C32): {remain}."
        case Verdict.APPROVED_WITH_REMEDIATION:
            bearable = reading.settings.most_majors
            return f"Every MAJOR has an agreed remediation, and at most {bearable} are bearable (C31): {remain}."
        case _:
            return f"Neither a BLOCKER nor a MAJOR is left (C31): {remain}."


def _against(reading: Reading, counts: Counter[Severity]) -> Iterator[str]:
    if blockers := counts[Severity.BLOCKER]:
        yield f"{blockers} BLOCKER {'is' if blockers == 1 else 'are'} left"
    majors = [each for each in reading.remaining if each.severity is Severity.MAJOR]
    if bare := sum(each.resolution is Resolution.UPHELD for each in majors):
        yield f"{bare} MAJOR without an agreed remediation {'is' if bare == 1 else 'are'} left"
    if too_many(len(majors), reading.settings.most_majors):
        yield f"{len(majors)} MAJOR are more than {reading.settings.most_majors}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def escalated(reading: Reading) -> list[Key]:
    """Return what a person must rule on: deadlocked findings, and in a deadlock BLOCKERs without remediation (C30)."""
    deadlocked = reading.terminal is Phase.DEADLOCKED

    def stuck(finding: Finding) -> bool:
        bare = is_stranded(finding.proven, finding.severity, finding.resolution)
        return finding.resolution is Resolution.DEADLOCKED or (deadlocked and bare)

    return [each.key for each in reading.state.findings if stuck(each)]


def degraded_reason(reading: Reading) -> str:
    """Return which seats were lost and why, and the threshold that applied; empty if none (C36)."""
    if not reading.lost:
        return ""
    gone = []
    for seat, said in reading.lost.items():
        assert isinstance(said.reply, Absent)
        gone.append(f"{seat} was lost in {said.phase.name} ({said.reply.reason.value})")
    active, seats = len(reading.state.active), len(reading.state.seats)
    if reading.depth is Depth.STANDARD:
        return f"{'; '.join(gone)}; nobody is left to review (C36)"
    return (
        f"{'; '.join(gone)}; {active} of {seats} seats {'is' if active == 1 else 'are'} left, "
        f"and the quorum stays {reading.settings.quorum} (C36)"
    )


# How far it came


def cycles_completed(reading: Reading) -> int:
    """Return how many of the three cycles were finished."""
    ends = (
        reading.move(Outcome.MERGED, Phase.CYCLE_1),
        reading.move(Outcome.BOUND, Phase.CYCLE_2),
        reading.move(Outcome.CONSENSUS) or reading.move(Outcome.DEADLOCK),
    )
    return sum(each is not None and each.cause is not Cause.INTERRUPTED for each in ends)


def cycles(reading: Reading) -> list[dict[str, Any]]:
    """Return the cycles that began or have findings, each with its notes (C19)."""
    told, done = notes(reading.record), cycles_completed(reading)
    raised = Counter(each.cycle for each in reading.raisings.values())
    begun = max((reading.state.cycle, *raised), default=0)
    return [
        {
            "cycle_number": number,
            "cycle_name": name,
            "completed": number <= done,
            "findings_raised": raised[number],
            "onboarding_notes": told.get(number),
        }
        for number, name in CYCLES.items()
        if number <= begun
    ]
