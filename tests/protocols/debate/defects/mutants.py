"""Planted defects: mutants of the debate, most made mechanically from its source, and whether verify finds them.

Run as a program, this module prints each mutant with the result that found it, and the survivors.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[4]))

from quorate import catalog
from quorate.core.protocol import Protocol
from quorate.kit.settings import read_settings
from quorate.protocols import debate
from quorate.protocols.debate.rules import protocol as original
from quorate.protocols.debate.rules.model import Phase
from tests.protocols.debate.oracle import with_oracle
from tests.verify.mutants import BY_HAND, Mutant, main

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
    "unqualified": {
        "agents": TWO,
        "rounds": 2,
        "retries": 0,
        "termination_condition": {"type": "quality"},
        "summarization": {"enabled": False},
        "unqualified_seats": ["security", "judge"],
    },
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
    "convinced": "convergence",
    "limits": "limits",
    "degradation": "three agents",
    "_note": "unqualified",
    "CLARIFICATION": "clarifications",
    "CLARIFICATION_INPUT": "clarifications",
    "SUMMARIZATION": "two rounds",
    "EVALUATION": "two rounds",
}
"""Where a function or phase is exercised most; that profile is walked first, which only saves time."""


def debates(module: ModuleType = original, first: str | None = None) -> dict[str, Protocol[Any]]:
    """Build the debate under all profiles, with the functions and tables of this module, held against the oracle."""
    names = ("Debate", "TABLE", "INTERRUPTS", "VERDICTS", "EXIT_CODES")
    changed = {**debate.build.__globals__, **{name: getattr(module, name) for name in names}}
    build = FunctionType(debate.build.__code__, changed)
    briefs = catalog.briefs(debate.DEFINITION)
    order = sorted(PROFILES, key=lambda name: name != first)
    return {
        name: with_oracle(build(read_settings(debate.DEFINITION.settings, PROFILES[name]), briefs, 7)) for name in order
    }


# Mechanical mutants


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
        found[full] = Mutant(kind, full, _builder(change, lively), MATERIAL)
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

EQUIVALENT: Mapping[str, str] = {}
"""Mutants that change no behaviour, each with the reason; so far there are none."""


def by_hand() -> list[Mutant]:
    """Make the mutants that no change of one line gives."""
    from tests.protocols.debate.defects.planted import DEFECTS

    def builder(plant: Callable[[Protocol[Any]], Protocol[Any]]) -> Callable[[], Mapping[str, Protocol[Any]]]:
        return lambda: {name: plant(protocol) for name, protocol in debates().items()}

    return [Mutant(BY_HAND, f"{BY_HAND}: {name}", builder(plant), MATERIAL) for name, plant in DEFECTS.items()]


def everything() -> dict[str, list[Mutant]]:
    """Return all mutants, by kind."""
    kinds: dict[str, list[Mutant]] = {}
    for mutant in (*mechanical(), *by_hand()):
        kinds.setdefault(mutant.kind, []).append(mutant)
    return kinds


if __name__ == "__main__":
    sys.exit(main(everything(), EQUIVALENT))
