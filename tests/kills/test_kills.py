"""Processes are killed with -9 at random moments: nothing is lost, no finished call is made again, every session ends.

`python -m tests.kills 200` does it two hundred times; this is a part of it for every run of the slow suite.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from random import Random

import pytest

from tests.kills.killing import folder_of, kill_again_and_again, table
from tests.kills.processes import KINDS, Kind

pytestmark = pytest.mark.slow

KILLS = 6
"""Of each kind."""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_nothing_is_lost_and_nothing_paid_twice(kind: type[Kind], tmp_path: Path) -> None:
    seed = secrets.randbelow(2**32)
    tally = kill_again_and_again(kind(folder_of(tmp_path, kind)), KILLS, Random(seed))
    told = f"seed {seed}\n{table([tally])}"
    assert tally.problems == [], told
    assert tally.kills == KILLS, told
    assert tally.kills > tally.early, f"no process was killed at its work: {told}"
    assert set(tally.verdicts) == {"SOLUTION"}, told
