"""Repair: from a bundle or another store, with what is known to be right alone, and never without a backup."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from quorate import api
from quorate.api.damage import diagnose
from quorate.api.readable import open_readable, read
from quorate.api.repairs import Repaired, plan_repair, repair
from quorate.core.errors import InputError, RuleViolation, SettingError, StoreError
from quorate.store.database import PAGE
from quorate.store.journal import SessionBusy, Status
from quorate.workspace import Workspace
from tests.support.damaging import FLIPPED, LAST, PROBLEM, change, debated, file_of, opened, spoil_page

LOST_PROBLEM = "DELETE FROM material WHERE text LIKE 'Where should a small shop%'"


@pytest.fixture
async def session(workspace: Workspace) -> str:
    return await debated(workspace)


@pytest.fixture
async def bundle(workspace: Workspace, session: str, tmp_path: Path) -> Path:
    """The bundle of the session as it was before anything happened to it."""
    async with opened(workspace) as journal:
        path = tmp_path / "bundle.json"
        path.write_text(api.report(await api.load(workspace, journal, session), "json"))
    return path


@pytest.fixture
def replica(workspace: Workspace, session: str, tmp_path: Path) -> Path:
    return Path(shutil.copy(file_of(workspace), tmp_path / "replica.db"))


async def mended(workspace: Workspace, session: str, source: Path | str) -> Repaired:
    """Repair a session as the command does."""
    journal = open_readable(workspace)
    try:
        plan = await plan_repair(workspace, journal, session, str(source))
        return await repair(workspace, journal, plan)
    finally:
        await journal.close()


def rows(file: Path) -> dict[str, list[tuple[object, ...]]]:
    """Everything in a store that a repair has to bring back."""
    statements = {
        "session": "SELECT id, protocol, title, opened_at, last, phase, round, verdict, waiting FROM session "
        "ORDER BY id",
        "entry": "SELECT id, seq, ask, hash, body FROM entry JOIN session ON number = session ORDER BY id, seq",
        "material": "SELECT digest, text FROM material ORDER BY digest",
    }
    with closing(sqlite3.connect(file)) as store:
        assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return {name: store.execute(statement).fetchall() for name, statement in statements.items()}


def drop_row(file: Path) -> None:
    change(file, "DELETE FROM entry WHERE seq IN (2, 5)")


DAMAGES: dict[str, Callable[[Path], object]] = {
    "a flipped byte in a body": lambda file: change(file, FLIPPED),
    "a body that is no text": lambda file: change(file, "UPDATE entry SET body = x'ff00fe' WHERE seq = 4"),
    "a wrong hash": lambda file: change(file, "UPDATE entry SET hash = zeroblob(32) WHERE seq = 4"),
    "missing rows": drop_row,
    "the last rows are missing": lambda file: change(file, "DELETE FROM entry WHERE seq > 4"),
    "a row in another place": lambda file: change(file, "UPDATE entry SET seq = 99 WHERE seq = 6"),
    "the opening is missing": lambda file: change(file, "DELETE FROM entry WHERE seq = 0"),
    "every entry is missing": lambda file: change(file, "DELETE FROM entry"),
    "missing material": lambda file: change(file, LOST_PROBLEM),
    "changed material": lambda file: change(file, "UPDATE material SET text = 'x' WHERE text LIKE 'Where should%'"),
    "everything at once": lambda file: change(file, FLIPPED, LOST_PROBLEM, "DELETE FROM entry WHERE seq = 5"),
    "a damaged page": lambda file: spoil_page(file, b"Use one queue and a log."),
    "a damaged page of material": lambda file: spoil_page(file, b"Where should a small shop keep its audit log"),
    "a cut file": lambda file: file.write_bytes(file.read_bytes()[: -(file.stat().st_size // PAGE // 3) * PAGE]),
}


@pytest.mark.parametrize("kind", DAMAGES)
@pytest.mark.parametrize("source", ["bundle", "replica"])
async def test_every_damage_is_repaired_to_the_byte(
    workspace: Workspace, session: str, bundle: Path, replica: Path, kind: str, source: str
) -> None:
    before = rows(file_of(workspace))
    DAMAGES[kind](file_of(workspace))
    damaged = file_of(workspace).read_bytes()
    journal = open_readable(workspace)
    plan = await plan_repair(workspace, journal, session, str(bundle if source == "bundle" else replica))
    assert (plan.still, bool(plan.steps)) == ((), True)
    assert plan.backup is not None
    assert not plan.backup.exists()
    assert file_of(workspace).read_bytes() == damaged, "a plan changes nothing"
    done = await repair(workspace, journal, plan)
    await journal.close()
    assert done.damage is None
    assert rows(file_of(workspace)) == before
    assert plan.backup.exists()
    async with opened(workspace) as again:
        assert (await api.load(workspace, again, session)).exit_code == 0


async def test_the_backup_has_what_stood_there(workspace: Workspace, session: str, bundle: Path) -> None:
    change(file_of(workspace), FLIPPED, "UPDATE entry SET body = x'ff00fe' WHERE seq = 4")
    done = await mended(workspace, session, bundle)
    assert done.plan.backup is not None
    saved = json.loads(done.plan.backup.read_text())
    assert saved["session"] == session
    assert len(saved["entries"]) == LAST + 1
    assert "clear" in saved["entries"][3][3]
    assert saved["entries"][4][3] == {"base64": "/wD+"}
    assert done.plan.backup.stat().st_mode & 0o077 == 0


async def test_only_what_is_wrong_is_written(workspace: Workspace, session: str, bundle: Path) -> None:
    change(file_of(workspace), FLIPPED, "DELETE FROM entry WHERE seq = 6")
    done = await mended(workspace, session, bundle)
    assert (done.plan.replaced, done.plan.added, done.plan.texts) == ((3,), (6,), ())
    assert done.plan.steps == ["replace entry 3", "add entry 6"]


async def test_an_older_bundle_mends_what_it_reaches_and_entries_behind_it_stay(
    workspace: Workspace, tmp_path: Path
) -> None:
    """A bundle of an earlier moment is enough where the damage is before it."""
    async with opened(workspace) as journal:
        session = await api.open_session(workspace, journal, "debate", {"problem": PROBLEM})
        early = tmp_path / "early.json"
        early.write_text(api.report(await api.load(workspace, journal, session), "json"))
        await api.run(workspace, journal, session)
    before = rows(file_of(workspace))
    change(file_of(workspace), "UPDATE entry SET body = replace(body, 'small', 'large') WHERE seq = 0")
    assert (await mended(workspace, session, early)).damage is None
    assert rows(file_of(workspace)) == before
    change(file_of(workspace), FLIPPED)
    with pytest.raises(StoreError, match=r"lacks what session .* needs to be repaired"):
        await mended(workspace, session, early)


async def test_what_the_source_does_not_reach_stays_damaged_and_is_told(workspace: Workspace, tmp_path: Path) -> None:
    async with opened(workspace) as journal:
        session = await api.open_session(workspace, journal, "debate", {"problem": PROBLEM})
        early = tmp_path / "early.json"
        early.write_text(api.report(await api.load(workspace, journal, session), "json"))
        await api.run(workspace, journal, session)
    change(file_of(workspace), "UPDATE entry SET hash = zeroblob(32) WHERE seq = 0", FLIPPED)
    done = await mended(workspace, session, early)
    assert [flaw.seq for flaw in done.plan.still] == [3]
    assert done.damage is not None
    assert [flaw.seq for flaw in done.damage.flaws] == [3]
    assert done.plan.rows.status is None, "where it stands is not said before it is whole"


async def test_a_bundle_that_does_not_hold_mends_nothing(workspace: Workspace, session: str, bundle: Path) -> None:
    change(file_of(workspace), FLIPPED)
    before = file_of(workspace).read_bytes()
    bundle.write_text(bundle.read_text().replace("append-only", "append-never"))
    with pytest.raises(InputError, match="is not valid"):
        await mended(workspace, session, bundle)
    assert file_of(workspace).read_bytes() == before


async def test_another_session_mends_nothing(workspace: Workspace, session: str, tmp_path: Path) -> None:
    other = await debated(workspace)
    async with opened(workspace) as journal:
        text = api.report(await api.load(workspace, journal, other), "json")
    (tmp_path / "other.json").write_text(text)
    change(file_of(workspace), f"{FLIPPED} AND session = (SELECT number FROM session WHERE id = '{session}')")
    with pytest.raises(InputError, match=f"is the bundle of session {other}"):
        await mended(workspace, session, tmp_path / "other.json")


async def test_the_same_session_that_went_another_way_mends_nothing(workspace: Workspace, tmp_path: Path) -> None:
    async with opened(workspace) as journal:
        session = await api.open_session(workspace, journal, "debate", {"problem": PROBLEM})
    replica = Path(shutil.copy(file_of(workspace), tmp_path / "replica.db"))
    for place in (workspace, replace(workspace, store=f"sqlite:{replica}")):
        async with opened(place) as journal:
            await api.run(place, journal, session)
    change(file_of(workspace), "DELETE FROM entry WHERE seq = 6")
    before = file_of(workspace).read_bytes()
    with pytest.raises(StoreError, match="does not fit: its entry 1 is different"):
        await mended(workspace, session, f"sqlite:{replica}")
    assert file_of(workspace).read_bytes() == before


async def test_a_damaged_replica_mends_nothing(workspace: Workspace, session: str, replica: Path) -> None:
    change(file_of(workspace), FLIPPED)
    change(replica, FLIPPED)
    with pytest.raises(StoreError, match="entry 3"):
        await mended(workspace, session, f"sqlite:{replica}")


async def test_a_session_that_holds_is_left_alone(workspace: Workspace, session: str, bundle: Path) -> None:
    with pytest.raises(RuleViolation, match="is not damaged; there is nothing to repair"):
        await mended(workspace, session, bundle)


async def test_a_session_that_is_driven_is_left_alone(workspace: Workspace, session: str, bundle: Path) -> None:
    async with opened(workspace) as journal:
        await journal.lease(session, "somebody", 600)
    change(file_of(workspace), FLIPPED)
    with pytest.raises(SessionBusy, match="is being driven by somebody"):
        await mended(workspace, session, bundle)


@pytest.mark.parametrize("source", ["nowhere.json", "sqlite:nowhere.db"])
async def test_a_source_that_is_not_there_is_not_made(
    workspace: Workspace, session: str, tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    change(file_of(workspace), FLIPPED)
    with pytest.raises(InputError, match="does not exist"):
        await mended(workspace, session, source)
    assert not list(tmp_path.glob("nowhere*"))


async def test_the_damaged_store_itself_is_no_source(workspace: Workspace, session: str) -> None:
    change(file_of(workspace), FLIPPED)
    with pytest.raises(SettingError, match="is the damaged store itself"):
        await mended(workspace, session, f"sqlite:{file_of(workspace)}")


async def test_a_session_that_a_store_has_lost_is_made_anew(
    workspace: Workspace, session: str, bundle: Path, tmp_path: Path
) -> None:
    """What is left to do where the file is lost as a whole: move it away, and repair into a new one."""
    before = rows(file_of(workspace))
    file_of(workspace).rename(tmp_path / "lost.db")
    assert (await mended(workspace, session, bundle)).damage is None
    assert rows(file_of(workspace)) == before


async def test_a_rebuilt_file_keeps_the_other_sessions(workspace: Workspace, session: str, bundle: Path) -> None:
    others = [await debated(workspace) for _ in range(3)]
    async with opened(workspace) as journal:
        kept = {each: await journal.entries(each) for each in others}
        await journal.host(others[0], True)
    spoil_page(file_of(workspace), b"Use one queue and a log.")
    done = await mended(workspace, session, bundle)
    assert "make a new file" in done.plan.steps[0]
    assert done.plan.backup is not None
    assert done.plan.backup.read_bytes()[:15] == b"SQLite format 3"
    async with opened(workspace) as journal:
        assert [each.id for each in await journal.hosted()] == [others[0]]
        whole = [each for each in others if await diagnose(journal, each) == (None, tuple(kept[each]))]
        assert whole == others
        assert (await read(workspace, journal, session)).damage is None


async def test_a_process_that_has_the_old_file_open_cannot_write_into_it(
    workspace: Workspace, session: str, bundle: Path
) -> None:
    other = await debated(workspace)
    spoil_page(file_of(workspace), b"Use one queue and a log.")
    async with opened(workspace) as late:
        await late.driver(other)
        assert (await mended(workspace, session, bundle)).damage is None
        with pytest.raises(StoreError, match="was moved, deleted or replaced"):
            await late.append(other, LAST + 1, "{}", None, Status())
