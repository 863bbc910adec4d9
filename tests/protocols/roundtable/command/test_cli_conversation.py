"""A roundtable at a real terminal: everybody is heard, the person types, and nothing is lost when it stops."""

from __future__ import annotations

import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.elaborated import PASS, REQUIREMENTS, Elaborated, says, then_pass, words
from tests.cli.shell import PATIENCE, Terminal, lines, session_of

MENU = "[E] Elaborate  [C] Continue  [S] Skip the rest of the phase, or write something"


@pytest.fixture
def table(tmp_path: Path) -> Elaborated:
    return Elaborated(tmp_path).prepare()


def elaborating(table: Elaborated, *options: str, **screen: Any) -> Terminal:
    """Take E at the menu, and wait for the first turn of the person."""
    terminal = table.talk(*options, **screen)
    terminal.type("e\r")
    terminal.until("turn 3 of")
    asked(terminal)
    return terminal


def say(terminal: Terminal, text: str, then: str) -> str:
    """Write something and wait for what it leads to, which does not stand on the screen yet."""
    assert then not in terminal.screen
    terminal.type(f"{text}\r")
    return terminal.until(then)


def asked(terminal: Terminal, below: str = "") -> str:
    """Wait until the person is asked again, right below a line."""
    ends = time.monotonic() + PATIENCE
    while not terminal.screen.endswith(f"{below}\nyou>"):
        assert terminal._feed(), f"it has ended:\n{terminal.everything}"
        assert time.monotonic() < ends, f"nothing is asked below {below!r}:\n{terminal.everything}"
    return terminal.screen


def leave(terminal: Terminal) -> None:
    """End the discussion and continue with the work."""
    say(terminal, "/done", "recorded")
    asked(terminal, MENU)
    terminal.type("c\r")
    assert terminal.end() == 0


# The whole of it


def test_a_conversation_from_the_menu_back_to_the_menu(table: Elaborated) -> None:
    """T4, T7 to T16, T21 to T24: everything that the manual protocol of the seed checks, in one go."""
    terminal = table.talk("--max-turns", "14", rows=60)
    assert "How long do we keep searches? (step 01-03 of phase 01-requirements)" in terminal.screen
    assert MENU in terminal.screen
    say(terminal, "E", "turn 3 of 14")
    shown = asked(terminal, "turn 3 of 14")
    introduction = " ".join(shown.partition("Elaboration 1")[2].split())
    assert "Alex Rivera (Solutions Architect) and Jordan Park (System Designer) join" in introduction
    assert "How long do we keep searches? (step 01-03 of phase 01-requirements)" in introduction
    assert "There are 14 turns." in introduction
    assert 'Say "done", "exit" or "wrap up"' in introduction
    assert re.search(r"^Maya Chen \(Business Analyst\):\n  Nothing says how long", shown, re.MULTILINE), "T8"
    assert "After how long is a search of no use?\n" in shown
    assert "The question goes to Alex." in shown
    assert re.search(r"Alex Rivera \(Solutions Architect\):\n  solutions-architect answers, time 1", shown), "T10"
    assert re.search(r"Jordan Park \(System Designer\):\n  Jordan designs\.\n\nturn 3 of 14\nyou>", shown)

    terminal.type("al")
    terminal.until("Alex   Solutions Architect")
    terminal.type("\t")
    terminal.until("you> Alex,")
    shown = say(terminal, "what does it cost?", "turn 6 of 14")
    after = shown.partition("you> Alex, what does it cost?")[2]
    assert after.index("solutions-architect answers, time 2") < after.index("Maya promises."), "T11: Alex comes first"

    shown = say(terminal, "What do you all think?", "turn 10 of 14")
    after = shown.partition("you all think?")[2]
    assert re.findall(r"^(Maya|Alex|Jordan) .*:$", after, re.MULTILINE) == ["Maya", "Alex", "Jordan"], "T12"

    shown = say(terminal, "I'm not done", "turn 12 of 14")
    assert "2 of 14 turns are left." in shown, "T16: given at the limit less two"
    assert "Alex weighs." in shown
    assert shown.count("turns are left") == 1

    say(terminal, "/help", "Ctrl-C suspends")
    asked(terminal, "turn 12 of 14")
    shown = say(terminal, "/done", "12 turns recorded")
    assert "turn 12 of 14\nyou> /done" in shown, "T9: neither /help nor the end costs a turn"
    shown = asked(terminal, MENU)
    result = shown.partition("── Synthesis")[2]
    assert "Searches are kept for thirty days." in result
    assert lines(result, ["- People share tablets. [Maya/User]"])
    assert lines(result, ["- Thirty days. [Maya] (It can be promised)"])
    assert lines(result, ["- And backups? (Nobody knows; Alex resolves it)"])
    assert lines(result, ["- Write the error path. (Jordan does it)"])
    assert lines(result, ["requirements.md:", "lines added under", "Keeping searches"])
    assert lines(result, ["meta.json: 12 turns recorded"])
    terminal.type("c\r")
    assert terminal.end() == 0
    assert lines(terminal.everything, ["Verdict: CONTINUE"])

    grown = table.requirements.read_text()
    rest = iter(grown.splitlines())
    assert all(line in rest for line in REQUIREMENTS.splitlines()), "T23: additions alone, in the old order"
    assert "<!-- quorate roundtable" in grown
    (kept,) = table.meta()["elaborations"]
    assert (kept["step_id"], kept["turn_count"]) == ("01-03", 12)
    assert table.meta()["owner"] == {"team": "find"}


