"""Agreement: how far replies in one form say the same, by what code can compare of them.

Texts and marks are left out: no two drawn texts are equal. What is left has three kinds. *Words* stand once in a reply
or once for each key: choices, yes or no, keys. *Lists* are compared by the words of their entries. *Numbers* are near
or far.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any, assert_never

from quorate.core.forms import Reply
from quorate.core.shapes import Choice, Flag, Group, Many, Number, OneKey, PerKey, Shape, Text, shape_of

Place = tuple[str, ...]
"""Where in a reply something stands: names of fields, and keys."""


@dataclass(slots=True)
class Comparable:
    """What code can compare of a reply."""

    words: dict[Place, Hashable] = field(default_factory=dict)
    lists: dict[Place, Counter[Hashable]] = field(default_factory=dict)
    numbers: dict[Place, Fraction] = field(default_factory=dict)
    """As parts of their span, from 0 to 1."""

    def agreement(self, other: Comparable) -> tuple[int, Fraction, Fraction]:
        """Return how far the two agree in words, in lists and in numbers: one for each place that is the same."""
        words = sum(place in other.words and other.words[place] == word for place, word in self.words.items())
        lists = sum((_alike(each, other.lists.get(place)) for place, each in self.lists.items()), Fraction())
        near = (1 - abs(each - other.numbers[place]) for place, each in self.numbers.items() if place in other.numbers)
        return words, lists, sum(near, Fraction())


def comparable(reply: Reply) -> Comparable:
    """Return what code can compare of a reply."""
    found = Comparable()
    _take(shape_of(type(reply)), reply, (), found)
    return found


def closest(replies: Sequence[Reply]) -> int:
    """Return the index of the reply that agrees with most of the others, by words; then by lists; then by numbers.

    Where that is even, the first. With one choice in the form it is a reply of the plurality.
    """
    taken = [comparable(each) for each in replies]

    def rank(index: int) -> tuple[Fraction, Fraction, Fraction, int]:
        with_others = [taken[index].agreement(each) for place, each in enumerate(taken) if place != index]
        words, lists, numbers = (sum(map(Fraction, part), Fraction()) for part in _parts(with_others))
        return words, lists, numbers, -index

    return max(range(len(taken)), key=rank)


def word_text(word: object) -> str:
    """Return a word of a reply as people read it."""
    if isinstance(word, bool):
        return "yes" if word else "no"
    return str(word.value if isinstance(word, Enum) else word)


def _parts(agreements: Sequence[tuple[int, Fraction, Fraction]]) -> tuple[Sequence[int | Fraction], ...]:
    return tuple([each[kind] for each in agreements] for kind in range(3))


def _take(shape: Shape, value: Any, place: Place, found: Comparable) -> None:
    match shape:
        case Text():
            pass
        case Flag() | Choice() | OneKey():
            found.words[place] = value
        case Number(low, high):
            found.numbers[place] = Fraction(value - low, max(1, high - low))
        case Many(item):
            found.lists[place] = Counter(_entry(item, each) for each in value)
        case PerKey(item):
            for key, each in value.items():
                _take(item, each, (*place, str(key)), found)
        case Group(_, fields):
            for each in fields:
                if each.mark is None:
                    _take(each.shape, getattr(value, each.name), (*place, each.name), found)
        case _:
            assert_never(shape)


def _entry(item: Shape, value: Any) -> Hashable:
    """Return the words of an entry of a list, those of lists within it included."""
    found = Comparable()
    _take(item, value, (), found)
    inner = frozenset((place, frozenset(each.items())) for place, each in found.lists.items())
    return frozenset(found.words.items()), inner


def _alike(one: Counter[Hashable], other: Counter[Hashable] | None) -> Fraction:
    """Return the share of entries that two lists have in common; 1 where both are empty."""
    if other is None:
        return Fraction()
    entries = one.total() + other.total()
    return Fraction(2 * (one & other).total(), entries) if entries else Fraction(1)
