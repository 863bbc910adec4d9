"""A broadcast tells every entry once and in order, to many, however slow, and however often they are cut off."""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from quorate import api
from quorate.api.broadcast import MOST_PASSING, MOST_SAID, Broadcast, Calls
from quorate.api.host import Host
from quorate.api.stream import Ephemeral, Told, told
from quorate.codec.chain import Entry
from quorate.core.errors import StoreError
from quorate.core.forms import Reply
from quorate.core.types import Ask, AskId, Seat
from quorate.runtime.happenings import Called, Calling, Saying
from quorate.store.journal import Journal
from quorate.store.memory import MemoryJournal
from quorate.workspace import Workspace, find_workspace
from tests.cli.shell import CONFIG, Shell, script

LONG = {**CONFIG, "debate": {"agents": ["architect", "security"], "rounds": 12}}
PATIENCE = 60
"""Seconds until a test gives up; none waits for them where all is well."""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    Shell(tmp_path).write(script(), LONG)
    return find_workspace(tmp_path, {}, store=f"sqlite:{tmp_path / 'quorate.db'}")


async def opened(workspace: Workspace, journal: Journal) -> str:
    return await api.open_session(workspace, journal, "debate", {"problem": "Where to keep logs?"}, seed=5)


def is_end(event: Told | Ephemeral) -> bool:
    return isinstance(event, Told) and event.data["conclusion"] is not None


async def some(host: Host, session: str, after: int, most: int) -> list[Told]:
    """Watch for so many entries at most, or until the conclusion, and cut the watching then."""
    seen: list[Told] = []
    async with aclosing(host.watch(session, after, ephemeral=False)) as events:
        async for event in events:
            assert isinstance(event, Told)
            seen.append(event)
            if len(seen) == most or is_end(event):
                break
    return seen


# Every entry, once and in order


async def test_what_is_told_live_is_what_is_told_afterwards(workspace: Workspace, journal: Journal) -> None:
    session = await opened(workspace, journal)
    async with asyncio.timeout(PATIENCE), Host(workspace, journal) as host:
        await host.start(session)
        live = await some(host, session, -1, 10_000)
    assert [event.data for event in live] == [event.data for event in await told(workspace, journal, session)]
    assert len(live) == len(await journal.entries(session))


async def test_who_was_cut_off_comes_back_and_misses_nothing(workspace: Workspace, journal: Journal) -> None:
    session = await opened(workspace, journal)
    seen: list[int] = []
    async with asyncio.timeout(PATIENCE), Host(workspace, journal) as host:
        await host.start(session)
        while True:
            events = await some(host, session, seen[-1] if seen else -1, 3)
            seen += [event.seq for event in events]
            if is_end(events[-1]):
                break
    assert seen == list(range(len(await journal.entries(session))))


async def test_two_hundred_watchers_are_cut_and_resumed_at_random(workspace: Workspace, journal: Journal) -> None:
    """Every one receives every entry once and in order, whenever and however often it was cut."""
    assert workspace.root is not None
    Shell(workspace.root).write(script(delay=0.004), LONG)
    session = await opened(workspace, journal)

    async def watcher(number: int, host: Host) -> list[int]:
        chance, seen = random.Random(number), list[int]()
        while True:
            await asyncio.sleep(chance.random() * 0.02)
            events = await some(host, session, seen[-1] if seen else -1, chance.randint(1, 9))
            seen += [event.seq for event in events]
            if is_end(events[-1]):
                return seen

    async with asyncio.timeout(PATIENCE), Host(workspace, journal) as host:
        watching = [asyncio.create_task(watcher(number, host)) for number in range(200)]
        await host.start(session)
        found = await asyncio.gather(*watching)
        assert len(host._broadcasts) == 1
    whole = list(range(len(await journal.entries(session))))
    assert len(whole) > 50
    assert all(seen == whole for seen in found)


async def test_what_others_write_is_told_too(workspace: Workspace, journal: Journal) -> None:
    """Nobody here drives it: the entries come from another journal on the same file."""
    session = await opened(workspace, journal)
    elsewhere = workspace.open()
    async with asyncio.timeout(PATIENCE), Host(workspace, journal) as host:
        watching = asyncio.create_task(some(host, session, -1, 10_000))
        await api.run(workspace, elsewhere, session)
        events = await watching
    await elsewhere.close()
    assert [event.seq for event in events] == list(range(len(await journal.entries(session))))


