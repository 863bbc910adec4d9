"""Protocols as plain data for user interfaces: seats, phases, table, rules, settings, inputs and diagram."""

from __future__ import annotations

from functools import cache
from typing import Any

from quorate import catalog
from quorate.api.opening import inputs_schema
from quorate.codec import protocol_digest
from quorate.core.errors import SettingError
from quorate.core.protocol import Protocol
from quorate.evidence.prose import tree
from quorate.kit.definition import Definition
from quorate.kit.settings import in_full, read_settings
from quorate.kit.settings import schema as settings_schema
from quorate.verify import diagram
from quorate.workspace import Workspace


def describe_protocols() -> list[dict[str, Any]]:
    """Return a summary of every installed protocol."""
    return [_short(found, _built(found.name)) for found in catalog.definitions().values()]


def describe_protocol(name: str, workspace: Workspace | None = None, version: str | None = None) -> dict[str, Any]:
    """Return a protocol with its texts as trees; an unknown name raises SettingError.

    `defaults` are the settings of a session that sets nothing itself: the workspace's, if one is given, over its own.
    `version` is an earlier one of the protocol, where that is kept; otherwise the current one is described.
    """
    told = _described(name, version)
    return told if workspace is None else {**told, "defaults": _effective(name, workspace) or told["defaults"]}


def _effective(name: str, workspace: Workspace) -> dict[str, Any] | None:
    """Return the settings that a workspace gives a protocol; None if invalid (opening a session reports it)."""
    try:
        return in_full(read_settings(catalog.definition(name).settings, workspace.config.protocol(name)))
    except SettingError:
        return None


@cache
def _described(name: str, version: str | None = None) -> dict[str, Any]:
    found, built = catalog.definition_in(name, version), _built(name, version)
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
        "defaults": in_full(found.settings()),
        "rules": tree(catalog.package_text(found, "RULES.md") or ""),
        "tables": [{"title": title, "tree": tree(text)} for title, text in found.tables.items()],
        "diagram": diagram.plan(built),
    }


@cache
def _built(name: str, version: str | None = None) -> Protocol[Any]:
    return catalog.build(name, version=version)


def _short(found: Definition, built: Protocol[Any]) -> dict[str, Any]:
    return {
        "name": found.name,
        "title": found.title,
        "seats": [str(seat) for seat in built.seats],
        "phases": [phase.name for phase in built.nodes],
    }
