"""The invariants of a narrow review: no ballots, an answer before any quorum, and no hit left open (R50 to R54)."""

from __future__ import annotations

from quorate.core.protocol import Moment
from quorate.protocols.review.rules.forms import ClaimJudgements
from quorate.protocols.review.rules.hits import Hits, Refutation, line_keys, shown_whole
from quorate.protocols.review.rules.model import SKEPTIC, Outcome, ReviewSettings, State, Verdict

M = Moment[State]


def one_question(settings: ReviewSettings, moment: M) -> bool:
    """Each question to a reader is about the lines of one part, and each to the skeptic about one hit of another."""
    for place, ask in enumerate(moment.asks):
        if ask.form is Hits and ask.keys != line_keys(moment.state.unread[place]):
            return False
        raised_by = {item.key: item.seat for item in moment.state.items}
        if ask.form is Refutation and not (
            ask.seat == SKEPTIC and len(ask.keys) == 1 and raised_by.get(ask.keys[0], SKEPTIC) != ask.seat
        ):
            return False
    return True


def somebody_answered(settings: ReviewSettings, moment: M) -> bool:
    """The change counts as answered from a usable answer on, of a member whose word counts, until it is amended."""
    before, after = moment.state, moment.after
    if moment.outcome in (Outcome.EXAMINED, Outcome.AMENDED):
        return not after.answered
    answers = [ask.seat for ask, reply in moment.replies if isinstance(reply, Hits) and shown_whole(reply)]
    heard = moment.outcome is Outcome.READ and any(map(settings.counts, answers))
    return after.answered == (before.answered or heard)


def no_open_hit(settings: ReviewSettings, moment: M) -> bool:
    """An approval takes an answer for every line, and leaves no hit that nobody refuted."""
    after = moment.after
    grounded = any(item.grounded for item in after.items)
    return moment.verdict is not Verdict.APPROVED or (after.answered and not after.unseen and not grounded)


def words_of_members_alone(settings: ReviewSettings, moment: M) -> bool:
    """Nobody ballots and no member vetoes; where answers are put together, nothing is asked for but claims."""
    debated = moment.outcome in (Outcome.CONSENSUS, Outcome.ABSTENTION, Outcome.CRITICAL_FLAW)
    asked = {ask.form for ask in moment.asks} if debated else set()
    return asked <= {ClaimJudgements} and not any(member.vetoes for member in moment.after.members)


NARROW = (
    ("each narrow question is about one part or one hit", "R50 R51 R52", one_question),
    ("a quorum takes an answer of a member whose word counts", "R53", somebody_answered),
    ("no approval with a hit that nobody refuted", "R52 R53", no_open_hit),
    ("nobody ballots on a narrow review", "R50 R53", words_of_members_alone),
)
