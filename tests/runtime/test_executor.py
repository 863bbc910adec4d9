"""The executor: durable before it goes on, within budgets, and at peace with others who write the same journal."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from quorate import api
from quorate.core.record import Said
from quorate.core.types import Absent, Reason
from quorate.runtime.happenings import Called, Calling, Happening, Saying, Watcher, Wrote, nobody_watches
from quorate.store.journal import Journal, SessionBusy
from quorate.store.open import open_journal
from quorate.workspace import Workspace, find_workspace

SCRIPT = """\
delay: {delay}
seats:
  "*":
    clarify: {{reason: unclear, questions: [{{text: "who asks, <seat>?"}}]}}
    propose: {{say: "thinking aloud", reply: {{reasoning: r, text: "text of <seat>"}}}}
    criticise: {{critiques: {{"*": {{strengths: s, weaknesses: w, suggestion: g, weight: minor}}}}}}
    refine: {{responses: {{"*": {{reason: r, stance: accepted}}}}, text: "refined by <seat>"}}
  judge:
    synthesize:
      solution: a solution
      tradeoffs: []
      recommendations: []
      unfulfilled_major_requirements: []
      open_questions: []
      confidence: 70
"""


class Table:
    """A debate in a folder, on one SQLite file, with scripted participants."""

    def __init__(self, folder: Path, *sets: str, delay: float = 0, script: str = SCRIPT) -> None:
        self.folder = folder
        (folder / "script.yaml").write_text(script.format(delay=delay))
        (folder / "panel.yaml").write_text("script: script.yaml\n")
        self.url = f"sqlite:{folder / 'journal.db'}"
        self.workspace: Workspace = find_workspace(folder, {}, store=self.url, sets=("rounds=1", *sets), scope="debate")

    def journal(self) -> Journal:
        return open_journal(self.url)

    async def open(self) -> str:
        return await api.open_session(
            self.workspace, self.journal(), "debate", {"problem": "p"}, panel=self.folder / "panel.yaml", seed=1
        )

    async def run(self, session: str, watch: Watcher = nobody_watches) -> api.Result:
        return await api.run(self.workspace, self.journal(), session, watch=watch)


async def test_a_debate_runs_to_its_verdict(tmp_path: Path) -> None:
    table = Table(tmp_path)
    result = await table.run(await table.open())
    assert result.record.session.conclusion is not None
    assert result.exit_code == 0
    assert api.summary(result)["verdict"] == "SOLUTION"
    assert api.summary(result)["result"]["solution"] == "a solution"


async def test_every_reply_is_durable_before_what_it_leads_to_goes_out(tmp_path: Path) -> None:
    table, seen = Table(tmp_path), list[Happening]()
    await table.run(await table.open(), seen.append)
    written: set[str] = set()
    for happening in seen:
        if isinstance(happening, Wrote):
            written.add(getattr(happening.event, "ask", ""))
        if isinstance(happening, Calling):
            phase = int(happening.ask.id.split(".")[0])
            asked_before = {h.ask.id for h in seen if isinstance(h, Calling) and int(h.ask.id.split(".")[0]) < phase}
            assert asked_before <= written


async def test_streamed_text_reaches_the_watcher_and_not_the_journal(tmp_path: Path) -> None:
    table, seen = Table(tmp_path), list[Happening]()
    result = await table.run(await table.open(), seen.append)
    assert "thinking aloud" in "".join(h.text for h in seen if isinstance(h, Saying))
    assert not any("thinking aloud" in entry.body for entry in result.entries)


async def test_no_more_calls_at_once_than_the_provider_allows(tmp_path: Path) -> None:
    table = Table(tmp_path, "agents=[architect, security, testing, simplicity]", delay=0.01)
    under_way, most = 0, 0

    def watch(happening: Happening) -> None:
        nonlocal under_way, most
        if isinstance(happening, Calling):
            under_way += 1
            most = max(most, under_way)
        elif isinstance(happening, Called):
            under_way -= 1

    session = await table.open()
    result = await table.run(session, watch)
    assert result.exit_code == 0
    assert most == 4  # all agents at once: a phase asks everybody in parallel


async def test_a_token_budget_is_never_overrun_and_leaves_the_partial_result(tmp_path: Path) -> None:
    table = Table(tmp_path, "budget.tokens=6000")
    result = await table.run(await table.open())
    summary = api.summary(result)
    assert summary["verdict"] == "ABORTED"
    assert summary["interrupted"] == "budget"
    assert summary["exit_code"] == 3
    assert 0 < summary["tokens_in"] + summary["tokens_out"] <= 6000
    assert set(summary["result"]["texts"]) == {"architect", "performance", "simplicity"}
    assert "tokens:" in result.record.envelopes[-1].detail


async def test_an_episode_limit_ends_before_it_is_passed(tmp_path: Path) -> None:
    table = Table(tmp_path, "max_episodes=5")
    summary = api.summary(await table.run(await table.open()))
    assert (summary["verdict"], summary["interrupted"]) == ("ABORTED", "episodes")
    assert summary["result"]["texts"]["architect"] == "text of architect"


async def test_cancelled_from_elsewhere_while_running(tmp_path: Path) -> None:
    table = Table(tmp_path, delay=30)
    session = await table.open()
    running = asyncio.create_task(table.run(session))
    await asyncio.sleep(0.3)
    await api.interrupt(table.workspace, table.journal(), session, Reason.CANCELLED, "no longer needed")
    result = await asyncio.wait_for(running, 10)
    assert api.summary(result)["verdict"] == "ABORTED"
    assert result.record.envelopes[-1].detail == "no longer needed"


async def test_a_wish_to_conclude_leads_to_the_judge_after_the_phase(tmp_path: Path) -> None:
    table = Table(tmp_path, delay=0.4)
    session = await table.open()
    running = asyncio.create_task(table.run(session))
    await asyncio.sleep(0.2)
    await api.interrupt(table.workspace, table.journal(), session, Reason.WISH)
    summary = api.summary(await asyncio.wait_for(running, 20))
    assert (summary["verdict"], summary["interrupted"]) == ("SOLUTION", "wish")


async def test_two_processes_cannot_drive_one_session(tmp_path: Path) -> None:
    table = Table(tmp_path, delay=5)
    session = await table.open()
    await table.journal().lease(session, "another:1:1", 60)
    with pytest.raises(SessionBusy, match="another"):
        await table.run(session)


async def test_a_cancelled_drive_suspends_and_goes_on_later(tmp_path: Path) -> None:
    table = Table(tmp_path, delay=0.2)
    session = await table.open()
    running = asyncio.create_task(table.run(session))
    await asyncio.sleep(0.3)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    before = len(await table.journal().entries(session))
    result = await table.run(session)
    assert before < len(result.entries)
    assert result.exit_code == 0


async def test_a_person_is_waited_for_and_answers_from_another_process(tmp_path: Path) -> None:
    table = Table(tmp_path, "interactive_clarifications=true", "clarifications_max_iterations=1")
    session = await table.open()
    waiting = await table.run(session)
    assert waiting.exit_code == 4
    ((ask, view),) = api.questions(waiting)
    assert ask.keys == ("q1", "q2", "q3")
    assert "who asks, architect?" in view.text()
    answers = {"answers": {key: {"text": f"answer to {key}"} for key in ask.keys}}
    assert await api.answer(table.workspace, table.journal(), session, ask.id, answers)
    assert not await api.answer(table.workspace, table.journal(), session, ask.id, answers)  # twice is harmless
    result = await table.run(session)
    assert result.exit_code == 0
    assert [entry.seq for entry in result.entries] == list(range(len(result.entries)))


async def test_a_person_who_declines_is_silent_and_the_debate_goes_on(tmp_path: Path) -> None:
    table = Table(tmp_path, "interactive_clarifications=true")
    session = await table.open()
    ((ask, _),) = api.questions(await table.run(session))
    assert await api.decline(table.workspace, table.journal(), session, ask.id)
    result = await table.run(session)
    assert result.exit_code == 0
    said = next(line for line in result.record.log if isinstance(line, Said) and line.ask.id == ask.id)
    assert isinstance(said.reply, Absent)


async def test_a_person_may_sit_on_any_seat(tmp_path: Path) -> None:
    table = Table(tmp_path)
    (tmp_path / "panel.yaml").write_text("script: script.yaml\nseats: {judge: person}\n")
    session = await table.open()
    ((ask, view),) = api.questions(await table.run(session))
    assert (ask.seat, ask.brief) == ("judge", "synthesize")
    assert "refined by architect" in view.text()
    words = ("tradeoffs", "recommendations", "unfulfilled_major_requirements", "open_questions")
    synthesis = {"solution": "mine", **{name: [] for name in words}, "confidence": 90}
    assert await api.answer(table.workspace, table.journal(), session, ask.id, synthesis)
    assert api.summary(await table.run(session))["result"]["solution"] == "mine"


async def test_a_lost_agent_degrades_and_is_named(tmp_path: Path) -> None:
    script = SCRIPT.replace("seats:\n", "seats:\n  performance: {{propose: {{absent: timed_out}}}}\n")
    table = Table(tmp_path, script=script)
    summary = api.summary(await table.run(await table.open()))
    assert (summary["verdict"], summary["degradation"], summary["exit_code"]) == ("SOLUTION", "within settings", 0)
    assert {(a["seat"], a["reason"]) for a in summary["absences"]} == {("performance", "timed_out")}


async def test_degraded_below_the_settings_has_its_own_exit_code(tmp_path: Path) -> None:
    script = SCRIPT.replace("seats:\n", "seats:\n  performance: {{propose: {{absent: refused}}}}\n")
    table = Table(tmp_path, "required_agents=3", script=script)
    summary = api.summary(await table.run(await table.open()))
    assert (summary["verdict"], summary["degradation"], summary["exit_code"]) == ("SOLUTION", "below settings", 5)


async def test_following_tells_everything_once_and_ends(tmp_path: Path) -> None:
    table = Table(tmp_path, delay=0.02)
    session = await table.open()
    running = asyncio.create_task(table.run(session))
    seen = [h async for h in api.follow(table.workspace, table.journal(), session) if isinstance(h, Wrote)]
    result = await running
    assert [h.entry.seq for h in seen] == [entry.seq for entry in result.entries[1:]]


async def test_replay_gives_the_same_verdict_and_digest(tmp_path: Path) -> None:
    table = Table(tmp_path)
    session = await table.open()
    await table.run(session)
    first = await api.replay(table.workspace, table.journal(), session)
    second = await api.replay(table.workspace, table.journal(), session)
    assert first == second
    assert first.verdict == "SOLUTION"
