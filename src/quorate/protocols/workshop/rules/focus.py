"""The focus of a round, and the stage of the strategy it belongs to (W5, W6, W7, W28)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from quorate.core.forms import Key
from quorate.core.values import replace
from quorate.protocols.workshop.rules.holds import disputed, held
from quorate.protocols.workshop.rules.lives import ROUND, Status, TopicStatus
from quorate.protocols.workshop.rules.model import LASTING, MOST_BLOCKED, Artifact, State, Topic
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.strategies import ConsensusRule, Scene, Stage
from quorate.protocols.workshop.rules.taxonomy import Agreement


def scene_of(state: State, plan: Plan) -> Scene:
    """Return the current stage."""
    return plan.strategy.scenes[state.scene]


def is_bound(state: State, plan: Plan) -> bool:
    """Whether the agenda binds topics to stages of this strategy (W6)."""
    return any(topic.stage in plan.strategy.stages for topic in state.topics)


def topic_in_focus(state: State) -> Topic | None:
    """Return the topic in focus, or that of the matter in focus."""
    if state.focus is None:
        return None
    matter = state.artifact(state.focus)
    return state.topic(matter.topic if matter is not None else state.focus)


def age(state: State, conflict_since: int) -> int:
    """Return the age of a conflict in rounds; the round that opened it counts as 1."""
    return state.round - conflict_since + 1


def candidates(state: State, plan: Plan) -> tuple[Key, ...]:
    """Return the candidates for the focus, the most important first; never empty (W5)."""
    if state.focus is not None:
        return (state.focus,)
    open_topics = [topic for topic in state.topics if not state.done(topic)]
    if is_bound(state, plan):
        stage = scene_of(state, plan).stage
        own = tuple(topic.key for topic in open_topics if topic.stage in (None, stage))
        if own:
            return own
    classes = (
        [topic.key for topic in open_topics if topic.required and topic.status is TopicStatus.OPEN],
        [topic.key for topic in open_topics if topic.required],
        [each.id for each in state.conflicts if age(state, each.since) > LASTING],
        [each.id for each in state.artifacts if each.open and each.blocking],
        [
            *(topic.key for topic in open_topics),
            *(each.id for each in state.artifacts if each.open and not each.unapplied),
        ],
        [topic.key for topic in state.topics],
    )
    return tuple(next(found for found in classes if found))


# From round to round


def begin_round(state: State, plan: Plan) -> State:
    """Begin a round in its stage; on a bound agenda, stages with nothing left to do are skipped."""
    members = tuple(replace(member, confidence=None, unsure=False) for member in state.members)
    state = replace(state, round=state.round + 1, stage=ROUND.initial, members=members, fresh=False, led=False)
    left = {topic.stage for topic in state.topics if not state.done(topic)}
    if is_bound(state, plan) and None not in left:
        stages = plan.strategy.stages
        ahead = [place % len(stages) for place in range(state.scene, state.scene + len(stages))]
        scene = next((place for place in ahead if stages[place] in left), state.scene)
        if scene != state.scene:
            state = replace(state, scene=scene, attempt=0)
    return state


@dataclass(frozen=True, slots=True)
class StrategyPlace:
    """The position of the next round in its strategy."""

    scene: int
    attempt: int
    focus: Key | None

    @property
    def begins_pass(self) -> bool:
        return self.focus is None


def next_place(state: State, plan: Plan) -> StrategyPlace:
    """Return the position of the next round (W7, W28, W31)."""
    scenes, scene, bound = plan.strategy.scenes, scene_of(state, plan), is_bound(state, plan)
    matter = state.artifact(state.focus) if state.focus is not None else None
    if matter is not None and matter.status is Status.RESOLVED:
        return StrategyPlace(0, 0, None)
    keep = None if bound else state.focus
    if scene.stage is Stage.CONVERGENCE and sent_back(state, plan):
        return StrategyPlace(plan.strategy.stages.index(Stage.REFINEMENT), 0, keep)
    if state.attempt + 1 < scene.attempts and not _stage_is_done(state, scene, bound):
        return StrategyPlace(state.scene, state.attempt + 1, keep)
    if state.scene + 1 < len(scenes):
        return StrategyPlace(state.scene + 1, 0, keep)
    return StrategyPlace(0, 0, None)


def _stage_is_done(state: State, scene: Scene, bound: bool) -> bool:
    if not bound:
        return state.fresh
    return all(state.done(topic) for topic in state.topics if topic.stage is scene.stage)


def drafts(state: State) -> tuple[Key, ...]:
    """The drafts of the topic in focus that nothing holds back, which a vote is about (W30)."""
    return tuple(each.id for each in _drafts_in_focus(state) if not held(state, each))


def _drafts_in_focus(state: State) -> Iterator[Artifact]:
    if (topic := topic_in_focus(state)) is not None:
        for each in state.artifacts:
            if each.live and each.agreement is Agreement.DRAFT and each.topic == topic.key:
                yield each


def sent_back(state: State, plan: Plan) -> bool:
    """Whether a vote has blocked a draft of the focus that may be refined once more, held back or not (W31)."""
    return plan.strategy.rule is ConsensusRule.CONSENT and any(
        0 < each.blocked < MOST_BLOCKED and each.blocked_in == state.round for each in _drafts_in_focus(state)
    )


def votes_now(state: State, plan: Plan) -> bool:
    """Whether participants vote in this round instead of answering (W30)."""
    return scene_of(state, plan).stage is Stage.CONVERGENCE and bool(drafts(state))


def contestable(state: State) -> tuple[Key, ...]:
    """The artifacts that a participant may contest (W11)."""
    return tuple(each.id for each in state.artifacts if each.live and not disputed(state, each))
