"""Resource URIs of a session's reports, bundle and explanation."""

from __future__ import annotations

SESSIONS = "quorate://sessions"
REPORT = SESSIONS + "/{session}/report.md"
BUNDLE = SESSIONS + "/{session}/bundle.json"
EXPLANATION = SESSIONS + "/{session}/explanation.txt"


def reading_address(session: str, format_: str) -> str:
    """Return the resource URI of a whole report in this format; empty if there is none."""
    address = {"md": REPORT, "json": BUNDLE}.get(format_, "")
    return address.replace("{session}", session)


def explanation_address(session: str) -> str:
    return EXPLANATION.replace("{session}", session)
