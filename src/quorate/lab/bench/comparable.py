"""Comparable answers: normalises answers in prose so that equal ones compare equal.

A number is a number however it is written, a lettered option is its letter, a formula is itself without its dressing,
and any other short text is itself without case, white space and closing dots. What is longer than an answer is none.
"""

from __future__ import annotations

import re
from collections.abc import Container
from fractions import Fraction

MOST = 300
_OPTION = re.compile(r"\(?([A-Za-z])(?:[).:]|$)")
_BRACKETED = re.compile(r"(?<![A-Za-z])\(([A-Za-z])\)")
_NAMED = re.compile(r"(?<![A-Za-z])([A-Za-z])\)")
_FRACTION = re.compile(r"\\[dt]?frac\{(-?\d{1,30})\}\{(\d{1,30})\}")
_NUMBER = re.compile(r"-?\d{1,60}(?:\.\d{1,60})?(?:/\d{1,60})?")
_DRESSING = re.compile(r"\\(?:left|right|!|,|;|\s)|\$|\\text\{\s*\}")
_SAID = re.compile(r"answer is:?\s*([^\n]{1,300})", re.IGNORECASE)
_MARKED = re.compile(r"final (?:solution|answer)[*_]{0,3}:[\s*_]{0,5}([^\n]{1,300})", re.IGNORECASE)
_OFF = re.compile(r"\\left|\\right|\\[!,;: ]|\^\{?\\circ\}?|\\?[$%]|(?:\\text|\\mbox)\{ .*$|\s+")
_BARE_FRACTION = re.compile(r"\\[dt]?frac(?:\{([^{}]{1,60})\}|(\w))(?:\{([^{}]{1,60})\}|(\w))")
_WORDS = re.compile(r"\\(?:text|mbox|mathrm|textbf)\{([^{}]*)\}")
_BARE_ROOT = re.compile(r"\\sqrt(\w)")
_NAME = re.compile(r"[A-Za-z]{1,2}=(?=[^=]+$)")
BOXED = "\\boxed{"


def comparable(text: str) -> str | None:
    """Return an answer in normal form; None for an empty text and for one that is too long."""
    bare = " ".join(text.split()).strip().rstrip(".").strip()
    if not bare or len(bare) > MOST:
        return None
    if option := _OPTION.match(bare):
        return option[1].upper()
    return _plain(_FRACTION.sub(r"\1/\2", _DRESSING.sub("", bare)).strip())


def formula(text: str) -> str | None:
    """Return an answer of mathematics without spaces, units, degrees and the name before a sign of equality."""
    bare = text.strip()
    if not bare or len(bare) > 10 * MOST:
        return None
    bare = _NAME.sub("", _WORDS.sub(r"\1", _OFF.sub("", bare)).rstrip("."), count=1)
    bare = _BARE_ROOT.sub(r"\\sqrt{\1}", _BARE_FRACTION.sub(_written, bare))
    bare = f"0{bare}" if bare.startswith(".") else bare
    return _plain(_FRACTION.sub(r"\1/\2", bare)) if len(bare) <= MOST else None


def _written(found: re.Match[str]) -> str:
    above, below = found[1] or found[2], found[3] or found[4]
    return f"\\frac{{{above}}}{{{below}}}"


def _plain(bare: str) -> str | None:
    """Return a number in canonical form, and any other text in lower case."""
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", bare)
    if _NUMBER.fullmatch(plain):
        try:
            return str(Fraction(plain))
        except (ValueError, ZeroDivisionError):  # 1.5/2, 1/0
            return plain
    return bare.casefold()[:MOST] or None


def boxed(text: str) -> str | None:
    """Return the content of the last `\\boxed{...}` of a text, else what follows its last "answer is"; else None."""
    at = text.rfind(BOXED)
    if at < 0:
        said = _SAID.findall(text)
        return said[-1] if said else None
    depth, start = 1, at + len(BOXED)
    for index in range(start, min(len(text), start + 10 * MOST)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return text[start:index]
    return None


def marked(text: str) -> str:
    """Return what follows the last "Final Solution:" of a text, else the whole text."""
    found = _MARKED.findall(text)
    return found[-1] if found else text


def options(text: str, known: Container[str]) -> list[str]:
    """Return the known letters that a text names as options, in order: `(B)` where it brackets any, else `B)`."""
    for pattern in (_BRACKETED, _NAMED):
        if found := [each.upper() for each in pattern.findall(text) if each in known]:
            return found
    return []
