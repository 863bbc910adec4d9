"""Names of modes, compared leniently by the stems of their significant words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from quorate.kit.untrusted_value import Spot
from quorate.protocols.council.rules.modes import MODES

_FIRST = re.compile(r"\W{0,3}(?:mode\W{0,3})?([0-9]{1,6})\b[\W_]*(.*)", re.IGNORECASE | re.DOTALL)
_LAST = re.compile(r"(.*?)[\W_]*[(\[]#?([0-9]{1,6})[)\]]\W*", re.DOTALL)
_WORD = re.compile(r"[a-z]+")
_TELLING_NOTHING = frozenset(
    ("reaso", "based", "theor", "logic", "analy", "desig", "think", "mode", "metho", "appro", "infer", "guide")
)
"""Stems that many names have."""
STEM = 5


@dataclass(frozen=True, slots=True)
class Named:
    """A mode as a bundle names it: by number, by name, or both."""

    at: Spot
    id: int | None
    name: str | None


def mode_at(at: Spot) -> Named:
    """Read a mode: `12`, `12 likelihood-based`, `Likelihood-based (12)`, or a mapping with id and name."""
    if at.is_mapping:
        return Named(at, at.first("id", "mode_id", "mode").whole, at.first("name", "mode_name").text)
    if at.whole is not None:
        return Named(at, at.whole, None)
    text = (at.text or "")[:200].strip()
    if found := _FIRST.fullmatch(text):
        return Named(at, int(found[1]), found[2].strip() or None)
    if found := _LAST.fullmatch(text):
        return Named(at, int(found[2]), found[1].strip() or None)
    return Named(at, None, text or None)


def modes_at(at: Spot) -> tuple[Named, ...]:
    """Read a list of modes, or a mapping of numbers to names."""
    if not at.is_mapping:
        return tuple(mode_at(each) for each in at.items)
    found = []
    for number, each in at.entries.items():
        named = mode_at(Spot(number, each.path))
        found.append(Named(each, named.id, each.text))
    return tuple(found)


def fits(name: str, mode: int) -> bool:
    """Return whether a name can mean this mode: it shares a significant word and is not another mode's name."""
    if mode not in MODES:
        return True
    words, said, own = _words(name), _stems(name), _OWN[mode]
    for meant, names in ((words, _NAMES), (said, _OWN)):
        if meant == names[mode]:
            return True
        if meant in names.values():
            return False
    return any(_alike(one, other) for one in said for other in own)


def mode_named(name: str, among: tuple[int, ...]) -> int | None:
    """Return the one mode of `among` that a name fits, or None if it fits none or several."""
    found = [mode for mode in among if mode in MODES and fits(name, mode)]
    return found[0] if len(found) == 1 else None


def _words(name: str) -> frozenset[str]:
    return frozenset(_WORD.findall(name[:200].lower()))


def _stems(name: str) -> frozenset[str]:
    stems = frozenset(word[:STEM] for word in _words(name) if len(word) > 2)
    return stems - _TELLING_NOTHING or stems


def _alike(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return longer.startswith(shorter) if len(shorter) > 3 else one == other


_NAMES = {number: _words(mode.name) for number, mode in MODES.items()}
_OWN = {number: _stems(mode.name) for number, mode in MODES.items()}
