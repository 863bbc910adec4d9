"""A shell at hand: a project folder with a scripted panel, and the real program run in it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pexpect
import pyte
from click.testing import CliRunner

from quorate.cli.main import cli

PROGRAM = "from quorate.cli.main import main; main()"
PATIENCE = 60.0
"""Seconds that a busy machine may take for anything."""
A_FEW_PICTURES = 4_096
"""Bytes that are read of a terminal at once: whoever reads late still sees what stood there for a second."""
SCRIPT: dict[str, Any] = {
    "seats": {
        "*": {
            "clarify": [
                {"reply": {"reason": "r", "questions": [{"text": "How many orders a minute?"}]}},
                {"reply": {"reason": "all clear", "questions": []}},
            ],
            "propose": {"reasoning": "It is simple.", "text": "Use one queue."},
            "criticise": {
                "critiques": {
                    "*": {"strengths": "short", "weaknesses": "vague", "suggestion": "more", "weight": "minor"}
                }
            },
            "refine": {
                "responses": {"*": {"reason": "right", "stance": "accepted"}},
                "text": "Use one queue and a log.",
            },
        },
        "security": {
            "clarify": [
                {"reply": {"reason": "r", "questions": [{"text": "Who may read the log?"}]}},
                {"reply": {"reason": "all clear", "questions": []}},
            ],
        },
        "judge": {
            "synthesize": {
                "solution": "Use one queue and an append-only log.",
                "tradeoffs": ["latency"],
                "recommendations": ["measure first"],
                "unfulfilled_major_requirements": [],
                "open_questions": [],
                "confidence": 82,
            }
        },
    }
}
CONFIG = {"panel": "panel.yaml", "debate": {"agents": ["architect", "security"], "rounds": 1}}


def script(delay: float = 0, **changes: Any) -> dict[str, Any]:
    """Return the script with some replies changed: `judge={"synthesize": {...}}`, `every={"propose": {...}}`."""
    seats = {name: dict(briefs) for name, briefs in SCRIPT["seats"].items()}
    for name, briefs in changes.items():
        seats.setdefault("*" if name == "every" else name, {}).update(briefs)
    return {"delay": delay, "seats": seats}


@dataclass(frozen=True)
class Ran:
    """What a program left: its exit code, and what it wrote where."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class Shell:
    """A project in a folder of its own. YAML is a superset of JSON, so the files are written as JSON."""

    folder: Path
    python: str = field(default=sys.executable, kw_only=True)
    """The interpreter of the environment that the program runs in; `call` is of this one whatever stands here."""

    def write(self, words: Mapping[str, Any], config: Mapping[str, Any] = CONFIG) -> Shell:
        (self.folder / "quorate.yaml").write_text(json.dumps(config))
        (self.folder / "panel.yaml").write_text(json.dumps({"script": "script.yaml"}))
        (self.folder / "script.yaml").write_text(json.dumps(words))
        return self

    @property
    def env(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("QUORATE")}
        home = str(self.folder)
        return {
            **kept,
            "HOME": home,
            "XDG_CONFIG_HOME": home,
            "XDG_DATA_HOME": home,
            "QUORATE_EXAMINE_LOCAL": "false",
            "COLUMNS": "100",
        }

    def start(self, *args: str, ignoring: signal.Signals | None = None, **options: Any) -> subprocess.Popen[str]:
        """Start the program with signals as a terminal would leave them, one of them ignored if so wanted."""
        return subprocess.Popen(
            [self.python, "-c", PROGRAM, *args],
            cwd=self.folder,
            env={**self.env, **options.pop("env", {})},
            stdin=options.pop("stdin", subprocess.DEVNULL),
            stdout=options.pop("stdout", subprocess.PIPE),
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=partial(as_at_a_terminal, ignoring),
            **options,
        )

    def run(self, *args: str, stdin: str | None = None, **options: Any) -> Ran:
        program = self.start(*args, stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE, **options)
        out, err = program.communicate(stdin, timeout=PATIENCE)
        return Ran(program.returncode, out, err)

    def call(self, *args: str, env: Mapping[str, str] | None = None) -> Ran:
        """Call the program in this process: quicker, and the same but for signals and streams."""
        gone = {name: None for name in os.environ if name.startswith("QUORATE")}
        with contextlib.chdir(self.folder):
            found = CliRunner().invoke(cli, args, env={**gone, **self.env, **(env or {})})
        return Ran(found.exit_code, found.stdout, found.stderr)

    def terminal(self, *args: str, columns: int = 100, rows: int = 30, stdout: str | None = None) -> Terminal:
        """Start the program at a terminal; with `stdout` that stream goes into a file."""
        words = [self.python, "-c", PROGRAM, *args]
        env = {name: value for name, value in self.env.items() if name not in ("COLUMNS", "LINES")} | {"TERM": "xterm"}
        if stdout is not None:
            words = ["/bin/sh", "-c", f'exec "$@" > {stdout}', "sh", *words]
        child = pexpect.spawn(
            words[0],
            words[1:],
            cwd=self.folder,
            env=env,
            dimensions=(rows, columns),
            timeout=PATIENCE,
            preexec_fn=as_at_a_terminal,
        )
        return Terminal(child, columns, rows)