async def test_what_is_written_here_is_told_at_once(workspace: Workspace, tmp_path: Path) -> None:
    """The journal is not read again: what the driver has written is enough."""

    class Counting(MemoryJournal):
        reads = 0

        async def entries(self, session: str, after: int = -1) -> list[Entry]:
            self.reads += after >= 0
            return await super().entries(session, after)

    journal = Counting()
    session = await opened(workspace, journal)
    broadcast = Broadcast(workspace, journal, session)
    seen: list[int] = []
    async with asyncio.timeout(PATIENCE), aclosing(broadcast.follow(-1, None, ephemeral=False)) as events:
        seen.append((await anext(events)).seq)  # type: ignore[union-attr]
        before = journal.reads
        driving = asyncio.create_task(api.run(workspace, journal, session, watch=broadcast.tell))
        async for event in events:
            assert isinstance(event, Told)
            seen.append(event.seq)
            if is_end(event):
                break
        await driving
    assert seen == list(range(len(await journal.entries(session))))
    assert journal.reads - before < len(seen) / 2


async def test_a_slow_reader_holds_up_nobody_and_loses_no_entry(
    workspace: Workspace, journal: Journal, tmp_path: Path
) -> None:
    session = await opened(workspace, journal)
    async with asyncio.timeout(PATIENCE), Host(workspace, journal) as host:
        slow = host.watch(session)
        first = await anext(slow)
        await host.start(session)
        quick = await some(host, session, -1, 10_000)
        rest = [first]
        while not is_end(rest[-1]):
            rest.append(await anext(slow))
        await slow.aclose()
    entries = [event.seq for event in rest if isinstance(event, Told)]
    assert entries == [event.seq for event in quick]


async def test_a_sequence_that_is_not_there_yet(workspace: Workspace, journal: Journal) -> None:
    """Who says to have seen entry 3 is told from entry 4 on, also where there are no four yet."""
    session = await opened(workspace, journal)
    async with asyncio.timeout(PATIENCE), Host(workspace, journal) as host:
        watching = asyncio.create_task(some(host, session, 3, 2))
        await host.start(session)
        assert [event.seq for event in await watching] == [4, 5]
        assert [event.seq for event in await some(host, session, -99, 2)] == [0, 1]


