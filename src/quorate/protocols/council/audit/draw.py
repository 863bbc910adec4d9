"""Checks of the lenses: five modes for each seat, its anchors, the draw from the recorded seed, names, categories."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from quorate.core.types import Seat
from quorate.kit.untrusted_value import Spot, shown
from quorate.protocols.council.audit.deviation import Deviation, broken, missing
from quorate.protocols.council.audit.names import Named, fits, mode_at, mode_named, modes_at
from quorate.protocols.council.audit.read import Bundle, BundleFinding
from quorate.protocols.council.rules.lenses import (
    ANCHORS,
    LEAST_CATEGORIES,
    MOST_OVERLAP,
    Selection,
    categories_of,
    select_modes,
)
from quorate.protocols.council.rules.modes import CATEGORIES, MODES, older_category

MODES_OF_A_SEAT = 5
EXAMPLES = frozenset(
    {
        frozenset((6, 23, 47, 62, 79)),
        frozenset((11, 39, 51, 70, 76)),
        frozenset((8, 35, 49, 65, 72)),
        frozenset((1, 6, 7, 43, 75)),
        frozenset((47, 48, 51, 56, 70)),
        frozenset((14, 15, 32, 33, 79)),
    }
)
"""Sets that the protocol's text shows as examples; none holds its seat's anchors (a10)."""
_WORD = re.compile(r"[a-z]+")


def selected(agent: Spot) -> tuple[Named, ...]:
    """Return the modes of a seat, from whichever field holds them."""
    if agent["selected_modes"].given:
        return modes_at(agent["selected_modes"])
    return (*modes_at(agent["anchor_modes"]), *modes_at(agent["random_modes"]))


def known(agent: Spot) -> tuple[int, ...]:
    return tuple(each.id for each in selected(agent) if each.id in MODES and each.id is not None)


def check_modes(bundle: Bundle) -> Iterator[Deviation]:
    """Every seat has five different modes of 1 to 81, its two anchors among them (C3)."""
    for agent, spot in bundle.agents.items():
        at, modes = spot.first("selected_modes", "random_modes"), selected(spot)
        if not at.given:
            continue
        for each in modes:
            if each.id is not None and each.id not in MODES:
                yield broken(each.at, "C3", f"there is no mode {each.id}", "a mode of 1 to 81")
            elif each.id is None:
                yield broken(each.at, "C3", f"{each.at} does not give the number of a mode", "a mode of 1 to 81")
        ids = [each.id for each in modes if each.id is not None]
        if len(modes) != MODES_OF_A_SEAT:
            yield broken(at, "C3", f"{agent} has {len(modes)} modes", "five: two anchors and three drawn")
        if len(set(ids)) < len(ids):
            yield broken(at, "C3", f"{agent} has a mode twice: {shown(ids)}", "five different modes")
        yield from _anchored(agent, at, spot, set(ids))


def _anchored(agent: str, at: Spot, spot: Spot, ids: set[int]) -> Iterator[Deviation]:
    anchors = ANCHORS.get(Seat(agent))
    if anchors is None:
        return
    gone = [mode for mode in anchors if mode not in ids]
    if gone and ids:
        example = "; it is an example of the protocol's text, and was not drawn" if ids in EXAMPLES else ""
        lacking = " and ".join(f"{mode} ({MODES[mode].name})" for mode in gone)
        yield broken(at, "C3", f"{agent} has {shown(sorted(ids))} without {lacking}{example}", "both anchors")
    stated = {each.id for each in modes_at(spot["anchor_modes"])}
    if spot["anchor_modes"].given and stated != set(anchors):
        yield broken(
            spot["anchor_modes"], "C3", f"{spot['anchor_modes']} are not the anchors of {agent}", shown(anchors)
        )
    drawn = {each.id for each in modes_at(spot["random_modes"])}
    if spot["random_modes"].given and spot["selected_modes"].given and drawn != ids - set(anchors):
        right = shown(sorted(ids - set(anchors)))
        yield broken(spot["random_modes"], "C3", f"{spot['random_modes']} are not the drawn modes of {agent}", right)
    for each in modes_at(spot["unbound_modes"]):
        if each.id not in ids - set(anchors):
            yield broken(each.at, "C6", f"{each.at} is not a drawn mode of {agent}", "one of its three drawn modes")


def check_names(bundle: Bundle) -> Iterator[Deviation]:
    """A name given beside a mode number is the name of that mode (C3)."""
    for spot in bundle.agents.values():
        fields = ("selected_modes", "anchor_modes", "random_modes", "mode_names", "modes")
        for each in (named for field in fields for named in modes_at(spot[field])):
            yield from _named(each.at, each.id, each.name)
    for at in (*(found.at for found in bundle.findings), *bundle.merged):
        mode = mode_at(at["source_mode"])
        yield from _named(at["source_mode"], mode.id, mode.name)
        yield from _named(at["source_mode_name"], mode.id, at["source_mode_name"].text)


def _named(at: Spot, mode: int | None, name: str | None) -> Iterator[Deviation]:
    if mode in MODES and mode is not None and name is not None and not fits(name, mode):
        yield broken(at, "C3", f"mode {mode} is not {shown(name)}", MODES[mode].name)


def check_sources(bundle: Bundle) -> Iterator[Deviation]:
    """The mode behind a finding is one of the five modes of the seat that raised it (C6)."""
    for at in (*(found.at for found in bundle.findings), *bundle.merged):
        found, source = BundleFinding(at), at["source_mode"]
        if not source.given:
            continue
        if found.by_gate:
            yield broken(source, "C9", "a gate has no mode", "null")
            continue
        agent = bundle.agents.get(found.source or "")
        own = known(agent) if agent is not None else ()
        mode = mode_at(source)
        number = mode.id if mode.id is not None else mode_named(mode.name or "", own)
        if own and number not in own:
            yield broken(source, "C6", f"{source} is not a mode of {found.source}", f"one of {shown(own)}")


def check_categories(bundle: Bundle) -> Iterator[Deviation]:
    """Every seat's modes span at least three categories, and the stated categories match them (C4)."""
    record, relaxed = bundle.meta["mode_selection_validation"], _relaxed(bundle)
    for agent, spot in bundle.agents.items():
        modes = known(spot)
        if len(modes) != MODES_OF_A_SEAT:
            continue
        own = categories_of(modes)
        if len(own) < LEAST_CATEGORIES and "categories" not in relaxed:
            says = f"the modes of {agent} are of {len(own)} categories ({', '.join(own)})"
            yield broken(spot["selected_modes"], "C4", says, f"at least {LEAST_CATEGORIES} of {len(CATEGORIES)}")
        for at in (spot["categories"], record["category_coverage"][agent]):
            if at.is_list and _label(at.texts) not in (_label(own), _label(map(older_category, modes))):
                yield broken(at, "C4", f"{at} are not the categories of {shown(modes)}", ", ".join(own))


