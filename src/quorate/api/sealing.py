"""Seals: whether a session's journal still holds, and whether all that is said of it follows from it."""

from __future__ import annotations

from typing import Any

from quorate.api.results import bundle
from quorate.api.sessions import Result
from quorate.evidence.bundle import Problem, check_bundle
from quorate.evidence.seal import check_chain
from quorate.store.journal import Entry


def seal(entries: list[Entry], result: Result | None) -> dict[str, Any]:
    """Check a journal, and with its result derive everything again; a broken chain is told, not raised."""
    checked = check_chain(entries)
    problems: list[Problem] = []
    if checked.broken is not None:
        found = checked.broken
        problems = [Problem(f"/entries/{found.seq}", f"{found.damage.value}: {found.found}", found.expected)]
    elif result is not None:
        problems = check_bundle(bundle(result), result.record.protocol)
    told = [{"place": each.place, "what": each.what, "expected": each.expected} for each in problems]
    return {"ok": not problems, "entries": checked.entries, "head": checked.head, "problems": told}
