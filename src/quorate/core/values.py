"""Immutable value objects. mypy and the tests enforce it; run time does not, for speed.

`@value(frozen=True, slots=True)` is `@dataclass(frozen=True, slots=True)` to a type checker, which refuses whoever
assigns to a field. The standard one refuses it again at run time, and pays for that where it is made: each field of a
new one is set by a call, which takes three to five times as long (`benchmarks/engine.py` has the sum of it). `replace`
is the standard one, too, to a type checker; it reads all fields at once, and gives them back by their places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

HELD = False
"""Whether assignments are refused at run time too: the tests say so before anything else is imported."""

if TYPE_CHECKING:
    from dataclasses import dataclass as value
    from dataclasses import replace
else:
    from dataclasses import dataclass, fields
    from dataclasses import replace as standard
    from functools import cache
    from inspect import signature
    from operator import attrgetter

    def value(*, frozen, slots):
        """Return a class decorator that makes a value class."""
        return dataclass(frozen=HELD, slots=slots, unsafe_hash=frozen)

    def replace(old, /, **changes):
        """Return a copy with these fields changed."""
        kind = type(old)
        held, places = _fields(kind)
        if held is None:
            return standard(old, **changes)
        told = [*held(old)]
        for name, new in changes.items():
            told[places[name]] = new
        return kind(*told)

    @cache
    def _fields(kind):
        """Return a getter of all fields and the index of each; None if the constructor takes them otherwise."""
        names = [each.name for each in fields(kind)]
        taken = signature(kind).parameters.values()
        by_place = [each.name for each in taken if each.kind is each.POSITIONAL_OR_KEYWORD]
        if len(names) < 2 or names != by_place:
            return None, {}
        return attrgetter(*names), {name: place for place, name in enumerate(names)}


__all__ = ["HELD", "replace", "value"]
