"""Invariants of the workshop about artifacts, agreement, conflicts and topics: short statements about a move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import groupby
from typing import Any

from quorate.core.forms import Key
from quorate.core.protocol import Moment
from quorate.protocols.workshop.rules.forms import Consent, Response, RulingChoice, Votes
from quorate.protocols.workshop.rules.lives import RoundStage, Status, TopicStatus
from quorate.protocols.workshop.rules.model import MOST_ARTIFACTS, MOST_BLOCKED, Artifact, Phase, State, Topic
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.strategies import ConsensusRule
from quorate.protocols.workshop.rules.synthesis import Synthesis, made
from quorate.protocols.workshop.rules.taxonomy import Agreement, ArtifactType
from quorate.protocols.workshop.rules.waits import waits_anew

M = Moment[State]
Check = Callable[[Plan, M], bool]
STEPS: Mapping[Any, tuple[RoundStage, RoundStage]] = {
    Phase.QUESTION: (RoundStage.QUESTION, RoundStage.RESPONSES),
    Phase.RESPONSES: (RoundStage.RESPONSES, RoundStage.SYNTHESIS),
    Phase.SYNTHESIS: (RoundStage.SYNTHESIS, RoundStage.ARTIFACTS),
    Phase.PROCESSING: (RoundStage.ARTIFACTS, RoundStage.JOURNAL),
}
"""What a round waits for before and after each phase (W4)."""
ENDS = (Status.SUPERSEDED, Status.WITHDRAWN, Status.RESOLVED)
MAY_BECOME: Mapping[Status, tuple[Status, ...]] = {
    Status.ACTIVE: (Status.AMENDED, Status.SUPERSEDED, Status.WITHDRAWN),
    Status.AMENDED: (Status.ACTIVE, Status.SUPERSEDED, Status.WITHDRAWN),
    Status.OPEN: (Status.RESOLVED,),
}
"""The rows of the lives of artifacts, questions and conflicts (W14), several of them in one synthesis included."""
DECIDES = (RulingChoice.ACCEPT, RulingChoice.DECIDE)
MATTERS = (ArtifactType.OQ, ArtifactType.CONF, ArtifactType.RUL)
MOVED_BY: Mapping[ArtifactType, tuple[Phase, ...]] = {
    ArtifactType.OQ: (Phase.SYNTHESIS,),
    ArtifactType.CONF: (Phase.SYNTHESIS, Phase.ESCALATION),
    ArtifactType.RUL: (Phase.RESPONSES, Phase.PAUSE, Phase.ESCALATION),
}
"""The phases that resolve a matter: a ruling is confirmed by participants or a person, never by the facilitator."""


def agreed(state: State, topic: Topic) -> int:
    """How many artifacts count towards the minimum of a topic (W21)."""
    own = [each for each in state.artifacts if each.topic == topic.key and each.type in topic.counts]
    return sum(each.live and each.agreement is Agreement.CONSENSUS for each in own)


# Their lives


def never_less(plan: Plan, moment: M) -> bool:
    """No artifact is ever removed, renamed, or given another type or round; a conflict follows a replacement (W15)."""
    kept = moment.after.artifacts[: len(moment.state.artifacts)]
    by = {dict(fact.values)["id"]: dict(fact.values)["by"] for fact in moment.facts if fact.name == "superseded"}
    return len(kept) == len(moment.state.artifacts) and all(
        (a.id, a.type, a.made, a.blocking, a.raised) == (b.id, b.type, b.made, b.blocking, b.raised)
        and {_last(key, by) for key in a.about} == {_last(key, by) for key in b.about}
        for a, b in zip(moment.state.artifacts, kept, strict=True)
    )


def _last(key: Key, by: Mapping[Any, Any]) -> Key:
    """Return what has replaced this in the end: a conflict or a ruling is about that from then on."""
    while key in by:
        key = Key(str(by[key]))
    return key


def ids(plan: Plan, moment: M) -> bool:
    """Ids are TYPE-NNN, counted per type from 001 without a gap, none twice (W15)."""
    by_type = sorted(moment.after.artifacts, key=lambda each: each.type.value)
    for kind, own in groupby(by_type, key=lambda each: each.type):
        if [each.id for each in own] != _sequence(kind, moment.after):
            return False
    return True


def _sequence(kind: ArtifactType, state: State) -> list[str]:
    total = sum(each.type is kind for each in state.artifacts)
    return [f"{kind.value}-{number:03d}" for number in range(1, total + 1)]


def made_by_a_round(plan: Plan, moment: M) -> bool:
    """What is new was made by the round under way, in its responses or its synthesis, for a topic that is there."""
    fresh, now = new_in(moment), moment.after.round
    topics = {each.key for each in moment.after.topics}
    makers = (Phase.RESPONSES, Phase.SYNTHESIS, Phase.ESCALATION)
    if fresh and moment.phase not in makers:
        return False
    if any((each.type is ArtifactType.RUL) != (moment.phase is Phase.ESCALATION) for each in fresh):
        return False
    known = all(1 <= each.made <= now and each.topic in topics for each in moment.after.artifacts)
    return known and all(each.made == moment.state.round for each in fresh)


def new_in(moment: M) -> tuple[Artifact, ...]:
    return moment.after.artifacts[len(moment.state.artifacts) :]


def not_too_many(plan: Plan, moment: M) -> bool:
    """A synthesis makes nothing but conflicts where there are sixty already (W15)."""
    there = enumerate(moment.after.artifacts)
    late = [each for place, each in there if place >= max(MOST_ARTIFACTS, len(moment.state.artifacts))]
    return moment.phase is not Phase.SYNTHESIS or all(each.type is ArtifactType.CONF for each in late)


def terminal(plan: Plan, moment: M) -> bool:
    """What is superseded, withdrawn or resolved stays so and is not agreed upon anew (W14)."""
    return all(
        after.status is before.status and after.agreement is before.agreement
        for before, after in zip(moment.state.artifacts, moment.after.artifacts, strict=False)
        if before.status in ENDS and not waits_anew(moment, before)
    )


def along_rows(plan: Plan, moment: M) -> bool:
    """States change along the rows of the life cycles, by a synthesis or a person, and new ones begin at the start."""
    begun = {
        True: (Status.OPEN, Status.RESOLVED),
        False: (Status.ACTIVE, Status.AMENDED, Status.SUPERSEDED, Status.WITHDRAWN),
    }
    if not all(each.status in begun[each.type in MATTERS] for each in new_in(moment)):
        return False
    for before, after in zip(moment.state.artifacts, moment.after.artifacts, strict=False):
        if before.status is not after.status and not waits_anew(moment, before):
            if moment.phase not in MOVED_BY.get(before.type, (Phase.SYNTHESIS,)) or after.status not in MAY_BECOME.get(
                before.status, ()
            ):
                return False
    return True


def replaced(plan: Plan, moment: M) -> bool:
    """What is superseded has a replacement of the same synthesis, which says so, in the same topic (W17)."""
    told = [dict(fact.values) for fact in moment.facts if fact.name == "superseded"]
    by = {str(each["id"]): str(each["by"]) for each in told}
    fresh = {each.id: each for each in new_in(moment)}
    gone = [
        after
        for before, after in zip(moment.state.artifacts, moment.after.artifacts, strict=False)
        if after.status is Status.SUPERSEDED and before.status is not Status.SUPERSEDED
    ]
    gone += [each for each in fresh.values() if each.status is Status.SUPERSEDED]
    return {str(each.id) for each in gone} == set(by) and all(
        (new := fresh.get(Key(by[each.id]))) is not None and new.topic == each.topic for each in gone
    )


# Agreement


def consensus(plan: Plan, moment: M) -> bool:
    """Consensus comes by a vote, a person or a synthesis, and with weights from somebody sure alone (W18, W29, W30)."""
    old = {each.id: each for each in moment.state.artifacts}
    fresh = [
        each
        for each in moment.after.artifacts
        if each.agreement is Agreement.CONSENSUS
        and (each.id not in old or old[each.id].agreement is not Agreement.CONSENSUS)
    ]
    return all(_settled(moment, each) or _voted(plan, moment, each) or _seen(plan, moment) for each in fresh)


def _settled(moment: M, about: Artifact) -> bool:
    """A ruling that names it or its topic was confirmed in this move (W24)."""
    now = {each.id for each in moment.after.artifacts if each.status is Status.RESOLVED}
    confirmed = [each for each in moment.state.rulings if each.id in now]
    return any(about.id in each.about or about.topic in each.about for each in confirmed)


def _voted(plan: Plan, moment: M, draft: Artifact) -> bool:
    """It was voted upon: nobody blocked it with a reason, and somebody supported it (W30)."""
    if plan.strategy.rule is not ConsensusRule.CONSENT or moment.phase is not Phase.RESPONSES:
        return False
    cast = [
        reply.votes[draft.id] for _, reply in moment.replies if isinstance(reply, Votes) and draft.id in reply.votes
    ]
    blocked = any(vote.stance is Consent.BLOCK and not vote.groundless for vote in cast)
    return not blocked and any(vote.stance is Consent.SUPPORT for vote in cast)


def _seen(plan: Plan, moment: M) -> bool:
    """A synthesis may say so, unless drafts are voted upon; somebody who counts has answered (W12, W40)."""
    rule = plan.strategy.rule
    said = any(isinstance(reply, Synthesis) for _, reply in moment.replies)
    voices = plan.voices(moment.state)
    some = any(each.confidence for each in voices) if rule is ConsensusRule.WEIGHTED else bool(voices)
    return moment.phase is Phase.SYNTHESIS and said and some and rule is not ConsensusRule.CONSENT


def contested(plan: Plan, moment: M) -> bool:
    """What is contested has a conflict that is opened in the same move, and is in conflict (W11)."""
    if moment.phase is not Phase.RESPONSES:
        return True
    named = {key for _, reply in moment.replies if isinstance(reply, Response) for key in reply.contested}
    named = {key for key in named if (found := moment.state.artifact(key)) is not None and found.live}
    opened = [key for each in new_in(moment) for key in each.about]
    disputed = {each.id for each in moment.after.artifacts if each.agreement is Agreement.CONFLICT}
    return named <= set(opened) and len(opened) == len(set(opened)) and named <= disputed


def in_conflict(plan: Plan, moment: M) -> bool:
    """An artifact that is live is in conflict exactly while a conflict about it is open (W11)."""
    disputed = {key for each in moment.after.artifacts if each.open_conflict for key in each.about}
    return all(
        (each.agreement is Agreement.CONFLICT) == (each.id in disputed) for each in moment.after.artifacts if each.live
    )


def repeated(plan: Plan, moment: M) -> bool:
    """What says the same as an artifact in force makes nothing (W15)."""
    if moment.phase is not Phase.SYNTHESIS:
        return True
    for _, reply in moment.replies:
        if isinstance(reply, Synthesis):
            new = len(list(made(reply))) - len(set(reply.repeats))
            return len(new_in(moment)) <= new
    return True


def blocked(plan: Plan, moment: M) -> bool:
    """A draft that is blocked is no consensus; the second time a conflict about it is overdue at once (W30, W31)."""
    if moment.phase is not Phase.RESPONSES:
        return True
    since = moment.state.round - plan.settings.max_rounds_per_conflict + 1
    opened = {key: each.since for each in new_in(moment) for key in each.about}
    for before, after in zip(moment.state.artifacts, moment.after.artifacts, strict=False):
        if before.type is ArtifactType.RUL:
            continue
        votes = [r.votes[before.id] for _, r in moment.replies if isinstance(r, Votes) and before.id in r.votes]
        stopped = any(vote.stance is Consent.BLOCK and not vote.groundless for vote in votes)
        if after.blocked != before.blocked + int(stopped) or (stopped and (after.agreed or after.voted)):
            return False
        if stopped and (opened.get(before.id) == since) != (after.blocked >= MOST_BLOCKED):
            return False
    return True


# Topics


def topics(plan: Plan, moment: M) -> bool:
    """A topic goes from open to partial to closed, or at once; closed ones stay closed; only code's phases move it."""
    rank = (TopicStatus.OPEN, TopicStatus.PARTIAL, TopicStatus.CLOSED)
    if moment.phase is Phase.OPENING:
        return all(each.status is TopicStatus.OPEN for each in moment.after.topics)
    if [each.key for each in moment.state.topics] != [each.key for each in moment.after.topics]:
        return False
    for before, after in zip(moment.state.topics, moment.after.topics, strict=True):
        if rank.index(after.status) < rank.index(before.status):
            return False
        if after.status is not before.status and moment.phase not in (Phase.PROCESSING, Phase.ESCALATION):
            return False
    return True


