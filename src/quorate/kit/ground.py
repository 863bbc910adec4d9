"""Ground: whether what is given as evidence stands in the material, by one lenient matcher for every protocol.

Models and people quote loosely: without a diff's markers, in backticks, behind "line 20:", "F1 H3:" or ">", with an
ellipsis, with other quotation marks, escapes or line breaks, in the middle of a sentence of their own, or with words
behind it. All that is a quotation. Other words are not.

Words behind a quotation are passed over where what stands before them is a whole line of the material, of at least
`LEAST_IN_PASSING` characters and with a sign of code in it, and where they are words: a sentence on a line of its own,
or two words and more, or a comment. So are words with a colon before it, which begin as a sentence does. A part of a
line, a line of prose, and more code beside it are no such quotation.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property, lru_cache
from html import unescape

from quorate.core.forms import LEAST_QUOTED, Prose
from quorate.kit.locations import without_location

LEAST_IN_PASSING = 2 * LEAST_QUOTED
"""Characters without white space from which a span inside a sentence counts: a name alone is no evidence."""
LEAST_OF_LINE = 4
"""Shorter lines and pieces, such as a lone bracket, are passed over."""
LEAST_OF_SENTENCE = 3
"""Words from which a line behind a quotation is a sentence."""

_SAME = str.maketrans(dict.fromkeys('"`´‘’‚‛“”„‟«»‹›′″', "'") | dict.fromkeys("‐‑‒–—―−", "-"))
_NUMBERS = r"\d{1,7}(?:\s{0,3}[-–]\s{0,3}l?\d{1,7})?"
_LABEL = re.compile(
    rf"\s*(?:>\s?){{1,5}}|\s*(?:[-*•]\s+)?(?:[\w./\\-]{{1,200}}:(?=l?\d))?"
    rf"(?:(?:at line|lines|line|row|l)\s{{0,3}}{_NUMBERS}(?:\s{{0,3}}[:|),]\s?|\s+)"
    rf"|[+-]?{_NUMBERS}(?:\s{{0,3}}[:|)]\s?|\t|\s{{2,9}}|\s(?=[+-])))",
    re.IGNORECASE,
)
"""What people put before a quoted line: a sign of quotation, or its number."""
_ELLIPSIS = re.compile(r"\[?(?:…|\.{3,})\]?")
_FENCE = re.compile(r"```[\w+-]{0,20}\n(.*?)```", re.DOTALL)
_FENCED = re.compile(r"\s*```[\w+-]{0,20}\s*")
_SPAN = re.compile(r"`([^`\n]{1,2000})`|\"([^\"\n]{1,2000})\"|“([^”\n]{1,2000})”")
_ESCAPES = {"\\n": "\n", "\\t": "\t", '\\"': '"', "\\'": "'"}
_ENDS = "'.,;:!?()[]"
_CODE = re.compile(r"[\[\]{}=<>|^@$\\_]|\w\(|\S [*+/%&] \S")
"""What stands in lines of code, and hardly in prose."""
_BEHIND = re.compile(r"\s*(#|//|--+|[-=]>|[—–→←:(]|-(?=\s))?\s*(.*)", re.DOTALL)
_COMMENT = re.compile(r"\s(?:#|//).*")
_COLON = re.compile(r":\s+")
_WORD = re.compile(r"[\"'`(]*[^\W_](?:[\w'/.-]*\w)?[\"'`)]*[.,:;!?]*|[-–—]")
_JOINS = frozenset({"and", "as", "else", "except", "for", "if", "in", "is", "not", "or", "unless", "while", "with"})
"""Words with which code goes on as well as prose does."""


def is_grounded(evidence: Prose, material: str, least: int = LEAST_QUOTED) -> bool:
    """A mark: the evidence is, or holds, a quotation from the material of at least so many characters."""
    return _ground(material).holds(evidence.text, least)


class Ground:
    """One material that evidence is looked for in, prepared once."""

    def __init__(self, material: str) -> None:
        self._sides, self._material = _sides(material), material

    def holds(self, evidence: str, least: int = LEAST_QUOTED) -> bool:
        """Return whether the evidence is, or holds, a quotation of at least so many characters."""
        return any(map(self._occurs, quotations(evidence, least))) or self._is_before_words(evidence)

    def _occurs(self, pieces: tuple[str, ...]) -> bool:
        return all(any(piece in side for side in self._sides) for piece in pieces)

    def _is_before_words(self, evidence: str) -> bool:
        """Return whether lines of code are quoted whole, each other line being quoted too, or words (see above)."""
        found = False
        for line in _lines(evidence):
            pieces = _pieces(_bare(_unmarked(line)))
            if any(head in self._whole_lines for head in among_words(line)):
                found = True
            elif self._occurs(pieces):
                whole = self._whole_lines.intersection(pieces)
                found = found or any(len(piece) >= LEAST_IN_PASSING for piece in whole)
            elif not (found and _is_sentence(line)):
                return False
        return found

    @cached_property
    def _whole_lines(self) -> frozenset[str]:
        """The lines that have a sign of code, with and without a diff's marker and a comment, as `squeezed`."""
        lines = [line for line in self._material.split("\n") if _CODE.search(line)]
        bare = [_bare(line) for line in lines]
        return frozenset(squeezed(each).strip(_ENDS) for each in (*lines, *bare, *(_COMMENT.sub("", x) for x in bare)))


