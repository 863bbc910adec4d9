"""Red-team invariants of the workshop: agreement by confidence, rounds, ids, and when an agenda is done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quorate.core.record import Moved, Said
from quorate.lab.redteam.broken import Broken, Invariant
from quorate.lab.redteam.case_run import Observed
from quorate.protocols.workshop.rules.forms import Response
from quorate.protocols.workshop.rules.lives import TopicStatus
from quorate.protocols.workshop.rules.model import State, Verdict
from quorate.protocols.workshop.rules.synthesis import Synthesis, made
from quorate.protocols.workshop.rules.taxonomy import Agreement


def broken(seen: Observed) -> Iterator[Broken]:
    """Yield every reason why the workshop should not have ended as it did."""
    record, settings = seen.record, seen.record.opening.settings
    state: State = record.session.state
    if state.round > settings["max_rounds"]:
        yield Broken(Invariant.THRESHOLDS, f"{state.round} rounds of {settings['max_rounds']}")
    ids = [each.id for each in state.artifacts]
    if len(ids) != len(set(ids)):
        yield Broken(Invariant.LEDGER, "an id was issued twice")
    yield from _kept(seen)
    yield from _agreed(seen)
    conclusion = record.session.conclusion
    if conclusion is not None and conclusion.verdict is Verdict.COMPLETE:
        if any(topic.status is not TopicStatus.CLOSED for topic in state.topics):
            yield Broken(Invariant.THRESHOLDS, "complete with a topic that is not closed")
        if any(each.open_conflict for each in state.artifacts):
            yield Broken(Invariant.THRESHOLDS, "complete with an open conflict")
        if state.complete < settings["min_rounds"]:
            yield Broken(Invariant.THRESHOLDS, f"complete after {state.complete} of {settings['min_rounds']} rounds")


def _kept(seen: Observed) -> Iterator[Broken]:
    """No artifact that was ever made is gone (W14)."""
    known: set[str] = set()
    for line in seen.record.log:
        if isinstance(line, Moved):
            now = {str(each.id) for each in line.move.after.artifacts}
            for gone in sorted(known - now):
                yield Broken(Invariant.LEDGER, f"{gone} is gone")
            known |= now


def _agreed(seen: Observed) -> Iterator[Broken]:
    """A new artifact is agreed upon where enough confidence of those who answered stands behind it (W12, W18)."""
    sure: dict[str, int] = {}
    seats = [str(seat) for seat in seen.record.opening.settings["participants"]]
    synthesis: Synthesis | None = None
    for line in seen.record.log:
        if isinstance(line, Said) and isinstance(line.reply, Response):
            sure[line.ask.seat] = line.reply.confidence
        elif isinstance(line, Said) and isinstance(line.reply, Synthesis):
            synthesis = line.reply
        elif isinstance(line, Moved) and synthesis is not None:
            before = {each.id for each in line.move.before.artifacts}
            new = [each for each in line.move.after.artifacts if each.id not in before and each.about is None]
            for artifact, (kind, item) in zip(new, made(synthesis), strict=False):
                behind = {each for each in _who(item.supported_by, seats) if each in sure}
                behind -= _who(item.opposed_by, seats)
                weight, total = sum(sure[seat] for seat in behind), sum(sure.values())
                share = seen.record.opening.settings["threshold"]
                if artifact.agreement is Agreement.CONSENSUS and (weight == 0 or 100 * weight < share * total):
                    yield Broken(Invariant.THRESHOLDS, f"{kind.name} is agreed upon with {weight} of {total}")
            if new:
                synthesis, sure = None, {}


def _who(keys: Iterable[str], seats: list[str]) -> set[str]:
    """Return the seats of position keys: P1 is the first seat; other keys are ignored."""
    numbers = [int(key[1:]) for key in keys if key[:1] == "P" and key[1:].isdecimal()]
    return {seats[number - 1] for number in numbers if 1 <= number <= len(seats)}
