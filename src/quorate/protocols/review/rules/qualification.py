"""The review's invariants about seats whose model has not passed the exam: their word changes nothing (R48, R49)."""

from __future__ import annotations

from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.protocol import Moment
from quorate.core.types import Absent, Replies
from quorate.core.values import replace
from quorate.protocols.review.rules.forms import Ballot, ClaimJudgements, Doubts, ReadPart
from quorate.protocols.review.rules.hits import Answer, Hits, Refutation
from quorate.protocols.review.rules.model import Checked, ReviewSettings, Stance, State, Verdict, VetoClass
from quorate.protocols.review.rules.protocol import Review

M = Moment[State]
NOTHING = Prose("")
SILENCE: dict[type[Reply], Reply] = {
    Ballot: Ballot(NOTHING, (), (), NOTHING, VetoClass.NONE, 100, Stance.ABSTAIN, True, False),
    ClaimJudgements: ClaimJudgements(Keyed()),
    ReadPart: ReadPart(NOTHING, (), False),
    Doubts: Doubts(Keyed(), ()),
    Hits: Hits((), False),
    Refutation: Refutation(NOTHING, Answer.CANNOT_TELL),
}
"""Of each form in which somebody judges, the reply that says nothing."""


def unmoved(settings: ReviewSettings, moment: M) -> bool:
    """Had an unqualified seat said nothing, the same would have come of it, but for the numbers of items (R48)."""
    said = [reply for ask, reply in moment.replies if not settings.counts(ask.seat) and not isinstance(reply, Absent)]
    if moment.interrupted is not None or not any(type(reply) in SILENCE for reply in said):
        return True
    silent = tuple(
        (ask, reply if settings.counts(ask.seat) or isinstance(reply, Absent) else SILENCE.get(type(reply), reply))
        for ask, reply in moment.replies
    )
    again = Review(settings, 0).nodes()[moment.phase].decide(moment.state, Replies(silent))  # type: ignore[index]
    return again.outcome is moment.outcome and _unnumbered(again.state) == _unnumbered(moment.after)


def _unnumbered(state: State) -> State:
    return replace(state, raised=0, items=tuple(replace(item, key=Key("")) for item in state.items))


def nobody_approves(settings: ReviewSettings, moment: M) -> bool:
    """Where no member counts there is no quorum, no veto of a member and no approval (R49)."""
    members = moment.after.members
    if any(settings.counts(member.seat) for member in members):
        return True
    vetoed = any(member.vetoes for member in members)
    return not (moment.after.quorate or vetoed) and moment.verdict is not Verdict.APPROVED


def checks_decide(settings: ReviewSettings, moment: M) -> bool:
    """Return whether a finding of the checks blocks and no member counts, so that it decides (R49)."""
    after = moment.after
    blocks = after.checked is Checked.BLOCKING and not after.vetoed
    return blocks and not any(settings.counts(member.seat) for member in after.members)


QUALIFICATION = (
    ("what an unqualified seat says changes nothing", "R48", unmoved),
    ("a committee in which nobody is qualified approves nothing and vetoes nothing", "R49", nobody_approves),
)
"""They hold wherever a seat is unqualified."""
