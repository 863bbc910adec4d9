"""The documents of a workshop, divided where they are too long for one seat, and who is shown which part (W38)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from quorate.core.record import Record
from quorate.core.types import Seat
from quorate.core.view import BYTES_PER_TOKEN, Section
from quorate.protocols.workshop.rules.model import MOST_PARTS, State
from quorate.protocols.workshop.rules.plan import Plan

DOCUMENTS = (("topic", "Topic"), ("context", "Context folder"))
"""What is brought to a workshop beside its agenda: name of the material, and the title it is shown under."""
UNLISTED = "further files are not listed]"
"""How the listing of a folder ends that has more files than it names."""
Part = tuple[Section, ...]


def parts_of(record: Record) -> tuple[Part, ...]:
    """Return the documents of a session in parts, all in one if they fit a seat."""
    given = tuple((name, record.material[name]) for name, _ in DOCUMENTS if name in record.material)
    return _divided(given, record.protocol.settings.get("document_tokens", 0))


def divided(material: Mapping[str, str], tokens: int) -> tuple[Part, ...]:
    """Divide documents into parts of which two fit into so many tokens; one part if all fit."""
    return _divided(tuple((name, material[name]) for name, _ in DOCUMENTS if name in material), tokens)


def cannot_be_shown(material: Mapping[str, str], tokens: int) -> bool:
    """Whether something that was brought stands in no part: files that no listing names, or too many parts."""
    unlisted = material.get("context", "").rstrip().endswith(UNLISTED)
    return unlisted or len(divided(material, tokens)) > MOST_PARTS


@lru_cache(maxsize=16)
def _divided(given: tuple[tuple[str, str], ...], tokens: int) -> tuple[Part, ...]:
    titles = dict(DOCUMENTS)
    room = tokens * BYTES_PER_TOKEN
    if sum(len(text.encode()) for _, text in given) <= room:
        return (tuple(Section(titles[name], text, common=True) for name, text in given),)
    found: list[Part] = []
    for name, text in given:
        pieces = list(_pieces(text, max(1, room // 2)))
        for number, piece in enumerate(pieces, start=1):
            title = titles[name] if len(pieces) == 1 else f"{titles[name]}, part {number} of {len(pieces)}"
            found.append((Section(title, piece, common=not found),))
    return tuple(found)


def _pieces(text: str, most: int) -> Iterator[str]:
    """Yield the text in pieces of at most so many bytes, at the ends of lines where lines are short enough."""
    piece, size = "", 0
    for line in text.splitlines(keepends=True):
        for part in _short(line, most):
            length = len(part.encode())
            if piece and size + length > most:
                yield piece
                piece, size = "", 0
            piece, size = piece + part, size + length
    if piece or not text:
        yield piece


def _short(line: str, most: int) -> Iterator[str]:
    step = max(1, most // 4)  # a character has at most four bytes
    if len(line.encode()) <= most:
        yield line
    else:
        yield from (line[at : at + step] for at in range(0, len(line), step))


def part_for(state: State, plan: Plan, seat: Seat) -> int:
    """Return the part that a participant is shown beside the first: one that nobody has read, while there are any.

    Whose word is a note takes no turn from the others (W40).
    """
    if state.parts == 1:
        return 1
    turns = [each for each in plan.participants if plan.counts(each)] if plan.counts(seat) else plan.participants
    place = turns.index(seat)
    others = [number for number in range(2, state.parts + 1) if number not in state.read] or range(2, state.parts + 1)
    return others[(place + state.round) % len(others)]


def unread(state: State) -> tuple[int, ...]:
    """Return the parts that nobody has been shown who then answered."""
    return tuple(number for number in range(1, state.parts + 1) if number not in state.read)
