"""Protocols as plain data: seats, phases, table, rules, settings, inputs and diagram, for whoever shows or fills in."""

from __future__ import annotations

from functools import cache
from typing import Any

from quorate import catalog
from quorate.api.opening import inputs_schema
from quorate.core.definition import Definition
from quorate.core.protocol import Protocol
from quorate.core.settings import plain
from quorate.core.settings import schema as settings_schema
from quorate.evidence.prose import tree
from quorate.store.codec import protocol_digest
from quorate.verify import diagram


def describe_protocols() -> list[dict[str, Any]]:
    """Return every installed protocol in short."""
    return [_short(found, _built(found.name)) for found in catalog.definitions().values()]


@cache
def describe_protocol(name: str) -> dict[str, Any]:
    """Return a protocol under its default settings, with its texts as trees; an unknown name raises SettingError."""
    found, built = catalog.definition(name), _built(name)
    return {
        **_short(found, built),
        "version": built.version,
        "digest": protocol_digest(built),
        "initial": built.initial.name,
        "ends": [phase.name for phase in built.verdicts],
        "table": [
            {"phase": phase.name, "outcome": outcome.name, "to": to.name}
            for phase, rows in built.table.items()
            for outcome, to in rows.items()
        ],
        "interrupts": [
            {"reason": reason.value, "to": each.to.name, "when": each.when.value}
            for reason, each in built.interrupts.items()
        ],
        "exit_codes": {verdict.name: code for verdict, code in built.exit_codes.items()},
        "rulings": {verdict.name: [each.name for each in to] for verdict, to in built.rulings.items()},
        "inputs": inputs_schema(name),
        "settings": settings_schema(found.settings),
        "defaults": plain(found.settings()),
        "rules": tree(catalog.package_text(found, "RULES.md") or ""),
        "tables": [{"title": title, "tree": tree(text)} for title, text in found.tables.items()],
        "diagram": diagram.plan(built),
    }


@cache
def _built(name: str) -> Protocol[Any]:
    return catalog.build(name)


def _short(found: Definition, built: Protocol[Any]) -> dict[str, Any]:
    return {
        "name": found.name,
        "title": found.title,
        "seats": [str(seat) for seat in built.seats],
        "phases": [phase.name for phase in built.nodes],
    }
