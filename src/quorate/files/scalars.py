"""Meaning of unquoted YAML 1.2 scalars: a number, true, false, null, or text."""

from __future__ import annotations

import re

from quorate.files.located_values import Scalar

MOST_DIGITS = 1_000
"""Of a whole number; what is longer cannot even be printed."""

_OTHERS = frozenset("-+0123456789.~tTfFnN")
"""A text that begins with anything else is itself."""
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_FLOAT = re.compile(
    r"""[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+]?[0-9]+)?
    |[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+
    |[-+]?\.[0-9_]+(?:[eE][-+][0-9]+)?
    |[-+]?\.(?:inf|Inf|INF)
    |\.(?:nan|NaN|NAN)""",
    re.VERBOSE,
)
_INT = re.compile(r"[-+]?(?:0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|[0-9_]+)")


def plain_scalar(text: str) -> Scalar:
    """Return the value of an unquoted scalar; ValueError for a number that cannot be read."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _OTHERS:
        return text
    if _FLOAT.fullmatch(text):
        return float(text.replace("_", ""))  # .inf and .nan are no numbers to reckon with
    if _INT.fullmatch(text):
        if len(text) > MOST_DIGITS:
            raise ValueError("has too many digits")
        return int(text, 0) if text.lstrip("+-")[:2] in ("0x", "0o", "0b") else int(text)
    return text
