"""At a terminal: questions are asked on the spot, and the live view shows who is thinking and what was said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.elaborated import Elaborated, says, words
from tests.cli.shell import Shell, lines, script

PROBLEM = "Where should a shop keep its audit log?"
FAREWELL = "suspending; what was said is kept (once more to leave at once)"


def test_clarify_asks_on_the_spot_one_question_at_a_time(shell: Shell) -> None:
    terminal = shell.terminal("debate", PROBLEM, "--clarify")
    shown = terminal.until("q1>")
    assert "q1, asked by architect (1 of 2)" in shown
    assert "How many orders a minute?" in shown
    assert "q2, asked by" not in shown
    terminal.answer("About 200")
    assert "q2, asked by security (2 of 2)" in terminal.until("q2>")
    terminal.answer("A first line \\")
    terminal.until("…")
    terminal.answer("and a second")
    assert terminal.end() == 0
    assert "Verdict: SOLUTION" in terminal.screen
    transcript = shell.call("show", "--json").json()["transcript"]
    (said,) = [each["reply"] for each in transcript if each["brief"] == "answer"]
    assert said["answers"]["q1"]["text"] == "About 200"
    assert said["answers"]["q2"]["text"] == "A first line \nand a second"


def test_an_empty_answer_is_asked_again_once_and_then_is_na(shell: Shell) -> None:
    terminal = shell.terminal("debate", PROBLEM, "--clarify")
    terminal.until("q1>")
    terminal.answer("")
    terminal.until("Enter again answers NA")
    terminal.answer("")
    terminal.until("q2>")
    terminal.answer("x")
    assert terminal.end() == 0
    assert lines(shell.call("show").out, ["q1 text: NA"])


def test_lines_that_are_pasted_together_are_one_answer(shell: Shell) -> None:
    terminal = shell.terminal("debate", PROBLEM, "--clarify")
    terminal.until("q1>")
    terminal.type("one\rtwo\rthree\r")
    terminal.until("q2>")
    terminal.answer("x")
    assert terminal.end() == 0
    transcript = shell.call("show", "--json").json()["transcript"]
    (said,) = [each["reply"] for each in transcript if each["brief"] == "answer"]
    assert said["answers"]["q1"]["text"] == "one\ntwo\nthree"


def test_stopping_between_answers_loses_none_of_them(shell: Shell) -> None:
    terminal = shell.terminal("debate", PROBLEM, "--clarify", columns=200)
    terminal.until("q1>")
    terminal.answer("It's 200")
    terminal.until("q2>")
    terminal.type("\x03")
    assert terminal.end() == 4
    assert "--set 'q1=It'\"'\"'s 200' --set q2=\"…\"" in terminal.screen
    assert len(shell.call("list", "--waiting", "--json").json()) == 1


def test_answer_asks_at_the_terminal_too(shell: Shell) -> None:
    shell.call("debate", PROBLEM, "--clarify")
    terminal = shell.terminal("answer", "latest", "--resume")
    terminal.until("q1>")
    terminal.answer("one")
    terminal.until("q2>")
    terminal.answer("two")
    assert terminal.end() == 0
    assert "Verdict: SOLUTION" in terminal.screen


def test_questions_stay_out_of_a_redirected_stdout(shell: Shell) -> None:
    terminal = shell.terminal("debate", PROBLEM, "--clarify", stdout="solution.md")
    for key in ("q1", "q2"):
        terminal.until(f"{key}>")
        terminal.answer("x")
    assert terminal.end() == 0
    text = (shell.folder / "solution.md").read_text()
    assert text.startswith("Use one queue and an append-only log.")
    assert "q1" not in text


def test_no_input_never_asks(shell: Shell) -> None:
    terminal = shell.terminal("debate", PROBLEM, "--clarify", "--no-input")
    assert terminal.end() == 4
    assert "quorate answer" in terminal.screen


# The live view


def slow(text: str = "I would rather use one queue.") -> dict[str, object]:
    proposal = {"delay": 3, "say": text, "reply": script()["seats"]["*"]["propose"]}
    return script(every={"propose": proposal})


def test_the_live_view_shows_phase_speakers_speech_and_figures(shell: Shell) -> None:
    shell.write(slow())
    terminal = shell.terminal("debate", PROBLEM)
    terminal.until("I would rather use")
    shown = terminal.until("Ctrl-C suspends")  # the last line of the moving part: all of it is drawn
    assert re.search(r"── PROPOSAL round 1 +Where should a shop", shown)
    assert re.search(r"^ \S architect propose +script:script.yaml +\d+ s$", shown, re.MULTILINE)
    assert re.search(r"^ \S security propose", shown, re.MULTILINE)
    assert re.search(r"── 0 tokens · \$0\.00 · \d:\d\d · Ctrl-C suspends", shown)
    assert terminal.end() == 0
    story = terminal.everything
    assert lines(story, ["architect propose replied in"])
    assert "Use one queue." in story
    assert "Ctrl-C suspends" not in story, "nothing of the moving part is left behind"
    assert story.splitlines()[-2].startswith("Verdict: SOLUTION")


def test_the_live_view_fits_a_narrow_and_low_terminal(shell: Shell) -> None:
    shell.write(slow("word " * 200))
    terminal = shell.terminal("debate", PROBLEM, columns=40, rows=8)
    terminal.until("word word word")
    shown = terminal.until("── 0 tokens")
    assert "── PROPOSAL round 1" in shown
    assert "script:script.yaml" not in shown
    assert terminal.end() == 0
    assert terminal.everything.count("── PROPOSAL") == 0, "no torn pictures above"


def test_the_live_view_obeys_nothing_that_models_say(shell: Shell) -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J[bold red]text[/bold red] \u202eback and more to come"
    shell.write(slow(hostile))
    terminal = shell.terminal("debate", PROBLEM)
    terminal.until("[bold red]text[/bold red] back")
    assert terminal.end() == 0
    assert b"owned" not in terminal.raw


def test_no_color_is_respected(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = shell.terminal("debate", PROBLEM)
    assert terminal.end() == 0
    colours = re.findall(rb"\x1b\[[0-9;]*m", terminal.raw)
    assert not [code for code in colours if re.search(rb"[\[;](3[0-8]|4[0-8]|9[0-7])[;m]", code)]


def test_ctrl_c_in_the_live_view_suspends_and_leaves_a_clean_screen(shell: Shell) -> None:
    shell.write(slow())
    terminal = shell.terminal("debate", PROBLEM)
    terminal.until("rather")
    terminal.type("\x03")
    assert terminal.end() == 4
    assert "quorate resume" in terminal.screen
    assert "Ctrl-C suspends" not in terminal.screen
    assert terminal.screen.splitlines().count(FAREWELL) == 1, "on a line of its own, and whole"
    assert "rather" not in terminal.screen, "what moved is gone"
    assert terminal.raw.rstrip().rfind(b"\x1b[?25h") > terminal.raw.rfind(b"\x1b[?25l"), "the cursor is back"


def test_ctrl_c_while_a_persona_thinks_says_so_on_a_line_of_its_own(tmp_path: Path) -> None:
    slowly = {"answer": {"delay": 20, "reply": says("Late.")}, "speak": {"delay": 20, "reply": says("Late.")}}
    table = Elaborated(tmp_path).prepare(words(alex=slowly))
    terminal = table.talk(columns=80)
    terminal.answer("e")
    terminal.until("is thinking")
    terminal.type("\x03")
    assert terminal.end() == 4
    assert FAREWELL in terminal.screen.splitlines()
    assert "is thinking" not in terminal.screen
