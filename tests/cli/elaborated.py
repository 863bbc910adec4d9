"""A project to hold roundtables in: a folder of documents with its meta.json, and personas that speak by a script."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pexpect

from tests.cli.shell import PATIENCE, PROGRAM, Ran, Shell, Terminal, as_at_a_terminal

TOPIC = "How long do we keep searches?"
STEP = ("--phase", "01-requirements", "--step", "01-03")
REQUIREMENTS = """\
# Search

Shoppers find again what they looked for.

## Keeping searches

- Searches are kept.

## Errors

- None are shown.
"""
META: dict[str, Any] = {"source": "manual", "slug": "search", "analysis_status": "partial", "owner": {"team": "find"}}


def says(text: str, manner: str = "contribute", challenges: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return what a persona says when it has the word."""
    return {"says": text, "challenges": list(challenges), "asks": [], "manner": manner}


PASS = says("", "pass")
FRAME = {
    "summary": "Nothing says how long searches are kept.",
    "question": "After how long is a search of no use?",
    "addressed": "solutions-architect",
}
SYNTHESIS: dict[str, Any] = {
    "insights": [{"text": "People share tablets.", "by": ["business-analyst", "user"], "document": []}],
    "decisions": [
        {"text": "Thirty days.", "rationale": "It can be promised.", "by": ["business-analyst"], "document": ["D1"]}
    ],
    "open_questions": [
        {"text": "And backups?", "why_open": "Nobody knows.", "resolver": ["solutions-architect"], "document": []}
    ],
    "action_items": [{"text": "Write the error path.", "owner": ["system-designer"], "document": []}],
    "summary": "Searches are kept for thirty days.",
}


def then_pass(*texts: Any) -> list[dict[str, Any]]:
    """Return what is said the first times; after that the persona passes."""
    return [*(text if isinstance(text, dict) else says(text) for text in texts), {"reply": PASS, "repeat": True}]


def words(**changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the script, with the replies of some seats changed: `lead`, `alex`, `jordan`, `classifier`."""
    seats: dict[str, dict[str, Any]] = {
        "business-analyst": {"frame": FRAME, "speak": then_pass("Maya promises."), "synthesise": SYNTHESIS},
        "solutions-architect": {"speak": then_pass("Alex weighs.")},
        "system-designer": {"speak": then_pass("Jordan designs.")},
        "*": {"answer": says("<seat> answers, time <occurrence>.")},
        "classifier": {"classify": {"reason": "r", "addressed": [], "intent": "unclear"}},
    }
    names = {"lead": "business-analyst", "alex": "solutions-architect", "jordan": "system-designer"}
    for name, briefs in changes.items():
        seats.setdefault(names.get(name, name), {}).update(briefs)
    return {"seats": seats}


class Elaborated(Shell):
    """A project with `specs/requirements.md` and `specs/meta.json`."""

    def prepare(self, script: Mapping[str, Any] | None = None, **config: Any) -> Elaborated:
        self.write(script or words(), {"panel": "panel.yaml", **config})
        self.specs.mkdir(exist_ok=True)
        if not self.requirements.exists():
            self.requirements.write_text(REQUIREMENTS)
            self.meta_file.write_text(json.dumps(META, indent=2))
        return self

    @property
    def specs(self) -> Path:
        return self.folder / "specs"

    @property
    def requirements(self) -> Path:
        return self.specs / "requirements.md"

    @property
    def meta_file(self) -> Path:
        return self.specs / "meta.json"

    def meta(self) -> Any:
        return json.loads(self.meta_file.read_text())

    def open(self, *options: str, at: tuple[str, ...] = STEP) -> Ran:
        """Begin a roundtable where nobody sits at a terminal."""
        return self.call("roundtable", TOPIC, "--docs", "specs", *at, *options)

    def talk(self, *options: str, at: tuple[str, ...] = STEP, **screen: Any) -> Terminal:
        """Begin a roundtable at a terminal, and wait for the menu."""
        terminal = self.terminal("roundtable", TOPIC, "--docs", "specs", *at, *options, **screen)
        terminal.until("you>")
        return terminal

    def simple(self, *words: str) -> Terminal:
        """Start the program at a terminal that knows nothing but text."""
        env = {**self.env, "TERM": "dumb"}
        child = pexpect.spawn(
            sys.executable,
            ["-c", PROGRAM, *words],
            cwd=self.folder,
            env=env,
            dimensions=(60, 100),
            timeout=PATIENCE,
            preexec_fn=as_at_a_terminal,
        )
        return Terminal(child, 100, 60)

    def choose(self, choice: str, text: str = "") -> Ran:
        return self.call("answer", "latest", "--set", f"choice={choice}", "--set", f"text={text}", "--resume")

    def say(self, text: str) -> Ran:
        return self.call("answer", "latest", "--set", f"text={text}", "--resume")

    def said(self, brief: str) -> list[dict[str, Any]]:
        """Return what was replied to a brief in the latest session."""
        transcript = self.call("show", "--json").json()["transcript"]
        return [each["reply"] for each in transcript if each.get("brief") == brief]
