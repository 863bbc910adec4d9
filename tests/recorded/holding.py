"""Holds the sessions of the scenes with the real commands, in a folder of a fixed name and at fixed times."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from tests.recorded import transcript
from tests.recorded.pinned import FOLDER, Pins, environment
from tests.recorded.program import Ran, run
from tests.recorded.scene import WAITS, Change, Scene, Step

PROTOCOLS = ("council", "debate", "review", "roundtable", "workshop")
NOT_LEFT = (".git", ".quorate", "src/", "rfc/")
"""What a project has besides the files that commands leave for people."""


def scenes(protocol: str) -> tuple[Scene, ...]:
    """Return the scenes of a protocol."""
    found: tuple[Scene, ...] = import_module(f"tests.recorded.scenes.{protocol}").SCENES
    return found


@dataclass(frozen=True)
class Held:
    """A scene that was held: where, which session counts, and what was said and left meanwhile."""

    scene: Scene
    folder: Path
    session: str
    story: str

    @property
    def store(self) -> Path:
        return self.folder / ".quorate" / "quorate.db"

    def run(self, line: str) -> Ran:
        return run(line, self.folder, environment(self.folder.parent / "home"))


def hold(pins: Pins, protocol: str, scene: Scene, hour: int, most: int = transcript.LONG) -> Held:
    """Hold one scene from an empty folder on; it has to end as it says."""
    pins.begin(f"{protocol} {scene.name}", hour)
    folder = FOLDER / protocol / scene.name / "project"
    shutil.rmtree(folder.parent, ignore_errors=True)
    for each in (folder / ".quorate", folder.parent / "home"):
        each.mkdir(parents=True)
    made, told = Held(scene, folder, "", ""), ""
    given: set[Path] = set()
    for step in scene.steps:
        pins.tick()
        if isinstance(step, str) and not step.startswith("git "):
            told += transcript.told(f"quorate {step}", made.run(f"quorate {step}"), most)
        else:
            given |= _put(step, folder)
    listed = json.loads(made.run("quorate list --json").out)
    assert listed, f"{protocol} {scene.name} has no session:\n{told}"
    latest = listed[0]
    stands = latest["verdict"] or (WAITS if latest["waiting"] else latest["phase"])
    assert stands == scene.ends, f"{protocol} {scene.name} ends as {stands} and not as {scene.ends}:\n{told}"
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
    kept = [name for name in names if not name.startswith(NOT_LEFT) and folder / name not in given]
    return Held(scene, folder, latest["session"], told + transcript.left(folder, kept, most))


def _put(step: Step, folder: Path) -> set[Path]:
    """Write or change files, or do something with git; return the files that were written."""
    if isinstance(step, str):
        found = subprocess.run(
            shlex.split(step), cwd=folder, env=environment(folder.parent / "home"), capture_output=True, text=True
        )
        assert found.returncode == 0, f"{step}: {found.stderr}"
        return set()
    if isinstance(step, Change):
        text = (folder / step.file).read_text(encoding="utf-8")
        assert step.old in text, f"{step.file} has no {step.old!r}"
        step = {step.file: text.replace(step.old, step.new)}
    for name, text in step.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return {folder / name for name in step if not name.startswith(("docs", "specs", "result"))}
