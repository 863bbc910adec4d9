"""Planted defects of the review that are made by hand: in how ballots are counted, and in its verbs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quorate.core.forms import Prose
from quorate.core.tally import Denominator, TallyResult, Threshold, tally
from quorate.core.types import Absent, Ask, Replies
from quorate.kit.findings import Severity
from quorate.protocols.review.rules import ballot_count
from quorate.protocols.review.rules.ballot_count import Counted, count_ballot, count_round, raised_in
from quorate.protocols.review.rules.forms import Ballot
from quorate.protocols.review.rules.judgements import unmet_claims
from quorate.protocols.review.rules.model import (
    Earlier,
    Judgement,
    Member,
    ReviewSettings,
    Stance,
    State,
    Verdict,
    VetoClass,
)
from quorate.protocols.review.rules.protocol import Review

WORDS = Prose("words")
AYE = Ballot(WORDS, (), (), WORDS, VetoClass.NONE, 100, Stance.SYNTHESIS, False)
NONE = VetoClass.NONE


# Counting


def heard_as(change: Callable[[Ask, Any], Any]) -> Callable[..., Any]:
    """Count the round as if its replies had been others."""

    def counted(settings: ReviewSettings, state: State, replies: Replies) -> Any:
        return count_round(settings, state, Replies(tuple((ask, change(ask, reply)) for ask, reply in replies)))

    return counted


def ballot_as(change: Callable[[Ballot], Ballot]) -> Callable[..., Counted]:
    """Count a ballot as if it had been another."""
    return lambda settings, seat, ballot: count_ballot(settings, seat, change(ballot))


def nobody_is_a_quorum(votes: Any, threshold: Threshold) -> Any:
    made = tally(votes, threshold)
    return replace(made, result=TallyResult.CARRIED) if made.result is TallyResult.NO_ELECTORATE else made


def of_those_present(text: str) -> Threshold:
    return Threshold.parse(text, Denominator.PRESENT)


def abstaining_lifts(member: Member, ballot: Counted | None) -> Member:
    if ballot is not None and ballot.stance is Stance.ABSTAIN:
        return Member(member.seat)
    return ballot_count._after_ballot(member, ballot)


def absence_lifts(member: Member, ballot: Counted | None) -> Member:
    return Member(member.seat) if ballot is None else ballot_count._after_ballot(member, ballot)


def refusal_is_forgotten(member: Member, ballot: Counted | None) -> Member:
    made = ballot_count._after_ballot(member, ballot)
    return replace(made, earlier=Earlier.NONE) if made.veto is not NONE else made


def notes_open(settings: ReviewSettings, state: State, ballots: Any) -> Any:
    return raised_in(replace(settings, blocking_severity=Severity.LOW), state, ballots)


def no_charges(settings: ReviewSettings, state: State, ballots: Any) -> Any:
    return tuple(each for each in raised_in(settings, state, ballots) if each.veto is None)


def only_of_those_in_favour(settings: ReviewSettings, state: State, ballots: Any) -> Any:
    return raised_in(settings, state, {seat: b for seat, b in ballots.items() if b.stance is Stance.SYNTHESIS})


def alike_are_one(settings: ReviewSettings, state: State, ballots: Any) -> Any:
    """Items on one file and rule are merged, as they were once."""
    known: dict[Any, Any] = {}
    for each in raised_in(settings, state, ballots):
        known.setdefault((each.item.path, each.item.rule), each)
    return tuple(known.values())


def silence_passes(count: int, replies: Replies) -> Any:
    return tuple(each for each in unmet_claims(count, replies) if each[1] is Judgement.FAIL)


def of_the_last_ballot(settings: ReviewSettings, state: State, replies: Replies) -> Any:
    """Whoever says nothing of an item in the next ballot has dropped it."""
    made = count_round(settings, state, replies)
    new = tuple(item for item in made.state.items if item not in state.items)
    return replace(made, state=replace(made.state, items=new))


def without_ground(change: Callable[[Any], Any]) -> Callable[..., Any]:
    """Count what was raised as if its evidence had been another."""

    def raised(settings: ReviewSettings, state: State, ballots: Any) -> Any:
        found = raised_in(settings, state, ballots)
        return tuple(replace(each, item=change(each.item)) for each in found)

    return raised


def rounded_up(votes: Any, threshold: Threshold) -> Any:
    """A share that is nearly enough is taken for enough."""
    made = tally(votes, threshold)
    near = made.electorate and threshold.denominator * (made.ayes + 1) > threshold.numerator * made.electorate
    return replace(made, result=TallyResult.CARRIED) if near and made.ayes else made


COUNTS: Mapping[str, Mapping[str, Any]] = {
    "abstainers are in the denominator": {"threshold": of_those_present},
    "an absent member counts as an aye": {"count_round": heard_as(lambda ask, r: AYE if isinstance(r, Absent) else r)},
    "everybody's veto counts": {"holds_veto": lambda settings, seat: True},
    "nobody's veto counts": {"holds_veto": lambda settings, seat: False},
    "a veto without a class counts": {
        "count_ballot": ballot_as(
            lambda b: replace(b, veto_class=VetoClass.RULE_VIOLATION) if b.veto_class is NONE else b
        )
    },
    "a veto without evidence counts": {"count_ballot": ballot_as(lambda b: replace(b, groundless=False))},
    "low confidence is ignored": {"count_ballot": ballot_as(lambda b: replace(b, confidence=100))},
    "opposing is abstaining": {
        "count_ballot": ballot_as(lambda b: replace(b, stance=Stance.ABSTAIN) if b.stance is Stance.OPPOSE else b)
    },
    "nobody voting is a quorum": {"tally": nobody_is_a_quorum},
    "a share is rounded up": {"tally": rounded_up},
    "abstaining lifts a veto": {"_after_ballot": abstaining_lifts},
    "being absent lifts a veto": {"_after_ballot": absence_lifts},
    "a second compromise on the same veto": {"_after_ballot": refusal_is_forgotten},
    "a note blocks": {"raised_in": notes_open},
    "a veto without the right to it raises no item": {"raised_in": no_charges},
    "items of those who do not agree are dropped": {"raised_in": only_of_those_in_favour},
    "items on one file and rule are merged": {"raised_in": alike_are_one},
    "silence ends an item": {"count_round": of_the_last_ballot},
    "whatever is quoted is ground": {"raised_in": without_ground(lambda item: replace(item, grounded=True))},
    "nothing is ground": {"raised_in": without_ground(lambda item: replace(item, grounded=False))},
    "a veto withheld blocks at once": {"raised_in": without_ground(lambda item: replace(item, withheld=False))},
    "of claims the best judgement wins": {"ORDER": {each: -n for n, each in enumerate(Judgement)}},
    "a claim that nobody judged has passed": {"unmet_claims": silence_passes},
}


# Verbs


def without_obstacle(number: int) -> Callable[..., Any]:
    def obstacles(self: Review, state: State) -> Any:
        found = Review._obstacles(self, state)
        return (*found[:number], *found[number + 1 :])

    return obstacles


def without_items(self: Review, state: State) -> Verdict:
    return Review.conclude(self, replace(state, items=()))


def without_withheld(self: Review, state: State) -> Verdict:
    return Review.conclude(self, replace(state, items=tuple(item for item in state.items if not item.withheld)))


VERBS: Mapping[str, Mapping[str, Any]] = {
    "a compromise is offered for a secret": {"NEVER_DEFERRED": frozenset()},
    "a compromise is offered for what a check has proven": {"Review._obstacles": without_obstacle(0)},
    "a compromise without a business driver": {"Review._obstacles": without_obstacle(3)},
    "one round too many": {"Review._last": lambda self, state: state.round > self.settings.rounds},
    "one round too few": {"Review._last": lambda self, state: state.round + 1 >= self.settings.rounds},
    "debate again although nobody opposes": {
        "Review._may_debate_again": lambda self, state: self.settings.redebate and not self._last(state)
    },
    "fix items do not stand in the way of an approval": {"Review.conclude": without_items},
    "a veto withheld does not stand in the way of an approval": {"Review.conclude": without_withheld},
    "the verdict forgets the claims": {"Review.blocking_claims": lambda self, state: ()},
    "a session that was deserted is not degraded": {
        "Review.degradation": lambda self, state: Review.degradation(self, replace(state, deserted=False))
    },
}
