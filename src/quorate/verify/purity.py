"""Purity checks: a protocol function called again with equal input must return an equal result.

The second call gets input that is equal to the first and made afresh: nothing in it is the same object but members of
enums, types and sealed prose, and what is in no order (a set, a dict) comes in the opposite one. So a counter, a draw,
a clock, an address, an identity and the order of a set in the state all show. What does not show: a change between
calls that are not compared, such as a date that passes after the walk; what a function remembers by equal input, for
then the second call is answered from memory; and the order of a set that the function makes itself, which is another
one only in a process with another `PYTHONHASHSEED`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, TypeVar, cast

from quorate.core.decisions import Decision
from quorate.core.errors import DefinitionError
from quorate.core.forms import Keyed, Prose, SealedProse
from quorate.core.types import Question
from quorate.verify.sampling import Sample

T = TypeVar("T")
Make = Callable[[Any], Any]


class Impure(DefinitionError):
    """A function returned different results for equal input."""


class Purity:
    """Repeats calls of one walk's functions. Results of a function found impure are not used any more.

    Every call whose result the walk caches is made twice; other calls are sampled.
    """

    def __init__(self) -> None:
        self.made = 0
        self._sample = Sample()
        self._found: dict[str, str] = {}

    def sampled(self, what: str, function: Callable[..., Any], gave: object, *given: object) -> None:
        """Check a call if it is sampled; raise Impure if it, or an earlier one, returned something else."""
        if what in self._found:
            raise Impure(self._found[what])
        if self._sample.takes(what):
            self.check(what, function, gave, *given)

    def takes(self, what: str) -> bool:
        """Whether the next call of this kind is sampled."""
        return self._sample.takes(what)

    def check(self, what: str, function: Callable[..., Any], gave: object, *given: object) -> None:
        """Call a function again with equal input; raise Impure if the result differs."""
        self.made += 1
        try:
            then = function(*map(fresh, given))
        except Exception as error:
            self._raise(what, f"{_named(gave)} and then raised {type(error).__name__}")
        if not _same(gave, then):
            self._raise(what, f"{_named(gave)} and then {_other(gave, then)}")

    def _raise(self, what: str, gave: str) -> None:
        self._found[what] = f"{what} gave {gave} for equal input; what it gives may depend on nothing else"
        raise Impure(self._found[what])


def _same(one: object, other: object) -> bool:
    try:
        return bool(one == other)
    except SealedProse:
        return True  # a state holds prose, which the walk tells of


def _named(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case Decision(outcome=outcome):
            return outcome.name
        case Enum():
            return value.name
        case tuple() if all(isinstance(each, Question) for each in value):
            return f"asks to {', '.join(each.seat for each in value) or 'nobody'}"
        case _:
            return f"a {type(value).__name__}"


def _other(gave: object, then: object) -> str:
    """Describe the second result, and what differs if its name does not show that."""
    name = _named(then)
    if name != _named(gave):
        return name
    if isinstance(gave, Decision) and isinstance(then, Decision):
        differs = "another state" if not _same(gave.state, then.state) else "other facts"
        return f"{name} with {differs if gave.because == then.because else 'other reasons'}"
    return f"{name} with other briefs, forms or keys" if isinstance(gave, tuple) else f"another {name[2:]}"


def fresh(value: T) -> T:
    """Return an equal value that shares no objects with this one, with sets and dicts in the opposite order."""
    make = _MAKES[type(value)]
    return value if make is None else cast("T", make(value))


class Turned(frozenset[T]):
    """A set that iterates in the opposite order, as it might in another process."""

    __slots__ = ("_order",)
    _order: tuple[T, ...]

    @classmethod
    def of(cls, items: frozenset[T]) -> Turned[T]:
        order = tuple([fresh(each) for each in items])[::-1]
        made = cls(order)
        made._order = order
        return made

    def __iter__(self) -> Iterator[T]:
        return iter(self._order)

    def __repr__(self) -> str:
        return f"frozenset({{{', '.join(map(repr, self))}}})"


class _PerType(dict[type[Any], Make | None]):
    """A cache of how to copy values of each type; None for types that are not copied."""

    def __missing__(self, kind: type[Any]) -> Make | None:
        self[kind] = made = _make(kind)
        return made


def _make(kind: type[Any]) -> Make | None:
    if kind is frozenset:
        return lambda value: Turned.of(value) if value else value
    if kind is dict:
        return lambda value: {fresh(key): fresh(each) for key, each in reversed(value.items())}
    if issubclass(kind, Keyed):
        return lambda value: kind({fresh(key): fresh(each) for key, each in value.items()})
    if issubclass(kind, tuple):
        return lambda value: tuple.__new__(kind, [fresh(each) for each in value])
    if issubclass(kind, Enum | Prose | type):
        return None
    if issubclass(kind, str) and kind is not str and not kind.__dictoffset__:
        return lambda value: str.__new__(kind, value)
    return _dataclass(kind) if is_dataclass(kind) else None


def _dataclass(kind: type[Any]) -> Make:
    names = [each.name for each in fields(kind) if not isinstance(getattr(kind, each.name, None), property)]
    slots = {name for base in kind.__mro__ for name in getattr(base, "__slots__", ())}
    bare = not kind.__dictoffset__ and slots <= set(names)

    def make(value: Any) -> Any:
        made = object.__new__(kind) if bare else copy(value)  # what is no field only `copy` knows of
        for name in names:
            object.__setattr__(made, name, fresh(getattr(value, name)))
        return made

    return make


_MAKES = _PerType()
