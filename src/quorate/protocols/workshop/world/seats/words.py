"""Looks for critical words in what somebody said: whole words, however capitalised, joined or encoded (W23)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from quorate.safety.normal_form import visible

_JOINTS = r"[\s_\-\u058a\u05be\u2010-\u2015\u2212\u301c\uff5e]"
"""What stands between the parts of a compound: white space, or one of the many dashes."""
_JOINT = re.compile(f"{_JOINTS}+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Letters of languages that put no space between words: there a word is wherever its letters are."""


def finder(words: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern that finds any of the words in a text that was `folded`; None where there are none."""
    patterns = dict.fromkeys(found for word in words if (found := _pattern(folded(word))))
    return re.compile("|".join(patterns)) if patterns else None


def folded(text: str) -> str:
    """Return the text as it is compared: composed, in one case, without characters that nobody sees."""
    plain = unicodedata.normalize("NFKC", visible(text)).casefold()
    return unicodedata.normalize("NFKC", plain)  # folding the case can take a letter apart again


def _pattern(word: str) -> str:
    """Join the parts of a word with any joint: `must-have` is also `must have`, and `must haves` is another word."""
    parts = [part for part in _JOINT.split(word) if part]
    if not parts:
        return ""
    before = "" if _UNSPACED.match(parts[0][0]) else r"(?<!\w)"
    after = "" if _UNSPACED.match(parts[-1][-1]) else r"(?!\w)"
    return before + f"{_JOINTS}+".join(map(re.escape, parts)) + after
