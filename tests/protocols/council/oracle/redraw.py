"""A redraw of the lenses from RULES.md, without the protocol's own functions."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import combinations, cycle
from typing import Any

from quorate.protocols.council.rules.model import Phase
from quorate.protocols.council.rules.modes import MODES
from tests.protocols.council.oracle.recount import Recount
from tests.protocols.council.oracle.sheet import M

ANCHORS = {"SA-1": (70, 44), "SA-2": (40, 51), "SA-3": (79, 36)}
DRAWS = 32
Modes = Mapping[str, list[int]]


def drawn(recount: Recount, moment: M) -> bool:
    """Each seat has five modes, drawn by the seed's algorithm, validated, and recorded with the validation (C3, C4)."""
    if moment.phase is not Phase.INIT:
        return True
    rows = {str(values["seat"]): values for values in _told(moment, "modes")}
    modes = {seat: [int(mode) for mode in str(row["modes"]).split(", ")] for seat, row in rows.items()}
    if list(modes) != list(ANCHORS) or not all(_is_five(seat, own) for seat, own in modes.items()):
        return False
    if any(str(row["categories"]) != ", ".join(_categories(modes[seat])) for seat, row in rows.items()):
        return False
    given_up = {"overlap": _shared(modes) > 3, "categories": bool(_poor(modes))}
    relaxed = ", ".join(name for name, gone in given_up.items() if gone)
    checked = [{"total_overlap": _shared(modes), "passed": not relaxed, "relaxed": relaxed}]
    if list(_told(moment, "mode_selection")) != checked:
        return False
    seed = str(recount.settings.session_seed)  # without it the session's seed is taken, which no promise knows
    found = {seat: (int(row["attempt"]), modes[seat]) for seat, row in rows.items()}
    return not seed or found == _redrawn(seed)


def _told(moment: M, name: str) -> Iterator[dict[str, Any]]:
    return (dict(fact.values) for fact in moment.facts if fact.name == name)


def _is_five(seat: str, modes: list[int]) -> bool:
    return len(modes) == 5 and modes == sorted(set(modes)) and set(ANCHORS[seat]) < set(modes) <= set(range(1, 82))


def _redrawn(seed: str) -> dict[str, tuple[int, list[int]]]:
    """Draw until every seat has three categories and three modes at most are shared (C4)."""
    tries, turns = dict.fromkeys(ANCHORS, 0), cycle(("SA-3", "SA-2", "SA-1"))
    modes: Modes = {}
    for number in range(2 * DRAWS + 1):
        modes = {seat: _draw(seed, seat, tries[seat]) for seat in ANCHORS}
        poor = _poor(modes)
        if number == 2 * DRAWS or (not poor and (number >= DRAWS or _shared(modes) <= 3)):
            break
        for seat in poor or [next(turns)]:
            tries[seat] += 1
    return {seat: (tries[seat], modes[seat]) for seat in ANCHORS}


def _draw(seed: str, seat: str, number: int) -> list[int]:
    """Return the anchors of a seat and three other modes, by the seed's algorithm (C3)."""
    label = f"{seed}-{seat}-{number}" if number else f"{seed}-{seat}"
    others = [mode for mode in range(1, 82) if mode not in ANCHORS[seat]]
    return sorted([*ANCHORS[seat], *random.Random(label).sample(others, 3)])


def _categories(modes: list[int]) -> list[str]:
    return list(dict.fromkeys(MODES[mode].category for mode in modes))


def _poor(modes: Modes) -> list[str]:
    return [seat for seat, own in modes.items() if len(_categories(own)) < 3]


def _shared(modes: Modes) -> int:
    return sum(len(set(one) & set(other)) for one, other in combinations(modes.values(), 2))
