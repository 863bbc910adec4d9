"""Names that nobody at the table has, where a turn speaks to somebody of that name (T32)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches

from quorate.protocols.roundtable.rules.address import ANYBODY, TABLE
from quorate.protocols.roundtable.rules.sentences import (
    QUOTED,
    Sentence,
    folded,
    sentences,
    unquoted,
    vocabulary,
)

ALIKE = 0.75
"""How alike a word and a name are, of 1, where one is meant for the other: Alix and Alex."""
LEAST_BEGINNING = 3
"""Letters of a name's beginning that are meant for the name: Jean and Jean-Luc."""
_GREETING = vocabulary("hey hi hello dear ok okay so and but well thanks")
_OPENERS = vocabulary(
    "i we it this that they he she there here yes no yeah yep nope ok okay well so now then and but or also still "
    "first second third next last finally again instead however otherwise meanwhile maybe perhaps sure fine right "
    "wait sorry please thanks thank great good agreed true exactly question questions note idea example besides "
    "overall anyway hmm oh um alright hello hi hey done stop in for if when what how why where who which at on by "
    "to from with as after before today tomorrow yesterday once later all both each one two three none nothing "
    "everything something somebody someone nobody though correct course seriously honestly frankly exit end back "
    "do even can are my see"
)
"""Words that stand before a comma, or after one at the end, and are no names."""
_TO_YOU = vocabulary("you your you'd you'll you've please")


def stranger_in(text: str, firsts: Iterable[str]) -> str:
    """Return the name that a turn speaks to and that none of these first names is, or ''."""
    return stranger(sentences(unquoted(text)), {folded(each) for each in firsts})


def stranger(said: tuple[Sentence, ...], names: Collection[str]) -> str:
    """Return the name that is spoken to and that nobody has, or ''."""
    for sentence in said:
        for word, clear in _called(sentence):
            if word not in names and _may_be_name(word) and (clear or near(word, names)):
                return word
    return ""


def near(word: str, names: Iterable[str]) -> str:
    """Return the name that is meant by a word, or ''."""
    known = list(names)
    begins = [name for name in known if len(word) >= LEAST_BEGINNING and name.startswith(word)]
    return next(iter([*begins, *get_close_matches(word, known, n=1, cutoff=ALIKE)]), "")


def _called(sentence: Sentence) -> Iterator[tuple[str, bool]]:
    """Yield the words that stand where a name would, each with whether nothing but a name can be meant."""
    tokens = sentence.tokens
    yield from ((each.removeprefix("@"), True) for each in tokens if each.startswith("@") and len(each) > 1)
    start = next((n for n, each in enumerate(tokens) if each not in _GREETING and each != ","), len(tokens))
    spoken_to = sentence.asks or bool({*tokens} & _TO_YOU)
    if tokens[start + 1 : start + 2] in ((",",), (":",)) and len(tokens) > start + 2:
        yield tokens[start], spoken_to
    if len(tokens) > 2 and tokens[-2] == ",":
        yield tokens[-1], sentence.asks and bool({*tokens} & _TO_YOU)


def _may_be_name(word: str) -> bool:
    known = word in _OPENERS or word in TABLE or word in ANYBODY or word == QUOTED
    return not known and len(word) > 1 and not word.endswith("ly") and word.replace("-", "").isalpha()
