"""Sameness: which findings the seats call one and the same, so that they become one (C14)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from quorate.core.decisions import Fact
from quorate.core.forms import Key, Keyed
from quorate.core.types import Seat
from quorate.protocols.council.rules.forms import Answer, Response
from quorate.protocols.council.rules.merges import AGREED, backers, join, may_join, number_of
from quorate.protocols.council.rules.model import State

Given = Mapping[Seat, Keyed[Answer]]
Two = frozenset[Key]


def take_sameness(state: State, given: Given, needed: int) -> tuple[State, list[Fact]]:
    """Join the findings that enough seats call the same, none against a seat that raised one of them (C14)."""
    said = {seat: _called_same(answers) for seat, answers in given.items()}
    named = sorted({pair for pairs in said.values() for pair in pairs}, key=_numbers)
    agreed = {pair for pair in named if _is_agreed(state, said, pair, needed) and not _lowers(state, given, pair)}
    heads: dict[Key, list[Key]] = {}
    for finding in state.findings:
        head = next((key for key, own in heads.items() if all(_two(finding.key, each) in agreed for each in own)), None)
        heads.setdefault(head or finding.key, []).append(finding.key)
    into = {gone: kept for kept, own in heads.items() for gone in own if gone != kept}
    facts = [Fact.of("merged", key=gone, into=kept, how=AGREED) for gone, kept in into.items()]
    for pair in named:
        one, other = sorted(pair, key=number_of)
        if into.get(one, one) != into.get(other, other):
            count = sum(pair in pairs for pairs in said.values())
            facts.append(Fact.of("kept_apart", key=other, other=one, same=count, of=len(given)))
    for gone, kept in into.items():
        state = join(state, gone, kept)
    return state, facts


def _called_same(answers: Keyed[Answer]) -> set[Two]:
    """Return the pairs that a seat calls the same; what is the same as one thing is the same as each other."""
    groups: list[set[Key]] = []
    for key, answer in answers.items():
        touching = {key, *answer.same_as}
        apart = [group for group in groups if not group & touching]
        groups = [*apart, touching.union(*(group for group in groups if group & touching))]
    return {frozenset(pair) for group in groups for pair in combinations(group, 2)}


def _is_agreed(state: State, said: Mapping[Seat, set[Two]], pair: Two, needed: int) -> bool:
    """Return whether so many seats call the two the same, and everybody who raised one and answered does."""
    kept, gone = (state.finding(key) for key in sorted(pair, key=number_of))
    raised = {*backers(state, kept.key), *backers(state, gone.key)}
    calling = {seat for seat, pairs in said.items() if pair in pairs}
    return may_join(kept, gone) and len(calling) >= needed and not (raised & said.keys()) - calling


def _lowers(state: State, given: Given, pair: Two) -> bool:
    """Return whether one would go into a gate's finding that is milder than what a seat answers of it (C14)."""
    kept, gone = sorted(pair, key=number_of)
    answers = (own[gone] for own in given.values() if gone in own)
    held = [each.severity.rank for each in answers if each.response is Response.SEVERITY]
    found = state.finding(kept)
    return found.proven and min(held, default=found.severity.rank) < found.severity.rank


def _two(one: Key, other: Key) -> Two:
    return frozenset((one, other))


def _numbers(pair: Iterable[Key]) -> list[int]:
    return sorted(map(number_of, pair))
