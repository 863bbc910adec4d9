"""The built-in workflows as plain data: their agendas, who sits at the table, and the strategy they go by (W3, W32)."""

from __future__ import annotations

from copy import deepcopy
from types import MappingProxyType
from typing import Any

from quorate.core.errors import InputError, nearest
from quorate.protocols.workshop.version_1.rules.workflows import brainstorm, design, specs
from quorate.protocols.workshop.version_1.rules.workflows.suggestion import suggest_strategy

__all__ = ["ROSTERS", "STRATEGIES", "WORKFLOWS", "agenda", "suggest_strategy"]

WORKFLOWS = ("specs", "design", "brainstorm")
"""Those with an agenda of their own; `open` is the workflow of a user's agenda that names none of them."""

ROSTERS = MappingProxyType(
    {
        "specs": ("product-manager", "ux-researcher", "business-analyst", "qa-lead"),
        "design": ("software-architect", "security-champion", "technical-lead", "devops-engineer"),
        "brainstorm": ("product-manager", "software-architect", "technical-lead", "devops-engineer"),
        "open": ("software-architect", "technical-lead"),
    }
)

STRATEGIES = MappingProxyType(
    {"specs": "consensus-driven", "design": "debate", "brainstorm": "disney", "open": "standard"}
)

_AGENDAS = {
    "specs": (specs.TITLE, specs.TOPICS),
    "design": (design.TITLE, design.TOPICS),
    "brainstorm": (brainstorm.TITLE, brainstorm.TOPICS),
}


def agenda(workflow: str) -> dict[str, Any]:
    """Return the agenda of a built-in workflow, the caller's own copy; an unknown name raises InputError."""
    if workflow not in _AGENDAS:
        raise InputError(
            f"unknown workflow {workflow!r}",
            expected=f"one of {', '.join(WORKFLOWS)}, or an agenda file",
            nearest=nearest(workflow, WORKFLOWS),
        )
    title, topics = _AGENDAS[workflow]
    return {"workflow": workflow, "title": title, "topics": deepcopy(list(topics))}
