"""Speech as it streams in: models fill in JSON forms, people want to read what is being said."""

from __future__ import annotations

import re

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)("?)|([{}\[\],:])|([^\s"{}\[\],:]+)', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.)|$)", re.DOTALL)
_PARTIAL = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?$")
_LETTERS = {"n": "\n", "t": "\t", "r": "\n", "b": "", "f": ""}


def readable(text: str) -> str:
    """Return what a text says: the values of a JSON object, finished or not, under their names; other text as it is."""
    start = text.lstrip()
    if start.startswith("```"):
        start = start.partition("\n")[2].lstrip()
    if not start.startswith("{"):
        return text
    return "\n".join(_values(start))


def _values(text: str) -> list[str]:
    """Scan tokens, never fail: a string before a colon is a name, every other scalar is a value."""
    found: list[str] = []
    name, last = "", ""
    for match in _TOKEN.finditer(text):
        string, _, sign, word = match.groups()
        if sign == ":":
            name, last = last, ""
            continue
        if last:
            found.append(f"{name}: {last}" if name else last)
            last = ""
        if sign is None:
            last = _unescaped(string) if string is not None else word
        elif sign in "{[":
            name = ""
    if last:
        found.append(f"{name}: {last}" if name else last)
    return found


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_letter, _PARTIAL.sub("", text))


def _letter(match: re.Match[str]) -> str:
    code, letter = match.groups()
    if code is not None:
        return chr(int(code, 16))
    return _LETTERS.get(letter, letter or "")
