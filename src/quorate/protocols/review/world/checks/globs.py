"""Matches paths against globs: `*` and `?` within a name, `**` over folders, `[abc]`, `{this,that}`, and `!` for not.

A glob without a slash is matched with the name of a file alone, wherever it lies; any other with the whole path. The
time that a match takes is bounded by the lengths of both, since names are matched one by one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import translate
from functools import lru_cache

MOST_GLOB = 300
MOST_ALTERNATIVES = 200


def is_glob(text: str) -> bool:
    """Whether a text can be used as a glob."""
    bare = text.removeprefix("!")
    return 0 < len(bare) <= MOST_GLOB and "\\" not in bare and len(_alternatives(bare)) <= MOST_ALTERNATIVES


def matches(globs: Sequence[str], path: str) -> bool:
    """Whether a path matches any of the globs, and none of those that begin with `!`."""
    wanted = [glob for glob in globs if not glob.startswith("!")]
    unwanted = [glob[1:] for glob in globs if glob.startswith("!")]
    return any(_one(glob, path) for glob in wanted) and not any(_one(glob, path) for glob in unwanted)


def _one(glob: str, path: str) -> bool:
    return any(_plain(each, path) for each in _alternatives(glob))


def _plain(glob: str, path: str) -> bool:
    names = path.split("/")
    if "/" not in glob:
        return _named(glob, names[-1])
    reached = {0}
    """How many names of the path may be used up by the parts of the glob so far."""
    for part in glob.strip("/").split("/"):
        if part == "**":
            reached = set(range(min(reached), len(names) + 1)) if reached else set()
        else:
            reached = {n + 1 for n in reached if n < len(names) and _named(part, names[n])}
    return len(names) in reached


@lru_cache(maxsize=4_096)
def _compiled(part: str) -> re.Pattern[str]:
    return re.compile(translate(part))


def _named(part: str, name: str) -> bool:
    return _compiled(part).match(name) is not None


@lru_cache(maxsize=1_024)
def _alternatives(glob: str) -> tuple[str, ...]:
    """Write out `{a,b}`; one level of brackets, and no more than one over the limit."""
    done = [""]
    for plain, choice in re.findall(r"([^{}]*)(?:\{([^{}]*)\})?", glob):
        choices = choice.split(",") if choice else [""]
        done = [f"{start}{plain}{each}" for start in done for each in choices][: MOST_ALTERNATIVES + 1]
    return tuple(done)
