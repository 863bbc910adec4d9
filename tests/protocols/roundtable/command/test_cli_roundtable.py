"""`quorate roundtable` where nobody sits at a terminal: it stops at each turn, and exact commands lead on."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.cli.elaborated import META, REQUIREMENTS, STEP, TOPIC, Elaborated, says, words
from tests.cli.shell import Ran, lines, session_of

SECRET = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"


@pytest.fixture
def table(tmp_path: Path) -> Elaborated:
    return Elaborated(tmp_path).prepare()


def commands(ran: Ran) -> list[str]:
    """Return the commands that a run says lead on."""
    return [line.strip() for line in ran.err.splitlines() if line.startswith("  quorate ")]


def follow(table: Elaborated, command: str) -> Ran:
    """Do what a printed command says, as a shell would read it."""
    return table.call(*shlex.split(command, comments=True)[1:])


def kept(table: Elaborated) -> list[Path]:
    """Return the files of the workspace."""
    return [path for path in (table.folder / ".quorate").rglob("*") if path.is_file()]


# Turn by turn


def test_it_stops_at_each_turn_and_the_printed_commands_go_on(table: Elaborated) -> None:
    """Every hint is pasted as it stands; only the place of the text is filled in."""
    ran = table.open()
    assert ran.code == 4, ran.err
    assert lines(ran.err, ["How long do we keep searches? (step 01-03 of phase 01-requirements)"])
    by_meaning = {line.partition("   # ")[2]: line for line in commands(ran)}
    ran = follow(table, by_meaning["talk it over"])
    assert ran.code == 4, ran.err
    assert "Maya Chen (Business Analyst):\n  Nothing says how long searches are kept." in ran.err
    assert "Jordan Park (System Designer):\n  Jordan designs." in ran.err
    assert lines(ran.err, ["waiting for person (turn 3 of 10, ask "])
    answer = commands(ran)[0]
    assert answer.endswith(' --set text="…" --resume')
    ran = follow(table, answer.replace("…", "Alex, is it safe?"))
    assert ran.code == 4, ran.err
    assert ran.err.index("You:\n  Alex, is it safe?") < ran.err.index("solutions-architect answers, time 2.")
    assert "time 1." not in ran.err, "only what is new is told"
    ran = follow(table, commands(ran)[0].replace("…", "/done"))
    assert ran.code == 4, ran.err
    assert "── Synthesis" in ran.err
    assert lines(ran.err, ["requirements.md:", "lines added under", "Keeping searches"])
    by_meaning = {line.partition("   # ")[2]: line for line in commands(ran)}
    ran = follow(table, by_meaning["go on with the work"])
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[-1] == "Verdict: CONTINUE"


def test_resume_tells_where_it_stands_and_changes_nothing(table: Elaborated) -> None:
    table.open()
    table.choose("elaborate")
    first, second = table.call("resume", "latest"), table.call("resume", "latest")
    assert first.code == second.code == 4
    assert first.err == second.err
    assert lines(first.err, ["── How long do we keep searches? (step 01-03 of phase 01-requirements)"])
    assert first.err.count("After how long is a search of no use?") == 1, "the framing is told again as a whole"
    assert "Jordan designs." in first.err


def test_json_says_what_waits(table: Elaborated) -> None:
    data = table.open("--json").json()
    (waiting,) = data["waiting"]
    assert (waiting["seat"], data["phase"], data["exit_code"]) == ("person", "MENU", 4)
    assert "--set choice=" in waiting["answer"]


def test_an_answer_of_a_wrong_shape_changes_nothing(table: Elaborated) -> None:
    table.open()
    ran = table.call("answer", "latest", "--set", "choice=elaborat", "--set", "text=")
    assert ran.code != 0
    assert "elaborate" in ran.err
    assert table.said("menu") == []


def test_a_person_who_declines_lets_the_others_go_on(table: Elaborated) -> None:
    """T14: no answer is a silence."""
    table.open()
    table.choose("elaborate")
    ran = table.call("answer", "latest", "--decline", "--resume")
    assert ran.code == 4, ran.err
    assert "Maya promises." in ran.err


def test_what_is_asked_back_has_a_command_for_each_answer(table: Elaborated) -> None:
    """T15."""
    table.open()
    table.choose("elaborate")
    ran = table.say("I think that we could maybe wrap up the part about tablets and then look at the rest of it")
    assert ran.code == 4, ran.err
    by_meaning = {line.partition("   # ")[2]: line for line in commands(ran)}
    assert {"wrap up", "it was a contribution"} <= set(by_meaning)
    ran = follow(table, by_meaning["wrap up"])
    assert "── Synthesis" in ran.err


def test_out_leaves_report_and_bundle(table: Elaborated) -> None:
    ran = table.open("--out", "result")
    assert ran.code == 4, ran.err
    table.choose("continue")
    ran = table.call("resume", "latest", "--out", "result")
    assert ran.code == 0, ran.err
    assert (table.folder / "result" / "bundle.json").is_file()


# What comes of it


def test_documents_only_grow_and_repeated_elaborations_stack(table: Elaborated) -> None:
    """T23, T24, T6."""
    table.open()
    for number in (1, 2):
        before = table.requirements.read_text()
        table.choose("elaborate")
        ran = table.say("done")
        assert "── Synthesis" in ran.err
        rest = iter(table.requirements.read_text().splitlines())
        assert all(line in rest for line in before.splitlines())
        assert table.requirements.read_text().count("<!-- quorate roundtable") == number
        assert len(table.meta()["elaborations"]) == number
    assert "Earlier elaborations" in table.open().err


def test_who_leaves_after_the_framing_adds_nothing(table: Elaborated) -> None:
    """T21: immediate exit; a limit of three would not let anybody leave earlier."""
    table.prepare(words(alex={"answer": says("", "pass")}, jordan={"speak": says("", "pass")}))
    table.open()
    table.choose("elaborate")
    ran = table.say("done")
    assert table.requirements.read_text() == REQUIREMENTS
    (entry,) = table.meta()["elaborations"]
    assert entry["turn_count"] == 1
    assert lines(ran.err, ["1 turn recorded"])


def test_a_document_that_has_gone_is_skipped_with_a_notice(table: Elaborated) -> None:
    """T23."""
    table.open()
    table.choose("elaborate")
    table.requirements.unlink()
    ran = table.say("done")
    assert lines(ran.err, ["requirements.md: no longer exists"])
    assert len(table.meta()["elaborations"]) == 1


def test_a_meta_file_that_breaks_meanwhile_is_left_as_it_is(table: Elaborated) -> None:
    """T25: the documents are saved already; the session says that it is degraded."""
    table.open()
    table.choose("elaborate")
    table.meta_file.write_text("{ not JSON")
    ran = table.say("done")
    assert lines(ran.err, ["meta.json: the record could not be written"])
    assert table.meta_file.read_text() == "{ not JSON"
    assert "<!-- quorate roundtable" in table.requirements.read_text()
    assert table.choose("continue").code == 5


def test_a_persona_that_is_missing_is_told(table: Elaborated) -> None:
    """T19, T8: the others go on, and a framing of code stands in for the lead's."""
    table.prepare(words(lead={"frame": {"absent": "failed"}}, jordan={"speak": {"absent": "timed_out"}}))
    table.open()
    ran = table.choose("elaborate")
    assert lines(ran.err, ["Maya gave no framing."])
    assert lines(ran.err, ["Jordan gave no reply."])


