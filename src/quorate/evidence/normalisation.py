"""Normalised material: what of it models were shown otherwise than it is kept, with both digests, for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quorate.core.record import Record


@dataclass(frozen=True, slots=True)
class Normalised:
    """A text in which hidden characters, or what could pass for a marker, were made visible to models."""

    kept: str
    """The digest of the text as it is kept."""
    shown: str
    """The digest of the text as models were shown it."""
    replaced: str
    """How many of which kinds, in words."""


def normalised(record: Record) -> dict[str, Normalised]:
    """Return the texts that were changed, by name, as the opening says; journals that do not say have none."""
    told = record.opening.run.get("normalised")
    found: dict[str, Normalised] = {}
    for name, each in told.items() if isinstance(told, Mapping) else ():
        kept, given = record.opening.material.get(name), each if isinstance(each, Mapping) else {}
        shown, counts = given.get("shown"), given.get("replaced")
        if kept is not None and isinstance(shown, str) and isinstance(counts, Mapping):
            found[name] = Normalised(kept, shown, ", ".join(f"{kind}: {count}" for kind, count in counts.items()))
    return found


def normalised_text(record: Record) -> str:
    """Say in a line for each text what was changed before models were shown it; empty for nothing."""
    return "\n".join(
        f"Models were shown the {name} with these replaced: {each.replaced} (SHA-256 {each.kept} as kept, "
        f"{each.shown} as shown)."
        for name, each in normalised(record).items()
    )
