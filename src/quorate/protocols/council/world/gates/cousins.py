"""Candidates for cousins: new files and names similar to existing ones, for the seats to judge (C8).

Things of one kind are scored as in the seed project's linter: 0.6 name similarity plus 0.4 share of common words.
Comparisons are bounded: each new name is compared with the existing names that share the most trigrams.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from posixpath import splitext
from typing import Any

from quorate.files.places import is_code, is_test
from quorate.protocols.council.world.gates.gate_findings import place_order
from quorate.protocols.council.world.gates.likeness import names_alike, words_alike, words_in
from quorate.protocols.council.world.gates.order import Order
from quorate.protocols.council.world.gates.paths import Components, normal, refusal
from quorate.protocols.council.world.rfc.model import Rfc, Ticket

LEAST, HIGH = 60, 80
MOST_LISTED = 50
MOST_NEW, MOST_EXISTING = 2_000, 20_000
MOST_DEFINED = 20
"""Names that the examples of one ticket define and that are compared."""
MOST_COMPARED = 20
"""Existing names that one new name is compared with."""
COMMON = 500
"""Names from which on a piece of a name tells nothing."""
_GENERIC = frozenset({"init", "index", "mod", "lib", "main", "types", "readme"})
"""Names of files that say nothing; their folder's name is taken."""
_PLAIN = frozenset(
    {"a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "into", "is", "it", "its", "of"}
    | {"on", "or", "that", "the", "this", "to", "with", "which", "crates", "src", "lib", "pkg"}
)
"""Words that every text has."""
_DEFINED = re.compile(
    r"^[ \t]*(?:pub(?:\([a-z]{1,10}\))? |export |async |abstract |final )*"
    r"(?:class|def|struct|enum|trait|interface|fn|func|function|type) ([A-Za-z_]\w{3,80})",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Thing:
    """A named thing: a file, a component, an extension point, or a name in an example."""

    kind: str
    """The ending of a file, or `part`."""
    name: str
    """Its words joined by underscores."""
    words: frozenset[str]
    where: str
    """Its path, or its id."""
    component: str = ""


def cousins(rfc: Rfc, order: Order) -> list[dict[str, Any]]:
    """Return the candidates, the best first; none if no existing files or components are known."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    existing = _Existing(rfc)
    for ticket, new in islice(_new(order), MOST_NEW):
        changed = {normal(file.path) for file in ticket.modifies}
        for score, thing in existing.like(new):
            key = (ticket.key, new.name, thing.where)
            if (
                thing.where != new.where
                and thing.where not in changed
                and score > found.get(key, {"score": 0})["score"]
            ):
                found[key] = _candidate(ticket, new, thing, score)
    ranked = sorted(found.values(), key=lambda row: (-row["score"], place_order(row["ticket"]), *_texts(row)))
    return ranked[:MOST_LISTED]


def _texts(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["path"], row["name"], row["existing"]


def _candidate(ticket: Ticket, new: Thing, thing: Thing, score: int) -> dict[str, Any]:
    shared = sorted(new.words & thing.words)
    level = "high" if score >= HIGH else "possible"
    names, words = names_alike(new.name, thing.name), words_alike(new.words, thing.words)
    why = f"{level}: names alike to {names} %, words to {words} %"
    return {
        "ticket": ticket.key,
        "path": new.where,
        "name": new.name,
        "existing": thing.where,
        "component": thing.component,
        "score": score,
        "why": f"{why} ({', '.join(shared[:8])})" if shared else why,
    }


# What is new


def _new(order: Order) -> Iterator[tuple[Ticket, Thing]]:
    """Yield files that tickets create and names that examples define, except tests, which resemble their subject."""
    for ticket in order.live:
        for file in ticket.creates:
            path = normal(file.path)
            if not refusal(file.path) and not is_test(path):
                thing = _file(path)
                yield ticket, thing
                if is_code(path):
                    yield ticket, _part(thing.name, f"{thing.name} {file.purpose}", path)
        defined = (match[1] for example in ticket.examples for match in _DEFINED.finditer(example.code))
        for name in islice(dict.fromkeys(defined), MOST_DEFINED):
            if not name.lower().startswith("test"):
                yield ticket, Thing("", "_".join(words_in(name)), frozenset(words_in(name)), "")


def _file(path: str, component: str = "") -> Thing:
    stem, ending = splitext(path)
    folder, _, name = stem.rpartition("/")
    name = "_".join(words_in(name))
    if name in _GENERIC and folder:
        name = "_".join(words_in(folder.rpartition("/")[2]))
    return Thing(ending.lower() or "file", name, frozenset(words_in(stem)) - _PLAIN, path, component)


def _part(name: str, text: str, where: str, component: str = "") -> Thing:
    joined = "_".join(words_in(name))
    return Thing("part", joined, frozenset(words_in(text[:5_000])) - _PLAIN, where, component)


# What exists


class _Existing:
    """Index of existing things by trigrams of their names."""

    def __init__(self, rfc: Rfc) -> None:
        self._things = _things(rfc)
        self._by_piece: dict[str, list[int]] = {}
        for at, thing in enumerate(self._things):
            for piece in _pieces(thing.name):
                self._by_piece.setdefault(piece, []).append(at)

    def like(self, new: Thing) -> Iterator[tuple[int, Thing]]:
        """Yield existing things similar to a new one, with the score; a name in an example may match any kind."""
        shared: Counter[int] = Counter()
        for piece in _pieces(new.name):
            places = self._by_piece.get(piece, ())
            if len(places) <= COMMON or len(piece) > 3:
                shared.update(places[: COMMON * 4])
        alike = [at for at in shared if not new.kind or self._things[at].kind == new.kind]
        for at in sorted(alike, key=lambda each: (-shared[each], each))[:MOST_COMPARED]:
            thing = self._things[at]
            score = (60 * names_alike(new.name, thing.name) + 40 * words_alike(new.words, thing.words)) // 100
            if score >= LEAST:
                yield score, thing


def _things(rfc: Rfc) -> list[Thing]:
    components = Components(rfc.atlas.components)
    things = []
    for component in sorted(rfc.atlas.components, key=lambda each: each.id):
        things.append(_part(component.name, f"{component.name} {component.description}", component.id, component.id))
        for point in component.extension_points:
            things.append(_part(point.name, f"{point.name} {point.description}", point.id, component.id))
    for path in sorted(rfc.atlas.files)[:MOST_EXISTING]:
        if not is_test(path):
            owner = components.of(path)
            things.append(_file(path, owner.id if owner else ""))
    return things


def _pieces(name: str) -> frozenset[str]:
    """Return the whole name and its trigrams."""
    return frozenset({name, *(name[at : at + 3] for at in range(len(name) - 2))} if name else ())
