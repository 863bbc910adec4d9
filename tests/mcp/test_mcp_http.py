"""The server over HTTP: who gets in, under which names, and how it is mounted in another server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.routing import Route

from quorate.api.host import Host
from quorate.api.roots import Roots
from quorate.mcp.http import GuardedEndpoint, http_app
from quorate.workspace import find_workspace
from tests.cli.shell import Shell
from tests.mcp.assistant import Assistant, Project, Serving

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
HEADERS = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
TOKEN = "a-token-" + "for-these-tests"
PATIENCE = 120
"""Seconds for an answer: a tool may wait for five before it gives one, and the client's own time-out is as long."""


@asynccontextmanager
async def mounted(shell: Shell, *, token: str | None = None) -> AsyncIterator[httpx2.AsyncClient]:
    """The app mounted as the documentation says, and a client of it."""
    workspace = find_workspace(shell.folder, {})
    journal = workspace.open()
    try:
        async with Host(workspace, journal) as host:
            app, serving = http_app(host, Roots((shell.folder,)), any_name=token is not None)
            endpoint = GuardedEndpoint(app, lambda given: given == f"Bearer {token}") if token is not None else app
            whole = Starlette(routes=[Route("/mcp", endpoint=endpoint)])
            transport = httpx2.ASGITransport(app=whole)
            async with serving, httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8421") as client:
                yield client
    finally:
        await journal.close()


async def hello(client: httpx2.AsyncClient, **headers: str) -> httpx2.Response:
    return await client.post("/mcp", json=HELLO, headers={**HEADERS, **headers})


async def test_names_of_other_machines_and_pages_of_other_sites_are_refused(shell: Shell) -> None:
    async with mounted(shell) as client:
        assert (await hello(client)).status_code == 200
        assert (await hello(client, origin="http://localhost:3000")).status_code == 200
        assert (await hello(client, host="evil.example")).status_code == 421
        assert (await hello(client, host="127.0.0.1.evil.example:8421")).status_code == 421
        assert (await hello(client, origin="https://evil.example")).status_code == 403
        assert (await hello(client, origin="http://localhost.evil.example")).status_code == 403
        assert (await hello(client, origin="null")).status_code == 403


async def test_methods_types_and_sizes_are_bounded(shell: Shell) -> None:
    async with mounted(shell) as client:
        for method in ("GET", "PUT", "DELETE"):
            refused = await client.request(method, "/mcp", headers={"accept": "text/event-stream"})
            assert refused.status_code == 405
            assert refused.json()["status"] == 405
        plain = await client.post("/mcp", content=json.dumps(HELLO), headers={**HEADERS, "content-type": "text/plain"})
        assert plain.status_code == 400
        assert (await client.post("/mcp", content=b"x" * 5_000_000, headers=HEADERS)).status_code == 413
        assert (await client.post("/mcp", content=b"[" * 100_000, headers=HEADERS)).status_code == 400


async def test_a_token_is_asked_for_and_makes_the_name_irrelevant(shell: Shell) -> None:
    async with mounted(shell, token=TOKEN) as client:
        for headers in ({}, {"authorization": "Bearer no"}, {"authorization": TOKEN}):
            refused = await hello(client, **headers)
            assert refused.status_code == 401
            assert refused.headers["www-authenticate"] == "Bearer"
            assert TOKEN not in refused.text
        let_in = await hello(client, authorization=f"Bearer {TOKEN}", host="quorate.example")
        assert let_in.status_code == 200


async def test_the_program_wants_a_token_for_other_machines(http: Project, tmp_path: Path) -> None:
    refused = http.shell.call("mcp", "--http", "--host", "0.0.0.0", "--port", "0")
    assert refused.code == 64
    assert "--token-file" in refused.err
    file = tmp_path / "token"
    file.write_text(TOKEN + "\n")
    file.chmod(0o600)
    with Serving(http, ("mcp", "--http", "--host", "0.0.0.0", "--port", "0", "--token-file", str(file))) as address:
        reached = address.replace("0.0.0.0", "127.0.0.1")
        async with (
            httpx2.AsyncClient(headers={"authorization": f"Bearer {TOKEN}"}, timeout=PATIENCE) as allowed,
            Client(streamable_http_client(reached, http_client=allowed), mode="legacy") as client,
        ):
            assert (await client.list_tools()).tools
        async with httpx2.AsyncClient(timeout=PATIENCE) as stranger:
            assert (await stranger.post(reached, json=HELLO, headers=HEADERS)).status_code == 401


async def test_the_server_of_the_page_offers_the_same(http: Project) -> None:
    with Serving(http, ("serve", "--port", "0"), {"QUORATE_TOKEN": TOKEN}) as address:
        reached = address.rstrip("/") + "/mcp"
        async with httpx2.AsyncClient(headers={"authorization": f"Bearer {TOKEN}"}, timeout=PATIENCE) as allowed:
            for mode in ("legacy", "auto"):
                async with Client(streamable_http_client(reached, http_client=allowed), mode=mode) as client:
                    assistant = Assistant(client)
                    session = (await assistant.call("open_debate", problem="Queue or table?"))["session"]
                    assert (await assistant.until(session, "verdict"))["verdict"] == "SOLUTION"
            told = (await allowed.get(address.rstrip("/") + f"/api/sessions/{session}")).json()
            assert told["verdict"] == "SOLUTION"
        async with httpx2.AsyncClient(timeout=PATIENCE) as stranger:
            assert (await stranger.post(reached, json=HELLO, headers=HEADERS)).status_code == 401


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--port", "8421"), "--port has no effect without --http"),
        (("--host", "127.0.0.1"), "--host has no effect without --http"),
        (("--http", "--token-file", "missing"), "missing: cannot be read"),
        (("--http", "--host", "no.such.host.invalid"), "no.such.host.invalid"),
        (("--root", "missing"), "does not exist"),
    ],
)
def test_options_that_cannot_be_kept_are_refused(shell: Shell, options: tuple[str, ...], words: str) -> None:
    ended = shell.call("mcp", *options)
    assert ended.code in (64, 65)
    assert words in ended.err


def test_a_store_in_memory_is_refused(shell: Shell) -> None:
    ended = shell.call("mcp", "--store", "memory:")
    assert ended.code == 64
    assert "a file" in ended.err
