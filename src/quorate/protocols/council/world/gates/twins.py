"""Twins: findings of one group whose texts are alike beyond doubt, which code joins by itself (C14).

Alike beyond doubt are two findings of one kind, place and field whose descriptions are the same characters, white space
and one full stop, comma or semicolon at the end aside, and whose quotations are the same lines, white space around and
between words aside. Nothing else is: a paraphrase is a matter for the seats, `a/..` is another path than `a/`, and one
line can have two defects.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

MOST_PAIRS = 200
_MARKS = (".", ",", ";")


@dataclass(frozen=True, slots=True)
class Text:
    """A finding as the matcher sees it."""

    key: str
    group: tuple[str, str, str]
    """Its kind, place and field."""
    by_gate: bool
    description: str
    evidence: str

    @property
    def normal(self) -> tuple[str, tuple[str, ...]]:
        """What has to be equal."""
        return _sentence(self.description), _lines(self.evidence)


def twins(texts: Iterable[Text]) -> tuple[tuple[str, str], ...]:
    """Return (kept, merged) keys, the lower number kept; what a gate found is never merged."""
    kept: dict[object, str] = {}
    merged: list[tuple[str, str]] = []
    for each in sorted(texts, key=lambda text: int(text.key[1:])):
        description, _ = each.normal
        first = kept.setdefault((each.group, each.normal), each.key)
        if first != each.key and description and not each.by_gate and len(merged) < MOST_PAIRS:
            merged.append((first, each.key))
    return tuple(merged)


def _sentence(text: str) -> str:
    words = " ".join(unicodedata.normalize("NFC", text).split())
    return words[:-1].rstrip() if words.endswith(_MARKS) and not words[:-1].endswith(_MARKS) else words


def _lines(text: str) -> tuple[str, ...]:
    lines = (" ".join(line.split()) for line in unicodedata.normalize("NFC", text).split("\n"))
    return tuple(line for line in lines if line)
