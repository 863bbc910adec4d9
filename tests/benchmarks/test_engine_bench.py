"""The benchmark of the engine: a tiny run measures everything, and figures say honestly whether they reach a goal."""

from __future__ import annotations

import hashlib
import importlib
import json
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def run(*words: str) -> str:
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("figures")


def test_a_tiny_run_of_the_cheap_groups_gives_rows_with_a_baseline(tmp_path: Path) -> None:
    file = tmp_path / "engine.json"
    groups = ("debate", "step", "growth", "replay", "resume")
    told = run(str(BENCHMARKS / "engine.py"), "--quick", "--json", str(file), "--only", *groups)
    data = json.loads(file.read_text(encoding="utf-8"))
    assert data["quick"] is True
    rows = {row["name"]: row for row in data["figures"]}
    assert all(row["value"] > 0 for row in rows.values())
    assert all(name in told for name in rows)
    whole = rows["10 agents x 3 rounds, durable"]
    assert whole["times_raw"] == pytest.approx(whole["value"] / whole["raw"])
    assert whole["goal"] == "<= 2 x raw"
    assert whole["met"] is (whole["times_raw"] <= 2)
    assert rows["480-byte replies: decode and take"]["goal"] == ">= 50,000"


@pytest.mark.slow
def test_a_tiny_run_gives_the_whole_table(tmp_path: Path) -> None:
    file = tmp_path / "engine.json"
    told = run(str(BENCHMARKS / "engine.py"), "--quick", "--json", str(file))
    rows = json.loads(file.read_text(encoding="utf-8"))["figures"]
    groups = {row["group"].partition(",")[0] for row in rows}
    assert groups == {
        "One debate",
        "A late round against an early one",
        "Storage",
        "Replay",
        "Resume",
        "Many debates at once in one process",
        "Many built-in debates at once",
        "Start",
        "verify",
    }
    missed = [row["name"] for row in rows if row["met"] is False]
    assert told.count("MISSED: ") == len(missed)


def test_a_figure_is_marked_where_it_misses_its_goal(figures: Any) -> None:
    Figure, Goal = figures.Figure, figures.Goal
    twice = Goal(most=2, times_raw=True)
    rows = [
        Figure("group", "fast", 2.0, "ms", 1.0, twice),
        Figure("group", "slow", 2.1, "ms", 1.0, twice),
        Figure("group", "few", 49_999, "/s", goal=Goal(least=50_000)),
        Figure("group", "absent", None, "s", goal=Goal(most=1), note="not done"),
        Figure("group", "free", 7.0, "s"),
    ]
    assert [row.missed for row in rows] == [False, True, True, True, False]
    told = figures.table(rows).splitlines()
    assert [("MISSED" in line, "met" in line) for line in told[-5:]] == [
        (False, True),
        (True, False),
        (True, False),
        (True, False),
        (False, False),
    ]


def test_late_rounds_are_compared_with_early_ones_after_the_first(figures: Any) -> None:
    assert figures.late_to_early([50.0, *[1.0] * 10, *[3.0] * 5]) == 3.0
    assert figures.late_to_early([2.0, 9.0, 4.0]) == 2.0


def test_every_peer_has_pinned_versions_and_a_script() -> None:
    pinned = sorted(BENCHMARKS.glob("peers/*.txt"))
    names = ["burr", "dbos", "langgraph", "llama-index-workflows", "pydantic-graph"]
    assert [path.stem for path in pinned] == names
    for path in pinned:
        lines = path.read_text(encoding="utf-8").split()
        assert lines
        assert all(line.count("==") == 1 and "/" not in line for line in lines), path
    told = run(str(BENCHMARKS / "peers"), "--help")
    assert all(name in told for name in names)


def test_the_runner_says_which_engine_failed_and_goes_on(tmp_path: Path) -> None:
    """An environment that is there and holds none of the packages: its script cannot be run."""
    place = tmp_path / "burr"
    venv.create(place, with_pip=False)
    digest = hashlib.sha256((BENCHMARKS / "peers" / "burr.txt").read_bytes()).hexdigest()
    (place / "made").write_text(digest, encoding="utf-8")
    file = tmp_path / "peers.json"
    words = [sys.executable, str(BENCHMARKS / "peers"), "--quick", "--only", "raw", "burr"]
    words += ["--folder", str(tmp_path), "--json", str(file)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 1, done.stderr
    engines = json.loads(file.read_text(encoding="utf-8"))["engines"]
    assert "No module named 'burr'" in engines["burr"]["error"]
    assert [len(engines[name]["debates"]) for name in ("raw", "quorate")] == [3, 3]
    assert "No module named 'burr'" in done.stdout
