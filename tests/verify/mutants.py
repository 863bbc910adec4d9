"""Mutants: protocols with one planted defect each, and whether verify finds it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from quorate.core.protocol import Protocol
from quorate.verify import ProofStatus, verify

BY_HAND = "by hand"


@dataclass(frozen=True)
class Mutant:
    """One planted defect: how it was made, what it is, and the protocols that have it, by profile."""

    kind: str
    name: str
    build: Callable[[], Mapping[str, Protocol[Any]]]
    material: Mapping[str, str]


@dataclass(frozen=True)
class Fate:
    """What became of a mutant: the number of the result that failed, or None for a survivor, and why."""

    mutant: Mutant
    number: int | None
    says: str


def run(mutant: Mutant) -> Fate:
    """Verify a mutant up to its first failure."""
    try:
        protocols = mutant.build()
    except Exception as error:
        return Fate(mutant, 0, f"refused when built: {error}")
    report = verify(protocols, mutant.material, stop_at_first=True)
    failed = next((result for result in report.results if result.status is ProofStatus.FAILED), None)
    return Fate(mutant, None, "survived") if failed is None else Fate(mutant, failed.number, failed.detail)


def missed(mutants: list[Mutant]) -> set[str]:
    """Return the names of the mutants that survived."""
    return {mutant.name for mutant in mutants if run(mutant).number is None}


def main(kinds: Mapping[str, list[Mutant]], equivalents: Mapping[str, str]) -> int:
    """Print every mutant whose name holds the first argument, what found it, and the score."""
    mutants = [m for kind in kinds.values() for m in kind if len(sys.argv) < 2 or sys.argv[1] in m.name]
    survivors = []
    for mutant in mutants:
        fate = run(mutant)
        found = f"found by {fate.number}" if fate.number is not None else "survived"
        print(f"{found:12} {mutant.name}", flush=True)
        if fate.number is None:
            survivors.append(mutant.name)
    equivalent = [name for name in survivors if name in equivalents]
    for name in survivors:
        print(f"{name}\n    {equivalents.get(name, 'NOT LISTED')}")
    of = len(mutants) - len(equivalent)
    print(f"{len(mutants) - len(survivors)} of {of} defects found, {len(equivalent)} mutants equivalent")
    return 0 if set(survivors) <= set(equivalents) else 1
