"""After `kill -9` at any moment a resume repeats no finished call and ends as the undisturbed run does."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quorate import api
from quorate.core.record import Said
from quorate.store.open import open_journal
from quorate.workspace import find_workspace

KILLABLE = Path(__file__).with_name("killed_process.py")
KILLS = 25
"""At random moments of its work; `tests/kills` kills commands, servers and workers, at their start too."""
SETTINGS = (
    "debate.agents=[architect, security]",
    "debate.rounds=2",
    "debate.termination_condition.type=convergence",
    "debate.retries=1",
)
SCRIPT = """\
seats:
  architect:
    propose: {delay: DELAY, reply: {reasoning: because, text: a plain table}}
    criticise:
      - absent: timed_out
      - {delay: DELAY, reply: {critiques: {"*": {strengths: s, weaknesses: w, suggestion: g, weight: minor}}}}
      - {delay: DELAY, reply: {critiques: {"*": {strengths: s, weaknesses: w, suggestion: g, weight: major}}}}
    refine: {delay: DELAY, reply: {responses: {"*": {reason: r, stance: accepted}}, text: 'a plain table, kept'}}
  security:
    propose: {delay: DELAY, reply: {reasoning: because, text: a hash chain}}
    criticise: {delay: DELAY, reply: {critiques: {"*": {strengths: s, weaknesses: w, suggestion: g, weight: minor}}}}
    refine: {delay: DELAY, reply: {responses: {"*": {reason: r, stance: rejected}}, text: a hash chain in a table}}
  judge:
    evaluate-convergence: {delay: DELAY, reply: {reason: not yet, confidence: 40}}
    synthesize:
      delay: DELAY
      reply:
        solution: a table with a hash chain
        tradeoffs: [speed]
        recommendations: []
        unfulfilled_major_requirements: []
        open_questions: []
        confidence: 77
"""


def open_debate(folder: Path, delay: float = 0.0) -> tuple[str, str]:
    """Open a scripted session and return the store's URL and its id; nothing is asked yet."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "script.yaml").write_text(SCRIPT.replace("DELAY", str(delay)))
    (folder / "panel.yaml").write_text("script: script.yaml\n")
    store = f"sqlite:{folder / 'journal.db'}"
    workspace = find_workspace(folder, {}, store=store, sets=SETTINGS)

    async def opened() -> str:
        journal = open_journal(store)
        session = await api.open_session(
            workspace, journal, "debate", {"problem": "where to keep an audit log"}, panel=folder / "panel.yaml", seed=5
        )
        await journal.close()
        return session

    return store, asyncio.run(opened())


def drive(folder: Path, store: str, session: str, kill_at: int | None = None) -> int:
    command = [sys.executable, str(KILLABLE), store, session, str(folder / "log")]
    return subprocess.run([*command, str(kill_at)] if kill_at else command, timeout=60, check=False).returncode


def story(folder: Path, store: str, session: str) -> tuple[str | None, list[tuple[str, str]]]:
    """The verdict and everything that was said, without times: what two runs must have in common."""

    async def loaded() -> api.Result:
        journal = open_journal(store)
        result = await api.load(find_workspace(folder, {}, store=store), journal, session)
        await journal.close()
        return result

    record = asyncio.run(loaded()).record
    said = [(str(line.ask.id), repr(line.reply)) for line in record.log if isinstance(line, Said)]
    conclusion = record.session.conclusion
    return (conclusion.verdict.name if conclusion else None), sorted(said)


def finished_calls_repeated(log: Path) -> list[str]:
    """Asks that were called again although their reply had been written."""
    written: set[str] = set()
    repeated = []
    for line in log.read_text().splitlines():
        what, _, ask = line.partition(" ")
        if what == "wrote":
            written.add(ask)
        elif what == "calling" and ask in written:
            repeated.append(ask)
    return repeated


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, tuple[str | None, list[tuple[str, str]]]]:
    folder = tmp_path_factory.mktemp("undisturbed")
    store, session = open_debate(folder)
    assert drive(folder, store, session) == 0
    moments = len((folder / "log").read_text().splitlines())
    return moments, story(folder, store, session)


def survive(folder: Path, kill_at: int, expected: tuple[str | None, list[tuple[str, str]]]) -> None:
    store, session = open_debate(folder)
    assert drive(folder, store, session, kill_at) == -9
    assert drive(folder, store, session) == 0
    assert story(folder, store, session) == expected
    assert finished_calls_repeated(folder / "log") == []


def test_a_few_kill_points(tmp_path: Path, undisturbed: tuple[int, tuple[str | None, list[tuple[str, str]]]]) -> None:
    moments, expected = undisturbed
    assert expected[0] == "SOLUTION"
    for kill_at in (1, moments // 2, moments):
        survive(tmp_path / str(kill_at), kill_at, expected)


@pytest.mark.slow
def test_every_kill_point(tmp_path: Path, undisturbed: tuple[int, tuple[str | None, list[tuple[str, str]]]]) -> None:
    """Before and after every journal write and every call."""
    moments, expected = undisturbed
    assert moments >= 40
    for kill_at in range(1, moments + 1):
        survive(tmp_path / str(kill_at), kill_at, expected)
    print(f"\nkilled at each of {moments} moments and resumed")


@pytest.mark.slow
def test_random_moments(tmp_path: Path, undisturbed: tuple[int, tuple[str | None, list[tuple[str, str]]]]) -> None:
    """Killed from outside at random moments of its work, again and again, until it has ended."""
    generator, kills, runs = random.Random(20261115), 0, 0
    while kills < KILLS:
        runs += 1
        folder = tmp_path / str(runs)
        store, session = open_debate(folder, delay=0.03)
        while True:
            process = subprocess.Popen([sys.executable, str(KILLABLE), store, session, str(folder / "log")])
            wait_for_work(process, folder / "log")
            time.sleep(generator.random() * 0.4)
            if process.poll() is not None:
                break
            process.kill()
            process.wait()
            kills += 1
        assert process.returncode == 0
        assert story(folder, store, session) == undisturbed[1]
        assert finished_calls_repeated(folder / "log") == []
    print(f"\n{kills} kills over {runs} debates")


def wait_for_work(process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a process has written into its log, or has ended: however long it takes to start here."""
    before, ends = _size(log), time.monotonic() + 60
    while process.poll() is None and _size(log) == before and time.monotonic() < ends:
        time.sleep(0.005)


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0
