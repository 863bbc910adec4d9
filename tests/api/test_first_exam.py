"""An embedded model sits a protocol's exam when it is first seated under it, once, and only where that is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from quorate.api import first_exam
from quorate.api.creation import open_session
from quorate.api.first_exam import sit_first, sit_once
from quorate.api.forks import fork
from quorate.api.opening import open_named
from quorate.api.sessions import load
from quorate.core.errors import SettingError
from quorate.core.record import Opening
from quorate.core.types import Seat
from quorate.evidence.exam_notes import exam_notes
from quorate.exam.candidate import LOCAL
from quorate.exam.results import exams_folder, kept
from quorate.participants.panel import load_panel
from quorate.participants.token_odds import NoAnswerError, PlainAnswer
from quorate.store.memory import MemoryJournal
from quorate.workspace import Workspace, find_workspace
from tests.support.candidates import MATTERS, QUESTIONS

PROBLEM = {"problem": "Where to keep an audit log?"}
MODEL = "local:smollm2"


class Candidate:
    """A model on this machine that knows every item; it waits for `go` before its first answer."""

    name, version = "local:tiny", "digest"

    def __init__(self, go: asyncio.Event | None = None, problem: str = "") -> None:
        self.go, self.problem, self.heard = go, problem, 0

    async def hear(self, question: str, most_tokens: int, *, odds: bool) -> PlainAnswer:
        self.heard += 1
        if self.go is not None:
            await self.go.wait()
        if self.problem:
            raise NoAnswerError(self.problem)
        matter = next((matter for matter in MATTERS if question.startswith(matter)), None)
        if matter is None:
            return PlainAnswer("I would rather not.")
        yes, no = QUESTIONS[question.removeprefix(matter)]
        said, other = (yes, no) if MATTERS[matter] else (no, yes)
        return PlainAnswer(said, ((said, -0.1), (other, -3.0)))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return exams_folder()


def silent(_: str) -> None:
    return None


async def test_it_sits_once_and_the_result_is_kept_and_told() -> None:
    who, told = Candidate(), list[str]()
    await sit_once("debate", who, told.append)
    (sitting,) = kept()
    assert (sitting.model, sitting.version) == ("local:tiny", "digest")
    assert [each.protocol for each in sitting.outcome.scores] == ["debate"], "the paper of this protocol alone"
    assert told[0].startswith("local:tiny has not sat the exam for a debate yet, so it sits it now, once")
    assert "--no-exam" in told[0]
    assert "examine_local: false" in told[0]
    assert told[-1] == "local:tiny, exam for a debate: qualified (6 of 6 pairs)"
    asked = who.heard
    await sit_once("debate", who, told.append)
    assert (who.heard, len(told)) == (asked, 2)


async def test_an_exam_for_one_protocol_does_not_hide_that_for_another() -> None:
    who = Candidate()
    for protocol in ("debate", "review", "debate"):
        await sit_once(protocol, who, silent)
    assert sorted(each.outcome.scores[0].protocol for each in kept()) == ["debate", "review"]


async def test_two_sessions_that_open_at_once_wait_for_one_exam() -> None:
    go = asyncio.Event()
    first, second = Candidate(go), Candidate(go)
    both = [asyncio.create_task(sit_once("debate", each, silent)) for each in (first, second)]
    while not first.heard:
        await asyncio.sleep(0.01)
    go.set()
    await asyncio.gather(*both)
    assert (len(kept()), second.heard) == (1, 0)


async def test_who_is_interrupted_leaves_nothing_and_whoever_waits_sits_it() -> None:
    first, second = Candidate(asyncio.Event()), Candidate()
    begun = asyncio.create_task(sit_once("debate", first, silent))
    while not first.heard:
        await asyncio.sleep(0.01)
    waits = asyncio.create_task(sit_once("debate", second, silent))
    await asyncio.sleep(0.05)
    assert (second.heard, kept()) == (0, [])
    begun.cancel()
    with pytest.raises(asyncio.CancelledError):
        await begun
    await waits
    assert len(kept()) == 1
    assert second.heard > 0
    assert [file.suffix for file in exams_folder().iterdir()] == [".json"], "nothing half-made"


async def test_who_stops_waiting_disturbs_no_other() -> None:
    go = asyncio.Event()
    first = Candidate(go)
    begun = asyncio.create_task(sit_once("debate", first, silent))
    while not first.heard:
        await asyncio.sleep(0.01)
    waits = asyncio.create_task(sit_once("debate", Candidate(), silent))
    await asyncio.sleep(0.05)
    waits.cancel()
    go.set()
    await begun
    assert len(kept()) == 1


async def test_a_model_that_cannot_be_asked_stays_unexamined_without_a_second_error() -> None:
    told: list[str] = []
    await sit_once("debate", Candidate(problem="no such engine"), told.append)
    assert (len(told), kept()) == (1, [])


async def test_a_model_too_slow_for_one_pair_is_not_sent_there_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_exam, "LOCAL", replace(LOCAL, calls=0))
    told: list[str] = []
    for _ in range(2):
        await sit_once("debate", Candidate(), told.append)
    assert len(told) == 2
    assert "nothing was asked within the time, so it stays unexamined" in told[1]
    monkeypatch.setattr(first_exam, "LOCAL", LOCAL)
    await sit_once("review", Candidate(), silent)
    assert len(kept()) == 2


async def test_where_nothing_can_be_kept_no_time_is_spent(folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_text("a file where the folder should be")
    who, told = Candidate(), list[str]()
    await sit_once("debate", who, told.append)
    assert who.heard == 0
    assert told[0].startswith("local:tiny sits no exam, because its result could not be kept: ")


async def test_beside_a_damaged_file_it_sits_none(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "x.json").write_text("{}")
    who = Candidate()
    await sit_once("debate", who, silent)
    assert who.heard == 0


async def test_a_protocol_without_a_paper_and_models_elsewhere_sit_none() -> None:
    remote = load_panel(None, (Seat("a"),), model="openai-compatible:judge@http://127.0.0.1:9/v1")
    local = load_panel(None, (Seat("a"),), model=MODEL)
    told: list[str] = []
    await sit_first("roundtable", local.values(), told.append)
    await sit_first("debate", remote.values(), told.append)
    assert (told, kept()) == ([], [])


# In an opening


def workspace_in(tmp_path: Path, tell: Callable[[str], None] = silent, **environment: str) -> Workspace:
    return replace(find_workspace(tmp_path, environment, store="memory:"), tell=tell)


async def opening_of(workspace: Workspace, journal: MemoryJournal, session: str) -> Opening:
    return (await load(workspace, journal, session)).record.opening


def test_it_is_on_unless_it_is_switched_off(tmp_path: Path) -> None:
    assert workspace_in(tmp_path).config.examine_local is True
    assert workspace_in(tmp_path, QUORATE_EXAMINE_LOCAL="false").config.examine_local is False
    (tmp_path / "quorate.yaml").write_text("examine_local: false\n")
    assert workspace_in(tmp_path).config.examine_local is False
    with pytest.raises(SettingError, match="examine_local"):
        find_workspace(tmp_path, {"QUORATE_EXAMINE_LOCAL": "maybe"})


async def test_switched_off_it_is_unexamined_and_counts(tmp_path: Path) -> None:
    told: list[str] = []
    workspace, journal = workspace_in(tmp_path, told.append, QUORATE_EXAMINE_LOCAL="false"), MemoryJournal()
    opened = await open_named(workspace, journal, "debate", PROBLEM, model=MODEL)
    opening = await opening_of(workspace, journal, opened.session)
    assert dict(exam_notes(opening)) == {MODEL: "unexamined"}
    assert (told, kept(), opening.settings.get("unqualified_seats")) == ([], [], None)


async def test_a_missing_file_gives_the_usual_error_and_no_other(tmp_path: Path) -> None:
    told: list[str] = []
    workspace = workspace_in(tmp_path, told.append)
    with pytest.raises(SettingError) as with_exam:
        await open_named(workspace, MemoryJournal(), "debate", PROBLEM, model=f"local:{tmp_path}/none.gguf")
    off = workspace_in(tmp_path, QUORATE_EXAMINE_LOCAL="false")
    with pytest.raises(SettingError) as without:
        await open_named(off, MemoryJournal(), "debate", PROBLEM, model=f"local:{tmp_path}/none.gguf")
    assert (str(with_exam.value), told) == (str(without.value), [])


@pytest.mark.slow
@pytest.mark.model
async def test_the_embedded_model_sits_it_and_the_session_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_exam, "LOCAL", replace(LOCAL, seconds=None, calls=30))
    told: list[str] = []
    workspace, journal = workspace_in(tmp_path, told.append), MemoryJournal()
    opened = await open_named(workspace, journal, "debate", PROBLEM, model=MODEL)
    (sitting,) = kept()
    score = sitting.of("debate")
    assert score is not None
    opening = await opening_of(workspace, journal, opened.session)
    assert dict(exam_notes(opening))[MODEL].startswith(f"{score.competence.value} ({score.right} of {score.pairs}")
    assert told[0].startswith(f"{MODEL} has not sat the exam for a debate yet")
    said = len(told)
    again = await fork(workspace, journal, opened.session, at=0)
    await open_session(workspace, journal, "debate", PROBLEM, model=MODEL)
    assert (len(kept()), len(told)) == (1, said)
    assert (await opening_of(workspace, journal, again)).run["exams"] == opening.run["exams"]


@pytest.mark.slow
@pytest.mark.model
async def test_an_opening_that_is_cancelled_ends_the_exam_and_opens_nothing(tmp_path: Path) -> None:
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()

    def tell(_: str) -> None:
        loop.call_soon_threadsafe(begun.set)

    workspace = workspace_in(tmp_path, tell)
    journal = MemoryJournal()
    opening = asyncio.create_task(open_named(workspace, journal, "debate", PROBLEM, model=MODEL))
    await begun.wait()
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    while first_exam._UNDER_WAY:
        await asyncio.sleep(0.05)
    assert (kept(), await journal.sessions()) == ([], [])
