"""Books: a worker keeps a session open while it works on it, and lets go of it some time after."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from quorate import api
from quorate.api import temporal
from quorate.core.types import Reason
from quorate.runtime.durable.books import Books, Ports, Seated
from quorate.store.slots import open_slots
from tests.support.working import Stand

AT_ONCE, LATER = 0.0, 3600.0


async def test_a_book_is_let_go_when_nobody_works_on_it(tmp_path: Path) -> None:
    stand, left = Stand(tmp_path, "nowhere:1"), list[str]()
    session = await stand.open()

    async def seat(name: str) -> Seated:
        async def leave() -> None:
            left.append(name)

        return replace(await temporal._seated(stand.alone, stand.journal, name), leave=leave)

    books = Books(Ports(stand.journal, seat, open_slots(stand.url)))
    first = await books.book(session)
    with first.kept_open():
        assert first.idle() == 0.0
        await books.close_idle(AT_ONCE)
    async with books.at(session):
        await books.close_idle(AT_ONCE)
    await books.close_idle(LATER)
    assert await books.book(session) is first, "somebody worked on it, or just has"
    assert left == []
    await books.close_idle(AT_ONCE)
    assert left == [session]

    await api.interrupt(stand.alone, stand.journal, session, Reason.CANCELLED)
    async with books.at(session) as again:
        assert again is not first
        assert again.record.session.conclusion is not None
        assert len(again.news(0).decisions) == len(again.decisions) == 1
    await books.close_all()
    assert left == [session, session]
    await stand.journal.close()
