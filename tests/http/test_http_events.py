"""Event streams, against a real server: every event once and in order, whatever happens to the connection."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio
from starlette.types import Message

from quorate.http.limits import RequestLimits
from quorate.http.streams import EventStream, Streams, frame
from tests.http.served import GENEROUS, Heard, Served, heard, project, serving

LISTENERS = 200


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(project(tmp_path)) as found:
        yield found


async def until_free(served: Served) -> None:
    """Wait until nobody listens any more."""
    async with asyncio.timeout(20):
        while len(served.desk.streams):
            await asyncio.sleep(0.01)


async def test_a_stream_has_every_entry_once_in_order_and_ends_where_it_was_asked_to(served: Served) -> None:
    session = await served.open()
    events = [event async for event in served.follow(session, until="conclusion")]
    entries = [event for event in events if event.kind == "entry"]
    assert [event.seq for event in entries] == list(range(8))
    assert [event.data["seq"] for event in entries] == list(range(8))
    assert events[-1].kind == "end"
    assert events[-1].data == {"last": 7, "verdict": "SOLUTION"}
    assert all(event.seq is None for event in events if event.kind != "entry")
    again = [event async for event in served.follow(session, until="conclusion")]
    assert [event.data for event in again if event.kind == "entry"] == [event.data for event in entries]
    document = await served.get(f"/api/sessions/{session}/entries")
    assert document["events"] == [event.data for event in entries]
    assert (document["last"], document["more"]) == (7, False)


async def test_what_passes_by_is_heard_while_it_happens_and_has_no_sequence(tmp_path: Path) -> None:
    async with serving(project(tmp_path, delay=0.1)) as served:
        session = await served.open()
        events = [event async for event in served.follow(session, until="conclusion")]
        calling = [event for event in events if event.kind == "calling"]
        assert calling
        assert all(event.seq is None and {"ask", "seat"} <= event.data.keys() for event in calling)


async def test_a_stream_goes_on_after_the_last_event_that_is_known(served: Served) -> None:
    session = await served.open()
    await served.concluded(session)
    for query, last in (({"after": 4}, None), ({}, 4), ({"after": 1}, 4)):
        events = [event async for event in served.follow(session, last=last, until="conclusion", **query)]
        assert [event.seq for event in events if event.kind == "entry"] == [5, 6, 7]
    page = await served.get(f"/api/sessions/{session}/entries", params={"after": 2, "limit": 3})
    assert ([each["seq"] for each in page["events"]], page["more"]) == ([3, 4, 5], True)


async def test_prose_comes_as_text_or_as_a_tree(served: Served) -> None:
    session = await served.open()
    await served.concluded(session)
    text = (await served.get(f"/api/sessions/{session}/entries"))["events"][1]
    tree = (await served.get(f"/api/sessions/{session}/entries", params={"prose": "tree"}))["events"][1]
    assert "reply" in text
    assert "said" not in text
    assert "reply" not in tree
    assert [name for name, _, _ in tree["said"]] == ["reasoning", "text"], "marks are code's own"
    assert {"reasoning", "text"} < text["reply"].keys()
    events = [event async for event in served.follow(session, until="conclusion", prose="tree")]
    assert events[1].data == tree


@pytest.mark.parametrize("value", ["x", "-1", "1.5", "1e3", "", "99999999999", "٣", "1, 2"])
async def test_a_malformed_last_event_id_is_refused(served: Served, value: str) -> None:
    session = await served.open(start=False)
    headers = {"Last-Event-ID": value.encode()}
    answer = await served.client.get(f"/api/sessions/{session}/events", headers=headers)  # type: ignore[arg-type]
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")


async def test_events_that_there_are_none_of(served: Served) -> None:
    session = await served.open(start=False)
    for path in ("events?after=5", "entries?after=5", "board?at=5"):
        assert (await served.client.get(f"/api/sessions/{session}/{path}")).status_code == 404
    assert (await served.client.get("/api/sessions/nothing/events")).status_code == 404


async def test_whoever_leaves_is_forgotten_at_once(served: Served) -> None:
    session = await served.open(start=False)
    async with served.client.stream("GET", f"/api/sessions/{session}/events") as answer:
        async for event in heard(answer):
            assert event.seq == 0
            break
        assert len(served.desk.streams) == 1
    await until_free(served)


async def test_only_so_many_may_listen(tmp_path: Path) -> None:
    limits = RequestLimits(reads=GENEROUS.reads, writes=GENEROUS.writes, streams=2)
    async with serving(project(tmp_path), limits=limits) as served:
        session = await served.open(start=False)
        url = f"/api/sessions/{session}/events"
        async with served.client.stream("GET", url) as first, served.client.stream("GET", url) as second:
            assert (first.status_code, second.status_code) == (200, 200)
            listening = heard(second)  # kept: letting go of it would end the stream
            await anext(listening)
            third = await served.client.get(url)
            assert third.status_code == 503, third.text
            assert int(third.headers["retry-after"]) > 0
        await until_free(served)
        async with served.client.stream("GET", url) as fourth:
            assert fourth.status_code == 200


async def test_a_server_that_stops_ends_all_streams(tmp_path: Path) -> None:
    async with serving(project(tmp_path)) as served:
        session = await served.open(start=False)
        url = f"http://127.0.0.1:{served.port}/api/sessions/{session}/events"
        client = httpx2.AsyncClient(timeout=30)
        answers = [await client.send(client.build_request("GET", url), stream=True) for _ in range(5)]
        listening = [heard(answer) for answer in answers]
        assert [(await anext(events)).seq for events in listening] == [0] * 5
    assert [[event async for event in events] for events in listening] == [[]] * 5, "they end, and nothing comes after"
    await client.aclose()


async def overheard(port: int, session: str, last: int | None) -> AsyncIterator[Heard]:
    """Follow a session over a plain connection, which takes less time than a client for so many."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    known = "" if last is None else f"Last-Event-ID: {last}\r\n"
    path = f"/api/sessions/{session}/events?until=conclusion"
    try:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{known}\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 "), head
        while size := int(await reader.readline(), 16):
            told = (await reader.readexactly(size + 2)).decode()
            fields = dict(line.split(": ", 1) for line in told.strip().splitlines())
            if "data" in fields:
                seq = int(fields["id"]) if "id" in fields else None
                yield Heard(fields["event"], seq, json.loads(fields["data"]))
    finally:
        writer.close()


