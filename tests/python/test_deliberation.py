"""A session from a program: opened, watched, answered, forked and read, with `await` and without."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import quorate
from quorate import AsyncQuorate, Deliberation, InputError, Quorate, QuorateError, Request, RuleViolation
from quorate.evidence.bundle import check_bundle
from tests.cli.shell import as_at_a_terminal, script

SMALL: dict[str, Any] = {"agents": ["architect", "security"], "rounds": 1}
ASKING = {**SMALL, "interactive_clarifications": True}
SYNTHESIS = {
    "solution": "One log.",
    "tradeoffs": [],
    "recommendations": [],
    "unfulfilled_major_requirements": [],
    "open_questions": [],
    "confidence": 70,
}


@pytest.fixture
def panel(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "script.yaml").write_text(json.dumps(script()))
    return {"script": str(tmp_path / "script.yaml")}


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:{tmp_path / 'work.db'}"


# Without await


def test_a_session_is_opened_watched_and_read(tmp_path: Path, store: str, panel: dict[str, Any]) -> None:
    with Quorate(tmp_path, store=store) as place:
        debate = place.open("debate", "How should we store audit logs?", settings=SMALL, panel=panel)
        assert (debate.verdict, debate.phase, debate.exit_code) == (None, "PROPOSAL", 4)
        events = list(debate.events())
        assert [event["seq"] for event in events] == list(range(len(events)))
        assert (events[0]["kind"], events[-1]["conclusion"]["verdict"]) == ("opened", "SOLUTION")
        assert (debate.verdict, debate.exit_code, debate.last) == ("SOLUTION", 0, len(events) - 1)
        assert "append-only log" in debate.solution()
        assert debate.summary()["verdict"] == "SOLUTION"
        assert debate.report().startswith("# ")
        assert debate.report("html").lstrip().lower().startswith("<!doctype html>")
        assert "SYNTHESIS" in debate.explain()
        assert check_bundle(debate.bundle(), None) == []
        assert list(debate.events(after=debate.last)) == [], "there is nothing left to tell"
        assert [event["seq"] for event in debate.watch(after=2)] == list(range(3, len(events)))
    with Quorate(tmp_path, store=store) as place:
        again = place.get("latest")
        assert (again.id, again.verdict, again.title) == (debate.id, "SOLUTION", "How should we store audit logs?")
        assert [each["session"] for each in place.sessions()] == [debate.id]
        assert place.sessions()[0]["verdict"] == "SOLUTION"


def test_a_person_is_asked_and_answers(tmp_path: Path, panel: dict[str, Any]) -> None:
    with Quorate(tmp_path, store="memory:") as place:
        debate = place.open("debate", "How?", settings=ASKING, panel=panel)
        assert debate.run() is None
        (question,) = debate.questions()
        assert debate.waiting == (question.ask,)
        assert question.seat == "person"
        assert "How many orders a minute?" in question.about
        assert set(question.keys) == set(question.schema["properties"]["answers"]["properties"])
        with pytest.raises(InputError, match="does not fit the form"):
            debate.answer(question.ask, {"answers": "many"})
        data = {"answers": {key: {"text": "Twelve."} for key in question.keys}}
        assert debate.answer(question.ask, data)
        assert not debate.answer(question.ask, data), "the first answer counts"
        with pytest.raises(RuleViolation, match="has no ask"):
            debate.answer("99.0", data)
        assert debate.run() == "SOLUTION"
        assert debate.questions() == []


def test_nobody_may_answer_too(tmp_path: Path, panel: dict[str, Any]) -> None:
    with Quorate(tmp_path, store="memory:") as place:
        debate = place.open("debate", "How?", settings=ASKING, panel=panel)
        while debate.run() is None:
            assert debate.decline(debate.waiting[0])
        assert debate.summary()["absences"][0]["reason"] == "silent"


def test_a_session_is_cancelled_or_wished_to_end(tmp_path: Path, panel: dict[str, Any]) -> None:
    with Quorate(tmp_path, store="memory:") as place:
        debate = place.open("debate", "How?", settings=SMALL, panel=panel)
        debate.cancel("not needed any more")
        assert debate.verdict == "ABORTED"
        with pytest.raises(RuleViolation, match="has concluded"):
            debate.conclude()
        wished = place.open("debate", "How?", settings=SMALL, panel=panel)
        wished.conclude("enough")
        assert wished.run() is not None
        assert wished.summary()["interrupted"] == "wish"


def test_a_fork_has_the_same_past(tmp_path: Path, panel: dict[str, Any]) -> None:
    with Quorate(tmp_path, store="memory:") as place:
        debate = place.open("debate", "How?", settings=SMALL, panel=panel)
        past = [event for event in debate.events() if event["seq"] in (1, 2)]
        other = debate.fork(at=2, title="Once more")
        assert (other.last, other.title, other.verdict) == (2, "Once more", None)
        events = list(other.events())
        assert [event["reply"] for event in events[1:3]] == [event["reply"] for event in past]
        assert events[0]["opening"]["fork"]["of"] == debate.id
        assert other.verdict == "SOLUTION"
        assert debate.fork().verdict == "SOLUTION", "the whole past is derived again, and nobody is called"
        with pytest.raises(InputError, match="no entry 99"):
            debate.fork(at=99)


def test_leaving_early_suspends_and_loses_nothing(tmp_path: Path, panel: dict[str, Any]) -> None:
    """A session goes on while its events are looked at, so this one speaks slowly."""
    (tmp_path / "script.yaml").write_text(json.dumps(script(delay=0.3)))
    with Quorate(tmp_path, store="memory:") as place:
        debate = place.open("debate", "How?", settings=SMALL, panel=panel)
        for event in debate.events():
            if event["seq"] == 2:
                break
        debate.refresh()
        kept = debate.last
        assert kept >= 2
        assert debate.verdict is None
        rest = [event["seq"] for event in debate.events(after=kept)]
        assert rest[0] == kept + 1
        assert debate.verdict == "SOLUTION"


def test_what_passes_by_is_told_where_it_is_wanted(tmp_path: Path, panel: dict[str, Any]) -> None:
    with Quorate(tmp_path, store="memory:") as place:
        debate = place.open("debate", "How?", settings=SMALL, panel=panel)
        kinds = {event["kind"] for event in debate.events(passing=True) if "seq" not in event}
        assert {"calling", "called"} <= kinds


def test_two_programs_see_one_session(tmp_path: Path, store: str, panel: dict[str, Any]) -> None:
    with Quorate(tmp_path, store=store) as one, Quorate(tmp_path, store=store) as two:
        debate = one.open("debate", "How?", settings=ASKING, panel=panel)
        debate.run()
        seen = two.get(debate.id)
        question = seen.questions()[0]
        assert seen.answer(question.ask, {"answers": {key: {"text": "NA"} for key in question.keys}})
        watched = seen.watch()
        assert next(watched)["kind"] == "opened"
        assert debate.run() == "SOLUTION"
        assert [event["seq"] for event in watched][-1] == debate.last
        assert seen.verdict == "SOLUTION"


# Functions on seats


def test_a_function_holds_a_seat(tmp_path: Path, panel: dict[str, Any]) -> None:
    seen: list[Request] = []

    def judge(request: Request) -> dict[str, Any]:
        seen.append(request)
        return SYNTHESIS

    with Quorate(tmp_path, store="memory:") as place:
        debate = place.open("debate", "How?", settings=SMALL, panel={**panel, "seats": {"judge": judge}})
        assert debate.run() == "SOLUTION"
        assert debate.solution().startswith("One log.")
        assert "How?" in seen[0].prompt.user
        assert debate.bundle()["panel"]["judge"]["participant"].startswith("function:")
        with pytest.raises(InputError, match="jugde"):
            place.open("debate", "How?", panel={**panel, "seats": {"jugde": judge}})


def test_what_a_function_does_to_its_schema_is_seen_by_nobody_else(tmp_path: Path, panel: dict[str, Any]) -> None:
    seen: list[int] = []

    def judge(request: Request) -> dict[str, Any]:
        seen.append(len(request.schema["properties"]))
        request.schema["properties"].clear()
        return SYNTHESIS

    with Quorate(tmp_path, store="memory:") as place:
        for _ in range(2):
            debate = place.open("debate", "How?", settings=SMALL, panel={**panel, "seats": {"judge": judge}})
            assert debate.run() == "SOLUTION"
    assert seen[0] == seen[1] > 0


async def test_a_coroutine_function_holds_a_seat_and_forks_keep_it(tmp_path: Path, panel: dict[str, Any]) -> None:
    async def judge(request: Request) -> dict[str, Any]:
        await asyncio.sleep(0)
        return SYNTHESIS

    async with AsyncQuorate(tmp_path, store="memory:") as place:
        debate = await place.open("debate", "How?", settings=SMALL, panel={**panel, "seats": {"judge": judge}})
        assert await debate.run() == "SOLUTION"
        other = await debate.fork(at=2)
        assert await other.run() == "SOLUTION"


def test_another_program_does_not_seat_somebody_else_in_its_place(
    tmp_path: Path, store: str, panel: dict[str, Any]
) -> None:
    def judge(request: Request) -> dict[str, Any]:
        return SYNTHESIS

    with Quorate(tmp_path, store=store) as place:
        debate = place.open("debate", "How?", settings=SMALL, panel={**panel, "seats": {"judge": judge}})
    with Quorate(tmp_path, store=store) as place:
        found = place.get(debate.id)
        with pytest.raises(QuorateError, match="'judge' is filled by the function function:"):
            found.run()
        assert found.run(panel={**panel, "seats": {"judge": judge}}) == "SOLUTION"


@pytest.mark.parametrize(
    ("returns", "reason"),
    [({"solution": "x"}, "malformed"), ("a text", "malformed"), (None, "silent"), (ZeroDivisionError, "failed")],
    ids=str,
)
def test_a_function_that_gives_nothing_usable_is_absent(
    returns: Any, reason: str, tmp_path: Path, panel: dict[str, Any]
) -> None:
    def judge(request: Request) -> Any:
        if returns is ZeroDivisionError:
            return 1 // 0
        return returns

    with Quorate(tmp_path, store="memory:") as place:
        debate = place.open("debate", "How?", settings=SMALL, panel={**panel, "seats": {"judge": judge}})
        debate.run()
        assert {each["reason"] for each in debate.summary()["absences"]} == {reason}


# What is wrong


def test_what_is_wrong_has_its_key(tmp_path: Path) -> None:
    with Quorate(tmp_path, store="memory:") as place:
        for words, key in (
            (("debate", {"problm": "x"}), "inputs.problm"),
            (("council", "a text"), "inputs"),
            (("nothing", "a text"), "protocol"),
        ):
            with pytest.raises(InputError) as caught:
                place.open(*words)
            assert caught.value.key == key
        with pytest.raises(InputError) as caught:
            place.open("debate", "x", settings={"ronds": 1})
        assert (caught.value.key, caught.value.nearest) == ("settings.ronds", "rounds")
        with pytest.raises(QuorateError, match="no session 'nobody'"):
            place.get("nobody")
        assert set(place.protocols()) >= {"debate", "review"}
        assert place.inputs("debate")["required"] == ["problem"]


async def test_a_place_that_is_not_open_says_so(tmp_path: Path) -> None:
    with pytest.raises(RuleViolation, match="async with"):
        await AsyncQuorate(tmp_path, store="memory:").sessions()
    place = Quorate(tmp_path, store="memory:")
    place.close()
    place.close()
    with pytest.raises(RuleViolation, match="closed"):
        place.sessions()
    with pytest.raises(QuorateError):
        Quorate(tmp_path, store="nothing:")
    with pytest.raises(InputError, match="is not a folder"):
        Quorate(tmp_path / "nowhere")


# How it runs


async def test_it_works_inside_a_running_loop(tmp_path: Path, panel: dict[str, Any]) -> None:
    """As in a notebook."""
    with Quorate(tmp_path, store="memory:") as place:
        debate: Deliberation = place.open("debate", "How?", settings=SMALL, panel=panel)
        assert debate.run() == "SOLUTION"


def test_calling_it_from_its_own_thread_is_refused(tmp_path: Path, panel: dict[str, Any]) -> None:
    """A coroutine function runs in the loop, so a blocking call from it would never return."""
    with Quorate(tmp_path, store="memory:") as place:

        async def judge(request: Request) -> dict[str, Any]:
            place.sessions()
            return SYNTHESIS

        debate = place.open("debate", "How?", settings=SMALL, panel={**panel, "seats": {"judge": judge}})
        debate.run()
        details = [event.get("detail", "") for event in debate.events()]
        assert any("would never return" in detail for detail in details)


def test_ctrl_c_suspends_and_nothing_is_lost(tmp_path: Path, store: str) -> None:
    (tmp_path / "script.yaml").write_text(json.dumps(script(delay=2)))  # it must not end before it is stopped
    program = f"""
