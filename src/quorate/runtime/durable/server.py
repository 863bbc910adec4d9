"""Temporal client: start and signal workflows, and inspect workers and queues."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.api.taskqueue.v1 import TaskQueue
from temporalio.api.workflowservice.v1 import DescribeTaskQueueRequest
from temporalio.client import Client, WorkflowExecutionStatus, WorkflowFailureError, WorkflowHandle
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.envconfig import ClientConfigProfile
from temporalio.exceptions import ApplicationError, FailureError
from temporalio.service import RPCError, RPCStatusCode

from quorate.core.errors import SettingError, StoreError
from quorate.runtime.durable.messages import GO_ON, LOOK, REST, WORKFLOW, Start


class Unreachable(StoreError):
    """The Temporal server does not answer, or answers with an error."""


@contextmanager
def _reaching() -> Iterator[None]:
    try:
        yield
    except RPCError as error:
        raise Unreachable(f"the Temporal server refuses or does not answer: {error.message}") from error


RUNNING = f"WorkflowType = '{WORKFLOW}' AND ExecutionStatus = 'Running'"
MOST_LISTED = 10_000
CALL = timedelta(seconds=10)


@dataclass(frozen=True, slots=True)
class TemporalAddress:
    """Address of a server: `HOST:PORT`, or `HOST:PORT/NAMESPACE`."""

    host: str
    namespace: str = "default"

    @classmethod
    def read(cls, text: str, namespace: str | None = None) -> TemporalAddress:
        """Parse an address; a namespace given separately takes precedence."""
        host, _, own = text.strip().partition("/")
        name, colon, port = host.rpartition(":")
        if not colon or not name or not port.isascii() or not port.isdecimal() or not 0 < int(port) < 65_536:
            raise SettingError(f"is {text!r}", key="temporal", expected="HOST:PORT or HOST:PORT/NAMESPACE")
        return cls(host, namespace or own or "default")

    def __str__(self) -> str:
        return self.host if self.namespace == "default" else f"{self.host}/{self.namespace}"


async def connect(address: TemporalAddress) -> Client:
    """Connect; TLS and keys come from the environment and profiles of Temporal's own tools."""
    profile = replace(ClientConfigProfile.load(), address=address.host, namespace=address.namespace)
    try:
        return await Client.connect(**profile.to_client_connect_config())
    except (RuntimeError, RPCError) as error:
        words = str(error).splitlines()[0][:300]
        raise Unreachable(f"the Temporal server at {address} cannot be reached: {words}") from error


async def start(client: Client, session: str, queue: str) -> WorkflowHandle[object, object]:
    """Start a session's workflow, or signal the running one to read the journal and no longer rest."""
    with _reaching():
        return await client.start_workflow(
            WORKFLOW,
            Start(session),
            id=session,
            task_queue=queue,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            start_signal=GO_ON,
            rpc_timeout=CALL,
        )


async def tell(client: Client, session: str, *, rest: bool = False) -> bool:
    """Signal a running workflow to read the journal, or to rest; False if none runs."""
    try:
        await client.get_workflow_handle(session).signal(REST if rest else LOOK, rpc_timeout=CALL)
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            return False
        raise Unreachable(f"the Temporal server did not accept a signal for {session}: {error.message}") from error
    return True


@dataclass(frozen=True, slots=True)
class WorkflowState:
    """Whether a workflow runs, and the problem if it failed."""

    runs: bool
    problem: str = ""


async def state(handle: WorkflowHandle[object, object]) -> WorkflowState:
    """Return whether a workflow runs, and why it failed if it did."""
    with _reaching():
        status = (await handle.describe(rpc_timeout=CALL)).status
    if status is None or status is WorkflowExecutionStatus.RUNNING:
        return WorkflowState(True)
    if status is WorkflowExecutionStatus.COMPLETED:
        return WorkflowState(False)
    try:
        await handle.result(rpc_timeout=CALL)
    except WorkflowFailureError as error:
        return WorkflowState(False, _words(error.cause))
    return WorkflowState(False, status.name.lower())


async def check(client: Client) -> None:
    """Raise StoreError unless the server answers."""
    with _reaching():
        healthy = await client.service_client.check_health(timeout=CALL)
    if not healthy:
        raise Unreachable("the Temporal server reports that it is not healthy")


def _words(error: BaseException) -> str:
    """Return the message of the innermost error, which is ours."""
    while isinstance(error, FailureError) and error.cause is not None and not isinstance(error, ApplicationError):
        error = error.cause
    return error.message if isinstance(error, FailureError) else str(error)


@dataclass(frozen=True, slots=True)
class Queue:
    """A task queue and its pollers."""

    name: str
    asks: bool
    workers: tuple[str, ...]
    backlog: int


async def queue(client: Client, name: str, *, asks: bool) -> Queue:
    """Describe a task queue; a worker that has gone is still listed for some minutes."""
    kind = TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY if asks else TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW
    request = DescribeTaskQueueRequest(
        namespace=client.namespace, task_queue=TaskQueue(name=name), task_queue_type=kind, report_stats=True
    )
    with _reaching():
        found = await client.workflow_service.describe_task_queue(request, timeout=CALL)
    workers = tuple(sorted({poller.identity for poller in found.pollers}))
    return Queue(name, asks, workers, found.stats.approximate_backlog_count)


@dataclass(frozen=True, slots=True)
class Running:
    """A running workflow."""

    session: str
    queue: str


async def running(client: Client) -> list[Running]:
    """Return the running sessions, the newest first."""
    found = list[Running]()
    with _reaching():
        async for each in client.list_workflows(RUNNING, limit=MOST_LISTED):
            found.append(Running(each.id, each.task_queue))
    return found


async def queues(client: Client, workflows: Iterable[str], asks: Iterable[str]) -> list[Queue]:
    """Describe task queues of workflows and of asks."""
    names = [(name, False) for name in workflows] + [(name, True) for name in asks]
    return [await queue(client, name, asks=kind) for name, kind in names]