def test_a_silence_costs_nothing_and_the_lead_asks_for_thoughts(table: Elaborated) -> None:
    """T14, T18."""
    told = {"speak": says("<seat> goes on, time <occurrence>.")}
    table.prepare(words(lead=told, alex=told, jordan=told))
    terminal = elaborating(table, rows=60)
    shown = say(terminal, "", "turn 6 of 10")
    assert "You say nothing; the others go on." in shown
    assert "Maya would like to know: do you have thoughts on this, or shall we wrap up?" in shown
    leave(terminal)
    assert [each["text"] for each in table.said("turn")] == ["", "/done"]


def test_a_disagreement_is_put_to_the_person_with_both_positions(table: Elaborated) -> None:
    """T20."""
    against = says("I would not promise that.", challenges=("solutions-architect",))
    table.prepare(words(jordan={"speak": then_pass(against)}))
    terminal = elaborating(table, rows=60)
    shown = terminal.screen.partition("A disagreement for you to decide")[2]
    assert "Alex Rivera (Solutions Architect):\n  solutions-architect answers, time 1." in shown
    assert "Jordan Park (System Designer):\n  I would not promise that." in shown
    assert "Alex and Jordan disagree. How do you decide, and why?" in shown
    shown = say(terminal, "Jordan is right.", "turn 6 of 10")
    assert "disagree" not in shown.partition("Jordan is right.")[2], "it is settled"
    leave(terminal)


def test_a_disagreement_that_is_not_decided_is_an_open_question(table: Elaborated) -> None:
    """T21: in the document too, whichever command ends the talk."""
    against = says("I would not promise that.", challenges=("solutions-architect",))
    table.prepare(words(jordan={"speak": then_pass(against)}))
    terminal = elaborating(table, rows=60)
    shown = say(terminal, "/exit", "3 turns recorded").partition("── Synthesis")[2]
    assert "Alex and Jordan disagree, and nobody has decided it" in " ".join(shown.split())
    asked(terminal, MENU)
    terminal.type("c\r")
    assert terminal.end() == 0
    (line,) = [line for line in table.requirements.read_text().splitlines() if "nobody has decided" in line]
    assert "Alex: “solutions-architect answers, time 1.” Jordan: “I would not promise that.”" in line


def test_it_is_told_where_nobody_has_anything_to_add(table: Elaborated) -> None:
    """T13, T17: the third pass in a row after the person's words is still free."""
    table.prepare(words(lead={"speak": PASS}, alex={"speak": PASS}))
    terminal = elaborating(table, rows=60)
    shown = say(terminal, "Thirty days.", "turn 4 of 10")
    assert "Nobody has anything to add." in shown
    shown = say(terminal, "/help", "Ctrl-C suspends")
    help_ = " ".join(shown.rpartition("Enter alone says nothing")[2].split())
    assert "are free, 3 such moves in a row; after that leading back costs a turn" in help_
    assert "after Enter alone you are asked whether to wrap up" in help_
    asked(terminal)
    leave(terminal)


