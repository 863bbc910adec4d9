"""Coverage: what `verify` proves about who was shown what, and what nobody has read (R43 to R46)."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.protocol import Moment
from quorate.core.types import Seat
from quorate.protocols.review.rules.forms import Ballot, Examination, ReadPart
from quorate.protocols.review.rules.hits import Hits, shown_whole
from quorate.protocols.review.rules.model import ADJUDICATOR, Checked, Outcome, Phase, ReviewSettings, State, Verdict
from quorate.protocols.review.rules.parts import Part

M = Moment[State]


def nothing_unread(settings: ReviewSettings, moment: M) -> bool:
    """What is not in a reply of a seat that was shown it is unread, and nothing unread is approved (R27, R43, R45)."""
    before, after = moment.state, moment.after
    report = _report(moment)
    if moment.verdict is Verdict.APPROVED and (after.unread or after.gap):
        return False
    if report is not None:
        held = {number for part in report.parts for span in part.spans for number in range(span.first, span.last + 1)}
        lost = report.beyond > 0 or not held >= set(range(1, report.hunks + 1))
        lost = lost or len({span.file for part in report.parts for span in part.spans}) < report.files
        return after.gap or (after.unread == report.parts and not lost and after.divided == report.divided)
    if before.gap > after.gap or not set(after.unread) <= set(before.unread):
        return False
    return after.gap or all(_was_read(settings, moment, part) for part in set(before.unread) - set(after.unread))


def readers(settings: ReviewSettings, moment: M) -> bool:
    """Parts of a large change are put to members, at most `readings` in a session, without a vote (R43, R44)."""
    reading = [ask for ask in moment.asks if ask.form in (ReadPart, Hits)]
    if not reading:
        return moment.outcome is not Outcome.READ and moment.after.asked == moment.state.asked
    state = moment.state
    members = {member.seat for member in state.members}
    due = moment.phase is Phase.PROPOSAL and state.divided and state.checked is not Checked.VETOED
    counted = moment.interrupted is not None or moment.after.asked == state.asked + len(reading) <= settings.readings
    return due and counted and len(reading) == len(moment.asks) and members >= {ask.seat for ask in reading}


def _report(moment: M) -> Examination | None:
    """Return the report of this moment that became the result of the checks."""
    if moment.interrupted is not None or moment.outcome not in (Outcome.EXAMINED, Outcome.AMENDED):
        return None
    return next((r for _, r in moment.replies if isinstance(r, Examination) and r.applied), None)


def _was_read(settings: ReviewSettings, moment: M, part: Part) -> bool:
    """Return whether a seat that was shown all of the part replied, a veto holder where it has to be one."""
    seats = set(_shown(moment, part)).difference(settings.unqualified_seats)
    holders = {member.seat for member in moment.state.members if _holds(settings, member.seat)}
    return bool(seats & holders if part.sensitive and holders else seats)


def _shown(moment: M, part: Part) -> Iterator[Seat]:
    for place, (ask, reply) in enumerate(moment.replies):
        if shown_whole(reply) and moment.state.unread[place] == part:
            yield ask.seat
        if isinstance(reply, Ballot) and reply.whole and not moment.state.divided:
            yield ask.seat


def _holds(settings: ReviewSettings, seat: Seat) -> bool:
    names = {str(seat), seat.partition(":")[0]}
    return seat not in settings.unqualified_seats and not names.isdisjoint({*settings.veto_holders, str(ADJUDICATOR)})
