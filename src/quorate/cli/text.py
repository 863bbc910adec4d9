"""Make untrusted text safe to show on a terminal, and format numbers and times."""

from __future__ import annotations

import re
from typing import Any

# Help prints no text of others, so it compiles none of these: `re` does when one is first used.
_SEQUENCES = (
    r"(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # OSC: titles, links, the clipboard
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, the cursor, erasing
    r"|\x1b[ -/]+[0-~]"  # character sets
    r"|\x1b[0-Z\\^-~]"
)
# Line feeds and tabs stay. A carriage return would let a text overwrite its own line, so it becomes a line feed.
_BREAKS = r"\r\n?|[\x0b\x0c\x85\u2028\u2029]"
# Control characters, marks that reorder text, invisible tags, and halves of surrogate pairs.
_UNSAFE = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb\U000e0000-\U000e007f"
_REMOVED = f"[{_UNSAFE}]"
_HALVES = r"[\ud800-\udfff]"
_ESCAPED = f"[{_UNSAFE}\ud800-\udfff]"


def safe(text: str) -> str:
    """Return the text without escape sequences, control characters, and characters that reorder or hide text."""
    text = re.sub(_BREAKS, "\n", re.sub(_SEQUENCES, "", text))
    return re.sub(_HALVES, "\N{REPLACEMENT CHARACTER}", re.sub(_REMOVED, "", text))


def one_line(text: str, most: int = 0) -> str:
    """Return the text, safe and on one line, cut to `most` characters if given."""
    line = " ".join(safe(text).split())
    return line if not most or len(line) <= most else line[: max(0, most - 1)].rstrip() + "…"


def dump(value: Any, *, ascii_only: bool = False) -> str:
    """Return JSON that round-trips exactly and contains nothing that a terminal interprets."""
    import json

    text = json.dumps(value, ensure_ascii=ascii_only, indent=2)
    return re.sub(_ESCAPED, lambda match: json.dumps(match[0])[1:-1], text)  # its own escapes, surrogate pairs included


def count(number: int, noun: str, plural: str = "") -> str:
    """Format a number with its noun: `1 ask`, `1,204 tokens`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def seconds(elapsed: float) -> str:
    """Format a duration: `4.2 s`, `1:05`, `1:02:05`."""
    return f"{elapsed:.1f} s" if elapsed < 60 else clock(elapsed)


def clock(elapsed: float) -> str:
    """Format an elapsed time: `0:07`, `1:05`, `1:02:05`."""
    minutes, rest = divmod(int(elapsed), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def money(millionths: int | None) -> str:
    """Format an amount of millionths of a US dollar; None is an unknown price."""
    if millionths is None:
        return "cost unknown"
    return f"${millionths / 1_000_000:.4f}" if 0 < millionths < 10_000 else f"${millionths / 1_000_000:.2f}"
