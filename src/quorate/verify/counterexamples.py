"""Failures found by the walk, each with a shortest path to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import getclosurevars
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from quorate.core.types import Event, Reason


class Via(NamedTuple):
    """How a step was made: for each ask the index of its option (None for no reply), and the interruption."""

    replies: tuple[int | None, ...] = ()
    reason: Reason | None = None
    order: tuple[int, ...] = ()
    """The order in which the replies arrived, by the place of their asks; () for the order of the asks."""

    def arrived(self) -> tuple[int, ...]:
        """Return the indices of the answered asks, in order of arrival."""
        return self.order or tuple(place for place, reply in enumerate(self.replies) if reply is not None)


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure of one of the nine results."""

    number: int
    name: str
    """What is broken, in a few words; failures of one result are told apart by it."""
    what: str
    where: str
    """Where the rule stands."""
    place: int = -1
    """The vertex at which it happens; -1 is the opening."""
    legs: tuple[tuple[int, Via], ...] = ()
    """The steps that break it, each from its vertex."""
    events: tuple[Event, ...] = ()
    """Where given, the way there from the opening, in place of the vertex."""
    again: bool = True
    """Whether the protocol can go that way again; where a function is not pure it may go another."""


class Enough(Exception):
    """Raised to stop the walk at the first failure."""


class Failures:
    """The failures so far: the first per result and name, which is a shortest one."""

    def __init__(self, *, stop_at_first: bool = False) -> None:
        self.stop_at_first = stop_at_first
        self.found: dict[tuple[int, str], Failure] = {}

    def add(self, failure: Failure) -> None:
        self.found.setdefault((failure.number, failure.name), failure)
        if self.stop_at_first:
            raise Enough

    def of(self, number: int) -> list[Failure]:
        """Return the failures of one result, the first found first."""
        return [failure for failure in self.found.values() if failure.number == number]


def where(function: Callable[..., Any]) -> str:
    """Return the location of a function: its module, name and line."""
    inner = _innermost(function)
    code = getattr(inner, "__code__", None)
    name = f"{getattr(inner, '__module__', '?')}.{getattr(inner, '__qualname__', type(inner).__name__)}"
    return name if code is None else f"{name}, line {code.co_firstlineno}"


def where_raised(error: BaseException, function: Callable[..., Any]) -> str:
    """Return the location of a function, and the line that raised if it is in the same file."""
    code = getattr(_innermost(function), "__code__", None)
    line, trace = None, error.__traceback__
    while trace is not None:
        if code is not None and trace.tb_frame.f_code.co_filename == code.co_filename:
            line = trace.tb_lineno
        trace = trace.tb_next
    return where(function) if line is None else f"{where(function)}, raised in line {line}"


def _innermost(function: Callable[..., Any]) -> Any:
    """Return the function inside a method, or inside a closure around one function."""
    inner = getattr(function, "__func__", function)
    if not isinstance(inner, FunctionType):
        return inner
    around = [each for each in getclosurevars(inner).nonlocals.values() if isinstance(each, FunctionType | MethodType)]
    return _innermost(around[0]) if len(around) == 1 and around[0] is not inner else inner
