"""A town: a project on PostgreSQL whose sessions are driven by a real worker process of a Temporal server.

The worker tells all that it can: traces to a collector in this process, JSON lines into a file, and metrics.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import httpx2

from quorate.watching.process import forget
from quorate.workspace import find_workspace
from tests.cli.elaborated import META, REQUIREMENTS, words
from tests.cli.shell import CONFIG, PROGRAM, Shell, script
from tests.support.temporal import new_namespace, temporal_server
from tests.watching.receiver import Received, receiving

PATIENCE = 120.0
PERSON_ASKED = {"interactive_clarifications": True, "clarifications_max_iterations": 1}
"""Settings under which a debate asks a person first."""


@dataclass(frozen=True)
class Town:
    """What all of its processes share."""

    shell: Shell
    temporal: str
    store: str
    collector: Received

    @property
    def folder(self) -> Path:
        return self.shell.folder

    def run(self, *args: str) -> Any:
        """Run a command whose sessions workers drive, and return what it prints as JSON."""
        ran = self.shell.run("--temporal", self.temporal, *args, "--json")
        assert ran.out, ran.err
        return {**ran.json(), "code": ran.code, "err": ran.err}

    @contextmanager
    def process(self, name: str, *args: str) -> Iterator[subprocess.Popen[bytes]]:
        """Start the program, what it says in files of that name; it is asked to end with the block."""
        with (self.folder / f"{name}.out").open("wb") as out, (self.folder / f"{name}.log").open("wb") as log:
            started = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, *args],
                cwd=self.folder,
                env={**self.shell.env, "PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=log,
            )
        try:
            yield started
        finally:
            started.send_signal(signal.SIGINT)
            try:
                started.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                started.kill()
                started.wait()

    def said(self, name: str, pattern: str, process: subprocess.Popen[bytes]) -> str:
        """Wait until a process has said something, and return it."""

        def found() -> re.Match[str] | None:
            text = (self.folder / f"{name}.out").read_text() + (self.folder / f"{name}.log").read_text()
            assert process.poll() is None, text
            return re.search(pattern, text)

        return str(until(found)[1])

    def lines(self, name: str) -> list[dict[str, Any]]:
        """What a service has logged, but for a line that it is just writing."""
        *whole, _ = (self.folder / f"{name}.log").read_text().split("\n")
        return [json.loads(line) for line in whole]

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[httpx2.AsyncClient]:
        """Serve the town's sessions by a process of its own, and speak to it."""
        with self.process("serve", "--temporal", self.temporal, "serve", "--port", "0") as server:
            address = self.said("serve", r"(http://\S+)", server)
            async with httpx2.AsyncClient(base_url=address.rstrip("/"), timeout=PATIENCE) as client:
                yield client


def until(look: Callable[[], Any]) -> Any:
    """Look until there is something, and return it."""
    ends = time.monotonic() + PATIENCE
    while not (found := look()):
        assert time.monotonic() < ends, "it never came"
        time.sleep(0.1)
    return found


def prepared(folder: Path, config: Mapping[str, Any]) -> Shell:
    """Write a project with panels for debates, for debates that take for ever, and for roundtables."""
    shell = Shell(folder).write(script(), {**CONFIG, **config})
    for name, replies in (("slow", script(delay=600)), ("talk", words())):
        (folder / f"{name}.yaml").write_text(json.dumps(replies))
        (folder / f"{name}-panel.yaml").write_text(json.dumps({"script": f"{name}.yaml"}))
    (folder / "specs").mkdir()
    (folder / "specs" / "requirements.md").write_text(REQUIREMENTS)
    (folder / "specs" / "meta.json").write_text(json.dumps(META))
    return shell


@contextmanager
def founded(folder: Path, store: str) -> Iterator[Town]:
    """Found a town with one worker; all ends with the block."""
    with ExitStack() as stack:
        collector = stack.enter_context(receiving())
        watch = {"traces": collector.url, "push_metrics": True, "logs": "json"}
        shell = prepared(folder, {"store": store, "watch": watch})
        town = Town(shell, new_namespace(temporal_server()), store, collector)
        command = ("worker", "--temporal", town.temporal, "--provider", "script", "--provider", "check")
        worker = stack.enter_context(town.process("worker", *command, "--metrics", "0"))
        town.said("worker", r"(works for)", worker)
        yield town
        forget(find_workspace(folder, {}).config.watch)  # what programs in this process have told is sent


def metrics_of(town: Town, path: str = "metrics") -> str:
    """Read what the town's worker answers."""
    port = next(line["says"].split()[-1] for line in town.lines("worker") if "on port" in line.get("says", ""))
    with urlopen(f"http://127.0.0.1:{port}/{path}", timeout=PATIENCE) as answer:
        return str(answer.read().decode())
