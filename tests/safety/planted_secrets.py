"""A project of each protocol with secrets planted wherever they come in, and everything that a run of it leaves."""

from __future__ import annotations

import json
import shlex
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quorate.files.yaml import load
from tests.cli.shell import Ran, Shell

EXAMPLES = Path(__file__).parents[2] / "examples"
# Put together here, so that no file of the project holds anything that looks real.
IN_MATERIAL = "ghp_" + "9hQ2xWv7LpTz4RkYc1NbMf8JsDg5aEu3oKiZ"
IN_REPLIES = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
IN_DIFF = "AKIA" + "Q7ZJ4M2XK9WTBV5C"
IN_ENVIRONMENT = "corp.gateway/" + "Vd83-kQpz-71xw"
IN_GUARDED = "plain-words-that-no-format-tells-" + "8841"
IN_KEY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7" + "VJTUt9Us8cKjMz"
IN_ASSIGNMENT, IN_DATA = "hunter2-" + "rosebud42", "hunter2-" + "xanadu17"
"""What no format tells: an assignment names it, or the key of a value."""
SECRETS = (IN_MATERIAL, IN_REPLIES, IN_DIFF, IN_ENVIRONMENT, IN_GUARDED, IN_KEY, IN_ASSIGNMENT, IN_DATA)
PEM = f"-----BEGIN PRIVATE KEY-----\n{IN_KEY}\n-----END PRIVATE KEY-----\n"
ASSIGNED = f"Set DB_PASSWORD={IN_ASSIGNMENT} first; {IN_ASSIGNMENT} opens it."
SPEAKS = f"Use {IN_MATERIAL} for the gateway {IN_ENVIRONMENT}, and this key:\n{PEM}{ASSIGNED}\n"


SHORT = ("summary", "title")
"""Fields of the forms that have no room for more."""


@dataclass(frozen=True)
class Planted(Shell):
    """A project whose environment holds a key."""

    said: list[str] = field(default_factory=list)

    @property
    def env(self) -> dict[str, str]:
        return {**super().env, "OPENAI_API_KEY": IN_ENVIRONMENT, "QUORATE_KEY_GATEWAY_CORP": IN_ENVIRONMENT}

    def call(self, *args: str, env: Mapping[str, str] | None = None) -> Ran:
        ran = super().call(*args, env=env)
        self.said.extend((ran.out, ran.err))
        return ran

    def seat(self, name: str) -> None:
        """Seat a script of the examples that says a secret in every sentence."""
        words = load(EXAMPLES / f"{name}replies.yaml").plain()
        self.write(_spoilt(words), {"panel": "panel.yaml", "debate": {"rounds": 1}})

    def kept(self) -> Iterator[tuple[str, bytes]]:
        """Yield everything that a run has left, by name; what was brought is none of it."""
        database = self.folder / ".quorate" / "quorate.db"
        with sqlite3.connect(database) as store:
            store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for folder in (self.folder / ".quorate", self.folder / "result"):
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    yield path.relative_to(self.folder).as_posix(), path.read_bytes()


def _spoilt(value: Any) -> Any:
    """Put secrets into whatever is a sentence."""
    match value:
        case dict():
            return {name: each if name in SHORT else _spoilt(each) for name, each in value.items()}
        case list():
            return [_spoilt(each) for each in value]
        case str() if value.count(" ") >= 3 and len(value) < 300:
            return f"{value} {IN_REPLIES} {IN_ENVIRONMENT} DB_PASSWORD={IN_ASSIGNMENT}"
        case _:
            return value


def lead_on(shell: Planted, ran: Ran) -> Ran:
    """Do what is printed until the session ends: a person says a secret once, then that it is done."""
    said = [f"Alex, why not {IN_REPLIES}? {ASSIGNED}", "/done"]
    for _ in range(12):
        answers = [line.strip() for line in ran.err.splitlines() if line.startswith("  quorate answer ")]
        resumes = [line.strip() for line in ran.err.splitlines() if line.startswith("  quorate resume ")]
        if not said:  # the menu comes again
            answers.sort(key=lambda line: "choice=continue" not in line)
        command = next(iter(answers or resumes), None)
        if command is None:
            break
        if "…" in command:
            command = command.replace("…", said.pop(0) if said else "Thirty days.")
        ran = shell.call(*shlex.split(command, comments=True)[1:])
    return ran


