"""A person in a workshop: escalations at the terminal and from other processes, pauses, `escalate` and `conclude`."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import Ran, Shell, lines, session_of
from tests.cli.workshops import (
    AGENDA,
    ARCHITECT,
    LEAD,
    TWO,
    Workshops,
    disputed,
    item,
    question,
    script,
    synthesis,
)

DECIDED = ("--set", "choice=decide", "--set", "decision=Sixty days.", "--set", "reason=A middle way.")
ARGUMENTS = ("workshop", "agenda.yaml", "An audit log", *TWO, "--documents", "docs")


@pytest.fixture
def workshops(tmp_path: Path) -> Workshops:
    return Workshops(tmp_path).says(disputed()).brings(AGENDA)


def answer(workshops: Workshops, *words: str) -> Ran:
    return workshops.shell.call("answer", "latest", *words)


def came_to(shell: Shell) -> dict[str, Any]:
    """What the last session came to, without what differs from run to run."""
    found = shell.call("resume", "latest", "--json").json()
    for each in found["result"]["rounds"]:
        del each["started_at_ms"], each["ended_at_ms"]
    return {name: found[name] for name in ("verdict", "phase", "round", "exit_code", "result")}


def resolution(shell: Shell) -> tuple[str, str]:
    (conflict,) = [each for each in came_to(shell)["result"]["artifacts"] if each["type"] == "CONF"]
    return conflict["resolution"], conflict["resolution_method"]


# The three choices (W24)


def test_a_decision_from_another_process_resolves_the_conflict_and_goes_on(workshops: Workshops) -> None:
    assert workshops.shell.call(*ARGUMENTS).code == 4
    ran = answer(workshops, *DECIDED, "--resume")
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[-1] == "Verdict: COMPLETE"
    assert resolution(workshops.shell) == ("Sixty days.", "person")
    text = workshops.read("docs/requirements.md")
    assert "Sixty days." in text, "documents are left by whichever process ends it"
    assert "A middle way." in text


def test_accepting_makes_the_recommendation_the_resolution(workshops: Workshops) -> None:
    workshops.shell.call(*ARGUMENTS)
    ran = answer(workshops, "--set", "choice=accept", "--set", "decision=", "--set", "reason=", "--resume")
    assert ran.code == 0, ran.err
    assert resolution(workshops.shell) == ("Keep ninety days.", "person")


def test_going_on_gives_the_conflict_three_more_rounds(workshops: Workshops) -> None:
    words = disputed()
    lead = words["seats"]["facilitator"]
    lead["question"] = question("T1")
    lead["synthesise"] = [*lead["synthesise"][:3], *[synthesis("specs")] * 3]
    workshops.says(words)
    assert lines(workshops.shell.call(*ARGUMENTS).err, ["PROCESSING/3 ESCALATE"])
    ran = answer(workshops, "--set", "choice=go_on", "--set", "decision=", "--set", "reason=Talk.", "--resume")
    assert ran.code == 4
    assert lines(ran.err, ["PROCESSING/6 ESCALATE"])
    assert not lines(ran.err, ["PROCESSING/5 ESCALATE"])


def test_without_an_answer_the_discussion_goes_on(workshops: Workshops) -> None:
    workshops.shell.call(*ARGUMENTS)
    ran = answer(workshops, "--decline", "--resume")
    assert lines(ran.err, ["QUESTION/4 facilitator question asked"])
    assert came_to(workshops.shell)["result"]["rounds"][2]["escalation"]["choice"] == "go_on"


def test_a_decision_without_words_and_a_choice_that_is_none_are_refused(workshops: Workshops) -> None:
    workshops.shell.call(*ARGUMENTS)
    wrong = answer(workshops, "--set", "choice=decline", "--set", "decision=x", "--set", "reason=y")
    assert wrong.code in (64, 65)
    assert "accept" in wrong.err
    unknown = answer(workshops, "--set", "chioce=accept")
    assert unknown.code == 64
    assert "did you mean 'choice'" in unknown.err
    assert workshops.shell.call("list", "--waiting", "--json").json() != [], "nothing was changed"


# What is printed is exact


def told(ran: Ran) -> dict[str, str]:
    """The commands that are printed, by what they are said to do; the one that resumes has no remark."""
    found = [line.strip() for line in ran.err.splitlines() if line.startswith("  quorate ")]
    return {does: command for command, _, does in (each.partition("   # ") for each in found)}


def follow(workshops: Workshops, command: str) -> Ran:
    """Do what a printed command says, as a shell would read it."""
    return workshops.shell.call(*shlex.split(command, comments=True)[1:])


@pytest.mark.parametrize(
    ("does", "choice"),
    [
        ("what the facilitator recommends holds", "accept"),
        ("what you write as the decision holds", "decide"),
        ("nothing is resolved; the discussion goes on", "go_on"),
    ],
)
def test_there_is_a_command_for_every_choice_and_each_works_as_it_stands(
    workshops: Workshops, does: str, choice: str
) -> None:
    """W24: only the place of the decision is filled in."""
    commands = told(workshops.shell.call(*ARGUMENTS))
    assert len(commands) == 4, commands
    assert (" --set decision=" in commands[does]) == (choice == "decide")
    answered = follow(workshops, commands[does].replace("…", "Sixty days."))
    assert answered.code == 0, answered.err
    assert answered.out == "answered\n"
    follow(workshops, commands[""])
    assert came_to(workshops.shell)["result"]["rounds"][2]["escalation"]["choice"] == choice


def test_a_decision_without_words_is_refused_and_says_what_to_do(workshops: Workshops) -> None:
    workshops.shell.call(*ARGUMENTS)
    ran = answer(workshops, "--set", "choice=decide")
    assert ran.code == 65
    assert "choice=decide needs a `decision`" in ran.err
    (workshops.folder / "answer.yaml").write_text("choice: accept\n")
    assert answer(workshops, "-f", "answer.yaml", "--resume").code == 0, "a file may leave texts out too"
    assert resolution(workshops.shell) == ("Keep ninety days.", "person")


def test_a_decision_beside_another_choice_is_refused_and_not_lost(workshops: Workshops) -> None:
    """Before, `accept` went on, and nobody was shown the words."""
    workshops.shell.call(*ARGUMENTS)
    ran = answer(workshops, "--set", "choice=accept", "--set", "decision=But forty.")
    assert ran.code == 65
    assert "choice=accept has no `decision`, which belongs to choice=decide" in ran.err
    assert answer(workshops, "--set", "choice=decide", "--set", "decision=But forty.").code == 0


def test_without_a_terminal_answer_tells_the_same_commands(workshops: Workshops) -> None:
    ran = workshops.shell.call(*ARGUMENTS)
    asked = answer(workshops)
    assert asked.code == 64
    assert {**told(asked), "": told(ran)[""]} == told(ran)


def test_what_is_long_is_cut_and_shown_whole_on_demand(workshops: Workshops) -> None:
    words = disputed()
    position = " ".join(f"Reason {number} is a long one indeed." for number in range(60))
    for reply in words["seats"]["technical-lead"]["respond"]:
        reply["position"] = position
    ran = workshops.says(words).shell.call(*ARGUMENTS)
    shown = ran.err.partition("waiting for person")[2].partition("answer with:")[0].splitlines()[1:]
    assert len(shown) <= 30
    assert max(map(len, shown)) <= 100
    assert "The facilitator recommends on CONF-001: Keep ninety days." in ran.err, "what is short is kept"
    assert "Reason 59 is" not in ran.err.partition("waiting for person")[2]
    more = re.search(r"… \d+ more lines; all of it: (quorate show \S+)", shown[-1])
    assert more is not None, shown
    whole = follow(workshops, more[1]).err
    assert "Reason 59 is a long one indeed." in " ".join(whole.split())


def test_the_positions_are_told_where_it_waits(workshops: Workshops) -> None:
    """W12, W24: in the words of those who hold them."""
    ran = workshops.shell.call(*ARGUMENTS)
    said = " ".join(ran.err.partition("waiting for person")[2].split())
    choices = "decide otherwise, say that what you ruled is applied, or let them go on."
    assert f"Accept what the facilitator recommends, {choices}" in said
    assert "CONF-001 is open in its round 3 of 3" in said
    assert said.count("CONF-001 Thirty or ninety days") == 1
    assert ARCHITECT in said
    assert LEAD in said
    assert "Keep ninety days." in said, "and what the facilitator recommends"


# At the terminal


def test_at_the_terminal_a_person_sees_all_of_it_and_chooses(workshops: Workshops) -> None:
    terminal = workshops.shell.terminal(*ARGUMENTS, columns=120, rows=60)
    terminal.until("choice (")
    shown = " ".join(terminal.everything.split())
    assert "CONF-001 Thirty or ninety days" in shown
    assert ARCHITECT in shown
    assert LEAD in shown
    assert "Keep ninety days." in shown.partition("The facilitator recommends")[2]
    terminal.until("accept / decide / go_on")
    terminal.answer("maybe")
    terminal.until("Enter one of accept, decide, go_on")
    terminal.answer("d")
    terminal.until("decision>")
    terminal.answer("")
    terminal.until("This choice needs your words.")
    terminal.answer("Sixty days.")
    terminal.until("reason (")
    terminal.answer("A middle way.")
    assert terminal.end() == 0
    assert "Verdict: COMPLETE" in terminal.everything
    assert "wrote docs/requirements.md" in terminal.everything
    assert resolution(workshops.shell) == ("Sixty days.", "person")


def test_accepting_at_the_terminal_asks_for_no_decision(workshops: Workshops) -> None:
    workshops.shell.call(*ARGUMENTS)
    terminal = workshops.shell.terminal("answer", "latest", "--resume", columns=120, rows=60)
    terminal.until("choice (")
    terminal.answer("accept")
    terminal.until("reason (")
    assert "decision>" not in terminal.screen
    terminal.answer("")
    assert terminal.end() == 0
    assert resolution(workshops.shell) == ("Keep ninety days.", "person")


def test_stopping_at_the_prompt_loses_nothing(workshops: Workshops) -> None:
    terminal = workshops.shell.terminal(*ARGUMENTS, columns=200, rows=60)
    terminal.until("choice (")
    terminal.answer("d")
    terminal.until("decision>")
    terminal.type("\x03")
    assert terminal.end() == 4
    assert '13.0 --set choice=decide --set decision="…"\n' in terminal.everything
    assert "waiting for person (escalate, ask 13.0):\nanswer with:" in terminal.everything, "it was shown already"
    assert answer(workshops, *DECIDED, "--resume").code == 0


# Killed, and answered from another process


def test_killed_at_an_escalation_and_answered_elsewhere_it_ends_as_the_undisturbed_run(
    workshops: Workshops, tmp_path_factory: pytest.TempPathFactory
) -> None:
    terminal = workshops.shell.terminal(*ARGUMENTS, columns=120, rows=60)
    terminal.until("choice (")
    os.kill(terminal.child.pid, signal.SIGKILL)
    terminal.child.wait()
    assert terminal.child.signalstatus == signal.SIGKILL
    ran = workshops.shell.call("answer", "latest", *DECIDED, "--resume")
    assert ran.code == 0, ran.err
    undisturbed = Workshops(tmp_path_factory.mktemp("undisturbed")).says(disputed()).brings(AGENDA)
    undisturbed.shell.call(*ARGUMENTS)
    answer(undisturbed, *DECIDED, "--resume")
    assert came_to(workshops.shell) == came_to(undisturbed.shell)
    texts = [
        re.sub(r"workshop-\d+-\d+-\w+ \w+|workshop-[\w-]+", "S", each.read("docs/requirements.md"))
        for each in (workshops, undisturbed)
    ]
    assert texts[0] == texts[1]
    assert workshops.shell.call("replay", "latest").code == 0


def test_killed_in_the_middle_of_a_round_nothing_is_asked_twice(workshops: Workshops) -> None:
    program = _running(workshops, 2, "synthesise")
    program.kill()
    program.communicate(timeout=60)
    workshops.says(disputed())
    ran = workshops.shell.run("resume", "latest")
    assert ran.code == 4, ran.err
    assert answer(workshops, *DECIDED, "--resume").code == 0
    transcript = workshops.shell.call("show", "latest", "--json").json()["transcript"]
    asks = [each["ask"] for each in transcript]
    assert len(asks) == len(set(asks))
    assert came_to(workshops.shell)["result"]["metrics"]["rounds_completed"] == 5, "one round applies the ruling"


def _until(workshops: Workshops, brief: str, seconds: float = 60) -> None:
    """Wait until somebody has answered this brief."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        shown = workshops.shell.call("show", "latest", "--json")
        if shown.code == 0 and any(each["brief"] == brief for each in shown.json()["transcript"]):
            return
        time.sleep(0.1)
    raise AssertionError(f"nobody answered {brief} within {seconds} seconds")


