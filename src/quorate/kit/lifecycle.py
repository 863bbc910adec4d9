"""Lifecycles: transition tables for findings, artifacts and topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

from quorate.core.errors import DefinitionError, RuleViolation

S = TypeVar("S", bound=Enum)
E = TypeVar("E", bound=Enum)


@dataclass(frozen=True)
class Lifecycle(Generic[S, E]):
    """A complete transition table: state -> event -> state."""

    name: str
    """What it is the life of, for errors: `finding`."""
    initial: S
    table: Mapping[S, Mapping[E, S]]
    ends: frozenset[S] = frozenset()
    """States that nothing leads out of, on purpose."""

    def __post_init__(self) -> None:
        for state in self.ends:
            if self.table.get(state):
                raise DefinitionError(f"{self.name}: {state.name} is an end, but has rows that lead on")


def advance(lifecycle: Lifecycle[S, E], state: S, event: E) -> S:
    """Return the state after the event; a missing row raises RuleViolation, which lists the possible events."""
    rows = lifecycle.table.get(state, {})
    if event not in rows:
        known = ", ".join(each.name for each in rows) or "nothing"
        article = "an" if lifecycle.name[0] in "aeiou" else "a"
        raise RuleViolation(
            f"{article} {lifecycle.name} that is {state.name} cannot take {event.name}; possible: {known}"
        )
    return rows[event]


def unreachable(lifecycle: Lifecycle[S, E]) -> tuple[S, ...]:
    """Return the states that cannot be reached from the initial one, in table order."""
    reached = {lifecycle.initial}
    to_do = [lifecycle.initial]
    while to_do:
        for to in lifecycle.table.get(to_do.pop(), {}).values():
            if to not in reached:
                reached.add(to)
                to_do.append(to)
    return tuple(state for state in _states(lifecycle) if state not in reached)


def dead_ends(lifecycle: Lifecycle[S, E]) -> tuple[S, ...]:
    """Return the states that have no way out but are not declared as ends."""
    return tuple(
        state
        for state in _states(lifecycle)
        if state not in lifecycle.ends and not set(lifecycle.table.get(state, {}).values()) - {state}
    )


def as_table(lifecycle: Lifecycle[Any, Any]) -> str:
    """Return all rows as a Markdown table, the initial state first and the ends last."""
    lines = ["| from | event | to |", "| --- | --- | --- |", f"| - | created | {lifecycle.initial.value} |"]
    for state, rows in lifecycle.table.items():
        lines += [f"| {state.value} | {event.value} | {to.value} |" for event, to in rows.items()]
    ends = [state.value for state in _states(lifecycle) if state in lifecycle.ends]
    return "\n".join([*lines, *(f"| {end} | - | end |" for end in ends)])


def _states(lifecycle: Lifecycle[S, E]) -> tuple[S, ...]:
    """Return every state that the table names, once, in order."""
    targets = (to for rows in lifecycle.table.values() for to in rows.values())
    return tuple(dict.fromkeys((lifecycle.initial, *lifecycle.table, *targets)))
