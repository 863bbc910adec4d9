"""Planted defects in who reads what, and in what becomes of what nobody has read (R43 to R45).

Each is found by the review's own statements about states, without the oracle: `verify` proves coverage by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quorate.core.decisions import Decision
from quorate.core.forms import Prose
from quorate.core.types import Absent, Question, Replies, Seat
from quorate.protocols.review.rules.forms import Ballot, ReadPart, Tabling
from quorate.protocols.review.rules.model import CHAIR, WHOLE, Checked, Outcome, Phase, State, Verdict
from quorate.protocols.review.rules.parts import Part
from tests.verify.planted import Defect, P, asking, deciding

PROFILES: Mapping[str, Mapping[str, Any]] = {
    "alone": {"members": ["adjudicator"], "rounds": 1, "readings": 3, "confirm_items": False},
    "amended": {"members": ["adjudicator"], "rounds": 2, "readings": 3, "confirm_items": False},
    "with a holder": {"members": ["engineering-architect", "operations-sre"], "rounds": 1, "confirm_items": False},
}
"""The smallest reviews in which every rule about readings matters; the quick ones first."""
WORDS = Prose("words")
Change = Callable[[State, State], State]


def after(outcome: Outcome, change: Change) -> Defect:
    """A defect in the state after one outcome: change(state before, state after)."""
    phases = {
        Outcome.EXAMINED: Phase.PROPOSAL,
        Outcome.READ: Phase.PROPOSAL,
        Outcome.TABLED: Phase.PROPOSAL,
        Outcome.AMENDED: Phase.VETO,
        Outcome.AGREED: Phase.SYNTHESIS,
        Outcome.QUORUM_MET: Phase.ABSTAIN,
    }

    def changed(state: State, _: Replies, made: Decision[State]) -> Decision[State]:
        return replace(made, state=change(state, made.state)) if made.outcome is outcome else made

    return deciding(phases[outcome], changed)


def balloted(change: Callable[[State, Replies, State], State]) -> Defect:
    """A defect in what a ballot leaves unread."""
    return deciding(Phase.DEBATE, lambda state, heard, made: replace(made, state=change(state, heard, made.state)))


def hearing(phase: Phase, change: Callable[[Any, Any], Any]) -> Defect:
    """A phase that takes the replies it hears for others."""

    def plant(protocol: P) -> P:
        node = protocol.nodes[phase]

        def decide(state: State, heard: Replies) -> Decision[State]:
            made: Decision[State] = node.decide(state, Replies(tuple((ask, change(ask, r)) for ask, r in heard)))
            return made

        return replace(protocol, nodes={**protocol.nodes, phase: replace(node, decide=decide)})

    return plant


def concluding(change: Callable[[State], State]) -> Defect:
    """A verdict that looks at another state than the one that was reached."""

    def plant(protocol: P) -> P:
        conclude = protocol.verdicts[Phase.CONCLUSION]
        return replace(
            protocol, verdicts={**protocol.verdicts, Phase.CONCLUSION: lambda state: conclude(change(state))}
        )

    return plant


def without(**fields: Any) -> Change:
    """Return a change that gives fields of the new state these values."""
    return lambda _, made: replace(made, **fields)


def shown(ask: Any, reply: Any) -> Any:
    return replace(reply, whole=True) if isinstance(reply, ReadPart | Ballot) else reply


def present(ask: Any, reply: Any) -> Any:
    """Whoever was lost is taken for somebody who read."""
    lost = isinstance(reply, Absent) and ask.form is ReadPart
    return ReadPart(WORDS, (), True) if lost else reply


def first_counts_for_all(state: State, made: State) -> State:
    one = len(made.unread) < len(state.unread)
    return replace(made, unread=(), gap=state.gap) if one else made


def plain_parts(made: State) -> tuple[Part, ...]:
    return tuple(part for part in made.unread if not part.sensitive)


def anybody_reads(state: State, heard: Replies, made: State) -> State:
    """Any member's ballot reads what a veto holder has to read."""
    given = [reply for _, reply in heard if isinstance(reply, Ballot) and reply.whole]
    return replace(made, unread=()) if given else made


