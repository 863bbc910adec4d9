"""The draw of the lenses: two anchors and three drawn modes for each seat, checked and drawn again if need be (C3).

The seed's algorithm seeds a generator with `{session_seed}-{agent_id}` and samples three of the modes that are not the
seat's own anchors. Here every draw uses its own generator, which gives the same numbers without global state.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from quorate.core.types import Seat
from quorate.protocols.council.version_1.rules.forms import Lens
from quorate.protocols.council.version_1.rules.modes import MODES, Mode

SA_1, SA_2, SA_3 = Seat("SA-1"), Seat("SA-2"), Seat("SA-3")
ANCHORS: Mapping[Seat, tuple[int, int]] = {SA_1: (70, 44), SA_2: (40, 51), SA_3: (79, 36)}
LEAST_CATEGORIES = 3
MOST_OVERLAP = 3
MOST_DRAWS = 32
REDRAWN_FOR_OVERLAP = (SA_3, SA_2, SA_1)


@dataclass(frozen=True, slots=True)
class Selection:
    """The drawn modes, the number of draws, and which of the two constraints had to be relaxed."""

    modes: Mapping[Seat, tuple[int, ...]]
    attempts: Mapping[Seat, int]
    """Which draw of each seat it is; 0 is the seed's own."""
    relaxed: tuple[str, ...] = ()

    @property
    def categories(self) -> dict[Seat, tuple[str, ...]]:
        return {seat: categories_of(modes) for seat, modes in self.modes.items()}

    @property
    def overlap(self) -> int:
        return overlap(self.modes)

    @property
    def passed(self) -> bool:
        return not self.relaxed


def draw_modes(session_seed: int | str) -> dict[str, tuple[int, ...]]:
    """Return the five modes of each seat for a session's seed, in ascending order."""
    return {str(seat): modes for seat, modes in select_modes(session_seed).modes.items()}


def select_modes(session_seed: int | str, least: int = LEAST_CATEGORIES, most: int = MOST_OVERLAP) -> Selection:
    """Draw for all seats, redrawing on too few categories or too much overlap; record what had to be relaxed."""
    attempts, turn = dict.fromkeys(ANCHORS, 0), 0
    for relaxed in ((), ("overlap",)):
        for _ in range(MOST_DRAWS):
            modes = _drawn(session_seed, attempts)
            poor = [seat for seat, own in modes.items() if len(categories_of(own)) < least]
            if not poor and (relaxed or overlap(modes) <= most):
                return Selection(modes, attempts, relaxed)
            if not poor:
                poor = [REDRAWN_FOR_OVERLAP[turn % len(REDRAWN_FOR_OVERLAP)]]
                turn += 1
            for seat in poor:
                attempts[seat] += 1
    return Selection(_drawn(session_seed, attempts), attempts, ("overlap", "categories"))


def _drawn(session_seed: int | str, attempts: Mapping[Seat, int]) -> dict[Seat, tuple[int, ...]]:
    return {seat: draw(session_seed, seat, anchors, attempts[seat]) for seat, anchors in ANCHORS.items()}


def draw(session_seed: int | str, seat: str, anchors: tuple[int, int], attempt: int = 0) -> tuple[int, ...]:
    """Return two anchors and three modes drawn from the others; attempt 0 is the seed's own algorithm."""
    label = f"{session_seed}-{seat}" if attempt == 0 else f"{session_seed}-{seat}-{attempt}"
    others = [mode for mode in MODES if mode not in anchors]
    return tuple(sorted((*anchors, *random.Random(label).sample(others, 3))))  # noqa: S311 - a draw, not a secret


def categories_of(modes: tuple[int, ...]) -> tuple[str, ...]:
    """Return the different categories of these modes, in the order of the modes."""
    return tuple(dict.fromkeys(MODES[mode].category for mode in modes))


def overlap(modes: Mapping[Seat, tuple[int, ...]]) -> int:
    """Return how many modes the seats share, summed over all pairs of seats (the strictest reading of the limit)."""
    return sum(len(set(one) & set(other)) for one, other in combinations(modes.values(), 2))


def lenses(seat: Seat, modes: tuple[int, ...]) -> dict[Lens, Mode]:
    """Return the modes of a seat by lens, its anchors first."""
    anchors = ANCHORS[seat]
    ordered = (*anchors, *(mode for mode in modes if mode not in anchors))
    return {lens: MODES[mode] for lens, mode in zip(Lens, ordered, strict=True)}
