"""Amendments field by field: old values are kept, and the last amendment can be reverted (W16)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from functools import cache
from typing import Any, get_type_hints

from quorate.protocols.workshop.version_1.rules.items import KINDS
from quorate.protocols.workshop.version_1.rules.synthesis import Edit, EditKind, has_field
from quorate.protocols.workshop.version_1.rules.taxonomy import ArtifactType

Data = dict[str, Any]


def amend(artifact: Data, entry: Data, edits: Iterable[Edit]) -> None:
    """Apply an amendment to an artifact and keep it in its history; edits that do not fit are named in the entry."""
    kind = ArtifactType(artifact["type"])
    entry |= {"changes": {}, "reverted": False}
    refused: list[str] = []
    for edit in edits:
        name, text = edit.field.value, edit.text.text
        allowed = _vocabulary(kind, name)
        if not has_field(kind, edit.field):
            refused.append(f"{kind.name} has no {name}")
        elif allowed and text.strip() not in allowed:
            refused.append(f"{name} is one of {', '.join(allowed)}, not {text.strip()[:60]!r}")
        else:
            _edit(artifact, entry["changes"], name, text.strip() if allowed else text, edit.kind)
    if refused:
        entry["refused"] = refused
    artifact["amendments"].append(entry)


def _edit(artifact: Data, changes: Data, name: str, text: str, kind: EditKind) -> None:
    home = artifact if name == "title" else artifact["fields"]
    old = home.get(name)
    if isinstance(old, list) and kind is EditKind.ADDED:
        home[name] = [*old, text]
        if "changed_to" in changes.get(name, {}):
            changes[name]["changed_to"] = home[name]
        else:
            changes.setdefault(name, {"added": []})["added"].append(text)
        return
    new = [text] if isinstance(old, list) else text
    first = changes.get(name, {}).get("changed_from", old)
    if "added" in changes.get(name, {}):  # entries that were added before, and are replaced now
        first = old[: len(old) - len(changes[name]["added"])] if isinstance(old, list) else old
    home[name] = new
    changes[name] = {"changed_from": first, "changed_to": new}


def revert(artifact: Data) -> None:
    """Revert the last amendment in force; it stays in the history."""
    entry = next((each for each in reversed(artifact["amendments"]) if not each["reverted"]), None)
    if entry is None:
        return
    entry["reverted"] = True
    for name, change in entry["changes"].items():
        home = artifact if name == "title" else artifact["fields"]
        if "added" in change:
            home[name] = home[name][: len(home[name]) - len(change["added"])]
        else:
            home[name] = change["changed_from"]


@cache
def _vocabulary(kind: ArtifactType, name: str) -> tuple[str, ...]:
    """Return the allowed values of a closed field; empty for free text."""
    hint = get_type_hints(KINDS[kind]).get(name)
    return tuple(member.value for member in hint) if isinstance(hint, type) and issubclass(hint, Enum) else ()
