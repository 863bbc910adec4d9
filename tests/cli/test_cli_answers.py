"""Questions to a person: the run suspends, and the answer may come later, from another process."""

from __future__ import annotations

import shlex

import pytest

from tests.cli.shell import Shell, lines, session_of

PROBLEM = "Where should a shop keep its audit log?"


def suspended(shell: Shell) -> str:
    ran = shell.call("debate", PROBLEM, "--clarify")
    assert (ran.code, ran.out) == (4, "")
    return session_of(ran)


def test_the_exact_answer_command_is_printed_and_works(shell: Shell) -> None:
    ran = shell.run("debate", PROBLEM, "--clarify", "--no-input")
    session = session_of(ran)
    command = f'quorate answer {session} 2.0 --set q1="…" --set q2="…"'
    assert lines(ran.err, [command])
    assert lines(ran.err, ["q1, asked by architect: How many orders a minute?"])
    answered = shell.call(*shlex.split(command.replace("…", "About 200"))[1:])
    assert (answered.code, answered.out) == (0, "answered\n")
    assert lines(answered.err, [f"quorate resume {session}"])
    resumed = shell.call("resume", session)
    assert resumed.code == 0
    assert "About 200" in shell.call("show", session).out


MOVED = "ANSWERS_SUBMITTED -> CLARIFICATION"
ASKED_AGAIN = "clarify asked"


@pytest.mark.parametrize("at_once", [True, False])
def test_what_follows_from_an_answer_is_told_once_and_in_order(shell: Shell, at_once: bool) -> None:
    """Whatever happened since the last line that somebody saw, whether it goes on in the same command or later."""
    session = suspended(shell)
    answer = ("answer", session, "--set", "q1=one", "--set", "q2=NA")
    if at_once:
        told = shell.call(*answer, "--resume").err
    else:
        told = shell.call(*answer).err
        assert MOVED in told
        told += shell.call("resume", session).err
    assert told.count(MOVED) == 1
    assert told.index("person answer replied") < told.index(MOVED) < told.index(ASKED_AGAIN)


def test_the_exact_command_keeps_store_and_directory(shell: Shell) -> None:
    (shell.folder / "elsewhere").mkdir()
    ran = shell.call("-C", "elsewhere", "--store", "sqlite:my store.db", "debate", PROBLEM, "--clarify")
    command = next(line for line in ran.err.splitlines() if " answer " in line and "quorate" in line)
    assert command.strip().startswith("quorate -C elsewhere --store 'sqlite:my store.db' answer ")
    assert (shell.folder / "elsewhere/my store.db").exists()
    assert shell.call(*shlex.split(command)[1:]).code == 0


def test_json_carries_the_open_asks_and_their_commands(shell: Shell) -> None:
    ran = shell.call("debate", PROBLEM, "--clarify", "--json")
    found = ran.json()
    (waiting,) = found["waiting"]
    assert (ran.code, found["exit_code"], found["verdict"], waiting["keys"]) == (4, 4, None, ["q1", "q2"])
    assert waiting["answer"].startswith(f"quorate answer {found['session']} {waiting['ask']} --set q1=")
    assert found["resume"] == f"quorate resume {found['session']}"


def test_the_same_answer_twice_is_harmless_and_says_so(shell: Shell) -> None:
    session = suspended(shell)
    command = ("answer", session, "--set", "q1=one", "--set", "q2=NA")
    assert shell.call(*command).code == 0
    again = shell.call(*command)
    assert (again.code, again.out) == (0, "")
    assert "was answered already" in again.err
    named = shell.call("answer", session, "2.0", "--set", "q1=other", "--json")
    assert (named.code, named.json()["accepted"]) == (0, False)
    assert shell.call("show", session).out.count("q1 text: one") == 1


def test_answers_come_from_a_file_and_the_session_goes_on_at_once(shell: Shell) -> None:
    session = suspended(shell)
    (shell.folder / "answers.yaml").write_text("q1: About 200\nq2: |\n  Two lines,\n  of text.\n")
    ran = shell.call("answer", session, "-f", "answers.yaml", "--resume")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "Verdict: SOLUTION (confidence 82)")


def test_unanswered_questions_are_asked_again_by_their_keys(shell: Shell) -> None:
    session = suspended(shell)
    shell.call("answer", session, "--set", "q1=one", "--set", "q2= ")
    shell.call("resume", session)
    found = shell.call("show", session, "--json").json()
    assert [waiting["keys"] for waiting in found["waiting"]] == [["q2"]]  # D8


def test_declining_goes_on_without_answers(shell: Shell) -> None:
    session = suspended(shell)
    assert shell.call("answer", session, "--decline").out == "declined\n"
    assert shell.call("resume", session).code == 0  # D8


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (("--set", "q3=x"), 64, "one of answers"),
        (("--set", "q1"), 64, "has no value"),
        (("9.9", "--set", "q1=x"), 64, "has no ask '9.9'"),
        (("--set", "q1=x", "--decline"), 64, "one of --set, -f and --decline"),
        (("-f", "missing.yaml"), 65, "missing.yaml"),
        (("-f", "bad.yaml"), 65, "did you mean 'q1'|unknown"),
        ((), 64, "no terminal to ask at"),
    ],
)
def test_a_bad_answer_changes_nothing(shell: Shell, args: tuple[str, ...], code: int, says: str) -> None:
    session = suspended(shell)
    (shell.folder / "bad.yaml").write_text("answers: {q9: {text: x}}\n")
    ran = shell.call("answer", session, *args)
    assert ran.code == code, ran.err
    assert any(word in ran.err for word in says.split("|")), ran.err
    assert len(shell.call("show", session, "--json").json()["waiting"]) == 1


def test_a_session_that_asked_nobody_says_so(shell: Shell) -> None:
    shell.call("debate", PROBLEM)
    ran = shell.call("answer", "latest", "--set", "q1=x")
    assert ran.code == 64
    assert "has no open question for a person" in ran.err
