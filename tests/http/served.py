"""A real server at hand: uvicorn on a port of its own over a project in a folder, and a client that speaks to it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from quorate.api.host import Host
from quorate.api.proofs import Proofs
from quorate.api.roots import Roots
from quorate.http.access import Access
from quorate.http.app import create_app
from quorate.http.desk import Desk
from quorate.http.limits import Rate, RequestLimits
from quorate.http.server import BindAddress, make_server
from quorate.workspace import Workspace, find_workspace
from tests.cli.shell import CONFIG, Shell, script

TOKEN = "read-and-write-" + "0123456789"
READ_TOKEN = "read-alone-" + "0123456789"
PROBLEM = "How should a small shop store its audit log?"
OPEN = {"protocol": "debate", "inputs": {"problem": "p"}, "start": False}
"""A session that nobody drives."""
GENEROUS = RequestLimits(reads=Rate(100_000, 1_000.0), writes=Rate(100_000, 1_000.0), logins=Rate(100_000, 1_000.0))


@dataclass(frozen=True)
class Served:
    """A server that runs, and how to reach it."""

    folder: Path
    client: httpx2.AsyncClient
    host: Host
    desk: Desk
    port: int

    async def get(self, path: str, **options: Any) -> Any:
        """Return the JSON of an address that answers."""
        answer = await self.client.get(path, **options)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        """Return the JSON of what was done."""
        answer = await self.client.post(path, json=body) if body is not None else await self.client.post(path)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def open(self, **more: Any) -> str:
        """Open a debate with the scripted panel."""
        body = {"protocol": "debate", "inputs": {"problem": PROBLEM}, "seed": 5, **more}
        return str((await self.post("/api/sessions", body, 201))["session"])

    async def concluded(self, session: str) -> dict[str, Any]:
        """Wait for the end of a session by following it, and return its summary."""
        events = [event async for event in self.follow(session, until="conclusion")]
        assert events[-1].kind == "end"
        return dict(await self.get(f"/api/sessions/{session}"))

    async def follow(self, session: str, *, last: int | None = None, **query: Any) -> AsyncIterator[Heard]:
        """Follow a session as a browser does, from the event after `last`."""
        headers = {} if last is None else {"Last-Event-ID": str(last)}
        url = f"/api/sessions/{session}/events"
        async with self.client.stream("GET", url, params=query, headers=headers, timeout=60) as answer:
            assert answer.status_code == 200, await answer.aread()
            assert answer.headers["content-type"].startswith("text/event-stream")
            async for event in heard(answer):
                yield event


@dataclass(frozen=True)
class Heard:
    """One event of a stream, as a browser reads it."""

    kind: str
    seq: int | None
    data: Any


async def heard(answer: httpx2.Response) -> AsyncIterator[Heard]:
    """Read a stream of server-sent events."""
    fields: dict[str, str] = {}
    async for line in answer.aiter_lines():
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
            continue
        if "data" in fields:
            seq = int(fields["id"]) if "id" in fields else None
            yield Heard(fields["event"], seq, json.loads(fields["data"]))
        fields = {}


def project(folder: Path, *, config: Mapping[str, Any] = CONFIG, delay: float = 0, **changes: Any) -> Workspace:
    """Write a project with a scripted panel, and return where it is."""
    Shell(folder).write(script(delay, **changes), config)
    return find_workspace(folder, {}, store=f"sqlite:{folder / 'store.db'}")


@asynccontextmanager
async def serving(
    workspace: Workspace, access: Access | None = None, limits: RequestLimits = GENEROUS, **headers: str
) -> AsyncIterator[Served]:
    """Serve a project on a loopback port until the end of the block."""
    assert workspace.root is not None
    access = access or Access()
    journal = workspace.open()
    host = Host(workspace, journal)
    app = create_app(host, access, Roots((workspace.root,)), limits=limits, proofs=Proofs(workspace.root / ".proofs"))
    ready = asyncio.Event()
    bound = BindAddress("127.0.0.1", 0).bind(access)
    port = bound.getsockname()[1]
    server = make_server(app, limits, ready.set)
    running = asyncio.create_task(server.serve([bound]))
    try:
        await ready.wait()
        base = f"http://127.0.0.1:{port}"
        # The server closes idle connections after five seconds: on a busy machine just as one is used again.
        idle = httpx2.Limits(keepalive_expiry=1)
        async with httpx2.AsyncClient(base_url=base, headers=headers, limits=idle, timeout=30) as client:
            yield Served(workspace.root, client, host, app.state.desk, port)
    finally:
        server.should_exit = True
        await running
        await journal.close()


def is_problem(answer: httpx2.Response, status: int) -> dict[str, Any]:
    """Return the problem that an answer is, with everything that stands on every answer."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    told = answer.json()
    assert told["status"] == status
    assert told["title"]
    assert told["detail"]
    assert "Traceback" not in answer.text
    return dict(told)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
