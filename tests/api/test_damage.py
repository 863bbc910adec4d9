"""Damage: found to the entry, read up to it, and never written upon."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest

from quorate import api
from quorate.api.damage import DamagedSession, diagnose
from quorate.api.folds import Folds
from quorate.api.readable import LOST, open_readable, read
from quorate.api.seals import seal
from quorate.api.worth import worth
from quorate.core.errors import StoreError
from quorate.core.types import Reason
from quorate.store.database import PAGE
from quorate.store.journal import Journal
from quorate.store.memory import MemoryJournal
from quorate.workspace import Workspace
from tests.support.damaging import FLIPPED, LAST, PROBLEM, change, debated, file_of, spoil_page


@pytest.fixture
async def session(workspace: Workspace) -> str:
    """A debate that has its verdict, in a file that nobody has open."""
    return await debated(workspace)


@pytest.fixture
async def opened(workspace: Workspace, session: str) -> AsyncIterator[Callable[[], Journal]]:
    """Opens the store, after a test has damaged it."""
    journals: list[Journal] = []

    def opening() -> Journal:
        journals.append(workspace.open())
        return journals[-1]

    yield opening
    for journal in journals:
        await journal.close()


ROWS = [
    (FLIPPED, 3, ["entry 3: its body was changed, or an entry before it was taken out"]),
    ("UPDATE entry SET body = substr(body, 1, 40) WHERE seq = 5", 5, ["entry 5: its body was changed, or"]),
    ("UPDATE entry SET hash = zeroblob(32) WHERE seq = 4", 4, ["entry 4: its hash was changed"]),
    (f"UPDATE entry SET hash = zeroblob(32) WHERE seq = {LAST}", LAST, [f"entry {LAST}: its body or its hash was"]),
    ("DELETE FROM entry WHERE seq = 2", 2, ["entry 2: it is missing"]),
    (f"DELETE FROM entry WHERE seq >= {LAST - 1}", LAST - 1, ["entry 6: it is missing", "entry 7: it is missing"]),
    ("UPDATE entry SET seq = 99 WHERE seq = 6", 6, ["entry 6: it is missing"]),
]


@pytest.mark.parametrize(("statement", "seq", "told"), ROWS)
async def test_damage_is_found_to_the_entry_and_the_session_is_read_up_to_it(
    workspace: Workspace, session: str, opened: Callable[[], Journal], statement: str, seq: int, told: list[str]
) -> None:
    change(file_of(workspace), statement)
    journal = opened()
    damage, entries = await diagnose(journal, session)
    assert damage is not None
    assert [str(flaw)[: len(words)] for flaw, words in zip(damage.flaws, told, strict=False)] == told
    assert (damage.whole, len(entries)) == (seq, seq)
    result = await read(workspace, journal, session)
    assert (result.damage, result.entries, result.exit_code) == (damage, list(entries), 70)
    assert result.record.session.conclusion is None
    assert f"entries 0 to {seq - 1}" in str(damage)


async def test_every_flaw_is_told_and_not_only_the_first(
    workspace: Workspace, session: str, opened: Callable[[], Journal]
) -> None:
    change(
        file_of(workspace),
        FLIPPED,
        "DELETE FROM entry WHERE seq = 5",
        "UPDATE entry SET hash = zeroblob(32) WHERE seq = 6",
    )
    damage, _ = await diagnose(opened(), session)
    assert damage is not None
    assert [flaw.seq for flaw in damage.flaws] == [3, 5, 7], (
        "what stands at 6 cannot be told; 7 does not follow from it"
    )


async def test_a_damaged_page_hides_its_entry_alone(
    workspace: Workspace, session: str, opened: Callable[[], Journal]
) -> None:
    spoil_page(file_of(workspace), b"Use one queue and a log.")
    journal = opened()
    with pytest.raises(StoreError, match="damaged"):
        await journal.entries(session)
    damage, entries = await diagnose(journal, session)
    assert damage is not None
    assert 0 < damage.whole <= LAST
    assert [entry.seq for entry in entries] == list(range(damage.whole))
    assert all("malformed" in flaw.what or "missing" in flaw.what or "changed" in flaw.what for flaw in damage.flaws)
    assert (await read(workspace, journal, session)).entries == list(entries)


async def test_a_cut_file_is_read_as_far_as_it_goes(
    workspace: Workspace, session: str, opened: Callable[[], Journal]
) -> None:
    """Whatever is cut off, the session opens up to the damage, or an error names it; nothing else gets out."""
    whole = file_of(workspace).read_bytes()
    seen = set()
    for keep in range(len(whole) // PAGE, 8, -3):
        file_of(workspace).write_bytes(whole[: keep * PAGE])
        journal = open_readable(workspace)
        try:
            result = await read(workspace, journal, session)
            seen.add("whole" if result.damage is None else "up to")
            assert [entry.seq for entry in result.entries] == list(range(len(result.entries)))
        except StoreError:
            seen.add("told")
        finally:
            await journal.close()
    assert seen == {"whole", "up to", "told"}


@pytest.mark.parametrize("kind", ["missing", "changed"])
async def test_lost_material_is_named_and_the_rest_is_read(
    workspace: Workspace, session: str, opened: Callable[[], Journal], kind: str
) -> None:
    words = "DELETE FROM material" if kind == "missing" else "UPDATE material SET text = 'x'"
    change(file_of(workspace), f"{words} WHERE text LIKE 'Where should a small shop%'")
    journal = opened()
    result = await read(workspace, journal, session)
    assert result.damage is not None
    assert [flaw.place for flaw in result.damage.flaws] == ["material problem"]
    assert (result.damage.whole, len(result.entries)) == (LAST + 1, LAST + 1)
    assert result.record.session.conclusion is not None
    assert result.record.material == {"problem": LOST}
    with pytest.raises(DamagedSession, match="material problem"):
        await api.load(workspace, journal, session)


async def test_a_lost_brief_is_named_and_the_rules_are_checked_all_the_same(
    workspace: Workspace, session: str, opened: Callable[[], Journal]
) -> None:
    opening = (await read(workspace, opened(), session)).record.opening
    change(file_of(workspace), f"DELETE FROM material WHERE digest = x'{opening.briefs['propose']}'")
    result = await read(workspace, opened(), session)
    assert result.damage is not None
    assert [flaw.place for flaw in result.damage.flaws] == ["brief propose"]
    assert result.record.protocol.briefs["propose"] == LOST


async def test_nothing_is_written_to_a_damaged_session(
    workspace: Workspace, session: str, opened: Callable[[], Journal]
) -> None:
    change(file_of(workspace), f"DELETE FROM entry WHERE seq = {LAST}")  # what is left could go on, and would ask again
    journal = opened()
    before = await journal.entries(session)
    for act in (
        api.run(workspace, journal, session),
        api.interrupt(workspace, journal, session, Reason.CANCELLED),
        api.answer(workspace, journal, session, "0.0", {}),
        api.decline(workspace, journal, session, "0.0"),
        api.adjudicate(workspace, journal, session, "SOLUTION", "me", "why"),
    ):
        with pytest.raises(DamagedSession, match=f"entry {LAST}: it is missing"):
            await act
    assert await journal.entries(session) == before


async def test_what_is_told_of_a_damaged_session_says_so_in_its_heading(
    workspace: Workspace, session: str, opened: Callable[[], Journal]
) -> None:
    change(file_of(workspace), FLIPPED)
    result = await read(workspace, opened(), session)
    report = api.report(result, "md")
    assert report.startswith("# ")
    assert "**DAMAGED, read-only: entry 3" in report.splitlines()[2]
    assert api.explain(result).startswith("DAMAGED, read-only: entry 3")
    assert "DAMAGED, read-only: entry 3" in api.report(result, "html")
    damage = api.summary(result)["damage"]
    assert (damage["whole"], damage["flaws"][0]["entry"]) == (3, 3)
    for format_ in ("json", "yaml", "sarif"):
        with pytest.raises(StoreError, match="needs the whole session"):
            api.report(result, format_)
    told = seal(result.entries, result)
    assert (told["ok"], told["problems"][0]["place"]) == (False, "/entries/3")
    assert str(file_of(workspace)) not in str(damage), "where the store lies is nobody's business"


async def test_folds_tell_a_damaged_session_up_to_the_damage_and_see_its_repair(
    workspace: Workspace, session: str, opened: Callable[[], Journal]
) -> None:
    journal = opened()
    folds = Folds(workspace, journal)
    change(file_of(workspace), FLIPPED)
    fold = await folds.get(session)
    assert fold.damage is not None
    assert (fold.last, len(fold.events)) == (2, 3)
    change(file_of(workspace), "UPDATE entry SET body = replace(body, 'clear', 'vague') WHERE seq = 3")
    fold = await folds.get(session)
    assert (fold.damage, fold.last) == (None, LAST)


async def test_an_opening_that_is_lost_leaves_nothing_to_read(
    workspace: Workspace, session: str, opened: Callable[[], Journal]
) -> None:
    change(file_of(workspace), "UPDATE entry SET body = '{}' WHERE seq = 0")
    with pytest.raises(DamagedSession, match="entry 0"):
        await read(workspace, opened(), session)
    change(file_of(workspace), "DELETE FROM entry")
    with pytest.raises(DamagedSession, match="nothing of it can be read"):
        await read(workspace, opened(), session)


async def test_an_entry_that_follows_and_cannot_be_understood_is_damage_too(workspace: Workspace) -> None:
    memory = MemoryJournal()
    session = await api.open_session(workspace, memory, "debate", {"problem": PROBLEM})
    await api.run(workspace, memory, session)
    status = (await memory.sessions())[0].status
    await memory.append(session, LAST + 1, '{"seq":8,"colour":"blue"}', None, status)
    result = await read(workspace, memory, session)
    assert result.damage is not None
    assert (result.damage.whole, result.damage.flaws[0].seq) == (LAST + 1, LAST + 1)
    assert (await Folds(workspace, memory).get(session)).damage is not None


async def test_rules_that_changed_are_no_damage(workspace: Workspace, opened: Callable[[], Journal]) -> None:
    journal = opened()
    (listed,) = await journal.sessions()
    assert await diagnose(journal, listed.id) == (None, tuple(await journal.entries(listed.id)))


async def test_the_worth_of_a_damaged_session_is_not_told_of_the_whole_one(
    workspace: Workspace, session: str, opened: Callable[[], Journal]
) -> None:
    """Both end in the same entry, but lost material makes other prompts."""
    file = file_of(workspace)
    whole = file.read_bytes()
    change(file, "UPDATE material SET text = 'x'")
    damaged = worth(await read(workspace, opened(), session))
    file.write_bytes(whole)
    restored = await read(workspace, opened(), session)
    assert restored.damage is None
    assert worth(restored).caching != damaged.caching
