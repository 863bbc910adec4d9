"""The benchmark of triage: it tells where the faulty functions stand, and asks nothing twice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from quorate.lab.bench.corpus import sample
from tests.support.candidates import candidate_server, measuring
from tests.support.provider import Server

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "triage.py"
FIRST = sample(2, seed=1)[0].twins
server = pytest.fixture(candidate_server)


def run(folder: Path, server: Server) -> str:
    words = [f"openai-compatible:tiny@{server.url}", "--pairs", "1", "--out", "out"]
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), *words], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_model_that_knows_the_fault_ranks_it_first_and_is_not_asked_again(tmp_path: Path, server: Server) -> None:
    faulty = FIRST.faulty.splitlines()[FIRST.line - 1].strip()
    told = run(tmp_path, server.will(measuring(lambda asked: 0.2 if faulty in asked else 0.8)))
    assert "all: faulty first in 1 of 1 (100 %, 3 to 100), 0 ties" in told
    assert "no flags: quorate exam" in told
    asked = len(server.bodies)
    assert asked % 8 == 0
    assert run(tmp_path, server) == told
    assert len(server.bodies) == asked
