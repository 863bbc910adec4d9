"""The endpoint of a worker: three addresses, small requests, and metrics for this machine or for a token alone."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest

from quorate.core.errors import SettingError, StoreError
from quorate.watching.endpoint import MOST_BYTES, At, Endpoint, read_address, tokens_in
from quorate.watching.metrics import Metrics
from quorate.watching.readiness import Readiness

TOKEN = "read-alone-" + "0123456789"
LOCAL = At("127.0.0.1", 0)


async def well() -> None:
    return None


async def ill() -> None:
    raise StoreError("the disk is gone")


async def asked(port: int, path: str, *headers: str, method: str = "GET") -> tuple[int, str, str]:
    """Return the status, the head and the body of an answer."""
    lines = (f"{method} {path} HTTP/1.1", *(headers or ("Host: localhost",)), "", "")
    return await raw(port, "\r\n".join(lines).encode())


async def raw(port: int, sent: bytes) -> tuple[int, str, str]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    with suppress(OSError):
        writer.write(sent)
        writer.write_eof()
        await writer.drain()
    answer = b""
    with suppress(OSError):
        answer = await reader.read()
    writer.close()
    head, _, body = answer.decode().partition("\r\n\r\n")
    return int(head.split(" ")[1]) if head else 0, head, body


async def test_a_worker_says_how_it_is() -> None:
    async with Endpoint(LOCAL, Readiness({"store": well}), Metrics()) as there:
        assert (await asked(there.port, "/healthz"))[::2] == (200, '{"alive": true}')
        status, head, body = await asked(there.port, "/readyz?full=1")
        assert (status, json.loads(body)) == (200, {"ready": True, "checks": {"store": "ok"}})
        assert "Cache-Control: no-store" in head
        status, head, body = await asked(there.port, "/metrics")
        assert status == 200
        assert "text/plain" in head
        assert "quorate_info" in body
        assert (await asked(there.port, "/metrics", "Host: 127.0.0.1:9090", method="HEAD"))[::2] == (200, "")


async def test_a_worker_that_is_not_ready_says_why() -> None:
    async with Endpoint(LOCAL, Readiness({"store": ill, "temporal": well}), None) as there:
        status, _, body = await asked(there.port, "/readyz")
        assert (status, json.loads(body)["checks"]) == (503, {"store": "the disk is gone", "temporal": "ok"})
        assert (await asked(there.port, "/healthz"))[0] == 200
        assert (await asked(there.port, "/metrics"))[0] == 404


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"\r\n\r\n", 400),
        (b"GET /healthz\r\n\r\n", 400),
        (b"GET http://evil/healthz HTTP/1.1\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n", 400),
        (b"\xff\xfe\x00" * 10 + b"\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
        (b"GET /healthz HTTP/1.1\r\n\r\n", 403),
        (b"POST /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
        (b"GET /etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"GET /metrics/../metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    ],
)
async def test_what_is_no_request_of_ours_is_refused(sent: bytes, status: int) -> None:
    async with Endpoint(LOCAL, Readiness({"store": well}), Metrics()) as there:
        assert (await raw(there.port, sent))[0] == status
        assert (await asked(there.port, "/healthz"))[0] == 200


async def test_an_endless_request_is_not_read_to_its_end() -> None:
    async with Endpoint(LOCAL, Readiness({"store": well}), Metrics()) as there:
        assert (await raw(there.port, b"GET /" + b"a" * (4 * MOST_BYTES)))[0] in (0, 400)
        assert (await asked(there.port, "/healthz"))[0] == 200


async def test_with_a_token_metrics_and_reasons_are_for_who_shows_it() -> None:
    name, shown = "Host: worker.internal:9090", f"Authorization: Bearer {TOKEN}"
    async with Endpoint(LOCAL, Readiness({"store": ill}), Metrics(), (TOKEN,)) as there:
        assert (await asked(there.port, "/healthz", name))[0] == 200
        assert (await asked(there.port, "/metrics", name))[0] == 401
        assert (await asked(there.port, "/metrics", name, f"{shown}x"))[0] == 401
        assert (await asked(there.port, "/metrics", name, shown))[0] == 200
        assert json.loads((await asked(there.port, "/readyz", name))[2]) == {"ready": False}
        assert "the disk is gone" in (await asked(there.port, "/readyz", name, shown))[2]


def test_without_a_token_it_listens_to_this_machine_alone() -> None:
    for host in ("0.0.0.0", "::", "192.168.1.5", "worker.internal"):
        with pytest.raises(SettingError, match="QUORATE_READ_TOKEN"):
            Endpoint(At(host, 9090), Readiness({}), None)
    Endpoint(At("::1", 9090), Readiness({}), None)
    assert tokens_in({"QUORATE_READ_TOKEN": TOKEN, "QUORATE_TOKEN": "", "OTHER": "x"}) == (TOKEN,)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("9090", At("127.0.0.1", 9090)),
        ("0.0.0.0:9090", At("0.0.0.0", 9090)),
        ("[::1]:0", At("::1", 0)),
        ("", None),
        (":9090", None),
        ("localhost", None),
        ("localhost:x", None),
        ("65536", None),
        ("9" * 5000, None),
        ("٣", None),
    ],
)
def test_addresses(text: str, at: Any) -> None:
    if at is None:
        with pytest.raises(SettingError, match="--metrics"):
            read_address(text)
    else:
        assert read_address(text) == at


async def test_a_port_that_is_taken_is_said(tmp_path: object) -> None:
    async with Endpoint(LOCAL, Readiness({}), None) as there:
        with pytest.raises(SettingError, match="--metrics"):
            async with Endpoint(At("127.0.0.1", there.port), Readiness({}), None):
                pass


async def test_many_who_ask_at_once_are_one_question_to_the_store() -> None:
    asked_for = 0

    async def slow() -> None:
        nonlocal asked_for
        asked_for += 1
        await asyncio.sleep(0)

    readiness = Readiness({"store": slow})
    found = await asyncio.gather(*(readiness.look() for _ in range(50)))
    assert all(each.ready for each in found)
    assert asked_for == 1


async def test_a_check_that_hangs_or_breaks_is_not_ready() -> None:
    async def hangs() -> None:
        await asyncio.Event().wait()

    async def breaks() -> None:
        raise ZeroDivisionError

    standing = await Readiness({"store": hangs, "host": breaks}, seconds=0.01).look()
    assert not standing.ready
    assert "did not answer" in standing.found["store"]
    assert standing.found["host"] == "ZeroDivisionError"
