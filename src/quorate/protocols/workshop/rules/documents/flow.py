"""Who talks to whom in a design: from what components depend on, require and provide, as a list and as a diagram."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quorate.protocols.workshop.rules.documents.overview import Artifact, Overview
from quorate.protocols.workshop.rules.documents.plain import bullets, label, line

MOST_EDGES = 200
"""Arrows in the diagram; the list has them all."""


@dataclass(frozen=True, slots=True)
class Node:
    """An end of an arrow: an artifact, or something that only was named."""

    id: str
    """Empty for what is outside of the design."""
    name: str

    @property
    def words(self) -> str:
        return f"{self.id} {self.name}".strip()


@dataclass(frozen=True, slots=True)
class Edge:
    start: Node
    verb: str
    end: Node


def edges(overview: Overview) -> tuple[Edge, ...]:
    """Return the arrows: what a component depends on or requires, and who provides an interface, each once."""
    known = overview.of("COMP", "INT")
    providers = _providers(known)
    found: dict[Edge, None] = {}
    for component in overview.of("COMP"):
        here = Node(component["id"], component["title"])
        for name in component["fields"].get("dependencies") or ():
            found[Edge(here, "depends on", _find(known, name))] = None
        for name in component["fields"].get("requires") or ():
            ends = [_find(known, name)]
            if not ends[0].id:
                ends = providers.get(_same(name), ends)
            found.update(dict.fromkeys(Edge(here, "requires", end) for end in ends))
        for name in component["fields"].get("provides") or ():
            if (end := _find(known, name)).id.startswith("INT-"):
                found[Edge(end, "is provided by", here)] = None
    return tuple(edge for edge in found if edge.start != edge.end)


def data_flow(overview: Overview) -> Iterator[str]:
    """Yield the diagram and the same as a list, for those who see no diagrams."""
    found = edges(overview)
    if not found:
        return
    yield _diagram(found[:MOST_EDGES])
    if len(found) > MOST_EDGES:
        yield f"The diagram shows the first {MOST_EDGES} of {len(found)} arrows; the list has all of them."
    yield bullets(f"{line(each.start.words)} {each.verb} {line(each.end.words)}" for each in found)


def _diagram(found: Sequence[Edge]) -> str:
    """A Mermaid flowchart; its node names are ours, and its labels have nothing that Mermaid acts upon."""
    nodes = list(dict.fromkeys(node for each in found for node in (each.start, each.end)))
    keys = {node: f"n{count}" for count, node in enumerate(nodes, start=1)}
    lines = ["```mermaid", "flowchart LR"]
    lines += [f'    {keys[node]}["{_label(node)}"]' for node in nodes]
    lines += [f"    {keys[each.start]} -->|{each.verb}| {keys[each.end]}" for each in found]
    return "\n".join((*lines, "```"))


def _label(node: Node) -> str:
    # A label that began with `1.` would be taken for a list.
    return label(node.words) if node.id else f"external: {label(node.name) or 'unnamed'}"


def _providers(known: Sequence[Artifact]) -> dict[str, list[Node]]:
    found: dict[str, list[Node]] = {}
    for each in known:
        for name in each["fields"].get("provides") or ():
            found.setdefault(_same(name), []).append(Node(each["id"], each["title"]))
    return found


def _find(known: Sequence[Artifact], name: str) -> Node:
    """The artifact that a name means, by its id or its title; else something outside."""
    words = _same(name)
    for each in known:
        if words in (_same(each["id"]), _same(each["title"]), _same(f"{each['id']} {each['title']}")):
            return Node(each["id"], each["title"])
    return Node("", name)


def _same(name: str) -> str:
    """Names that differ in capitals and white space only are the same."""
    return " ".join(name.split()).casefold()
