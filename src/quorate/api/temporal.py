"""Run sessions on many machines: Temporal workers drive them, and the opener follows the journal.

The setting `temporal` is the server's address. With it a session is started there instead of being driven here; the
opener still finishes it. Without the setting nothing of this is imported.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate import catalog
from quorate.api import seats
from quorate.api.reply_masks import cleaning, cleaning_text
from quorate.api.seats import Seating
from quorate.api.watchers import watched
from quorate.core.errors import SettingError, StoreError, nearest
from quorate.core.protocol import Protocol
from quorate.core.record import Record
from quorate.participants.providers import PROVIDERS, has_key
from quorate.participants.tools import ContextFolder
from quorate.runtime.happenings import Concluded, Waiting, Watcher
from quorate.runtime.writer import catch_up
from quorate.store.journal import Journal
from quorate.workspace import Workspace

if TYPE_CHECKING:
    from asyncio import Event

    from temporalio.client import Client, WorkflowHandle

    from quorate.runtime.durable.books import Seated
    from quorate.runtime.durable.messages import Begun
    from quorate.runtime.durable.server import Queue, Running
    from quorate.runtime.durable.worker import WorkerOffer

LOOK_EVERY = 5.0
"""Seconds after which a journal is polled without a notification."""
PATIENCE = 15.0
"""Seconds without a new entry after which the workers are checked."""
BUILT_IN = {"script": 64, "check": 4, "local": 1}
"""Providers that need no key, and the calls that a worker makes to them at the same time."""
EXTRA = "pip install 'quorate[durable]'"


class NobodyWorks(StoreError):
    """No worker polls the queue that a session needs; it continues as soon as one does."""


# Driving a session on Temporal


async def drive(
    workspace: Workspace, journal: Journal, session: str, record: Record, watch: Watcher, panel: Seating | None = None
) -> None:
    """Let workers drive a session, and follow its journal until it concludes or waits for people."""
    if panel is not None and _holds_functions(panel):
        raise SettingError(
            "has a function on a seat, but workers cannot call functions of this program",
            key="panel",
            expected="models, scripts and people, or a run without Temporal",
        )
    if panel is not None:
        raise SettingError(
            "cannot be changed: workers use the panel that the session was opened with",
            key="panel",
            expected="none here; a fork can have another",
        )
    seats.seat_again(record.protocol, record.opening)  # what no worker could seat is told here and now
    server, client = await _connected(workspace)
    queue = queue_of(record.opening.protocol)
    handle = await server.start(client, session, queue)
    waited = 0.0
    while record.session.conclusion is None:
        if len(record.session.open) == len(record.waits_for_people()):
            break
        await journal.wait(session, len(record.envelopes), LOOK_EVERY)
        if await catch_up(session, record, journal, watch):
            waited = 0.0
            continue
        waited += LOOK_EVERY
        if waited >= PATIENCE:
            waited = 0.0
            with suppress(server.Unreachable):  # it may be well again; what workers write is followed meanwhile
                if await _rests(client, handle, session, queue) and not await catch_up(session, record, journal, watch):
                    return
    now = record.session
    watch(Concluded(now.conclusion) if now.conclusion is not None else Waiting(now.open))


def _holds_functions(panel: Seating) -> bool:
    named = panel.get("seats") if isinstance(panel, Mapping) else None
    return isinstance(named, Mapping) and any(map(callable, named.values()))


async def _rests(client: Client, handle: WorkflowHandle[Any, Any], session: str, queue: str) -> bool:
    """Whether a session's workflow was told to rest; raises if it failed or no worker polls its queue."""
    from quorate.runtime.durable import server

    state = await server.state(handle)
    if state.problem:
        raise StoreError(
            f"the workflow of session {session} has stopped: {state.problem}; fix that, then resume the session"
        )
    if state.runs and not (await server.queue(client, queue, asks=False)).workers:
        raise NobodyWorks(
            f"no worker has the rules of session {session} (queue {queue}); it is kept, and goes on when one is started"
        )
    return not state.runs


async def check_server(workspace: Workspace, *, namespace: str | None = None) -> None:
    """Raise StoreError unless the Temporal server answers."""
    server, client = await _connected(workspace, namespace)
    await server.check(client)


async def told(workspace: Workspace, session: str) -> None:
    """Signal a session's workflow, if there is one, that its journal has new entries.

    The entries are durable: if the server does not answer, the workflow checks by itself within the hour.
    """
    server = _installed()
    with suppress(server.Unreachable):
        _, client = await _connected(workspace)
        await server.tell(client, session)


async def rest(workspace: Workspace, session: str) -> bool:
    """Tell the workers to stop driving a session; False if none did."""
    server, client = await _connected(workspace)
    return bool(await server.tell(client, session, rest=True))


def check_store(workspace: Workspace) -> None:
    """Raise SettingError for a store that other processes cannot reach."""
    if workspace.store.startswith("memory:"):
        raise SettingError(
            "is in the memory of this process",
            key="store",
            expected="a store that workers can reach, such as a file or a PostgreSQL server",
        )


async def _connected(workspace: Workspace, namespace: str | None = None) -> tuple[Any, Client]:
    check_store(workspace)
    server = _installed()
    if workspace.config.temporal is None:
        raise SettingError("is not set", key="temporal", expected="HOST:PORT of a Temporal server")
    address = server.TemporalAddress.read(workspace.config.temporal, namespace)
    return server, await _client(server, address)


