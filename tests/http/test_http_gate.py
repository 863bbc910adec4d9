"""Who may do what, and from where, against a real server: everybody else gets a problem, and nothing happens."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio

from quorate.http.access import Access
from quorate.http.limits import Rate, RequestLimits
from tests.http.served import GENEROUS, OPEN, READ_TOKEN, TOKEN, Served, bearer, heard, is_problem, project, serving

READS = [
    "/api/sessions",
    "/api/protocols",
    "/api/inbox",
    "/api/models",
    "/api/panels",
    "/api/openapi.json",
    "/api/sessions/x",
    "/api/sessions/x/events",
    "/api/sessions/x/reports/report.md",
    "/api/protocols/debate/proof",
    "/mcp",
]
WRITES = [
    "/api/sessions",
    *(f"/api/sessions/x/{act}" for act in ("cancel", "conclude", "escalate", "resume", "suspend", "fork", "ruling")),
    "/api/sessions/x/answers/1.0",
    "/api/protocols/debate/proof",
    "/mcp",
]


@pytest_asyncio.fixture
async def local(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(project(tmp_path)) as served:
        yield served


@pytest_asyncio.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(project(tmp_path), Access(TOKEN, READ_TOKEN)) as served:
        yield served


# Who


async def test_without_a_token_nothing_is_read_or_written(guarded: Served) -> None:
    for path in READS:
        answer = await guarded.client.get(path)
        is_problem(answer, 401)
        assert answer.headers["www-authenticate"].startswith("Bearer")
    for path in WRITES:
        is_problem(await guarded.client.post(path, json={}), 401)
    assert (await guarded.get("/api")) == {
        "name": "quorate",
        "version": "",
        "root": "",
        "read": False,
        "write": False,
        "login": True,
        "protocols": [],
        "budget": {},
    }


async def test_who_may_read_may_not_write(guarded: Served) -> None:
    assert (await guarded.client.get("/api/sessions", headers=bearer(READ_TOKEN))).status_code == 200
    for path in WRITES:
        is_problem(await guarded.client.post(path, json={}, headers=bearer(READ_TOKEN)), 403)
    for method in ("PUT", "DELETE", "PATCH"):
        is_problem(await guarded.client.request(method, "/api/sessions", headers=bearer(READ_TOKEN)), 403)
    assert (await guarded.client.get("/api", headers=bearer(READ_TOKEN))).json()["write"] is False


async def test_a_token_counts_in_its_place_alone(guarded: Served) -> None:
    client, cookie = guarded.client, f"quorate-{guarded.port}"
    is_problem(await client.get(f"/api/sessions?token={TOKEN}"), 401)
    is_problem(await client.get(f"/api/sessions?access_token={TOKEN}"), 401)
    is_problem(await client.get("/api/sessions", headers={"Cookie": f"{cookie}={TOKEN}"}), 401)
    is_problem(await client.get("/api/sessions", headers={"X-Api-Key": TOKEN}), 401)
    is_problem(await client.get("/api/sessions", headers={"Authorization": TOKEN}), 401)
    is_problem(await client.get("/api/sessions", headers=bearer(TOKEN + "x")), 401)
    is_problem(await client.post("/api/sessions", json={**OPEN, "token": TOKEN}), 401)
    twice = [("Authorization", "Bearer wrong-token-of-someone"), ("Authorization", f"Bearer {TOKEN}")]
    is_problem(await client.get("/api/sessions", headers=twice), 400)
    assert (await client.get("/api/sessions", headers=bearer(TOKEN))).status_code == 200


async def test_a_login_gives_a_cookie_that_is_no_token(guarded: Served) -> None:
    client = guarded.client
    answer = await client.post("/api/login", json={"token": TOKEN})
    assert answer.json() == {"read": True, "write": True}
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Path=/" in cookie
    assert "Secure" not in cookie, "this is no https"
    assert TOKEN not in cookie
    assert (await client.get("/api/sessions")).status_code == 200
    assert (await client.post("/api/sessions", json=OPEN)).status_code == 201
    assert (await client.post("/api/logout")).status_code == 204
    is_problem(await client.get("/api/sessions"), 401)


async def test_the_streams_of_a_browser_end_when_it_logs_out(guarded: Served) -> None:
    client = guarded.client
    await client.post("/api/login", json={"token": TOKEN})
    session = (await client.post("/api/sessions", json=OPEN)).json()["session"]
    url = f"/api/sessions/{session}/events"
    async with (
        client.stream("GET", url) as by_login,
        client.stream("GET", url, headers=bearer(READ_TOKEN)) as by_token,
        asyncio.timeout(30),
    ):
        events = heard(by_login)
        others = heard(by_token)
        assert ((await anext(events)).seq, (await anext(others)).seq) == (0, 0)
        assert (await client.post("/api/logout")).status_code == 204
        assert [event async for event in events] == []
        assert len(guarded.desk.streams) == 1, "a token has no logout"


async def test_one_client_leaves_streams_to_others(tmp_path: Path) -> None:
    async with serving(project(tmp_path), limits=replace(GENEROUS, streams_of_one=1)) as served:
        url = f"/api/sessions/{await served.open(start=False)}/events"
        async with served.client.stream("GET", url) as first:
            events = heard(first)  # held, since a stream ends as soon as nobody reads it any more
            await anext(events)
            is_problem(await served.client.get(url), 503)
            transport = httpx2.AsyncHTTPTransport(local_address="127.0.0.2")
            base = f"http://127.0.0.1:{served.port}"
            other = httpx2.AsyncClient(transport=transport, base_url=base)
            async with other, other.stream("GET", url) as second:
                assert second.status_code == 200


async def test_a_cookie_over_https_is_for_https_alone(guarded: Served) -> None:
    headers = {"Origin": "https://quorate.example", "Host": "quorate.example"}
    answer = await guarded.client.post("/api/login", json={"token": READ_TOKEN}, headers=headers)
    assert answer.json() == {"read": True, "write": False}
    assert "Secure" in answer.headers["set-cookie"]


async def test_a_bad_token_beside_a_good_cookie_is_still_bad(guarded: Served) -> None:
    await guarded.client.post("/api/login", json={"token": TOKEN})
    is_problem(await guarded.client.get("/api/sessions", headers=bearer("x" * 20)), 401)


@pytest.mark.parametrize(
    "body", [{}, {"token": ""}, {"token": 5}, {"token": "x" * 600}, {"token": "x", "more": 1}, [], "x", None]
)
async def test_a_login_that_is_none(guarded: Served, body: Any) -> None:
    is_problem(await guarded.client.post("/api/login", json=body), 422)


async def test_a_thousand_logins_are_too_many(tmp_path: Path) -> None:
    limits = RequestLimits(logins=Rate(10, 0.01))
    async with serving(project(tmp_path), Access(TOKEN), limits) as served:
        slots = asyncio.Semaphore(50)

        async def attempt(number: int) -> httpx2.Response:
            async with slots:
                return await served.client.post("/api/login", json={"token": f"guess-{number:020}"})

        answers = await asyncio.gather(*(attempt(number) for number in range(1_000)))
        codes = [answer.status_code for answer in answers]
        assert codes.count(401) == 10
        assert codes.count(429) == 990
        refused = next(answer for answer in answers if answer.status_code == 429)
        is_problem(refused, 429)
        assert int(refused.headers["retry-after"]) > 0
        is_problem(await served.client.post("/api/login", json={"token": TOKEN}), 429)
        assert (await served.client.get("/api/sessions", headers=bearer(TOKEN))).status_code == 200


async def test_too_many_requests_of_one_client_are_told_when_to_come_back(tmp_path: Path) -> None:
    async with serving(project(tmp_path), None, RequestLimits(reads=Rate(5, 0.01), writes=Rate(2, 0.01))) as served:
        codes = [(await served.client.get("/api/models")).status_code for _ in range(6)]
        assert codes == [200] * 5 + [429]
        codes = [(await served.client.post("/api/sessions", json=OPEN)).status_code for _ in range(3)]
        assert codes == [201, 201, 429]


# Where from


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8420", "127.0.0.1.evil.example", "a@localhost", "x y"])
async def test_a_name_that_is_not_ours_is_refused(local: Served, host: str) -> None:
    for path in ("/", "/api", "/api/sessions", "/static/js/app.js"):
        is_problem(await local.client.get(path, headers={"Host": host}), 403)


async def test_a_page_of_another_site_can_do_nothing(local: Served) -> None:
    session = await local.open(start=False)
    foreign = (
        "http://evil.example",
        "null",
        f"http://localhost:{local.port + 1}",
        f"https://127.0.0.1:{local.port + 1}",
    )
    for origin in foreign:
        headers = {"Origin": origin}
        is_problem(await local.client.post("/api/sessions", json=OPEN, headers=headers), 403)
        is_problem(await local.client.post(f"/api/sessions/{session}/cancel", headers=headers), 403)
        is_problem(await local.client.get(f"/api/sessions/{session}/events", headers=headers), 403)
        is_problem(await local.client.request("OPTIONS", "/api/sessions", headers=headers), 403)
    for site in ("cross-site", "same-site"):
        headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}
        is_problem(await local.client.post("/api/sessions", json=OPEN, headers=headers), 403)
        is_problem(await local.client.get(f"/api/sessions/{session}/events", headers=headers), 403)
    own = {"Origin": f"http://127.0.0.1:{local.port}", "Sec-Fetch-Site": "same-origin"}
    assert (await local.client.post("/api/sessions", json=OPEN, headers=own)).status_code == 201
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert (await local.client.get("/", headers=followed)).status_code == 200
    assert len((await local.get("/api/sessions"))["sessions"]) == 2


async def test_no_answer_can_be_read_by_other_sites(local: Served) -> None:
    answer = await local.client.get("/api/sessions")
    assert not any(name.startswith("access-control") for name in answer.headers)
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
