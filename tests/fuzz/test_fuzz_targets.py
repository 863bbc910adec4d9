"""Every fuzz target under Hypothesis: bytes of any kind, the same ones every time, and what was once found for ever."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzzing.targets import TARGETS
from tests.support.examples import few, modest

KEPT = Path(__file__).parents[2] / "fuzzing" / "kept"
"""Inputs that a target once failed on, each under the name of its target."""
BYTES = st.binary(max_size=60) | st.binary(min_size=100, max_size=900)


@pytest.mark.parametrize("name", [name for name in TARGETS if name not in ("session", "response")])
@few
@given(data=BYTES)
def test_hostile_bytes_meet_our_own_errors_only(name: str, data: bytes) -> None:
    TARGETS[name](data)


@few
@given(data=st.binary(min_size=200, max_size=4_000))
def test_hostile_ballots_never_count_twice_nor_change_the_rules(data: bytes) -> None:
    TARGETS["session"](data)


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
@settings(modest, max_examples=1_000, suppress_health_check=[HealthCheck.too_slow])
@given(data=BYTES | st.binary(min_size=1_000, max_size=4_000))
def test_many_more_of_them(name: str, data: bytes) -> None:
    TARGETS[name](data)


@pytest.mark.parametrize("path", sorted(KEPT.glob("*")), ids=lambda path: path.name)
def test_what_was_once_found_stays_mended(path: Path) -> None:
    TARGETS[path.name.partition("-")[0]](path.read_bytes())
