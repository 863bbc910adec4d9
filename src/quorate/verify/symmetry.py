"""Symmetry reduction: states that differ only in the names of interchangeable seats are walked once.

Renaming seats everywhere in a state gives an isomorphic state as long as the protocol treats these seats alike, which
it declares (`interchangeable`) and the walk tests. So any choice of names is sound; a better choice only merges
more.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

from quorate.core.protocol import Protocol
from quorate.core.types import Seat

S = TypeVar("S")
_ATOMS = (bool, int, float, bytes, type(None), Enum)
_FIELDS: dict[type[Any], tuple[str, ...]] = {}


class NotRenamable(Exception):
    """A state holds something in which seats cannot be renamed safely."""


class Symmetry(Generic[S]):
    """Numbers states so that those that differ only in the names of interchangeable seats share a number."""

    def __init__(self, protocol: Protocol[S]) -> None:
        self.order = {seat: place for place, seat in enumerate(protocol.seats)}
        self.groups = [
            tuple(seat for seat in protocol.seats if seat in group) for group in protocol.interchangeable if group
        ]
        self.off = "no seats are declared interchangeable" if not self.groups else ""
        self._numbers: dict[S, int] = {}
        self._canonical: dict[Hashable, int] = {}

    def drop(self, why: str) -> None:
        """Turn the reduction off."""
        self.groups, self.off = [], why

    def number(self, state: S) -> int:
        """Return a number that this state shares with all its renamings and with no other state."""
        found = self._numbers.get(state)
        if found is None:
            canonical = self.canonical(state)[0]
            found = self._canonical.setdefault(canonical, len(self._canonical))
            self._numbers[state] = found
        return found

    def canonical(self, state: S) -> tuple[Hashable, Mapping[Seat, Seat]]:
        """Return the canonical renaming of the state, and the mapping that gives it."""
        if self.groups:
            try:
                renaming = self._renaming(state)
                same = all(seat == new for seat, new in renaming.items())
                return (state if same else self.rename(state, renaming)), renaming
            except NotRenamable as reason:
                self.drop(str(reason))
        return state, {}

    def twins(self, state: S, seats: Sequence[Seat]) -> list[list[Seat]]:
        """Return the seats in classes: swapping two of one class does not change the state."""
        classes: list[list[Seat]] = []
        for seat in seats:
            home = next((each for each in classes if self._alike(state, each[0], seat)), None)
            if home is None:
                classes.append([seat])
            else:
                home.append(seat)
        return classes

    def _alike(self, state: S, one: Seat, other: Seat) -> bool:
        if not any(one in group and other in group for group in self.groups):
            return False
        try:
            return bool(self.rename(state, {one: other, other: one}) == state)
        except NotRenamable:
            return False

    def rename(self, value: Any, renaming: Mapping[Seat, Seat]) -> Any:
        """Rename every seat in a state; tuples in seat order are sorted into seat order again."""
        if isinstance(value, Seat):
            return renaming.get(value, value)
        if isinstance(value, _ATOMS):
            return value
        if isinstance(value, str):
            if value in renaming:
                raise NotRenamable(f"a state holds the plain text {value!r}, which is also the name of a seat")
            return value
        if isinstance(value, tuple) and type(value) is tuple:
            renamed = tuple([self.rename(each, renaming) for each in value])
            return self._in_order(renamed) if self._ordered(value) else renamed
        if isinstance(value, frozenset):
            return frozenset(self.rename(each, renaming) for each in value)
        if is_dataclass(value) and not isinstance(value, type):
            kind = type(value)
            return kind(**{name: self.rename(getattr(value, name), renaming) for name in _names(kind)})
        raise NotRenamable(f"a state holds a {type(value).__name__}, in which seats cannot be renamed")

    def _place(self, value: Any) -> int | None:
        seat = value if isinstance(value, Seat) else getattr(value, "seat", None)
        return self.order.get(seat) if isinstance(seat, Seat) else None

    def _ordered(self, values: tuple[Any, ...]) -> bool:
        last = -1
        for value in values:
            place = self._place(value)
            if place is None or place < last:
                return False
            last = place
        return bool(values)

    def _in_order(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(sorted(values, key=lambda value: self._place(value) or 0))

    def _renaming(self, state: S) -> dict[Seat, Seat]:
        """Return a renaming that sorts the seats of each group by what the state says of them, without names."""
        records = self._records(state)
        colours: dict[Seat, str] = {seat: "other" for group in self.groups for seat in group}
        named_by: dict[Seat, list[Seat]] = {seat: [] for seat in colours}
        for owner, own in records.items():
            for seat in _seats_in(own):
                if seat != owner and seat in named_by:
                    named_by[seat].append(owner)
        for _ in range(2):  # the second look tells seats apart by whom their records name, and who names them
            seen = {
                seat: repr(
                    (
                        [_blank(each, seat, colours) for each in records.get(seat, ())],
                        sorted(colours.get(owner, owner) for owner in named_by[seat]),
                    )
                )
                for seat in colours
            }
            ranks = {content: f"{rank:03}" for rank, content in enumerate(sorted(set(seen.values())))}
            colours = {seat: ranks[content] for seat, content in seen.items()}
            if len(ranks) == len(colours):
                break
        renaming: dict[Seat, Seat] = {}
        for group in self.groups:
            by_content = sorted(group, key=lambda seat: (colours[seat], self.order[seat]))
            renaming |= dict(zip(by_content, group, strict=True))
        return renaming

    def _records(self, state: S) -> dict[Seat, list[Any]]:
        found: dict[Seat, list[Any]] = {}
        if not is_dataclass(state) or isinstance(state, type):
            raise NotRenamable("the state is not a dataclass")
        for name in _names(type(state)):
            value = getattr(state, name)
            for each in value if isinstance(value, tuple) else ():
                seat = getattr(each, "seat", None)
                if isinstance(seat, Seat):
                    found.setdefault(seat, []).append(each)
        return found


def _names(kind: type[Any]) -> tuple[str, ...]:
    if kind not in _FIELDS:
        every = fields(kind)
        if any(not each.init for each in every):
            raise NotRenamable(f"{kind.__name__} has fields that its constructor does not take")
        _FIELDS[kind] = tuple(each.name for each in every)
    return _FIELDS[kind]


def _seats_in(value: Any) -> Iterator[Seat]:
    if isinstance(value, Seat):
        yield value
    elif isinstance(value, tuple | list | frozenset):
        for each in value:
            yield from _seats_in(each)
    elif is_dataclass(value) and not isinstance(value, type):
        for name in _names(type(value)):
            yield from _seats_in(getattr(value, name))


def _blank(value: Any, self_: Seat, colours: Mapping[Seat, str]) -> Any:
    if isinstance(value, Seat):
        return "self" if value == self_ else colours.get(value, value)
    if isinstance(value, tuple):
        blanked = [_blank(each, self_, colours) for each in value]
        return sorted(blanked) if all(isinstance(each, Seat) for each in value) else blanked
    if isinstance(value, frozenset):
        return sorted(repr(_blank(each, self_, colours)) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        return [_blank(getattr(value, name), self_, colours) for name in _names(type(value))]
    return value
