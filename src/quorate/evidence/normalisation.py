"""Normalised material: texts that were changed before models saw them, with both digests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quorate.core.record import Record


@dataclass(frozen=True, slots=True)
class Normalised:
    """A text in which hidden characters, or text that looks like a marker, were made visible to models."""

    kept: str
    """The digest of the text as it is kept."""
    shown: str
    """The digest of the text as models were shown it."""
    replaced: str
    """How many of which kinds, in words."""


def normalised(record: Record) -> dict[str, Normalised]:
    """Return the changed texts by name, as the opening lists them; empty for journals that do not."""
    told = record.opening.run.get("normalised")
    found: dict[str, Normalised] = {}
    for name, each in told.items() if isinstance(told, Mapping) else ():
        kept, given = record.opening.material.get(name), each if isinstance(each, Mapping) else {}
        shown, counts = given.get("shown"), given.get("replaced")
        if kept is not None and isinstance(shown, str) and isinstance(counts, Mapping):
            found[name] = Normalised(kept, shown, ", ".join(f"{kind}: {count}" for kind, count in counts.items()))
    return found


def normalised_text(record: Record) -> str:
    """Return one line per changed text that says what was changed; empty if nothing was."""
    return "\n".join(
        f"Models were shown the {name} with these replaced: {each.replaced} (SHA-256 {each.kept} as kept, "
        f"{each.shown} as shown)."
        for name, each in normalised(record).items()
    )
