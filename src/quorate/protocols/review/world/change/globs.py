"""Path patterns, as in .gitignore and .gitattributes and as globs, matched without exponential backtracking.

In a glob `*` and `?` stand within a name, `**` over folders, with `[abc]`, `{this,that}`, and `!` for not. One without
a slash is matched with the name of a file alone, wherever it lies; any other with the whole path.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache

MOST_PATTERNS = 2_000
MOST_PATTERN = 1_000
"""Characters of one pattern."""
MOST_GLOB = 300
MOST_ALTERNATIVES = 200


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern of a .gitignore-like file."""

    text: str
    parts: tuple[str, ...]
    anchored: bool
    """It is about a whole path, not about the name of a file anywhere."""
    negated: bool
    folders_only: bool

    def matches(self, parts: Sequence[str], folder: bool) -> bool:
        """Return whether it matches this file or folder itself."""
        if self.folders_only and not folder:
            return False
        if not self.anchored:
            return _part(self.parts[0]).match(parts[-1]) is not None
        return _along(self.parts, parts)


def patterns(text: str) -> tuple[Pattern, ...]:
    """Return the patterns of a .gitignore-like text; invalid lines, or lines beyond the limits, match nothing."""
    found = (pattern(line) for line in text.splitlines()[:MOST_PATTERNS] if not line.startswith("#"))
    return tuple(each for each in found if each is not None)


def pattern(line: str) -> Pattern | None:
    """Return the pattern of one line, or None if it has none."""
    text = line if line.endswith("\\ ") else line.rstrip(" ")
    negated = text.startswith("!")
    bare = text.removeprefix("!")
    folders_only = bare.endswith("/")
    bare = bare.removesuffix("/")
    if not bare or len(bare) > MOST_PATTERN:
        return None
    anchored = "/" in bare
    parts = tuple(bare.removeprefix("/").split("/"))
    return Pattern(text, parts, anchored, negated, folders_only) if all(parts) else None


def ignored_by(rules: Sequence[Pattern], path: str) -> str | None:
    """Return the pattern that ignores a file, or None; the last match wins, and an ignored folder is final."""
    parts = path.split("/")
    for depth in range(1, len(parts) + 1):
        here, folder = parts[:depth], depth < len(parts)
        for rule in reversed(rules):
            if rule.matches(here, folder):
                if not rule.negated:
                    return rule.text
                break
    return None


def is_glob(text: str) -> bool:
    """Return whether a text is a valid glob."""
    bare = text.removeprefix("!")
    return 0 < len(bare) <= MOST_GLOB and "\\" not in bare and len(_alternatives(bare)) <= MOST_ALTERNATIVES


def matches(globs: Sequence[str], path: str) -> bool:
    """Return whether a path matches any of the globs, and none of those that begin with `!`."""
    wanted = [glob for glob in globs if not glob.startswith("!")]
    unwanted = [glob[1:] for glob in globs if glob.startswith("!")]
    return any(_one(glob, path) for glob in wanted) and not any(_one(glob, path) for glob in unwanted)


def _one(glob: str, path: str) -> bool:
    names = path.split("/")
    return any(
        _along(tuple(each.strip("/").split("/")), names) if "/" in each else _part(each).match(names[-1]) is not None
        for each in _alternatives(glob)
    )


@lru_cache(maxsize=1_024)
def _alternatives(glob: str) -> tuple[str, ...]:
    """Expand `{a,b}`, one level deep, up to one more than the limit."""
    done = [""]
    for plain, choice in re.findall(r"([^{}]*)(?:\{([^{}]*)\})?", glob):
        choices = choice.split(",") if choice else [""]
        done = [f"{start}{plain}{each}" for start in done for each in choices][: MOST_ALTERNATIVES + 1]
    return tuple(done)


def _along(pattern_parts: tuple[str, ...], parts: Sequence[str]) -> bool:
    """Match part by part; `**` stands for any number of folders."""
    # `open` holds how many parts of the pattern may have been used up before the next part of the path.
    last = len(pattern_parts)
    open_at = _skipping(pattern_parts, {0})
    for part in parts:
        following = set[int]()
        for at in open_at:
            if at == last:
                continue
            if pattern_parts[at] == "**":
                following |= {at, at + 1} if at + 1 == last else {at}
            elif _part(pattern_parts[at]).match(part):
                following.add(at + 1)
        open_at = _skipping(pattern_parts, following)
        if not open_at:
            return False
    return last in open_at


def _skipping(pattern_parts: tuple[str, ...], at: set[int]) -> set[int]:
    """Add the positions reached if `**` matches no folder; a trailing one matches at least one."""
    for start in sorted(at):
        here = start
        while here < len(pattern_parts) - 1 and pattern_parts[here] == "**":
            here += 1
            at.add(here)
    return at


@lru_cache(maxsize=4_096)
def _part(text: str) -> re.Pattern[str]:
    """Compile one part; the regex never backtracks over what a star has matched."""
    return re.compile(translate(_SPECIAL.sub(_as_fnmatch, text)))


_SPECIAL = re.compile(r"\\(.)|\[\^|\*{2,}")


def _as_fnmatch(match: re.Match[str]) -> str:
    if match[1] is not None:
        return f"[{match[1]}]" if match[1] in "*?[" else match[1]
    return "[!" if match[0] == "[^" else "*"
