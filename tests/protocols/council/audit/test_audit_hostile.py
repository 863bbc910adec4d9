"""`audit` on hostile bundles: wrong kinds everywhere, depth, cycles, enormous numbers; nothing makes it raise."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.protocols.council.audit import MOST_LISTED, audit, examine
from tests.protocols.council.audit.breaks import MADE, finding, good, named, sealed, seeds_example
from tests.support.examples import modest

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(
        [10**30, -1, "SA-1", "BLOCKER", "QUORUM_SUPPORT", "COUNCIL", "\ud800", "12 x", math.nan, math.inf]
    )
)
NAMES = st.sampled_from(
    [
        "verdict",
        "findings",
        "gates",
        "council_metadata",
        "subagents",
        "votes",
        "selected_modes",
        "severity",
        "cycles",
        "location",
        "SA-1",
        "resolutions",
        "finding_id",
        "merged_findings",
        "remediations",
        "session_seed",
        "budget",
        "seal",
        "mode_selection_validation",
        "onboarding_notes",
        "review_depth",
        "cycles_completed",
        "gate_id",
    ]
) | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5), max_leaves=30
)


@modest
@given(VALUES)
def test_nothing_makes_it_raise(data: Any) -> None:
    found = audit(data)
    assert found, "no such thing keeps the rules"
    assert all(isinstance(str(each), str) for each in found)


def spots(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every place in a bundle."""
    below: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        below = list(value.items())
    elif isinstance(value, list):
        below = list(enumerate(value))
    return [path, *(each for key, inner in below for each in spots(inner, (*path, key)))]


@pytest.mark.parametrize("seed", range(60))
def test_a_good_bundle_with_anything_anywhere_is_found_out(seed: int) -> None:
    """Whatever stands in whichever place: it does not raise, and the seal at least tells."""
    rng = random.Random(seed)
    bundle = good(rng.choice(list(MADE)))
    *path, last = rng.choice([path for path in spots(bundle) if path])
    at: Any = bundle
    for part in path:
        at = at[part]
    odd: list[Any] = [
        None,
        True,
        -1,
        1.5,
        math.nan,
        10**5000,
        "",
        "\ud800",
        [],
        {},
        [[]],
        {"a": {}},
        ["SA-1"] * 3,
        {"SA-9": "SUPPORT"},
    ]
    odd = [each for each in odd if type(each) is not type(at[last]) or each != at[last]]
    at[last] = rng.choice(odd)
    assert named(audit(bundle)), (path, last)
    assert isinstance(examine(sealed(bundle)).broken, int)


@pytest.mark.parametrize("number", [2_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_many_findings_are_counted_and_not_all_listed(number: int) -> None:
    broken = {"severity": "HIGH", "signature": "slug", "votes": {"SA-9": "AYE"}}
    findings = [finding(each % 1000, **broken) for each in range(number)]
    found = examine(seeds_example(findings=findings, verdict="FINE"))
    assert MOST_LISTED - 50 <= len(found.deviations) <= MOST_LISTED
    assert found.broken > 4 * number
    assert found.left_out == found.broken + found.missing - len(found.deviations)
    assert ("C31", "verdict") in named(found.deviations), "one mistake made often hides no other"
    assert {"C17", "C27", "C22", "C43"} <= {each.rule for each in found.deviations}


@pytest.mark.slow
def test_many_of_everything_takes_time_in_proportion() -> None:
    """Lists that are held against each other are walked once, not once for each other."""
    many = 20_000
    gates = [{"gate_id": "GATE-TCK-SCHEMA", "status": "FAILED", "findings": ["x"]}] * many
    seats = [{"agent_id": f"SA-{number % 999}", "selected_modes": [1] * 5, "lost": True} for number in range(many)]
    findings = [finding(number, merged_from=["x"], agreement_status="MAJORITY") for number in range(many)]
    merged = [{"finding_id": str(number), "merged_into": str(number + 1)} for number in range(many)]
    cycles = [{"onboarding_notes": {"gate_results": [{"gate_id": "x"}]}}] * many
    meta = {"subagents": seats, "mode_selection_validation": {"subagent_modes": {str(n): [1] for n in range(many)}}}
    bundle = seeds_example(gates=gates, findings=findings, merged_findings=merged, cycles=cycles, council_metadata=meta)
    assert examine(bundle).broken > 4 * many


def test_depth_and_cycles_do_no_harm() -> None:
    deep: Any = []
    for _ in range(50_000):
        deep = [deep]
    round_: list[Any] = []
    round_.append(round_)
    bundle = seeds_example(findings=[deep, round_, {"votes": round_}], seal={"algorithm": "sha256", "digest": "0" * 64})
    assert ("C43", "seal.digest") in named(audit(bundle))


def test_no_place_or_text_is_long_or_spans_lines() -> None:
    name = "a\n" * 500
    bundle = seeds_example(findings=[finding(1, votes={name: name}, severity=name)], verdict=name)
    told = [str(each) for each in audit(bundle)]
    assert told
    assert not [text for text in told if "\n" in text or len(text) > 1_000]