import quorate
with quorate.Quorate({str(tmp_path)!r}, store={store!r}) as place:
    debate = place.open("debate", "How?", settings={SMALL!r}, panel={{"script": {str(tmp_path / "script.yaml")!r}}})
    for event in debate.events():
        print(event["seq"], flush=True)
"""
    started = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=as_at_a_terminal,
    )
    assert started.stdout is not None
    while started.stdout.readline().strip() != "1":
        assert started.poll() is None, started.stderr.read() if started.stderr else ""
    time.sleep(0.1)
    started.send_signal(signal.SIGINT)
    _, errors = started.communicate(timeout=60)
    assert errors.rstrip().endswith("KeyboardInterrupt")
    (tmp_path / "script.yaml").write_text(json.dumps(script()))
    with quorate.Quorate(tmp_path, store=store) as place:
        debate = place.get("latest")
        assert debate.last >= 1
        assert debate.run() == "SOLUTION", "the lease was given back and the session goes on"


async def test_many_sessions_at_once(tmp_path: Path, panel: dict[str, Any]) -> None:
    async with AsyncQuorate(tmp_path, store="memory:") as place:
        debates = [await place.open("debate", f"How, {n}?", settings=SMALL, panel=panel) for n in range(5)]
        assert await asyncio.gather(*(debate.run() for debate in debates)) == ["SOLUTION"] * 5
