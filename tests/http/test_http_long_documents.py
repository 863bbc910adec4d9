"""Others are answered while something long is written: it is laid out beside the loop, a piece at a time."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from quorate.evidence import events as evidence_events
from quorate.evidence import prose
from quorate.http import events, evidence
from tests.http.served import Served, project, serving

EXAMPLES = Path(__file__).parents[2] / "examples"
MARKED = {"reasoning": "*x*", "text": "* one\n* two"}


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(project(tmp_path, every={"propose": MARKED})) as found:
        yield found


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The threads in which prose is laid out."""
    found = set[str]()

    def tree(text: str, most: int = prose.MOST_CHARACTERS) -> Any:
        found.add(threading.current_thread().name)
        return prose.tree(text, most)

    for module in (evidence_events, evidence):
        monkeypatch.setattr(module, "tree", tree)
    return found


async def test_events_are_laid_out_beside_the_loop(served: Served, threads: set[str]) -> None:
    session = await served.open()
    followed = [each.data async for each in served.follow(session, until="conclusion", prose="tree")]
    await served.concluded(session)
    served.desk.folds.forget(session)
    threads.clear()
    document = await served.get(f"/api/sessions/{session}/entries", params={"prose": "tree"})
    assert document["events"] == [each for each in followed if "seq" in each]
    assert threads
    assert threading.main_thread().name not in threads
    threads.clear()
    assert await served.get(f"/api/sessions/{session}/entries", params={"prose": "tree"}) == document
    assert not threads, "what was laid out once is kept"


@pytest.mark.parametrize("most", [0, 1_000_000])
async def test_of_what_happens_now_only_long_events_are_laid_out_beside_the_loop(
    served: Served, threads: set[str], monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(events, "MUCH", most)
    session = await served.open(start=False)
    async with aclosing(served.follow(session, until="conclusion", prose="tree")) as following:  # type: ignore[type-var]
        assert (await anext(following)).seq == 0
        await served.post(f"/api/sessions/{session}/resume")  # only now: what has happened before is no now
        assert [each async for each in following]
    assert (threading.main_thread().name in threads) == bool(most)


async def test_a_report_is_laid_out_once_and_beside_the_loop(served: Served, threads: set[str]) -> None:
    session = await served.open()
    await served.concluded(session)
    path = f"/api/sessions/{session}/reports/report.md"
    text = (await served.client.get(path)).text
    threads.clear()
    told = await served.get(path, params={"prose": "tree"})
    assert told == {"name": "report.md", "media_type": "text/markdown", "tree": prose.tree(text, 1_000_000)}
    assert threads
    assert threading.main_thread().name not in threads
    threads.clear()
    assert await served.get(path, params={"prose": "tree"}) == told
    assert not threads


@pytest.mark.parametrize("prose", ["text", "tree"])
async def test_a_long_stream_gives_way(served: Served, prose: Any) -> None:
    session = await served.open()
    await served.concluded(session)
    fold = await served.desk.folds.get(session)
    fold.events *= 30
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    waiting = asyncio.create_task(others())
    frames = [each async for each in events._frames(served.desk, fold, -1, prose, True)]
    waiting.cancel()
    assert len(frames) == len(fold.events) + 1
    assert turns >= len(fold.events) // events.AT_ONCE


async def test_the_end_of_a_stream_names_the_last_event_that_it_told(served: Served) -> None:
    """A ruling that is written meanwhile is not told, so it is not named either."""
    diff = (EXAMPLES / "change.diff").read_text()
    (served.folder / "nobody.yaml").write_text(json.dumps({"seats": {"*": {}}}))
    (served.folder / "silent.yaml").write_text("script: nobody.yaml\n")
    session = await served.open(protocol="review", inputs={"diff": diff}, panel="silent.yaml")
    assert (await served.concluded(session))["verdict"] == "INCONCLUSIVE"
    fold = await served.desk.folds.get(session)
    last = fold.last
    async with aclosing(events._frames(served.desk, fold, -1, "text", True)) as frames:  # type: ignore[type-var]
        told = [await anext(frames)]
        body = {"verdict": "APPROVED", "by": "Ada", "reason": "It is fine."}
        await served.post(f"/api/sessions/{session}/ruling", body)
        assert (await served.desk.folds.get(session)).last == fold.last == last + 1
        told += [each async for each in frames]
    assert len(told) == last + 2
    assert json.loads(told[-1].decode().split("data: ")[1])["last"] == last
