"""Three kinds of processes that drive sessions: a command, a server and a worker, each of them to be killed."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import Request, urlopen

from quorate.store.journal import Listed
from quorate.workspace import Workspace, find_workspace
from tests.cli.shell import Shell, script
from tests.kills.noting import OPENING, PROGRAM

CONFIG = {"panel": "panel.yaml", "debate": {"agents": ["architect", "security"], "rounds": 2}}
DELAY = 0.15
"""Seconds that a scripted reply takes."""
PATIENCE = 60.0


def problem(case: int) -> str:
    """A problem by whose number every prompt of its session is known."""
    return f"How should a small shop keep an audit log? This is case {case}."


@dataclass
class Kind(ABC):
    """One kind of process in a project of its own, and the sessions that it is given."""

    folder: Path
    cases: int = 0
    process: subprocess.Popen[str] | None = field(default=None, init=False)

    name = ""
    at_once = 3
    """Sessions that are under way at the same time."""

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True)
        Shell(self.folder).write(script(delay=DELAY), CONFIG)

    @property
    def env(self) -> dict[str, str]:
        return Shell(self.folder).env | {"QUORATE_OFFLINE": "1", "PYTHONUNBUFFERED": "1"}

    @property
    def workspace(self) -> Workspace:
        return find_workspace(self.folder, {})

    def listed(self) -> list[Listed]:
        return asyncio.run(self._listed())

    async def _listed(self) -> list[Listed]:
        journal = self.workspace.open()
        try:
            return await journal.sessions()
        finally:
            await journal.close()

    def under_way(self) -> list[Listed]:
        return [each for each in self.listed() if not each.status.verdict]

    def spawn(self, *args: str) -> subprocess.Popen[str]:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *args],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return self.process

    def end(self) -> None:
        """Kill the process as nothing can hinder, and wait until it is gone."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(PATIENCE)
            if self.process.stdout is not None:
                self.process.stdout.close()
            self.process = None

    @abstractmethod
    def start(self, *, new: bool) -> None:
        """Start the process on what is unfinished; with `new` it is given more to do, if it has room."""


class Command(Kind):
    """`quorate debate`, and then `quorate resume` until there is a verdict."""

    name, at_once = "command", 1

    def start(self, *, new: bool) -> None:
        waiting = self.under_way()
        if waiting:
            self.spawn("resume", waiting[0].id)
        elif new:
            self.cases += 1
            self.spawn("debate", problem(self.cases))


class Worker(Kind):
    """`quorate work`, for sessions that a service has opened."""

    name = "worker"

    def start(self, *, new: bool) -> None:
        more = self.at_once - len(self.under_way()) if new else 0
        if more:
            problems = [problem(self.cases + each) for each in range(1, more + 1)]
            self.cases += more
            opened = subprocess.run(
                [sys.executable, "-c", OPENING, *problems], cwd=self.folder, env=self.env, timeout=PATIENCE, check=False
            )
            assert opened.returncode == 0, "the sessions were not opened"
        self.spawn("work", "--stay")


class Server(Kind):
    """`quorate serve`, for sessions that were opened over HTTP."""

    name = "server"

    def start(self, *, new: bool) -> None:
        more = self.at_once - len(self.under_way()) if new else 0
        process = self.spawn("serve", "--port", "0")
        if not more:
            return
        assert process.stdout is not None
        found = re.search(r"http://\S+/", process.stdout.readline())
        assert found is not None, "the server did not start"
        for _ in range(more):
            self.cases += 1
            body = {"protocol": "debate", "inputs": {"problem": problem(self.cases)}}
            data = json.dumps(body).encode()
            asked = Request(f"{found[0]}api/sessions", data, {"Content-Type": "application/json"})
            with urlopen(asked, timeout=PATIENCE) as answer:
                assert answer.status == 201


KINDS: tuple[type[Kind], ...] = (Command, Server, Worker)