def debate(shell: Planted) -> Ran:
    shell.seat("")
    (shell.folder / "context").mkdir()
    (shell.folder / "context" / ".env").write_text(f"PHRASE={IN_GUARDED}\n")
    (shell.folder / "context" / "notes.md").write_text(SPEAKS)
    (shell.folder / "problem.md").write_text(f"How should a shop keep its audit log? {SPEAKS}")
    return shell.call("debate", "-f", "problem.md", "--context", "context", "--out", "result", "--seed", "7")


def review(shell: Planted) -> Ran:
    shell.seat("review-")
    diff = (EXAMPLES / "change.diff").read_text()
    new = f"+KEY = '{IN_DIFF}'\n+SPARE = '{IN_MATERIAL}'\n+GATEWAY = '{IN_ENVIRONMENT}'\n"
    diff += (
        "diff --git a/conf.py b/conf.py\nnew file mode 100644\n--- /dev/null\n+++ b/conf.py\n@@ -0,0 +1,3 @@\n" + new
    )
    readme = [ASSIGNED, f'{{"db_password": "{IN_DATA}"}}']
    for name, lines in (
        (".env", [f"PHRASE={IN_GUARDED}"]),
        ("deploy.txt", PEM.splitlines()),
        ("README.md", readme),
    ):
        diff += f"diff --git a/{name} b/{name}\nnew file mode 100644\n--- /dev/null\n+++ b/{name}\n"
        diff += f"@@ -0,0 +1,{len(lines)} @@\n" + "".join(f"+{line}\n" for line in lines)
    (shell.folder / "change.diff").write_text(diff)
    return shell.call("review", "--diff", "change.diff", "--out", "result", "--seed", "7")


def council(shell: Planted) -> Ran:
    shell.seat("council-")
    shutil.copytree(EXAMPLES / "rfc", shell.folder / "rfc")
    home = next((shell.folder / "rfc" / "documents" / "rfcs").iterdir())
    problem = home / "01_problem_and_imports.yaml"
    account = json.dumps({"private_key": PEM, "db_password": IN_DATA})
    note = f"  note: |\n    Use {IN_MATERIAL} for the gateway {IN_ENVIRONMENT}. {ASSIGNED}\n"
    note += "  account: >\n" + "".join(f"    {word}\n" for word in account.split(" "))
    problem.write_text(problem.read_text().rstrip("\n") + f"\n{note}")
    return shell.call("council", str(home.relative_to(shell.folder)), "--depth", "council", "--out", "result")


def workshop(shell: Planted) -> Ran:
    shell.seat("workshop-")
    agenda = (EXAMPLES / "agenda.yaml").read_text()
    (shell.folder / "agenda.yaml").write_text(agenda.replace("description: ", f"description: {ASSIGNED} ", 1))
    (shell.folder / "topic.md").write_text(f"An audit log for a small shop. {SPEAKS}")
    seats = ("--participants", "product-manager,qa-lead,security-champion")
    return lead_on(shell, shell.call("workshop", "agenda.yaml", "-f", "topic.md", *seats, "--out", "result"))


def roundtable(shell: Planted) -> Ran:
    shell.seat("roundtable-")
    specs = shell.folder / "specs"
    specs.mkdir()
    (specs / "requirements.md").write_text(f"# Search\n\nShoppers find again what they looked for.\n\n{SPEAKS}")
    (specs / "meta.json").write_text(
        json.dumps({"source": "manual", "slug": "search", "note": SPEAKS, "db_password": IN_DATA})
    )
    topic = f"How long do we keep searches? {IN_MATERIAL} {ASSIGNED}"
    where = ("--phase", "01-requirements", "--step", "01-03")
    return lead_on(shell, shell.call("roundtable", topic, "--docs", "specs", *where, "--out", "result"))


PROTOCOLS = {each.__name__: each for each in (debate, review, council, workshop, roundtable)}
