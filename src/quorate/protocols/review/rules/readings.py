"""Readings: the parts of a large change are put to members before the ballot, without a vote (R43 to R46)."""

from __future__ import annotations

from dataclasses import dataclass

from quorate.core.decisions import Fact
from quorate.core.types import Question, Replies, Seat
from quorate.core.values import replace
from quorate.kit.qualification import unqualified_facts
from quorate.protocols.review.rules.ballot_count import OPEN, NewItem, holds_veto, noted, raised_as_items
from quorate.protocols.review.rules.forms import ReadPart
from quorate.protocols.review.rules.hits import Hits, found_in, line_keys, shown_whole
from quorate.protocols.review.rules.model import WHOLE, Checked, ReviewSettings, State
from quorate.protocols.review.rules.parts import ATTEMPTS, Part, is_read, reader_of


@dataclass(frozen=True, slots=True)
class Readings:
    """Who reads which part, and what follows from what they say."""

    settings: ReviewSettings

    def due(self, state: State) -> tuple[tuple[Part, Seat], ...]:
        """Return the parts that are put to a reader now, with the reader; empty where nobody is to read (R43, R44).

        While a veto of the checks stands nobody reads: only an amended change can be approved, and that is read anew.
        """
        if not state.divided or state.attempt >= ATTEMPTS or state.checked is Checked.VETOED:
            return ()
        members, holders = self._members(state), self._holders(state)
        left = max(0, self.settings.readings - state.asked)
        return tuple((part, reader_of(part, state.attempt, members, holders)) for part in state.unread[:left])

    def asks(self, state: State) -> tuple[Question, ...]:
        """Return a question for each part that is due: to read it, or, in a narrow review, which line fails (R51)."""
        if self.settings.narrow:
            return tuple(Question(seat, "narrow", Hits, line_keys(part)) for part, seat in self.due(state))
        return tuple(Question(seat, "read", ReadPart, (WHOLE, *part.files)) for part, seat in self.due(state))

    def heard(self, state: State, replies: Replies) -> tuple[State, tuple[Fact, ...]]:
        """Return the state after a round of readings, and who has read what and found what (R45, R46)."""
        due, holders = self.due(state), self._holders(state)
        facts, unread, raised = list[Fact](), list[Part](), list[NewItem]()
        answered = state.answered
        for (part, seat), (_, reply) in zip(due, replies, strict=True):
            shown = [seat] if shown_whole(reply) and self.settings.counts(seat) else []
            read = is_read(part, shown, holders)
            answered = answered or bool(shown)
            facts.append(Fact.of("read", part=part.key, hunks=part.told(self.settings.narrow), by=seat, read=read))
            found = tuple(raised_as_items(self.settings, seat, found_in(part, reply), state.raised + len(raised)))
            facts += (each.fact() for each in found)
            raised += found
            if not read:
                unread.append(part)
        after = replace(
            state,
            unread=(*unread, *state.unread[len(due) :]),
            attempt=state.attempt + 1,
            asked=state.asked + len(due),
            answered=answered and self.settings.narrow,
            raised=state.raised + len(raised),
            items=(*state.items, *(each.item for each in raised if each.became == OPEN)),
            noted=noted(state, raised),
        )
        return self.ended(after), (*facts, *unqualified_facts(replies, self.settings.unqualified_seats))

    def ended(self, state: State) -> State:
        """Return the state once nobody is to read any more: what is unread by then stays unread (R45)."""
        if not state.divided or self.due(state):
            return state
        return replace(state, unread=(), gap=state.unseen, divided=False, attempt=0)

    def _members(self, state: State) -> tuple[Seat, ...]:
        """Return who may be put a part: those whose word counts, or everybody where there is none (R48)."""
        seats = tuple(member.seat for member in state.members)
        return tuple(filter(self.settings.counts, seats)) or seats

    def _holders(self, state: State) -> tuple[Seat, ...]:
        return tuple(seat for seat in self._members(state) if holds_veto(self.settings, seat))
