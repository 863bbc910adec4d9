"""Desk of read-only commands, which also opens damaged stores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from quorate.cli.desk import Desk, Place, tell_shared


@contextmanager
def reading_desk(place: Place) -> Iterator[Desk]:
    """Context manager that opens the journal, or what is readable of it, and closes it."""
    import asyncio

    from quorate.api.readable import open_readable

    workspace = place.workspace()
    tell_shared(workspace)
    with asyncio.Runner() as runner:
        journal = open_readable(workspace)
        try:
            yield Desk(place, workspace, journal, runner)
        finally:
            runner.run(journal.close())
