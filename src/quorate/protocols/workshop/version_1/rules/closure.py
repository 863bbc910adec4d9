"""When topics move on and close, and what that means for the session (W20 to W23)."""

from __future__ import annotations

from enum import Enum

from quorate.core.decisions import Fact
from quorate.core.values import replace
from quorate.kit.lifecycle import advance
from quorate.protocols.workshop.version_1.rules.focus import age, is_bound, next_place
from quorate.protocols.workshop.version_1.rules.lives import TOPIC, TopicEvent, TopicStatus
from quorate.protocols.workshop.version_1.rules.model import Artifact, State, Topic
from quorate.protocols.workshop.version_1.rules.next_action import Closed, Conditions
from quorate.protocols.workshop.version_1.rules.plan import Plan
from quorate.protocols.workshop.version_1.rules.synthesis_effects import put_topic


class Lack(Enum):
    """What a topic may lack."""

    CRITERIA = "criteria that are met"
    ARTIFACTS = "agreed artifacts"
    RESOLUTION = "the resolution of a conflict"


def close_topics(state: State, plan: Plan) -> tuple[State, tuple[Fact, ...]]:
    """Advance every topic as far as its conditions allow; the one in focus closes only at the end of its pass."""
    facts: list[Fact] = []
    last = state.round >= plan.settings.max_rounds
    over = last or is_bound(state, plan) or next_place(state, plan).begins_pass
    for topic in state.topics:
        event = _event(state, topic, may_close=over or topic.key != state.focus)
        if event is not None:
            moved = replace(topic, status=advance(TOPIC, topic.status, event))
            facts.append(Fact.of("topic", key=topic.key, was=topic.status.value, now=moved.status.value))
            state = put_topic(state, moved)
    return state, tuple(facts)


def _event(state: State, topic: Topic, may_close: bool) -> TopicEvent | None:
    if topic.status is TopicStatus.CLOSED:
        return None
    if may_close and is_complete(state, topic):
        return TopicEvent.COMPLETED
    covered = topic.met or state.agreed(topic)
    return TopicEvent.COVERED if topic.status is TopicStatus.OPEN and covered else None


def is_complete(state: State, topic: Topic) -> bool:
    """Whether a topic may close (W21)."""
    return not lacks(state, topic)


def lacks(state: State, topic: Topic) -> tuple[Lack, ...]:
    """Return what keeps a topic from closing when its pass is over (W21)."""
    tests = {
        Lack.CRITERIA: len(topic.met) < topic.criteria,
        Lack.ARTIFACTS: state.agreed(topic) < topic.minimum,
        Lack.RESOLUTION: any(conflict.topic == topic.key for conflict in state.conflicts),
    }
    return tuple(lack for lack, holds in tests.items() if holds)


def overdue(state: State, plan: Plan) -> tuple[Artifact, ...]:
    """Return the conflicts that have lasted too long (W23)."""
    most = plan.settings.max_rounds_per_conflict
    return tuple(each for each in state.conflicts if age(state, each.since) >= most)


def to_put(state: State, plan: Plan) -> tuple[Artifact, ...]:
    """Return the conflicts to put to a person: the overdue ones, or all if none is overdue (W24)."""
    return overdue(state, plan) or state.conflicts


def is_advised(state: State, put: tuple[Artifact, ...]) -> bool:
    """Whether the facilitator has recommended something since the last of these conflicts arose (W24)."""
    return state.advised > 0 and all(each.made <= state.advised for each in put)


def conditions(state: State, plan: Plan, *, heard: bool = False) -> Conditions:
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
        closed=closed,
        conflict=bool(state.conflicts),
        conclude_on=settings.conclude_on,
    )
