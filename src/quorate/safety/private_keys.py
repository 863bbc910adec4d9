"""Finds private keys, which span lines: their bodies line by line, so that a part of one can be masked too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quorate.safety.randomness import is_blank

_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d|\bPrivate-Lines: \d")
_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\bPrivate-MAC:")
_CORE = re.compile(r"[A-Za-z0-9+/=]+")
_FIELD = re.compile(r"^[\s\"'#*/]*(?:Proc-Type|DEK-Info|Version|Comment|Encryption|Public-Lines|Hash): ?")
_BODY = re.compile(r"^[\s\"'`#*/+|>,.;:()\\-]*+[A-Za-z0-9+/=]*+(?:\\r|\\n)*+[\s\"'`+,;)\\.-]*+$")
LEAST_BODY = 40
"""Characters from which a body is a key; shorter ones are headers in code and shortened examples."""
MOST_LINES = 400


@dataclass(frozen=True, slots=True)
class Key:
    """A private key: the lines of its body without what surrounds them, and where its first line stands."""

    lines: tuple[str, ...]
    start: int
    """The index of the line that begins it, among those that were looked at."""
    end: int


def keys_in(lines: Sequence[str]) -> Iterator[Key]:
    """Yield the private keys in consecutive lines; one that is cut at its beginning or its end counts as well."""
    at = 0
    while at < len(lines):
        text = lines[at]
        if begin := _BEGIN.search(text):
            if end := _END.search(text, begin.end()):
                if (key := _inline(text[begin.end() : end.start()], at)) is not None:
                    yield key
            else:
                body, stop = _down(lines, at + 1)
                if (key := _whole(body, at, stop)) is not None:
                    yield key
                at = stop if stop < len(lines) and _END.search(lines[stop]) else stop - 1
        elif _END.search(text):
            body, top = _up(lines, at - 1)
            if (key := _whole(body, top, at)) is not None:
                yield key
        at += 1


def is_key_open(text: str) -> bool:
    """Whether a private key begins in a text and does not end in it."""
    begins = [match.end() for match in _BEGIN.finditer(text)]
    return bool(begins) and _END.search(text, begins[-1]) is None


def _inline(body: str, at: int) -> Key | None:
    """A key in one line, its line ends written as escapes."""
    value = body.strip(" \t\"'")
    return Key((value,), at, at) if _is_key(_CORE.findall(value.replace("\\n", " "))) else None


def _down(lines: Sequence[str], at: int) -> tuple[list[str], int]:
    body: list[str] = []
    while at < len(lines) and len(body) < MOST_LINES and not _END.search(lines[at]):
        if not _FIELD.match(lines[at]):
            if not _BODY.match(lines[at]):
                break
            body.append(lines[at])
        at += 1
    return body, at


def _up(lines: Sequence[str], at: int) -> tuple[list[str], int]:
    """The lines above an end whose beginning is not shown."""
    body: list[str] = []
    while at >= 0 and len(body) < MOST_LINES and _BODY.match(lines[at]) and not _BEGIN.search(lines[at]):
        body.append(lines[at])
        at -= 1
    return body[::-1], at + 1


def _whole(body: Sequence[str], start: int, end: int) -> Key | None:
    cores = tuple(max(found, key=len) for line in body if (found := _CORE.findall(line)))
    return Key(cores, start, end) if _is_key(cores) else None


def _is_key(cores: Sequence[str]) -> bool:
    joined = "".join(cores)
    return len(joined) >= LEAST_BODY and not is_blank(joined[:200])