# How it is opened


def test_nobody_speaks_by_default(table: Elaborated) -> None:
    (table.folder / "quorate.yaml").write_text("{}")
    ran = table.open()
    assert ran.code == 64
    assert "no model or panel is set for the personas" in ran.err
    assert "--model" in ran.err


@pytest.mark.parametrize(
    ("meta", "options", "limit", "told"),
    [
        ({}, (), 10, ""),
        ({"max_turns": 6}, (), 6, ""),
        ({"max_turns": 6}, ("--max-turns", "8"), 8, ""),
        ({"max_turns": 6}, ("--set", "max_turns=9"), 9, ""),
        ({"max_turns": 2}, (), 10, "elaboration_config.max_turns is 2 and not a whole number from 3"),
        ({"max_turns": "many"}, (), 10, 'elaboration_config.max_turns is "many"'),
        ({"max_turns": True}, (), 10, "elaboration_config.max_turns is true"),
        ({}, ("--max-turns", "2"), 10, "max_turns is 2, which is fewer than 3"),
    ],
)
def test_the_turn_limit_is_the_setting_else_that_of_meta_else_ten(
    table: Elaborated, meta: dict[str, Any], options: tuple[str, ...], limit: int, told: str
) -> None:
    """T3."""
    table.meta_file.write_text(json.dumps({**META, "elaboration_config": meta}))
    ran = table.open(*options)
    assert lines(ran.err, ["meta.json:", f"; {limit} turns"])
    assert told in ran.err
    assert bool(lines(ran.err, ["note:"])) == bool(told)
    assert lines(table.choose("elaborate").err, [f"waiting for person (turn 3 of {limit}, ask "])