def _label(categories: Iterator[str] | tuple[str, ...] | map[str]) -> frozenset[str]:
    """Return the first word of each category, so that `Meta-Level` and `meta` are equal."""
    return frozenset("".join(_WORD.findall(each[:60].lower())[:1]) for each in categories)


def _relaxed(bundle: Bundle) -> str:
    """Return which constraint the validation record says was relaxed in the draw."""
    at = bundle.meta["mode_selection_validation"]["relaxed"]
    return " ".join(at.texts) if at.is_list else at.text or ""


def check_overlap(bundle: Bundle) -> Iterator[Deviation]:
    """At most three modes are shared, summed over pairs of seats, and the record states that count (C4)."""
    modes = {agent: set(known(spot)) for agent, spot in bundle.agents.items() if known(spot)}
    shared = sum(len(one & other) for one, other in combinations(modes.values(), 2))
    record = bundle.meta["mode_selection_validation"]
    if shared > MOST_OVERLAP and "overlap" not in _relaxed(bundle):
        yield broken(bundle.meta["subagents"], "C4", f"the seats share {shared} modes", f"at most {MOST_OVERLAP}")
    stated = _drawn_for(bundle, record)
    if stated is None or not record.is_mapping:
        return
    shared = sum(len(one & other) for one, other in combinations(stated.values(), 2))
    surplus = sum(map(len, stated.values())) - len(frozenset().union(*stated.values()))
    overlaps = [record["total_overlap"], bundle.meta["mode_overlap"]]
    for at, right in (*((at, shared) for at in overlaps), (record["surplus"], surplus)):
        if at.given and at.whole != right:
            yield broken(at, "C4", f"{at} modes in common", str(right))
    few = [agent for agent, own in stated.items() if len(categories_of(tuple(sorted(own)))) < LEAST_CATEGORIES]
    passed, right = record["validation_passed"], not few and shared <= MOST_OVERLAP
    if passed.given and passed.flag is not right:
        yield broken(
            passed, "C4", f"{passed}, with {shared} shared and {len(few)} seats of too few categories", shown(right)
        )


