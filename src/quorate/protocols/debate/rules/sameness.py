"""Sameness of questions: a number that is equal for the same words, computed where a question is read (D32)."""

from __future__ import annotations

import unicodedata
from hashlib import sha256

from quorate.core.forms import Prose

BITS = 52
MOST_SAMENESS = 2**BITS - 1
"""Every reader of JSON keeps a number of this size exactly."""
_COUNT = frozenset("#%&@*/\\_")
"""Punctuation that always counts; so does every symbol, such as + and <, but for the marks of style."""
_STYLE = frozenset("`´^~")
_JOINS, _LEADS = frozenset(".,:-–"), frozenset(".-")
"""Punctuation that counts between two digits, and before a word: -5, .NET."""


def sameness(question: Prose) -> int:
    """A mark: equal for questions of the same words and signs in the same order, whatever case and punctuation."""
    text = unicodedata.normalize("NFC", question.text).replace("\u2212", "-").casefold()
    kept = "".join(each if _counts(text, place) else " " for place, each in enumerate(text))
    words = " ".join(kept.split()) or question.text.strip()
    return int.from_bytes(sha256(words.encode()).digest()[:8], "big") >> (64 - BITS)


def _counts(text: str, place: int) -> bool:
    """Whether a character says something; what is doubtful does: a question too many costs less than one too few."""
    each, before, after = text[place], text[place - 1 : place] if place else "", text[place + 1 : place + 2]
    if each.isalnum() or each in _COUNT or unicodedata.category(each)[0] in "MS":
        return each not in _STYLE
    if each in _JOINS and before.isdigit() and after.isdigit():
        return True
    if each in _LEADS:
        return after.isalnum() and not (before.isalnum() or before in tuple(")]}"))
    return each == "!" and after == "="
