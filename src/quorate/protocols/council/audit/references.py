"""Checks of ids: well formed, used once, and naming something that is in the bundle (C28, C43)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quorate.core.types import Seat
from quorate.kit.untrusted_value import Spot
from quorate.protocols.council.audit.deviation import Deviation, broken
from quorate.protocols.council.audit.read import Bundle, agent_of
from quorate.protocols.council.rules.model import ROLES

_SESSION = re.compile(r"COUNCIL-.{1,200}-[0-9]{8}-[0-9]{6}", re.DOTALL)
_TIME = re.compile(
    r"[0-9]{4}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-5][0-9](?::[0-6][0-9](?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9:]{4,5})"
)
_ODD = re.compile(r"[^A-Za-z0-9._-]+")
_NUMBER = re.compile(r"[0-9]{3,6}")
_LISTS = ("consensus_findings", "deadlocked_findings", "escalated_findings", "partial_findings")


def _plain(rfc: str | None) -> str | None:
    """Return an RFC's id as used within other ids: only letters, digits, dots and dashes."""
    return None if rfc is None else _ODD.sub("-", rfc[:1_000])[:60].strip("-") or "RFC"


def check_ids(bundle: Bundle) -> Iterator[Deviation]:
    """Every finding has a unique id that contains the RFC's id (C43)."""
    rfc, seen = _plain(bundle.at["rfc_id"].text), set[str]()
    for at in (*(found.at for found in bundle.findings), *bundle.merged):
        spot = at.first("finding_id", "id")
        if not spot.given:
            continue
        text = spot.text or ""
        prefix, _, number = text.rpartition("-")
        if not prefix.startswith("FND-") or not _NUMBER.fullmatch(number):
            yield broken(
                spot,
                "C43",
                f"{spot} is not the id of a finding",
                "FND-, the id of the RFC, and a number: FND-RFC-0042-001",
            )
        elif rfc is not None and prefix != f"FND-{rfc}":
            yield broken(spot, "C43", f"{spot} names another RFC than {rfc}", f"FND-{rfc}-{number}")
        if text and text in seen:
            yield broken(spot, "C43", f"{spot} is used twice", "every id once")
        seen.add(text)


def check_references(bundle: Bundle) -> Iterator[Deviation]:
    """Every id that is referenced exists in the bundle (C43)."""
    listed = {found.id for found in bundle.findings if found.id is not None}
    every = listed | {each["finding_id"].text for each in bundle.merged if each["finding_id"].text is not None}
    for name in _LISTS:
        for each in bundle.at[name].items:
            yield from _resolves(each["finding_id"] if each.is_mapping else each, listed)
    merged = every - listed if bundle.at["merged_findings"].is_list else every
    for found in bundle.findings:
        for each in found.at["merged_from"].items:
            yield from _resolves(each, merged)
    for each in bundle.merged:
        yield from _resolves(each["merged_into"], every, "C14")
    for each in bundle.remediations:
        yield from _resolves(each["finding_id"], listed)
    for key, each in bundle.at["remediation_patch"]["results"].entries.items():
        if key not in listed:
            yield broken(each, "C43", f"{Spot(key)} is not one of the findings", "the id of a finding")


def _resolves(at: Spot, ids: set[str] | set[str | None], rule: str = "C43") -> Iterator[Deviation]:
    if at.exists and at.text not in ids:
        yield broken(at, rule, f"{at} is not one of the findings", "the id of a finding that is listed")


def check_merges(bundle: Bundle) -> Iterator[Deviation]:
    """A merged finding points to a kept one, which lists it in turn (C14)."""
    kept = {found.id: found for found in bundle.findings}
    into = {each["finding_id"].text: each["merged_into"].text for each in bundle.merged}
    for at in bundle.merged:
        target, steps = at["merged_into"].text, 0
        while target in into and steps <= len(into):
            target, steps = into[target], steps + 1
            if steps > 50:
                break
        found = kept.get(target)
        if at["merged_into"].given and found is None and at["merged_into"].text in into:
            yield broken(
                at["merged_into"],
                "C14",
                f"{at['merged_into']} was merged away itself, into nothing",
                "a finding that is kept",
            )
        elif found is not None and found.at["merged_from"].is_list:
            if at["finding_id"].text not in found.at["merged_from"].texts:
                says = f"{at['finding_id']} is merged into it and not named"
                yield broken(found.at["merged_from"], "C14", says, "every source is kept")


def check_agents(bundle: Bundle) -> Iterator[Deviation]:
    """The seats are those of the depth, each once, and every agent that is named is one of them (C1)."""
    seen: set[str] = set()
    for each in bundle.meta["subagents"].items:
        at = each["agent_id"]
        agent = agent_of(at.value)
        if agent not in bundle.seats:
            yield broken(at, "C1", f"{at} is not a seat of this council", ", ".join(bundle.seats))
        elif agent in seen:
            yield broken(at, "C1", f"{at} is listed twice", "every seat once")
        seen.add(agent or "")
        role = each["emergent_role"]
        if role.text is not None and agent in bundle.seats and not _is_role(role.text, str(agent)):
            yield broken(role, "C43", f"{role} is not the role of {agent}", ROLES[Seat(str(agent))])
    gone = [seat for seat in bundle.seats if seat not in seen]
    if bundle.meta["subagents"].is_list and gone:
        yield broken(bundle.meta["subagents"], "C1", f"{', '.join(gone)} is missing", ", ".join(bundle.seats))
    for found in bundle.findings:
        names = ("source_agents", "supporting_agents", "dissenting_agents")
        spots = [found.at["source_agent"], *(each for name in names for each in found.at[name].items)]
        for at in spots:
            if (
                at.given
                and agent_of(at.value) not in bundle.seats
                and not (found.by_gate and at.text in ("gate", "gates"))
            ):
                yield broken(at, "C1", f"{at} is not a seat of this council", ", ".join(bundle.seats))


def _is_role(text: str, agent: str) -> bool:
    """Return whether a text shares a word with the role of a seat."""
    return any(word.lower() in text[:200].lower() for word in re.findall(r"[A-Za-z]{5,}", ROLES[Seat(agent)]))


def check_session(bundle: Bundle) -> Iterator[Deviation]:
    """The session id contains its time and is the same everywhere, and the review has a time (C43)."""
    at, rfc = bundle.meta["session_id"], _plain(bundle.at["rfc_id"].text)
    if at.given and not _SESSION.fullmatch(at.text or ""):
        yield broken(at, "C43", f"{at} is not the id of a session", "COUNCIL-, the id of the RFC, -YYYYMMDD-HHMMSS")
    elif at.given and rfc is not None and not (at.text or "").startswith(f"COUNCIL-{rfc}-"):
        yield broken(at, "C43", f"{at} names another RFC", f"COUNCIL-{rfc}-YYYYMMDD-HHMMSS")
    inner = bundle.meta["mode_selection_validation"]["session_id"]
    if at.given and inner.given and inner.value != at.value:
        yield broken(inner, "C43", f"{inner} is another session", str(at))
    time = bundle.at["review_timestamp"]
    if time.given and not _TIME.fullmatch(time.text or ""):
        yield broken(
            time, "C43", f"{time} is not a time", "a date and time with its zone, such as 2026-01-26T10:00:00Z"
        )
