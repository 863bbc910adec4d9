"""Planted defects in narrow reviews: in what is asked, in what an answer counts for, and in what nobody refuted.

Each is found by the review's own statements, without the oracle (R50 to R54).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quorate.core.decisions import Decision
from quorate.core.forms import Prose
from quorate.core.types import Absent, Question, Replies
from quorate.kit.findings import Severity
from quorate.protocols.review.rules.forms import Ballot
from quorate.protocols.review.rules.hits import Answer, Hits, Refutation
from quorate.protocols.review.rules.model import Outcome, Phase, State, Verdict
from tests.protocols.review.defects.unread import after, concluding, hearing, without
from tests.verify.planted import Defect, P, asking, deciding

PROFILES: Mapping[str, Mapping[str, Any]] = {
    "alone": {"style": "narrow", "members": ["adjudicator"], "rounds": 1, "readings": 2},
    "amended": {"style": "narrow", "members": ["adjudicator"], "rounds": 2, "readings": 2, "confirm_items": False},
    "unqualified": {
        "style": "narrow",
        "members": ["engineering-architect", "operations-sre"],
        "rounds": 1,
        "readings": 2,
        "unqualified_seats": ["operations-sre", "skeptic"],
    },
}
"""The smallest narrow reviews in which every rule about them matters; the quick ones first."""
WORDS = Prose("words")
Reply = Callable[[Any, Any], Any]


def answering(was: Answer | None, now: Answer) -> Reply:
    """An answer of the skeptic is taken for another one; None is its absence."""

    def heard(ask: Any, reply: Any) -> Any:
        lost = was is None and isinstance(reply, Absent) and ask.form is Refutation
        said = isinstance(reply, Refutation) and reply.answer is was
        return Refutation(WORDS, now) if lost or said else reply

    return heard


def concluded(change: Reply) -> Defect:
    """A defect in what is heard of the skeptic, wherever it is asked."""
    ways = [hearing(phase, change) for phase in (Phase.SYNTHESIS, Phase.ABSTAIN)]
    return lambda protocol: ways[1](ways[0](protocol))


def asked_at_the_end(change: Callable[[State, tuple[Question, ...]], tuple[Question, ...]]) -> Defect:
    ways = [asking(phase, change) for phase in (Phase.SYNTHESIS, Phase.ABSTAIN)]
    return lambda protocol: ways[1](ways[0](protocol))


def of_hits(change: Callable[[Hits], Hits]) -> Defect:
    return hearing(Phase.PROPOSAL, lambda ask, reply: change(reply) if isinstance(reply, Hits) else reply)


def present(ask: Any, reply: Any) -> Any:
    return Hits((), True) if isinstance(reply, Absent) and ask.form is Hits else reply


def debated(change: Callable[[State, Decision[State]], Decision[State]]) -> Defect:
    return deciding(Phase.DEBATE, lambda state, _, made: change(state, made))


def silent_quorum(state: State, made: Decision[State]) -> Decision[State]:
    """Where nobody answered, nobody objected."""
    return replace(made, state=replace(made.state, quorate=not made.state.vetoed, deserted=False))


def agreed_in_part(state: State, made: Decision[State]) -> Decision[State]:
    return replace(made, outcome=Outcome.CONSENSUS) if made.outcome is Outcome.ABSTENTION else made


def ballots_too(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    return (*asks, *(Question(member.seat, "ballot", Ballot) for member in state.members))


def by_its_reader(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    """A hit is put to whoever raised it."""
    seats = {item.key: item.seat for item in state.items}
    return tuple(replace(each, seat=seats[each.keys[0]]) if each.form is Refutation else each for each in asks)


def first_hit_alone(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    return asks[:1] if len(asks) > 1 else asks


def no_hit(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    return tuple(each for each in asks if each.form is not Refutation)


def same_lines(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    """Every reader is asked about the first hunk."""
    return tuple(replace(each, keys=asks[0].keys) if each.form is Hits else each for each in asks)


def heard_whoever(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    """Any answer is one that counts."""
    spoke = any(isinstance(reply, Hits) for _, reply in heard)
    return replace(made, state=replace(made.state, answered=True)) if spoke else made


def lighter(state: State, made: State) -> State:
    return replace(made, items=tuple(replace(item, severity=Severity.MEDIUM) for item in made.items))


def elsewhere(state: State, made: State) -> State:
    """A hit is about the change as a whole."""
    from quorate.protocols.review.rules.model import WHOLE

    return replace(made, items=tuple(replace(item, path=WHOLE) for item in made.items))


def waits_for_nobody(protocol: P) -> P:
    conclude = protocol.verdicts[Phase.CONCLUSION]

    def verdict(state: State) -> Any:
        found = conclude(state)
        return Verdict.APPROVED if found is Verdict.INCONCLUSIVE and state.checked.value == "clean" else found

    return replace(protocol, verdicts={**protocol.verdicts, Phase.CONCLUSION: verdict})


DEFECTS: Mapping[str, Defect] = {
    "a hit of which the skeptic cannot tell is dropped": concluded(answering(Answer.CANNOT_TELL, Answer.DOES_NOT_HOLD)),
    "a hit that holds is dropped": concluded(answering(Answer.HOLDS, Answer.DOES_NOT_HOLD)),
    "a hit that does not hold stays": concluded(answering(Answer.DOES_NOT_HOLD, Answer.CANNOT_TELL)),
    "a hit is dropped where the skeptic is absent": concluded(answering(None, Answer.DOES_NOT_HOLD)),
    "a hit is put to whoever raised it": asked_at_the_end(by_its_reader),
    "only the first hit is put to the skeptic": asked_at_the_end(first_hit_alone),
    "no hit is put to the skeptic": asked_at_the_end(no_hit),
    "a reader that is lost has answered": hearing(Phase.PROPOSAL, present),
    "a reader that was shown only some has answered": of_hits(lambda reply: replace(reply, whole=True)),
    "hits are forgotten": of_hits(lambda reply: replace(reply, hits=())),
    "the second hit is forgotten": of_hits(lambda reply: replace(reply, hits=reply.hits[:1])),
    "a blank sentence is a hit": of_hits(
        lambda reply: replace(reply, hits=tuple(replace(hit, unfounded=False) for hit in reply.hits))
    ),
    "a hit weighs less than its kind": after(Outcome.READ, lighter),
    "a hit is about no file": after(Outcome.READ, elsewhere),
    "every reader is asked about the first hunk": asking(Phase.PROPOSAL, same_lines),
    "a hunk that nobody answered for is dropped": after(Outcome.READ, without(unread=(), gap=False)),
    "any answer counts": deciding(Phase.PROPOSAL, heard_whoever),
    "an examined change is answered for": after(Outcome.EXAMINED, without(answered=True)),
    "an amended change is answered for": after(Outcome.AMENDED, without(answered=True)),
    "tabling answers for the change": after(Outcome.TABLED, without(answered=True)),
    "silence is a quorum": debated(silent_quorum),
    "a part of the change is enough to agree": debated(agreed_in_part),
    "members ballot on a narrow review": asking(Phase.DEBATE, ballots_too),
    "the verdict does not look at hits": concluding(lambda state: replace(state, items=())),
    "the verdict does not look at gaps": concluding(lambda state: replace(state, gap=False)),
    "what waits for a person is approved": waits_for_nobody,
}
