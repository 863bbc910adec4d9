"""Planted defects of the review: mutants of its counting and its verbs, and whether verify finds them.

`python tests/protocols/review/defects/mutants.py` prints the table: each mutant, the result that found it, and the
survivors.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[4]))

from quorate import catalog
from quorate.core.protocol import Protocol
from quorate.core.types import Question
from quorate.kit.findings import Severity
from quorate.kit.settings import read_settings
from quorate.protocols import review
from quorate.protocols.review.rules import ballot_count, protocol
from quorate.protocols.review.rules.forms import Ballot, Examination, FixItem
from quorate.protocols.review.rules.model import Phase
from tests.protocols.review.oracle import with_oracle
from tests.verify.mutants import BY_HAND, Mutant, main

SOURCES = {
    name: Path(str(module.__file__)) for name, module in (("ballot_count", ballot_count), ("protocol", protocol))
}
MATERIAL = review.DEFINITION.proven_with()
PROFILES: Mapping[str, Mapping[str, Any]] = {
    "a limit": {"members": ["adjudicator"], "rounds": 1, "max_episodes": 3, "abstain_below": 0},
    "two members, all needed": {
        "members": ["engineering-architect", "operations-sre"],
        "rounds": 2,
        "attendance": "1/1",
    },
    "a business driver": {"members": ["knowledge-manager", "business-driver"], "rounds": 3},
    "the literal table": {
        "members": ["knowledge-manager", "business-driver"],
        "rounds": 2,
        "quorum": "1/2",
        "redebate": False,
        "blocking_severity": "low",
        "confirm_items": False,
    },
    "two members and a claim": {"members": ["engineering-architect", "operations-sre"], "rounds": 1},
    "the adjudicator": {"members": ["adjudicator"], "rounds": 2},
    "an unqualified member and skeptic": {
        "members": ["engineering-architect", "operations-sre"],
        "rounds": 1,
        "unqualified_seats": ["operations-sre", "skeptic"],
    },
    "an unqualified committee": {"members": ["adjudicator"], "rounds": 1, "unqualified_seats": ["adjudicator"]},
    "narrow": {"style": "narrow", "members": ["adjudicator"], "rounds": 1, "readings": 2},
    "two holders": {"members": ["knowledge-manager", "business-driver", "operations-sre"], "rounds": 3},
}
"""Small settings that together keep every rule live; those that find most in little time first."""
CLAIMED = "two members and a claim"
"""Where a claim is judged by more than one."""

Overrides = Mapping[str, Any]
Built = Mapping[str, Protocol[Any]]


@cache
def source(name: str) -> str:
    return SOURCES[name].read_text(encoding="utf-8")


def module(name: str, change: Callable[[ast.Module], None] | None = None) -> ModuleType:
    """Return a fresh module with the source of `ballot_count` or `protocol`, changed."""
    tree = ast.parse(source(name))
    if change is not None:
        change(tree)
    made = ModuleType(f"mutant_{name}")
    sys.modules[made.__name__] = made  # dataclasses look their module up
    exec(compile(ast.fix_missing_locations(tree), f"{name}.py", "exec"), made.__dict__)
    return made


def reviews(counts: ModuleType | None = None, rules: ModuleType | None = None) -> dict[str, Protocol[Any]]:
    """Build the review under all profiles, with another counting or other verbs where given."""
    verbs = rules or module("protocol")
    if counts is not None:
        for name in ("count_round", "blocking_items", "withheld_vetoes", "doubtful_items", "ended"):
            verbs.__dict__[name] = counts.__dict__[name]
    names = ("Review", "TABLE", "INTERRUPTS", "EXIT_CODES")
    changed = {**review.build.__globals__, **{name: getattr(verbs, name) for name in names}}
    build = FunctionType(review.build.__code__, changed)
    briefs = catalog.briefs(review.DEFINITION)
    settings = review.DEFINITION.settings
    built = {name: build(read_settings(settings, values), briefs, 7) for name, values in PROFILES.items()}
    return {name: with_oracle(wider(each, claims=name == CLAIMED)) for name, each in built.items()}


def wider(narrow: Protocol[Any], *, claims: bool) -> Protocol[Any]:
    """Walk more than `verify review` does: a worse item on the same file and rule, a claim that two members judge."""
    ballots, examinations = narrow.domains[Ballot], narrow.domains[Examination]

    def more_ballots(question: Question) -> tuple[Any, ...]:
        values: tuple[Any, ...] = ballots.values(question)
        known = next((each for each in values if each.items), None)
        return values if known is None else (*values, replace(known, items=(worse(known.items[0]),)))

    def more_examinations(question: Question) -> tuple[Any, ...]:
        values: tuple[Any, ...] = examinations.values(question)
        return (*values, replace(values[0], claims=1)) if claims else values

    domains = {
        Ballot: replace(ballots, values=more_ballots),
        Examination: replace(examinations, values=more_examinations),
    }
    return replace(narrow, domains={**narrow.domains, **domains})


def worse(item: FixItem) -> FixItem:
    return replace(item, severity=Severity.CRITICAL)


# Mechanical mutants

EQUIVALENT: Mapping[str, str] = {
    "and for or: _ends: ballot is None or counted is None": "every ballot is counted: both are None, or neither",
    "negated: _agree: chair #2": "only the rule that is cited changes, R25 or R26, which a transcript shows",
    "negated: _not_met: self._nobody_counts(state)": "only the rule that is cited changes, R49 or another",
    "negated: _not_met: self.settings.narrow": "only the rule that is cited changes, R53 or another",
    "negated: _not_met: state.deserted": "only the rule that is cited changes, R12 or R20, as a transcript shows",
    "negated: _yes: value": "only the words of a test change, which the transcripts show; its truth does not",
}
"""Mutants that change no decision, each with the reason."""


def mechanical() -> list[Mutant]:
    """Make every mutant that mechanical.py knows how to make of both sources, in their order."""
    from tests.verify.mechanical import changes

    found: dict[str, Mutant] = {}
    for name in SOURCES:
        for kind, place, what, change in changes(ast.parse(source(name)), Phase):
            full, number = f"{kind}: {place}: {what}", 2
            while full in found:
                full, number = f"{kind}: {place}: {what} #{number}", number + 1
            found[full] = Mutant(kind, full, _builder(name, change), MATERIAL)
    return list(found.values())


def _builder(name: str, change: Callable[[ast.Module], None]) -> Callable[[], Built]:
    def build() -> Built:
        made = module(name, change)
        return reviews(made) if name == "ballot_count" else reviews(rules=made)

    return build


# By hand


def by_hand() -> list[Mutant]:
    """Make the mutants that no change of one line gives."""
    from tests.protocols.review.defects.lost import FATES, UNJUDGED, VETOES, VETOES_COUNTED
    from tests.protocols.review.defects.miscounts import COUNTS, VERBS
    from tests.protocols.review.defects.planted import DEFECTS
    from tests.protocols.review.defects.unqualified import COUNTED, RULED

    def counted(overrides: Overrides) -> Callable[[], Built]:
        return lambda: reviews(counts=_overridden("ballot_count", overrides))

    def ruled(overrides: Overrides) -> Callable[[], Built]:
        return lambda: reviews(rules=_overridden("protocol", overrides))

    def planted(plant: Callable[[Protocol[Any]], Protocol[Any]]) -> Callable[[], Built]:
        return lambda: {name: plant(each) for name, each in reviews().items()}

    of_counts = {**COUNTS, **VETOES_COUNTED, **COUNTED}
    made: dict[str, Callable[[], Built]] = {name: counted(each) for name, each in of_counts.items()}
    made |= {name: ruled(each) for name, each in {**VERBS, **RULED}.items()}
    values = {**DEFECTS, **FATES, **VETOES, **UNJUDGED}
    made |= {name: planted(each) for name, each in values.items()}
    return [Mutant(BY_HAND, f"{BY_HAND}: {name}", build, MATERIAL) for name, build in made.items()]


def _overridden(name: str, overrides: Overrides) -> ModuleType:
    """Return a fresh module in which these names stand for something else; `Review.x` is one of its methods."""
    made = module(name)
    for place, value in overrides.items():
        owner, _, inner = place.rpartition(".")
        setattr(getattr(made, owner) if owner else made, inner, value)
    return made


def everything() -> dict[str, list[Mutant]]:
    """Return all mutants, by kind."""
    kinds: dict[str, list[Mutant]] = {}
    for mutant in (*by_hand(), *mechanical()):
        kinds.setdefault(mutant.kind, []).append(mutant)
    return kinds


if __name__ == "__main__":
    sys.exit(main(everything(), EQUIVALENT))
