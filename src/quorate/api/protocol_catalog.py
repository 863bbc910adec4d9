"""List, prove, draw and describe protocols."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from quorate import catalog, plugins
from quorate.config import FLAGS, PLAIN_KEYS
from quorate.core.errors import SettingError, nearest
from quorate.evidence.bundle import schema as bundle_schema
from quorate.kit.definition import Definition
from quorate.kit.settings import schema as settings_schema
from quorate.participants.panel import panel_schema
from quorate.participants.script import script_schema
from quorate.runtime.budget import Budget
from quorate.watching.settings import Watch

if TYPE_CHECKING:
    from quorate.verify import Report

SCHEMAS = ("settings", "panel", "script", "bundle")
"""Schemas of files that belong to no single protocol."""
FORMATS = ("mermaid", "md", "svg")


def protocols() -> list[Definition]:
    """Return all installed protocols."""
    return list(catalog.definitions().values())


def verify(what: str | Definition, profile: str | None = None) -> Report:
    """Prove a protocol, installed or not, under all its profiles together or under one of them.

    Under a single profile unused rows and briefs are no failure: another profile may use them. An unknown profile
    raises SettingError.
    """
    from quorate.verify import verify as prove

    found = catalog.definition(what) if isinstance(what, str) else what
    if profile is not None and profile not in found.profiles:
        raise SettingError(
            f"{found.name} has no profile {profile!r}",
            expected="one of " + ", ".join(map(repr, found.profiles)),
            nearest=nearest(profile, found.profiles),
        )
    chosen = tuple(found.profiles) if profile is None else (profile,)
    built = catalog.profiles(found, chosen)
    return prove(built, found.proven_with(), whole=len(built) == len(found.profiles))


def proof_data(report: Report) -> dict[str, Any]:
    """Return a proof as plain data for programs."""
    return {
        "ok": report.ok,
        "results": [
            {
                "number": result.number,
                "title": result.title,
                "status": result.status.value,
                "detail": result.detail,
                "counterexample": result.counterexample.text() if result.counterexample is not None else None,
            }
            for result in report.results
        ],
        "profiles": {
            name: {
                "states": profile.states,
                "combinations": profile.combinations,
                "moves": profile.moves,
                "rounds": profile.worst.rounds,
                "asks": profile.worst.asks,
                "asks_by_seat": {str(seat): asks for seat, asks in profile.worst.by_seat.items()},
            }
            for name, profile in report.profiles.items()
        },
    }


def graph(name: str, format_: str) -> str:
    """Draw a protocol from its table; other tables follow, in Mermaid as comments."""
    from quorate.verify import diagram

    draw = {"mermaid": diagram.mermaid, "md": diagram.table, "svg": diagram.svg}
    if format_ not in draw:
        raise SettingError(
            f"there is no format {format_!r}",
            expected="one of " + ", ".join(FORMATS),
            nearest=nearest(format_, FORMATS),
        )
    drawn = draw[format_](catalog.build(name))
    others = [f"\n## {title}\n\n{text}\n" for title, text in catalog.definition(name).tables.items()]
    match format_:
        case "md":
            return drawn + "".join(others)
        case "mermaid":
            return drawn + "".join(f"%% {line}".rstrip() + "\n" for text in others for line in text.splitlines())
        case _:
            return drawn


def schema(what: str) -> dict[str, Any]:
    """Return a JSON Schema for editors: of `quorate.yaml` (settings), a panel, a script, bundles, protocols' files."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    match what:
        case "settings":
            sections = {found.name: settings_schema(found.settings) for found in protocols()}
            own = {name: {"type": "string"} for name in PLAIN_KEYS} | {name: {"type": "boolean"} for name in FLAGS}
            shared = {"budget": settings_schema(Budget), "watch": settings_schema(Watch)}
            properties = {**own, **shared, **sections}
            return {**dialect, "type": "object", "additionalProperties": False, "properties": properties}
        case "panel":
            return {**dialect, **panel_schema()}
        case "script":
            return {**dialect, **script_schema()}
        case "bundle":
            return {**dialect, **bundle_schema()}
        case _:
            return {**dialect, **_own_schema(what)}


def schemas() -> dict[str, Definition | None]:
    """Return the names of all schemas, each with the protocol it belongs to, or None."""
    own = {name: found for found in protocols() for name in found.schemas}
    return {**dict.fromkeys(SCHEMAS), **own}


def _own_schema(what: str) -> Mapping[str, Any]:
    """Return the schema of a protocol's own file, from its package or made by its code."""
    known = schemas()
    found = known.get(what)
    if found is None:
        near = nearest(what, known)
        raise SettingError(f"there is no schema {what!r}", expected="one of " + ", ".join(known), nearest=near)
    place = found.schemas[what]
    if ":" in place:
        made: Mapping[str, Any] = plugins.load(place, f"the schema {what}")()
        return made
    read: Mapping[str, Any] = json.loads(catalog.package_text(found, place) or "{}")
    return read
