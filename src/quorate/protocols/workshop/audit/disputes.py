"""Conflicts in a session file: what each is about, who raised it and how it was settled (W12, W19)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quorate.kit.untrusted_value import Spot, shown
from quorate.protocols.workshop.audit.problem import Finding, problem
from quorate.protocols.workshop.audit.read import Round, SessionFile, StatedArtifact
from quorate.protocols.workshop.audit.shape import PERSON, stance_of
from quorate.protocols.workshop.rules.forms import Consent
from quorate.protocols.workshop.rules.synthesis import Method

_BY_CODE = re.compile(r"([A-Z]{2,8}-[0-9]{3,6}) is (contested|blocked)", re.ASCII)
"""The title of a conflict that code has opened."""
_MOST_HEIRS = 60
_MOST_WORDS = 200_000
"""Characters of what somebody said in a round that are looked through."""


def named_by(conflict: StatedArtifact) -> tuple[str, str] | None:
    """Return the artifact that a conflict was opened about by code, and why: contested or blocked."""
    title = conflict.at["title"].text
    found = _BY_CODE.fullmatch(title) if title is not None and len(title) <= 40 else None
    return (found[1], found[2]) if found else None


def raised(file: SessionFile, conflict: StatedArtifact) -> tuple[str, str] | None:
    """Return the same, if somebody contests or blocks it in the conflict's round; a title alone proves nothing."""
    named, each = named_by(conflict), _round(file, conflict.created)
    if named is None or each is None:
        return None
    for position in (at for name, at in each.positions.items() if name not in file.notes):
        if named[0] in {at.text for at in position["contested"].items} or _blocks(position["stances"][named[0]]):
            return named
    return None


def disputed(file: SessionFile) -> frozenset[str]:
    """Return the artifacts a conflict or a ruling was ever about, with their replacements (W17, W24)."""
    found = {each.id for each in file.artifacts if each.at["contested_by"].items}
    found |= {named[0] for conflict in file.conflicts if (named := named_by(conflict)) is not None}
    found |= {key.text for each in file.artifacts if each.is_matter for key in each.at["about"].items if key.text}
    return frozenset(name for each in found for name in lineage(file, each))


def lineage(file: SessionFile, name: str) -> tuple[str, ...]:
    """Return an artifact and the chain of its replacements."""
    line: dict[str, None] = {}
    while name and name not in line and len(line) < _MOST_HEIRS:
        line[name] = None
        artifact = file.by_id.get(name)
        name = artifact.at["superseded_by"].text or "" if artifact is not None else ""
    return tuple(line)


def _round(file: SessionFile, place: int | None) -> Round | None:
    return file.rounds[place - 1] if place is not None and 1 <= place <= len(file.rounds) else None


def _blocks(at: Spot) -> bool:
    return stance_of(at["stance"].text if at.is_mapping else at.text) is Consent.BLOCK


def check_settlements(file: SessionFile) -> Iterator[Finding]:
    """What a participant has raised is settled by others than the facilitator, and not at once (W19, W31)."""
    check = "STR-007"
    for conflict in file.conflicts:
        method = conflict.at["resolution_method"]
        known = raised(file, conflict) if method.said else None
        if known is None or method.text == PERSON:
            continue
        if known[1] == "blocked":
            what = f"{conflict.id} is about a draft that was blocked twice, but was settled by {method}"
            yield problem(check, method, what, PERSON)
        elif method.text == Method.FACILITATOR_DECISION.value:
            what = f"{conflict.id} was raised by a participant, but the facilitator decided it"
            others = (each.value for each in Method if each is not Method.FACILITATOR_DECISION)
            yield problem(check, method, what, ", ".join((*others, PERSON)))
        elif conflict.resolved is not None and conflict.resolved == conflict.created:
            what = f"{conflict.id} was raised by a participant and resolved in the same round"
            yield problem(check, conflict.at["resolved_round"], what, "a later round, or a person")


def check_quoted(file: SessionFile) -> Iterator[Finding]:
    """What the parties to a conflict say is what they said in its round, where the file has that (W12)."""
    for conflict in file.conflicts:
        each = _round(file, conflict.created)
        if each is None or not each.positions:
            continue
        for party in conflict.at["positions"].items:
            yield from _quoted(conflict, each, party)


def _quoted(conflict: StatedArtifact, each: Round, party: Spot) -> Iterator[Finding]:
    who, stance = party["participant"].text, party["stance"]
    if who is None or not stance.said:
        return
    position = each.positions.get(who)
    if position is None:
        what = f"{conflict.id} quotes {shown(who)}, who gave no answer in round {each.place}"
        yield problem("STR-003", party["participant"], what, "somebody who answered in that round")
    elif (said := _words(position)) and " ".join((stance.text or "").split()) not in said:
        what = f"{conflict.id} quotes words that {shown(who)} did not say in round {each.place}"
        yield problem("STR-003", stance, what, "the party's own words")


def _words(position: Spot) -> str:
    """Return what somebody said in a round; empty if the file does not have it, or has too much to search."""
    own = position["position"] if position.is_mapping else position
    texts = [own.text or "", *(at.text or "" for at in position["rationale"].items), position["rationale"].text or ""]
    words = " ".join(" ".join(texts).split()) if own.said else ""
    return words if len(words) <= _MOST_WORDS else ""
