"""What the exam says of the models of a panel: in the opening, in forks, at the head of the report, and demanded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quorate.api import seats
from quorate.api.creation import open_session
from quorate.api.exams import current_version
from quorate.api.forks import fork
from quorate.api.results import report
from quorate.api.sessions import load
from quorate.core.errors import SettingError
from quorate.core.types import Seat
from quorate.evidence.exam_notes import exam_notes
from quorate.exam.candidate import ExamOutcome, Halt
from quorate.exam.results import Sitting, exams_folder, keep
from quorate.exam.scores import PairAnswer, score
from quorate.participants.panel import Panel, load_panel
from quorate.store.memory import MemoryJournal
from quorate.workspace import Workspace, find_workspace

MODEL = "openai-compatible:judge@http://127.0.0.1:9/v1"
OTHER = "openai-compatible:other@http://127.0.0.1:9/v1"
PANEL = {"seats": {"judge": MODEL}, "default": OTHER}
PROBLEM = {"problem": "Where to keep an audit log?"}


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return find_workspace(tmp_path, {}, store="memory:")


def examined(right: int, protocol: str = "debate") -> None:
    """Keep an exam of the model with so many right pairs of twelve."""
    answers = [PairAnswer(str(n), 700, 300) if n < right else PairAnswer(str(n), 300, 700) for n in range(12)]
    outcome = ExamOutcome((score(protocol, answers, 1),), (Halt.ITEMS,), (), (), True, 24, 1.0)
    keep(Sitting(MODEL, "judge-2", current_version(), "2026-03-01T12:00:00+00:00", 1, outcome))


async def notes(workspace: Workspace, session: str, journal: MemoryJournal) -> dict[str, str]:
    result = await load(workspace, journal, session)
    found = dict(exam_notes(result.record.opening))
    heading = report(result, "md").partition("\n## ")[0]
    assert all(f"- {name}: {says}" in heading for name, says in found.items())
    return found


async def test_the_opening_says_of_every_model_what_its_exam_said(workspace: Workspace) -> None:
    examined(12)
    journal = MemoryJournal()
    session = await open_session(workspace, journal, "debate", PROBLEM, panel=PANEL)
    assert await notes(workspace, session, journal) == {
        MODEL: "qualified (12 of 12 pairs, 2026-03-01)",
        OTHER: "unexamined",
    }


async def test_an_exam_for_another_protocol_is_none(workspace: Workspace) -> None:
    examined(12, "review")
    journal = MemoryJournal()
    session = await open_session(workspace, journal, "debate", PROBLEM, panel=PANEL)
    assert set((await notes(workspace, session, journal)).values()) == {"unexamined"}


async def test_a_fork_says_what_the_exam_says_by_then(workspace: Workspace) -> None:
    journal = MemoryJournal()
    session = await open_session(workspace, journal, "debate", PROBLEM, panel=PANEL)
    examined(7)
    again = await fork(workspace, journal, session, at=0)
    assert (await notes(workspace, session, journal))[MODEL] == "unexamined"
    assert (await notes(workspace, again, journal))[MODEL] == "not told apart from chance (7 of 12 pairs, 2026-03-01)"


async def test_an_exam_that_is_required_is_named_with_the_command_for_it(workspace: Workspace) -> None:
    strict = replace(workspace, config=replace(workspace.config, require_exam=True))
    with pytest.raises(SettingError, match=r"require_exam: .* has not sat the exam for debate.*quorate exam openai"):
        await open_session(strict, MemoryJournal(), "debate", PROBLEM, panel=PANEL)
    examined(3)
    alone = {"default": MODEL}
    journal = MemoryJournal()
    session = await open_session(strict, journal, "debate", PROBLEM, panel=alone)
    assert (await notes(workspace, session, journal))[MODEL].startswith("not told apart")


def test_people_and_protocols_without_an_exam_need_none(workspace: Workspace) -> None:
    judge = (Seat("judge"),)
    assert seats.exams("debate", load_panel({"default": "person"}, judge), required=True) == {}
    assert seats.exams("roundtable", load_panel(PANEL, judge), required=True) == {}


async def test_a_damaged_result_is_no_exam(workspace: Workspace) -> None:
    exams_folder().mkdir(parents=True)
    (exams_folder() / "m.json").write_text("{}")
    panel: Panel = load_panel(PANEL, (Seat("judge"),))
    assert seats.exams("debate", panel, required=False) == {"exams": {MODEL: {"says": "unexamined"}}}


@pytest.mark.parametrize("run", [{"exams": 3}, {"exams": {"m": 3}}, {"exams": {"m": {}}}, {}])
async def test_an_opening_that_holds_something_else_says_nothing(workspace: Workspace, run: Mapping[str, Any]) -> None:
    journal = MemoryJournal()
    session = await open_session(workspace, journal, "debate", PROBLEM, panel=PANEL)
    opening = (await load(workspace, journal, session)).record.opening
    assert list(exam_notes(replace(opening, run=run))) == []


def test_the_setting_is_read_from_the_environment(tmp_path: Path) -> None:
    assert find_workspace(tmp_path, {"QUORATE_REQUIRE_EXAM": "true"}).config.require_exam
    assert not find_workspace(tmp_path, {}).config.require_exam
