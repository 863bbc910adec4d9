"""Texts that cannot pass for an attribution: only code says who said something (T22)."""

from __future__ import annotations

import re

from quorate.protocols.roundtable.version_1.rules.personas import Cast
from quorate.protocols.roundtable.version_1.rules.sentences import folded

_BRACKETED = re.compile(r"[\[［]([^\[\]［］]{1,200})[\]］]")
_WORD = re.compile(r"[^\W\d_]+")
_ANYBODY = ("all", "user", "person", "you", "everyone", "everybody", "and")


def tamed(cast: Cast, text: str) -> str:
    """Return a text with round brackets where square ones hold nothing but names of the table."""
    names = {*_ANYBODY, *(word for each in cast.personas for word in _WORD.findall(folded(each.name)))}

    def round_(found: re.Match[str]) -> str:
        words = _WORD.findall(folded(found[1]))
        return f"({found[1]})" if words and names.issuperset(words) else found[0]

    return _BRACKETED.sub(round_, text)
