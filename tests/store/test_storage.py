"""Storage grows with what was said: at most 1.3 times its bytes (design rule: never with its square)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "storage.py"


@pytest.fixture(scope="module")
def storage() -> ModuleType:
    spec = importlib.util.spec_from_file_location("benchmark_storage", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("spread", [0.0, 0.4])
async def test_a_debate_of_50_rounds_takes_at_most_1_3_times_its_prose(
    storage: ModuleType, spread: float, tmp_path: Path
) -> None:
    run = storage.run_debate(50, spread)
    assert len(run.entries) > 300
    assert 1_900 < run.prose / len(run.entries) < 2_200, "replies of 2 KB"
    size = await storage.keep(run, tmp_path / "quorate.db")
    assert size <= 1.3 * run.prose
    assert run.prose < size, "the prose is in there, and it is plain"


async def test_what_is_added_costs_the_same_however_long_it_has_gone_on(storage: ModuleType, tmp_path: Path) -> None:
    runs = [storage.run_debate(rounds, 0.4) for rounds in (10, 20, 40)]
    sizes = [await storage.keep(run, tmp_path / f"{number}.db") for number, run in enumerate(runs)]
    for shorter, longer in ((0, 1), (1, 2)):
        assert sizes[longer] - sizes[shorter] <= 1.3 * (runs[longer].prose - runs[shorter].prose)
