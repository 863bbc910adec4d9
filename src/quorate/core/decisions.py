"""Decisions: an outcome and the next state, with the tests that led there, so that no rule is written twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Generic, TypeVar

from quorate.core.errors import DefinitionError
from quorate.core.values import value

S = TypeVar("S")


@value(frozen=True, slots=True)
class Test:
    """One test made by a decision: its rule, what was compared, whether it held and the outcome it leads to."""

    rule: str
    outcome: Enum
    claim: str
    held: bool


_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    "==": lambda a, b: a == b,
}


def compare(rule: str, outcome: Enum, left: tuple[str, int], op: str, right: tuple[str, int] | int) -> Test:
    """Make the test `left op right`; its text and its result come from the same values."""
    label, bound = ("", right) if isinstance(right, int) else (f"{right[0]} ", right[1])
    return Test(rule, outcome, f"{left[0]} {left[1]} {op} {label}{bound}", _COMPARISONS[op](left[1], bound))


def otherwise(rule: str, outcome: Enum) -> Test:
    """Make the fallback test of a decision, which always holds."""
    return Test(rule, outcome, "none of the above", True)


@value(frozen=True, slots=True)
class Fact:
    """Something that a decision issued, refused, dropped, merged or tallied, kept for the record."""

    name: str
    values: tuple[tuple[str, str | int | bool], ...] = ()

    @classmethod
    def of(cls, name: str, **values: str | int | bool) -> Fact:
        return cls(name, tuple(values.items()))


@value(frozen=True, slots=True)
class Decision(Generic[S]):
    """The outcome of a phase, the next state, the tests that led there in order, and the resulting facts."""

    outcome: Enum
    state: S
    because: tuple[Test, ...] = ()
    facts: tuple[Fact, ...] = ()


def choose(state: S, tests: Iterable[Test], facts: Iterable[Fact] = ()) -> Decision[S]:
    """Return a decision for the first test that holds; the tests before it explain the rows not taken."""
    made = tuple(tests)
    for test in made:
        if test.held:
            return Decision(test.outcome, state, made, tuple(facts))
    raise DefinitionError("no test of this decision held: " + "; ".join(f"{t.rule} {t.claim}" for t in made))
