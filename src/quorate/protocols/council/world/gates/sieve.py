"""A cheap pre-filter for costly checks: picks the lines that contain a word or match a pattern."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

_Find = Callable[[int], int]
"""Where the next hit begins, from a place on; -1 for none."""


@dataclass(frozen=True, slots=True)
class Sieve:
    """The words and patterns to look for. Non-ASCII lines always pass, since they may fold into anything."""

    words: tuple[str, ...]
    """In small letters."""
    pattern: re.Pattern[str]

    def lines(self, text: str) -> tuple[int, ...]:
        """Return the 1-based numbers of the lines to read. Words are searched as strings, far faster than patterns."""
        lines = text.split("\n")
        starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
        kept: set[int] = set()
        if not text.isascii():
            kept.update(at for at, line in enumerate(lines) if not line.isascii())
        low = text.lower()
        if len(low) != len(text):  # some letters of other scripts change their length
            return tuple(range(1, len(lines) + 1))
        for word in self.words:
            kept.update(_hits(starts, len(lines), partial(low.find, word)))
        kept.update(_hits(starts, len(lines), lambda at: _start(self.pattern.search(text, at))))
        return tuple(at + 1 for at in sorted(kept))


def _start(found: re.Match[str] | None) -> int:
    return found.start() if found else -1


def _hits(starts: Sequence[int], count: int, find: _Find) -> Iterator[int]:
    """Yield each line with a hit, once."""
    at = find(0)
    while at >= 0:
        line = min(bisect_right(starts, at) - 1, count - 1)
        yield line
        if line + 1 >= count:
            return
        at = find(starts[line + 1])