async def test_the_first_entries_are_told_while_the_rest_is_folded(
    workspace: Workspace, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Folding takes longer than an unwatched broadcast is kept; who waits for it counts as one who watches."""
    session = await opened(workspace, journal)
    await api.run(workspace, journal, session)
    whole = len(await journal.entries(session))
    monkeypatch.setattr("quorate.api.broadcast.AT_ONCE", 0.0)
    monkeypatch.setattr("quorate.api.host.KEEP_BROADCAST", 0)
    async with (
        asyncio.timeout(PATIENCE),
        Host(workspace, journal) as host,
        aclosing(host.watch(session, ephemeral=False)) as events,
    ):
        seen = [await anext(events)]
        assert len(host._broadcasts[session]._events) < whole, "the rest is not folded yet"
        while not is_end(seen[-1]):
            await host._go_round()
            seen.append(await anext(events))
    assert [event.seq for event in seen if isinstance(event, Told)] == list(range(whole))


async def test_who_is_told_much_gives_way(workspace: Workspace, journal: Journal) -> None:
    """All entries are there; others in this process have their turn before all are told."""
    session = await opened(workspace, journal)
    await api.run(workspace, journal, session)
    broadcast, turns = Broadcast(workspace, journal, session), 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    await broadcast.look()
    async with asyncio.timeout(PATIENCE), aclosing(broadcast.follow(-1, None, ephemeral=False)) as events:
        await anext(events)
        others = asyncio.create_task(other())
        async for event in events:
            if is_end(event):
                break
        others.cancel()
    assert turns >= 2


# What passes by


def asked(number: int = 0) -> Ask:
    return Ask(AskId(f"{number}.0"), Seat("judge"), "synthesize", Reply)


async def following(broadcast: Broadcast, calls: Calls, count: int) -> list[Told | Ephemeral]:
    """What somebody is told: so many events, and one more where there is one."""
    async with asyncio.timeout(PATIENCE), aclosing(broadcast.follow(-1, calls, ephemeral=True)) as events:
        found = [await anext(events) for _ in range(count)]
        with suppress(TimeoutError):
            async with asyncio.timeout(0.05):
                found.append(await anext(events))
    return found


async def test_texts_pass_by_in_their_place(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    """A call is told after the entry that asked for it, and its text piece by piece."""
    words = script(judge={"synthesize": {"say": "So be it.", "reply": script()["seats"]["judge"]["synthesize"]}})
    Shell(tmp_path).write(words, CONFIG)
    workspace = find_workspace(tmp_path, {}, store=workspace.store)
    session = await opened(workspace, journal)
    open_asks: set[str] = set()
    text = ""
    async with asyncio.timeout(PATIENCE), Host(workspace, journal) as host:
        watching = host.watch(session)
        first = await anext(watching)
        open_asks |= {ask["id"] for ask in first.data["asked"]}
        await host.start(session)
        async for event in watching:
            if isinstance(event, Told):
                open_asks |= {ask["id"] for ask in event.data["asked"]}
                if is_end(event):
                    break
            else:
                assert event.data["ask"] in open_asks
                text += event.data["text"] if event.kind == "saying" else ""
        await watching.aclose()
    assert text == "So be it."


async def test_a_slow_reader_loses_the_oldest_of_what_passed_by(workspace: Workspace, journal: Journal) -> None:
    session = await opened(workspace, journal)
    broadcast = Broadcast(workspace, journal, session)
    events = broadcast.follow(-1, None, ephemeral=True)
    await anext(events)
    for number in range(MOST_PASSING + 50):
        broadcast.tell(Saying(asked(), f"{number} "))
    found = [await anext(events) for _ in range(MOST_PASSING)]
    assert [event.data["text"] for event in found] == [f"{number} " for number in range(50, MOST_PASSING + 50)]
    await events.aclose()


async def test_what_is_being_said_comes_after_a_journal_that_is_still_folded(
    workspace: Workspace, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await opened(workspace, journal)
    await api.run(workspace, journal, session)
    monkeypatch.setattr("quorate.api.broadcast.AT_ONCE", 0.0)
    whole = len(await journal.entries(session))
    for calls in (Calls(), None):
        broadcast = Broadcast(workspace, journal, session)
        async with asyncio.timeout(PATIENCE), aclosing(broadcast.follow(-1, calls, ephemeral=True)) as events:
            found = [await anext(events)]
            for happening in (Calling(asked(), "script", ()), Saying(asked(), "So be it.")):
                if calls is not None:
                    calls.take(happening)
                broadcast.tell(happening)
            found += [await anext(events) for _ in range(whole + 1)]
        assert all(isinstance(event, Told) for event in found[:whole])
        assert [event.kind for event in found[whole:] if isinstance(event, Ephemeral)] == ["calling", "saying"]


async def test_who_comes_late_hears_what_is_being_said(workspace: Workspace, journal: Journal) -> None:
    session = await opened(workspace, journal)
    broadcast, calls = Broadcast(workspace, journal, session), Calls()
    for happening in (Calling(asked(), "script", ()), Saying(asked(), "So "), Saying(asked(), "be it.")):
        calls.take(happening)
    first, *passing = await following(broadcast, calls, 3)
    assert isinstance(first, Told)
    assert passing == [
        Ephemeral("calling", {"ask": "0.0", "seat": "judge", "participant": "script"}),
        Ephemeral("saying", {"ask": "0.0", "seat": "judge", "text": "So be it."}),
    ]
    calls.take(Saying(asked(), "x" * 2 * MOST_SAID))
    assert len(list(calls.so_far())[1].data["text"]) == MOST_SAID
    assert [each.kind for each in calls.ended()] == ["called"]
    calls.take(Called(asked()))
    assert list(calls.so_far()) == list(calls.ended()) == []
    calls.take(Saying(asked(1), "a call that nobody has seen begin"))
    assert list(calls.so_far()) == []


# What goes wrong


async def test_a_damaged_entry_ends_the_watching_with_an_error(workspace: Workspace, journal: Journal) -> None:
    """What was told is true, what cannot be is not told; the next one to watch tries again."""
    memory = MemoryJournal()
    session = await opened(workspace, memory)
    async with asyncio.timeout(PATIENCE), Host(workspace, memory) as host:
        events = host.watch(session)
        assert isinstance(await anext(events), Told)
        kept = memory._sessions[session].entries
        kept.append(Entry(1, json.dumps({"seq": 1, "interrupted": "cancelled"}), "0" * 64))
        damaged = memory._sessions[session]
        damaged.listed = replace(damaged.listed, last=1)
        memory._bell.ring(session)
        with pytest.raises(StoreError, match="entry 1 does not match its hash"):
            await anext(events)
        with pytest.raises(StoreError, match="entry 1 does not match its hash"):
            await anext(host.watch(session))
        kept.pop()
        damaged.listed = replace(damaged.listed, last=0)
        again = host.watch(session)
        assert isinstance(await anext(again), Told)
        await again.aclose()


async def test_leaving_the_host_ends_the_watching(workspace: Workspace, journal: Journal) -> None:
    session = await opened(workspace, journal)
    async with asyncio.timeout(PATIENCE):
        async with Host(workspace, journal) as host:
            watching = asyncio.create_task(some(host, session, 0, 5))
            while not host._broadcasts:
                await asyncio.sleep(0)
        assert await watching == []


async def test_a_broadcast_that_nobody_watches_is_given_up(
    workspace: Workspace, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await opened(workspace, journal)
    async with asyncio.timeout(PATIENCE), Host(workspace, journal) as host:
        await some(host, session, -1, 1)
        assert set(host._broadcasts) == {session}, "it is kept for who comes back"
        monkeypatch.setattr("quorate.api.host.KEEP_BROADCAST", 0)
        while host._broadcasts:
            await asyncio.sleep(0.01)
        assert [event.seq for event in await some(host, session, -1, 1)] == [0]
