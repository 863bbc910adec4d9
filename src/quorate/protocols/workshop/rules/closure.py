"""When topics move on and close, and what that means for the session (W20 to W23)."""

from __future__ import annotations

from enum import Enum

from quorate.core.decisions import Fact
from quorate.core.values import replace
from quorate.kit.lifecycle import advance
from quorate.protocols.workshop.rules.focus import age, is_bound, next_place
from quorate.protocols.workshop.rules.lives import TOPIC, TopicEvent, TopicStatus
from quorate.protocols.workshop.rules.model import LEAST_JUDGED, Artifact, State, Topic
from quorate.protocols.workshop.rules.next_action import Closed, Conditions
from quorate.protocols.workshop.rules.parts import unread
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.strategies import ConsensusRule
from quorate.protocols.workshop.rules.synthesis_effects import put_topic
from quorate.protocols.workshop.rules.taxonomy import Agreement


class Lack(Enum):
    """What a topic may lack."""

    CRITERIA = "criteria that are met"
    ARTIFACTS = "agreed artifacts"
    RESOLUTION = "the resolution of a conflict"
    RULING = "the application of a ruling"
    VOTE = "a vote on a draft"


class Bar(Enum):
    """What stands against COMPLETE beside open topics (W26)."""

    CONFLICT = "a conflict is open"
    RULING = "a ruling is not applied"
    JUDGED = "too few participants have judged"
    DOCUMENTS = "a part of the documents was shown to nobody"


def close_topics(state: State, plan: Plan) -> tuple[State, tuple[Fact, ...]]:
    """Advance every topic as far as its conditions allow; the one in focus closes only at the end of its pass."""
    facts: list[Fact] = []
    last = state.round >= plan.settings.max_rounds
    over = last or is_bound(state, plan) or next_place(state, plan).begins_pass
    for topic in state.topics:
        event = _event(state, plan, topic, may_close=over or topic.key != state.focus)
        if event is not None:
            moved = replace(topic, status=advance(TOPIC, topic.status, event))
            facts.append(Fact.of("topic", key=topic.key, was=topic.status.value, now=moved.status.value))
            state = put_topic(state, moved)
    return state, tuple(facts)


def _event(state: State, plan: Plan, topic: Topic, may_close: bool) -> TopicEvent | None:
    if topic.status is TopicStatus.CLOSED:
        return None
    if may_close and is_complete(state, plan, topic):
        return TopicEvent.COMPLETED
    covered = topic.met or state.agreed(topic)
    return TopicEvent.COVERED if topic.status is TopicStatus.OPEN and covered else None


def is_complete(state: State, plan: Plan, topic: Topic) -> bool:
    """Whether a topic may close (W21)."""
    return not lacks(state, plan, topic)


def lacks(state: State, plan: Plan, topic: Topic) -> tuple[Lack, ...]:
    """Return what keeps a topic from closing when its pass is over (W21)."""
    consent = plan.strategy.rule is ConsensusRule.CONSENT
    tests = {
        Lack.CRITERIA: len(topic.met) < topic.criteria,
        Lack.ARTIFACTS: state.agreed(topic) < topic.minimum,
        Lack.RESOLUTION: any(topic.key in state.topics_of(conflict) for conflict in state.conflicts),
        Lack.RULING: any(topic.key in state.topics_of(ruling) for ruling in state.rulings),
        Lack.VOTE: consent and any(is_unvoted(each) for each in state.artifacts if each.topic == topic.key),
    }
    return tuple(lack for lack, holds in tests.items() if holds)


def is_unvoted(artifact: Artifact) -> bool:
    """Whether it is a draft that nobody has voted upon as it stands (W21, W30)."""
    return artifact.live and artifact.agreement is Agreement.DRAFT and not artifact.voted


def overdue(state: State, plan: Plan) -> tuple[Artifact, ...]:
    """Return the conflicts, and the rulings that are not applied, that have lasted too long (W23)."""
    most = plan.settings.max_rounds_per_conflict
    return tuple(each for each in (*state.conflicts, *state.rulings) if age(state, each.since) >= most)


def to_put(state: State, plan: Plan) -> tuple[Artifact, ...]:
    """Return what to put to a person: what is overdue, or all conflicts and unapplied rulings if nothing is (W24)."""
    return overdue(state, plan) or (*state.conflicts, *state.rulings)


def is_advised(state: State, put: tuple[Artifact, ...]) -> bool:
    """Whether the facilitator has recommended something since the last of these arose (W24)."""
    latest = [each.made - 1 if each.open_conflict else each.made for each in put]
    return state.advised > max(latest, default=0)


def bars(state: State) -> tuple[Bar, ...]:
    """Return what stands against COMPLETE, whatever topics are closed (W26, W37, W38)."""
    judged = sum(member.judged for member in state.members)
    tests = {
        Bar.CONFLICT: bool(state.conflicts),
        Bar.RULING: bool(state.rulings),
        Bar.JUDGED: 100 * judged < LEAST_JUDGED * len(state.members),
        Bar.DOCUMENTS: state.unlisted or bool(unread(state)),
    }
    return tuple(bar for bar, holds in tests.items() if holds)


def conditions(state: State, plan: Plan, *, heard: bool = False, sent_on: bool = False) -> Conditions:
    """Return all conditions of the next action; after a person was heard nothing asks for escalation (W22)."""
    settings = plan.settings
    still = [topic for topic in state.topics if not state.done(topic)]
    if not still:
        closed = Closed.ALL
    else:
        closed = Closed.NOT_ALL_REQUIRED if any(topic.required for topic in still) else Closed.REQUIRED
    return Conditions(
        at_maximum=state.round >= settings.max_rounds,
        under_minimum=state.complete < settings.min_rounds,
        triggered=settings.escalation and not heard and (state.unsure or bool(overdue(state, plan))),
        sent_on=sent_on,
        closed=closed,
        barred=bool(bars(state)),
        conclude_on=settings.conclude_on,
    )
