"""A project under review: a real git repository, a scripted panel, and the replies to put into it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SECRET = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
SLUG = 'def slug(text: str) -> str:\n    """Return a slug."""\n    return text.lower()\n'
MENDED = SLUG.replace("text.lower()", '"-".join(text.lower().split())')
TEST = 'from src.slug import slug\n\n\ndef test_slug() -> None:\n    assert slug("A b") == "a-b"\n'
PAY = f'"""Payments."""\n\nKEY = "{SECRET}"\n'


def ballot(stance: str = "synthesis", **changes: Any) -> dict[str, Any]:
    """A ballot that agrees, but for what is changed."""
    agreed = {
        "opinion": "I looked at every line of it.",
        "items": [],
        "veto_evidence": "",
        "veto_class": "none",
        "confidence": 90,
        "stance": stance,
    }
    return {**agreed, **changes}


def item(severity: str = "high", **changes: Any) -> dict[str, Any]:
    """A fix item about the first file."""
    found = {
        "path": "F1",
        "rule": "correctness",
        "evidence": "text.lower().split()",
        "consequence": "Two texts get the same slug, and one page hides the other.",
        "action": "Refuse a slug that is taken.",
        "severity": severity,
    }
    return {**found, **changes}


def replies(**seats: Mapping[str, Any]) -> dict[str, Any]:
    """A script in which everybody agrees, but for the seats that are given; `_` in a name stands for `-`."""
    chair = {
        "table": {"summary": "Slugs get hyphens.", "questions": []},
        "mediate": {"positions": "For and against.", "questions": "What would convince you?"},
        "agree": {"agreement": "It does what it should.", "next_steps": []},
    }
    skeptic = {"doubt": {"doubts": {"*": {"reason": "I tried.", "quotation": "", "standing": "plausible"}}}}
    read = {"summary": "It brings what its names say.", "items": []}
    everybody = {
        "ballot": ballot(),
        "read": read,
        "judge": {"claims": {"*": {"observed": "the line", "judgement": "pass"}}},
    }
    script: dict[str, Any] = {"chair": chair, "skeptic": skeptic, "*": everybody}
    for name, briefs in seats.items():
        seat = name.replace("_", "-")
        script[seat] = {**script.get(seat, {}), **briefs}
    return {"seats": script}


class Project:
    """A repository on the branch `feature` with nothing on it yet, and a panel beside the repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.beside = folder / "panel"
        self.folder.mkdir()
        self.beside.mkdir()
        self.git("init", "-q", "-b", "main", ".")
        self.write({"src/slug.py": SLUG, "README.md": "# Slugs\n"})
        self.commit("base")
        self.git("checkout", "-q", "-b", "feature")
        self.panel(replies())

    def git(self, *words: str) -> str:
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
        ran = subprocess.run(["git", *identity, *words], cwd=self.folder, check=True, capture_output=True, text=True)
        return ran.stdout.strip()

    def write(self, files: Mapping[str, str | None]) -> None:
        """Write files; None removes one."""
        for name, text in files.items():
            path = self.folder / name
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)

    def commit(self, message: str = "change") -> str:
        """Commit everything but what reviews have left."""
        self.git("add", "-A", "--", ".", ":!.quorate")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")

    def change(self, **files: str) -> str:
        """Commit the clean change, with more files where they are given by path."""
        self.write({"src/slug.py": MENDED, "src/test_slug.py": TEST, **files})
        return self.commit()

    def panel(self, script: Mapping[str, Any], **panel: Any) -> Path:
        """Write the replies and a panel that uses them, beside the repository so that it stays clean."""
        (self.beside / "replies.yaml").write_text(json.dumps(script))
        path = self.beside / "panel.yaml"
        path.write_text(json.dumps({"script": "replies.yaml", **panel}))
        return path
