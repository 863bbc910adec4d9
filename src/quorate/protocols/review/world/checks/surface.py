"""The public surface of a file: its public names, and how a new surface breaks its callers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum


class Takes(Enum):
    """How an argument may be given."""

    POSITION = "by position"
    EITHER = "by position or name"
    NAME = "by name"
    REST = "all others"


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    required: bool
    takes: Takes = Takes.EITHER


@dataclass(frozen=True, slots=True)
class PublicName:
    """One public name."""

    name: str
    line: int
    parameters: tuple[Parameter, ...] | None = None
    """None where it is not called, or its parameters are not known."""
    documented: bool = False


@dataclass(frozen=True, slots=True)
class PublicSurface:
    items: Mapping[str, PublicName] = field(default_factory=dict)
    bound: frozenset[str] = frozenset()
    """Every name that is there, public or not: a public name that stays bound is not removed."""
    inheriting: frozenset[str] = frozenset()
    """The classes that have others above them, so that a method which is gone may still be there."""
    is_open: bool = False
    """It takes in names that are not listed in it, so that nothing can be said to be missing."""


def breaks(before: PublicName, after: PublicName) -> Iterator[str]:
    """Yield how the parameters of an item changed such that a valid call becomes invalid."""
    if before.parameters is None or after.parameters is None:
        return
    old = [each for each in before.parameters if each.takes is not Takes.REST]
    new = {each.name: each for each in after.parameters if each.takes is not Takes.REST}
    rest = any(each.takes is Takes.REST for each in after.parameters)
    positions = [each for each in after.parameters if each.takes in (Takes.POSITION, Takes.EITHER)]
    gone = [each for each in old if each.name not in new and not _taken_over(each, old, positions)]
    if gone and not rest:
        yield "no longer takes " + ", ".join(each.name for each in gone)
    known = {each.name for each in old}
    for n, each in enumerate(old):
        now = new.get(each.name)
        if now is None or each.takes is Takes.NAME:
            continue
        if now.takes is Takes.NAME:
            yield f"takes {each.name} by name alone"
        elif not gone and n < len(positions) and positions[n].name != each.name and positions[n].name in known:
            yield f"takes {each.name} at another position"
            break
        elif not gone and n < len(positions) and positions[n].name not in known:
            yield f"takes {positions[n].name} where {each.name} was"
            break
    was_required = {each.name for each in old if each.required}
    more = [
        n for n, each in new.items() if each.required and n not in was_required and not _stands_in(n, old, positions)
    ]
    if more:
        yield "now requires " + ", ".join(more)
    if not rest and any(each.takes is Takes.REST for each in before.parameters):
        yield "no longer takes any number of arguments"


def _taken_over(one: Parameter, old: list[Parameter], positions: list[Parameter]) -> bool:
    """Return whether a positional-only argument was merely renamed."""
    place = old.index(one)
    return one.takes is Takes.POSITION and place < len(positions) and positions[place].name not in {p.name for p in old}


def _stands_in(name: str, old: list[Parameter], positions: list[Parameter]) -> bool:
    """Return whether a required parameter replaces one of another name in the same position."""
    place = next((n for n, each in enumerate(positions) if each.name == name), None)
    return place is not None and place < len(old) and old[place].takes is Takes.POSITION and old[place].required
