"""Judging: what it means in a protocol that a seat is right or wrong, for simulated agents of known accuracy.

A simulation knows the truth, which no session does: the change is sound, the RFC is defective. How a seat that judges
rightly or wrongly, abstains, or has found the defect itself fills in a form, and which verdicts are right then, only
the protocol can say. Both stand in one value that its definition carries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from quorate.core.forms import Reply
from quorate.core.protocol import Protocol
from quorate.core.types import Ask, Seat


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a simulated seat believes."""

    right: bool | None
    """Whether it judges rightly; None where it abstains."""
    found: bool | None = None
    """Whether it has found a defect itself (a false alarm counts); None where that follows from its judgement."""
    obstructs: bool = False
    """Whether it objects to everything, as strongly as its form lets it."""


@dataclass(frozen=True, slots=True)
class Mind:
    """What a simulated seat knows when it fills in a form."""

    truth: str
    """The name of the truth."""
    opinion: Opinion
    told: bool
    """Whether the ask shows it what the others hold."""
    shown: Mapping[Seat, bool | None]
    """What every seat has last said: rightly, wrongly, or neither."""


@dataclass(frozen=True, slots=True)
class Truth:
    """One way the world may be."""

    says: str
    right: frozenset[Enum] = frozenset()
    """The verdicts that are right then."""
    favourable: bool = True
    """There is nothing to find: whoever finds something is wrong."""


def _judges(mind: Mind) -> bool | None:
    return mind.opinion.right


@dataclass(frozen=True)
class Judging:
    """How simulated agents take part in a protocol."""

    truths: Mapping[str, Truth]
    """By name; the first is taken where none is named."""
    voters: Callable[[Protocol[Any]], tuple[Seat, ...]]
    """The seats whose judgement is counted."""
    seated: Callable[[int], Mapping[str, Any]]
    """The settings that seat so many voters; raises SettingError where the protocol cannot."""
    filling: Callable[[Protocol[Any]], Callable[[Ask, Any, Mind], Reply]]
    """filling(protocol)(ask, state, mind): the form filled in; pure, with its marks as the border would set them."""
    tells: Callable[[Ask, Any], bool]
    """tells(ask, state): whether the ask shows its seat what the others hold."""
    undecided: frozenset[Enum] = frozenset()
    """Verdicts that leave the matter open."""
    judges: tuple[Seat, ...] = ()
    """Seats beside the voters that judge, too."""
    follows: frozenset[Seat] = frozenset()
    """Seats whose office it is to say what most voters hold; they judge for themselves only where nobody leads."""
    answer: Seat | None = None
    """The seat whose judgement is the answer, where a verdict alone does not say what was decided."""
    alone: Callable[[Mind], bool | None] = _judges
    """Whether a seat whom nobody tells anything would conclude rightly; None where it would conclude nothing."""

    brought: Callable[[Judging, Mapping[str, str]], Judging] | None = None
    """brought(judging, material): the same where this is deliberated about, if that changes what is asked."""

    def about(self, material: Mapping[str, str]) -> Judging:
        """Return how they take part where this is deliberated about; without material as ever."""
        return self if self.brought is None or not material else self.brought(self, material)

    def grade(self, truth: Truth, verdict: Enum, answer: bool | None) -> bool | None:
        """Whether a verdict is right; None if it leaves the question open."""
        if verdict in self.undecided:
            return None
        if self.answer is not None:
            return answer
        return verdict in truth.right
