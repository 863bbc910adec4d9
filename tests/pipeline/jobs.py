"""A job that uses the action on a pull request, with programs of ours where the machine has Python and gh."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from quorate.evidence.comment import MARKER
from tests.support import gh
from tests.support.actions import Ran, Runner
from tests.support.reviewing import Project

ROOT = Path(__file__).parents[2]
BOT = "github-actions[bot]"
needs_jq = pytest.mark.skipif(
    shutil.which("jq") is None, reason="there is no jq, which the stand-in of gh filters with"
)

PYTHON = """\
case "$*" in
  "-I -c "*) exit "${OLD:-0}" ;;
  "-I -m venv "*) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" && cp "$TOOLS/quorate" "$4/bin/quorate" ;;
  "-I -m pip install "*) [ -z "${NO_INDEX:-}" ] || { echo "ERROR: No matching distribution found" >&2; exit 1; } ;;
  *) echo "unexpected: $*" >&2; exit 99 ;;
esac
"""


class Job:
    """A job on pull request 7 of a project."""

    def __init__(self, folder: Path) -> None:
        self.project = Project(folder)
        self.tools, self.pull = folder / "tools", folder / "pull.json"
        self.tools.mkdir()
        self.program("python", PYTHON)
        self.program("gh", f'exec {shlex.quote(sys.executable)} {shlex.quote(gh.__file__)} "$@"')
        self.quorate(f'exec {shlex.quote(sys.executable)} -c "from quorate.cli.main import main; main()" "$@"')
        self.hosts()
        env = {
            "PATH": f"{self.tools}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "src"),
            "QUORATE_OFFLINE": "1",
            "GITHUB_REPOSITORY": "ann/shop",
            "TOOLS": str(self.tools),
            "PULL": str(self.pull),
        }
        event = {"pull_request": {"number": 7, "base": {"sha": "main"}}}
        github = {"event": event, "token": "ghs_of_the_workflow", "action_path": str(ROOT)}
        self.runner = Runner(ROOT / "action.yml", self.project.folder, folder / "temp", env, github)

    def program(self, name: str, text: str) -> None:
        path = self.tools / name
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    def quorate(self, text: str) -> None:
        """Install a program in place of quorate; asked for its version, it answers."""
        self.program("quorate", f'[ "$1" != --version ] || exit 0\n{text}')

    def says(self, verdict: str, code: int) -> None:
        """Let quorate end with a verdict at once."""
        body = shlex.quote(f"{MARKER}\n\n## Review: {verdict}")
        self.quorate(f"echo {body}; exit {code}")

    def hosts(self, viewer: str = BOT, may_write: bool = True, broken: tuple[str, ...] = (), **comments: str) -> None:
        """Set up the pull request: who writes, what is allowed, and comments by author (`bot` is the workflow's)."""
        written = [
            {"id": at, "user": {"login": BOT if who == "bot" else who}, "body": body}
            for at, (who, body) in enumerate(comments.items(), 1)
        ]
        pull = {"viewer": viewer, "may_write": may_write, "broken": broken, "comments": written}
        self.pull.write_text(json.dumps(pull))

    def comments(self) -> list[tuple[str, str]]:
        """Who wrote a comment and what its first line says, but for the marker; from the first to the last."""
        found: list[dict[str, Any]] = json.loads(self.pull.read_text())["comments"]
        told = (each["body"].removeprefix(MARKER).strip().splitlines() for each in found)
        firsts = (next(line for line in lines if line and not line.startswith("<!--")) for lines in told)
        return [(each["user"]["login"], first) for each, first in zip(found, firsts, strict=True)]

    def run(self, **inputs: str) -> Ran:
        """Run the action with inputs; `_` stands for `-`."""
        return self.runner.run(python="python", **inputs)

    def review(self, **inputs: str) -> Ran:
        """Run the real program with the panel of the project."""
        return self.run(panel=str(self.project.beside / "panel.yaml"), **inputs)
