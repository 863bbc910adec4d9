"""Near matches: findings that say the same about the same place; in doubt both are kept (C14).

Two findings are near only within one gate and one place, and a gate's finding is never merged away. They must name the
same numbers, paths and identifiers, and then either be worded alike, where neither has a word of its own that matters,
or quote the same text and say something alike about it: one line can have two defects.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from quorate.protocols.council.rules.taxonomy import Gate, Subcategory

MOST_PAIRS = 200
ALIKE = (3, 5)
"""Words shared, of all words of both (Jaccard), from which two descriptions are worded alike."""
ALIKE_OF_SAME_TEXT = (1, 3)
"""The same where both quote one text; its own words do not count, since both are bound to repeat them."""
LEAST_QUOTED = 20
"""Characters of a quotation, white space folded, from which it tells what a finding is about."""
LEAST_SHARED = 3
"""Words that two descriptions share at least, where they are not the same words altogether."""

# Words


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


STOP = _set(
    "a an the this that these those it its they their them there here i we you he she who whom whose which what when"
    " where why how and or but nor so as if then than because since while until unless of to in on at by for from with"
    " into onto about over under between within through during after before is are was were be been being am do does"
    " did done doing has have had having can could may might must shall should will would also just only very too such"
    " some any each every all both few more most other own same again once ever even still yet already much many one"
    " ones either however therefore thus hence eg ie etc per via up out off now get gets got gotten"
)
FILLER = _set(
    "carefully properly correctly appropriately accordingly thoroughly clearly explicitly fully really simply please"
    " ensure ensures ensuring sure make makes making necessary needed need needs important importantly proper correct"
    " appropriate relevant suitable various several robust robustly clear clean cleanly good well high quality best"
    " practice practices way ways manner regarding concerning respective respectively respect order able actually"
    " currently basically exactly precisely actual overall generally kind"
)
"""Words that make a sentence longer and say nothing that could be done or tested."""
_SPEAKERS = _set("ticket agent agents implementer developer engineer nobody somebody anyone someone")
"""Who or what a review always speaks of."""
_SAME = {
    "say": "states specifies specified specify stated tells told said says defines defined define describes described"
    " describe mentions mentioned mention names named explains explained explain documents documented gives given give"
    " provides provided provide lists listed stating specifying defining describing unspecified undefined undocumented"
    " unstated identifies",
    "not": "no never without lack lacks lacking missing miss misses absent omits omitted omit cannot none nowhere"
    " neither nothing",
    "check": "verify verifies verified verification verifying checks checked checking validate validates validation"
    " tested testing",
    "large": "big oversized huge",
    "unclear": "ambiguous vague ambiguity vaguely",
    "exist": "existing exists existed",
    "require": "required requires mandatory requiring",
    "duplicate": "duplicates duplicated duplication repeats repeat reimplements reimplement rebuilds",
}
_CANON = {word: root for root, words in _SAME.items() for word in words.split()}
_NEGATED = _set("unspecified undefined undocumented unstated")
_COMMON = _set("not say plan step command test")
"""Words that any two findings about one text may share."""
_WORD = re.compile(r"[^\W_]+")
_ENDINGS = (("ies", "y"), ("ied", "y"), ("ing", ""), ("ions", ""), ("ion", ""), ("ed", ""), ("es", ""), ("s", ""))


def stem(word: str) -> str:
    """Return the stem of a word, without a common ending."""
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith(("ss", "us", "is")):
            word = word.removesuffix(ending) + instead
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def said(text: str) -> frozenset[str]:
    """Return the stems of the significant words of a text, without stop words and filler."""
    return frozenset(stem(word) for word in _telling(text))


def _telling(text: str) -> list[str]:
    words = _WORD.findall(text.casefold().replace("’", "'").replace("n't", " not"))
    return [word for word in words if word not in STOP and word not in FILLER]


def _claimed(text: str) -> tuple[str, ...]:
    """Return the words of a description in order, with synonyms that reviews use unified."""
    claimed: list[str] = []
    for word in _telling(text):
        if word not in _SPEAKERS:
            claimed += ["not"] if word in _NEGATED else []
            claimed.append(_CANON.get(word) or stem(word))
    return tuple(claimed)


# Findings


_NAMED = re.compile(
    r"`[^`\n]{1,200}`|\"[^\"\n]{1,80}\"|“[^”\n]{1,80}”"  # what is marked as code, or quoted
    r"|[\w.*-]*/[\w./*-]*\w"  # a path
    r"|\b[A-Za-z]\w*\.[a-z]\w{1,4}\b"  # a file
    r"|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z][a-z]+[A-Z]\w*\b"  # snake_case, camelCase, CamelCase
    r"|(?<![\w-])--?[a-z][\w-]*"  # an option
)
_NUMBER = re.compile(r"\b(?:[A-Za-z]{1,12}-){0,3}[A-Za-z]{0,12}\d[\w-]*")
_SPELT = {word: str(number) for number, word in enumerate(("two", "three", "four", "five", "six", "seven"), start=2)}


def names_in(text: str) -> frozenset[str]:
    """Return the paths, identifiers and quoted names in a text, which tell two things of one kind apart."""
    return frozenset(name[0].strip('`"“”.').casefold() for name in _NAMED.finditer(text))


@dataclass(frozen=True)
class Found:
    """A finding as the matcher sees it."""

    key: str
    gate: Gate
    subcategory: Subcategory
    place: str
    by_gate: bool
    description: str
    evidence: str

    @property
    def number(self) -> int:
        return int(self.key[1:])

    @cached_property
    def told(self) -> tuple[str, ...]:
        return _claimed(_NAMED.sub(lambda name: "" if "/" in name[0] else name[0], self.description))

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(self.told)

    @cached_property
    def names(self) -> frozenset[str]:
        """Paths, identifiers and quoted names, which distinguish two defects of one kind."""
        return frozenset(name[0].strip('`"“”.').casefold() for name in _NAMED.finditer(self.description))

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Numbers, and ids with numbers in them."""
        spelt = {_SPELT[word] for word in _WORD.findall(self.description.casefold()) if word in _SPELT}
        return frozenset(spelt | {number[0].casefold() for number in _NUMBER.finditer(self.description)})

    @cached_property
    def quoted(self) -> str:
        return " ".join(self.evidence.casefold().split())


