"""Similarity of two names or two sets of words, from 0 to 100."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

MOST_NAME = 64
"""Characters of a name that are compared."""
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")


def words_in(text: str) -> Iterator[str]:
    """Yield the words of a name or text in lower case, splitting camel case."""
    return (match[0].lower() for match in _WORDS.finditer(text))


def distance(one: str, other: str) -> int:
    """Return the Levenshtein distance, by Myers' bit-parallel algorithm."""
    if not one or not other:
        return len(one) or len(other)
    letters: dict[str, int] = {}
    for at, letter in enumerate(one):
        letters[letter] = letters.get(letter, 0) | 1 << at
    ones, last = (1 << len(one)) - 1, 1 << (len(one) - 1)
    plus, minus, score = ones, 0, len(one)
    for letter in other:
        equal = letters.get(letter, 0)
        vertical = equal | minus
        horizontal = (((equal & plus) + plus) ^ plus) | equal
        up, down = minus | ~(horizontal | plus) & ones, plus & horizontal
        score += bool(up & last) - bool(down & last)
        up, down = (up << 1 | 1) & ones, down << 1 & ones
        plus, minus = down | ~(vertical | up) & ones, up & vertical
    return score


def names_alike(one: str, other: str) -> int:
    """Return the similarity of two names: 100 minus the percentage of the longer one that has to change."""
    one, other = one[:MOST_NAME], other[:MOST_NAME]
    longer = max(len(one), len(other))
    return 100 if not longer else 100 - 100 * distance(one, other) // longer


def words_alike(one: Collection[str], other: Collection[str]) -> int:
    """Return the Jaccard similarity of two sets of words; two empty sets are equal."""
    if not one or not other:
        return 0 if one or other else 100
    first, second = frozenset(one), frozenset(other)
    return 100 * len(first & second) // len(first | second)
