"""The addresses of resources: what a session leaves, by its id."""

from __future__ import annotations

SESSIONS = "quorate://sessions"
REPORT = SESSIONS + "/{session}/report.md"
BUNDLE = SESSIONS + "/{session}/bundle.json"
EXPLANATION = SESSIONS + "/{session}/explanation.txt"


def reading_address(session: str, format_: str) -> str:
    """Return where all of a report is in this format; empty where no resource has it."""
    address = {"md": REPORT, "json": BUNDLE}.get(format_, "")
    return address.replace("{session}", session)


def explanation_address(session: str) -> str:
    return EXPLANATION.replace("{session}", session)
