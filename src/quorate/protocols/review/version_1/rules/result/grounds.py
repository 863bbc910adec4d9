"""The grounds of a verdict in a few lines, and warnings; both derived only from typed facts."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.decisions import otherwise
from quorate.core.protocol import Degradation
from quorate.core.session import Cause
from quorate.protocols.review.version_1.rules.model import Checked, Phase, Verdict
from quorate.protocols.review.version_1.rules.receipt import owes
from quorate.protocols.review.version_1.rules.result.committee_findings import vetoes_standing
from quorate.protocols.review.version_1.rules.result.open_findings import Open
from quorate.protocols.review.version_1.rules.result.overview import Reading, Visit


def grounds(reading: Reading, opened: Open) -> list[str]:
    """Return how the verdict follows from the counts, step by step (R27 to R29)."""
    return [*_transitions(reading), *_mapping(reading, opened)]


def _transitions(reading: Reading) -> Iterator[str]:
    for visit in reading.visits:
        if visit.moves and (visit.phase not in (Phase.PROPOSAL, Phase.DEBATE) or not visit.decided):
            yield f"Round {visit.round}: {visit.phase.name} → {visit.moves[-1].to.name}, {_because(visit)}"


def _because(visit: Visit) -> str:
    last = visit.moves[-1]
    if last.cause is Cause.INTERRUPTED:
        return f"interrupted: {last.outcome.value}"
    decisive = next(test for test in last.because if test.held)
    failed = [test.claim for test in last.because if not test.held]
    if decisive.claim == otherwise("", last.outcome).claim and failed:
        return f"{decisive.rule}: not so: {failed[-1]}"
    return f"{decisive.rule}: {decisive.claim}"


def _mapping(reading: Reading, opened: Open) -> Iterator[str]:
    """Yield what the verdict function looked at."""
    conclusion, state = reading.record.session.conclusion, reading.state
    if owed := owes(reading.record):
        yield owed
    if conclusion is None:
        return
    if conclusion.phase is Phase.ABORTED:
        yield "ABORTED: the session was cancelled (R29)"
        return
    verdict = conclusion.verdict.name
    vetoes = [f"{veto.seat} ({veto.kind})" for veto in vetoes_standing(reading)]
    if state.checked is Checked.VETOED:
        proofs = {each.finding.veto for each in opened.raised if each.finding.veto and each.finding.source == "check"}
        yield f"{verdict}: a check has proven a veto (R14): {', '.join(sorted(proofs))}"
    if vetoes:
        yield f"{verdict}: a veto stands (R28): {', '.join(vetoes)}"
    if state.vetoed:
        return
    if state.checked in (Checked.FAILED, Checked.NOT_YET):
        yield f"{verdict}: there is no result of the checks (R27)"
    elif not state.quorate:
        yield f"{verdict}: no ballot met the quorum (R28)"
    elif conclusion.verdict is Verdict.INCONCLUSIVE:
        yield f"{verdict}: the quorum is met and {_remaining(opened)}, but {_unshown(reading)} (R27)"
    else:
        yield f"{verdict}: the quorum is met and {_remaining(opened)} (R27)"


def _unshown(reading: Reading) -> str:
    """Return how many files nobody was shown, as text (R33)."""
    count = reading.receipt.get("unshown", {}).get("count", 0)
    return "1 file was shown to nobody" if count == 1 else f"{count or 'some'} files were shown to nobody"


def _remaining(opened: Open) -> str:
    blocking = [each.finding for each in opened.raised if each.finding.blocking]
    blocking += [each for each in opened.dismissed if each.blocking]
    if not blocking:
        return "no fix item remains"
    sources = [finding.source for finding in blocking]
    of = {"check": "of the checks", "committee": "of the committee", "claim": "of claims"}
    counted = [f"{sources.count(source)} {words}" for source, words in of.items() if source in sources]
    remain = "1 fix item remains" if len(blocking) == 1 else f"{len(blocking)} fix items remain"
    return f"{remain}: {', '.join(counted)}"


def warnings(reading: Reading, opened: Open) -> list[str]:
    """Return the warnings that accompany the result."""
    return list(_warnings(reading, opened))


def _warnings(reading: Reading, opened: Open) -> Iterator[str]:
    conclusion, state = reading.record.session.conclusion, reading.state
    if reading.held and (silent := next(reading.held[-1].facts("majority-abstain"), None)):
        yield f"majority-abstain: {silent['silent']} of {silent['members']} members abstained or were absent (R11)"
    if conclusion is not None and conclusion.degradation is not Degradation.NONE:
        yield f"degraded {conclusion.degradation.value}: {_missing(reading)} (R30)"
    if reading.cut_short is not None and conclusion is not None and reading.cut_short.said:
        yield "the last ballot was cut short and decided nothing; what was said in it is kept as notes (R29)"
    if reading.examination is not None and reading.examination.partial:
        yield f"{_unshown(reading)}, so this is no approval of the whole change (R33)"
    if state.claims and not state.judged:
        yield "the acceptance claims were not judged"
    if opened.dismissed:
        yield f"{len(opened.dismissed)} findings were raised again although they have been dismissed"


def _missing(reading: Reading) -> str:
    """Return who was missing at the end (R30)."""
    state = reading.state
    parts = []
    if state.checked in (Checked.FAILED, Checked.NOT_YET):
        parts.append("the checks gave no result")
    if state.absent and reading.held:
        gone = reading.held[-1].absent("ballot")
        parts.append("absent: " + ", ".join(f"{seat} ({reason})" for seat, reason in gone.items()))
    if state.deserted:
        parts.append(f"fewer members than {reading.settings.attendance} gave a ballot")
    if state.missing:
        parts.append("the skeptic or the chair was done without")
    return "; ".join(parts)
