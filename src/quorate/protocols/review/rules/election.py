"""The election: which committee the size of a change calls for, decided by code (R34 to R36)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum

from quorate.core.errors import InputError, SettingError, nearest
from quorate.protocols.review.rules.model import ADJUDICATOR, PERSONAS, ReviewSettings, persona_of

SEVERE_RAISES = 3
"""Findings that are CRITICAL or HIGH, from which on the complexity is raised (R35)."""


class Complexity(Enum):
    """The complexity of a change, which determines the committee, the least first."""

    TRIVIAL = "trivial"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


COMMITTEES: dict[Complexity, tuple[str, ...]] = {
    Complexity.TRIVIAL: (str(ADJUDICATOR),),
    Complexity.LOW: ("engineering-architect", "operations-sre"),
    Complexity.MEDIUM: ("engineering-architect", "knowledge-manager", "business-driver", "operations-sre"),
    Complexity.HIGH: PERSONAS,
}
ADVERSARIES = (
    ("business-driver", "knowledge-manager"),
    ("business-driver", "operations-sre"),
    ("product-manager", "engineering-architect"),
    ("design-hci", "engineering-architect"),
)
"""Personas whose stances pull against each other."""


@dataclass(frozen=True, slots=True)
class Election:
    """The members of the committee, and the basis of the election."""

    complexity: Complexity
    committee: tuple[str, ...]
    files: int
    modules: int
    interfaces: bool
    severe: int
    raised: bool
    """The findings raised the complexity by one level (R35)."""
    basis: str
    """In a sentence, for people."""
    pairs: tuple[tuple[str, str], ...]
    """Members who are each other's adversaries; only of those seated."""


def elect(
    files: int | None,
    modules: int | None,
    interfaces: bool | None,
    severe: int = 0,
    *,
    solo: bool = False,
    members: Sequence[str] = (),
) -> Election:
    """Elect the committee for a change; raises InputError that names a missing input.

    `solo` seats the adjudicator alone and `members` those named, whatever the size (R36).
    """
    if files is None:
        raise _missing("files", "how many files the change has")
    if modules is None:
        raise _missing("modules", "in how many directories they are")
    if interfaces is None:
        raise _missing("interfaces", "whether a public interface changed")
    size = _size(files, modules, interfaces)
    raised = severe >= SEVERE_RAISES and size is not Complexity.HIGH
    complexity = _next(size) if raised else size
    basis = f"{_counted(files, 'file')} in {_counted(modules, 'module')}, " + (
        "a public interface changed" if interfaces else "no change of a public interface seen"
    )
    if raised:
        basis += f"; raised from {size.name} by {severe} findings that are CRITICAL or HIGH"
    committee = COMMITTEES[complexity]
    if solo:
        committee, basis = COMMITTEES[Complexity.TRIVIAL], f"{basis}; the adjudicator alone was asked for"
    elif members:
        committee, basis = tuple(members), f"{basis}; the members were named"
    return Election(complexity, committee, files, modules, interfaces, severe, raised, basis, _pairs(committee))


def _missing(name: str, says: str) -> InputError:
    return InputError("is missing, and the committee cannot be elected without it", key=name, expected=says)


def _size(files: int, modules: int, interfaces: bool) -> Complexity:
    """Return the first complexity that matches, in the order of R34."""
    if files <= 1 and modules <= 1 and not interfaces:
        return Complexity.TRIVIAL
    if files <= 3 and modules <= 1 and not interfaces:
        return Complexity.LOW
    if files > 10 or modules >= 4:
        return Complexity.HIGH
    return Complexity.MEDIUM


def _next(complexity: Complexity) -> Complexity:
    levels = list(Complexity)
    return levels[levels.index(complexity) + 1]


def _pairs(committee: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (one, other)
        for first, second in ADVERSARIES
        for one in committee
        for other in committee
        if (persona_of(one), persona_of(other)) == (first, second)
    )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def check_holders(settings: ReviewSettings, personas: Collection[str]) -> None:
    """Raise SettingError for a veto holder without a persona, since a typo would silently remove a veto."""
    for name in settings.veto_holders:
        if persona_of(name) not in personas:
            raise SettingError(
                f"names {name!r}, which has no persona file",
                key="veto_holders",
                expected="personas among " + ", ".join(sorted(personas)),
                nearest=nearest(persona_of(name), personas),
            )
