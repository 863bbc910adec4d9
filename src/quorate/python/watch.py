"""Watching a session while it is driven: what is told of it, until the work is done and all of it has been told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from typing import Any

from quorate.api.stream import Ephemeral, Told

Event = dict[str, Any]
"""One event of a session, as every surface tells it."""


def as_event(each: Told | Ephemeral) -> Event:
    """Return what was told as plain data; what only passes by has a `kind` and no `seq`."""
    return dict(each.data) if isinstance(each, Told) else {"kind": each.kind, **each.data}


async def until_done(
    told: AsyncGenerator[Told | Ephemeral, None], work: asyncio.Task[Any], after: int, last: Callable[[], int]
) -> AsyncGenerator[Told | Ephemeral, None]:
    """Yield what is told until some work is done and its last event was told; what the work raises is raised."""
    seen = after
    coming = asyncio.ensure_future(anext(told))
    try:
        while True:
            if work.done():
                work.result()  # what went wrong is raised here
                if seen >= last():
                    return
            await asyncio.wait({coming} if work.done() else {coming, work}, return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                each = coming.result()
                seen = each.seq if isinstance(each, Told) else seen
                yield each
                coming = asyncio.ensure_future(anext(told))
    finally:
        await cancelled(coming)


async def cancelled(work: asyncio.Future[Any]) -> None:
    """Cancel some work and wait until it has let go; what it raised belongs to whoever waited for its result."""
    work.cancel()
    with suppress(asyncio.CancelledError, Exception):
        await work