def _drawn_for(bundle: Bundle, record: Spot) -> dict[str, set[int]] | None:
    """Return the modes that a validation record covers: those of all seats, even if only one of them sits."""
    stated = {str(seat): record["subagent_modes"][seat] for seat in ANCHORS}
    sets = {seat: set(_numbers(at)) for seat, at in stated.items() if at.given}
    if not sets:
        sets = {agent: set(known(spot)) for agent, spot in bundle.agents.items()}
    return sets if sets and all(sets.values()) else None


def _numbers(at: Spot) -> tuple[int, ...]:
    return tuple(each.id for each in modes_at(at) if each.id is not None and each.id in MODES)


def check_draw(bundle: Bundle) -> Iterator[Deviation]:
    """The modes are those that the algorithm draws from the recorded seed (C3, C4, C5)."""
    at = bundle.meta["session_seed"]
    if not at.given:
        if bundle.agents:
            yield missing(at, "C5", "the seed is not recorded, so the draw cannot be repeated", "a number or a text")
        return
    drawn = _repeated(at)
    if drawn is None:
        yield broken(at, "C5", f"{at} is not a seed", "a number or a text of at most 200 characters")
        return
    for agent, spot in bundle.agents.items():
        right = drawn.modes.get(Seat(agent))
        if right is not None and spot["selected_modes"].given and set(known(spot)) != set(right):
            says = f"{shown(sorted(set(known(spot))))} are not what the seed {at} draws for {agent}"
            yield broken(spot["selected_modes"], "C3", says, shown(right))
    yield from _recorded_draw(bundle, drawn)


def _repeated(at: Spot) -> Selection | None:
    seed = at.value
    if isinstance(seed, bool) or not isinstance(seed, int | str):
        return None
    if isinstance(seed, int) and seed.bit_length() > 640:
        return None
    if isinstance(seed, str) and (len(seed) > 200 or any("\ud800" <= char <= "\udfff" for char in seed)):
        return None
    return select_modes(seed)


def _recorded_draw(bundle: Bundle, drawn: Selection) -> Iterator[Deviation]:
    """Compare the validation record with the draw that the seed gives."""
    record = bundle.meta["mode_selection_validation"]
    for agent, right in drawn.modes.items():
        at = record["subagent_modes"][agent]
        if at.given and set(_numbers(at)) != set(right):
            yield broken(at, "C3", f"{at} is not what the seed draws for {agent}", shown(right))
        tries = record["attempts"][agent]
        if tries.given and tries.whole != drawn.attempts[agent]:
            yield broken(tries, "C4", f"{tries} draws again for {agent}", str(drawn.attempts[agent]))
    stated = _relaxed(bundle)
    if record["relaxed"].exists and any(
        (word in stated) is not (word in drawn.relaxed) for word in ("overlap", "categories")
    ):
        given_up = ", ".join(drawn.relaxed) or "nothing"
        yield broken(record["relaxed"], "C4", f"{record['relaxed']} is said to be given up in the draw", given_up)
