"""Planted defects of the review about seats whose model has not passed the exam (R48, R49)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quorate.core.types import Replies, Seat
from quorate.core.values import replace
from quorate.kit.findings import Severity
from quorate.protocols.review.rules import ballot_count
from quorate.protocols.review.rules.ballot_count import NOTE, OPEN, NewItem, count_ballot, raised_in
from quorate.protocols.review.rules.forms import Ballot
from quorate.protocols.review.rules.model import Checked, ReviewSettings, State, Verdict
from quorate.protocols.review.rules.protocol import Review


def counting(settings: ReviewSettings) -> ReviewSettings:
    """The same settings, as if everybody had passed."""
    return replace(settings, unqualified_seats=())


def raised_as(became: str, **change: Any) -> Any:
    """Raise what an unqualified member says as something else."""

    def raised(settings: ReviewSettings, state: State, ballots: Mapping[Seat, Ballot]) -> tuple[NewItem, ...]:
        return tuple(
            each if settings.counts(each.item.seat) else replace(each, became=became, item=replace(each.item, **change))
            for each in raised_in(settings, state, ballots)
        )

    return raised


def veto_alone_counts(settings: ReviewSettings, seat: Seat, ballot: Ballot) -> Any:
    """A veto of whoever failed counts, and nothing else of it."""
    made = count_ballot(counting(settings), seat, ballot)
    return made if made.veto.value != "none" else count_ballot(settings, seat, ballot)


COUNTED: Mapping[str, Mapping[str, Any]] = {
    "the ballot of whoever failed the exam counts": {
        "count_ballot": lambda settings, seat, ballot: count_ballot(counting(settings), seat, ballot)
    },
    "the veto of whoever failed the exam counts": {"count_ballot": veto_alone_counts},
    "the items of whoever failed the exam block": {"raised_in": raised_as(OPEN)},
    "the items of whoever failed the exam carry others": {"raised_in": raised_as(NOTE)},
    "the veto of whoever failed the exam is withheld": {"raised_in": raised_as(OPEN, withheld=True)},
    "a worse item of whoever failed the exam blocks": {
        "raised_in": lambda settings, state, ballots: tuple(
            replace(each, became=OPEN) if each.item.severity is Severity.CRITICAL else each
            for each in raised_in(settings, state, ballots)
        )
    },
    "claims are judged by whoever failed the exam": {"qualified": lambda replies, unqualified: replies},
    "nobody is told that a ballot does not count": {"unqualified_facts": lambda replies, unqualified: ()},
    "whoever failed the exam has read the change": {
        "seen_in_ballots": lambda settings, state, given: ballot_count.seen_in_ballots(counting(settings), state, given)
    },
}


def as_if_all_passed(method: str) -> Any:
    """Let one of the review's verbs forget who failed the exam."""
    verb = getattr(Review, method)
    return lambda self, *given: verb(Review(counting(self.settings), self.seed), *given)


def checks_alone_decide_nothing(self: Review, state: State) -> Verdict:
    made = Review.conclude(self, state)
    blocked = state.checked is Checked.BLOCKING and not state.quorate
    return Verdict.INCONCLUSIVE if blocked and made is Verdict.REQUEST_CHANGES else made


def nobody_reads(self: Review, state: State, replies: Replies) -> Any:
    return Review(counting(self.settings), self.seed).table(state, replies)


RULED: Mapping[str, Mapping[str, Any]] = {
    "a skeptic that failed the exam refutes": {"Review._doubted": as_if_all_passed("_doubted")},
    "whoever failed the exam has read a part": {"Review.table": nobody_reads},
    "parts are put to whoever failed the exam": {"Review.ask_to_table": as_if_all_passed("ask_to_table")},
    "a committee in which nobody counts hides what the checks found": {"Review.conclude": checks_alone_decide_nothing},
    "a committee in which nobody counts approves": {
        "Review.conclude": lambda self, state: (
            Verdict.APPROVED
            if not any(map(self.settings.counts, (member.seat for member in state.members)))
            and state.checked is Checked.CLEAN
            else Review.conclude(self, state)
        )
    },
}
