"""`quorate debate` from end to end: exit codes, stdout and stderr, files, JSON."""

from __future__ import annotations

import json
import signal
from typing import Any

import pytest

from tests.cli.shell import CONFIG, Shell, lines, script, session_of

PROBLEM = "Where should a shop keep its audit log?"


def synthesis(**changes: Any) -> dict[str, Any]:
    return {"synthesize": {**script()["seats"]["judge"]["synthesize"], **changes}}


def test_the_solution_goes_to_stdout_and_everything_else_to_stderr(shell: Shell) -> None:
    ran = shell.run("debate", PROBLEM)
    assert ran.code == 0
    assert "Use one queue and an append-only log." in ran.out
    assert ran.out.splitlines()[-1] == "Verdict: SOLUTION (confidence 82)"
    assert "PROPOSAL" not in ran.out
    assert lines(ran.err, ["PROPOSAL/1", "architect", "propose", "asked script:script.yaml"])
    assert lines(ran.err, ["SYNTHESIS/1", "judge", "synthesize", "replied", "confidence 82"])
    assert lines(ran.err, ["quorate report", session_of(ran)])


def test_nothing_is_written_besides_the_store(shell: Shell) -> None:
    before = {path.name for path in shell.folder.iterdir()}
    shell.call("debate", PROBLEM)
    assert {path.name for path in shell.folder.iterdir()} - before == {".quorate"}


def test_out_leaves_reports_and_a_bundle_that_holds(shell: Shell) -> None:
    ran = shell.call("debate", PROBLEM, "--out", "result")
    assert {path.name for path in (shell.folder / "result").iterdir()} == {"report.md", "report.html", "bundle.json"}
    assert "wrote result/report.md" in ran.err
    assert shell.call("check", "result/bundle.json").code == 0
    bundle = (shell.folder / "result/bundle.json").read_text()
    (shell.folder / "damaged.json").write_text(bundle.replace("append-only", "append-never"))
    damaged = shell.call("check", "damaged.json", "--json")
    assert (damaged.code, damaged.json()["holds"]) == (1, False)


def test_json_is_one_object_with_everything_a_program_needs(shell: Shell) -> None:
    ran = shell.call("debate", PROBLEM, "--json", "--out", "result")
    found = ran.json()
    assert (ran.code, found["exit_code"], found["verdict"]) == (0, 0, "SOLUTION")
    assert found["session"] == session_of(ran)
    assert (found["degradation"], found["phase"], found["waiting"]) == ("none", "CONCLUDED", [])
    assert found["result"]["confidence"] == 82
    assert found["cost_usd"] == 0
    assert found["files"]["bundle.json"] == "result/bundle.json"


def test_the_problem_comes_from_a_file_or_stdin(shell: Shell) -> None:
    (shell.folder / "problem.md").write_text(f"# {PROBLEM}\n\nIt must be cheap.\n")
    assert shell.call("debate", "-f", "problem.md", "--json").json()["title"] == PROBLEM
    assert shell.run("debate", "-f", "-", "--json", stdin=PROBLEM).json()["title"] == PROBLEM


# Exit codes


def test_an_unfulfilled_requirement_is_exit_code_1(shell: Shell) -> None:
    shell.write(script(judge=synthesis(unfulfilled_major_requirements=["cheap"], confidence=90)))
    ran = shell.call("debate", PROBLEM)
    assert (ran.code, ran.out.splitlines()[-1]) == (1, "Verdict: PARTIAL_SOLUTION (confidence 40)")  # D19, D20


def test_a_missing_judge_is_degraded_below_the_settings_or_inconclusive(shell: Shell) -> None:
    shell.write(script(judge={"synthesize": {"absent": "refused"}}))
    ran = shell.call("debate", PROBLEM)
    assert ran.code == 5  # D25, D27
    assert "Verdict: UNJUDGED" in ran.out.splitlines()[-1]
    assert "degraded below settings" in ran.out.splitlines()[-1]
    allowed = shell.call("debate", PROBLEM, "--set", "judge_required=false", "--json")
    assert (allowed.code, allowed.json()["degradation"]) == (2, "within settings")


def test_too_few_agents_fail_with_exit_code_3(shell: Shell) -> None:
    shell.write(script(security={"propose": {"absent": "failed"}}))
    ran = shell.call("debate", PROBLEM)
    assert ran.code == 3  # D23
    assert "Verdict: FAILED" in ran.out
    assert "security failed" in ran.out.splitlines()[-1]
    assert "Use one queue." in ran.out  # everything that was said stays


