"""Planted defects of the council that are made by hand, in how findings come together and what answers count."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quorate.core.decisions import Fact
from quorate.core.types import Replies
from quorate.protocols.council.rules.forms import Answers, Response
from quorate.protocols.council.rules.model import Agreement, Finding, Resolution, State

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


def uncounted_joins(real: Any) -> Any:
    def take_pairs(state: State, pairs: Any) -> Any:
        after, facts = real(state, pairs)
        return replace(after, joined=state.joined), facts

    return take_pairs


def vanished_duplicates(real: Any) -> Any:
    """Of a group only the first is raised, as if nobody had said the others."""

    def take_raised(state: State, given: Any) -> Any:
        known = {each.same for each in state.findings}
        kept = []
        for seat, raised in given:
            own = [each for each in raised if (each.subcategory, each.place, each.field) not in known]
            known |= {(each.subcategory, each.place, each.field) for each in own}
            kept.append((seat, own))
        return real(state, kept)

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
    def join(state: State, gone: Any, into: Any) -> Any:
        after = real(state, gone, into)
        left = {each.key for each in after.findings}
        seats = tuple(
            replace(now, backs=tuple(b for b in was.backs if b.key in left))
            for was, now in zip(state.seats, after.seats, strict=True)
        )
        return replace(after, seats=seats)

    return join


def unanimous_by_those_left(real: Any) -> Any:
    def agreed_by(state: State, count: int) -> Any:
        return Agreement.UNANIMOUS if count >= len(state.active) > 1 else real(state, count)

    return agreed_by


def the_mildest(severities: Any) -> Any:
    return max(severities, key=lambda each: each.rank)


def mergeable(*demands: Callable[[Finding, Finding], bool]) -> Change:
    return instead(lambda kept, gone: kept.key != gone.key and all(demand(kept, gone) for demand in demands))


def same_place(kept: Finding, gone: Finding) -> bool:
    return kept.place == gone.place


def no_worse(kept: Finding, gone: Finding) -> bool:
    return not kept.proven or gone.severity.rank >= kept.severity.rank


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

        def take_answers(settings: Any, state: State, replies: Replies) -> Any:
            return real(settings, state, Replies(tuple((ask, heard(reply)) for ask, reply in replies)))

        return take_answers

    return wrap


def silence_disputes(real: Any) -> Any:
    """A finding to which a seat gives no answer counts as disputed."""

    def _stances(state: State, own: Any, given: Any) -> Any:
        held, disputed = real(state, own, given)
        unsaid = any(each.key not in answers for each in own for answers in given.values())
        return held, disputed or unsaid or len(given) < len(state.active)

    return _stances


def raised_for_ever(real: Any) -> Any:
    """Who raised a finding backs it even where it disputes it."""

    def _stances(state: State, own: Any, given: Any) -> Any:
        held, disputed = real(state, own, given)
        raised = {each.seat: back.severity for each in state.seats for back in each.backs if back.key == own[0].key}
        return {**raised, **held}, disputed

    return _stances


def pending_passes(real: Any) -> Any:
    """What one seat holds and nobody disputes is no matter for a vote."""

    def _answered(settings: Any, state: State, finding: Finding, stances: Any) -> Any:
        made = real(settings, state, finding, stances)
        passes = not stances[1] and made.lower is None
        return replace(made, agreement=Agreement.MAJORITY, doubted=False, lone=False) if passes else made

    return _answered


CHANGED: Mapping[str, tuple[str, Mapping[str, Change]]] = {
    "the mildest severity counts": ("answers", {"worst": instead(the_mildest)}),
    "a join keeps the milder severity": ("merges", {"worst": instead(the_mildest)}),
    "what is the same at two places is kept apart": (
        "sameness",
        {"may_join": mergeable(same_place, not_proven, no_worse)},
    ),
    "a gate's finding is merged away": ("merges", {"may_join": mergeable(no_worse)}),
    "what is worse goes into a gate's": ("merges", {"may_join": mergeable(not_proven)}),
    "what was joined is not noted": ("merges", {"take_pairs": uncounted_joins}),
    "duplicates are not raised": ("merges", {"take_raised": vanished_duplicates}),
    "numbers follow the seats": ("merges", {"take_raised": in_order_of_seats}),
    "a merge forgets who backed": ("merges", {"join": forgets_backers}),
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
    "no answer is a dispute": ("answers", {"_stances": silence_disputes}),
    "who raised a finding cannot give it up": ("answers", {"_stances": raised_for_ever}),
    "what one seat holds is not contested": ("answers", {"_answered": pending_passes}),
    "a remediation without a word counts": ("answers", {"proposes": instead(lambda p: p.fix.name != "NONE")}),
    "a remediation of no kind counts": ("answers", {"proposes": instead(lambda p: not p.blank)}),
    "a gate's finding is contested": (
        "answers",
        {"take_answers": each_finding(lambda each: replace(each, agreement=Agreement.CONTESTED))},
    ),
}
"""Where the defect is, and what becomes of which function."""