def test_the_lead_leads_back_to_the_topic(table: Elaborated) -> None:
    """T19: and that costs nothing."""
    table.prepare(words(lead={"speak": then_pass(says("That is for the design phase.", "redirect"))}))
    terminal = elaborating(table)
    shown = say(terminal, "Which database, by the way?", "Alex weighs.")
    assert "Maya Chen (Business Analyst): leads back to the topic\n  That is for the design phase." in shown
    terminal.until("turn 5 of 10")
    leave(terminal)


def test_the_limit_ends_the_talk_by_itself(table: Elaborated) -> None:
    """T9, T16, T30: with a limit of three the person has the word once and the last one, and may leave both unused."""
    terminal = table.talk("--max-turns", "3", rows=60)
    shown = say(terminal, "e", "turn 2 of 3")
    shown += say(terminal, "", "turn 3 of 3")
    assert "2 of 3 turns are left." in shown
    assert "The limit of 3 turns is reached. The last word is yours" in shown
    asked(terminal)
    assert "You say nothing more." in say(terminal, "", "meta.json: 3 turns recorded")
    asked(terminal, MENU)
    terminal.type("c\r")
    assert terminal.end() == 0


def test_what_nobody_can_read_is_asked_back(table: Elaborated) -> None:
    """T15."""
    terminal = elaborating(table, rows=60)
    unclear = "I think that we could maybe wrap up the part about tablets and then look at the rest of it"
    shown = say(terminal, unclear, "Shall we wrap up? yes or no")
    assert "Do you want to wrap up, or was that a contribution?" in shown
    asked(terminal, "yes or no")
    say(terminal, "perhaps", "Please say yes to wrap up, or no to go on.")
    asked(terminal, "yes or no")
    say(terminal, "no", "turn 6 of 10")
    leave(terminal)
    assert table.said("clarify") == [{"choice": "go_on"}]


# The menu


def test_the_menu_takes_words_and_keeps_feedback(table: Elaborated) -> None:
    """T4, T5: a letter or a word chooses, all else is feedback and the menu comes again."""
    terminal = table.talk()
    for text, answer in (
        ("", "Nothing was chosen."),
        ("/help", "is kept as feedback"),
        ("/dnoe", "There is no /dnoe at the menu"),
        ("quit", "That is not feedback: C goes on with your work and leaves"),
        ("Everything is fine", "Kept as feedback."),
    ):
        say(terminal, text, answer)
        asked(terminal, MENU)
    terminal.type("skip\r")
    assert terminal.end() == 0
    assert "Verdict: SKIP" in terminal.everything
    assert table.said("menu") == [
        {"text": "Everything is fine", "choice": "text"},
        {"text": "", "choice": "skip"},
    ]


@pytest.mark.parametrize("text", ["help", "?"])
def test_the_menu_explains_itself_however_it_is_asked(table: Elaborated, text: str) -> None:
    terminal = table.talk()
    say(terminal, text, "Press a letter and Enter, or write the word.")
    asked(terminal, MENU)
    terminal.type("c\r")
    assert terminal.end() == 0
    assert table.said("menu") == [{"text": "", "choice": "continue"}]


def test_at_the_end_of_a_phase_there_is_nothing_to_skip(table: Elaborated) -> None:
    terminal = table.talk(at=("--phase", "01-requirements"))
    assert "[E] Elaborate  [C] Continue, or write something" in terminal.screen
    say(terminal, "s", "so there is nothing to skip")
    asked(terminal, "or write something")
    terminal.type("C\r")
    assert terminal.end() == 0
    assert table.said("menu") == [{"text": "", "choice": "continue"}]


