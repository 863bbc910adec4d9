"""Which texts count, and what became of each critique of a text, as facts of a refinement (D14, D21)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.record import Record, Said
from quorate.core.types import Absent, AbsentReason, Replies, Seat
from quorate.protocols.debate.rules.model import Proposal, Refinement, State, Summary

Labels = Mapping[Seat, Mapping[Key, Seat]]


def answered(labels: Labels, given: Mapping[Seat, object]) -> Iterator[Fact]:
    """Yield a fact for each critique of those who have refined; `labels` are an author's critics as it calls them."""
    for seat, reply in given.items():
        if not isinstance(reply, Refinement):
            continue
        for key, critic in labels[seat].items():
            stance = reply.responses[key].stance.value if key in reply.responses else "left open"
            yield Fact.of(f"critique {stance}", by=critic, of=seat)


def lost(state: State) -> Iterator[Fact]:
    """Yield a fact for each critique of those who have left the table and will not refine any more."""
    for agent in state.agents:
        for critic in agent.critics if agent.left else ():
            yield Fact.of("critique lost with its author", by=critic, of=agent.seat)


# Texts: one without words counts as none, and whoever gave it as absent (D21)


def is_none(reply: object) -> bool:
    """Return whether a reply is a text without words."""
    return isinstance(reply, Proposal | Refinement | Summary) and reply.blank


def with_words(replies: Replies) -> Replies:
    """Return the replies with an absence for each text without words."""
    if not any(is_none(reply) for _, reply in replies):
        return replies
    return Replies(tuple((ask, Absent(AbsentReason.SILENT) if is_none(reply) else reply) for ask, reply in replies))


def latest_text(record: Record, seat: Seat, *briefs: str) -> Said | None:
    """Return the last text of a seat that has words; None if it has given none."""
    said = record.latest(seat, *briefs)
    if said is None or not is_none(said.reply):
        return said
    return next((each for each in reversed(record.said(seat, *briefs)) if not is_none(each.reply)), None)
