"""Red-team invariants of the workshop: agreement by confidence, rounds, ids, and when an agenda is done."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.record import Moved
from quorate.core.types import Seat
from quorate.lab.redteam.broken import Broken, Guarantee
from quorate.lab.redteam.case_run import Observed
from quorate.protocols.workshop.rules.agreement import carries
from quorate.protocols.workshop.rules.forms import Response
from quorate.protocols.workshop.rules.history import entry_facts, happened
from quorate.protocols.workshop.rules.lives import TopicStatus
from quorate.protocols.workshop.rules.model import FACILITATOR, State, Verdict
from quorate.protocols.workshop.rules.plan import plan_in
from quorate.protocols.workshop.rules.strategies import ConsensusRule
from quorate.protocols.workshop.rules.synthesis import made
from quorate.protocols.workshop.rules.taxonomy import Agreement


def broken(seen: Observed) -> Iterator[Broken]:
    """Yield every reason why the workshop should not have ended as it did."""
    record, settings = seen.record, seen.record.opening.settings
    state: State = record.session.state
    if state.round > settings["max_rounds"]:
        yield Broken(Guarantee.THRESHOLDS, f"{state.round} rounds of {settings['max_rounds']}")
    ids = [each.id for each in state.artifacts]
    if len(ids) != len(set(ids)):
        yield Broken(Guarantee.LEDGER, "an id was issued twice")
    yield from _kept(seen)
    yield from _agreed(seen)
    conclusion = record.session.conclusion
    if conclusion is not None and conclusion.verdict is Verdict.COMPLETE:
        if any(topic.status is not TopicStatus.CLOSED for topic in state.topics):
            yield Broken(Guarantee.THRESHOLDS, "complete with a topic that is not closed")
        if any(each.open_conflict for each in state.artifacts):
            yield Broken(Guarantee.THRESHOLDS, "complete with an open conflict")
        if state.rulings:
            yield Broken(Guarantee.THRESHOLDS, "complete with a ruling that is not applied")
        if state.complete < settings["min_rounds"]:
            yield Broken(Guarantee.THRESHOLDS, f"complete after {state.complete} of {settings['min_rounds']} rounds")


def _kept(seen: Observed) -> Iterator[Broken]:
    """No artifact that was ever made is gone (W14)."""
    known: set[str] = set()
    for line in seen.record.log:
        if isinstance(line, Moved):
            now = {str(each.id) for each in line.move.after.artifacts}
            for gone in sorted(known - now):
                yield Broken(Guarantee.LEDGER, f"{gone} is gone")
            known |= now


def _agreed(seen: Observed) -> Iterator[Broken]:
    """A new artifact is agreed upon where enough confidence of those who count is behind it (W12, W18, W40, W41)."""
    record, sure = seen.record, dict[Seat | None, int]()
    plan, share = plan_in(record), record.opening.settings["threshold"]
    for each in happened(record) if plan.strategy.rule is ConsensusRule.WEIGHTED else ():
        counted = {seat: said for seat, said in each.positions.items() if plan.counts(seat)}
        sure |= {seat: said.confidence for seat, said in counted.items() if isinstance(said, Response)}
        if each.synthesis is None:
            continue
        for (kind, item), fact in zip(made(each.synthesis), entry_facts(each), strict=False):
            artifact = each.move.after.artifact(fact["id"]) if fact["fact"] == "issued" else None
            behind = {plan.seat(key) for key in item.supported_by} - {plan.seat(key) for key in item.opposed_by}
            heard = behind & sure.keys() if plan.counts(FACILITATOR) else set()
            weight, total = sum(sure[seat] for seat in heard), sum(sure.values())
            if artifact is not None and artifact.agreement is Agreement.CONSENSUS and not carries(weight, total, share):
                yield Broken(Guarantee.THRESHOLDS, f"{kind.name} is agreed upon with {weight} of {total}")
        sure = {}
