"""Builds the watcher of a session: the caller's, plus the telemetry that is configured."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from quorate.codec.entries import decode_opening
from quorate.core.record import Record
from quorate.runtime.happenings import Watcher, nobody_watches
from quorate.store.journal import Journal
from quorate.workspace import Workspace


@asynccontextmanager
async def watched(
    workspace: Workspace,
    journal: Journal,
    session: str,
    record: Record,
    watch: Watcher = nobody_watches,
    *,
    drives: bool = True,
) -> AsyncIterator[Watcher]:
    """Yield the watcher for whoever drives a session or writes to it; `drives` is False for a single entry.

    Nothing is read or imported for it unless the settings, or the variables of OpenTelemetry, ask for it.
    """
    from quorate.watching.process import watching  # it takes a while, and few need it

    found = watching(workspace.config.watch)
    if not found.sinks:
        yield watch
        return
    from quorate.watching.notes import About

    opening, envelope = decode_opening((await journal.entries(session))[0].body)
    about = About(session, opening.protocol, opening.version, envelope.at, opening.title)
    with found.session(about, record, watch, drives=drives) as told:
        yield told
