"""The RFC under review, read from a session's material: places, tickets, documents and their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from quorate.core.forms import Key
from quorate.core.record import Record
from quorate.kit.strict_json import strict_json
from quorate.protocols.council.version_1.rules.taxonomy import WHOLE_RFC, Field

VERSIONS = ("v0", "v2", "v4")


@dataclass(frozen=True, slots=True)
class Where:
    """A place that a person can open."""

    file: str
    line: int
    yaml_path: str


@dataclass(frozen=True)
class Brought:
    """The RFC as it was read; its lists are empty if a session has none, as in `verify`."""

    data: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.data.get("id") or "RFC")

    @property
    def title(self) -> str:
        return str(self.data.get("title") or "")

    @property
    def version(self) -> str:
        found = self.data.get("version")
        return found if found in VERSIONS else "v4"

    @property
    def documents(self) -> list[dict[str, Any]]:
        return list(self.data.get("documents", ()))

    @property
    def tickets(self) -> list[dict[str, Any]]:
        return list(self.data.get("tickets", ()))

    @property
    def requirements(self) -> list[dict[str, Any]]:
        return list(self.data.get("requirements", ()))

    @property
    def components(self) -> list[dict[str, Any]]:
        return list(self.data.get("components", ()))

    def entry(self, place: Key) -> dict[str, Any] | None:
        """Return the ticket or document of a key; None for the RFC as a whole."""
        return next((each for each in (*self.documents, *self.tickets) if each["key"] == place), None)

    def name(self, place: Key) -> str:
        """Return the name of a place: a ticket's id, a document's name, or the RFC's id."""
        entry = self.entry(place)
        if entry is None:
            return self.id if place == WHOLE_RFC else str(place)
        return str(entry.get("id") or entry.get("name") or place)

    def where(self, place: Key, field: Field) -> Where:
        """Return the location of a field; a field that a ticket lacks is located at the ticket (C28)."""
        entry = self.entry(place)
        if entry is None:
            root = self.documents[0]["name"] if self.documents else self.id
            return Where(_file_of(self.documents[0]) if self.documents else str(root), 1, "")
        at = entry.get("fields", {}).get(field.value)
        if at is not None:
            return Where(str(at["file"]), int(at["line"]), str(at["yaml_path"]))
        return Where(_file_of(entry), int(entry.get("line", 1)), str(entry.get("yaml_path", "")))


def _file_of(entry: Mapping[str, Any]) -> str:
    return str(entry.get("file") or entry.get("name") or "")


def brought(record: Record) -> Brought:
    """Return the RFC of a session."""
    return _read(record.material.get("rfc", "{}"))


@lru_cache(maxsize=8)
def _read(text: str) -> Brought:
    try:
        found = strict_json(text)
    except ValueError:
        found = {}
    return Brought(found if isinstance(found, dict) else {})


def receipt(report: object) -> dict[str, Any]:
    """Return the receipt in the gates' report; empty if it is malformed."""
    text = getattr(getattr(report, "receipt", None), "text", "{}")
    try:
        found = strict_json(text)
    except ValueError:
        found = {}
    return found if isinstance(found, dict) else {}
