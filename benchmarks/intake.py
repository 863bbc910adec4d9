"""How long a large change takes to read and to check, and how much memory, against `git diff` of the same change.

    python benchmarks/intake.py [FILES LINES]

A repository with so many files is built in a temporary folder, and a branch that changes all of them, with that many
lines altogether: two in three come, one goes. Each step runs in a process of its own, so that its peak of memory is
its own; the baseline is `git diff` of the same commits, with renames, printed into a file.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

KINDS = ("py", "ts", "go", "md", "yaml", "json")
TEXT = "order item price shop total queue await retry index user cache token fetch state value label count"
WORDS = TEXT.split(" ")
RUNS = 3
"""The fastest of so many counts; the checks, which take longest, run once."""
STEPS = {
    "git diff": "git diff alone",
    "intake": "intake: the change, its texts and its trees",
    "shown": "intake, and what a committee is shown",
    "checks": "intake and all checks",
}
IDENTITY = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b"}


@dataclass(frozen=True, slots=True)
class Measure:
    seconds: float
    memory: int
    """Bytes at the peak."""
    note: str


def git(folder: Path, *arguments: str) -> None:
    command = ["git", "-C", str(folder), "-c", "init.defaultBranch=main", "-c", "core.hooksPath=/dev/null", *arguments]
    environment = {**os.environ, **IDENTITY}
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)  # noqa: S603 - our own words


def build(folder: Path, files: int, lines: int) -> None:
    """Build a repository with a branch that changes `files` files in `lines` lines."""
    chance = random.Random(7)  # noqa: S311 - words, not secrets
    added, removed = lines * 2 // 3 // files, lines // 3 // files
    texts = {name: list(_lines(chance, name, 3 * removed + 20)) for name in _names(files)}
    git(folder, "init", "--quiet")
    for name, text in texts.items():
        _write(folder / name, text)
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "-m", "base")
    git(folder, "checkout", "--quiet", "-b", "feature")
    for name, text in texts.items():
        kept = [line for number, line in enumerate(text) if number % 3 or number // 3 >= removed]
        for line in _lines(chance, name, added):
            kept.insert(chance.randrange(len(kept)), line)
        _write(folder / name, kept)
    git(folder, "add", "-A")
    git(folder, "commit", "--quiet", "-m", "change")


def _names(files: int) -> Iterator[str]:
    for number in range(files):
        kind = KINDS[number % len(KINDS)]
        yield f"part{number % 23}/module{number % 7}/file{number}.{kind}"


def _lines(chance: random.Random, name: str, count: int) -> Iterator[str]:
    """Yield lines that read as what the file is."""
    for _ in range(count):
        one, other, more = chance.choices(WORDS, k=3)
        number = chance.randrange(10_000)
        match name.rpartition(".")[2]:
            case "py":
                yield f"{one}_{number} = {other}({more!r}, {number})"
            case "ts" | "go":
                yield f"const {one}{number} = {other}({number}); // {more}"
            case "yaml" | "json":
                yield f'"{one}_{number}": "{other} {more}",'
            case _:
                yield f"The {one} of {other} {number} is {more}."


def _write(file: Path, lines: list[str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n")


def step(name: str, folder: Path) -> str:
    """Do one step in this process and say what came of it."""
    if name == "git diff":
        with tempfile.TemporaryFile() as out:
            command = ["git", "-C", str(folder), "diff", "--no-color", "-M", "main", "feature"]
            subprocess.run(command, check=True, stdout=out)  # noqa: S603 - our own words
            return f"{out.tell():,} bytes"
    from quorate.protocols.review.world.change.file_order import left_out, shown
    from quorate.protocols.review.world.change.read import read_change
    from quorate.protocols.review.world.change.source import Branch
    from quorate.protocols.review.world.change.trees import close

    change = read_change(Branch(), folder)
    said = f"{len(change.files)} files, {sum(len(file.added) + len(file.removed) for file in change.files):,} lines"
    if name == "shown":
        patches = shown(change)
        size = sum(len(file.patch) for file in patches)
        said = f"{len(patches)} files of {size:,} characters shown, {len(left_out(change))} left out"
    if name == "checks":
        from quorate.protocols.review.world.checks.run import run_checks

        examined = run_checks(change)
        said += f"; {len(examined.results)} checks, {len(examined.findings):,} findings"
    close(change)
    return said


def measure(name: str, folder: Path) -> Measure:
    """Run a step in processes of its own; the fastest counts."""
    best: Measure | None = None
    for _ in range(1 if name == "checks" else RUNS):
        command = [sys.executable, __file__, "--step", name, str(folder)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE)  # noqa: S603 - our own words
        said = json.loads(done.stdout)
        found = Measure(said["seconds"], said["memory"], said["note"])
        best = found if best is None or found.seconds < best.seconds else best
    assert best is not None
    return best


def report(name: str, folder: Path) -> None:
    """Print what a step took, its children included."""
    start = time.perf_counter()
    note = step(name, folder)
    seconds = time.perf_counter() - start
    unit = 1 if sys.platform == "darwin" else 1_024
    # The memory of the largest child comes on top of our own: both are there at the same time.
    memory = sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    sys.stdout.write(json.dumps({"seconds": seconds, "memory": memory * unit, "note": note}))


def main(files: int, lines: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        build(folder, files, lines)
        baseline: Measure | None = None
        for name, title in STEPS.items():
            found = measure(name, folder)
            baseline = baseline or found
            sys.stdout.write(
                f"{title}: {found.seconds:.2f} s ({found.seconds / baseline.seconds:.1f} times git diff), "
                f"{found.memory / 1_000_000:.0f} MB at the peak ({found.memory / baseline.memory:.1f} times); "
                f"{found.note}\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--step"]:
        report(sys.argv[2], Path(sys.argv[3]))
    else:
        main(*([int(argument) for argument in sys.argv[1:3]] or [500, 50_000]))
