"""A coding assistant at hand: the SDK's own client, over stdio or over HTTP, on a project with a scripted panel."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from quorate.api.host import Host
from quorate.api.roots import Roots
from quorate.mcp.desk import Desk
from quorate.mcp.driver import HostedDriver
from quorate.mcp.server import create_server
from quorate.workspace import find_workspace
from tests.cli.shell import Shell

PROGRAM = (
    "import os, pathlib, sys; pathlib.Path(sys.argv.pop(1)).write_text(str(os.getpid()));"
    "from quorate.cli.main import main; main()"
)
"""The real program, which first says under which id it runs."""


class Refused(Exception):
    """A tool said no; the text is what the assistant reads."""


@dataclass
class Assistant:
    """A connected client."""

    client: Client
    progress: list[tuple[float, str | None]] = field(default_factory=list)

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its structured result; Refused where it is an error."""
        result = await self.client.call_tool(tool, arguments, progress_callback=self._note)
        assert isinstance(result, CallToolResult)
        if result.is_error:
            raise Refused(text_of(result))
        assert isinstance(result.structured_content, dict)
        return result.structured_content

    async def until(self, session: str, what: str) -> dict[str, Any]:
        """Wait until a session has a `verdict` or is `waiting`."""
        end = time.monotonic() + 120
        while time.monotonic() < end:
            told = await self.call("wait", session=session, seconds=5)
            if told[what]:
                return told
        raise AssertionError(f"{session} has no {what}: {told}")

    async def _note(self, progress: float, total: float | None, message: str | None) -> None:
        self.progress.append((progress, message))


@asynccontextmanager
async def beside(shell: Shell, mode: str = "legacy", roots: tuple[Path, ...] = ()) -> AsyncIterator[Assistant]:
    """Connect a client to a server in this process, which drives sessions itself: quicker than a process."""
    workspace = find_workspace(shell.folder, {})
    journal = workspace.open()
    try:
        async with Host(workspace, journal) as host:
            desk = Desk(workspace, journal, Roots(roots or (shell.folder,)), HostedDriver(host))
            async with Client(create_server(desk), mode=mode) as client:
                yield Assistant(client)
    finally:
        await journal.close()


def text_of(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


@dataclass(frozen=True)
class Project:
    """A project whose servers run as processes of their own."""

    shell: Shell
    transport: str = "stdio"
    mode: str = "legacy"

    @property
    def folder(self) -> Path:
        return self.shell.folder

    @property
    def server(self) -> int:
        """The process id of the newest server."""
        return int((self.folder / "server.pid").read_text())

    @asynccontextmanager
    async def assistant(self, *options: str) -> AsyncIterator[Assistant]:
        """Start a server with these options and connect a client; the server ends with it."""
        if self.transport == "http":
            with self.serving(*options) as address:
                async with Client(address, mode=self.mode) as client:
                    yield Assistant(client)
            return
        async with Client(self.parameters(*options), mode=self.mode) as client:
            yield Assistant(client)

    def parameters(self, *options: str) -> StdioServerParameters:
        """How an assistant starts the server over stdio."""
        words = ["-c", PROGRAM, str(self.folder / "server.pid"), "mcp", *options]
        return StdioServerParameters(command=self.shell.python, args=words, env=self.shell.env, cwd=self.folder)

    def serving(self, *options: str) -> Serving:
        """A server over HTTP with these options."""
        return Serving(self, ("mcp", "--http", "--port", "0", *options))


@dataclass
class Serving:
    """A server over HTTP as a process; entering returns its address."""

    project: Project
    words: tuple[str, ...]
    """The command and its options."""
    environment: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[str] | None = None

    def __enter__(self) -> str:
        words = [self.project.shell.python, "-c", PROGRAM, str(self.project.folder / "server.pid"), *self.words]
        self.process = subprocess.Popen(
            words,
            cwd=self.project.folder,
            env={**self.project.shell.env, **self.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout is not None
        said = ""
        for line in self.process.stdout:
            said += line
            if found := re.search(r"http://\S+", line):
                return found[0]
        raise AssertionError(f"the server ended with {self.process.wait()}: {said}")

    def kill(self) -> None:
        """End it as `kill -9` would."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(10)

    def __exit__(self, *_: object) -> None:
        assert self.process is not None
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
        if self.process.stdout is not None:
            self.process.stdout.close()


def end(pid: int) -> None:
    """End a process by its id as `kill -9` would, and wait until it is gone."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    finish = time.monotonic() + 10
    while running(pid) and time.monotonic() < finish:
        time.sleep(0.02)


def running(pid: int) -> bool:
    """Whether a process runs; one that only waits to be collected does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def worker_of(folder: Path) -> int | None:
    """Return the process id of the worker that drives the sessions of a project; None where none does."""
    try:
        pid = int((folder / ".quorate" / "quorate.db.worker" / "owner").read_text().split(":")[1])
    except (OSError, IndexError, ValueError):
        return None
    return pid if pid in workers_of(folder) else None


def workers_of(folder: Path) -> list[int]:
    """Return the workers of a project, those included that are about to begin, or to find that one is enough."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (place / "cmdline").read_text(encoding="utf-8", errors="replace")
            if "quorate.api.worker" in words and f"sqlite:{folder}/" in words and running(int(place.name)):
                found.append(int(place.name))
    return found