def test_many_turns_come_with_advice(table: Elaborated) -> None:
    """T3."""
    table.open("--max-turns", "24")
    assert "24 turns are many" in table.choose("elaborate").err


def test_a_step_says_its_phase_and_so_who_leads(table: Elaborated) -> None:
    """T3."""
    table.prepare(
        words(**{"system-designer": {"frame": {"summary": "s", "question": "q", "addressed": "business-analyst"}}})
    )
    table.open(at=("--step", "04-02"))
    assert re.search(r"^Jordan Park \(System Designer\):\n  s\n", table.choose("elaborate").err, re.MULTILINE)


def test_own_personas_take_part(table: Elaborated) -> None:
    """T1: a role file makes one; names must be told apart."""
    roles = table.folder / ".quorate" / "briefs" / "roles"
    roles.mkdir(parents=True)
    (roles / "lawyer.md").write_text("# Robin Lee, Lawyer\n\nYou look at what the law demands.\n")
    frame = {"summary": "s", "question": "q", "addressed": "lawyer"}
    table.prepare(words(lead={"frame": frame}))
    ran = table.open("--personas", "business-analyst, lawyer")
    assert ran.code == 4, ran.err
    ran = table.choose("elaborate")
    assert "Robin Lee (Lawyer):\n  lawyer answers, time 1." in ran.err
    assert "Alex" not in ran.err
    ran = table.open("--personas", "business-analyst,lawer")
    assert ran.code == 64
    assert "did you mean 'lawyer'?" in ran.err
    assert table.open("--personas", "business-analyst").code == 64


@pytest.mark.parametrize(
    ("break_it", "told"),
    [
        (lambda table: table.meta_file.write_text('{"slug": '), "meta.json"),
        (lambda table: table.meta_file.write_text("[1]"), "meta.json"),
        (lambda table: table.meta_file.write_bytes(b"\xff\xfe{}"), "meta.json"),
        (lambda table: table.specs.rename(table.folder / "elsewhere"), "does not exist"),
    ],
)
def test_what_cannot_be_read_is_told_and_left_alone(table: Elaborated, break_it: Any, told: str) -> None:
    break_it(table)
    before = {path: path.read_bytes() for path in table.folder.rglob("*.*") if path.is_file() and "specs" in str(path)}
    ran = table.open()
    assert ran.code == 65
    assert told in ran.err
    assert "Traceback" not in ran.err
    assert all(path.read_bytes() == was for path, was in before.items())
    assert table.call("list", "--json").json() == []


def test_a_folder_without_documents_or_meta_is_enough(table: Elaborated) -> None:
    table.requirements.unlink()
    table.meta_file.unlink()
    ran = table.open()
    assert ran.code == 4, ran.err
    assert lines(ran.err, ["documents: none"])
    assert lines(ran.err, ["meta.json: missing, it will be written"])
    table.choose("elaborate")
    table.say("done")
    assert len(table.meta()["elaborations"]) == 1


def test_an_empty_topic_is_refused(table: Elaborated) -> None:
    ran = table.call("roundtable", "  ", "--docs", "specs")
    assert ran.code == 64
    assert "The topic is empty" in ran.err


