"""A project with scripted panels, and a real `quorate serve` for it that can be stopped and started again."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from quorate import catalog
from quorate.files.yaml import load

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAM = (sys.executable, "-c", "from quorate.cli.main import main; main()")
PATIENCE = 60
"""Seconds after which something that should have happened is a failure, on the slowest machine."""
FOREVER = 600
"""Seconds that a reply of a script takes at most: longer than any test."""


@dataclass
class Stand:
    """A server for a folder, in a process of its own."""

    folder: Path
    port: int = 0
    environment: Mapping[str, str] = field(default_factory=dict)
    _process: subprocess.Popen[str] | None = None

    @property
    def env(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("QUORATE")}
        home = str(self.folder)
        own = {"HOME": home, "XDG_CONFIG_HOME": home, "XDG_DATA_HOME": home, "QUORATE_OFFLINE": "1"}
        own |= {"QUORATE_EXAMINE_LOCAL": "false", "PYTHONUNBUFFERED": "1"}
        return {**kept, **own, **self.environment}

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Serve; the port is the one it had before, and a free one the first time."""
        # What it says goes to a file: a pipe that nobody reads would hold it up.
        log = self.folder / "serve.log"
        command = [*PROGRAM, "serve", "--port", str(self.port)]
        with log.open("w", encoding="utf-8") as said:
            self._process = subprocess.Popen(
                command, cwd=self.folder, env=self.env, stdout=subprocess.PIPE, stderr=said, text=True
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()  # it says where it serves once it does
        found = re.search(r"http://[^:]+:(\d+)", line)
        if found is None:
            raise RuntimeError(f"the server did not start: {line}{log.read_text(encoding='utf-8')}")
        self.port = int(found[1])

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(number)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        finally:
            if process.stdout is not None:
                process.stdout.close()

    def get(self, path: str) -> Any:
        with urlopen(f"{self.address}/api{path}", timeout=PATIENCE) as answer:
            return json.load(answer)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        request = Request(f"{self.address}/api{path}", json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            with urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)
        except HTTPError as refused:
            raise AssertionError(refused.read().decode()) from None

    def open(self, protocol: str, inputs: Mapping[str, Any], panel: str, **more: Any) -> str:
        body = {"protocol": protocol, "inputs": inputs, "panel": panel, "seed": 7, **more}
        return str(self.post("/sessions", body)["session"])

    def events(self, session: str) -> list[dict[str, Any]]:
        """Return every event so far."""
        told: list[dict[str, Any]] = []
        while True:
            page = self.get(f"/sessions/{session}/entries?after={len(told) - 1}")
            told += page["events"]
            if not page["more"]:
                return told

    def until(self, session: str, wanted: Callable[[dict[str, Any]], bool]) -> None:
        """Follow a session until an event is like that."""
        with urlopen(f"{self.address}/api/sessions/{session}/events", timeout=PATIENCE) as stream:
            for line in stream:
                if line.startswith(b"data:"):
                    told = json.loads(line[5:])
                    if "seq" in told and wanted(told):
                        return
        raise AssertionError("the stream ended before")

    def settled(self, session: str) -> None:
        """Wait until a session has concluded or waits for a person."""
        self.until(session, lambda told: bool(told["conclusion"] or told["after"]["waiting"]))

    def program(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Run the program in the folder."""
        return subprocess.run(
            [*PROGRAM, *args], cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=PATIENCE
        )


@contextmanager
def standing(folder: Path, **environment: str) -> Iterator[Stand]:
    """Serve a project until the end of the block."""
    stand = Stand(folder, environment=environment)
    stand.start()
    try:
        yield stand
    finally:
        stand.stop()


def project(folder: Path) -> Path:
    """Make a project of the examples: their panels, an agenda, and documents for a roundtable."""
    shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
    (folder / "quorate.yaml").write_text("", encoding="utf-8")
    for name, text in catalog.definition("roundtable").sample.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def replies(name: str = "replies.yaml") -> dict[str, Any]:
    """Return what the seats of an example say, to be changed."""
    return dict(load((EXAMPLES / name).read_text(encoding="utf-8"), name).plain())


def seat_script(folder: Path, name: str, script: Mapping[str, Any]) -> str:
    """Write a script and a panel that seats it everywhere, and return the panel's name."""
    # JSON in ASCII is YAML whatever the texts hold.
    (folder / f"{name}-replies.yaml").write_text(json.dumps(script), encoding="utf-8")
    (folder / f"{name}-panel.yaml").write_text(json.dumps({"script": f"{name}-replies.yaml"}), encoding="utf-8")
    return f"{name}-panel.yaml"
