"""The contents of meta.json, normalised: turn limit and latest elaborations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from quorate.protocols.roundtable.rules.model import turn_limit

META_NAME = "meta.json"
PHASES = ("00-quick-scan", "01-requirements", "02-impact-analysis", "03-architecture", "04-design")
"""The phases of an analysis; an item with the old flag `phase_a_completed` has been through all of them."""
STATUSES = ("raw", "partial", "analyzed")
KNOWN = (
    "source",
    "source_id",
    "slug",
    "created_at",
    "analysis_status",
    "phases_completed",
    "codebase_hash",
    "steps_completed",
    "depth_overrides",
    "elaborations",
    "elaboration_config",
)
"""The keys that are read. Others are the user's own: they stay in the file and are shown to nobody."""
LISTS = ("phases_completed", "steps_completed", "elaborations")
OBJECTS = ("depth_overrides", "elaboration_config")
_LEGACY = "phase_a_completed"


@dataclass(frozen=True, slots=True)
class Meta:
    """What meta.json holds, made regular."""

    data: Mapping[str, Any]
    """Every key of the file; `KNOWN` ones are there and of the right type."""
    missing: bool = False
    warnings: tuple[str, ...] = field(default=())

    def shown(self) -> dict[str, Any]:
        """Return what the session is shown of it, as plain JSON."""
        known = {name: self.data[name] for name in KNOWN}
        return known | {"missing": self.missing, "warnings": list(self.warnings)}


def baseline(slug: str, created_at: str | None = None) -> dict[str, Any]:
    """Return what a new meta.json holds."""
    data: dict[str, Any] = dict.fromkeys(KNOWN)
    data |= {"source": "manual", "slug": slug, "created_at": created_at, "analysis_status": "raw"}
    data |= {name: [] for name in LISTS}
    return data | {name: {} for name in OBJECTS}


def normalise(held: Mapping[str, Any], slug: str = "") -> Meta:
    """Return what a meta.json means. Nothing is dropped: what is absent is added, what is of a wrong type replaced,
    and a warning says so where there was something to replace."""
    data, warnings = dict(held), list[str]()
    if _LEGACY in held and "analysis_status" not in held:
        done = held[_LEGACY] is True
        data["analysis_status"] = "analyzed" if done else "raw"
        if done:
            data["phases_completed"] = list(PHASES)
    for name, value in baseline(slug).items():
        data.setdefault(name, value)
    if data["analysis_status"] not in STATUSES:
        warnings.append(f"analysis_status is {_told(data['analysis_status'])}; taken as raw")
        data["analysis_status"] = "raw"
    for names, kind, empty in ((LISTS, list, "an empty list"), (OBJECTS, dict, "an empty object")):
        for name in names:
            if not isinstance(data[name], kind):
                if data[name] is not None:
                    warnings.append(f"{name} is {_told(data[name])}; taken as {empty}")
                data[name] = kind()
    odd = sum(not isinstance(each, dict) for each in data["elaborations"])
    if odd:
        warnings.append(f"elaborations has {odd} entries that are not objects; they are kept but not shown")
    return Meta(data, warnings=tuple(warnings))


def max_turns_of(config: object) -> int:
    """Return the turn limit that an `elaboration_config` sets: a whole number from 3 on, and otherwise 10 (T3)."""
    return turn_limit(config.get("max_turns") if isinstance(config, Mapping) else None)


def _told(value: object) -> str:
    """Say what a value is, in a few words."""
    words = {type(None): "null", bool: "true or false", str: "a text", list: "a list", dict: "an object"}
    return words.get(type(value), "a number")