def test_the_topic_can_stand_in_a_file(table: Elaborated) -> None:
    (table.folder / "topic.md").write_text("How long?\n\nAnd why?\n")
    ran = table.call("roundtable", "-f", "topic.md", "--docs", "specs")
    assert ran.code == 4, ran.err
    assert lines(ran.err, ["── How long? And why?"])
    ran = table.call("roundtable", "topic.md", "--docs", "specs")
    assert ran.code == 64
    assert "quorate roundtable -f topic.md" in ran.err
    assert table.call("roundtable", "A", "-f", "topic.md", "--docs", "specs").code == 64
    assert table.call("roundtable", "--docs", "specs").code == 64


def test_secrets_in_documents_and_topic_reach_nobody(table: Elaborated) -> None:
    table.requirements.write_text(f"{REQUIREMENTS}\nThe key is {SECRET}.\n")
    ran = table.call("roundtable", f"Is {SECRET} safe?", "--docs", "specs", *STEP)
    assert ran.code == 4, ran.err
    assert lines(ran.err, ["note: requirements.md: secrets are masked"])
    assert SECRET not in ran.err
    assert kept(table)
    assert not [path for path in kept(table) if SECRET.encode() in path.read_bytes()]
    assert SECRET in table.requirements.read_text(), "the document itself stays as it is"


def test_a_secret_in_a_heading_reaches_nobody(table: Elaborated) -> None:
    table.requirements.write_text(f"# Search\n\n## Keeping searches with {SECRET}\n")
    table.open()
    table.choose("elaborate")
    ran = table.say("done")
    assert lines(ran.err, ["requirements.md:", "lines added under", "Keeping searches with [masked secret]"])
    assert SECRET not in ran.err
    assert not [path for path in kept(table) if SECRET.encode() in path.read_bytes()]


@pytest.mark.parametrize("at", [("--step", SECRET), ("--phase", f"01 {SECRET}"), ("--set", f"step={SECRET}")])
def test_a_secret_in_a_name_is_refused(table: Elaborated, at: tuple[str, str]) -> None:
    ran = table.open(at=at)
    assert ran.code == 64
    assert "contains a secret" in ran.err
    assert SECRET not in ran.err
    assert table.call("list", "--json").json() == []
    table.requirements.rename(table.specs / f"{SECRET}.md")
    ran = table.open()
    assert ran.code == 65
    assert "a secret in the name of document D1" in ran.err
    assert SECRET not in ran.err + "".join(str(path) for path in kept(table))


def test_meta_json_is_no_document_by_another_name(table: Elaborated) -> None:
    (table.specs / "notes.md").symlink_to("meta.json")
    ran = table.open()
    assert lines(ran.err, ["documents: requirements.md"])
    assert lines(ran.err, ["note: notes.md is the same file as meta.json, so nothing is added to it"])


def test_one_participant_can_speak_for_all(table: Elaborated) -> None:
    """T1: shared contexts; the voices still have their names."""
    frame = {"summary": "s", "question": "q", "addressed": "solutions-architect"}
    table.prepare(
        words(ensemble={"frame": frame, "speak": says("One of us speaks."), "answer": says("One of us answers.")})
    )
    table.open("--set", "contexts=shared")
    ran = table.choose("elaborate")
    assert "Alex Rivera (Solutions Architect):\n  One of us answers." in ran.err
    assert "Jordan Park (System Designer):\n  One of us speaks." in ran.err


def test_a_wish_to_conclude_sums_up_what_was_said(table: Elaborated) -> None:
    """T26."""
    table.open()
    table.choose("elaborate")
    assert table.call("conclude", "latest").code == 0
    ran = table.call("resume", "latest")
    assert ran.code == 0, ran.err
    assert "── Synthesis" in ran.err
    assert ran.out.splitlines()[-1].startswith("Verdict: CONTINUE")
    assert len(table.meta()["elaborations"]) == 1


def test_the_topic_is_the_title_of_the_session(table: Elaborated) -> None:
    ran = table.open()
    (listed,) = table.call("list", "--json").json()
    assert (listed["session"], listed["title"]) == (session_of(ran), TOPIC)
