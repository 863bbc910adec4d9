"""The board of a debate: the clarifications as a conversation between agents and the person.

Proposals and critiques are the transcript itself, and a debate makes neither findings nor artifacts.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.record import Record
from quorate.kit.board import Board, Utterance
from quorate.protocols.debate.rules.model import PERSON
from quorate.protocols.debate.rules.views import clarifications


def board(record: Record) -> Board:
    """Return the board: every issued question, each followed by its answer if there is one (D5 to D8)."""
    return Board(conversation=tuple(_clarified(record)))


def _clarified(record: Record) -> Iterator[Utterance]:
    for turn, each in enumerate(clarifications(record), start=1):
        who = " and ".join(each.seats)
        yield Utterance(turn, "question", str(each.seats[0]), f"{each.key}, {who}", each.question)
        if each.answer is not None:
            yield Utterance(turn, "answer", str(PERSON), f"{each.key}, answer", each.answer)