# A person's wish, from another process (W25)


SLOW = 6
"""Seconds that one answer takes, so that another process can come in between."""


def _running(workshops: Workshops, slow_in: int, brief: str) -> subprocess.Popen[str]:
    """A workshop that another process runs: one answer of a round is slow, and this brief has been answered."""
    words = disputed()
    replies = words["seats"]["technical-lead"]["respond"]
    words["seats"]["technical-lead"]["respond"] = [
        {"reply": reply, "delay": SLOW if number == slow_in else 0, "repeat": number == len(replies)}
        for number, reply in enumerate(replies, start=1)
    ]
    program = workshops.says(words).shell.start(*ARGUMENTS)
    _until(workshops, brief)
    return program


def test_escalate_from_another_process_asks_after_the_phase_and_the_round_goes_on(workshops: Workshops) -> None:
    program = _running(workshops, 1, "question")
    ran = workshops.shell.call("escalate", "latest", "--why", "For the board")
    assert ran.code == 0, ran.err
    assert "will ask you after RESPONSES" in ran.out
    _, err = program.communicate(timeout=60)
    assert program.returncode == 4, err
    assert lines(err, ["waiting for person (escalate"])
    again = workshops.shell.call("escalate", "latest")
    assert "asks you already" in again.out
    assert "quorate answer" in again.err
    went = answer(workshops, "--set", "choice=go_on", "--set", "decision=", "--set", "reason=Go on.", "--resume")
    assert lines(went.err, ["SYNTHESIS/1 facilitator synthesise asked"]), "the round goes on where it was"
    assert went.code == 4
    assert lines(went.err, ["PROCESSING/3 ESCALATE -> ESCALATION"]), "and the rule escalates as ever"
    assert answer(workshops, *DECIDED, "--resume").code == 0


