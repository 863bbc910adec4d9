"""Ctrl-C, SIGTERM, kill and closed pipes: a session is suspended, never lost."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from tests.cli.shell import Shell, lines, script, session_of

PROBLEM = "Where should a shop keep its audit log?"


def started(
    shell: Shell, text: str, *args: str, ignoring: signal.Signals | None = None
) -> tuple[subprocess.Popen[str], str]:
    """Start a debate and read its progress until a text comes; returns it with what was read."""
    program = shell.start("debate", PROBLEM, *args, ignoring=ignoring)
    assert program.stderr is not None
    seen = ""
    while text not in seen:
        line = program.stderr.readline()
        assert line, f"it ended before {text!r}:\n{seen}"
        seen += line
    return program, seen


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_suspends_and_says_how_to_resume(shell: Shell, number: signal.Signals) -> None:
    shell.write(script(every={"criticise": {"delay": 30, "reply": script()["seats"]["*"]["criticise"]}}))
    program, seen = started(shell, "criticise asked")
    program.send_signal(number)
    out, err = program.communicate(timeout=60)
    session = session_of(seen)
    assert (program.returncode, out) == (4, "")
    assert lines(err, [f"quorate resume {session}"])
    shell.write(script())
    resumed = shell.call("resume", session)
    assert resumed.code == 0
    assert "Verdict: SOLUTION" in resumed.out
    assert not lines(resumed.err, ["propose asked"]), "finished work is not repeated"


def test_a_second_ctrl_c_leaves_at_once_and_the_session_goes_on_later(shell: Shell) -> None:
    shell.write(script(every={"criticise": {"delay": 30, "reply": script()["seats"]["*"]["criticise"]}}))
    program, seen = started(shell, "criticise asked")
    for _ in range(2):
        os.kill(program.pid, signal.SIGINT)
    program.communicate(timeout=60)
    assert program.returncode == 4
    shell.write(script())
    assert shell.call("resume", session_of(seen)).code == 0


def test_a_killed_run_can_be_resumed_at_once(shell: Shell) -> None:
    shell.write(script(every={"criticise": {"delay": 30, "reply": script()["seats"]["*"]["criticise"]}}))
    program, seen = started(shell, "criticise asked")
    program.kill()
    program.communicate(timeout=60)
    shell.write(script())
    assert shell.call("resume", session_of(seen)).code == 0


def test_ctrl_c_with_json_prints_where_the_session_stands(shell: Shell) -> None:
    shell.write(script(delay=30))
    program, seen = started(shell, "propose asked", "--json")
    program.send_signal(signal.SIGINT)
    out, _ = program.communicate(timeout=60)
    assert '"exit_code": 4' in out
    assert f'"resume": "quorate resume {session_of(seen)}"' in out


def test_a_session_that_runs_elsewhere_is_not_run_twice(shell: Shell) -> None:
    shell.write(script(delay=30))
    program, seen = started(shell, "propose asked")
    ran = shell.call("resume", session_of(seen))
    assert ran.code == 64
    assert "being driven" in ran.err
    program.send_signal(signal.SIGINT)
    program.communicate(timeout=60)


def test_a_reader_that_goes_away_is_no_error(shell: Shell) -> None:
    shell.call("debate", PROBLEM)
    for command in (("report",), ("show",), ("debate", PROBLEM)):
        reading, writing = os.pipe()
        os.close(reading)
        ran = shell.run(*command, stdout=writing)
        os.close(writing)
        assert ran.code == 0, ran.err
        assert "rror" not in ran.err


def test_progress_that_nobody_reads_does_not_stop_the_session(shell: Shell) -> None:
    shell.write(script(delay=0.2))
    program = shell.start("debate", PROBLEM)
    assert program.stderr is not None
    assert program.stdout is not None
    program.stderr.close()
    assert "Verdict: SOLUTION" in program.stdout.read()
    assert program.wait(timeout=60) == 0
    program.stdout.close()


def test_a_signal_that_was_to_be_ignored_stays_ignored(shell: Shell) -> None:
    """`nohup quorate debate …` goes on when its terminal is closed."""
    shell.write(script(delay=0.3))
    program, _ = started(shell, "propose asked", ignoring=signal.SIGHUP)
    program.send_signal(signal.SIGHUP)
    out, _ = program.communicate(timeout=60)
    assert (program.returncode, "Verdict: SOLUTION" in out) == (0, True)
