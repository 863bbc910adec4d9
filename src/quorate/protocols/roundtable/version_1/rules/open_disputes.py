"""Disagreements that nobody has decided, as open questions with both positions and who holds them (T20, T21)."""

from __future__ import annotations

from collections.abc import Sequence

from quorate.core.forms import Key, Prose
from quorate.protocols.roundtable.version_1.rules import announcements
from quorate.protocols.roundtable.version_1.rules.forms import OpenQuestion
from quorate.protocols.roundtable.version_1.rules.harvest import KeptItem
from quorate.protocols.roundtable.version_1.rules.transcript import Spoken

MOST_POSITION = 240
"""Characters of a position; two of them fit where an item is shown on one line."""
_QUOTES = str.maketrans(dict.fromkeys("“”„‟", "'"))
"""Marks that would end a quotation, so that nobody puts words into the mouth of another."""
Dispute = tuple[Spoken, Spoken]


def latest(disputes: Sequence[Dispute]) -> tuple[Dispute, ...]:
    """Return the last dispute of each pair of personas, in either direction."""
    return tuple({frozenset((one.speaker, other.speaker)): (one, other) for one, other in disputes}.values())


def undecided(disputes: Sequence[Dispute], targets: Sequence[Key]) -> tuple[KeptItem, ...]:
    """Return an open question for every two who disagree; it goes to the first document that is added to."""
    document = next(iter(targets), None)
    return tuple(KeptItem("open_questions", _question(*each), (), document) for each in latest(disputes))


def _question(one: Spoken, other: Spoken) -> OpenQuestion:
    text = f"{_position(one)} {_position(other)}"
    return OpenQuestion(Prose(text), Prose(announcements.undecided(one.first, other.first)), (), ())


def _position(line: Spoken) -> str:
    return f"{line.first}: “{announcements.one_line(line.text.translate(_QUOTES), MOST_POSITION)}”"
