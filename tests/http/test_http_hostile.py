"""Requests that mean harm, against a real server: each gets a problem, and nothing else happens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from quorate.http.strict import _object
from tests.http.served import OPEN, Served, is_problem, project, serving


@pytest_asyncio.fixture
async def local(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(project(tmp_path)) as served:
        yield served


PATHS = [
    "/api/sessions/..%2f..%2fetc%2fpasswd",
    "/api/sessions/%2e%2e",
    "/api/sessions/{s}/reports/..%2f..%2f..%2fetc%2fpasswd",
    "/api/sessions/{s}/reports/%2e%2e",
    "/api/sessions/{s}/reports/....//....//etc/passwd",
    "/api/sessions/{s}/material/..%5c..%5cetc",
    "/api/sessions/{s}/material/%00",
    "/api/sessions/{s}%00/board",
    "/api/protocols/..%2fdebate",
    "/api/protocols/debate%0d%0aX: y/diagram",
    "/api/protocols/os.path",
    "/static/../quorate.yaml",
    "/static/%2e%2e/%2e%2e/page.py",
    "/static/..%2fpage.py",
    "/static//etc/passwd",
    "/static/js/../../page.py",
    "/static/index.html%00.js",
    "//etc/passwd",
    "/\\..\\..",
    "/api/sessions/{s}/answers/..%2f",
    "/api/sessions/%ff%fe",
]


@pytest.mark.parametrize("path", PATHS)
async def test_no_path_leads_out(local: Served, path: str) -> None:
    session = await local.open(start=False)
    target = path.replace("{s}", session)
    raw = await spoken(local.port, f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    status = int(raw.split(b" ", 2)[1])
    assert status in (400, 404, 405, 422), raw[:300]
    assert b"application/problem+json" in raw or b"Invalid HTTP request" in raw
    assert b"root:" not in raw


async def spoken(port: int, request: bytes, *, pieces: int = 0) -> bytes:
    """Say something to the server that no client would, and return its answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    heard = asyncio.create_task(reader.read(65_536))
    try:
        writer.write(request)
        with suppress(ConnectionError):
            for _ in range(pieces):
                writer.write(b"4000\r\n" + b"x" * 16_384 + b"\r\n")
                await writer.drain()
                await asyncio.sleep(0)
                if heard.done():
                    break
        async with asyncio.timeout(20):
            return await heard
    finally:
        writer.close()


async def test_large_bodies_are_refused_whether_they_say_so_or_not(local: Served) -> None:
    is_problem(await local.client.post("/api/sessions", content=b"x" * 2_000_001), 413)
    head = b"POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    answer = await spoken(local.port, head + b"Content-Length: 99999999999999\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")
    answer = await spoken(local.port, head + b"Transfer-Encoding: chunked\r\n\r\n", pieces=400)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"application/problem+json" in answer
    assert (await local.get("/api/sessions"))["sessions"] == []