def abroad(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    """Every part is put to the first member, whether it holds a veto or not."""
    first = state.members[0].seat
    return tuple(replace(each, seat=first) if each.form is ReadPart else each for each in asks)


def to_the_chair(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    return tuple(replace(each, seat=CHAIR) if each.form is ReadPart else each for each in asks)


def one_part_fewer(state: State, made: State) -> State:
    """What is put to nobody for want of readings is dropped."""
    return replace(made, gap=False) if made.asked == 3 else made


def lost_twice(state: State, made: State) -> State:
    """What was lost by two readers counts as read."""
    return replace(made, gap=False) if state.attempt == 1 else made


def unlimited(protocol: P) -> P:
    """Readings are asked for without end: their number is forgotten."""
    return after(Outcome.READ, lambda state, made: replace(made, asked=0))(protocol)


def a_part_twice(state: State, made: State) -> State:
    """A part that was read is put to readers again, in the place of another."""
    return replace(made, unread=state.unread[:1] * len(made.unread)) if made.unread else made


def by_votes(state: State) -> State:
    return replace(state, unread=(), gap=False) if state.quorate and not state.absent else state


def read_while_proven(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    """Members read a change although a check has proven a veto."""
    if state.checked is not Checked.VETOED or asks:
        return asks
    return (Question(state.members[0].seat, "read", ReadPart, (WHOLE,)),)


def votes_while_reading(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    reading = any(each.form is ReadPart for each in asks)
    return (*asks, Question(Seat(CHAIR), "table", Tabling)) if reading else asks


def approved_unread(protocol: P) -> P:
    conclude = protocol.verdicts[Phase.CONCLUSION]

    def verdict(state: State) -> Any:
        found = conclude(state)
        return Verdict.APPROVED if found is Verdict.INCONCLUSIVE and state.quorate else found

    return replace(protocol, verdicts={**protocol.verdicts, Phase.CONCLUSION: verdict})


DEFECTS: Mapping[str, Defect] = {
    "a reader that is lost has read": hearing(Phase.PROPOSAL, present),
    "a reader that was shown only some has read": hearing(Phase.PROPOSAL, shown),
    "one reading is one of all parts": after(Outcome.READ, first_counts_for_all),
    "what two readers lost is read": after(Outcome.READ, lost_twice),
    "what is beyond the limit of readings is read": after(Outcome.READ, one_part_fewer),
    "after a round of readings nothing is unread": after(Outcome.READ, without(unread=())),
    "a round of readings closes every gap": after(Outcome.READ, without(gap=False)),
    "a part that is read is asked for again": after(Outcome.READ, a_part_twice),
    "the readings asked for are not counted": unlimited,
    "tabling the change reads it": after(Outcome.TABLED, without(unread=(), gap=False)),
    "files beyond the limits are forgotten": after(Outcome.EXAMINED, without(gap=False)),
    "the parts are forgotten": after(Outcome.EXAMINED, without(unread=())),
    "the first part is forgotten": after(Outcome.EXAMINED, lambda _, made: replace(made, unread=made.unread[1:])),
    "only what vetoes are about is to be read": after(
        Outcome.EXAMINED, lambda _, made: replace(made, unread=tuple(p for p in made.unread if p.sensitive))
    ),
    "what vetoes are about is read by nobody": after(
        Outcome.EXAMINED, lambda _, made: replace(made, unread=plain_parts(made))
    ),
    "a divided change is taken for a whole one": after(Outcome.EXAMINED, without(divided=False)),
    "an amended change is read": after(Outcome.AMENDED, without(unread=(), gap=False)),
    "an amended change has no gap": after(Outcome.AMENDED, without(gap=False)),
    "an amended change is not divided": after(Outcome.AMENDED, without(divided=False)),
    "a ballot on some of the change has read all": hearing(Phase.DEBATE, shown),
    "nobody has to cast a ballot for a change to be read": balloted(lambda _, __, made: replace(made, unread=())),
    "anybody reads what a veto holder has to read": balloted(anybody_reads),
    "a ballot closes a gap": balloted(lambda _, __, made: replace(made, gap=False)),
    "a quorum closes a gap": balloted(lambda _, __, made: replace(made, gap=made.gap and not made.quorate)),
    "agreement closes a gap": after(Outcome.AGREED, without(gap=False)),
    "the quorum check closes a gap": after(Outcome.QUORUM_MET, without(gap=False, unread=())),
    "agreement reads what is unread": after(Outcome.AGREED, without(unread=())),
    "the verdict does not look at gaps": concluding(lambda state: replace(state, gap=False)),
    "the verdict does not look at what is unread": concluding(lambda state: replace(state, unread=())),
    "the verdict counts votes for reading": concluding(by_votes),
    "what waits for a person is approved": approved_unread,
    "what vetoes are about is put to anybody": asking(Phase.PROPOSAL, abroad),
    "the chair reads": asking(Phase.PROPOSAL, to_the_chair),
    "the chair tables while others read": asking(Phase.PROPOSAL, votes_while_reading),
    "members read what a check has proven": asking(Phase.PROPOSAL, read_while_proven),
}
