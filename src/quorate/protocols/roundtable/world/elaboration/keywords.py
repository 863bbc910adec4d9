"""Keywords: the words that tell topics apart, in a form that singular and plural share."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"[^\W_]+")
_COMMON = frozenset(
    _WORD.findall(
        "a about all an and any are as at be by can did do does for from has have how i if in into is it its may more "
        "must no not of on or our shall should so step than that the their them then there these they this to us was "
        "we were what when where which who why will with would you your"
    )
)
_LEAST = 3
"""Letters that stay of a word."""
_ENDING = re.compile(r"(?<!s)s$|(?<=[sxzhoi])e$")
"""What a plural may add, and an `e` in front of it that may be the plural's or the word's: searches, caches."""


def keywords(words: Iterable[str]) -> frozenset[str]:
    """Return the stems of the words that tell topics apart: no case, no plural, no number, no small words."""
    found = (word.casefold() for text in words for word in _WORD.findall(text))
    kept = (word for word in found if len(word) > 1 and not word.isdecimal() and word not in _COMMON)
    return frozenset(map(_stem, kept))


def _stem(word: str) -> str:
    """Return what a word and its plural have in common; it need not be a word itself."""
    while len(word) > _LEAST and (shorter := _ENDING.sub("", word)) != word:
        word = shorter
    return f"{word[:-1]}i" if word.endswith("y") else word
