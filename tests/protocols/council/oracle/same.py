"""A recount of what the seats call the same, from RULES.md, without the protocol's own functions (C14)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quorate.core.forms import Key
from quorate.core.types import Seat
from quorate.protocols.council.rules.model import Finding
from tests.protocols.council.oracle.sheet import WORST_FIRST, Held

Given = Mapping[Seat, Any]


def heads(findings: list[Finding], raised: Held, given: Given, needed: int) -> dict[Key, Key]:
    """Return what becomes part of what, in the order in which it does."""
    clubs: list[list[Finding]] = []
    for each in findings:
        club = next((own for own in clubs if all(_agreed(one, each, raised, given, needed) for one in own)), None)
        if club is None:
            clubs.append([each])
        else:
            club.append(each)
    return {each.key: club[0].key for club in clubs for each in club[1:]}


def told(findings: list[Finding], given: Given, joined: Mapping[Key, Key], tell: Callable[..., None]) -> None:
    """Tell what was joined, and what somebody called the same and was kept apart."""
    for gone, kept in joined.items():
        tell("merged", ("key", gone), ("into", kept), ("how", "agreed"))
    for place, one in enumerate(findings):
        for other in findings[place + 1 :]:
            calling = [seat for seat, own in given.items() if _calls(own, one.key, other.key)]
            if calling and joined.get(one.key, one.key) != joined.get(other.key, other.key):
                counts = (("same", len(calling)), ("of", len(given)))
                tell("kept_apart", ("key", other.key), ("other", one.key), *counts)


def _agreed(one: Finding, other: Finding, raised: Held, given: Given, needed: int) -> bool:
    if other.proven:
        return False
    said = [own[other.key] for own in given.values() if other.key in own]
    held = [other.severity, *(answer.severity for answer in said if answer.response.value == "SEVERITY")]
    if one.proven and min(map(WORST_FIRST.index, held)) < WORST_FIRST.index(one.severity):
        return False
    calling = {seat for seat, own in given.items() if _calls(own, one.key, other.key)}
    against = {
        s for s, own in raised.items() if (one.key in own or other.key in own) and s in given and s not in calling
    }
    return len(calling) >= needed and not against


def _calls(answers: Mapping[Key, Any], one: Key, other: Key) -> bool:
    """Return whether a seat calls two the same, directly or by way of others."""
    reached, grown = {one}, True
    while grown:
        links = [{key, *said.same_as} for key, said in answers.items()]
        more = reached.union(*(link for link in links if link & reached))
        grown, reached = more != reached, more
    return other in reached