def test_conclude_from_another_process_closes_it_with_documents(workshops: Workshops) -> None:
    program = _running(workshops, 2, "synthesise")
    ran = workshops.shell.call("conclude", "latest", "--why", "Good enough")
    assert ran.code == 0, ran.err
    out, err = program.communicate(timeout=60)
    assert program.returncode == 1, err
    assert out.splitlines()[-1] == "Verdict: CLOSED (interrupted: wish, Good enough)"
    assert "REQ-001" in workshops.read("docs/requirements.md")


def test_cancel_keeps_what_there_is_and_resume_writes_the_documents(workshops: Workshops) -> None:
    workshops.shell.call(*ARGUMENTS)
    ended = workshops.shell.call("cancel", "latest")
    assert "Verdict: ABORTED" in ended.out
    ran = workshops.shell.call("resume", "latest")
    assert ran.code == 3
    assert lines(ended.err + ran.err, ["wrote docs/requirements.md"])
    assert "REQ-001" in workshops.read("docs/requirements.md")


def test_escalate_says_what_it_cannot_do(workshops: Workshops) -> None:
    assert workshops.shell.call("escalate", "latest").code == 64
    workshops.shell.call(*ARGUMENTS)
    answer(workshops, *DECIDED, "--resume")
    over = workshops.shell.call("escalate", "latest")
    assert over.code == 64
    assert "has concluded" in over.err