def test_elaborations_stack_and_the_menu_greets_with_them(table: Elaborated) -> None:
    """T6, T24: and E is offered as long as it can be taken."""
    terminal = elaborating(table, "--set", "max_elaborations=2", rows=60)
    say(terminal, "/done", "3 turns recorded")
    asked(terminal, MENU)
    say(terminal, "e", "── Elaboration 2")
    asked(terminal, "turn 2 of 10")
    terminal.type("done\r")
    offered = "[C] Continue  [S] Skip the rest of the phase, or write something"
    asked(terminal, f"2 turns recorded\n\n  {offered}")
    say(terminal, "e", "enough elaborations")
    asked(terminal, offered)
    terminal.type("c\r")
    assert terminal.end() == 0
    assert len(table.meta()["elaborations"]) == 2
    again = table.talk()
    greeting = again.screen.partition("Earlier elaborations")[2]
    assert greeting.count("- 01-03: Searches are kept for thirty days.") == 2
    again.type("c\r")
    assert again.end() == 0


# Typing


def test_several_lines_are_one_turn(table: Elaborated) -> None:
    """Alt-Enter, a backslash at the end, and lines that are pasted, marked as such by the terminal or not."""
    terminal = elaborating(table, "--max-turns", "30", rows=60)
    terminal.type("one\x1b\rtwo\\\r")
    terminal.until("… two")
    say(terminal, "three", "turn 6 of 30")
    terminal.type("\x1b[200~four\nfive\x1b[201~")
    terminal.until("… five")
    say(terminal, "", "turn 7 of 30")
    say(terminal, "six\rseven", "turn 8 of 30")
    say(terminal, "eight\\\rnine", "turn 9 of 30")
    leave(terminal)
    turns = ["one\ntwo\nthree", "four\nfive", "six\nseven", "eight\nnine", "/done"]
    assert [each["text"] for each in table.said("turn")] == turns


def test_what_was_written_before_can_be_fetched_and_is_in_no_file(table: Elaborated) -> None:
    terminal = elaborating(table)
    say(terminal, "A sentence to fetch", "turn 6 of 10")
    terminal.type("\x1b[A")
    terminal.until("turn 6 of 10\nyou> A sentence to fetch")
    terminal.type("\x03")
    assert terminal.end() == 4
    kept = [path for path in table.folder.rglob("*") if path.is_file() and b"to fetch" in path.read_bytes()]
    assert {path.name.partition(".")[0] for path in kept} == {"quorate"}, "in the journal alone"


def test_commands_are_completed_and_unknown_ones_are_not_said(table: Elaborated) -> None:
    terminal = elaborating(table, rows=60)
    say(terminal, "/wo", "There is no /wo; did you mean /who?")
    asked(terminal)
    terminal.type("/w")
    terminal.until("who is here")
    terminal.type("\t")
    terminal.until("you> /who")
    shown = say(terminal, "", "- you")
    assert lines(shown, ["- Maya Chen, Business Analyst, leads"])
    assert lines(shown, ["- Jordan Park, System Designer"])
    asked(terminal)
    leave(terminal)
    assert [each["text"] for each in table.said("turn")] == ["/done"]


def test_what_is_typed_while_others_speak_waits_for_the_turn(table: Elaborated) -> None:
    slow = {"delay": 4, "say": "Let me see what there is to see here", "reply": says("Jordan took a while.")}
    table.prepare(words(jordan={"speak": [slow, {"reply": says("", "pass"), "repeat": True}]}))
    terminal = table.talk()
    terminal.type("e\r")
    terminal.until("Let me")
    terminal.type("A quick thought")
    terminal.until("you> A quick thought")
    assert "A quick thought" not in terminal.everything.rpartition("turn 3 of 10")[0]
    say(terminal, "", "turn 6 of 10")
    leave(terminal)


# What is seen


def test_a_persona_is_seen_speaking(table: Elaborated) -> None:
    """What streams in is a form; what is shown of it are the words."""
    streamed = '{"says": "One moment, I \\"think\\" about it and about much else besides'
    slow = {"delay": 4, "say": streamed, "reply": says("I have thought.")}
    table.prepare(words(jordan={"speak": [slow, {"reply": says("", "pass"), "repeat": True}]}))
    terminal = table.talk()
    terminal.type("e\r")
    shown = terminal.until('One moment, I "think"')
    assert "Jordan Park (System Designer):" in shown
    assert '{"says"' not in shown
    shown = terminal.until("turn 3 of 10")
    assert "I have thought." in shown
    assert "One moment" not in terminal.everything, "what is kept takes the place of what was streamed"
    leave(terminal)


