"""Desk of a command: the effective settings, the open journal, and the event loop for async calls."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from asyncio import Runner

    from quorate.store.journal import Journal
    from quorate.workspace import Workspace

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """The global options `-C`, `--store`, `--temporal` and `--cache`."""

    directory: Path | None = None
    store: str | None = None
    temporal: str | None = None
    """The Temporal server whose workers are to drive sessions."""
    cache: Path | None = None
    """The folder of replies that models gave before; a session keeps it, so no later command has to name it."""
    no_exam: bool = False
    """Open a session without letting embedded models sit their first exam."""

    def command(self, *words: str) -> str:
        """Return a command line for the same store, quoted for a shell."""
        from quorate.store.open import shown_store

        before = ["quorate"]
        if self.directory is not None:
            before += ["-C", str(self.directory)]
        if self.store is not None:
            before += ["--store", shown_store(self.store)]
        if self.temporal is not None:
            before += ["--temporal", self.temporal]
        return shlex.join([*before, *words])

    def workspace(self, sets: tuple[str, ...] = (), scope: str = "") -> Workspace:
        """Read the effective settings."""
        import os

        from quorate.cli.output import err
        from quorate.workspace import find_workspace

        environment = dict(os.environ)
        for name, value in (("QUORATE_TEMPORAL", self.temporal), ("QUORATE_CACHE", self.cache)):
            if value is not None:
                environment[name] = str(value)
        if self.no_exam:
            environment["QUORATE_EXAMINE_LOCAL"] = "false"
        found = find_workspace(Path.cwd(), environment, store=self.store, sets=sets, scope=scope)
        return replace(found, tell=err)


@dataclass(frozen=True)
class Desk:
    """A workspace with its open journal."""

    place: Place
    workspace: Workspace
    journal: Journal
    runner: Runner

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to completion."""
        return self.runner.run(work)

    def find(self, name: str) -> str:
        """Return the session id for an id, an id prefix, or `latest`."""
        from quorate import api
        from quorate.core.errors import InputError, SettingError

        try:
            return self.run(api.find_session(self.journal, name, self.workspace.folder))
        except InputError as error:  # it stands on the command line, in no file
            raise SettingError(error.what, expected=error.expected, nearest=error.nearest) from error


@contextmanager
def desk(place: Place, sets: tuple[str, ...] = (), scope: str = "", *, quiet: bool = False) -> Iterator[Desk]:
    """Context manager that opens the journal. Unless quiet, it notes when the user's own store is used."""
    import asyncio

    workspace = place.workspace(sets, scope)
    if not quiet:
        tell_shared(workspace)
    with asyncio.Runner() as runner:
        journal = workspace.open()
        try:
            yield Desk(place, workspace, journal, runner)
        finally:
            runner.run(journal.close())


def tell_shared(workspace: Workspace) -> None:
    """Note on stderr that the user's own store is used, if there is no project and no `--store`."""
    if workspace.folder is not None:
        from quorate.cli.output import err

        own = workspace.files[0] if workspace.files else workspace.shown
        err(f"no project here: using your own store {own}; `quorate init` makes one for this folder")


def store_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Also accept `--store` after the command."""

    def take(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
        if value is not None and isinstance(ctx.obj, Place):
            ctx.obj = replace(ctx.obj, store=value)

    return click.option(
        "--store", metavar="URL", expose_value=False, callback=take, help="The store, such as sqlite:work.db."
    )(command)


def exam_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--no-exam` to a command that opens a session."""

    def take(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        if value and isinstance(ctx.obj, Place):
            ctx.obj = replace(ctx.obj, no_exam=True)

    return click.option(
        "--no-exam",
        is_flag=True,
        expose_value=False,
        callback=take,
        help="Let no embedded model sit its first exam.",
    )(command)


def chance_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--seed` to a simulating command; the same seed gives the same result."""
    return click.option(
        "--seed",
        type=click.IntRange(0, 2**31 - 1),
        default=1,
        show_default=True,
        metavar="N",
        help="What chance is drawn from.",
    )(command)


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--json`, which prints the result as one JSON value on stdout."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON value instead of text.")(command)
