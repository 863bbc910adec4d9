"""Commands that protocols bring: found by the entry points of the group `quorate.commands`, loaded when they are used.

An entry point names a `CommandEntry` in a module that imports next to nothing, so that `quorate --help` lists every
command without loading one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from quorate import plugins

if TYPE_CHECKING:
    import click

    from quorate.cli.deliberate import How
    from quorate.cli.desk import Desk

GROUP = "quorate.commands"


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """A command of the command line. All places are written as "package.module:NAME"."""

    summary: str
    """One line for the list of commands."""
    command: str
    """Where the click command stands; `quorate.cli.group.Command` shows examples in its help."""
    section: str = "Deliberate"
    """The heading that it is listed under."""
    rank: int = 100
    """Its place among the commands of its section: small numbers first, then by name."""
    examples: tuple[str, ...] = ()
    """Lines for the examples of `quorate --help`."""
    leads: str = ""
    """Who leads a session of the protocol of this name as a conversation: a function (desk, session, how) -> exit code.

    Empty for a protocol whose sessions are driven like any other.
    """
    after_init: str = ""
    """What `quorate init NAME` says to do next: a function (folder, written files) -> text."""


@cache
def commands() -> dict[str, CommandEntry]:
    """Return the commands that installed protocols bring, by name, in the order in which they are listed."""
    found = {name: each for name in _references() if (each := command_entry(name)) is not None}
    return dict(sorted(found.items(), key=lambda each: (each[1].rank, each[0])))


@cache
def command_entry(name: str) -> CommandEntry | None:
    """Return one command that a protocol brings, without loading the others; None where none brings it."""
    reference = _references().get(name)
    if reference is None:
        return None
    entry = plugins.load(reference, f"the command {name}")
    if not isinstance(entry, CommandEntry):
        raise _definition_error(f"entry point {name} of {GROUP} is not a CommandEntry: {reference}")
    return entry


@cache
def _references() -> dict[str, str]:
    return plugins.references(GROUP)


def click_command(name: str) -> click.Command:
    """Load the click command of an entry."""
    import click

    entry = command_entry(name)
    if entry is None:
        raise _definition_error(f"no installed protocol has a command {name}")
    found = plugins.load(entry.command, f"the command {name}")
    if not isinstance(found, click.Command):
        raise _definition_error(f"the command {name} is a {type(found).__name__}, not a click command")
    return found


def leader_of(protocol: str) -> Callable[[Desk, str, How], int] | None:
    """Return who leads sessions of a protocol as a conversation; None where they are driven like any other."""
    entry = command_entry(protocol)
    if entry is None or not entry.leads:
        return None
    found: Callable[[Desk, str, How], int] = plugins.load(entry.leads, f"the conversation of {protocol}")
    return found


def after_init(protocol: str | None, folder: Path, written: list[Path]) -> str | None:
    """Return what a protocol says to do with its sample input; None for one that says nothing."""
    entry = command_entry(protocol or "")
    if entry is None or not entry.after_init:
        return None
    says: str = plugins.load(entry.after_init, f"the advice of {protocol}")(folder, written)
    return says


def _definition_error(text: str) -> Exception:
    from quorate.core.errors import DefinitionError  # a list of commands loads nothing of the core

    return DefinitionError(text)
