"""Stream the events of a session while it is driven, until the drive is done and all events were delivered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from typing import Any

from quorate.api.stream import Ephemeral, Told

Event = dict[str, Any]
"""One event of a session, as every surface tells it."""


def as_event(each: Told | Ephemeral) -> Event:
    """Return an event as plain data; unrecorded events have a `kind` and no `seq`."""
    return dict(each.data) if isinstance(each, Told) else {"kind": each.kind, **each.data}


async def until_done(
    told: AsyncGenerator[Told | Ephemeral, None], work: asyncio.Task[Any], after: int, last: Callable[[], int]
) -> AsyncGenerator[Told | Ephemeral, None]:
    """Yield events until the task is done and its last event was yielded. Errors of the task are raised."""
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
    """Cancel a task and wait for its cleanup; its exceptions are suppressed here."""
    work.cancel()
    with suppress(asyncio.CancelledError, Exception):
        await work
