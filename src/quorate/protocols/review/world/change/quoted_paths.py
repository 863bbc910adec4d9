r"""Quoting of paths, as git does it and as Quorate shows them: printable and unambiguous.

A shown path is the path itself, except that whatever is not printable (control characters, text that is not UTF-8,
invisible and right-to-left marks), the quotation mark and the backslash are escaped as git escapes them: `a\tb`.
"""

from __future__ import annotations

import re

_NAMED = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_BYTES = {name: code for code, name in _NAMED.items()}
_ESCAPE = re.compile(r'\\([0-3][0-7]{2}|[abtnvfr"\\])')
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


def shown(path: bytes) -> str:
    """Return the path as it is shown."""
    text = path.decode("utf-8", "surrogateescape")
    if _plain(text):
        return text
    return "".join(char if _plain(char) else _escaped(char) for char in text)


def _plain(text: str) -> bool:
    return text.isprintable() and '"' not in text and "\\" not in text


def _escaped(char: str) -> str:
    data = char.encode("utf-8", "surrogateescape")
    return "".join(f"\\{_NAMED[code]}" if code in _NAMED else f"\\{code:03o}" for code in data)


def hidden(path: str) -> bytes:
    """Return the bytes of a shown path: the inverse of `shown`."""
    parts, at = list[bytes](), 0
    for match in _ESCAPE.finditer(path):
        parts.append(path[at : match.start()].encode("utf-8", "surrogateescape"))
        name = match[1]
        parts.append(bytes([_BYTES[name] if name in _BYTES else int(name, 8)]))
        at = match.end()
    parts.append(path[at:].encode("utf-8", "surrogateescape"))
    return b"".join(parts)


def in_header(prefix: str, path: str) -> str:
    """Return a shown path for the header of a patch, quoted if git would quote it."""
    return f'"{prefix}{path}"' if "\\" in path else f"{prefix}{path}"


def first_name(text: str) -> tuple[str, str] | None:
    """Split a quoted name off the front of a header: its shown form and the rest; None if it is not quoted."""
    match = _QUOTED.match(text)
    if match is None:
        return None
    return shown(hidden(match[1])), text[match.end() :]


def name_of(text: str) -> str:
    """Return the shown form of a name that may be quoted."""
    quoted = first_name(text)
    return quoted[0] if quoted is not None else shown(text.encode("utf-8", "surrogateescape"))
