"""Temporal worker: runs workflows of its protocols, and asks of the providers it can call."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import timedelta

from temporalio.client import Client
from temporalio.worker import Worker, WorkflowRunner
from temporalio.worker.workflow_sandbox import SandboxedWorkflowRunner, SandboxRestrictions

from quorate.runtime.durable.activities import BEATS, Activities
from quorate.runtime.durable.books import Books, Ports
from quorate.runtime.durable.rules import ask_queue
from quorate.runtime.durable.workflow import Deliberation

STICKY = timedelta(seconds=5)
"""Time for a worker to resume a cached workflow before any other may."""
WORKFLOW_THREADS = 8
TIDY_EVERY = 10.0
"""Seconds between checks for idle sessions."""
POLLS = 2
"""Calls for work that wait at the server, for each queue of workflows."""


@dataclass(frozen=True, slots=True)
class WorkerOffer:
    """What a worker offers to run."""

    queues: Sequence[str]
    """The queues of workflows whose rules it has."""
    providers: Mapping[str, int]
    """The providers that it calls, and with how many calls at the same time."""
    rates: Mapping[str, float] = field(default_factory=dict)
    """The most calls a second to a provider, from all workers together."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """The most calls at the same time to a provider, from all workers together."""
    heartbeat: float = 10.0
    """Seconds without a sign of life after which another worker makes a call."""
    grace: float = 10.0
    """Seconds that calls under way get when the worker is told to end."""
    most_entries: int = 2_000
    """Entries after which a workflow is continued with a new history."""


def runner() -> WorkflowRunner:
    """Return the workflow sandbox, which forbids clocks and randomness and passes our pure modules through."""
    return SandboxedWorkflowRunner(restrictions=SandboxRestrictions.default.with_passthrough_modules("quorate"))


async def work(client: Client, ports: Ports, offer: WorkerOffer, ready: asyncio.Event | None = None) -> None:
    """Work until cancelled; calls in flight get a grace period, and other workers take over unfinished ones."""
    books = Books(ports)
    activities = Activities(books, offer.heartbeat, offer.most_entries, offer.limits)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(books.close_all)
        threads = stack.enter_context(ThreadPoolExecutor(WORKFLOW_THREADS))
        # Entered first, left last: workflows go on to be told what the calls under way have come to.
        for queue in offer.queues:
            await stack.enter_async_context(_workflows(client, queue, activities, threads))
        for provider, calls in offer.providers.items():
            await stack.enter_async_context(_asks(client, provider, calls, activities, offer))
        if ready is not None:
            ready.set()
        while True:
            await asyncio.sleep(TIDY_EVERY)
            await books.close_idle()


def _workflows(client: Client, queue: str, activities: Activities, threads: ThreadPoolExecutor) -> Worker:
    return Worker(
        client,
        task_queue=queue,
        workflows=[Deliberation],
        activities=activities.local(),
        no_remote_activities=True,
        workflow_runner=runner(),
        workflow_task_executor=threads,
        max_concurrent_workflow_task_polls=POLLS,
        sticky_queue_schedule_to_start_timeout=STICKY,
    )


def _asks(client: Client, provider: str, calls: int, activities: Activities, offer: WorkerOffer) -> Worker:
    return Worker(
        client,
        task_queue=ask_queue(provider),
        activities=[activities.ask],
        max_concurrent_activities=calls,
        max_task_queue_activities_per_second=offer.rates.get(provider),
        max_heartbeat_throttle_interval=timedelta(seconds=offer.heartbeat / BEATS),
        default_heartbeat_throttle_interval=timedelta(seconds=offer.heartbeat / BEATS),
        graceful_shutdown_timeout=timedelta(seconds=offer.grace),
    )
