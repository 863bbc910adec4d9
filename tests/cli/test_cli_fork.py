"""`quorate fork` and `quorate work` as a person uses them."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.cli.shell import SCRIPT, Shell, lines, script, session_of

PROBLEM = "Where should a shop keep its audit log?"
SLOW = {"criticise": {"delay": 60, "reply": SCRIPT["seats"]["*"]["criticise"]}}


def debated(shell: Shell) -> str:
    ran = shell.call("debate", PROBLEM)
    assert ran.code == 0
    return session_of(ran)


def fork_of(err: str) -> str:
    return session_of(err).rstrip(",")


def test_a_fork_goes_on_with_others(shell: Shell) -> None:
    source = debated(shell)
    other = script(judge={"synthesize": {**SCRIPT["seats"]["judge"]["synthesize"], "solution": "Use paper."}})
    (shell.folder / "other.yaml").write_text(json.dumps(other))
    (shell.folder / "others.yaml").write_text(json.dumps({"script": "other.yaml"}))
    ran = shell.call("fork", source, "--at", "6", "--panel", "others.yaml", "--out", "result")
    assert ran.code == 0
    assert lines(ran.err, ["session debate-", f"a fork of {source}"])
    assert "Use paper." in ran.out
    assert not lines(ran.err, ["propose asked"]), "no finished call is repeated"
    assert shell.call("check", "result/bundle.json").code == 0
    assert "Use paper." not in shell.call("report", source).out


def test_a_fork_that_is_not_run_is_resumed_later(shell: Shell) -> None:
    source = debated(shell)
    ran = shell.call("fork", source, "--at", "2", "--no-run")
    fork = fork_of(ran.err)
    assert (ran.code, ran.out.strip()) == (0, fork)
    assert lines(ran.err, [f"quorate resume {fork}"])
    listed = json.loads(shell.call("list", "--json").out)
    assert next((each["session"], each["entries"], each["phase"]) for each in listed) == (fork, 3, "CRITIQUE")
    assert shell.call("resume", fork).code == 0
    found = shell.call("fork", source, "--at", "2", "--no-run", "--json").json()
    assert (found["phase"], found["verdict"], found["exit_code"]) == ("CRITIQUE", None, 4)


def test_without_an_entry_it_begins_at_the_last(shell: Shell) -> None:
    source = debated(shell)
    ran = shell.call("fork", source, "--json")
    assert ran.code == 0
    assert ran.json()["verdict"] == "SOLUTION"
    assert not lines(ran.err, ["asked"])


def test_settings_and_budget_of_a_fork(shell: Shell) -> None:
    source = debated(shell)
    ran = shell.call("fork", source, "--at", "4", "--set", "rounds=2", "--set", "budget.tokens=10", "--json")
    assert ran.json()["interrupted"] == "budget"
    for words, told in (
        (("rouns=2",), "settings.rouns: unknown setting"),
        (("rounds=0",), "settings.rounds: is 0"),
        (("review.quorum=1/1",), "--set review: has no effect on this fork; expected settings of a debate"),
        (("store=x",), "--set store"),
    ):
        ran = shell.call("fork", source, "--at", "4", *(word for each in words for word in ("--set", each)))
        assert ran.code == 64
        assert told in ran.err


def test_what_cannot_be_forked_is_said_with_what_can(shell: Shell) -> None:
    source = debated(shell)
    ran = shell.call("fork", source, "--at", "99")
    assert ran.code == 64
    assert f"at: session {source} has no entry 99" in ran.err
    assert "expected 0 to 7" in ran.err
    ran = shell.call("fork", source, "--at", "7", "--set", "rounds=2")
    assert ran.code == 64
    assert "entry 7" in ran.err
    assert "fork at entry 6 or earlier" in ran.err
    assert shell.call("fork", "nobody", "--at", "1").code == 64
    assert len(json.loads(shell.call("list", "--json").out)) == 1


# Work


def test_work_drives_what_is_hosted_and_says_so(shell: Shell) -> None:
    source = debated(shell)
    fork = shell.call("fork", source, "--at", "2", "--no-run").out.strip()
    mark(shell, fork)
    ran = shell.run("work", "--idle", "0.2", "--json")
    assert ran.code == 0
    assert ran.json() == [{"session": fork, "says": "has concluded: SOLUTION"}]
    assert ran.err.splitlines() == [f"{fork} is driven", f"{fork} has concluded: SOLUTION"]
    assert shell.call("report", fork).code == 0


def test_ctrl_c_suspends_the_work(shell: Shell) -> None:
    source = debated(shell)
    shell.write(script(every=SLOW))
    fork = shell.call("fork", source, "--at", "2", "--no-run").out.strip()
    mark(shell, fork)
    program = shell.start("work", "--stay")
    assert program.stderr is not None
    assert program.stderr.readline() == f"{fork} is driven\n"
    second = shell.run("work", "--idle", "0.2")
    assert second.code == 0
    assert "nothing to do here: the worker" in second.err
    program.send_signal(signal.SIGINT)
    _, err = program.communicate(timeout=60)
    assert program.returncode == 4
    assert "what was said is kept" in err
    shell.write(script())
    assert shell.run("work", "--idle", "0.2").err.splitlines()[-1] == f"{fork} has concluded: SOLUTION"


def mark(shell: Shell, session: str) -> None:
    """Mark a session as hosted, as a service does."""
    import asyncio

    from quorate.store.sqlite import SqliteJournal

    async def marked(path: Path) -> None:
        journal = SqliteJournal(path)
        await journal.host(session, True)
        await journal.close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", shell.env["XDG_DATA_HOME"])  # or it would be somebody else's mark
        asyncio.run(marked(shell.folder / ".quorate" / "quorate.db"))