def test_an_exhausted_budget_aborts_with_the_reason_and_the_partial_result(shell: Shell) -> None:
    tokens = {"tokens": {"in": 100, "out": 100}}
    turns = {name: {**tokens, "reply": script()["seats"]["*"][name]} for name in ("propose", "criticise", "refine")}
    shell.write(script(every=turns), {**CONFIG, "budget": {"tokens": 20_000}})
    ran = shell.call("debate", PROBLEM, "--set", "rounds=100")
    assert ran.code == 3  # D26
    last = ran.out.splitlines()[-1]
    assert "Verdict: ABORTED" in last
    assert "budget" in last
    assert "Use one queue and a log." in ran.out


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("debate",), "either as a text or with -f"),
        (("debate", "text", "-f", "file"), "either as a text or with -f"),
        (("debate", "  "), "The problem is empty"),
        (("debate", "text", "--nonsense"), "--nonsense"),
        (("debate", "text", "--seed", "x"), "--seed"),
        (("debate", "text", "--context", "nowhere"), "nowhere"),
        (("debate", "text", "--set", "round=2"), "did you mean 'rounds'"),
        (("debate", "text", "--set", "rounds=0"), "from 1 to 100"),
        (("debate", "text", "--set", "rounds"), "has no value"),
        (("debate", "text", "--set", "agents=[architect]"), "two to eight"),
        (("debate", "text", "--store", "postgers:x"), "store"),
        (("debate", "text", "--out", "quorate.yaml"), "not a folder that can be written to"),
        (("debat", "text"), "Did you mean 'debate'"),
        (("show", "nosuch"), "no session 'nosuch'"),
        (("verify", "debat"), "did you mean 'debate'"),
        (("schema", "panle"), "did you mean 'panel'"),
        (("graph", "debate", "--format", "png"), "png"),
        ((), "Usage: quorate"),
    ],
)
def test_wrong_usage_and_settings_are_exit_code_64_and_start_nothing(
    shell: Shell, args: tuple[str, ...], says: str
) -> None:
    ran = shell.call(*args)
    assert (ran.code, ran.out) == (64, "")
    assert says in ran.err
    assert shell.call("list", "--json").json() == []


def test_a_bad_input_file_is_exit_code_65_with_its_place(shell: Shell) -> None:
    (shell.folder / "empty.md").write_text(" \n")
    (shell.folder / "latin.md").write_bytes(b"line\ncaf\xe9")
    for name, says in {
        "nofile.md": "No such file",
        ".": "directory",
        "empty.md": "is empty",
        "latin.md": "latin.md:2",
    }.items():
        ran = shell.call("debate", "-f", name)
        assert (ran.code, says in ran.err) == (65, True), ran.err
    (shell.folder / "script.yaml").write_text('seats:\n  "*":\n    propose: [one, {absent: sulking}]\n')
    ran = shell.call("debate", PROBLEM)
    assert ran.code == 65
    assert "script.yaml:3" in ran.err
    assert shell.call("list", "--json").json() == []


def test_a_damaged_store_is_exit_code_70(shell: Shell) -> None:
    (shell.folder / "broken.db").write_bytes(b"this is no database " * 100)
    ran = shell.call("list", "--store", "sqlite:broken.db")
    assert ran.code == 70
    assert "Traceback" not in ran.err
    assert "Traceback" in shell.run("list", "--store", "sqlite:broken.db", env={"QUORATE_DEBUG": "1"}).err


def test_what_models_say_cannot_steer_the_terminal(shell: Shell) -> None:
    hostile = "\x1b]0;owned\x07\x1b[2JUse \u202eone\u202c queue.\r[bold red]overwritten[/]"
    shell.write(script(judge=synthesis(solution=hostile), every={"propose": {"reasoning": hostile, "text": hostile}}))
    for command in (("debate", f"{PROBLEM} \x1b[31m"), ("show",), ("report",), ("list",), ("explain",)):
        ran = shell.call(*command)
        assert ran.code == 0, ran.err
        assert not set(ran.out + ran.err) & set("\x1b\x07\r\u202e\u202c"), command
    found = shell.call("show", "--json")
    assert "\x1b" not in found.out
    assert found.json()["result"]["solution"] == hostile
    assert json.loads(shell.call("report", "--format", "json").out)["session"] == found.json()["session"]


def test_a_terminal_without_unicode_is_no_obstacle(shell: Shell) -> None:
    env = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    assert shell.run("debate", "Wohin mit den Einträgen?", env=env).code == 0
    ran = shell.run("show", "--json", env=env)
    assert (ran.code, ran.json()["title"]) == (0, "Wohin mit den Einträgen?")
    assert "Eintr?gen" in shell.run("show", env=env).out


@pytest.mark.model
def test_a_tiny_model_says_that_it_is_one(shell: Shell) -> None:
    (shell.folder / "quorate.yaml").unlink()
    program = shell.start("debate", PROBLEM, "--model", "local:smollm2")
    assert program.stderr is not None
    assert program.stderr.readline().startswith("no project here: ")
    assert program.stderr.readline().startswith("session ")
    assert "tiny model" in program.stderr.readline()
    program.send_signal(signal.SIGINT)
    program.communicate(timeout=60)
    assert program.returncode == 4
