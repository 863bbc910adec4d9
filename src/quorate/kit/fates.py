"""Fates: what became of each thing that was said in a session, or brought to it.

A protocol derives them from its record: nothing is decided here, and a fate names the rule that decided it. They are
part of the bundle, and the second section of the report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from quorate.core.record import Record
from quorate.core.values import value


@value(frozen=True, slots=True)
class Fate:
    """What became of one finding, veto, reservation, ruling, question, artifact or file."""

    id: str
    """The id under which the session shows it; each stands once."""
    what: str
    """What it is, in one word of the protocol: `finding`, `veto`, `ruling`, `file`."""
    by: tuple[str, ...]
    """Who said it: seats, or the name of the person; empty for what was brought."""
    said: str
    """Its words, or the beginning of them, as they stand in the record."""
    became: str
    """A word of the protocol's closed vocabulary, with an id where it needs one: `dismissed`, `joined to F1`."""
    rule: str
    """The rule that decided it."""


RULED_UPON = "ruled upon"
"""What becomes of a file or ticket that nobody has read and on which a person has ruled all the same."""


def answered_for(fates: Iterable[Fate]) -> list[str]:
    """Return the files and tickets that a ruling answers for: those that nobody has read."""
    return [each.said for each in fates if each.what in ("file", "ticket") and each.became == RULED_UPON]


MOST_NAMED = 10
"""Files that a ruling answers for which are named where people read quickly; reports and bundles name all."""


def answers_text(files: Sequence[str]) -> str:
    """Return which files a ruling answers for: the first ten, and how many more there are."""
    more = f" and {len(files) - MOST_NAMED} more" if len(files) > MOST_NAMED else ""
    count = "1 file" if len(files) == 1 else f"{len(files)} files"
    return f"The ruling answers for {count} that nobody has read: {', '.join(files[:MOST_NAMED])}{more}"


UNFIT = "unfit entry"
"""What a fate is about that tells of an entry which did not fit a form; its words stand nowhere else."""
Fates = Callable[[Record], tuple[Fate, ...]]


def as_data(fates: tuple[Fate, ...]) -> list[dict[str, Any]]:
    """Return the fates as plain data, as they stand in a bundle."""
    return [
        {
            "id": each.id,
            "what": each.what,
            "by": list(each.by),
            "said": each.said,
            "became": each.became,
            "rule": each.rule,
        }
        for each in fates
    ]
