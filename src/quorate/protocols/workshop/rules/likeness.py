"""Whether two artifacts say the same: a mark of the synthesis, from the texts that its facilitator was shown (W15).

Texts are compared in one form, in which "ninety days" is "90 days", and "5" is not "-5". What is doubtful differs: a
form that two different things have in common is worse than two forms of one thing.
What exists stands in the material between `RECORD` characters, one record an artifact; what was said stands outside.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

RECORD, PART = "\x1e", "\x1f"
LEAST_BODY = 40
"""Characters from which equal texts under different titles are the same artifact."""
LEAST_WORDS, CLOSE = 4, 80
"""Different words that a text has to have to be close to another, and the percent of them that both have."""
_ARTICLES = frozenset(("a", "an", "the"))
_UNITS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}
_TEENS = {
    **{"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16},
    **{"seventeen": 17, "eighteen": 18, "nineteen": 19},
}
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_EIN = {"ein": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9}
_ZIGS = {
    **{"zwanzig": 20, "dreissig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60, "siebzig": 70},
    **{"achtzig": 80, "neunzig": 90},
}
_GERMAN = {
    **{word: number for word, number in _EIN.items() if number > 1},
    **{"zehn": 10, "zwölf": 12, "dreizehn": 13, "vierzehn": 14, "fünfzehn": 15, "sechzehn": 16},
    **{"siebzehn": 17, "achtzehn": 18, "neunzehn": 19, "einhundert": 100},
    **_ZIGS,
    **{f"{unit}und{ten}": _ZIGS[ten] + _EIN[unit] for ten in _ZIGS for unit in _EIN},
}
"""Those that no English text has: not null, and not elf."""
_NUMBERS = {
    "zero": 0,
    **_UNITS,
    **_TEENS,
    **_TENS,
    **{f"{ten}-{unit}": _TENS[ten] + _UNITS[unit] for ten in _TENS for unit in _UNITS},
    **_GERMAN,
}
_HUNDRED = ("hundred", "hundert")
_JOINS = frozenset(".,:/+-–")
_SIGNS = frozenset("%#&@")
_MARKS_OF_STYLE = frozenset("`´^~")
_LARGER = frozenset(("hundred", "thousand", "million", "billion", "dozen"))


@dataclass(frozen=True, slots=True)
class Likeness:
    """A type and the words of title and main text, as they are compared."""

    kind: str
    title: str
    body: str

    def is_alike(self, other: Likeness) -> bool:
        """Whether both have one type, and the same title or the same longer text, as `comparable` has them."""
        same = bool(self.title) and self.title == other.title
        return self.kind == other.kind and (same or (len(self.body) >= LEAST_BODY and self.body == other.body))

    def is_close(self, other: Likeness) -> bool:
        """Whether both have one type, and title or main text have nearly all words in common: worth a question."""
        pairs = ((self.title, other.title), (self.body, other.body))
        return self.kind == other.kind and any(_are_close(set(a.split()), set(b.split())) for a, b in pairs)


def _are_close(one: set[str], other: set[str]) -> bool:
    common, all_ = len(one & other), len(one | other)
    return min(len(one), len(other)) >= LEAST_WORDS and 100 * common >= CLOSE * all_


def likeness(kind: str, title: str, body: str) -> Likeness:
    return Likeness(kind, comparable(title), comparable(body))


# In the material of a synthesis


def record(kind: str, title: str, body: str) -> str:
    """Return an artifact as a record of the material, which no text that was said can forge."""
    return f"{RECORD}{kind}{PART}{without_marks(title)}{PART}{without_marks(body)}{RECORD}"


def without_marks(text: str) -> str:
    return text.replace(RECORD, " ").replace(PART, " ")


def recorded(material: str) -> tuple[Likeness, ...]:
    """Return the artifacts that stand in the material."""
    found = (each.split(PART) for each in material.split(RECORD)[1::2])
    return tuple(likeness(*parts) for parts in found if len(parts) == 3)


def said(material: str) -> str:
    """Return the material without its records of artifacts."""
    return "\n\n".join(material.split(RECORD)[::2])


def repeats(entries: Iterable[Likeness], known: Iterable[Likeness]) -> Iterator[int]:
    """Yield the places, from 1, of the entries that say the same as one that is known or as an earlier entry."""
    there = list(known)
    for place, entry in enumerate(entries, start=1):
        if any(entry.is_alike(each) for each in there):
            yield place
        else:
            there.append(entry)


# The form in which texts are compared


def comparable(text: str) -> str:
    """Return a text without letter case, punctuation and articles, with numbers up to a hundred in digits."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("\u2212", "-")
    words = list(_without_articles(_tokens(plain)))
    return " ".join(_in_digits(words))


def _tokens(text: str) -> list[str]:
    """Words with their hyphens, numbers with what joins their digits, and signs that say something."""
    marked = (f" {each} " if kind == "sign" else " " if kind == "gap" else each for each, kind in _kinds(text))
    return "".join(marked).split()


def _kinds(text: str) -> Iterator[tuple[str, str]]:
    for place, each in enumerate(text):
        before, after = text[place - 1 : place] if place else "", text[place + 1 : place + 2]
        if each.isalnum() or unicodedata.category(each)[0] == "M":
            yield each, "word"
        elif each == "-" and after.isdigit() and not (before.isalnum() or before in ")]%"):
            yield f" {each}", "word"
        elif each in _JOINS and _joins(each, before, after):
            yield each, "word"
        elif _says_something(each, before, after):
            yield each, "sign"
        else:
            yield each, "gap"


def _joins(sign: str, before: str, after: str) -> bool:
    """Whether this joins two digits, or is the hyphen of a word."""
    return (before.isdigit() and after.isdigit()) or (sign == "-" and before.isalpha() and after.isalpha())


def _says_something(sign: str, before: str, after: str) -> bool:
    if sign == "/":
        return before.isalnum() and after.isalnum()
    if sign == "!":
        return after == "="
    return sign in _SIGNS or (unicodedata.category(sign)[0] == "S" and sign not in _MARKS_OF_STYLE)


def _without_articles(words: list[str]) -> Iterator[str]:
    """Yield the words but articles; what no word follows is none: plan A."""
    for word, after in zip(words, [*words[1:], ""], strict=False):
        if word not in _ARTICLES or not after[:1].isalnum():
            yield word


def _in_digits(words: list[str]) -> Iterator[str]:
    place = 0
    while place < len(words):
        word, after = words[place], words[place + 1] if place + 1 < len(words) else ""
        if word in _TENS and after in _UNITS:
            yield str(_TENS[word] + _UNITS[after])
            place += 2
        elif after in _HUNDRED and word == "one" and _is_whole(words, place + 1, place - 1):
            yield "100"
            place += 2
        elif word in _HUNDRED and _is_whole(words, place, place - 1):
            yield "100"
            place += 1
        else:
            yield from _apart(word)
            place += 1


def _is_whole(words: list[str], hundred: int, before: int) -> bool:
    """Whether a hundred is just that: no number stands before it, nor after it, with or without an "and"."""
    after = [each for each in words[hundred + 1 : hundred + 3] if each != "and"][:1]
    around = [*after, *(words[before : before + 1] if before >= 0 else [])]
    return not any(each in _NUMBERS or each in _LARGER or each[:1].isdigit() for each in around)


def _apart(word: str) -> Iterator[str]:
    """Yield a number in digits; of other words with hyphens each part."""
    if word in _NUMBERS:
        yield str(_NUMBERS[word])
    elif "-" in word and word[0].isalpha():
        yield from (str(_NUMBERS.get(part, part)) for part in word.split("-"))
    else:
        yield word
