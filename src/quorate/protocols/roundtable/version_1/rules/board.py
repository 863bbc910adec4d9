"""The board of a roundtable: the conversation with everything that code said in it, and the warnings of the result."""

from __future__ import annotations

from quorate.core.record import Record
from quorate.kit.board import Board, Utterance
from quorate.protocols.roundtable.version_1.rules.result import warnings
from quorate.protocols.roundtable.version_1.rules.transcript import Spoken, transcript


def board(record: Record) -> Board:
    """Return every line of every elaboration in order; an introduction begins each."""
    return Board(conversation=tuple(map(_said, transcript(record))), warnings=tuple(warnings(record)))


def _said(line: Spoken) -> Utterance:
    return Utterance(line.turn, line.kind.value, line.speaker, line.prefix, line.text)
