"""The files by which other repositories use this one, the action and the hooks: they parse and name what exists."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import click
import pytest

from quorate.cli.main import cli
from quorate.files.yaml import load

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
        assert each["value"].startswith("${{ steps.review.outputs." + name + " ")
        assert f"{name}=" in named("Review")["run"]
