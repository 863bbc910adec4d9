"""Masks: known secrets become `[masked secret N]` before anything is shown, sent or stored; reversible.

A line of a multi-line secret becomes `[masked secret N.L]`, so that a diff keeps its lines. Text that looks like a mask
is escaped: every `[masked` that was there becomes `[masked text]`, and is restored with the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from quorate.core.errors import InputError

_SIGN = "[masked"
_ESCAPED = "[masked text]"
_MASK = re.compile(r"\[masked (?:text\]|(secret)\]|secret (\d{1,7})(?:\.(\d{1,4}))?\])")
_JOIN = r"(?:[\s\"'`,;)\\rn]{0,40}\n[ +-]?[\s\"'`#*/(]{0,200}|(?:\\(?:[nrt]|u000[aAdD9])?|\s){1,40}+)"
"""What may stand between two lines of a key: what ends a line of code, and what begins one in a diff; line ends as they
are escaped."""
_LONG, _SHORT = 8, 4
"""Values are found by their first characters, so that many cost no more time than one."""
SHORT = 12
"""Under this length a value may be a word: one of letters alone is masked where it stands as a value only."""
MOST_BLOCKS = 200
"""Secrets of several lines that are looked for as a whole; of others every line of `SHORT` characters is masked."""
Span = tuple[int, int, str]


class Hidden(Protocol):
    @property
    def value(self) -> str:
        """The text to hide; several lines without what surrounds them."""
        ...


class Masks:
    """Known secrets and their numbers. Its repr shows none of them."""

    __slots__ = ("_blocks", "_long", "_marks", "_short", "_values")

    def __init__(self, values: Sequence[str]) -> None:
        self._values: tuple[str, ...] = tuple(dict.fromkeys(value for value in values if value))
        self._marks: dict[str, str] = {}
        self._blocks: list[tuple[re.Pattern[str], int]] = []
        for number, value in enumerate(self._values, start=1):
            lines = value.split("\n")
            for place, line in enumerate(lines, start=1):
                if len(lines) == 1 or len(line) >= SHORT:
                    self._marks.setdefault(line, _mark(number, place if len(lines) > 1 else 0))
            if len(lines) > 1 and len(self._blocks) < MOST_BLOCKS:
                rest = (f"(?>{_JOIN}({re.escape(line)}))" for line in lines[1:])  # atomic: read in one way alone
                self._blocks.append((re.compile(f"({re.escape(lines[0])}){''.join(rest)}"), number))
        self._long: dict[str, list[int]] = {}
        self._short: dict[str, list[int]] = {}
        for value in sorted(self._marks, key=len, reverse=True):
            index, size = (self._long, _LONG) if len(value) >= _LONG else (self._short, _SHORT)
            lengths = index.setdefault(value[:size], [])
            if len(value) not in lengths:
                lengths.append(len(value))

    @classmethod
    def of(cls, secrets: Iterable[Hidden]) -> Masks:
        """Number the secrets in order; equal values share a number."""
        return cls([secret.value for secret in secrets])

    def extended(self, secrets: Iterable[Hidden]) -> Masks:
        """Return masks with more secrets; known ones keep their numbers."""
        return Masks([*self._values, *(secret.value for secret in secrets)])

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Masks({len(self)})"

    def mask(self, text: str) -> str:
        """Return the text with all known secrets masked; `unmask` restores it exactly."""
        return _replaced(text, self._spans(text))

    def cover(self, text: str, mark: str) -> str:
        """Return the text with `mark` in place of every known secret; existing masks are left as they are."""
        return _replaced(text, ((start, end, mark) for start, end, _ in self._spans(text)), sign=_SIGN)

    def mask_quoted(self, text: str) -> str:
        """Mask a quotation that may have been cut inside a secret, the partial secret at its end included."""
        spans = self._spans(text)
        start = spans[-1][1] if spans else 0
        end = len(text.rstrip("….")) if text.endswith(("…", "...")) else len(text)
        for at in range(max(start, end - 2_000), end - _LONG + 1):
            if text[at : at + _LONG] in self._long and (mark := self._begun(text[at:end])):
                spans.append((at, end, mark))
                break
        return _replaced(text, spans)

    def _begun(self, rest: str) -> str | None:
        """Return the mark of a value that starts with this text."""
        return next((mark for value, mark in self._marks.items() if value.startswith(rest)), None)

    def unmask(self, text: str) -> str:
        """Restore the secrets; InputError for a mask with an unknown number."""
        return _MASK.sub(self._unmasked, text)

    def _unmasked(self, found: re.Match[str]) -> str:
        if found[1]:
            raise InputError(f"{found[0]} masks a secret that was not kept", expected="a text without that secret")
        if found[2] is None:
            return _SIGN
        number, place = int(found[2]), int(found[3] or 0)
        if 1 <= number <= len(self._values):
            lines = self._values[number - 1].split("\n")
            if 1 <= place <= len(lines) > 1:
                return lines[place - 1]
            if place == 0 and len(lines) == 1:
                return lines[0]
        raise InputError(f"there is no {found[0]}", expected=f"one of the {len(self)} masks that were shown")

    def _spans(self, text: str) -> list[Span]:
        """Return the spans to replace, in order and without overlaps: whole blocks first, then the longest match."""
        if not self._values:
            return []
        taken = sorted(self._in_blocks(text))
        spans: list[Span] = []
        at = 0
        for start, end, mark in [*taken, (len(text), len(text), "")]:
            if start >= at:
                spans += self._plain(text, at, start)
                if mark:
                    spans.append((start, end, mark))
                at = end
        return spans

    def _in_blocks(self, text: str) -> Iterator[Span]:
        for pattern, number in self._blocks:
            for found in pattern.finditer(text):
                yield from ((*found.span(place), _mark(number, place)) for place in range(1, pattern.groups + 1))

    def _plain(self, text: str, start: int, end: int) -> Iterator[Span]:
        long, short, marks, at = self._long, self._short, self._marks, start
        while at < end:
            lengths = long.get(text[at : at + _LONG])
            if short:
                lengths = (lengths or []) + short.get(text[at : at + _SHORT], [])
            for length in lengths or ():
                stop = at + length
                if stop <= end and (mark := marks.get(text[at:stop])) and _is_value(text, at, stop):
                    yield at, stop, mark
                    at = stop - 1
                    break
            at += 1


def _mark(number: int, place: int) -> str:
    return f"[masked secret {number}.{place}]" if place else f"[masked secret {number}]"


def _is_value(text: str, start: int, end: int) -> bool:
    """Whether a short value is a whole word; letters only must also be quoted, assigned or in an address."""
    if end - start >= SHORT:
        return True
    before, after = text[max(0, start - 40) : start], text[end : end + 1]
    if (before and (before[-1].isalnum() or before[-1] == "_")) or after.isalnum() or after == "_":
        return False
    if not text[start:end].isalpha() and any(char.isalnum() for char in text[start:end]):
        return True
    return before[-1:] in ("'", '"', "`", "@") or before.rstrip()[-1:] in ("=", ":")


def _replaced(text: str, spans: Iterable[Span], sign: str = _ESCAPED) -> str:
    parts: list[str] = []
    at = 0
    for start, end, mark in spans:
        parts += [text[at:start].replace(_SIGN, sign), mark]
        at = end
    parts.append(text[at:].replace(_SIGN, sign))
    return "".join(parts)
