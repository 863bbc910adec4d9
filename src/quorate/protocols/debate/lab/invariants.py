"""Red-team invariants of the debate: its rounds, what ends them, and what a solution rests on."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.record import Moved, Said
from quorate.lab.redteam.broken import Broken, Invariant
from quorate.lab.redteam.case_run import Observed
from quorate.protocols.debate.rules.model import JUDGE, Evaluation, Outcome, Proposal, Synthesis, Verdict


def broken(seen: Observed) -> Iterator[Broken]:
    """Yield every reason why the debate should not have ended as it did."""
    record, settings = seen.record, seen.record.opening.settings
    said = [line for line in record.log if isinstance(line, Said)]
    rounds = max((line.round for line in said), default=0)
    if rounds > settings["rounds"]:
        yield Broken(Invariant.THRESHOLDS, f"{rounds} rounds of {settings['rounds']}")
    yield from _agreed(seen)
    proposed = [line.ask.seat for line in said if isinstance(line.reply, Proposal)]
    if len(proposed) != len(set(proposed)):
        yield Broken(Invariant.ONE_BALLOT, "somebody proposed twice")
    yield from _judged(seen, [line for line in said if line.ask.seat == JUDGE])


def _agreed(seen: Observed) -> Iterator[Broken]:
    """Check that only the judge's confidence ends the rounds early (D17)."""
    threshold = seen.record.opening.settings["termination_condition"]["threshold"]
    sure = -1
    for line in seen.record.log:
        if isinstance(line, Said) and isinstance(line.reply, Evaluation):
            sure = line.reply.confidence
        elif isinstance(line, Moved) and line.move.outcome is Outcome.CONSENSUS_REACHED and sure < threshold:
            yield Broken(Invariant.THRESHOLDS, f"agreed at {sure}, threshold {threshold}")


def _judged(seen: Observed, judge: list[Said]) -> Iterator[Broken]:
    conclusion = seen.record.session.conclusion
    if conclusion is None:
        return
    last = next((line.reply for line in reversed(judge) if isinstance(line.reply, Synthesis)), None)
    if conclusion.verdict in (Verdict.SOLUTION, Verdict.PARTIAL_SOLUTION):
        gaps = last is not None and any(each.text.strip() for each in last.unfulfilled_major_requirements)
        if last is None:
            yield Broken(Invariant.THRESHOLDS, "a solution without the judge's synthesis")
        elif gaps is not (conclusion.verdict is Verdict.PARTIAL_SOLUTION):
            yield Broken(Invariant.LEDGER, f"{conclusion.verdict.name} although gaps are {gaps}")
