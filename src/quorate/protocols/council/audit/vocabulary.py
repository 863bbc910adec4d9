"""Checks of the words: verdicts, ends, severities, the taxonomy, gates and their statuses."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import Enum
from functools import cache, lru_cache

from quorate.core.errors import nearest
from quorate.kit.untrusted_value import Spot, one
from quorate.protocols.council.audit.deviation import Deviation, broken
from quorate.protocols.council.audit.read import ENDS, Bundle, gate_of
from quorate.protocols.council.rules.forms import Fix, Vote
from quorate.protocols.council.rules.model import Agreement, Depth, Resolution, Verdict
from quorate.protocols.council.rules.taxonomy import (
    Category,
    Gate,
    Severity,
    Subcategory,
)

ABORT_REASONS = (
    "BUDGET_EXHAUSTED",
    "EPISODE_LIMIT",
    "STALL_DETECTED",
    "INSUFFICIENT_AGENTS",
    "NO_GATES",
    "CANCELLED",
    "CONCLUDED_EARLY",
)
ORIGINS = ("gate", "seat")
LOCATION_TYPES = ("TICKET", "RFC", "CCP")


@cache
def names(words: type[Enum]) -> tuple[str, ...]:
    return tuple(each.name for each in words)


def check_words(bundle: Bundle) -> Iterator[Deviation]:
    """The words used at the top level of the bundle are known."""
    at = bundle.at
    yield from one_of(at["verdict"], "C31", "verdict", names(Verdict))
    yield from one_of(at["terminal_state"], "C2", "terminal state", [end.name for end in ENDS])
    yield from one_of(at["review_depth"], "C44", "depth", names(Depth))
    yield from one_of(at["abort_reason"], "C33", "reason to abort", ABORT_REASONS)
    yield from one_of(at["rfc_version"], "C1", "version", ("v0", "v2", "v4"))
    for ruling in at["rulings"].items:
        yield from one_of(ruling["verdict"], "C30", "verdict", names(Verdict))


def check_finding_words(bundle: Bundle) -> Iterator[Deviation]:
    """The words used in every finding are known, except category and subcategory (see `check_taxonomy`)."""
    for found in bundle.findings:
        at = found.at
        for name in ("severity", "default_severity"):
            yield from one_of(at[name], "C17", "severity", names(Severity))
        yield from one_of(at["agreement_status"], "C21", "agreement status", names(Agreement))
        yield from one_of(at["resolution"], "C25", "resolution", names(Resolution))
        yield from one_of(at["origin"], "C9", "origin", ORIGINS)
        yield from one_of(at["location"]["type"], "C27", "type of location", LOCATION_TYPES)
        yield from _vote_words(at["votes"])
    for at in bundle.remediations:
        yield from one_of(at["kind"], "C25", "kind of remediation", [each.name for each in Fix if each is not Fix.NONE])
        yield from _vote_words(at["votes"])


def check_taxonomy(bundle: Bundle) -> Iterator[Deviation]:
    """Category, subcategory and gate of every finding, merged ones included, belong together (C27)."""
    for at in (*(found.at for found in bundle.findings), *bundle.merged):
        yield from _kind(at)


def _kind(at: Spot) -> Iterator[Deviation]:
    category, subcategory, gate = at["category"], at["subcategory"], at["gate_id"]
    yield from one_of(category, "C27", "category", names(Category))
    if subcategory.text not in names(Subcategory):
        own = [each.name for each in Subcategory if each.category is category.word(Category)]
        yield from one_of(subcategory, "C27", "subcategory", own or names(Subcategory))
    yield from one_of(gate, "C7", "gate", [each.value for each in Gate])
    meant = subcategory.word(Subcategory)
    if meant is None:
        return
    if category.word(Category) not in (None, meant.category):
        yield broken(category, "C27", f"{category} has no subcategory {meant.name}", meant.category.name)
    if gate_of(gate) not in (None, meant.gate):
        yield broken(gate, "C27", f"{meant.name} is not a subcategory of {gate}", meant.gate.value)


def check_severities(bundle: Bundle) -> Iterator[Deviation]:
    """The default severity is that of the table, and another one has a reason (C17)."""
    for found in bundle.findings:
        at, kind = found.at, found.subcategory
        default = at["default_severity"].word(Severity)
        if kind is not None and default not in (None, kind.default):
            says = f"the default of {kind.name} is not {at['default_severity']}"
            yield broken(at["default_severity"], "C17", says, kind.default.name)
        reason = at["severity_reason"]
        if default is None or found.severity is None or not reason.exists:
            continue
        if found.severity is not default and not (reason.text or "").strip():
            says = f"{found.severity.name} differs from the default {default.name} without a reason"
            yield broken(reason, "C17", says, "the reason why it differs")


def _vote_words(votes: Spot) -> Iterator[Deviation]:
    for name, each in votes.entries.items():
        if name not in names(Vote):
            yield from one_of(each, "C22", "vote", names(Vote))
    for each in votes.items:
        if each.is_mapping:
            yield from one_of(each["vote"], "C22", "vote", names(Vote))


def one_of(at: Spot, rule: str, noun: str, words: Collection[str]) -> Iterator[Deviation]:
    """A word that is given is exactly one of `words`."""
    if not at.given or (isinstance(at.value, str) and at.value in words):
        return
    said = at.text if at.text is not None and len(at.text) <= 80 else ""
    yield broken(at, rule, f"{at} is not {one(noun)}", _meant(said.upper(), tuple(words)))


@lru_cache(maxsize=1024)
def _meant(said: str, words: tuple[str, ...]) -> str:
    """Return the word that was probably meant, or all of them."""
    return (nearest(said, words) if said else None) or "one of " + ", ".join(words)
