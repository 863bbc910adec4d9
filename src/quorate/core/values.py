"""Values: records that are made by the thousand, compared by what they hold, and never written to.

`@value(frozen=True, slots=True)` is `@dataclass(frozen=True, slots=True)` to a type checker, which refuses whoever
assigns to a field. The standard one refuses it again at run time, and pays for that where it is made: each field of a
new one is set by a call, which takes three to five times as long (`benchmarks/engine.py` has the sum of it). `replace`
is the standard one, too, to a type checker, and looks up once for each class what that one looks up each time.
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
    from functools import cache

    def value(*, frozen, slots):
        """Return what makes a class a value."""
        return dataclass(frozen=HELD, slots=slots, unsafe_hash=frozen)

    def replace(old, /, **changes):
        """Return a new value that differs in these fields."""
        kind = type(old)
        for name in _names(kind):
            if name not in changes:
                changes[name] = getattr(old, name)
        return kind(**changes)

    @cache
    def _names(kind):
        return tuple(each.name for each in fields(kind) if each.init)


__all__ = ["HELD", "replace", "value"]
