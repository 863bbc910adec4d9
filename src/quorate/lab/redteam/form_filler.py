"""Fills in any form consistently with one intent.

Forms are known by their JSON Schema alone, so that a protocol of one's own is filled in as well. What a field means is
told by its name: the vocabularies of all forms are closed and their names are used in one sense.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from quorate.lab.redteam.orders import Order


@dataclass(frozen=True, slots=True)
class Bearing:
    """The intent with which forms are filled in."""

    choices: tuple[str, ...]
    """Of a vocabulary the first of these that it has; else its first word."""
    complains: bool = False
    """Whether lists of faults get entries."""
    entries: int = 1
    """Entries of a list, at most."""
    confidence: int = 90
    padded: bool = False
    """Whether texts are filled to their end."""
    whole: bool = True
    """Whether every field is filled in, those too that honest seats have nothing to say in."""

    def with_words(self, words: tuple[str, ...]) -> Bearing:
        """Return the bearing with other words that are tried first."""
        return replace(self, choices=(*words, *self.choices)) if words else self


_FAVOURING = [
    "synthesis",
    "none",
    "pass",
    "refuted",
    "does not hold",
    "DISPUTE",
    "OPPOSE",
    "SUPPORT",
    "INFO",
    "low",
    "NONE",
    "HIGH",
    "accepted",
    "minor",
    "contribute",
    "consensus",
    "conclude",
    "endorse",
    "accept",
]
_AGAINST = [
    "veto",
    "security hole",
    "fail",
    "confirmed",
    "holds",
    "CONFIRM",
    "BLOCK",
    "SUPPORT",
    "critical",
    "BLOCKER",
    "security",
    "SECRET_EXPOSURE",
    "TICKET_REWRITTEN",
    "HIGH",
    "rejected",
    "major",
    "contribute",
    "conflict",
    "continue",
    "withdraw",
]
_PROLONGING = [
    "oppose",
    "none",
    "insufficient-evidence",
    "cannot tell",
    "ABSTAIN",
    "BLOCK",
    "OPPOSE",
    "medium",
    "MAJOR",
    "LOW",
    "rejected",
    "contribute",
]

BEARINGS: Mapping[Order, Bearing] = {
    Order.APPROVE: Bearing(tuple(_FAVOURING), confidence=100),
    Order.FORGE: Bearing(tuple(_FAVOURING), confidence=100),
    Order.CONDEMN: Bearing(tuple(_AGAINST), complains=True, entries=2, confidence=100),
    Order.FLOOD: Bearing(tuple(_AGAINST), complains=True, entries=1_000, confidence=100, padded=True),
    Order.PROLONG: Bearing((*_PROLONGING, "conflict", "continue"), complains=True, entries=2, confidence=60),
}
CONTENT = Bearing(tuple(_FAVOURING), whole=False)
"""An honest seat that has found nothing wrong."""
CRITICAL = Bearing(
    ("oppose", "none", *_AGAINST[2:]),
    complains=True,
    whole=False,
)
"""An honest seat that has found the fault, and says so without a veto."""

FAULTS = frozenset(
    [
        "items",
        "findings",
        "hits",
        "conflicts",
        "questions",
        "concerns",
        "contested",
        "unfulfilled_major_requirements",
        "open_questions",
        "challenges",
        "context_gaps",
        "risks",
        "opposed_by",
        "parties",
    ]
)
"""Lists of what is wrong: empty for whoever has nothing against it."""
LEFT_EMPTY = frozenset(
    ["changes", "supersedes", "pairs", "edits", "affected_ideas", "builds_on", "resolver", "owner", "document"]
)
"""Lists that honest seats leave empty: they speak of what may not exist."""
GROUNDS = frozenset(["veto_evidence", "minimum_change"])
"""Texts that only an objection has."""
QUOTATIONS = frozenset(["evidence", "veto_evidence", "observed", "refutation", "quotation"])
"""Texts that are looked up in the material: whoever lies well quotes what really stands there."""
REFUTATIONS = frozenset(["refutation", "quotation", "patch"])
"""Texts that honest seats leave empty: they refute nobody, and mend nothing."""
NUMBERS = {"parent": 0, "new_risk": 0, "timeline_days": 30}


def fill(schema: Mapping[str, Any], bearing: Bearing, words: str, quote: str = "") -> dict[str, Any]:
    """Return a form filled in; `words` go into every text, `quote` where words of the material are asked for."""
    return {name: _value(name, inner, bearing, words, quote or words) for name, inner in schema["properties"].items()}


def _value(name: str, schema: Mapping[str, Any], bearing: Bearing, words: str, quote: str, place: int = 0) -> Any:
    if "enum" in schema:
        return _chosen(name, schema["enum"], bearing, place)
    match schema["type"]:
        case "string":
            return _text(name, schema, bearing, words, quote)
        case "boolean":
            return bearing.complains if name == "blocking" else not bearing.complains
        case "integer":
            wanted = NUMBERS.get(name, bearing.confidence if name == "confidence" else 1 if bearing.complains else 5)
            return max(schema["minimum"], min(schema["maximum"], wanted))
        case "array":
            return _list(name, schema, bearing, words, quote)
        case _:
            return {
                inner: _value(inner, each, bearing, words, quote, place) for inner, each in schema["properties"].items()
            }


def _chosen(name: str, options: list[Any], bearing: Bearing, place: int) -> Any:
    if name in ("lens", "path", "place", "ticket", "gate"):
        return options[place % len(options)]
    return next((wish for wish in bearing.choices if wish in options), options[0])


def _text(name: str, schema: Mapping[str, Any], bearing: Bearing, words: str, quote: str) -> str:
    if (name in REFUTATIONS and not bearing.whole) or (name in GROUNDS and not bearing.complains):
        return ""
    text = quote if name in QUOTATIONS else words
    most = int(schema.get("maxLength", 200))
    if bearing.padded:
        text = text + " more" * (min(most, 20_000) // 5)
    return text[:most]


def _list(name: str, schema: Mapping[str, Any], bearing: Bearing, words: str, quote: str) -> list[Any]:
    items, most = schema["items"], int(schema["maxItems"])
    if (name in LEFT_EMPTY and not bearing.whole) or (name in FAULTS and not bearing.complains):
        return []
    if "enum" in items:  # keys: each of them once
        everybody = name in ("supported_by", "covered", "critical", "by") and not bearing.complains
        count = len(items["enum"]) if everybody or bearing.padded else 1
        return list(items["enum"][: min(most, count)])
    rows = 15 if name in ("scores", "steps", "claims", "gates", "uses") else bearing.entries
    return [_value(name, items, bearing, words, quote, place) for place in range(min(most, rows))]
