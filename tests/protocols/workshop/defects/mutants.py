"""Planted defects of the workshop: mutants of its modules, and whether verify finds them.

`python tests/protocols/workshop/defects/mutants.py` prints the table: each mutant, the result that found it, and the
survivors.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from time import process_time
from types import FunctionType, ModuleType
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[4]))

from quorate import catalog
from quorate.core.protocol import Protocol
from quorate.kit.settings import read_settings
from quorate.protocols import workshop
from quorate.protocols.workshop.rules.model import Phase
from quorate.verify import ProofStatus, Report, verify
from tests.protocols.workshop.defects.note_walks import NOTED
from tests.protocols.workshop.defects.walks import SMALL
from tests.protocols.workshop.oracle import with_oracle
from tests.verify.mutants import BY_HAND, Fate, Mutant

PACKAGE = "quorate.protocols.workshop.rules"
MODULES = (
    *("lives", "next_action", "holds", "names", "parts", "focus", "agreement"),
    *("synthesis_effects", "closure", "rulings", "protocol"),
)
"""The rules in code; each imports only those before it."""
FOLDER = Path(str(workshop.__file__)).parent / "rules"
MATERIAL = workshop.DEFINITION.proven_with()

Overrides = Mapping[str, Callable[[Any], Any]]
Built = Mapping[str, Protocol[Any]]
Change = Callable[[ast.Module], None]


@cache
def source(name: str) -> str:
    return (FOLDER / f"{name}.py").read_text(encoding="utf-8")


def rules(name: str = "", change: Change | None = None, overrides: Overrides | None = None) -> dict[str, ModuleType]:
    """Return fresh modules of the rules, one of them changed; those after it import the changed one.

    An override makes another value of the one that is there: `take_votes` is that name, `Workshop.conclude` a method.
    Enumerations stay the real ones, for forms and settings hold their members.
    """
    made: dict[str, ModuleType] = {}
    with _instead(made):
        for each in MODULES:
            tree = ast.parse(source(each))
            if each == name and change is not None:
                change(tree)
            module = made[each] = ModuleType(f"{PACKAGE}.{each}")
            _keep_enums(tree, sys.modules[module.__name__], module)
            sys.modules[module.__name__] = module  # later ones import it, and dataclasses look their module up
            exec(compile(ast.fix_missing_locations(tree), f"{each}.py", "exec"), module.__dict__)
            for place, value in (overrides or {}).items() if each == name else ():
                owner, _, inner = place.rpartition(".")
                holder = getattr(module, owner) if owner else module
                setattr(holder, inner, value(getattr(holder, inner)))
    return made


def _keep_enums(tree: ast.Module, real: ModuleType, module: ModuleType) -> None:
    def is_enum(node: ast.stmt) -> bool:
        return isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "Enum" for base in node.bases)

    module.__dict__.update({node.name: getattr(real, node.name) for node in tree.body if is_enum(node)})  # type: ignore[attr-defined]
    tree.body = [node for node in tree.body if not is_enum(node)]


@contextmanager
def _instead(made: Mapping[str, ModuleType]) -> Iterator[None]:
    """Put the real modules back in their places afterwards."""
    real = {name: sys.modules[f"{PACKAGE}.{name}"] for name in MODULES}
    try:
        yield
    finally:
        sys.modules.update({f"{PACKAGE}.{name}": module for name, module in real.items()})


def workshops(
    made: Mapping[str, ModuleType] | None = None, names: tuple[str, ...] = tuple(SMALL), **instead: Any
) -> dict[str, Protocol[Any]]:
    """Build small workshops with these rules, those named, each held against the oracle."""
    code = rules() if made is None else made
    found = {name: getattr(code["protocol"], name) for name in ("Workshop", "TABLE", "INTERRUPTS", "EXIT_CODES")}
    build = FunctionType(workshop.build.__code__, {**workshop.build.__globals__, **found, **instead})
    briefs = catalog.briefs(workshop.DEFINITION)
    settings = workshop.DEFINITION.settings

    def small(name: str) -> Protocol[Any]:
        walk = {**SMALL, **NOTED}[name]
        built = build(read_settings(settings, walk.settings), briefs, 7)
        alike = built.interchangeable if walk.alike else ()
        return with_oracle(replace(built, domains=walk.domains(), interchangeable=alike))

    return {name: small(name) for name in names}


# Whether they are found


@cache
def standing(names: tuple[str, ...]) -> frozenset[tuple[int, str]]:
    """What the real workshop leaves open under these few walks: rows and briefs that only others use."""
    return _failures(verify(workshops(names=names), MATERIAL))


def _failures(report: Report) -> frozenset[tuple[int, str]]:
    return frozenset((each.number, each.detail) for each in report.results if each.status is ProofStatus.FAILED)


def fate(mutant: Mutant) -> Fate:
    """Verify a mutant up to its first failure, other than what the real workshop has under the same walks."""
    try:
        protocols = mutant.build()
    except Exception as error:
        return Fate(mutant, 0, f"refused when built: {error}")
    try:
        found = _failures(verify(protocols, mutant.material, stop_at_first=True))
    except Exception as error:
        return Fate(mutant, 0, f"cannot even be told: {error}")
    if any(number not in (1, 9) for number, _ in found):
        return Fate(mutant, *min((each for each in found if each[0] not in (1, 9)), key=lambda each: each[0]))
    fresh = found - standing(tuple(protocols))
    return Fate(mutant, *min(fresh)) if fresh else Fate(mutant, None, "survived")


def missed(mutants: list[Mutant]) -> set[str]:
    """Return the names of the mutants that survived."""
    return {mutant.name for mutant in mutants if fate(mutant).number is None}


# Mechanical mutants

LIVELY: Mapping[str, tuple[str, ...]] = {
    "take_agenda": ("rounds", "matters", "read"),
    "take_question": ("ranks",),
    "may_take_away": ("moves", "consent", "one votes"),
    "is_advised": ("aged",),
    "is_bound": ("bound", "mixed"),
    "candidates": ("rounds", "ranks", "mixed", "bound", "matters", "lasting"),
    "begin_round": ("mixed", "unsure"),
    "_next_round": ("bound",),
    "take_synthesis": ("rounds", "unsure"),
    "next_place": ("bound", "passes", "consent"),
    "_stage_is_done": ("mixed", "bound", "disney"),
    "next_id": ("criteria",),
    "next_ids": ("moves", "conflicts"),
    "numbered": ("criteria",),
    "count": ("own", "moves"),
    "old": ("own", "moves"),
    "meant": ("own", "conflicts"),
    "drafts": ("consent",),
    "sent_back": ("blocks",),
    "votes_now": ("consent",),
    "contestable": ("conflicts", "moves"),
    "age": ("aged",),
    "speakers": ("weights", "rounds"),
    "supporters": ("weights", "judged by a note"),
    "check_report": ("judged by a note", "consent led by a note"),
    "process": ("rounds", "limits", "own", "judged by a note"),
    "agreement": ("weights", "debate"),
    "carries": ("weights",),
    "agreement_of_new": ("weights",),
    "dispute": ("conflicts",),
    "disputed": ("conflicts", "disputed"),
    "held": ("ruled", "disputed"),
    "level": ("conflicts", "ruled"),
    "levelled": ("conflicts", "moves"),
    "put": ("moves", "conflicts"),
    "add": ("conflicts",),
    "rule_on": ("ruled", "conflicts"),
    "confirm": ("ruled", "conflicts"),
    "_applied": ("ruled", "conflicts"),
    "reopened": ("anew",),
    "_waiting_anew": ("anew",),
    "part_for": ("read", "one reads"),
    "unread": ("read",),
    "judges": ("read", "consent"),
    "confirmed": ("ruled",),
    "_new": ("moves", "repeats", "many", "led by a note"),
    "_about": ("conflicts", "ruled", "repeats", "own"),
    "_advanced": ("moves", "consent"),
    "_anew": ("moves", "judged"),
    "_check_endorsed": ("moves", "consent"),
    "ended": ("conflicts", "matters"),
    "is_unvoted": ("consent", "blocks"),
    "bars": ("read", "ruled", "conflicts"),
    "reasons": ("aged", "unsure"),
    "choice_of": ("conflicts", "aged", "ruled"),
    "issue": ("ruled", "conflicts", "interactive"),
    "by_person": ("ruled", "interactive"),
    "with_more_rounds": ("conflicts", "ruled"),
    "_heard": ("rounds", "read", "one reads"),
    "_with_doubts": ("unsure", "any unsure", "one speaks"),
    "contest": ("conflicts",),
    "blocks": ("consent",),
    "take_votes": ("consent",),
    "_voted": ("consent", "blocks"),
    "_create": ("matters", "many"),
    "_supersede": ("moves", "blocks", "anew"),
    "_change": ("moves",),
    "_moved": ("moves", "judged", "disputed", "consent", "anew"),
    "_check_method": ("conflicts", "matters", "blocks", "nobody counts in a debate"),
    "resolve": ("conflicts", "matters"),
    "_without_taking_from_a_topic": ("moves",),
    "_cover": ("criteria",),
    "close_topics": ("debate", "bound", "rounds"),
    "_event": ("rounds",),
    "lacks": ("criteria", "conflicts", "ruled", "blocks"),
    "overdue": ("aged",),
    "to_put": ("aged",),
    "conditions": ("rounds", "criteria", "unsure", "aged"),
    "finished": ("criteria", "rounds"),
    "_go": ("interactive", "rounds", "unsure", "as the seed"),
    "take_pause": ("interactive",),
    "take_ruling": ("conflicts", "unsure", "ruled"),
    "take_responses": ("conflicts", "consent", "read"),
    "ask_for_responses": ("consent", "ruled"),
    "ask_at_pause": ("interactive",),
    "ask_for_ruling": ("conflicts", "ruled"),
    "TABLE": ("interactive", "rounds"),
    "degradation": ("rounds",),
}
"""The small walks that show what is wrong with a function; all others take `USUAL`."""
USUAL = ("rounds", "limits")
SHOWN = ("as_table", "combinations", "parts_of", "divided", "cannot_be_shown", "_divided", "_pieces", "_short")
"""What only documents, views and the clerk use; tests have it, for no decision does."""
EQUIVALENT: Mapping[str, str] = {
    "comparison flipped: sent_back: 0 < each.blocked < MOST_BLOCKED, now LtE": (
        "what was never blocked has no round of a block either, and rounds are counted from 1"
    ),
    "update dropped: begin_round: attempt in replace(state, scene=scene, attempt=0)": (
        "a stage takes a second round only while topics of it are open, and then it is not passed over"
    ),
    "update dropped: decide_next: because in replace(decision, because=(lost, *decision.because))": (
        "only a test that did not hold is missing from the reasons; the decision is the same"
    ),
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
            found[full] = Mutant(kind, full, _builder(name, change, LIVELY.get(place, USUAL)), MATERIAL)
    return list(found.values())


def _builder(name: str, change: Change, walks: tuple[str, ...]) -> Callable[[], Built]:
    return lambda: workshops(rules(name, change), walks)


# By hand


def by_hand() -> list[Mutant]:
    """Make the mutants that no change of one line gives."""
    from tests.protocols.workshop.defects.planted import DEFECTS, REPLANNED
    from tests.protocols.workshop.defects.promised import PROMISED
    from tests.protocols.workshop.defects.rewritten import REWRITTEN

    def rewritten(module: str, walk: str, overrides: Overrides) -> Callable[[], Built]:
        return lambda: workshops(rules(module, overrides=overrides), (walk,))

    def planted(walk: str, plant: Callable[[Protocol[Any]], Protocol[Any]]) -> Callable[[], Built]:
        return lambda: {name: plant(each) for name, each in workshops(names=(walk,)).items()}

    def replanned(walk: str, change: Callable[[Any], Any]) -> Callable[[], Built]:
        return lambda: workshops(names=(walk,), plan_of=change(workshop.build.__globals__["plan_of"]))

    made = {name: rewritten(*own) for name, own in REWRITTEN.items()}
    made |= {name: planted(*own) for name, own in DEFECTS.items()}
    made |= {name: planted(*own) for promise in PROMISED.values() for name, own in promise.items()}
    made |= {name: replanned(*own) for name, own in REPLANNED.items()}
    return [Mutant(BY_HAND, f"{BY_HAND}: {name}", build, MATERIAL) for name, build in made.items()]


def everything() -> dict[str, list[Mutant]]:
    """Return all mutants, by kind."""
    kinds: dict[str, list[Mutant]] = {}
    for mutant in (*by_hand(), *mechanical()):
        kinds.setdefault(mutant.kind, []).append(mutant)
    return kinds


def main() -> int:
    """Print every mutant whose name holds the first argument, what found it, the seconds it took, and the score."""
    mutants = [m for kind in everything().values() for m in kind if len(sys.argv) < 2 or sys.argv[1] in m.name]
    survivors = []
    for mutant in mutants:
        began = process_time()
        number = fate(mutant).number
        found = f"found by {number}" if number is not None else "survived"
        print(f"{found:12} {process_time() - began:5.1f} s  {mutant.name}", flush=True)
        if number is None:
            survivors.append(mutant.name)
    for name in survivors:
        print(f"{name}\n    {EQUIVALENT.get(name, 'NOT LISTED')}")
    equivalent = [name for name in survivors if name in EQUIVALENT]
    of = len(mutants) - len(equivalent)
    print(f"{len(mutants) - len(survivors)} of {of} defects found, {len(equivalent)} mutants equivalent")
    return 0 if set(survivors) <= set(EQUIVALENT) else 1


if __name__ == "__main__":
    sys.exit(main())