def test_a_narrow_terminal_is_enough(table: Elaborated) -> None:
    table.prepare(words(jordan={"speak": then_pass("word " * 60 + "end of it")}))
    terminal = elaborating(table, columns=36, rows=16)
    assert "end of it" in terminal.everything
    said = terminal.everything.partition("Jordan Park (System Designer):")[2].partition("turn 3")[0]
    assert all(re.fullmatch(r" (word ?)+| (word )*end of it|", line) for line in said.split("\n")), "no word is torn"
    say(terminal, "/done", "3 turns recorded")
    asked(terminal, "[C] Continue\n [S] Skip the rest of the phase, or\n write something")
    terminal.type("c\r")
    assert terminal.end() == 0


def test_nothing_that_a_model_says_steers_the_terminal(table: Elaborated) -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J[bold red]text[/bold red] \u202eback"
    table.prepare(words(jordan={"speak": then_pass({"delay": 1, "say": hostile, "reply": says(hostile)})}))
    terminal = elaborating(table)
    assert "[bold red]text[/bold red] back" in terminal.screen
    assert b"owned" not in terminal.raw
    leave(terminal)


def colour(terminal: Terminal, text: str) -> str:
    """Return the colour in which a text stands on the screen."""
    screen = terminal._screen
    for row, line in enumerate(screen.display):
        if (column := line.find(text)) >= 0:
            return str(screen.buffer[row][column].fg)
    raise AssertionError(f"no {text!r} on the screen")


def test_every_persona_has_a_colour_and_the_count_warns(table: Elaborated) -> None:
    terminal = elaborating(table, "--max-turns", "8", rows=60)
    names = ("Maya Chen (Business Analyst):", "Alex Rivera (Solutions Architect):", "Jordan Park (System Designer):")
    colours = {colour(terminal, name) for name in names}
    assert len(colours) == 3
    assert "default" not in colours
    early = colour(terminal, "turn 3 of 8")
    say(terminal, "Go on", "turn 6 of 8")
    assert colour(terminal, "turn 6 of 8") != early
    assert colour(terminal, "turn 6 of 8") == colour(terminal, "2 of 8 turns are left")
    leave(terminal)


