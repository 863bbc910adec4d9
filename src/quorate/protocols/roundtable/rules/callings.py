"""Whom a question in a persona's words calls by name (T19), read as a person's words are (T15)."""

from __future__ import annotations

from quorate.core.forms import Key
from quorate.protocols.roundtable.rules.address import called
from quorate.protocols.roundtable.rules.sentences import Sentence, folded, sentences

_BEFORE = Sentence((), asks=False)
"""No sentence is read as the first of a turn, where a bare name is an address."""


def table_of(firsts: dict[Key, str]) -> str:
    """Return first names by key as `called_by_name` reads them, a line for each."""
    return "\n".join(f"{key}: {first}" for key, first in firsts.items())


def called_by_name(text: str, table: str) -> tuple[Key, ...]:
    """Return who is called where the text first asks something of somebody by name; nobody where it never does."""
    rows = (line.partition(": ") for line in table.splitlines())
    names = {folded(first): Key(key) for key, _, first in rows if first}
    spoken_to: tuple[str, ...] = ()
    for sentence in sentences(text):
        found = called((_BEFORE, sentence), names)
        spoken_to = (() if found.thanked else found.names) or spoken_to
        if sentence.asks and spoken_to:
            return (names[spoken_to[0]],)
    return ()
