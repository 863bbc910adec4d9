"""Clarifying questions as they are raised: issued, joined to an equal one, or refused (D5, D6, D32)."""

from __future__ import annotations

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.types import Replies
from quorate.core.values import replace
from quorate.protocols.debate.rules.model import Questions, State


def sort_questions(state: State, replies: Replies, most: int) -> tuple[State, list[Fact]]:
    """Return the state with the new questions, and a fact for each question that is not blank."""
    issued, asked, facts = state.issued, dict(state.asked), list[Fact]()
    for ask, reply in replies:
        counted = 0
        for question in reply.questions if isinstance(reply, Questions) else ():
            if question.blank:
                continue
            issued += 1
            key = Key(f"q{issued}")
            if question.same in asked:
                facts.append(Fact.of("question joined", id=key, seat=ask.seat, to=asked[question.same]))
            elif counted < most:
                counted, asked[question.same] = counted + 1, key
                facts.append(Fact.of("question issued", id=key, seat=ask.seat))
            else:
                facts.append(Fact.of("question refused", id=key, seat=ask.seat))
    new = tuple(key for key in asked.values() if key not in {known for _, known in state.asked})
    state = replace(state, issued=issued, asked=tuple(asked.items()), questions=state.questions + new)
    return state, facts
