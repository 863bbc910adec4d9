"""Both journals keep every promise of the interface, and the suite notices one that does not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from quorate.codec.chain import GENESIS, Drafts, Entry, chain
from quorate.store.conformance import CASES, Case, Nonconforming, check, run
from quorate.store.journal import START, AlreadyReplied, Conflict, Journal, Listed, Status
from quorate.store.memory import MemoryJournal
from quorate.store.sqlite import SqliteJournal

Open = Callable[[], Awaitable[Journal]]


def memory(_: Path) -> Open:
    journal = MemoryJournal()

    async def open_it() -> Journal:
        return journal

    return open_it


def sqlite(folder: Path) -> Open:
    async def open_it() -> Journal:
        return SqliteJournal(folder / "quorate.db")

    return open_it


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
@pytest.mark.parametrize("store", [memory, sqlite])
async def test_promise(case: Case, store: Callable[[Path], Open], tmp_path: Path) -> None:
    await run(case, store(tmp_path))


@pytest.mark.parametrize("store", [memory, sqlite])
async def test_the_whole_suite_runs_in_a_store_that_has_sessions(store: Callable[[Path], Open], tmp_path: Path) -> None:
    open_it = store(tmp_path)
    await check(open_it)
    await check(open_it)


class Forgetful(MemoryJournal):
    """Lets an ask be answered twice."""

    async def extend(self, session: str, expected: int, drafts: Drafts, status: Status) -> list[Entry]:
        return await super().extend(session, expected, [(body, None) for body, _ in drafts], status)


class Eager(MemoryJournal):
    """Appends wherever the journal ends, whatever sequence was expected."""

    async def extend(self, session: str, expected: int, drafts: Drafts, status: Status) -> list[Entry]:
        return await super().extend(session, len(await self.entries(session)), drafts, status)


class Hasty(MemoryJournal):
    """Writes what comes before a reply that is refused."""

    async def extend(self, session: str, expected: int, drafts: Drafts, status: Status) -> list[Entry]:
        return [
            (await super(Hasty, self).extend(session, expected + at, [each], status))[0]
            for at, each in enumerate(drafts)
        ]


class Unchained(MemoryJournal):
    """Begins every hash anew."""

    async def extend(self, session: str, expected: int, drafts: Drafts, status: Status) -> list[Entry]:
        *before, entry = await super().extend(session, expected, drafts, status)
        odd = Entry(entry.seq, entry.body, chain(GENESIS, entry.body))
        self._sessions[session].entries[-1] = odd
        return [*before, odd]


class Overwriting(MemoryJournal):
    """Opens a session a second time."""

    async def create(
        self,
        session: str,
        protocol: str,
        title: str,
        opened_at: int,
        body: str,
        material: Mapping[str, str],
        status: Status = START,
        past: Drafts = (),
    ) -> Entry:
        self._sessions.pop(session, None)
        return await super().create(session, protocol, title, opened_at, body, material, status, past)


class Careless(MemoryJournal):
    """Forgets which asks a past has answered."""

    async def create(
        self,
        session: str,
        protocol: str,
        title: str,
        opened_at: int,
        body: str,
        material: Mapping[str, str],
        status: Status = START,
        past: Drafts = (),
    ) -> Entry:
        bare = [(each, None) for each, _ in past]
        return await super().create(session, protocol, title, opened_at, body, material, status, bare)


class Inhospitable(MemoryJournal):
    """Forgets a mark when it is closed."""

    async def close(self) -> None:
        for kept in self._sessions.values():
            kept.mark = None


class Generous(MemoryJournal):
    """Gives every lease to everybody."""

    async def lease(self, session: str, owner: str, seconds: float) -> None:
        self._find(session).lease = None


class Jealous(MemoryJournal):
    """Never gives up a lease."""

    async def release(self, session: str, owner: str) -> None:
        return None


class Disorderly(MemoryJournal):
    """Lists the oldest session first."""

    async def sessions(self) -> list[Listed]:
        return (await super().sessions())[::-1]


class Vague(MemoryJournal):
    """Has no entries for a session that it does not know."""

    async def entries(self, session: str, after: int = -1) -> list[Entry]:
        return await super().entries(session, after) if session in self._sessions else []


class Obliging(MemoryJournal):
    """Waits for sessions that it does not know."""

    async def wait(self, session: str, after: int, seconds: float) -> None:
        if session in self._sessions:
            await super().wait(session, after, seconds)


class Harsh(MemoryJournal):
    """Says Conflict where a reply came twice."""

    async def extend(self, session: str, expected: int, drafts: Drafts, status: Status) -> list[Entry]:
        try:
            return await super().extend(session, expected, drafts, status)
        except AlreadyReplied as error:
            raise Conflict(str(error)) from error


BROKEN: list[tuple[type[MemoryJournal], str]] = [
    (Forgetful, "an ask has one reply"),
    (Eager, "an append names the sequence"),
    (Hasty, "several entries are written whole or not at all"),
    (Unchained, "entries are chained and in order"),
    (Overwriting, "an id is opened once"),
    (Careless, "a past is there from the beginning"),
    (Inhospitable, "hosted sessions are listed"),
    (Generous, "a lease keeps others out"),
    (Jealous, "a lease keeps others out"),
    (Disorderly, "lists show the newest first"),
    (Vague, "unknown sessions are named so"),
    (Obliging, "who waits is told of what is written"),
    (Harsh, "an ask has one reply"),
]


@pytest.mark.parametrize(("broken", "case"), BROKEN)
async def test_a_broken_store_is_told_which_promise_it_breaks(broken: type[Any], case: str) -> None:
    journal = broken()

    async def open_it() -> Journal:
        found: Journal = journal
        return found

    with pytest.raises(Nonconforming, match=case):
        await check(open_it)
