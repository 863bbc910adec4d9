"""STR-001: required fields of a session file and its parts."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.kit.untrusted_value import Spot
from quorate.protocols.workshop.audit.problem import Finding, NotChecked, Severity, problem
from quorate.protocols.workshop.audit.read import Round, SessionFile
from quorate.protocols.workshop.audit.shape import REQUIRED

CHECK = "STR-001"


def check_required(file: SessionFile) -> Iterator[Finding]:
    """The required fields are there and of the right kind; so are those of rounds, artifacts and topics."""
    if not file.at.is_mapping:
        what = f"it is {file.at}"
        yield problem(CHECK, file.at, what, "a mapping: the session", severity=Severity.CRITICAL)
        return
    for path, kind in REQUIRED.items():
        at = file.at
        for name in path:
            at = at[name]
        yield from _one(at, kind, Severity.CRITICAL)
    yield from _parts(file)


def _parts(file: SessionFile) -> Iterator[Finding]:
    for spot in file.at["rounds"].items:
        if not spot.is_mapping:
            yield from _one(spot, "a mapping")
            continue
        yield from _one(spot.first("round", "number"), "a whole number")
        yield from _one(spot["artifacts_created"], "a list")
    for each in file.rounds:
        yield from _question(each, last=each is file.rounds[-1])
    for group in file.at["artifacts"].entries.values():
        if group.given and not group.is_mapping and not group.is_list:
            yield from _one(group, "a mapping")
    bare = 0
    for artifact in file.artifacts:
        if not artifact.at.exists:
            bare += 1
        elif not artifact.at.is_mapping:
            yield from _one(artifact.at, "a mapping")
        else:
            yield from _one(artifact.at.first("status", "state"), "a text")
            yield from _one(artifact.at["created_round"], "a whole number")
    if bare:
        yield NotChecked(CHECK, f"the file has only the ids of {bare} artifacts, not what they say")
    for spot in file.at["agenda"].items:
        if not spot.is_mapping:
            yield from _one(spot, "a mapping")
            continue
        yield from _one(spot.first("topic_id", "id"), "a text")
        yield from _one(spot["status"], "a text")


def _question(each: Round, *, last: bool) -> Iterator[Finding]:
    """A round has a question, where the file has any; only the one in which a session was left may have none (W8)."""
    at = each.at["facilitator_question"]
    if at.exists and not at.said and (each.positions or not last):
        yield problem(CHECK, at, f"round {each.place} has no question", "what was asked, be it by code")


def _one(at: Spot, kind: str, severity: Severity = Severity.ERROR) -> Iterator[Finding]:
    right = {
        "a text": at.said,
        "a list": at.is_list,
        "a mapping": at.is_mapping,
        "a whole number": at.whole is not None,
    }[kind]
    if right:
        return
    what = f"is {at}" if at.given else "is missing"
    yield problem(CHECK, at, what, kind, severity=severity)
