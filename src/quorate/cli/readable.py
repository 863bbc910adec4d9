"""The desk of commands that only read: it opens a store that is too damaged for anything else, too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from quorate.cli.desk import Desk, Place, tell_shared


@contextmanager
def reading_desk(place: Place) -> Iterator[Desk]:
    """Open the journal of this place, or what is left of it, and close it at the end."""
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
