"""Planted defects of the roundtable: mutants of its modules, and whether verify finds them.

Run as a program, this module prints each mutant with the result that found it, and the survivors.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[4]))

from quorate import catalog
from quorate.core.protocol import Protocol
from quorate.kit.settings import read_settings
from quorate.protocols import roundtable
from quorate.protocols.roundtable.rules.model import Phase
from tests.protocols.roundtable.oracle import with_oracle
from tests.verify.mutants import BY_HAND, Mutant, main

PACKAGE = "quorate.protocols.roundtable.rules"
MODULES = ("talk", "harvest", "protocol", "interrupts")
"""The rules in code; each imports only those before it."""
FOLDER = Path(str(roundtable.__file__)).parent / "rules"
MATERIAL = roundtable.DEFINITION.proven_with()
TWO = ["business-analyst", "solutions-architect"]
PROFILES: Mapping[str, Mapping[str, Any]] = {
    "two personas": {
        "personas": TWO,
        "phase": "02",
        "step": "02-01",
        "max_turns": 4,
        "free_moves": 1,
        "max_elaborations": 2,
    },
    "three personas": {"phase": "04", "max_turns": 4, "free_moves": 2, "max_elaborations": 1, "classifier": False},
    "shared": {"contexts": "shared", "step": "09", "max_turns": 3, "max_elaborations": 1, "documents": 1},
    "limits": {
        "personas": TWO,
        "start": "entry",
        "documents": 0,
        "max_turns": 4,
        "max_elaborations": 1,
        "max_episodes": 4,
        "stall_after": 2,
    },
    "twenty turns": {"personas": TWO, "max_turns": 20, "max_elaborations": 1, "max_episodes": 1},
    "more than twenty": {"personas": TWO, "max_turns": 21, "max_elaborations": 1, "max_episodes": 1},
}
"""Small settings that together keep every rule live; the last two end after the framing."""

Built = Mapping[str, Protocol[Any]]
Change = Callable[[ast.Module], None]


@cache
def source(name: str) -> str:
    return (FOLDER / f"{name}.py").read_text(encoding="utf-8")


def rules(name: str = "", change: Change | None = None) -> dict[str, ModuleType]:
    """Return fresh modules of the rules, one of them changed; those after it import the changed one."""
    made: dict[str, ModuleType] = {}
    with _instead():
        for each in MODULES:
            tree = ast.parse(source(each))
            if each == name and change is not None:
                change(tree)
            module = made[each] = ModuleType(f"{PACKAGE}.{each}")
            sys.modules[module.__name__] = module  # later ones import it, and dataclasses look their module up
            exec(compile(ast.fix_missing_locations(tree), f"{each}.py", "exec"), module.__dict__)
    return made


@contextmanager
def _instead() -> Iterator[None]:
    """Put the real modules back in their places afterwards."""
    real = {name: sys.modules[f"{PACKAGE}.{name}"] for name in MODULES}
    try:
        yield
    finally:
        sys.modules.update({f"{PACKAGE}.{name}": module for name, module in real.items()})


def roundtables(made: Mapping[str, ModuleType] | None = None) -> dict[str, Protocol[Any]]:
    """Build the small roundtables with these rules, held against the oracle."""
    code = rules() if made is None else made
    names = {
        "protocol": ("Roundtable", "TABLE", "VERDICTS", "EXIT_CODES", "progress"),
        "interrupts": ("INTERRUPTS",),
    }
    found = {name: getattr(code[module], name) for module, own in names.items() for name in own}
    build = FunctionType(roundtable.build.__code__, {**roundtable.build.__globals__, **found})
    briefs, settings = catalog.briefs(roundtable.DEFINITION), roundtable.DEFINITION.settings
    return {name: with_oracle(build(read_settings(settings, values), briefs, 7)) for name, values in PROFILES.items()}


# Mechanical mutants

EQUIVALENT: Mapping[str, str] = {}
"""Mutants that change no decision, each with the reason; so far there are none."""


def mechanical() -> list[Mutant]:
    """Make every mutant that mechanical.py knows how to make, in the order of the modules."""
    from tests.verify.mechanical import changes

    found: dict[str, Mutant] = {}
    for name in MODULES:
        for kind, place, what, change in changes(ast.parse(source(name)), Phase):
            full, number = f"{kind}: {place}: {what}", 2
            while full in found:
                full, number = f"{kind}: {place}: {what} #{number}", number + 1
            found[full] = Mutant(kind, full, _builder(name, change), MATERIAL)
    return list(found.values())


def _builder(name: str, change: Change) -> Callable[[], Built]:
    return lambda: roundtables(rules(name, change))


# By hand


def by_hand() -> list[Mutant]:
    """Make the mutants that no change of one line gives."""
    from tests.protocols.roundtable.defects.planted import DEFECTS

    def planted(plant: Callable[[Protocol[Any]], Protocol[Any]]) -> Callable[[], Built]:
        return lambda: {name: plant(each) for name, each in roundtables().items()}

    return [Mutant(BY_HAND, f"{BY_HAND}: {name}", planted(plant), MATERIAL) for name, plant in DEFECTS.items()]


def everything() -> dict[str, list[Mutant]]:
    """Return all mutants, by kind."""
    kinds: dict[str, list[Mutant]] = {}
    for mutant in (*by_hand(), *mechanical()):
        kinds.setdefault(mutant.kind, []).append(mutant)
    return kinds


if __name__ == "__main__":
    sys.exit(main(everything(), EQUIVALENT))
