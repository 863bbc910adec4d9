"""A server that dies in the middle of a session: a new one finishes it, and no finished call is made again."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.cli.shell import Shell, script

CONFIG = {"panel": "panel.yaml", "debate": {"agents": ["architect", "security"], "rounds": 2}}
NOTING = """
import sys
from quorate.runtime.executor import Executor
call = Executor._call
async def noting(self, ask, *rest):
    with open("calls", "a") as log:
        log.write(f"{ask.id}\\n")
    return await call(self, ask, *rest)
Executor._call = noting
from quorate.cli.main import main
main()
"""
"""The program itself, which notes each call in a file before it is made."""


class Running:
    """A server in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", NOTING, "serve", "--port", "0"],
            cwd=folder,
            env=Shell(folder).env | {"QUORATE_OFFLINE": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+/", line)
        assert found is not None, f"{line}{self.process.communicate()}"
        self.address = found[0]

    def ask(self, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.address}api/{path}", data, {"Content-Type": "application/json"})
        with urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def until(self, session: str, *, entries: int = 0, concluded: bool = False) -> dict[str, Any]:
        """Wait until a session has so many entries, or its verdict."""
        ends = time.monotonic() + 60
        while True:
            found: dict[str, Any] = self.ask(f"sessions/{session}")
            if found["last"] >= entries and (not concluded or found["verdict"]):
                return found
            assert time.monotonic() < ends, found
            time.sleep(0.02)

    def end(self, number: signal.Signals) -> tuple[int, str]:
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err


@contextmanager
def running(folder: Path) -> Iterator[Running]:
    server = Running(folder)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.end(signal.SIGKILL)


def calls(folder: Path) -> list[str]:
    return (folder / "calls").read_text().split()


ASKED_TO_END = [pytest.param(each, marks=pytest.mark.slow) for each in (signal.SIGTERM, signal.SIGINT)]


@pytest.mark.parametrize("number", [signal.SIGKILL, *ASKED_TO_END], ids=lambda each: each.name)
def test_a_new_server_goes_on_where_the_old_one_was(tmp_path: Path, number: signal.Signals) -> None:
    Shell(tmp_path).write(script(delay=0.25), CONFIG)
    with running(tmp_path) as first:
        body = {"protocol": "debate", "inputs": {"problem": "Where should the log live?"}, "seed": 5}
        session = first.ask("sessions", body)["session"]
        first.until(session, entries=3)
        code, err = first.end(number)
    if number is signal.SIGKILL:
        assert code == -signal.SIGKILL
    else:
        assert (code, "Traceback" in err) == (0, False), err
    made_before = len(calls(tmp_path))
    with running(tmp_path) as second:
        entries = second.ask(f"sessions/{session}/entries")["events"]
        replied = {each["ask"]["id"] for each in entries if each["kind"] == "replied" and each["seq"] <= 3}
        assert len(replied) >= 3
        found = second.until(session, concluded=True)
        assert (found["verdict"], found["failure"]) == ("SOLUTION", None)
        assert second.ask(f"sessions/{session}/seal")["ok"]
        code, err = second.end(signal.SIGTERM)
        assert (code, "Traceback" in err) == (0, False), err
    assert not replied & set(calls(tmp_path)[made_before:]), "a finished call was made again"


def test_what_was_suspended_stays_so_and_a_second_server_disturbs_nothing(tmp_path: Path) -> None:
    Shell(tmp_path).write(script(delay=2), CONFIG)  # it must not end before it is suspended
    with running(tmp_path) as first, running(tmp_path) as other:
        body = {"protocol": "debate", "inputs": {"problem": "Where should the log live?"}, "seed": 5}
        session = first.ask("sessions", body)["session"]
        first.until(session, entries=1)
        stopped = Request(f"{first.address}api/sessions/{session}/suspend", method="POST")
        with urlopen(stopped, timeout=60) as answer:
            assert json.load(answer)["running"] is False
        last = other.ask(f"sessions/{session}")["last"]
    with running(tmp_path) as second:
        found = second.ask(f"sessions/{session}")
        assert (found["last"], found["running"], found["verdict"]) == (last, False, None)
