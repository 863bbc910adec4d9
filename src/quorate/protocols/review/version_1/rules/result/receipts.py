"""The coverage receipt: what was reviewed, what was left out and why, and what was cut from whose view (R33)."""

from __future__ import annotations

from typing import Any

from quorate.kit.view_cuts import cuts_told
from quorate.protocols.review.version_1.rules.result.overview import Reading


def coverage(reading: Reading) -> dict[str, Any]:
    """Return the receipt as plain data."""
    told = reading.receipt
    nobody = {"unshown": dict(told["unshown"])} if "unshown" in told else {}
    return {
        "title": str(told.get("title", "")),
        "base": str(told.get("base", "")),
        "head": str(told.get("head", "")),
        "files": [dict(file) for file in told["files"]],
        "left_out": [dict(each) for each in told.get("left_out", [])],
        **nobody,
        "cut": cuts_told(reading.record),
        "dismissed": [dict(each) for each in told.get("dismissed", [])],
    }
