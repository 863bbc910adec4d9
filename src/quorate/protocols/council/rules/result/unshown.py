"""What of the RFC no seat was shown, as code said it in CYCLE_2 (C42)."""

from __future__ import annotations

from quorate.core.forms import Key
from quorate.protocols.council.rules.result.overview import Overview


def unshown(reading: Overview) -> list[Key]:
    """Return what of the RFC code said that nobody was shown, in the order of the keys (C42)."""
    return [Key(str(values["key"])) for values in reading.facts("unshown")]