async def test_two_hundred_listeners_that_are_cut_at_random_miss_nothing(tmp_path: Path) -> None:
    agents = ["architect", "security", "testing", "performance"]
    config = {"panel": "panel.yaml", "debate": {"agents": agents, "rounds": 3}}
    async with serving(project(tmp_path, config=config, delay=0.05)) as served:
        session = await served.open()
        cuts = 0

        async def listen(number: int) -> list[int]:
            nonlocal cuts
            generator, seen = random.Random(number), list[int]()
            while True:
                left = generator.randint(1, 12)
                last = seen[-1] if seen else None
                async for event in overheard(served.port, session, last):
                    if event.kind == "end":
                        return seen
                    if event.kind == "entry":
                        assert event.seq is not None
                        seen.append(event.seq)
                        left -= 1
                    if not left:
                        cuts += 1
                        break  # the connection is cut in the middle

        everybody = await asyncio.gather(*map(listen, range(LISTENERS)))
        last = (await served.get(f"/api/sessions/{session}"))["last"]
        assert last > 20
        assert cuts > LISTENERS
        assert all(seen == list(range(last + 1)) for seen in everybody)
        await until_free(served)


# The stream itself


class Listener:
    """Somebody who listens to a stream without a network between."""

    def __init__(self) -> None:
        self.heard = b""
        self.messages: list[Message] = []
        self.left: asyncio.Event = asyncio.Event()

    async def receive(self) -> Message:
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        self.messages.append(message)
        self.heard += message.get("body", b"")


async def test_a_silent_stream_says_that_it_is_there() -> None:
    async def silent() -> AsyncIterator[bytes]:
        await asyncio.Event().wait()
        yield b""

    streams, listener = Streams(5), Listener()
    stream = EventStream(silent(), streams, beat=0.02)
    listening = asyncio.create_task(stream({"type": "http"}, listener.receive, listener.send))
    async with asyncio.timeout(10):
        while listener.heard.count(b": still here\n\n") < 3:
            await asyncio.sleep(0.01)
    listener.left.set()
    await listening
    assert len(streams) == 0
    assert listener.heard.startswith(b"retry: 1000\n\n")


async def test_whatever_a_stream_holds_is_let_go_when_it_ends() -> None:
    freed = False

    async def frames() -> AsyncIterator[bytes]:
        nonlocal freed
        try:
            yield frame("{}", "entry", 0)
            await asyncio.Event().wait()
        finally:
            freed = True

    streams, listener = Streams(5), Listener()
    listening = asyncio.create_task(EventStream(frames(), streams)({"type": "http"}, listener.receive, listener.send))
    async with asyncio.timeout(10):
        while b"id: 0\n" not in listener.heard:
            await asyncio.sleep(0.01)
    streams.end()
    await listening
    assert freed
    assert listener.messages[-1] == {"type": "http.response.body", "body": b"", "more_body": False}


@pytest.mark.parametrize("text", ["a\nb", "a\r\nid: 99\r\n\r\ndata: x", "\u2028\u2029", "x" * 100_000, "\u202e\x00"])
def test_no_text_can_end_a_frame_or_begin_another(text: str) -> None:
    told: dict[str, Any] = {"text": text}
    made = frame(json.dumps(told, ensure_ascii=False), "saying", 7).decode()
    lines = made.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert len(lines) == 5
    assert lines[:2] == ["id: 7", "event: saying"]
    assert json.loads(lines[2].removeprefix("data: ")) == told
    assert lines[3:] == ["", ""]
