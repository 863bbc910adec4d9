"""Line numbers in a JSON text, for error messages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:"\s]+')


def lines_of(text: str, paths: Iterable[tuple[str | int, ...]]) -> dict[tuple[str | int, ...], int]:
    """Return the line of each path in a valid JSON text; for a missing path, the line of its container."""
    paths = tuple(paths)
    wanted = {path[:length] for path in paths for length in range(len(path) + 1)}
    found: dict[tuple[str | int, ...], int] = {(): 1}
    here: list[str | int | None] = []
    line, at = 1, 0
    for token in _TOKEN.finditer(text) if paths else ():
        line += text.count("\n", at, token.start())
        at = token.start()
        first = text[at]
        if first in "]}":
            here.pop()
        elif first == ",":
            inner = here[-1]
            here[-1] = inner + 1 if isinstance(inner, int) else None
        elif first != ":":
            if here and here[-1] is None:
                here[-1] = json.loads(token[0])
            place = tuple(part for part in here if part is not None)
            if place in wanted:
                found.setdefault(place, line)
            if first in "[{":
                here.append(0 if first == "[" else None)
    return {path: _nearest(path, found) for path in paths}


def _nearest(path: tuple[str | int, ...], found: dict[tuple[str | int, ...], int]) -> int:
    return next(found[path[:length]] for length in range(len(path), -1, -1) if path[:length] in found)