def pairs(findings: Iterable[Found]) -> tuple[tuple[str, str], ...]:
    """Return (kept, merged) keys: each key is merged at most once, no kept one is merged; independent of order.

    Kept is the gate's finding where there is one, else the one with the lowest number.
    """
    ordered = sorted(findings, key=lambda found: found.number)
    heads: dict[tuple[Gate, str], list[Found]] = {}
    for found in ordered:
        if found.by_gate:
            heads.setdefault((found.gate, found.place), []).append(found)
    merged: list[tuple[str, str]] = []
    for found in ordered:
        if found.by_gate:
            continue
        here = heads.setdefault((found.gate, found.place), [])
        kept = next((head for head in here if are_near(head, found)), None)
        if kept is None:
            here.append(found)
        elif len(merged) < MOST_PAIRS:
            merged.append((kept.key, found.key))
    return tuple(merged)


def are_near(one: Found, other: Found) -> bool:
    """Return whether two findings say the same about the same place."""
    if (one.gate, one.place) != (other.gate, other.place) or (one.by_gate and other.by_gate):
        return False
    if _differ(one.numbers, other.numbers) or _differ(one.names, other.names):
        return False
    return _worded_alike(one, other) or _quote_alike(one, other)


def _differ(some: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether both sets are non-empty and differ."""
    return bool(some) and bool(others) and some != others


def _worded_alike(one: Found, other: Found) -> bool:
    mine, others = one.words, other.words
    if not _share(mine, others, ALIKE) or len(mine & others) < LEAST_SHARED:
        return False
    # "Handles empty files" and "handles large files" share most words and are two things, and so are a thing and a part
    # of it; "the flag has no reader" and "the reader has no flag" share all words.
    return not (mine ^ others) - _COMMON and ("not" in mine) == ("not" in others) and _in_one_order(one, other)


def _in_one_order(one: Found, other: Found) -> bool:
    """Return whether the shared words come in the same order, up to rotation."""
    mine, others = (tuple(w for w in told if w in one.words & other.words) for told in (one.told, other.told))
    return any(mine[at:] + mine[:at] == others for at in range(len(mine)))


def _quote_alike(one: Found, other: Found) -> bool:
    shorter, longer = sorted((one.quoted, other.quoted), key=len)
    if len(shorter) < LEAST_QUOTED or shorter not in longer or 2 * len(shorter) < len(longer):
        return False
    if _swapped(one.told, other.told):
        return False
    quoted = _COMMON.union(_claimed(longer))
    return _share(one.words - quoted, other.words - quoted, ALIKE_OF_SAME_TEXT)


def _swapped(mine: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Return whether one sentence is the other with a part replaced, so the same is said of two different things."""
    if mine[:LEAST_SHARED] == others[:LEAST_SHARED]:
        return set(mine) != set(others)
    changes = [each[0] for each in SequenceMatcher(None, mine, others, autojunk=False).get_opcodes()]
    return changes.count("replace") == 1 and not {"insert", "delete"} & set(changes)


def _share(some: frozenset[str], others: frozenset[str], least: tuple[int, int]) -> bool:
    return bool(some & others) and len(some & others) * least[1] >= len(some | others) * least[0]
