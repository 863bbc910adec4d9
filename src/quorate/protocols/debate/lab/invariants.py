"""Red-team invariants of the debate: its rounds, what ends them, and what a solution rests on."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.record import Moved, Said
from quorate.kit.settings import read_settings
from quorate.lab.redteam.broken import Broken, Guarantee
from quorate.lab.redteam.case_run import Observed
from quorate.protocols.debate.rules.model import (
    JUDGE,
    DebateSettings,
    Evaluation,
    Outcome,
    Proposal,
    Synthesis,
    Verdict,
)
from quorate.protocols.debate.rules.protocol import convinced


def broken(seen: Observed) -> Iterator[Broken]:
    """Yield every reason why the debate should not have ended as it did."""
    record, settings = seen.record, seen.record.opening.settings
    said = [line for line in record.log if isinstance(line, Said)]
    rounds = max((line.round for line in said), default=0)
    if rounds > settings["rounds"]:
        yield Broken(Guarantee.THRESHOLDS, f"{rounds} rounds of {settings['rounds']}")
    yield from _agreed(seen)
    proposed = [line.ask.seat for line in said if isinstance(line.reply, Proposal) and not line.reply.blank]
    if len(proposed) != len(set(proposed)):
        yield Broken(Guarantee.ONE_BALLOT, "somebody proposed twice")
    yield from _judged(seen, [line for line in said if line.ask.seat == JUDGE])


def _agreed(seen: Observed) -> Iterator[Broken]:
    """Check that only the judge's confidence ends the rounds early (D17)."""
    condition = read_settings(DebateSettings, seen.record.opening.settings).termination_condition
    sure = -1
    for line in seen.record.log:
        if isinstance(line, Said) and isinstance(line.reply, Evaluation):
            sure = line.reply.confidence
        elif isinstance(line, Moved) and line.move.outcome is Outcome.CONSENSUS_REACHED:
            if not convinced(sure, condition).held:
                yield Broken(Guarantee.THRESHOLDS, f"agreed at {sure}, threshold {condition.threshold}")


def _judged(seen: Observed, judge: list[Said]) -> Iterator[Broken]:
    conclusion = seen.record.session.conclusion
    if conclusion is None:
        return
    last = next((line.reply for line in reversed(judge) if isinstance(line.reply, Synthesis)), None)
    if conclusion.verdict in (Verdict.SOLUTION, Verdict.PARTIAL_SOLUTION):
        gaps = last is not None and any(each.text.strip() for each in last.unfulfilled_major_requirements)
        if last is None:
            yield Broken(Guarantee.THRESHOLDS, "a solution without the judge's synthesis")
        elif gaps is not (conclusion.verdict is Verdict.PARTIAL_SOLUTION):
            yield Broken(Guarantee.LEDGER, f"{conclusion.verdict.name} although gaps are {gaps}")
