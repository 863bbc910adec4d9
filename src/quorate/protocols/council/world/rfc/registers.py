"""Reading what an RFC lists besides tickets: decisions, evidence, justifications and allowed paths."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from quorate.core.errors import InputError
from quorate.files.located_values import Located
from quorate.files.yaml import load
from quorate.protocols.council.rules.taxonomy import Field
from quorate.protocols.council.world.rfc.files import Shelf
from quorate.protocols.council.world.rfc.model import DesignDecision, Justification
from quorate.protocols.council.world.rfc.sheet import MOST_ID, Sheet, place_of, walk

_DECISION = re.compile(r"(?:DEC|AD|DD)-[A-Z0-9-]{1,60}")
_EVIDENCE = re.compile(r"(?:[A-Z]{1,12}-)?EVID-[A-Z0-9-]{1,60}")
_JUSTIFICATIONS = "cousin_justifications"


def read_decisions(root: Located | None) -> tuple[DesignDecision, ...]:
    """Return the decisions of the second document: list entries whose id begins with DEC-, AD- or DD-."""
    found: dict[str, DesignDecision] = {}
    for entry in _entries(root):
        name = _id(entry, ("decision_id", "id"), _DECISION)
        if name:
            title = _text(entry, ("title", "name", "summary", "decision", "statement"))
            found.setdefault(name, DesignDecision(name, title, place_of(entry)))
    return tuple(found.values())


def registered_evidence(root: Located | None) -> frozenset[str]:
    """Return the ids of evidence that a document registers: list entries with an id, not passing mentions."""
    names = (_id(entry, ("evidence_id", "id"), _EVIDENCE) for entry in _entries(root))
    return frozenset(name for name in names if name)


def stored_evidence(shelf: Shelf, folders: Iterable[Path | None]) -> frozenset[str]:
    """Return the ids of evidence files in folders: the id in a YAML file, else the file's name."""
    found: set[str] = set()
    for folder in folders:
        artifacts, _ = shelf.listed(None if folder is None else folder / "evidence_artifacts", ("",))
        for path in artifacts:
            if not shelf.inside(path):
                continue
            name = path.name.partition(".")[0]
            if path.suffix in (".yaml", ".yml"):
                name = _written_id(shelf, path) or name
            if _EVIDENCE.fullmatch(name):
                found.add(name)
    return frozenset(found)


def read_justifications(sheet: Sheet, node: Located | None, ticket_id: str = "") -> tuple[Justification, ...]:
    """Return the entries of a list `cousin_justifications`; within a ticket `ticket_id` may be omitted.

    Missing fields are left empty; the gate decides whether a justification holds.
    """
    found: list[Justification] = []
    for entry in sheet.items(node, Field.NOTES):
        given = sheet.mapping(entry, Field.NOTES)
        if given:
            ticket = sheet.text(given.get("ticket_id"), Field.NOTES)[:MOST_ID] or ticket_id
            path = sheet.text(given.get("file_path"), Field.NOTES)
            found.append(
                Justification(
                    ticket_id=ticket,
                    file_path=path,
                    existing_component=sheet.prose(given.get("existing_component"), Field.NOTES),
                    capability_gap=sheet.prose(given.get("capability_gap"), Field.NOTES),
                    evidence_artifact=sheet.prose(given.get("evidence_artifact"), Field.NOTES),
                    decision=sheet.prose(given.get("decision"), Field.NOTES),
                    decision_rationale=sheet.prose(given.get("decision_rationale"), Field.NOTES),
                    at=place_of(entry),
                )
            )
        elif entry.value is None or isinstance(entry.value, Mapping):
            sheet.wrong(entry, "a mapping with `ticket_id` and `file_path`", Field.NOTES)
    return tuple(found)


def justifications_of(root: Located | None, content: Located | None) -> Located | None:
    """Return a document's list of justifications, below or beside its root key."""
    for node in (content, root):
        if node is not None and isinstance(node.value, Mapping) and _JUSTIFICATIONS in node.value:
            return node.value[_JUSTIFICATIONS]
    return None


def read_allowed(sheet: Sheet, meta: Mapping[str, Located]) -> tuple[str, ...]:
    """Return the paths of `allowed_new_files`: texts, or mappings with `path`."""
    paths: list[str] = []
    for entry in sheet.items(meta.get("allowed_new_files"), Field.FILES_TO_CREATE):
        node = entry.value.get("path", entry) if isinstance(entry.value, Mapping) else entry
        if isinstance(node.value, str) and node.value.strip():
            paths.append(node.value.strip())
        else:
            sheet.wrong(node, "a path", Field.FILES_TO_CREATE)
    return tuple(paths)


def _entries(root: Located | None) -> Iterable[Located]:
    """Yield all mappings that are list entries, at any depth."""
    if root is not None:
        for node in walk(root):
            if isinstance(node.value, Mapping) and node.path and isinstance(node.path[-1], int):
                yield node


def _id(entry: Located, names: tuple[str, ...], pattern: re.Pattern[str]) -> str:
    name = _text(entry, names)
    return name if pattern.fullmatch(name) else ""


def _text(entry: Located, names: tuple[str, ...]) -> str:
    assert isinstance(entry.value, Mapping)
    for name in names:
        node = entry.value.get(name)
        if node is not None and isinstance(node.value, str):
            return node.value.strip()
    return ""


def _written_id(shelf: Shelf, path: Path) -> str:
    text = shelf.read(path)
    if not isinstance(text, str):
        return ""
    try:
        root = load(text, path.name)
    except InputError:
        return ""
    for node in (root, *(root.value.values() if isinstance(root.value, Mapping) else ())):
        if isinstance(node.value, Mapping):
            name = _text(node, ("id", "evidence_id"))
            if name:
                return name
    return ""
