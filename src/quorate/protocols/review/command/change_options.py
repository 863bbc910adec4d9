"""Which change the options of a command name: a branch, a diff, the index, a commit or whole files."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from quorate.protocols.review.world.change.source import Source


def refuse_two_changes(given: dict[str, Any]) -> None:
    """Raise UsageError if the options name two changes."""
    sources = [name for name in ("base", "diff", "staged", "commit") if given[name]]
    if len(sources) > 1:
        raise click.UsageError(f"--{sources[0]} and --{sources[1]} name two changes; give one.")


def source_of(given: dict[str, Any]) -> Source:
    """Return the source of the change that the options name."""
    from quorate.protocols.review.world.change.source import Branch, Commit, Diff, Paths, Staged

    paths: tuple[str, ...] = given["paths"]
    if given["diff"] == "-":
        return Diff.of_text(_stdin(), paths)
    if given["diff"]:
        return Diff(given["diff"], paths=paths)
    if given["staged"]:
        return Staged(paths)
    if given["commit"]:
        return Commit(given["commit"], paths)
    return Branch(given["base"], paths=paths) if given["base"] or not paths else Paths(paths)


def _stdin() -> str:
    from quorate.core.errors import InputError
    from quorate.protocols.review.world.change.source import MOST_DIFF

    if sys.stdin is None:
        raise InputError("is closed", file="stdin", expected="a diff, such as: git diff main | quorate review --diff -")
    # What is not UTF-8 survives as it is: a diff may hold text in any encoding.
    return sys.stdin.buffer.read(MOST_DIFF + 1).decode("utf-8", "surrogateescape")
