"""Visible text: invisible characters written out, so that a text cannot read as something that it is not."""

from __future__ import annotations

import re

_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"  # controls, odd line ends, halves of characters
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2060-\u206f\u3164\ufeff\uffa0"
    "\u202a-\u202e\ufe00-\ufe0d\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    f"|(?<![{_EMOJI}\ufe0f])\u200d|\u200d(?![{_EMOJI}])"  # the joiner is honest work between two emoji only
)


def visible(text: str) -> str:
    """Return the text with every invisible or direction-changing character written out, such as ⟨U+202E⟩."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found.group()):04X}⟩", text)


def first_line(text: str) -> str:
    """Return the first non-blank line, without heading marks."""
    lines = (line.lstrip("# \t").strip() for line in visible(text).split("\n"))
    return next((line for line in lines if line), "")
