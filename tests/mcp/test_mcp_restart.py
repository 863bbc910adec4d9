"""Servers and workers die in the middle: sessions go on, and no call that was finished is made again."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from mcp import Client, MCPError

from quorate.workspace import find_workspace
from tests.cli.shell import script
from tests.mcp.assistant import Assistant, Project, end, running, worker_of, workers_of
from tests.support.provider import Says, Server

pytestmark = pytest.mark.slow

PROBLEM = "How should a small shop keep an audit log?"
CONFIG = {"panel": "panel.yaml", "debate": {"agents": ["architect", "security"], "rounds": 2}}
CALL = 0.5
"""Seconds that the model takes for a reply."""


@pytest.fixture
def model() -> Iterator[Server]:
    """A model on this machine that fills in every form, takes its time, and counts its calls."""
    server = Server().will(_fills_in)
    yield server
    server.http.shutdown()
    server.http.server_close()


def _fills_in(http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    time.sleep(CALL)
    with suppress(BrokenPipeError):  # who asked was killed meanwhile
        Says(json.dumps(_filled(body["response_format"]["json_schema"]["schema"])))(http, body)


def _filled(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    match schema["type"]:
        case "object":
            return {name: _filled(each) for name, each in schema["properties"].items()}
        case "array":
            return []
        case "integer":
            return schema["maximum"]
        case "boolean":
            return False
        case _:
            return "It is simple."


def _seat(project: Project, model: Server) -> None:
    project.shell.write({"seats": {}}, CONFIG)
    entry = {"model": f"openai-compatible:tiny@{model.url}", "output": "native", "stream": False}
    (project.folder / "panel.yaml").write_text(json.dumps({"default": entry}))


async def _under_way(assistant: Assistant, entries: int) -> str:
    """Open a debate and wait until so many replies are in."""
    session = str((await assistant.call("open_debate", problem=PROBLEM))["session"])
    last = 0
    while last < entries:
        told = await assistant.call("wait", session=session, seconds=20, after=last)
        assert told["verdict"] is None
        last = told["last"]
    return session


async def _concluded(project: Project, session: str) -> int:
    """See a session to its end from a server of its own, and return its last entry."""
    async with project.assistant() as assistant:
        told = await assistant.until(session, "verdict")
        assert (told["verdict"], told["degraded"]) == ("SOLUTION", "")
        return int(told["last"])


async def test_a_session_goes_on_when_the_server_of_its_assistant_is_killed(stdio: Project) -> None:
    stdio.shell.write(script(delay=0.7))
    async with stdio.assistant() as assistant:
        session = await _under_way(assistant, 1)
        worker = worker_of(stdio.folder)
        end(stdio.server)
        with pytest.raises(MCPError):
            await assistant.call("status", session=session)
    assert worker is not None
    assert running(worker)
    finish = time.monotonic() + 60
    while not _verdict(stdio) and time.monotonic() < finish:
        await asyncio.sleep(0.2)
    assert _verdict(stdio) == "SOLUTION", "it came to its verdict with neither client nor server"
    assert worker_of(stdio.folder) == worker


def _verdict(project: Project) -> str:
    """Read where the only session stands, as `quorate list` does."""
    with closing(sqlite3.connect(project.folder / ".quorate" / "quorate.db")) as file:
        return str(file.execute("SELECT verdict FROM session").fetchone()[0])


async def test_a_new_server_starts_a_worker_again_that_repeats_nothing(stdio: Project, model: Server) -> None:
    _seat(stdio, model)
    async with stdio.assistant() as assistant:
        session = await _under_way(assistant, 3)
        worker = worker_of(stdio.folder)
        assert worker is not None
        end(stdio.server)
        for each in workers_of(stdio.folder):
            end(each)
    calls, kept = await _calls(model), await _entries(stdio, session)
    assert 3 <= kept < 11
    last = await _concluded(stdio, session)
    assert worker_of(stdio.folder) not in (None, worker)
    assert len(model.bodies) - calls == last - kept, "only what had no reply yet was called again"


async def test_a_server_over_http_goes_on_after_its_own_death_with_the_same_client(
    http: Project, model: Server
) -> None:
    _seat(http, model)
    first = http.serving()
    with first as address:
        port = address.rpartition(":")[2].partition("/")[0]
        async with Client(address, mode="legacy") as client:
            assistant = Assistant(client)
            session = await _under_way(assistant, 3)
            first.kill()
            calls, kept = await _calls(model), await _entries(http, session)
            with http.serving("--port", port):
                told = await assistant.until(session, "verdict")
                assert (told["verdict"], told["degraded"]) == ("SOLUTION", "")
                assert len(model.bodies) - calls == told["last"] - kept


async def _calls(model: Server) -> int:
    """Count the calls once no more come in: what was sent before a kill may be read after it."""
    count = -1
    while count != len(model.bodies):
        count = len(model.bodies)
        await asyncio.sleep(2 * CALL)
    return count


async def _entries(project: Project, session: str) -> int:
    """Return the last entry of a session, read from its journal while nobody writes to it."""
    journal = find_workspace(project.folder, {}).open()
    try:
        return (await journal.entries(session))[-1].seq
    finally:
        await journal.close()