def closing(plan: Plan, moment: M) -> bool:
    """A topic closes with criteria met, its number agreed upon, no conflict, ruling or draft waiting (W21)."""
    after = moment.after
    was = {each.key for each in moment.state.topics if each.status is TopicStatus.CLOSED}
    for topic in after.topics:
        if topic.status is not TopicStatus.CLOSED or topic.key in was:
            continue
        waiting = (*after.conflicts, *after.rulings)
        held = any(topic.key in after.topics_of(each) for each in waiting)
        unvoted = [
            each
            for each in after.artifacts
            if each.live and each.topic == topic.key and each.agreement is Agreement.DRAFT and not each.voted
        ]
        if plan.strategy.rule is ConsensusRule.CONSENT and unvoted:
            return False
        if topic.met != tuple(range(1, topic.criteria + 1)) or agreed(after, topic) < topic.minimum or held:
            return False
    return True


def kept(plan: Plan, moment: M) -> bool:
    """A closed topic keeps what it was closed with, unless a conflict or a ruling about it arises (W17, W24)."""
    if moment.phase is not Phase.SYNTHESIS:
        return True
    before = {each.key: each for each in moment.state.topics}
    holding = (*(each for each in new_in(moment) if each.open_conflict), *moment.after.rulings)
    named = {key for each in holding for key in each.about}
    fought = named | {each.topic for each in moment.after.artifacts if each.id in named}
    return all(
        agreed(moment.after, topic) >= topic.minimum or agreed(moment.state, before[topic.key]) < topic.minimum
        for topic in moment.after.topics
        if topic.status is TopicStatus.CLOSED and topic.key not in fought
    )
