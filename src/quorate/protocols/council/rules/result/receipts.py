"""The coverage receipt: what was read, what was left out and why, and what was cut from whose view (C42)."""

from __future__ import annotations

from typing import Any

from quorate.kit.view_cuts import cuts_told
from quorate.protocols.council.rules.coverage import shown
from quorate.protocols.council.rules.model import Resolution
from quorate.protocols.council.rules.result.open_findings import Opened, as_brought
from quorate.protocols.council.rules.result.overview import Overview
from quorate.protocols.council.rules.result.unshown import unshown


def coverage(reading: Overview) -> dict[str, Any]:
    """Return the receipt as plain data; dismissed findings are listed with their votes."""
    told = reading.receipt
    dismissed = [each for each in Opened(reading).every if each.finding.resolution is Resolution.DISMISSED]
    return {
        "title": reading.rfc.title,
        "rfc": told.get("rfc", {}),
        "depth": told.get("depth", {}),
        "files": [{"path": as_brought(reading, str(path))} for path in told.get("read", [])],
        "left_out": [{"path": str(each["path"]), "why": str(each["why"])} for each in told.get("left_out", [])],
        "cut": cuts_told(reading.record),
        "shown": {reading.rfc.name(key): list(map(str, seats)) for key, seats in shown(reading.record).items()},
        "unshown": [reading.rfc.name(key) for key in unshown(reading)],
        "dismissed": [
            {
                "key": each.core.key,
                "rule": each.core.rule,
                "path": each.core.path,
                "reason": _why(reading.votes(each.finding.key)),
            }
            for each in dismissed
        ],
    }


def _why(votes: dict[str, str]) -> str:
    if not votes:
        return "the seat that raised it took it back"
    return "dismissed by the council: " + ", ".join(f"{seat} {vote}" for seat, vote in votes.items())
