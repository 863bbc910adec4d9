"""Planted defects of the council: mutants of its modules, and whether verify finds them.

`python tests/protocols/council/defects/mutants.py` prints each mutant with the result that found it, and the survivors.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[4]))

from quorate import catalog
from quorate.core.protocol import Protocol
from quorate.kit.settings import read_settings
from quorate.protocols import council
from quorate.protocols.council.rules.model import Phase
from tests.protocols.council.defects.walks import SMALL
from tests.protocols.council.oracle import with_oracle
from tests.verify.mutants import BY_HAND, Mutant, main

PACKAGE = "quorate.protocols.council.rules"
MODULES = ("lenses", "replies", "merges", "sameness", "answers", "votes", "edits", "conclusion", "protocol")
"""The rules in code; each imports only those before it."""
FOLDER = Path(str(council.__file__)).parent / "rules"
MATERIAL = council.DEFINITION.proven_with()

Overrides = Mapping[str, Callable[[Any], Any]]
Built = Mapping[str, Protocol[Any]]
Change = Callable[[ast.Module], None]


@cache
def source(name: str) -> str:
    return (FOLDER / f"{name}.py").read_text(encoding="utf-8")


def rules(name: str = "", change: Change | None = None, overrides: Overrides | None = None) -> dict[str, ModuleType]:
    """Return fresh modules of the rules, one of them changed; those after it import the changed one.

    An override makes another value of the one that is there: `take_pairs` is that name, `Council.draw` a method.
    """
    made: dict[str, ModuleType] = {}
    with _instead(made):
        for each in MODULES:
            tree = ast.parse(source(each))
            if each == name and change is not None:
                change(tree)
            module = made[each] = ModuleType(f"{PACKAGE}.{each}")
            sys.modules[module.__name__] = module  # later ones import it, and dataclasses look their module up
            exec(compile(ast.fix_missing_locations(tree), f"{each}.py", "exec"), module.__dict__)
            for place, value in (overrides or {}).items() if each == name else ():
                owner, _, inner = place.rpartition(".")
                holder = getattr(module, owner) if owner else module
                setattr(holder, inner, value(getattr(holder, inner)))
    return made


@contextmanager
def _instead(made: Mapping[str, ModuleType]) -> Iterator[None]:
    """Put the real modules back in their places afterwards."""
    real = {name: sys.modules[f"{PACKAGE}.{name}"] for name in MODULES}
    try:
        yield
    finally:
        sys.modules.update({f"{PACKAGE}.{name}": module for name, module in real.items()})


def councils(made: Mapping[str, ModuleType] | None = None, first: str = "") -> dict[str, Protocol[Any]]:
    """Build the small councils with these rules and the oracle, the one named `first` before the others."""
    code = rules() if made is None else made
    names = {"protocol": ("Council", "TABLE", "INTERRUPTS", "EXIT_CODES"), "lenses": ("select_modes",)}
    names["replies"] = ("progress",)
    found = {name: getattr(code[module], name) for module, own in names.items() for name in own}
    build = FunctionType(council.build.__code__, {**council.build.__globals__, **found})
    briefs = catalog.briefs(council.DEFINITION)
    settings = council.DEFINITION.settings
    small = {
        name: replace(build(read_settings(settings, SMALL[name].settings), briefs, 7), domains=SMALL[name].domains())
        for name in sorted(SMALL, key=lambda name: name != first)
    }
    return {name: with_oracle(protocol) for name, protocol in small.items()}


# Mechanical mutants

LIVELY: Mapping[str, str] = {
    "lenses": "gates",
    "merges": "merges",
    "sameness": "sameness",
    "answers": "answers",
    "votes": "votes",
    "edits": "edits",
    "conclusion": "answers",
}
"""Where a module is exercised most; that council is walked first, which only saves time."""
SHOWN = ("lenses",)
"""What only views use; tests of the views have it, for no decision does."""
EQUIVALENT: Mapping[str, str] = {
    "negated: draw: passed": "only the words of a test change, which a transcript shows; its truth does not",
    "negated: converge: offered #2": "only the words of a test change, which a transcript shows; its truth does not",
}
"""Mutants that change no decision, each with the reason."""


def mechanical() -> list[Mutant]:
    """Make every mutant that mechanical.py knows how to make, in the order of the modules."""
    from tests.verify.mechanical import changes

    found: dict[str, Mutant] = {}
    for name in MODULES:
        for kind, place, what, change in changes(ast.parse(source(name)), Phase):
            if place in SHOWN:
                continue
            full, number = f"{kind}: {place}: {what}", 2
            while full in found:
                full, number = f"{kind}: {place}: {what} #{number}", number + 1
            found[full] = Mutant(kind, full, _builder(name, change), MATERIAL)
    return list(found.values())


def _builder(name: str, change: Change) -> Callable[[], Built]:
    return lambda: councils(rules(name, change), LIVELY.get(name, ""))


# By hand


def by_hand() -> list[Mutant]:
    """Make the mutants that no change of one line gives."""
    from tests.protocols.council.defects.misruled import CHANGED as RULED
    from tests.protocols.council.defects.misvoted import CHANGED as VOTED
    from tests.protocols.council.defects.planted import DEFECTS

    def changed(module: str, overrides: Overrides) -> Callable[[], Built]:
        return lambda: councils(rules(module, overrides=overrides), LIVELY.get(module, ""))

    def planted(plant: Callable[[Protocol[Any]], Protocol[Any]]) -> Callable[[], Built]:
        return lambda: {name: plant(each) for name, each in councils().items()}

    from tests.protocols.council.defects.vanished import PLANTED

    made = {name: changed(module, own) for name, (module, own) in {**RULED, **VOTED}.items()}
    made |= {name: planted(plant) for name, plant in DEFECTS.items()}
    by_kind = [Mutant(BY_HAND, f"{BY_HAND}: {name}", build, MATERIAL) for name, build in made.items()]
    for promise, own in PLANTED.items():
        by_kind += [Mutant(promise, f"{promise}: {name}", planted(plant), MATERIAL) for name, plant in own.items()]
    return by_kind


def everything() -> dict[str, list[Mutant]]:
    """Return all mutants, by kind."""
    kinds: dict[str, list[Mutant]] = {}
    for mutant in (*by_hand(), *mechanical()):
        kinds.setdefault(mutant.kind, []).append(mutant)
    return kinds


if __name__ == "__main__":
    sys.exit(main(everything(), EQUIVALENT))
