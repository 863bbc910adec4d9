"""Which texts count, what became of each critique of a text, and whose words are notes (D14, D21, D36)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.record import Record, Said
from quorate.core.types import Absent, AbsentReason, Ask, Replies, Seat
from quorate.core.view import Section
from quorate.kit.settings import UNQUALIFIED_SEATS
from quorate.protocols.debate.rules.model import (
    JUDGE,
    PERSON,
    Proposal,
    Refinement,
    State,
    Summary,
    Synthesis,
    Verdict,
)

Labels = Mapping[Seat, Mapping[Key, Seat]]
TOLD_AGENT = (
    "You have not passed the exam of this protocol. What you say is shown to the others and to the judge as a note. "
    "What you answer to a critique settles nothing."
)
TOLD_JUDGE = (
    "You have not passed the exam of this protocol. Your synthesis is shown to people as a note, and decides nothing."
)


def answered(labels: Labels, given: Mapping[Seat, object], unqualified: Collection[str]) -> Iterator[Fact]:
    """Yield a fact for each critique of those who have refined; `labels` are an author's critics as it calls them.

    The answers of an `unqualified` author settle nothing (D36).
    """
    for seat, reply in given.items():
        if not isinstance(reply, Refinement):
            continue
        for key, critic in labels[seat].items():
            settled = key in reply.responses and seat not in unqualified
            stance = reply.responses[key].stance.value if settled else "left open"
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


# Seats whose model has not passed the exam (D36)


def noted_title(title: str, seat: Seat, unqualified: Collection[str]) -> str:
    """Return the title under which others are shown what a seat said."""
    return f"{title} (a note: its author has not passed the exam)" if seat in unqualified else title


def how_it_counts(ask: Ask, unqualified: Collection[str]) -> Iterator[Section]:
    """Yield what an unqualified seat is told of its word. Answers in place of the person count (D36)."""
    if ask.seat in unqualified and ask.seat != PERSON:
        yield Section("How your word counts", TOLD_JUDGE if ask.seat == JUDGE else TOLD_AGENT, data=False)


def unqualified_in(record: Record) -> tuple[str, ...]:
    """Return the seats whose words are notes in this session."""
    return tuple(record.protocol.settings.get(UNQUALIFIED_SEATS, ()))


def noted_synthesis(record: Record) -> Synthesis | None:
    """Return the synthesis of an unqualified judge that a debate ended with; None where there is none."""
    conclusion, said = record.session.conclusion, record.latest(JUDGE, "synthesize")
    unjudged = conclusion is not None and conclusion.verdict is Verdict.UNJUDGED and JUDGE in unqualified_in(record)
    reply = said.reply if said is not None and unjudged else None
    return reply if isinstance(reply, Synthesis) and not reply.blank else None
