"""`models`: list what can sit on a seat, and pull or remove embedded models."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from quorate.cli.desk import json_option
from quorate.cli.group import Command
from quorate.cli.output import err, out, out_json

if TYPE_CHECKING:
    from quorate.api import ModelKind, PullNotice
    from quorate.participants.downloads import PullProgress


@click.command(
    cls=Command,
    examples=(
        "quorate models",
        "quorate models pull qwen2.5-coder-0.5b",
        "quorate models remove qwen2.5-coder-0.5b",
        "quorate models --json",
    ),
)
@click.argument("action", required=False, type=click.Choice(("pull", "remove")))
@click.argument("name", required=False)
@json_option
def models(action: str | None, name: str | None, as_json: bool) -> None:
    """List what can sit on a seat, or pull or remove an embedded model.

    Models of servers on this machine (Ollama, llama.cpp, LM Studio, vLLM) are listed as a panel names them.

    `quorate models pull NAME` downloads a model that runs in process, without key or server, and checks its digest. An
    interrupted pull goes on where it stopped. Names: smollm2, qwen2.5-coder-0.5b, qwen2.5-coder-1.5b.
    """
    if action is None:
        _list(as_json)
    elif name is None:
        raise click.UsageError(f"Say which model, such as `quorate models {action} smollm2`.")
    elif action == "pull":
        _pull(name, as_json)
    else:
        _remove(name, as_json)


def _list(as_json: bool) -> None:
    import asyncio

    from quorate import api
    from quorate.cli.table import table

    kinds = [*asyncio.run(api.served_models()), *api.models()]
    kinds.sort(key=lambda kind: not kind.name.startswith("local:"))
    if as_json:
        out_json([{"name": k.name, "says": k.says, "ready": k.ready, "todo": k.todo, "bytes": k.bytes} for k in kinds])
        return
    rows = [(k.name, "ready" if k.ready else k.todo or "not ready", _size(k), k.says) for k in kinds]
    out(table(("ON A SEAT", "STATE", "ON DISK", "WHAT IT IS"), rows))


def _size(kind: ModelKind) -> str:
    return f"{kind.bytes / 1_000_000:,.0f} MB" if kind.bytes else ""


def _pull(name: str, as_json: bool) -> None:
    from quorate import api

    notice = api.pull_notice(name)
    if notice.says:
        err(notice.says)
    with _progress(name, notice) as watch:
        where = api.pull_model(name, watch)
    out_json({"model": name, "path": where, "bytes": notice.bytes}) if as_json else out(where)


def _remove(name: str, as_json: bool) -> None:
    from quorate import api

    freed = api.remove_model(name)
    if as_json:
        out_json({"model": name, "bytes": freed})
    else:
        out(
            f"{name}: removed, {freed / 1_000_000:,.0f} MB freed"
            if freed
            else f"{name} is not here; nothing was removed"
        )


@contextmanager
def _progress(name: str, notice: PullNotice) -> Iterator[Callable[[PullProgress], None]]:
    """Yield what shows how far a pull is; if it ends early, say which parts are kept."""
    from quorate.cli.style import coloured

    kept = 0
    show = _bar(name, notice) if coloured(sys.stderr) else _lines(name, notice)
    try:
        with show as watch:

            def keep(progress: PullProgress) -> None:
                nonlocal kept
                kept = progress.parts
                watch(progress)

            yield keep
    except BaseException:
        if 0 < kept < notice.parts:
            err(f"{kept} of {notice.parts} parts are kept; `quorate models pull {name}` goes on from there")
        raise


@contextmanager
def _lines(name: str, notice: PullNotice) -> Iterator[Callable[[PullProgress], None]]:
    """Say each complete part on a line of its own."""
    said: int | None = None

    def watch(progress: PullProgress) -> None:
        nonlocal said
        if said is None:
            said = progress.parts
            if said:
                err(f"{name}: goes on after part {said} of {notice.parts}")
        elif progress.parts > said:
            said = progress.parts
            done, size = progress.bytes / 1_000_000, notice.bytes / 1_000_000
            err(f"{name}: part {said} of {notice.parts}, {done:,.0f} of {size:,.0f} MB")

    yield watch


@contextmanager
def _bar(name: str, notice: PullNotice) -> Iterator[Callable[[PullProgress], None]]:
    """Show a progress bar."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    from quorate.cli.style import working

    if notice.parts == 1:  # pip installs it and says nothing on the way
        with working(f"installing {name}" if notice.says else f"checking {name}"):
            yield lambda _: None
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as shown:
        task = shown.add_task(name, total=notice.bytes, start=False, visible=False)

        def watch(progress: PullProgress) -> None:
            number = min(progress.parts + 1, notice.parts)
            shown.start_task(task)
            shown.update(
                task, completed=progress.bytes, visible=True, description=f"{name}, part {number} of {notice.parts}"
            )

        yield watch