def test_no_color_is_respected(table: Elaborated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    terminal = elaborating(table, "--max-turns", "8")
    say(terminal, "Al", "turn 6 of 8")
    leave(terminal)
    colours = re.findall(rb"\x1b\[[0-9;]*m", terminal.raw)
    assert not [code for code in colours if re.search(rb"[\[;](3[0-8]|4[0-8]|9[0-7])[;m]", code)]


def test_the_conversation_stays_out_of_a_redirected_stdout(table: Elaborated) -> None:
    terminal = table.talk(stdout="result.md")
    say(terminal, "e", "turn 3 of 10")
    leave(terminal)
    text = (table.folder / "result.md").read_text()
    assert text.rstrip().endswith("Verdict: CONTINUE")
    assert "you>" not in text


# Stopping and going on


def test_ctrl_c_suspends_and_resume_goes_on_where_it_was(table: Elaborated) -> None:
    terminal = elaborating(table, columns=160, rows=60)
    say(terminal, "Alex, is it safe?", "turn 6 of 10")
    terminal.type("It's half a thought")
    terminal.until("half a thought")
    terminal.type("\x03")
    assert terminal.end() == 4
    session = session_of(terminal.everything)
    assert f"quorate resume {session}" in terminal.screen
    assert lines(terminal.screen, [f"quorate answer {session}", "--set 'text=It'\"'\"'s half a thought' --resume"])

    again = table.terminal("resume", session)
    shown = again.until("turn 6 of 10")
    about = shown.index("How long do we keep searches? (step 01-03 of phase 01-requirements)")
    question = shown.index("The question\n  After how long is a search of no use?")
    assert about < question < shown.index("You:\n  Alex, is it safe?"), "what was last said stands there again"
    assert "solutions-architect answers, time 2." in shown
    assert "time 1" not in shown
    again.type("\x1b[A")
    again.until("you> Alex, is it safe?")
    again.type("\x15")
    leave(again)
    assert [each["text"] for each in table.said("turn")] == ["Alex, is it safe?", "/done"]


def test_ctrl_c_while_a_persona_speaks_loses_no_word(table: Elaborated) -> None:
    slow = {"delay": 20, "say": "Let me think about this for a good while", "reply": says("Never said.")}
    table.prepare(words(jordan={"speak": [slow, {"reply": says("", "pass"), "repeat": True}]}))
    terminal = table.talk()
    terminal.type("e\r")
    terminal.until("Let me")
    terminal.type("\x03")
    assert terminal.end() == 4
    assert "quorate resume" in terminal.screen
    assert terminal.raw.rstrip().rfind(b"\x1b[?25h") > terminal.raw.rfind(b"\x1b[?25l"), "the cursor is back"
    table.prepare(words(jordan={"speak": then_pass("Said at last.")}))
    again = table.terminal("resume", "latest")
    shown = again.until("turn 3 of 10")
    assert "solutions-architect answers, time 1." in shown
    assert "Said at last." in shown
    leave(again)


def test_ctrl_d_suspends_at_the_menu_too(table: Elaborated) -> None:
    terminal = table.talk()
    terminal.type("\x04")
    assert terminal.end() == 4
    assert "quorate resume" in terminal.screen
    again = table.terminal("resume", "latest")
    asked(again, MENU)
    again.type("c\r")
    assert again.end() == 0


def test_a_signal_at_the_prompt_suspends_and_keeps_the_draft(table: Elaborated) -> None:
    terminal = elaborating(table, columns=160)
    terminal.type("not sent")
    terminal.until("you> not sent")
    terminal.child.kill(signal.SIGTERM)
    assert terminal.end() == 4
    assert lines(terminal.everything, ["quorate answer", "--set 'text=not sent' --resume"])


def test_an_answer_at_a_terminal_becomes_the_conversation(table: Elaborated) -> None:
    table.open()
    terminal = table.terminal("answer", "latest", "--set", "choice=elaborate", "--set", "text=", "--resume")
    terminal.until("turn 3 of 10")
    leave(terminal)


def test_somebody_else_who_answers_first_counts(table: Elaborated) -> None:
    terminal = elaborating(table, rows=60)
    terminal.type("Mine")
    terminal.until("you> Mine")
    assert table.call("answer", "latest", "--set", "text=Theirs").code == 0
    shown = say(terminal, "", "turn 6 of 10")
    assert "the first answer counts" in shown
    assert "You:\n  Theirs" in shown
    leave(terminal)


def test_a_simple_terminal_is_enough(table: Elaborated) -> None:
    terminal = table.simple("roundtable", "Topic", "--docs", "specs", "--step", "01-03")
    terminal.until("you>")
    say(terminal, "e", "turn 3 of 10")
    say(terminal, "/done", "3 turns recorded")
    asked(terminal, "or write something")
    terminal.type("c\r")
    assert terminal.end() == 0


def test_a_second_person_can_sit_on_a_seat_of_a_persona(table: Elaborated) -> None:
    """Its form is filled in field by field, and what was filled in before stopping is not lost."""
    (table.folder / "panel.yaml").write_text('{"script": "script.yaml", "seats": {"solutions-architect": "person"}}')
    terminal = table.talk(columns=160)
    say(terminal, "e", "says>")
    say(terminal, "I am Alex today.", "challenges")
    terminal.type("\x03")
    assert terminal.end() == 4
    assert lines(terminal.everything, ["quorate answer", "--set 'says=I am Alex today.'", "--resume"])
    sets = [
        word
        for each in ("says=I am Alex today.", "challenges=", "asks=", "manner=contribute")
        for word in ("--set", each)
    ]
    assert table.call("answer", "latest", *sets).code == 0
    again = table.terminal("resume", "latest")
    shown = again.until("turn 3 of 10")
    assert "Alex Rivera (Solutions Architect):\n  I am Alex today." in shown
    leave(again)
