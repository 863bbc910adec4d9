"""Whether a text is whole: it ends, it says something, and it does not go round in circles.

Language models stop in mid-sentence, write a heading and nothing under it, or repeat one sentence until their limit.
What is found here is asked for again or told; it is never decided upon.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Set

LOOPS = 3
"""How often the same sentence stands in a text that goes round in circles."""
LEAST_REPEATED = 24
"""Characters of a sentence that counts as repeated; shorter ones (`None.`, a table's rule) come back in good texts."""

LEAST_CLAUSE = 16
"""Characters of a clause that counts as repeated where it stands three times in one sentence."""
SAME = 0.8
"""Share of words from which two short texts say the same."""

_WORD = re.compile(r"\w+")
_ENDED = re.compile(r"(?:[.!?…:;|>)\]}\"'`*_”’]|\d)\s*\Z")
_SENTENCE_END = re.compile(r"[.!?][\"')\]”’*_`]{0,2}(?=\s|\Z)")
_BITS = re.compile(r"[^\n.!?]+[.!?]*")
_CLAUSES = re.compile(r"[^,;]+")
_DANGLING = re.compile(
    r"(?:\n|\A)[ \t]*(?:#{1,6}[ \t][^\n]*|(?:[-*+]|\d{1,3}[.)])?[ \t]*\*\*[^*\n]+\*\*[ \t]*:?|[^\n]{0,80}:)\s*\Z"
)
"""A heading or a label at the end of a text, under which nothing stands."""
_HEADING = re.compile(r"\s*(?:#{1,6}\s.*|\*\*[^*\n]+\*\*:?|[-*_=\s]+)\s*")
_OPEN_END = re.compile(
    r"(?:[,(\[{–—]|\b(?:a|an|and|as|at|because|but|by|for|from|if|in|is|of|on|or|than|that|the|to|which|with))\s*\Z",
    re.I,
)


def flaw(text: str) -> str:
    """Return what keeps a text from being whole, in words for whoever wrote it, or an empty string."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return "says nothing"
    if all(_HEADING.fullmatch(line) for line in lines):
        return "is a heading without a text"
    if loop_start(text) is not None:
        return "repeats itself"
    if _OPEN_END.search(text.rstrip()[-40:]):
        return "ends in mid-sentence"
    return ""


def is_ended(text: str) -> bool:
    """Return whether a text that was stopped ends where a sentence, a line of a list or a block of code does."""
    return bool(_ENDED.search(text)) and not _OPEN_END.search(text.rstrip()[-40:])


def loop_start(text: str) -> int | None:
    """Return where a text begins to repeat itself, at the second of three equal sentences or lines, or None."""
    seen: Counter[str] = Counter()
    second: dict[str, int] = {}
    for found in _BITS.finditer(text):
        bit = " ".join(found[0].split()).casefold()
        if len(bit) < LEAST_REPEATED:
            continue
        seen[bit] += 1
        if seen[bit] == 2:
            second[bit] = found.start()
        elif seen[bit] == LOOPS:
            return second[bit]
        if (again := _clause_loop(found[0])) is not None:
            return found.start() + again
    return None


def _clause_loop(sentence: str) -> int | None:
    """Return where a sentence says the same clause for the second of three times, or None."""
    places: dict[str, list[int]] = {}
    for found in _CLAUSES.finditer(sentence):
        clause = " ".join(found[0].split()).casefold().removeprefix("and ").rstrip(".!?")
        if len(clause) >= LEAST_CLAUSE:
            places.setdefault(clause, []).append(found.start())
    return next((each[1] for each in places.values() if len(each) >= LOOPS), None)


def says_no_more(text: str, known: str) -> bool:
    """Return whether a text has hardly a word that stands not in another, such as the question it was asked."""
    said = _words(text)
    return bool(said) and len(said & _words(known)) >= SAME * len(said)


def is_alike(text: str, other: str) -> bool:
    """Return whether two short texts have nearly the same words."""
    one, two = _words(text), _words(other)
    return len(one & two) >= SAME * len(one | two)


def _words(text: str) -> Set[str]:
    return set(_WORD.findall(text.casefold()))


def without_dangling(text: str) -> str:
    """Return a text without headings and labels at its end under which nothing stands; one that is no more stays."""
    kept = text.rstrip()
    while (found := _DANGLING.search(kept)) is not None and kept[: found.start()].strip():
        kept = kept[: found.start()].rstrip()
    return kept


def without_echo(text: str, question: str) -> str:
    """Return a text without sentences in front that only repeat the question; one that is no more stays."""
    while (found := _SENTENCE_END.search(text)) is not None:
        rest = text[found.end() :].lstrip()
        if not rest or not says_no_more(text[: found.end()], question):
            break
        text = rest
    return text


def has_looped(text: str) -> bool:
    """Return whether a text under way has just ended a sentence or line for the third time."""
    return text.endswith((".", "\n")) and loop_start(text) is not None


def at_sentence_end(text: str) -> bool:
    """Return whether a sentence, or a line, has just ended."""
    return text.endswith("\n") or bool(_SENTENCE_END.search(text[-4:]))


def rounded(text: str, most: int) -> str:
    """Return the text up to its last whole sentence or line within `most` characters, at a word's end if it has none.

    A block of code that is open there is closed.
    """
    kept = text[:most].rstrip()
    if len(text.rstrip()) > len(kept) or not is_ended(kept):
        ends = [found.end() for found in _SENTENCE_END.finditer(kept)]
        line = kept.rfind("\n")
        best = max([*ends, line], default=0)
        if best >= len(kept) // 3:
            kept = kept[:best].rstrip()
        else:
            word = kept.rfind(" ")
            kept = f"{kept[:word] if word > 0 else kept[:-1]} …"
    return f"{kept}\n```" if kept.count("```") % 2 else kept
