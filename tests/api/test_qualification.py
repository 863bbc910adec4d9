"""Which seats are unqualified is found out when a session is opened or forked; its settings tell from then on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quorate.api import seats
from quorate.api.creation import open_session
from quorate.api.forks import fork
from quorate.api.sessions import load
from quorate.core.errors import SettingError
from quorate.core.types import Seat
from quorate.evidence.exam_notes import FAILED, exam_line
from quorate.exam.scores import Competence
from quorate.participants.panel import load_panel
from quorate.store.memory import MemoryJournal
from quorate.workspace import Workspace, find_workspace
from tests.support.committee import CHANGE
from tests.support.council_words import rfc
from tests.support.examined import examined
from tests.support.workshops import ONE, PLAIN, TWO

MODEL = "openai-compatible:judge@http://127.0.0.1:9/v1"
OTHER = "openai-compatible:other@http://127.0.0.1:9/v1"
MATERIAL: dict[str, Any] = {
    "review": {"change": CHANGE, "checks": "{}", "claims": "[]"},
    "council": {"rfc": json.dumps(rfc()), "gates": "{}"},
    "workshop": {"topic": "# An audit log", "agenda": json.dumps(PLAIN)},
    "debate": {"problem": "Where to keep an audit log?"},
}
SEATS = {
    "review": ["operations-sre", "chair"],
    "council": ["SA-2", "SA-3"],
    "workshop": ["software-architect", "facilitator"],
    "debate": ["judge"],
}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return find_workspace(tmp_path, {}, store="memory:")


async def opened(workspace: Workspace, journal: MemoryJournal, protocol: str, **more: Any) -> str:
    panel = {"seats": dict.fromkeys(SEATS[protocol], MODEL), "default": OTHER}
    return await open_session(workspace, journal, protocol, MATERIAL[protocol], panel=panel, **more)


async def unqualified(workspace: Workspace, journal: MemoryJournal, session: str) -> Any:
    record = (await load(workspace, journal, session)).record
    assert record.protocol.settings.get("unqualified_seats") == record.opening.settings.get("unqualified_seats")
    return record.opening.settings.get("unqualified_seats")


@pytest.mark.parametrize("protocol", ["review", "council", "debate", "workshop"])
@pytest.mark.parametrize("right", [1, 7])
async def test_seats_of_a_model_that_failed_stand_in_the_settings(
    workspace: Workspace, protocol: str, right: int
) -> None:
    examined(MODEL, protocol, right)
    journal = MemoryJournal()
    session = await opened(workspace, journal, protocol)
    assert sorted(await unqualified(workspace, journal, session)) == sorted(SEATS[protocol])
    opening = (await load(workspace, journal, session)).record.opening
    named = ", ".join(opening.settings["unqualified_seats"])
    assert exam_line(opening).endswith(f"; what {named} said is a note")


@pytest.mark.parametrize("protocol", ["review", "council", "debate", "workshop"])
@pytest.mark.parametrize("exam", [None, 12, "another"])
async def test_otherwise_the_settings_are_those_of_always(workspace: Workspace, protocol: str, exam: Any) -> None:
    if exam is not None:
        another = "council" if protocol == "debate" else "debate"
        examined(MODEL, another if exam == "another" else protocol, 7 if exam == "another" else exam)
    journal = MemoryJournal()
    assert await unqualified(workspace, journal, await opened(workspace, journal, protocol)) is None


async def test_a_person_who_takes_part_always_counts(workspace: Workspace) -> None:
    """W40."""
    examined(MODEL, "workshop", 7)
    journal, panel = MemoryJournal(), {"seats": {ONE: "person"}, "default": MODEL}
    session = await open_session(workspace, journal, "workshop", MATERIAL["workshop"], panel=panel)
    assert sorted(await unqualified(workspace, journal, session)) == sorted(["facilitator", TWO])


async def test_with_count_everybody_counts(workspace: Workspace) -> None:
    examined(MODEL, "review", 7)
    counting = replace(workspace, config=replace(workspace.config, unqualified="count"))
    journal = MemoryJournal()
    assert await unqualified(workspace, journal, await opened(counting, journal, "review")) is None


async def test_a_fork_asks_again(workspace: Workspace) -> None:
    journal = MemoryJournal()
    session = await opened(workspace, journal, "review")
    examined(MODEL, "review", 7)
    again = await fork(workspace, journal, session, at=0)
    assert sorted(await unqualified(workspace, journal, again)) == sorted(SEATS["review"])
    examined(MODEL, "review", 12)
    third = await fork(workspace, journal, again, at=0, settings={"rounds": 2})
    assert await unqualified(workspace, journal, third) is None
    assert sorted(await unqualified(workspace, journal, again)) == sorted(SEATS["review"])


async def test_nobody_else_may_say_it(workspace: Workspace) -> None:
    journal = MemoryJournal()
    with pytest.raises(SettingError, match="unqualified_seats: is filled in when a session is opened"):
        await opened(workspace, journal, "council", settings={"unqualified_seats": ["SA-1"]})
    examined(MODEL, "council", 7)
    session = await opened(workspace, journal, "council", settings={"unqualified_seats": []})
    assert sorted(await unqualified(workspace, journal, session)) == sorted(SEATS["council"])
    session = await opened(workspace, journal, "review")
    with pytest.raises(SettingError, match="unqualified_seats: is filled in when a session is opened"):
        await fork(workspace, journal, session, at=0, settings={"unqualified_seats": ["chair"]})


def test_a_relay_is_unqualified_where_one_of_its_models_is(workspace: Workspace) -> None:
    panel = load_panel(
        {"seats": {"SA-1": {"model": MODEL, "stronger": OTHER}}, "default": OTHER}, (Seat("SA-1"), Seat("SA-2"))
    )
    run = {"exams": {MODEL: {"says": "unexamined"}, OTHER: {"says": "worse than chance"}}}
    assert seats.unqualified("council", panel, run, "notes") == {"unqualified_seats": ["SA-1", "SA-2"]}
    run = {"exams": {MODEL: {"says": "worse than chance"}, OTHER: {"says": "qualified"}}}
    assert seats.unqualified("council", panel, run, "notes") == {"unqualified_seats": ["SA-1"]}
    assert seats.unqualified("roundtable", panel, run, "notes") == {}


def test_what_failing_is_called_here_is_what_the_exam_calls_it() -> None:
    assert set(FAILED) == {each.value for each in Competence} - {Competence.QUALIFIED.value}


def test_the_setting_is_read_from_the_environment_and_checked(tmp_path: Path) -> None:
    assert find_workspace(tmp_path, {"QUORATE_UNQUALIFIED": "count"}).config.unqualified == "count"
    assert find_workspace(tmp_path, {}).config.unqualified == "notes"
    with pytest.raises(SettingError, match="unqualified: is 'notse'"):
        find_workspace(tmp_path, {"QUORATE_UNQUALIFIED": "notse"})