class Terminal:
    """A program at a terminal, and the screen as a person sees it."""

    def __init__(self, child: Any, columns: int, rows: int) -> None:
        self.child = child
        self._screen = pyte.HistoryScreen(columns, rows, history=2_000)
        self._stream = pyte.ByteStream(self._screen)
        self.raw = b""

    def _feed(self, wait: float = 0.1) -> bool:
        try:
            data = self.child.read_nonblocking(A_FEW_PICTURES, timeout=wait)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            data = self._left()
        self.raw += data
        self._stream.feed(data)
        return bool(data)

    def _left(self) -> bytes:
        """What was printed and not read yet when the program was found to have ended."""
        try:
            ready, _, _ = select.select([self.child.child_fd], [], [], 0.1)
            return os.read(self.child.child_fd, A_FEW_PICTURES) if ready else b""
        except OSError:  # that was all of it
            return b""

    @property
    def screen(self) -> str:
        """What stands on the screen now."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    @property
    def everything(self) -> str:
        """What stands on the screen and what has scrolled out of it."""
        width = self._screen.columns
        gone = ["".join(line[x].data for x in range(width)).rstrip() for line in self._screen.history.top]
        return "\n".join([*gone, self.screen])

    def until(self, text: str, seconds: float = PATIENCE) -> str:
        """Wait until a text stands on the screen."""
        ends = time.monotonic() + seconds
        while text not in self.screen:
            alive = self._feed()
            late = time.monotonic() > ends
            assert text in self.screen or (alive and not late), f"no {text!r} in:\n{self.everything}"
        return self.screen

    def type(self, text: str) -> None:
        self.child.send(text)

    def answer(self, text: str, seconds: float = PATIENCE) -> None:
        """Type a line once the program waits for one: what is typed before it asks does not count."""
        ends = time.monotonic() + seconds
        while not self.screen.endswith((">", "…")):
            assert self._feed(), f"it has ended:\n{self.everything}"
            assert time.monotonic() < ends, f"nothing is asked:\n{self.everything}"
        self.type(f"{text}\r")

    def end(self, seconds: float = PATIENCE) -> int:
        """Wait for the end and return the exit code."""
        ends = time.monotonic() + seconds
        while self._feed():
            assert time.monotonic() < ends, f"still running:\n{self.everything}"
        self.child.close()
        assert self.child.exitstatus is not None, f"killed by signal {self.child.signalstatus}:\n{self.everything}"
        return int(self.child.exitstatus)


def as_at_a_terminal(ignoring: signal.Signals | None = None) -> None:
    """Give a new process signals as a terminal would: tests that run in the background have some of them ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN if number is ignoring else signal.SIG_DFL)


def session_of(ran: Ran | str) -> str:
    """Return the session that a run says it has opened."""
    text = ran if isinstance(ran, str) else ran.err
    return next(line.split()[1] for line in text.splitlines() if line.startswith("session "))


def lines(text: str, words: Sequence[str]) -> list[str]:
    """Return the lines that hold all these words."""
    return [line for line in text.splitlines() if all(word in line for word in words)]
