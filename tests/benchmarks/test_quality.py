"""The benchmark of quality writes its page from runs, and goes on with what it has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "quality.py"


def test_the_page_holds_every_model_and_a_second_run_asks_nobody_again(tmp_path: Path) -> None:
    page = tmp_path / "docs" / "results.md"
    words = ["simulated:1", "simulated:0", "--items", "2", "--methods", "plain", "--out", "out", "--page", str(page)]
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, str(BENCHMARK), *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    text = page.read_text(encoding="utf-8")
    assert "python benchmarks/quality.py simulated:1 simulated:0 --items 2" in text
    assert next(line for line in text.splitlines() if line.startswith("## ")).startswith("## simulated:1, 20")
    assert "| plain | 1 | 100.0 % (2.5 to 100.0) |" in text
    assert "| plain | 1 | 0.0 % (0.0 to 97.5) |" in text
    for folder in ("simulated-1", "simulated-0"):
        cells = (tmp_path / "out" / folder / "cells.jsonl").read_text(encoding="utf-8").splitlines()
        assert sum('"done"' in line for line in cells) == 2
