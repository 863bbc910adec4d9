"""The items of a synthesis with valid attributions, by target document (T22, T23)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.protocols.roundtable.rules.forms import ActionItem, Decided, Insight, OpenQuestion, Synthesis
from quorate.protocols.roundtable.rules.model import USER
from quorate.protocols.roundtable.rules.personas import Cast

Item = Insight | Decided | OpenQuestion | ActionItem
LISTS = ("insights", "decisions", "open_questions", "action_items")


@dataclass(frozen=True, slots=True)
class KeptItem:
    """One item of a synthesis, as it is kept."""

    kind: str
    """The list it stands in."""
    item: Item
    names: tuple[Key, ...]
    """Who said it, who resolves it, or who does it."""
    document: Key | None
    """Where it goes; None where there is no document."""
    dropped: tuple[Fact, ...] = field(default=())


def harvest(cast: Cast, synthesis: Synthesis, spoken: tuple[Key, ...]) -> tuple[KeptItem, ...]:
    """Return every non-empty item. Reads no prose, so that decisions and views get the same result."""
    items = ((kind, item) for kind in LISTS for item in getattr(synthesis, kind))
    return tuple(_kept(cast, kind, item, spoken) for kind, item in items if not item.blank)


def targets(cast: Cast, kept: tuple[KeptItem, ...]) -> tuple[Key, ...]:
    """Return the documents that get an addition, in order."""
    return tuple(key for key in cast.documents if any(each.document == key for each in kept))


def _kept(cast: Cast, kind: str, item: Item, spoken: tuple[Key, ...]) -> KeptItem:
    table = (*cast.keys, USER)
    named, able = (item.by, spoken) if isinstance(item, Insight | Decided) else (_who(item), table)
    names = tuple(key for key in named if key in able)
    documents = [key for key in item.document if key in cast.documents]
    facts = [Fact.of("attribution dropped", list=kind, key=key) for key in named if key not in names]
    facts += [Fact.of("document unknown", list=kind, key=key) for key in item.document if key not in documents]
    return KeptItem(kind, item, names, next(_first(documents, cast), None), tuple(facts))


def _first(documents: list[Key], cast: Cast) -> Iterator[Key]:
    yield from documents
    yield from cast.documents


def _who(item: OpenQuestion | ActionItem) -> tuple[Key, ...]:
    return item.resolver if isinstance(item, OpenQuestion) else item.owner