def test_a_protocol_that_puts_nothing_to_people_on_demand_says_so(shell: Shell) -> None:
    shell.call("debate", "Where should a shop keep its audit log?", "--clarify")
    ran = shell.call("escalate", "latest")
    assert ran.code == 64
    assert "a debate cannot be escalated to a person" in ran.err
    assert "quorate conclude debate-" in ran.err


def test_escalate_as_json_is_where_the_session_stands(workshops: Workshops) -> None:
    session = session_of(workshops.shell.call(*ARGUMENTS))
    found = workshops.shell.call("escalate", session, "--json").json()
    assert found["session"] == session
    assert found["waiting"][0]["seat"] == "person"


# Pauses (W25)


def paused(workshops: Workshops) -> Ran:
    made = ("REQ", item("REQ", "Entries are kept", supported_by=["P1", "P2"]))
    words = script(
        [question("T1"), question("T2"), question("T1")],
        [synthesis("specs", made, covered=["K1"]), synthesis("specs", covered=["K1"]), synthesis("specs")],
    )
    return workshops.says(words).shell.call(*ARGUMENTS, "--interactive")


def test_after_every_round_a_person_lets_it_go_on_with_a_remark(workshops: Workshops) -> None:
    ran = paused(workshops)
    assert ran.code == 4
    assert lines(ran.err, ["PROCESSING/1 PAUSE -> PAUSE"])
    for code in (4, 0):
        ran = answer(workshops, "--set", "choice=go_on", "--set", "remark=Mind the law.", "--resume")
        assert ran.code == code, ran.err
    assert came_to(workshops.shell)["result"]["rounds"][0]["remark"] == "Mind the law."