_ground = lru_cache(maxsize=8)(Ground)


def quotations(evidence: str, least: int = LEAST_QUOTED) -> Iterator[tuple[str, ...]]:
    """Yield the ways to read evidence as a quotation, the strictest first; all pieces of one have to occur.

    Pieces are as `squeezed` returns text.
    """
    for text in dict.fromkeys((evidence, unescaped(evidence))):
        yield from _as_quoted(text, least)
        for block in _FENCE.findall(text):
            yield from _as_quoted(block, least)
        for span in _SPAN.findall(text):
            pieces = _pieces("".join(span))
            if sum(map(len, pieces)) >= max(least, LEAST_IN_PASSING):
                yield pieces


def unescaped(text: str) -> str:
    """Return a text without the escapes of JSON and HTML that models leave in what they quote."""
    for escape, character in _ESCAPES.items():
        text = text.replace(escape, character)
    return unescape(text)


def squeezed(text: str) -> str:
    """Return the text as it is compared: no white space, lower case, one kind of quotation mark and of dash."""
    return "".join(unicodedata.normalize("NFKC", text).translate(_SAME).casefold().split())


def among_words(line: str) -> Iterator[str]:
    """Yield what of a line may be a quotation with words before or behind it, `squeezed`, the longest first."""
    bare = _bare(_unmarked(line))
    yield from _before_words(bare)
    for colon in _COLON.finditer(bare):
        tail = _bare(bare[colon.end() :])
        if _is_title(bare[: colon.end()]) and len(squeezed(tail).strip(_ENDS)) >= LEAST_IN_PASSING:
            yield squeezed(tail).strip(_ENDS)
            yield from _before_words(tail)


def _before_words(bare: str) -> Iterator[str]:
    for space in reversed([found.start() for found in re.finditer(r"\s+|(?<=\S)(?=#|//|→|—)", bare)]):
        head = squeezed(bare[:space]).strip(_ENDS)
        if len(head) >= LEAST_IN_PASSING and _CODE.search(bare[:space]) and _is_words(bare[space:]):
            yield head


def _is_words(behind: str) -> bool:
    """Return whether what stands behind a quotation is words, and cannot be more code."""
    sign, rest = _BEHIND.fullmatch(behind).groups()  # type: ignore[union-attr]  # it matches whatever stands there
    words = rest.rstrip(")] ").split()
    if not words or not all(map(_WORD.fullmatch, words)):
        return False
    least = 5 if words[0].casefold() in _JOINS else 1 if sign in ("#", "//") else 2
    return len(words) >= least


def _is_title(before: str) -> bool:
    """Return whether what stands before a quotation is words with a colon, which begin as a sentence does."""
    return before[:1].isupper() and all(map(_WORD.fullmatch, before.split()))


def _is_sentence(line: str) -> bool:
    """Return whether a line of its own is a sentence, which begins as one and has words alone."""
    words = line.split()
    return len(words) >= LEAST_OF_SENTENCE and words[0][:1].isupper() and all(map(_WORD.fullmatch, words))


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip() and not _FENCED.fullmatch(line)]


def _unmarked(line: str) -> str:
    """Return a line without what people put before a quotation, a sign, a number or both, and where it stands."""
    line = without_location(line)
    for _ in range(2):
        line = line[label.end() :] if (label := _LABEL.match(line)) else line
    return line


def _bare(line: str) -> str:
    """Return a line without backticks, asterisks on both sides, and a diff's marker."""
    stripped = line.strip()
    if stripped.startswith("**") and stripped.endswith("**"):
        stripped = stripped.strip("*")
    stripped = stripped.strip("` ")
    return stripped[1:] if stripped[:1] in ("+", "-") else stripped


def _as_quoted(text: str, least: int) -> Iterator[tuple[str, ...]]:
    """Yield the text as one quotation, with and without line labels and a diff's markers, and line by line."""
    lines = _lines(text)
    unmarked = [_unmarked(line) for line in lines]
    bare = [_bare(line) for line in unmarked]
    for kept in (lines, unmarked, bare):
        pieces = _pieces("\n".join(kept))
        if sum(map(len, pieces)) >= least:
            yield pieces
    each = tuple(piece for line in bare for piece in _pieces(line))
    if max(map(len, each), default=0) >= least:
        yield each


def _pieces(text: str) -> tuple[str, ...]:
    """Return what stands between ellipses, without punctuation at the ends."""
    found = (squeezed(part).strip(_ENDS) for part in _ELLIPSIS.split(text))
    return tuple(piece for piece in found if len(piece) >= LEAST_OF_LINE)


def _sides(material: str) -> tuple[str, ...]:
    """Return the texts that may be quoted: the material; if it is a diff, without its markers too, and each side."""
    lines = material.split("\n")
    bare = [line[1:] if line[:1] in "+- " else line for line in lines]
    new = [kept for line, kept in zip(lines, bare, strict=True) if line[:1] != "-"]
    old = [kept for line, kept in zip(lines, bare, strict=True) if line[:1] != "+"]
    return tuple(dict.fromkeys(squeezed("\n".join(side)) for side in (lines, bare, new, old)))