_CLIENTS: dict[tuple[int, str], Any] = {}
"""One connection for each event loop and server: a host starts many workflows."""


async def _client(server: Any, address: Any) -> Client:
    import asyncio

    key = (id(asyncio.get_running_loop()), str(address))
    if key not in _CLIENTS:
        _CLIENTS.clear()
        _CLIENTS[key] = await server.connect(address)
    client: Client = _CLIENTS[key]
    return client


def _installed() -> Any:
    try:
        from quorate.runtime.durable import server
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("quorate"):
            raise
        raise SettingError(f"{error.name} is not installed", key="temporal", expected=EXTRA) from error
    return server


# Rules and queues


def build(begun: Begun) -> Protocol[Any]:
    """Build a session's protocol from what it began with."""
    return catalog.build(begun.protocol, begun.settings, seed=begun.seed, kept=begun.briefs)


@cache
def queue_of(protocol: str) -> str:
    """Return the task queue of a protocol's sessions under the rules of this process."""
    from quorate.runtime.durable.rules import workflow_queue

    return workflow_queue(catalog.build(protocol))


# Working


def reachable(environment: Mapping[str, str] = os.environ) -> dict[str, int]:
    """Return the providers that this process can call, with their limits on concurrent calls."""
    return {**BUILT_IN, **{name: each.concurrency for name, each in PROVIDERS.items() if has_key(name, environment)}}


def offer(
    *,
    providers: Mapping[str, int] | None = None,
    rates: Mapping[str, float] | None = None,
    limits: Mapping[str, int] | None = None,
    heartbeat: float = 10.0,
    grace: float = 10.0,
    most_entries: int = 2_000,
) -> WorkerOffer:
    """Return what this installation's worker offers: all protocols, and every provider it can call.

    An unknown provider raises SettingError: its queue would be polled in vain.
    """
    _installed()
    for option, named in (("--provider", providers), ("--rate", rates), ("--limit", limits)):
        for name in named or ():
            _check_known(name, option)
    from quorate.runtime.durable.worker import WorkerOffer

    queues = tuple(queue_of(name) for name in catalog.definitions())
    offered = dict(reachable() if providers is None else providers)
    return WorkerOffer(queues, offered, dict(rates or {}), dict(limits or {}), heartbeat, grace, most_entries)


def _check_known(provider: str, option: str) -> None:
    known = (*BUILT_IN, *PROVIDERS)
    if provider not in known:
        expected = f"one of {', '.join(known)}"
        raise SettingError(
            f"{provider!r} is not known", key=option, expected=expected, nearest=nearest(provider, known)
        )


async def work(
    workspace: Workspace,
    journal: Journal,
    offered: WorkerOffer,
    *,
    namespace: str | None = None,
    ready: Event | None = None,
) -> None:
    """Run a Temporal worker until cancelled: sessions of the installed protocols, and calls to providers."""
    _, client = await _connected(workspace, namespace)
    from quorate.runtime.durable import worker
    from quorate.runtime.durable.books import Ports
    from quorate.runtime.durable.rules import use
    from quorate.store.slots import open_slots

    use(build)

    async def seat(session: str) -> Seated:
        return await _seated(workspace, journal, session)

    slots = open_slots(workspace.store)
    try:
        await worker.work(client, Ports(journal, seat, slots), offered, ready)
    finally:
        await slots.close()


async def _seated(workspace: Workspace, journal: Journal, session: str) -> Seated:
    from quorate.api.sessions import load  # it knows this module
    from quorate.runtime.durable.books import Seated

    record = (await load(workspace, journal, session)).record
    run = record.opening.run
    context = run.get("context", "")
    panel = seats.seat_again(record.protocol, record.opening)
    watching = AsyncExitStack()
    return Seated(
        record,
        panel,
        ContextFolder(Path(context)) if context else None,
        cleaning(record),
        cleaning_text(record),
        run.get("budget", {}),
        await watching.enter_async_context(watched(workspace, journal, session, record)),
        watching.aclose,
        run.get("curtail", True),
    )


# Who does what


@dataclass(frozen=True, slots=True)
class Overview:
    """Queues with their pollers, running sessions, and sessions that no worker can drive."""

    address: str
    queues: tuple[Queue, ...]
    running: tuple[Running, ...]
    undriven: tuple[Running, ...]
    """Sessions that run on queues which no worker polls: their rules are nobody's."""
    unasked: tuple[Queue, ...]
    """Queues of asks that wait, and that no worker polls."""


async def overview(workspace: Workspace, *, namespace: str | None = None) -> Overview:
    """Query the server: workers by queue, running sessions, and sessions that wait for a worker in vain."""
    server, client = await _connected(workspace, namespace)
    from quorate.runtime.durable.rules import ask_queue

    running = await server.running(client)
    workflows = dict.fromkeys([*map(queue_of, catalog.definitions()), *(each.queue for each in running)])
    asks = dict.fromkeys(map(ask_queue, (*BUILT_IN, *PROVIDERS)))
    queues = await server.queues(client, workflows, asks)
    polled = {each.name for each in queues if each.workers}
    return Overview(
        str(server.TemporalAddress.read(workspace.config.temporal or "", namespace)),
        tuple(queues),
        tuple(running),
        tuple(each for each in running if each.queue not in polled),
        tuple(each for each in queues if each.asks and each.backlog and not each.workers),
    )
