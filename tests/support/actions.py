"""A runner of composite actions, as far as ours needs one: GitHub's shell, files, expressions and conditions."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quorate.files.yaml import load

SHELLS = {"bash": ("bash", "--noprofile", "--norc", "-eo", "pipefail")}
"""What `shell: bash` means to GitHub: the script is a file, and it ends at the first command that fails."""
_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_TOKEN = re.compile(r"\s*('(?:[^']|'')*'|&&|\|\||==|!=|!|\(|\)|[A-Za-z_][\w-]*(?:\.[\w-]+)*)")
_STATUS = re.compile(r"\b(?:success|failure|always|cancelled)\(\)")
_COMMAND = re.compile(r"^\s*::([^\s:]+)(?: [^:]*)?::(.*)$")


class Expression:
    """One expression of a workflow: names, strings, comparisons, `!`, `&&`, `||` and the functions of the status."""

    def __init__(self, text: str, names: Mapping[str, Any], status: Mapping[str, bool]) -> None:
        self.names, self.status = names, status
        self.tokens = _TOKEN.findall(text)
        assert "".join(self.tokens) == re.sub(r"\s(?=(?:[^']*'[^']*')*[^']*$)", "", text), f"cannot read {text!r}"

    def value(self) -> Any:
        found = self._either()
        assert not self.tokens, f"left over: {self.tokens}"
        return found

    def _took(self, token: str) -> bool:
        if self.tokens[:1] == [token]:
            self.tokens.pop(0)
            return True
        return False

    def _either(self) -> Any:
        found = self._both()
        while self._took("||"):
            other = self._both()
            found = found or other
        return found

    def _both(self) -> Any:
        found = self._equal()
        while self._took("&&"):
            other = self._equal()
            found = found and other
        return found

    def _equal(self) -> Any:
        found = self._one()
        if self._took("=="):
            return _same(found, self._one())
        if self._took("!="):
            return not _same(found, self._one())
        return found

    def _one(self) -> Any:
        if self._took("!"):
            return not self._one()
        if self._took("("):
            found = self._either()
            assert self._took(")")
            return found
        token = self.tokens.pop(0)
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        if self._took("("):
            assert self._took(")")
            return self.status[token]
        found = self.names
        for name in token.split("."):
            found = found.get(name) if isinstance(found, Mapping) else None
        return found


def _same(one: Any, other: Any) -> bool:
    return _text(one).lower() == _text(other).lower()


def _text(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class Ran:
    """What a job saw of an action that ended."""

    outcomes: dict[str, str]
    """success, failure or skipped, by the name of the step."""
    outputs: dict[str, str]
    summary: str
    log: str
    code: int
    """The exit code of the first step that failed; 0 where none did."""

    def commands(self) -> list[tuple[str, str]]:
        """The commands that the runner finds in the log, such as (`warning`, text)."""
        found: list[tuple[str, str]] = []
        stopped = ""
        for line in self.log.splitlines():
            if (matched := _COMMAND.match(line)) is None:
                continue
            if stopped:
                stopped = "" if matched[1] == stopped else stopped
            elif matched[1] == "stop-commands":
                stopped = matched[2]
            else:
                found.append((matched[1], matched[2]))
        assert not stopped, "commands were stopped and never let through again"
        return found


@dataclass
class Runner:
    """Runs the steps of an action in a workspace, one after the other, as a job on GitHub does."""

    action: Path
    workspace: Path
    temp: Path
    env: dict[str, str] = field(default_factory=dict)
    """What the job and the machine give to every step."""
    github: dict[str, Any] = field(default_factory=dict)
    runs: int = 0

    def run(self, **inputs: str) -> Ran:
        """Run the action with inputs (`_` stands for `-`), and end as the job would see it."""
        described = load(self.action).plain()
        names: dict[str, Any] = {"github": self.github, "inputs": {}, "steps": {}}
        status = {"success": True, "failure": False, "always": True, "cancelled": False}
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        assert set(given) <= set(described["inputs"])
        for name, each in described["inputs"].items():
            names["inputs"][name] = given.get(name, self._filled(each.get("default", ""), names, status))
        env, outcomes, log, summary, code = dict(self.env), {}, "", "", 0
        for step in described["runs"]["steps"]:
            if not self._wanted(step, names, status):
                outcomes[step["name"]] = "skipped"
                continue
            own = {name: self._filled(value, names, status) for name, value in step.get("env", {}).items()}
            ended, said, files = self._step(step, {**env, **own})
            outcomes[step["name"]] = "failure" if ended else "success"
            names["steps"][step.get("id", "")] = {"outputs": _pairs(files["GITHUB_OUTPUT"])}
            env |= _pairs(files["GITHUB_ENV"])
            summary += files["GITHUB_STEP_SUMMARY"]
            log += said
            if ended and not step.get("continue-on-error"):
                code = code or ended
                status |= {"success": False, "failure": True}
        outputs = {name: self._filled(each["value"], names, status) for name, each in described["outputs"].items()}
        return Ran(outcomes, outputs, summary, log, code)

    def _wanted(self, step: dict[str, Any], names: dict[str, Any], status: dict[str, bool]) -> bool:
        condition = step.get("if", "success()").strip().removeprefix("${{").removesuffix("}}").strip()
        wanted = bool(Expression(condition, names, status).value())
        return wanted and (status["success"] or _STATUS.search(condition) is not None)

    def _filled(self, text: str, names: dict[str, Any], status: dict[str, bool]) -> str:
        return _EXPRESSION.sub(lambda found: _text(Expression(found[1].strip(), names, status).value()), str(text))

    def _step(self, step: dict[str, Any], env: dict[str, str]) -> tuple[int, str, dict[str, str]]:
        """Run one script; returns its exit code, what it printed, and the files it was given to write to."""
        self.runs += 1
        folder = self.temp / "_runner_file_commands" / str(self.runs)
        folder.mkdir(parents=True)
        files = {name: folder / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.touch()
        script = folder / "script.sh"
        script.write_text(step["run"])
        given = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.temp),
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_ACTIONS": "true",
            "CI": "true",
            **env,
            **{name: str(file) for name, file in files.items()},
        }
        ran = subprocess.run(
            [*SHELLS[step["shell"]], str(script)],
            cwd=self.workspace,
            env=given,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )
        return ran.returncode, ran.stdout, {name: file.read_text() for name, file in files.items()}


def _pairs(text: str) -> dict[str, str]:
    """Read NAME=VALUE lines as the runner reads its files."""
    assert all("=" in line for line in text.splitlines()), f"the runner would refuse {text!r}"
    return dict(line.split("=", 1) for line in text.splitlines())
