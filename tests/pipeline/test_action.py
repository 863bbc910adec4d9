"""The files by which other repositories use this one, the action and the hooks: they parse and name what exists."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from quorate.cli.main import cli
from quorate.intake.yaml import load
from tests.support.reviewing import PAY, Project

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = load(ROOT / "action.yml").plain()
HOOKS: list[dict[str, Any]] = load(ROOT / ".pre-commit-hooks.yaml").plain()
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]


def options_of(command: str) -> set[str]:
    found = cli.get_command(click.Context(cli), command)
    assert found is not None
    return {name for option in found.params for name in option.opts if name.startswith("--")}


def named(step: str) -> dict[str, Any]:
    return next(each for each in STEPS if each["name"] == step)


# Hooks


def test_every_hook_names_a_command_and_options_that_exist() -> None:
    assert [hook["id"] for hook in HOOKS] == ["quorate-checks"]
    for hook in HOOKS:
        program, command, *words = shlex.split(hook["entry"])
        assert program == "quorate"
        assert set(words) <= options_of(command)
        assert hook["language"] == "python"
        assert hook["pass_filenames"] is False


# The action


@pytest.mark.parametrize("step", STEPS, ids=lambda step: str(step["name"]))
def test_every_script_is_bash_that_parses_and_holds_no_expression(step: dict[str, Any]) -> None:
    assert step["shell"] == "bash"
    assert "${{" not in step["run"], "what others wrote would become a part of the script"
    checked = subprocess.run(["bash", "-n"], input=step["run"], text=True, capture_output=True)
    assert checked.returncode == 0, checked.stderr


def test_every_variable_of_a_script_is_given_by_its_step_or_the_runner() -> None:
    for step in STEPS:
        used = set(re.findall(r"\$\{?([A-Z][A-Z_]+)", step["run"]))
        own = set(re.findall(r"^\s*([A-Z_]+)=", step["run"], re.MULTILINE)) | {"PIPESTATUS"}
        runner = {"RUNNER_TEMP", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_REPOSITORY"}
        assert used <= own | runner | set(step["env"]), step["name"]


def test_every_option_that_the_action_uses_exists() -> None:
    used = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", named("Review")["run"]))
    assert {"--base", "--comment", "--out", "--checks-only"} <= used
    assert used <= options_of("review")


def test_every_input_is_described_and_used_and_every_output_is_set() -> None:
    text = (ROOT / "action.yml").read_text()
    for name, each in ACTION["inputs"].items():
        assert each["description"]
        assert f"inputs.{name} " in text.replace("}}", " "), f"{name} is used nowhere"
    for name, each in ACTION["outputs"].items():
        assert each["value"] == "${{ steps.review.outputs." + name + " }}"
        assert f"{name}=" in named("Review")["run"]


# The action's scripts, run as a runner would


class Runner:
    """Runs one step with what GitHub would give it, and with a `quorate` and a `gh` of ours."""

    def __init__(self, folder: Path) -> None:
        self.project = Project(folder)
        self.temp, self.work = folder / "temp", self.project.folder
        self.output, self.summary, self.calls = folder / "output", folder / "summary", folder / "calls"
        (self.temp / "quorate" / "bin").mkdir(parents=True)
        for file in (self.output, self.summary, self.calls):
            file.touch()

    def program(self, name: str, text: str, folder: Path | None = None) -> None:
        path = (folder or self.temp / "quorate" / "bin") / name
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    def run(self, step: str, **inputs: str) -> int:
        wanted = named(step)["env"]
        env = {name: "" for name in wanted} | {"SOLO": "false", "CHECKS_ONLY": "false", "ALLOW_EMPTY": "false"}
        env |= {"OUT": "result", "FAIL_ON": "undecided", **inputs}
        runner = {
            "PATH": f"{self.temp}:{os.environ['PATH']}",
            "HOME": str(self.temp),
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_OUTPUT": str(self.output),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_REPOSITORY": "ann/shop",
            "CALLS": str(self.calls),
        }
        ran = subprocess.run(["bash", "-c", named(step)["run"]], cwd=self.work, env={**env, **runner}, timeout=60)
        return ran.returncode

    def outputs(self) -> dict[str, str]:
        return dict(line.split("=", 1) for line in self.output.read_text().splitlines())


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    made = Runner(tmp_path)
    program = "from quorate.cli.main import main; main()"
    made.program("quorate", f'exec {shlex.quote(sys.executable)} -c "{program}" "$@"')
    return made


def test_the_action_reviews_and_tells(runner: Runner) -> None:
    runner.project.change()
    code = runner.run(
        "Review", BASE="main", PANEL=str(runner.project.beside / "panel.yaml"), SETTINGS="rounds=2\n\nredebate=false"
    )
    assert code == 0
    told = runner.outputs()
    assert (told["verdict"], told["exit-code"]) == ("APPROVED", "0")
    assert (runner.work / told["sarif"]).is_file()
    assert (runner.work / told["report"]).read_text().startswith("#")
    assert "## Review: APPROVED" in runner.summary.read_text()


def test_the_action_can_run_the_checks_alone(runner: Runner) -> None:
    runner.project.change(**{"src/pay.py": PAY})
    assert runner.run("Review", BASE="main", CHECKS_ONLY="true") == 0
    told = runner.outputs()
    assert (told["verdict"], told["exit-code"]) == ("CHECKED", "1")
    assert "sarif" not in told
    assert runner.run("Verdict", CODE="1", VERDICT="CHECKED") == 1


def test_what_others_wrote_is_never_a_command(runner: Runner) -> None:
    """A branch or a setting with shell in it reaches the program as one word."""
    runner.program("quorate", 'printf "%s\\n" "$@" > "$CALLS"')
    evil = "$(touch pwned); `touch pwned`"
    runner.run("Review", BASE=evil, SETTINGS=f"x={evil}", MEMBERS=evil)
    said = runner.calls.read_text().splitlines()
    assert said.count(evil) == 2
    assert f"x={evil}" in said
    assert not (runner.work / "pwned").exists()


@pytest.mark.parametrize(
    ("fail_on", "code", "ends"),
    [
        ("undecided", "0", 0),
        ("undecided", "1", 1),
        ("undecided", "2", 2),
        ("undecided", "5", 5),
        ("changes", "1", 1),
        ("changes", "2", 0),
        ("never", "1", 0),
        ("sometimes", "1", 64),
    ],
)
def test_the_verdict_fails_the_step_as_it_was_asked_to(runner: Runner, fail_on: str, code: str, ends: int) -> None:
    assert runner.run("Verdict", CODE=code, VERDICT="X", FAIL_ON=fail_on) == ends


GH = """\
printf "%s " "$@" >> "$CALLS"; echo >> "$CALLS"
case "$*" in
  *"api user"*) exit 1 ;;
  *--paginate*) [ -z "$FOUND" ] || echo "$FOUND" ;;
esac
"""


@pytest.mark.parametrize(("found", "method"), [("", "POST"), ("4711", "PATCH")])
def test_one_comment_is_written_and_then_edited(runner: Runner, found: str, method: str) -> None:
    runner.program("gh", GH.replace("$FOUND", found), runner.temp)
    (runner.work / "result").mkdir()
    (runner.work / "result" / "comment.md").write_text("<!-- quorate-review -->\n\n## Review: APPROVED\n")
    assert runner.run("Comment", NUMBER="7", GH_TOKEN="t") == 0
    last = runner.calls.read_text().splitlines()[-1]
    assert f"--method {method}" in last
    assert ("issues/comments/4711" in last) is bool(found)
    assert "body=@result/comment.md" in last


def test_an_installation_that_fails_says_why(runner: Runner) -> None:
    runner.program("old-python", "exit 1", runner.temp)
    assert runner.run("Install Quorate", PYTHON="old-python", SOURCE=str(ROOT)) == 1
