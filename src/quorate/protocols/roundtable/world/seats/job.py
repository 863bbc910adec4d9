"""The clerk's job as its view tells it: what to add to which document, and what to record."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quorate.core.errors import InputError
from quorate.core.view import View
from quorate.kit.strict_json import strict_json

LISTS: Mapping[str, tuple[str, ...]] = {
    "insights": ("text", "by"),
    "decisions": ("text", "rationale", "by"),
    "open_questions": ("text", "why_open", "resolver"),
    "action_items": ("text", "owner"),
}
"""What can be added, and the texts that each item has."""
_IDENTITY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,199}")
Item = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be added to one document."""

    key: str
    path: str
    items: Mapping[str, tuple[Item, ...]]
    """By the name of their list."""


@dataclass(frozen=True, slots=True)
class Job:
    """One elaboration of one session, which is what anything written is known by."""

    session: str
    elaboration: int
    said: Mapping[str, Any]

    @property
    def identity(self) -> str:
        return f"{self.session}.{self.elaboration}"

    def text(self, name: str) -> str:
        if not isinstance(self.said.get(name), str):
            raise InputError("is not a text", key=f"Job: {name}", expected="a text")
        return str(self.said[name])

    def number(self, name: str) -> int:
        value = self.said.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise InputError("is not a whole number", key=f"Job: {name}", expected="a whole number")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.said.get(name)
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise InputError("is not a list of texts", key=f"Job: {name}", expected="a list of texts")
        return tuple(value)

    def targets(self) -> dict[str, Target]:
        """Return what is to be added, by the key of the document."""
        rows = self.said.get("documents")
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise InputError("is not a list of objects", key="Job: documents", expected="a list of objects")
        targets = [_target(row) for row in rows]
        return {each.key: each for each in targets}


def job_of(view: View) -> Job:
    """Read the job off a view; InputError where it is not told whole."""
    said = strict_json(section(view, "Job"))
    if not isinstance(said, dict):
        raise InputError("is not an object", key="Job", expected="an object")
    job = Job(str(said.get("session", "")), 0, said)
    if not _IDENTITY.fullmatch(job.text("session")):
        raise InputError("is not a session id", key="Job: session", expected="letters, digits and . _ : -")
    return Job(job.session, job.number("elaboration"), said)


def section(view: View, title: str) -> str:
    """Return the text of the one section with this title."""
    texts = [section.text for section in view.sections if section.title == title]
    if len(texts) != 1:
        raise InputError(f"is in the view {len(texts)} times", key=title, expected="one section of that title")
    return texts[0]


def _target(row: Mapping[str, Any]) -> Target:
    place = f"Job: documents: {row.get('key')}"
    for name in ("key", "path"):
        if not isinstance(row.get(name), str):
            raise InputError(f"has no {name}", key=place, expected=f"`{name}` with a text")
    items: dict[str, tuple[Item, ...]] = {}
    for kind, names in LISTS.items():
        given = row.get(kind, [])
        if not isinstance(given, list) or not all(_is_item(each, names) for each in given):
            raise InputError(f"has {kind} of the wrong shape", key=place, expected=f"objects with {', '.join(names)}")
        items[kind] = tuple(given)
    return Target(row["key"], row["path"], items)


def _is_item(item: object, names: tuple[str, ...]) -> bool:
    return isinstance(item, dict) and set(item) == set(names) and all(isinstance(each, str) for each in item.values())