class Name(str):
    """A name that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, other)


def test_names_that_stand_twice_are_found_at_once() -> None:
    """Anybody may send such a body; comparing every name with all others would hold everybody up."""
    count = 3_000
    Name.compared = 0
    with pytest.raises(ValueError, match="the name 'twice' twice"):
        _object([*((Name(number), 1) for number in range(count)), (Name("twice"), 1), (Name("twice"), 2)])
    assert Name.compared < 2 * count


async def test_a_body_for_the_login_is_no_larger_than_a_token(local: Served) -> None:
    for path in ("/api/login", "/api/logout"):
        is_problem(await local.client.post(path, json={"token": "x" * 2_000}), 413)
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".encode()
        if path == "/api/login":
            answer = await spoken(local.port, head + b"Transfer-Encoding: chunked\r\n\r\n", pieces=3)
            assert answer.startswith(b"HTTP/1.1 413 ")
    assert (await local.client.post("/api/login", json={"token": "x" * 500})).status_code == 200


async def test_long_addresses_and_headers_are_refused(local: Served) -> None:
    is_problem(await local.client.get(f"/api/sessions?q={'x' * 9_000}"), 414)
    for size in (33_000, 1_000_000):
        answer = await spoken(local.port, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * size + b"\r\n\r\n")
        assert answer.split(b" ")[1] in (b"400", b"431"), answer[:200]


BODIES = {
    b"{": 400,
    b"": 422,
    b"[]": 422,
    b"null": 422,
    b'"x"': 422,
    b'{"protocol": "debate", "inputs": {"problem": NaN}}': 400,
    b'{"protocol": "debate", "protocol": "review", "inputs": {}}': 400,
    b'{"protocol": "debate", "inputs": {"problem": "\\ud800"}}': 400,
    b'{"protocol": "debate", "inputs": {"problem": "a\\u0000b"}}': 400,
    b'{"protocol": "debate", "inputs": ' + b'{"a":' * 500 + b"1" + b"}" * 500 + b"}": 400,
    b'{"protocol": "debate", "inputs": ' + b"[" * 100_000 + b"]" * 100_000 + b"}": 400,
    b"\xff\xfe": 400,
    b'{"protocol": "debate", "inputs": {"problem": "p"}, "sed": 5}': 422,
    b'{"protocol": "debate", "inputs": {"problem": "p"}, "seed": "5"}': 422,
    b'{"protocol": "debate", "inputs": {"problem": "p"}, "seed": true}': 422,
    b'{"protocol": "debate", "inputs": {"problem": "p"}, "seed": 1e400}': 422,
    b'{"protocol": "debate", "inputs": {"problem": "p"}, "seed": ' + b"9" * 5_000 + b"}": 400,
    b'{"protocol": "debat", "inputs": {"problem": "p"}}': 422,
    b'{"protocol": "debate", "inputs": {"problm": "p"}}': 422,
    b'{"protocol": "debate", "inputs": {"problem": "p"}, "settings": {"rounds": 100000}}': 422,
    b'{"protocol": "debate", "inputs": {"problem": "p"}, "settings": {"runds": 1}}': 422,
    b'{"protocol": "debate", "inputs": {"problem": "p"}, "panel": "../../etc/passwd"}': 422,
    b'{"protocol": "debate", "inputs": {"problem": "p"}, "panel": "/etc/passwd"}': 422,
    b'{"protocol": "debate", "inputs": {"problem": "p"}, "model": "script:/etc/passwd"}': 422,
    b'{"protocol": "debate", "inputs": {"problem": "p"}, "model": "openai-compatible:x@http://169.254.169.254/"}': 422,
    b'{"protocol": "council", "inputs": {"folder": "/etc"}}': 422,
    b'{"protocol": "review", "inputs": {"repo": "/"}}': 422,
    b'{"protocol": "debate", "inputs": {"problem": "p", "context": "/etc"}}': 422,
}


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body[:70].decode("latin-1"))
async def test_bodies_that_are_none(local: Served, body: bytes) -> None:
    answer = await local.client.post("/api/sessions", content=body, headers={"Content-Type": "application/json"})
    told = is_problem(answer, BODIES[body])
    assert "root:x" not in json.dumps(told)
    assert (await local.get("/api/sessions"))["sessions"] == []


async def test_a_problem_says_what_would_be_right(local: Served) -> None:
    async def of(body: dict[str, Any]) -> dict[str, Any]:
        return is_problem(await local.client.post("/api/sessions", json=body), 422)

    told = await of({**OPEN, "protocol": "debat"})
    assert (told["key"], told["nearest"]) == ("protocol", "debate")
    told = await of({**OPEN, "settings": {"runds": 1}})
    assert (told["key"], told["nearest"]) == ("settings.runds", "rounds")
    told = await of({**OPEN, "inputs": {"problm": "p"}})
    assert (told["key"], told["nearest"]) == ("inputs.problm", "problem")
    told = await of({**OPEN, "sttart": True})
    assert told["key"] == "sttart"
    told = is_problem(await local.client.get("/api/sessions?limt=5"), 422)
    assert (told["key"], told["nearest"]) == ("limt", "limit")
    told = is_problem(await local.client.get("/api/sessions?limit=5&limit=6"), 422)
    assert told["key"] == "limit"


async def test_a_body_that_is_no_json_by_its_name_is_refused(local: Served) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        headers = {"Content-Type": kind} if kind else {}
        answer = await local.client.post("/api/sessions", content=json.dumps(OPEN).encode(), headers=headers)
        is_problem(answer, 415)


async def test_errors_of_the_framework_are_problems_too(local: Served) -> None:
    assert "nothing at" in is_problem(await local.client.get("/api/nothing"), 404)["detail"]
    is_problem(await local.client.get("/wp-admin.php"), 404)
    answer = await local.client.delete("/api/protocols/debate/proof")
    assert "possible: GET, POST" in is_problem(answer, 405)["detail"]
    assert answer.headers["allow"] == "GET, POST"
    is_problem(await local.client.get("/api/sessions?limit=x"), 422)
    unknown = is_problem(await local.client.get("/api/sessions/no-such-session"), 404)
    assert unknown["detail"] == "there is no session no-such-session", "and nothing of where the store is"
    is_problem(await local.client.get("/api/sessions/"), 404)


async def test_an_internal_error_tells_its_reference_alone(
    local: Served, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken() -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(local.desk.journal, "sessions", broken)
    told = is_problem(await local.client.get("/api/sessions"), 500)
    assert "secret" not in json.dumps(told)
    log = capsys.readouterr().err
    assert told["reference"] in log
    assert "ZeroDivisionError: secret detail" in log


async def test_there_are_no_web_sockets(local: Served) -> None:
    request = (
        b"GET /api/sessions HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    answer = await spoken(local.port, request)
    assert b"101" not in answer.split(b"\r\n")[0]


async def test_the_page_has_a_policy_under_which_nothing_else_runs(local: Served) -> None:
    answer = await local.client.get("/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-frame-options"] == "DENY"
    script = await local.client.get("/static/js/app.js")
    assert script.headers["content-type"].startswith("text/javascript")
    again = await local.client.get("/static/js/app.js", headers={"If-None-Match": script.headers["etag"]})
    assert again.status_code == 304
