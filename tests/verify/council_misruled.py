"""Planted defects of the council that are made by hand, in how findings come together and what answers count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quorate.core.decisions import Fact
from quorate.core.types import Replies
from quorate.protocols.council.rules.forms import Answers, Response
from quorate.protocols.council.rules.model import Agreement, Finding, Resolution, State
from quorate.protocols.council.rules.taxonomy import Severity

Change = Callable[[Any], Any]
"""What becomes of a function or constant of the rules."""


def each_finding(change: Callable[[Finding], Finding]) -> Change:
    """Change all findings of the state that a function returns, alone or with facts."""

    def wrap(real: Any) -> Any:
        def wrapped(*given: Any, **named: Any) -> Any:
            made = real(*given, **named)
            state, *rest = made if isinstance(made, tuple) else (made,)
            after = replace(state, findings=tuple(change(each) for each in state.findings))
            return (after, *rest) if rest else after

        return wrapped

    return wrap


def instead(other: Any) -> Change:
    return lambda _: other


# Merging


def uncounted_duplicates(real: Any) -> Any:
    def take_raised(state: State, given: Any) -> Any:
        after, facts = real(state, given)
        return replace(after, merged=state.merged), facts

    return take_raised


def vanished_duplicates(real: Any) -> Any:
    """Duplicates are neither raised nor merged, as if nobody had said them."""

    def take_raised(state: State, given: Any) -> Any:
        after, facts = real(state, given)
        more_merged = after.merged - state.merged
        return replace(after, merged=state.merged, raised=after.raised - more_merged), facts

    return take_raised


def in_order_of_seats(real: Any) -> Any:
    """Numbers are given seat by seat."""

    def take_raised(state: State, given: Any) -> Any:
        facts: list[Fact] = []
        for each in given:
            state, told = real(state, [each])
            facts += told
        return state, facts

    return take_raised


def forgets_backers(real: Any) -> Any:
    def take_pairs(state: State, pairs: Any) -> Any:
        after, facts = real(state, pairs)
        left = {each.key for each in after.findings}
        seats = tuple(
            replace(now, backs=tuple(b for b in was.backs if b.key in left))
            for was, now in zip(state.seats, after.seats, strict=True)
        )
        return replace(after, seats=seats), facts

    return take_pairs


def backs_milder(real: Any) -> Any:
    """Of two that a seat raised of the same it holds the milder one."""
    return lambda state, given: real(
        state, [(seat, sorted(own, key=lambda each: each.severity.rank)[-1:]) for seat, own in given]
    )


def unanimous_by_those_left(real: Any) -> Any:
    def agreed_by(state: State, count: int) -> Any:
        return Agreement.UNANIMOUS if count >= len(state.active) > 1 else real(state, count)

    return agreed_by


def in_the_middle(place: Callable[[int], int]) -> Change:
    def median(severities: Any) -> Any:
        ranks = sorted(severity.rank for severity in severities)
        return tuple(Severity)[ranks[place(len(ranks))]]

    return instead(median)


def mergeable(*demands: Callable[[Finding, Finding], bool]) -> Change:
    return instead(lambda kept, gone: kept.key != gone.key and all(demand(kept, gone) for demand in demands))


def same_place(kept: Finding, gone: Finding) -> bool:
    return kept.place == gone.place


def same_gate(kept: Finding, gone: Finding) -> bool:
    return kept.subcategory.gate is gone.subcategory.gate


def not_proven(kept: Finding, gone: Finding) -> bool:
    return not gone.proven


# Answers


def as_if(change: Callable[[Any], Any]) -> Change:
    """Count answers as if each had been another."""

    def wrap(real: Any) -> Any:
        def heard(reply: Any) -> Any:
            if not isinstance(reply, Answers):
                return reply
            return Answers(type(reply.answers)({key: change(each) for key, each in reply.answers.items()}))

        return lambda state, replies: real(state, Replies(tuple((ask, heard(reply)) for ask, reply in replies)))

    return wrap


def silence_disputes(real: Any) -> Any:
    """A finding to which a seat gives no answer counts as disputed."""

    def _answered(state: State, finding: Finding, answers: Any) -> Any:
        made = real(state, finding, answers)
        return made if len(answers) == len(state.active) else replace(made, agreement=Agreement.CONTESTED)

    return _answered


def raised_for_ever(real: Any) -> Any:
    """Who raised a finding backs it even where it disputes it."""

    def _answered(state: State, finding: Finding, answers: Any) -> Any:
        raisers = {each.seat for each in state.seats for back in each.backs if back.key == finding.key}
        kept = {s: a for s, a in answers.items() if s not in raisers or a.response is not Response.DISPUTE}
        return real(state, finding, kept)

    return _answered


def pending_passes(real: Any) -> Any:
    """What one seat holds and nobody disputes is no matter for a vote."""

    def _answered(state: State, finding: Finding, answers: Any) -> Any:
        made = real(state, finding, answers)
        disputed = any(each.response is Response.DISPUTE and not each.unreasoned for each in answers.values())
        return made if disputed else replace(made, agreement=Agreement.MAJORITY, lone=False)

    return _answered


CHANGED: Mapping[str, tuple[str, Mapping[str, Change]]] = {
    "of two severities the milder counts": ("merges", {"median": in_the_middle(lambda count: count // 2)}),
    "the worst severity counts": ("merges", {"median": in_the_middle(lambda count: 0)}),
    "findings of two tickets are merged": ("merges", {"_mergeable": mergeable(not_proven, same_gate)}),
    "findings of two gates are merged": ("merges", {"_mergeable": mergeable(not_proven, same_place)}),
    "a gate's finding is merged away": ("merges", {"_mergeable": mergeable(same_place, same_gate)}),
    "duplicates are not counted as merged": ("merges", {"take_raised": uncounted_duplicates}),
    "duplicates are not raised": ("merges", {"take_raised": vanished_duplicates}),
    "numbers follow the seats": ("merges", {"take_raised": in_order_of_seats}),
    "a merge forgets who backed": ("merges", {"take_pairs": forgets_backers}),
    "a seat holds the milder of its two": ("merges", {"take_raised": backs_milder}),
    "those who are left are unanimous": ("merges", {"agreed_by": unanimous_by_those_left}),
    "what a gate found is not settled": (
        "merges",
        {"take_proven": each_finding(lambda each: replace(each, resolution=Resolution.OPEN))},
    ),
    "what a gate found is a matter of opinion": (
        "merges",
        {"take_proven": each_finding(lambda each: replace(each, proven=False))},
    ),
    "a dispute needs no reason": ("answers", {"take_answers": as_if(lambda each: replace(each, unreasoned=False))}),
    "no dispute has a reason": ("answers", {"take_answers": as_if(lambda each: replace(each, unreasoned=True))}),
    "an abstention confirms": (
        "answers",
        {
            "take_answers": as_if(
                lambda each: replace(each, response=Response.CONFIRM) if each.response is Response.ABSTAIN else each
            )
        },
    ),
    "no answer is a dispute": ("answers", {"_answered": silence_disputes}),
    "who raised a finding cannot give it up": ("answers", {"_answered": raised_for_ever}),
    "what one seat holds is not contested": ("answers", {"_answered": pending_passes}),
    "a remediation without a word counts": ("answers", {"proposes": instead(lambda p: p.fix.name != "NONE")}),
    "a remediation of no kind counts": ("answers", {"proposes": instead(lambda p: not p.blank)}),
    "a gate's finding is contested": (
        "answers",
        {"take_answers": each_finding(lambda each: replace(each, agreement=Agreement.CONTESTED))},
    ),
}
"""Where the defect is, and what becomes of which function."""
