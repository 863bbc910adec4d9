"""Lists of sessions: pages of them, fast however many there are."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from quorate import api
from quorate.api.boards import Boards, board_data, board_of
from quorate.api.folds import Folds, again
from quorate.api.panels import find_panels
from quorate.api.roots import Roots
from quorate.api.session_list import Listing, Wanted
from quorate.codec.chain import Entry
from quorate.core.errors import StoreError
from quorate.store.journal import Status, UnknownSession
from quorate.store.memory import MemoryJournal
from quorate.store.sqlite import SqliteJournal
from quorate.workspace import Workspace, find_workspace
from tests.cli.shell import Shell, script

PROBLEM = {"problem": "Where should the log live?"}


class Counting(MemoryJournal):
    """A journal that counts how often a session is read as a whole."""

    read = 0

    async def entries(self, session: str, after: int = -1) -> list[Entry]:
        self.read += after == -1
        return await super().entries(session, after)


@pytest.fixture
def place(tmp_path: Path) -> Workspace:
    Shell(tmp_path).write(script())
    return find_workspace(tmp_path, {}, store="memory:")


async def many(place: Workspace, journal: MemoryJournal, count: int) -> str:
    """Fill a journal with sessions; the first has concluded, and is returned."""
    first = await api.open_session(place, journal, "debate", PROBLEM, seed=5)
    await api.run(place, journal, first)
    body = (await journal.entries(first))[0].body
    for number in range(count - 1):
        status = Status("PROPOSAL", 1, "", "person" if number % 100 == 0 else "")
        await journal.create(f"debate-{number:05}", "debate", f"Title {number}", number, body, {}, status)
    return first


async def test_five_thousand_sessions_are_listed_by_reading_those_that_are_shown(place: Workspace) -> None:
    journal = Counting()
    first = await many(place, journal, 5_000)
    listing, journal.read = Listing(journal), 0
    shown, more = await listing.page(Wanted(limit=50))
    assert (len(shown), more, journal.read) == (50, True, 50)
    assert shown[0]["id"] == first, "the newest"
    again_, _ = await listing.page(Wanted(limit=50))
    assert (again_, journal.read) == (shown, 50), "nothing is read twice"
    found, more = await listing.page(Wanted(status="waiting", limit=200))
    assert (len(found), more) == (50, False)
    found, _ = await listing.page(Wanted(words="title 4321"))
    assert [each["id"] for each in found] == ["debate-04321"]


async def test_pages_follow_each_other_without_gaps(place: Workspace) -> None:
    journal = MemoryJournal()
    await many(place, journal, 120)
    listing, seen, before = Listing(journal), list[str](), None
    while True:
        shown, more = await listing.page(Wanted(limit=50, before=before))
        seen += [each["id"] for each in shown]
        before = seen[-1]
        if not more:
            break
    assert seen == [each.id for each in await journal.sessions()]
    with pytest.raises(UnknownSession):
        await listing.page(Wanted(before="nothing"))


async def test_a_row_changes_with_its_session(place: Workspace) -> None:
    journal = MemoryJournal()
    session = await api.open_session(place, journal, "debate", PROBLEM, seed=5)
    listing = Listing(journal)
    ((row,), _) = await listing.page(Wanted())
    assert (row["tokens"], row["verdict"], row["exit_code"], row["status"]) == (0, None, None, "active")
    await api.run(place, journal, session)
    ((row,), _) = await listing.page(Wanted())
    assert (row["verdict"], row["exit_code"], row["status"], row["degraded"]) == ("SOLUTION", 0, "concluded", None)
    assert row["tokens"] > 0


async def test_a_session_that_cannot_be_read_hides_no_other(place: Workspace) -> None:
    journal = MemoryJournal()
    good = await api.open_session(place, journal, "debate", PROBLEM, seed=5)
    await journal.create("damaged", "debate", "t", 5, "{}", {})
    shown, _ = await Listing(journal).page(Wanted())
    assert {each["id"]: bool(each["problem"]) for each in shown} == {good: False, "damaged": True}


# Folds


async def test_a_fold_takes_what_is_new_and_is_the_same_as_a_whole_one(place: Workspace) -> None:
    journal = MemoryJournal()
    session = await api.open_session(place, journal, "debate", PROBLEM, seed=5)
    folds = Folds(place, journal)
    fold = await folds.get(session)
    assert fold.last == 0
    await api.run(place, journal, session)
    later = await folds.get(session)
    assert later is fold
    whole = await Folds(place, journal).get(session)
    assert [each.data for each in later.events] == [each.data for each in whole.events]
    assert api.summary(later.result) == api.summary(await api.load(place, journal, session))
    early = again(later, 2)()
    assert (len(early.entries), len(early.record.envelopes)) == (3, 2)


async def test_only_so_many_entries_are_held(place: Workspace) -> None:
    journal = MemoryJournal()
    sessions = [await api.open_session(place, journal, "debate", PROBLEM, seed=seed) for seed in range(5)]
    folds = Folds(place, journal, most=3)
    for session in sessions:
        await folds.get(session)
    assert list(folds._held) == sessions[-3:]


async def test_what_cannot_be_folded_raises_each_time(tmp_path: Path, place: Workspace) -> None:
    journal = SqliteJournal(tmp_path / "store.db")
    folds = Folds(place, journal)
    with pytest.raises(UnknownSession):
        await folds.get("nothing")
    await journal.create("damaged", "debate", "t", 5, "{}", {})
    for _ in range(2):
        with pytest.raises(StoreError):
            await folds.get("damaged")
    assert not folds._held
    assert not folds._locks
    await journal.close()


# Panels


def test_panels_are_found_inside_the_roots_and_nothing_else_is(tmp_path: Path) -> None:
    inside = tmp_path / "project"
    (inside / "panels").mkdir(parents=True)
    (inside / ".hidden").mkdir()
    (inside / "node_modules").mkdir()
    (inside / "panels" / "two.yaml").write_text("default: person\nseats: {judge: person}\n")
    (inside / "one.yml").write_text("script: replies.yaml\n")
    (inside / "replies.yaml").write_text("seats: {judge: {synthesize: {solution: s}}}\n")
    (inside / "other.yaml").write_text("name: something\n")
    (inside / "broken.yaml").write_text("{")
    (inside / "list.yaml").write_text("[]")
    (inside / "binary.yaml").write_bytes(b"\0\xff")
    for hidden in (".hidden", "node_modules"):
        (inside / hidden / "panel.yaml").write_text("default: person\n")
    (tmp_path / "outside.yaml").write_text("default: person\n")
    (inside / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    (inside / "linked").symlink_to(tmp_path)
    found = find_panels(Roots((inside,)))
    assert found == [{"path": "one.yml", "seats": []}, {"path": "panels/two.yaml", "seats": ["judge"]}]
    (inside / "one.yml").write_text("name: no panel any more\n")
    assert [each["path"] for each in find_panels(Roots((inside,)))] == ["panels/two.yaml"]


# Boards


async def test_boards_are_those_of_their_entries_forward_and_backward(place: Workspace) -> None:
    journal = MemoryJournal()
    session = await api.open_session(place, journal, "debate", PROBLEM, seed=5)
    await api.run(place, journal, session)
    fold, boards = await Folds(place, journal).get(session), Boards()
    whole = {seq: board_data(board_of(again(fold, seq)().record), trees=True) for seq in range(fold.last + 1)}
    for seq in (3, 5, 2, 7, 7, 0, 6, 1, 4):
        assert await boards.at(fold, seq, trees=True) == whole[seq], seq
    at_once = await asyncio.gather(*(boards.at(fold, seq, trees=False) for seq in range(fold.last + 1)))
    assert [set(each) for each in at_once] == [set(whole[0])] * (fold.last + 1)
