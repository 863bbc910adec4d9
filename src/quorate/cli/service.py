"""Shared parts of long-running commands: logging, and the endpoint for probes and metrics."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from quorate.cli.output import err

if TYPE_CHECKING:
    from quorate.store.journal import Journal
    from quorate.watching.logs import Logs
    from quorate.watching.readiness import Check
    from quorate.workspace import Workspace


def metrics_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--metrics`, the address for probes and Prometheus."""
    return click.option(
        "--metrics",
        metavar="[HOST:]PORT",
        help="Answer /healthz, /readyz and /metrics here; another host than this one needs QUORATE_READ_TOKEN.",
    )(command)


@dataclass(frozen=True, slots=True)
class Service:
    """A long-running process: its workspace, and its logs."""

    workspace: Workspace
    logs: Logs | None

    def says(self, session: str, words: str) -> None:
        """Log a host's message about a session or the store."""
        if self.logs is not None:
            self.logs.say(session, words)
        else:
            err(f"{session or 'the store'} {words}")

    def tells(self, words: str) -> None:
        """Log a message about the service itself."""
        if self.logs is not None:
            self.logs.line("info", "service", says=words)
        else:
            err(words)


def service(workspace: Workspace, *, metrics: bool = False) -> Service:
    """Set up logs and metrics of this process from the settings; `metrics` forces metrics on."""
    from dataclasses import replace

    from quorate.watching.process import as_service

    if metrics:
        watch = replace(workspace.config.watch, metrics=True)
        workspace = replace(workspace, config=replace(workspace.config, watch=watch))
    return Service(workspace, as_service(workspace.config.watch).logs)


@asynccontextmanager
async def endpoint(at_work: Service, journal: Journal, address: str | None, **checks: Check) -> AsyncIterator[None]:
    """Serve probes and metrics at an address, if given; `checks` are run in addition to the store's."""
    if address is None:
        yield
        return
    import os

    from quorate.watching.endpoint import Endpoint, read_address, tokens_in
    from quorate.watching.process import watching
    from quorate.watching.readiness import Readiness, store_answers

    readiness = Readiness({"store": store_answers(journal), **checks})
    at, metrics = read_address(address), watching(at_work.workspace.config.watch).metrics
    async with Endpoint(at, readiness, metrics, tokens_in(os.environ)) as there:
        at_work.tells(f"probes and metrics are answered on port {there.port}")
        yield
