"""Planted defects: mutants of the debate, most made mechanically from its source, and whether verify finds them.

`python tests/verify/mutants.py` prints the table: each mutant, the result that found it, and the survivors.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from quorate import catalog
from quorate.core.protocol import Protocol
from quorate.kit.settings import read_settings
from quorate.protocols import debate
from quorate.protocols.debate.rules import protocol as original
from quorate.protocols.debate.rules.model import Phase
from quorate.verify import Status, verify

SOURCE = Path(str(original.__file__)).read_text(encoding="utf-8")
MATERIAL = debate.DEFINITION.proven_with()
TWO = ["architect", "security"]
PROFILES: Mapping[str, Mapping[str, Any]] = {
    "one round": {"agents": TWO, "rounds": 1},
    "limits": {"agents": TWO, "rounds": 1, "max_episodes": 6, "stall_after": 2, "judge_required": False},
    "quality": {
        "agents": TWO,
        "rounds": 2,
        "retries": 0,
        "termination_condition": {"type": "quality"},
        "summarization": {"enabled": False},
    },
    "convergence": {"agents": TWO, "rounds": 2, "retries": 0, "termination_condition": {"type": "convergence"}},
    "three agents": {
        "agents": [*TWO, "testing"],
        "rounds": 1,
        "retries": 0,
        "anonymous": False,
        "required_agents": 3,
        "judge_required": False,
    },
    "clarifications": {
        "agents": TWO,
        "rounds": 1,
        "interactive_clarifications": True,
        "clarifications_max_iterations": 2,
        "clarifications_max_per_agent": 1,
        "max_episodes": 8,
    },
    "two rounds": {"agents": TWO, "rounds": 2, "termination_condition": {"type": "convergence", "threshold": 60}},
}
"""Small settings that together keep every rule live; the quick ones first."""
LIVELY: Mapping[str, str] = {
    "ask_for_questions": "clarifications",
    "take_questions": "clarifications",
    "ask_person": "clarifications",
    "take_answers": "clarifications",
    "ask_for_summaries": "convergence",
    "take_summaries": "convergence",
    "ask_for_evaluation": "convergence",
    "take_evaluation": "convergence",
    "limits": "limits",
    "degradation": "three agents",
    "CLARIFICATION": "clarifications",
    "CLARIFICATION_INPUT": "clarifications",
    "SUMMARIZATION": "two rounds",
    "EVALUATION": "two rounds",
}
"""Where a function or phase is exercised most; that profile is walked first, which only saves time."""


@dataclass(frozen=True)
class Mutant:
    """One planted defect: how it was made, what it is, and the protocols that have it, by profile."""

    kind: str
    name: str
    build: Callable[[], Mapping[str, Protocol[Any]]]
    material: Mapping[str, str] = field(default_factory=lambda: MATERIAL)


@dataclass(frozen=True)
class Fate:
    """What became of a mutant: the number of the result that failed, or None for a survivor, and why."""

    mutant: Mutant
    number: int | None
    says: str


def debates(module: ModuleType = original, first: str | None = None) -> dict[str, Protocol[Any]]:
    """Build the debate under all profiles, with the functions and tables of this module."""
    names = ("Debate", "TABLE", "INTERRUPTS", "VERDICTS", "EXIT_CODES")
    changed = {**debate.build.__globals__, **{name: getattr(module, name) for name in names}}
    build = FunctionType(debate.build.__code__, changed)
    briefs = catalog.briefs(debate.DEFINITION)
    order = sorted(PROFILES, key=lambda name: name != first)
    return {name: build(read_settings(debate.DEFINITION.settings, PROFILES[name]), briefs, 7) for name in order}


def run(mutant: Mutant) -> Fate:
    """Verify a mutant up to its first failure."""
    try:
        protocols = mutant.build()
    except Exception as error:
        return Fate(mutant, 0, f"refused when built: {error}")
    report = verify(protocols, mutant.material, stop_at_first=True)
    failed = next((result for result in report.results if result.status is Status.FAILED), None)
    return Fate(mutant, None, "survived") if failed is None else Fate(mutant, failed.number, failed.detail)


# Mechanical mutants


def missed(mutants: list[Mutant]) -> set[str]:
    """Return the names of the mutants that survived."""
    return {mutant.name for mutant in mutants if run(mutant).number is None}


def mechanical() -> list[Mutant]:
    """Make every mutant that mechanical.py knows how to make, in the order of the source."""
    from tests.verify.mechanical import changes

    tree = ast.parse(SOURCE)
    found: dict[str, Mutant] = {}
    for kind, place, name, change in changes(tree, Phase):
        full = f"{kind}: {place}: {name}"
        number = 2
        while full in found:
            full, number = f"{kind}: {place}: {name} #{number}", number + 1
        lively = LIVELY.get(name.partition(" ")[0] if place == "TABLE" else place)
        found[full] = Mutant(kind, full, _builder(change, lively))
    return list(found.values())


def _builder(change: Callable[[ast.Module], None], lively: str | None) -> Callable[[], Mapping[str, Protocol[Any]]]:
    def build() -> Mapping[str, Protocol[Any]]:
        tree = ast.parse(SOURCE)
        change(tree)
        module = ModuleType("mutant_of_the_debate")
        sys.modules[module.__name__] = module  # dataclasses look their module up
        exec(compile(ast.fix_missing_locations(tree), "mutant.py", "exec"), module.__dict__)
        return debates(module, lively)

    return build


# All of them

BY_HAND = "by hand"
EQUIVALENT: Mapping[str, str] = {}
"""Mutants that change no behaviour, each with the reason; so far there are none."""


def by_hand() -> list[Mutant]:
    """Make the mutants that no change of one line gives."""
    from tests.verify.planted import DEFECTS

    def builder(plant: Callable[[Protocol[Any]], Protocol[Any]]) -> Callable[[], Mapping[str, Protocol[Any]]]:
        return lambda: {name: plant(protocol) for name, protocol in debates().items()}

    return [Mutant(BY_HAND, f"{BY_HAND}: {name}", builder(plant)) for name, plant in DEFECTS.items()]


def everything() -> dict[str, list[Mutant]]:
    """Return all mutants, by kind."""
    kinds: dict[str, list[Mutant]] = {}
    for mutant in (*mechanical(), *by_hand()):
        kinds.setdefault(mutant.kind, []).append(mutant)
    return kinds


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


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    sys.exit(main(everything(), EQUIVALENT))
