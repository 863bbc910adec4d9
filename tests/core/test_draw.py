"""Drawing by a seed is the same everywhere and for ever."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from quorate.core.draw import shuffled
from tests.support.examples import modest

NAMES = ("architect", "performance", "security", "simplicity")
names = st.lists(st.text(max_size=5), max_size=8)


@modest
@given(names, st.integers(), st.text(max_size=4))
def test_nobody_is_lost_or_doubled(items: list[str], seed: int, label: str) -> None:
    assert Counter(shuffled(items, seed, label)) == Counter(items)


@modest
@given(names, st.integers(), st.randoms(use_true_random=False))
def test_the_order_they_come_in_is_forgotten(items: list[str], seed: int, rng: object) -> None:
    mixed = list(items)
    rng.shuffle(mixed)  # type: ignore[attr-defined]
    assert shuffled(mixed, seed) == shuffled(items, seed)


@modest
@given(st.sets(st.text(max_size=5), min_size=1, max_size=8), st.integers(), st.data())
def test_whoever_leaves_does_not_change_the_order_of_the_others(
    items: set[str], seed: int, data: st.DataObject
) -> None:
    gone = data.draw(st.sampled_from(sorted(items)))
    assert shuffled(items - {gone}, seed) == tuple(item for item in shuffled(items, seed) if item != gone)


def test_these_orders_are_promised() -> None:
    """A change here would show every running session other labels than it began with."""
    assert shuffled(NAMES, 2) == ("security", "performance", "architect", "simplicity")
    assert shuffled(NAMES, 1, "proposal", 2) == ("performance", "architect", "simplicity", "security")


def test_seeds_and_labels_give_different_orders() -> None:
    by_seed = {shuffled(NAMES, seed) for seed in range(200)}
    by_label = {shuffled(NAMES, 1, "proposal", round_) for round_ in range(200)}
    assert len(by_seed) == len(by_label) == 24


def test_every_place_is_equally_likely() -> None:
    first = Counter(shuffled(NAMES, seed)[0] for seed in range(4_000))
    assert all(900 < count < 1_100 for count in first.values())
