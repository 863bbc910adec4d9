"""Two hundred event streams on one session, cut at random and resumed: each receives every event once and in order."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import httpx2
import pytest

from tests.end_to_end.stand import Stand, project, replies, seat_script, standing

pytestmark = pytest.mark.slow

STREAMS = 200
CUTS = 5
MOST_BYTES = 120_000
"""Bytes after which a stream is cut at the latest."""


@dataclass
class Reader:
    """One reader of a session, who knows nothing but what came in whole."""

    url: str
    random: Random
    heard: list[tuple[int, str]] = field(default_factory=list)
    cut: int = 0
    over: bool = False

    async def read(self, client: httpx2.AsyncClient) -> None:
        """Read to the end, cut some times in the middle of whatever comes."""
        while not self.over:
            headers = {"Last-Event-ID": str(self.heard[-1][0])} if self.heard else {}
            left = self.random.randint(1, MOST_BYTES) if self.cut < CUTS else None
            async with client.stream("GET", self.url, headers=headers) as answer:
                assert answer.status_code == 200, await answer.aread()
                await self._listen(answer, left)
            self.cut += not self.over

    async def _listen(self, answer: httpx2.Response, left: int | None) -> None:
        held = b""
        async for part in answer.aiter_raw():
            if left is not None:
                part, left = part[:left], left - len(part)  # in the middle of whatever came
            held += part
            *whole, held = held.replace(b"\r\n", b"\n").split(b"\n\n")
            for block in whole:
                self._take(block.decode())
            if self.over or (left is not None and left <= 0):
                return

    def _take(self, block: str) -> None:
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line and not line.startswith(":"))
        if fields.get("event") == "end":
            self.over = True
        elif fields.get("event") == "entry":
            told = json.loads(fields["data"])
            assert int(fields["id"]) == told["seq"]
            self.heard.append((told["seq"], told["hash"]))
        else:
            assert "id" not in fields, "what is not kept has no number to go on from"


def slow() -> dict[str, Any]:
    """Return a script in which every reply takes a moment, and proposals are heard as they are made."""
    script = replies()
    seats = script["seats"]
    for seat in ("architect", "performance", "simplicity"):
        seats[seat]["propose"] = {"reply": seats[seat]["propose"], "say": "Let me think about it."}
    return {**script, "delay": 0.2}


async def read_all(stand: Stand, session: str) -> list[Reader]:
    url = f"{stand.address}/api/sessions/{session}/events?until=conclusion"
    readers = [Reader(url, Random(seed)) for seed in range(STREAMS)]
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=0)
    async with httpx2.AsyncClient(limits=limits, timeout=120) as client, asyncio.TaskGroup() as group:
        for reader in readers:
            group.create_task(reader.read(client))
        await client.post(f"{stand.address}/api/sessions/{session}/resume")
    return readers


def test_two_hundred_streams_cut_at_random_lose_and_repeat_nothing(tmp_path: Path) -> None:
    with standing(project(tmp_path)) as stand:
        panel = seat_script(tmp_path, "slow", slow())
        problem = {"problem": "How does a small shop keep an audit log?"}
        session = stand.open("debate", problem, panel, settings={"rounds": 10}, start=False)
        readers = asyncio.run(read_all(stand, session))
        events = stand.events(session)
    assert len(events) > 60
    assert events[-1]["conclusion"] is not None
    assert [each["seq"] for each in events] == list(range(len(events)))
    expected = [(each["seq"], each["hash"]) for each in events]
    for reader in readers:
        assert reader.heard == expected
    assert sum(reader.cut for reader in readers) > STREAMS
