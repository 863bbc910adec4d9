"""Sessions that others opened: they are not set going by looking at them, and are left in order where they end."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp import Client

from quorate import api
from quorate.api.roots import Roots
from quorate.api.worker import worker_folder
from quorate.mcp.desk import Desk
from quorate.mcp.driver import Detached
from quorate.mcp.server import create_server
from quorate.workspace import find_workspace
from tests.cli.shell import Shell
from tests.mcp.assistant import Assistant

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "me", "version": "1"}}


@asynccontextmanager
async def at_a_desk(shell: Shell) -> AsyncIterator[tuple[Desk, Assistant]]:
    """A server as it is over stdio, and a client, in this process."""
    workspace = find_workspace(shell.folder, {})
    journal = workspace.open()
    try:
        desk = Desk(workspace, journal, Roots((shell.folder,)), Detached(workspace, journal))
        async with Client(create_server(desk), mode="legacy") as client:
            yield desk, Assistant(client)
    finally:
        await journal.close()


async def test_waiting_for_what_nobody_drives_says_so_and_starts_nothing(shell: Shell) -> None:
    async with at_a_desk(shell) as (desk, assistant):
        session = await api.open_session(desk.workspace, desk.journal, "debate", {"problem": "Queue or table?"})
        told = await assistant.call("wait", session=session, seconds=0.3)
        assert told["verdict"] is None
        assert f"quorate resume {session}" in told["next"]
        assert not worker_folder(desk.workspace).exists()


async def test_what_nobody_drives_can_be_cancelled_without_a_worker(shell: Shell) -> None:
    async with at_a_desk(shell) as (desk, assistant):
        session = await api.open_session(desk.workspace, desk.journal, "debate", {"problem": "Queue or table?"})
        assert (await assistant.call("cancel", session=session))["verdict"] == "ABORTED"
        assert await desk.journal.hosted() == []
        assert not worker_folder(desk.workspace).exists()


async def test_a_server_that_finds_nothing_to_go_on_with_starts_no_worker(shell: Shell) -> None:
    async with at_a_desk(shell) as (desk, _):
        await Detached(desk.workspace, desk.journal).go_on()
        assert not worker_folder(desk.workspace).exists()


GARBAGE = ("no JSON", "[" * 50_000, '{"jsonrpc": "1.0"}', '"\\ud800"', "\x00\x1b[2J", "x" * 2_000_000)


def test_garbage_on_stdin_is_passed_over(shell: Shell) -> None:
    first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    ended = shell.run("mcp", stdin="\n".join((*GARBAGE, json.dumps(first), "")))
    assert ended.code == 0
    answers = [json.loads(line) for line in ended.out.splitlines()]
    assert [each["result"]["serverInfo"]["name"] for each in answers if each.get("id") == 1] == ["quorate"]
