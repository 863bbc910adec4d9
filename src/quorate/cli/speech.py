"""Make streaming JSON replies readable while they arrive."""

from __future__ import annotations

import re

_TOKEN = re.compile(r'"((?:[^"\\]|\\.|\\\Z)*)"?|([{}\[\],:])|([^\s"{}\[\],:]+)', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.)|$)", re.DOTALL)
_PARTIAL = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?$")
_LETTERS = {"n": "\n", "t": "\t", "r": "\n", "b": "", "f": ""}


def readable(text: str) -> str:
    """Return the values of a complete or partial JSON object under their names; other text unchanged."""
    start = text.lstrip()
    if start.startswith("```"):
        start = start.partition("\n")[2].lstrip()
    if not start.startswith("{"):
        return text
    return "\n".join(_values(start))


def _values(text: str) -> list[str]:
    """Scan JSON tokens and never fail: names and values alternate in an object, a list has only values."""
    found: list[str] = []
    inside: list[str] = []
    name, names_next = "", False
    for string, sign, word in _TOKEN.findall(text):
        if sign in ("{", "["):
            inside.append(sign)
            names_next = sign == "{"
        elif sign in ("}", "]"):
            del inside[-1:]
        elif sign == ",":
            names_next = inside[-1:] == ["{"]
        elif sign == ":":
            names_next = False
        elif names_next:
            name = _unescaped(string)
        elif inside and (value := _unescaped(string) or word):
            found.append(f"{name}: {value}")
    return found


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_letter, _PARTIAL.sub("", text))


def _letter(match: re.Match[str]) -> str:
    code, letter = match.groups()
    if code is not None:
        return chr(int(code, 16))
    return _LETTERS.get(letter, letter or "")
