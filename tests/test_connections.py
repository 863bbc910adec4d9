"""Connections that are kept and not used, against a real server: they end, and others find room."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from time import monotonic
from typing import Any

import pytest
import uvicorn

from quorate.connections import Crowd, bounded, room
from quorate.core.errors import SettingError
from quorate.http.limits import RequestLimits
from quorate.mcp.service import check_own

PATIENCE = 120
SHORT = 0.3
HEAD = b"POST /small HTTP/1.1\r\nHost: localhost\r\n"
LARGE = b"x" * 20_000_000
"""More than the system keeps for a client that does not read."""


class Application:
    """Answers with little, with much at once, or without an end."""

    def __init__(self) -> None:
        self.busy = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.busy += 1
        try:
            while (await receive()).get("more_body"):
                pass
            await send({"type": "http.response.start", "status": 200, "headers": []})
            gone = asyncio.create_task(receive())
            while scope["path"] == "/endless" and not gone.done():
                await send({"type": "http.response.body", "body": b"x" * 60_000, "more_body": True})
                await asyncio.sleep(0)
            body = LARGE if scope["path"] == "/large" else b"here"
            await send({"type": "http.response.body", "body": body})
            gone.cancel()
        finally:
            self.busy -= 1


@asynccontextmanager
async def serving(crowd: Crowd) -> AsyncIterator[tuple[int, Application]]:
    app, place = Application(), socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        app, http=bounded(crowd), ws="none", lifespan="off", log_level="critical", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve([place]))
    try:
        async with asyncio.timeout(PATIENCE):
            while not server.started:
                await asyncio.sleep(0.01)
            yield place.getsockname()[1], app
    finally:
        server.should_exit = True
        await running
        place.close()


async def until_empty(crowd: Crowd) -> None:
    while crowd.open.total():
        await asyncio.sleep(0.02)


async def asked(port: int, path: str = "/small", *, source: str = "127.0.0.1", reads: bool = True) -> bytes:
    """Ask for something and return all of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        return await reader.read()
    finally:
        writer.close()


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"POST ",
        HEAD + b"X-a: ",
        HEAD + b"Content-Length: 10\r\n\r\n",
        HEAD + b"Content-Length: 10\r\n\r\n12345",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n4\r\n12",
        b"GET /small HTTP/1.1\r\nHost: localhost\r\n\r\nGET ",
    ],
)
async def test_a_request_that_does_not_go_on_is_ended(said: bytes) -> None:
    crowd = Crowd(10, 10, read_seconds=SHORT)
    async with serving(crowd) as (port, app):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(said)
        with suppress(ConnectionError):
            await reader.read()
        await until_empty(crowd)
        assert app.busy == 0
        assert (await asked(port)).endswith(b"here\r\n0\r\n\r\n")
        writer.close()


async def test_a_request_that_comes_drop_by_drop_is_ended_all_the_same() -> None:
    crowd = Crowd(10, 10, read_seconds=SHORT)
    async with serving(crowd) as (port, _):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(HEAD + b"X-a: ")
        while True:
            await asyncio.sleep(SHORT / 10)
            try:
                writer.write(b"x")
                await writer.drain()
            except ConnectionError:
                break
        await until_empty(crowd)


async def test_a_stream_is_no_request_that_does_not_go_on() -> None:
    async with serving(Crowd(10, 10, read_seconds=2 * SHORT)) as (port, app):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
        heard, began = 0, monotonic()
        while heard < 30_000_000 or monotonic() - began < 4 * SHORT:
            piece = await reader.read(1_000_000)
            assert piece, f"it was cut after {heard} bytes"
            heard += len(piece)
        assert app.busy == 1
        writer.close()


@pytest.mark.parametrize("path", ["/endless", "/large"])
@pytest.mark.parametrize("kept", ["keep-alive", "close"])
async def test_who_does_not_read_an_answer_loses_it(path: str, kept: str) -> None:
    crowd = Crowd(10, 10, write_seconds=SHORT)
    async with serving(crowd) as (port, app):
        place = socket.create_connection(("127.0.0.1", port))
        place.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: {kept}\r\n\r\n".encode())
        while not crowd.open.total():
            await asyncio.sleep(0.01)
        await until_empty(crowd)
        while app.busy:
            await asyncio.sleep(0.01)
        place.close()


async def test_who_reads_slowly_gets_all_of_it() -> None:
    """Longer than the time for one who reads nothing."""
    seconds = 4 * SHORT  # enough for a busy machine to give the reader a turn
    async with serving(Crowd(10, 10, write_seconds=seconds)) as (port, _):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=65_536)
        writer.write(b"GET /large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        heard = paused = 0
        while piece := await reader.read(1_000_000):
            heard += len(piece)
            if heard // 1_000_000 > paused:
                paused += 1
                await asyncio.sleep(seconds / 8)
        assert heard > len(LARGE)
        writer.close()


async def test_one_client_leaves_room_for_others() -> None:
    crowd = Crowd(20, 5)
    async with serving(crowd) as (port, _):
        kept = [await asyncio.open_connection("127.0.0.1", port) for _ in range(12)]
        while crowd.open.total() != 5:
            await asyncio.sleep(0.01)
        assert (await asked(port)).startswith(b"HTTP/1.1 503 ")
        assert (await asked(port, source="127.0.0.2")).startswith(b"HTTP/1.1 200 ")
        for _, writer in kept:
            writer.close()
        await until_empty(crowd)
        assert (await asked(port)).startswith(b"HTTP/1.1 200 ")


async def test_all_together_are_not_too_many() -> None:
    crowd = Crowd(4, 3)
    async with serving(crowd) as (port, _):
        others = [
            await asyncio.open_connection("127.0.0.1", port, local_addr=(f"127.0.0.{number}", 0))
            for number in (2, 2, 3, 3)
        ]
        while crowd.open.total() != 4:
            await asyncio.sleep(0.01)
        assert (await asked(port)).startswith(b"HTTP/1.1 503 ")
        for _, writer in others:
            writer.close()


def test_the_limits_fit_what_a_process_may_have_open() -> None:
    pytest.importorskip("resource")
    assert room() > 0
    assert RequestLimits().connections + 300 <= 1_024
    assert RequestLimits().streams < RequestLimits().connections
    few = RequestLimits().within(128)
    assert (few.connections, few.connections_of_one, few.streams, few.streams_of_one) == (128, 64, 96, 48)
    assert RequestLimits().within(2**16) == RequestLimits()


def test_a_name_that_leads_to_other_machines_needs_a_token() -> None:
    with socket.create_server(("0.0.0.0", 0)) as place, pytest.raises(SettingError, match="from other machines"):
        check_own(place)
    with socket.create_server(("127.0.0.1", 0)) as place:
        check_own(place)
