"""Run a session from a terminal with a live view; Ctrl-C suspends it without loss."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from quorate.cli.output import err, is_terminal
from quorate.exit_codes import SUSPENDED

if TYPE_CHECKING:
    import asyncio
    from pathlib import Path

    from quorate.api import Result
    from quorate.cli.desk import Desk
    from quorate.cli.live import LiveView
    from quorate.cli.plain import PlainView
    from quorate.cli.progress import Progress
    from quorate.core.record import Record
    from quorate.runtime.happenings import Happening

T = TypeVar("T")
FRAME = 0.1
"""Seconds between two pictures of the live view."""
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


class ProgressView(Protocol):
    """Interface of views: told of every happening, and of time passing."""

    def __call__(self, happening: Happening) -> None: ...
    def open(self) -> None: ...
    def tick(self) -> None: ...
    def close(self) -> None: ...


@dataclass
class Watched:
    """Wraps a view so that its errors cannot harm the session: a broken view is dropped."""

    view: ProgressView
    broken: bool = False

    def __call__(self, happening: Happening) -> None:
        self._try(lambda: self.view(happening))

    def open(self) -> None:
        self._try(self.view.open)

    def tick(self) -> None:
        self._try(self.view.tick)

    def _try(self, draw: Callable[[], None]) -> None:
        if self.broken:
            return
        try:
            draw()
        except Exception as error:
            self.broken = True
            self.view.close()
            err(f"quorate: the live display failed ({type(error).__name__}: {error}); the session goes on")


SUSPENDING = "suspending; what was said is kept (once more to leave at once)"


def view_of(progress: Progress) -> LiveView | PlainView:
    """Return the live view if stderr is a terminal, else the plain view."""
    if is_terminal(sys.stderr) and os.environ.get("TERM", "") not in ("", "dumb"):
        from quorate.cli.live import LiveView

        return LiveView(progress)
    from quorate.cli.plain import PlainView

    return PlainView(progress)


def tell_missed(record: Record, known: int) -> None:
    """Show what happened after so many lines of a record's log, as `drive` would have."""
    from quorate.cli.progress import Progress

    view_of(Progress(record, known)).catch_up()


def drive(desk: Desk, session: str, panel: Path | None = None, known: int | None = None) -> Result | None:
    """Run a session until it concludes or waits for people; None if a signal suspended it.

    What its log has beyond `known` lines is shown first: a person's answers, and what followed from them.
    """
    from quorate import api
    from quorate.cli.progress import Progress

    record = desk.run(api.load(desk.workspace, desk.journal, session)).record
    watched = Watched(view_of(Progress(record, known)))
    work = api.run(desk.workspace, desk.journal, session, panel=panel, watch=watched)
    farewell = "no longer watching; the workers go on" if desk.workspace.config.temporal else SUSPENDING
    return desk.run(until_stopped(work, watched, farewell))


async def until_stopped(
    work: Coroutine[Any, Any, T], watched: Watched, farewell: str, says: Callable[[str], None] = err
) -> T | None:
    """Await work with its view open. The first signal cancels it and returns None; the second exits at once."""
    import asyncio

    task = asyncio.ensure_future(work)
    presses = 0

    def stop() -> None:
        nonlocal presses
        presses += 1
        watched.view.close()  # what moves goes first, or the words would stand in the middle of it
        if presses == 1:
            says(farewell)
            task.cancel()
            return
        says("left at once; the journal is whole")
        os._exit(SUSPENDED)  # whatever hangs cannot hold us; every entry was durable before anything followed from it

    loop = asyncio.get_running_loop()
    taken = _take_signals(loop, stop)
    watched.open()
    pictures = asyncio.ensure_future(_animate(watched))
    try:
        return await task
    except asyncio.CancelledError:
        return None
    finally:
        pictures.cancel()
        watched.view.close()
        for number in taken:
            loop.remove_signal_handler(number)


def _take_signals(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> list[signal.Signals]:
    """Handle termination signals, except those that the parent process has set to ignored."""
    taken: list[signal.Signals] = []
    for name in SIGNALS:
        number = getattr(signal, name, None)
        if number is None or signal.getsignal(number) is signal.SIG_IGN:
            continue
        try:
            loop.add_signal_handler(number, stop)
        except (NotImplementedError, ValueError):  # Windows, or not the main thread
            continue
        taken.append(number)
    return taken


async def _animate(watched: Watched) -> None:
    import asyncio

    while True:
        watched.tick()
        await asyncio.sleep(FRAME)