def test_a_person_concludes_at_a_pause_whatever_the_number_of_rounds(workshops: Workshops) -> None:
    paused(workshops)
    ran = answer(workshops, "--set", "choice=conclude", "--set", "remark=", "--resume")
    assert ran.code == 1
    assert ran.out.splitlines()[-1] == "Verdict: CLOSED"
    assert "REQ-001" in workshops.read("docs/requirements.md")


def test_a_person_escalates_at_a_pause(workshops: Workshops) -> None:
    paused(workshops)
    ran = answer(workshops, "--set", "choice=escalate", "--set", "remark=", "--resume")
    assert ran.code == 4
    assert lines(ran.err, ["waiting for person (escalate"])
    went = answer(workshops, "--set", "choice=go_on", "--set", "decision=", "--set", "reason=", "--resume")
    assert lines(went.err, ["QUESTION/2 facilitator question asked"]), "and then it goes on"


def test_a_pause_without_a_terminal_tells_the_round_and_a_command_for_each_choice(workshops: Workshops) -> None:
    ran = paused(workshops)
    said = " ".join(ran.err.partition("waiting for person")[2].split())
    for words in ("say that what you ruled is applied, conclude now", "Question: What about T1?", "REQ-001"):
        assert words in said
    assert "T2 Who reads it (open" in said
    assert set(told(ran)) == {
        "the next round begins",
        "the workshop ends now, and documents are written of what there is",
        "the open conflicts are put to you, then it goes on",
        "",
    }
    assert lines(ran.err, ['(with --set remark="…" if you like)'])
    follow(workshops, told(ran)["the workshop ends now, and documents are written of what there is"])
    assert came_to(workshops.shell)["verdict"] == "CLOSED"


def test_at_the_terminal_a_pause_shows_the_round(workshops: Workshops) -> None:
    paused(workshops)
    terminal = workshops.shell.terminal("resume", "latest", columns=120, rows=60)
    terminal.until("choice (")
    assert "What about T1?" in terminal.everything
    terminal.until("go_on / conclude / escalate")
    terminal.answer("c")
    terminal.until("remark (")
    terminal.answer("Enough.")
    assert terminal.end() == 1
    assert "Verdict: CLOSED" in terminal.everything


def test_the_session_is_one_json_value_for_programs(workshops: Workshops) -> None:
    ran = workshops.shell.call(*ARGUMENTS, "--json")
    found = json.loads(ran.out)
    assert (ran.code, found["verdict"], found["phase"]) == (4, None, "ESCALATION")
    assert found["waiting"][0]["keys"] == ["CONF-001"]


def test_at_the_terminal_the_brief_comes_once_and_enter_goes_on(workshops: Workshops) -> None:
    paused(workshops)
    terminal = workshops.shell.terminal("resume", "latest", columns=80, rows=60)
    shown = terminal.until("? explains)>")
    assert shown.index("Question: What about T1?") < shown.index("A round is over")
    assert "#" not in shown.partition("Question:")[2]
    terminal.answer("")
    terminal.until("remark (")
    terminal.answer("")
    terminal.until("Question: What about T2?")
    terminal.answer("go on")
    terminal.until("> go on\nchoice: go_on\nremark: what")
    terminal.answer("")
    assert terminal.end() == 0
    assert terminal.everything.count("A round is over") == 1
