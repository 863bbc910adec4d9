"""The effects of a synthesis: ids, states, agreement and coverage (W14 to W20)."""

from __future__ import annotations

from collections.abc import Iterable

from quorate.core.decisions import Fact
from quorate.core.errors import RuleViolation
from quorate.core.forms import Key
from quorate.core.types import Seat
from quorate.core.values import replace
from quorate.kit.lifecycle import advance
from quorate.protocols.workshop.rules.agreement import (
    agreement,
    agreement_of_new,
    check_report,
    may_take_away,
    supporters,
)
from quorate.protocols.workshop.rules.focus import topic_in_focus
from quorate.protocols.workshop.rules.holds import add, next_id, put, reopened
from quorate.protocols.workshop.rules.items import Conflict, Made, OpenQuestion
from quorate.protocols.workshop.rules.lives import ARTIFACT, MATTER, Happening
from quorate.protocols.workshop.rules.model import FACILITATOR, MOST_ARTIFACTS, MOST_BLOCKED, Artifact, State, Topic
from quorate.protocols.workshop.rules.names import Names, Refused
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.strategies import ConsensusRule
from quorate.protocols.workshop.rules.synthesis import Becomes, Change, Method, Synthesis, has_field, made
from quorate.protocols.workshop.rules.taxonomy import Agreement, ArtifactType


def process(state: State, plan: Plan, synthesis: Synthesis) -> tuple[State, tuple[Fact, ...]]:
    """Apply a synthesis: new artifacts, changes to others, and covered criteria."""
    facts: list[Fact] = []
    before = state
    names = Names(state)
    for place, (kind, item) in enumerate(made(synthesis), start=1):
        known = len(state.artifacts)
        state = _create(state, plan, kind, item, names, place in synthesis.repeats, facts)
        names.count(kind, state.artifacts[-1].id if len(state.artifacts) > known else None)
    for change in synthesis.changes:
        state = _change(state, plan, change, names, facts)
    if plan.counts(FACILITATOR):
        state = _cover(state, synthesis.covered, facts)
    if synthesis.misquoted:
        facts.append(Fact.of("misquoted", round=state.round))
    fresh = len(state.artifacts) > len(before.artifacts) or state.topics != before.topics
    return replace(state, fresh=fresh), tuple(facts)


# New artifacts


def _create(
    state: State, plan: Plan, kind: ArtifactType, item: Made, names: Names, repeated: bool, facts: list[Fact]
) -> State:
    topic = topic_in_focus(state)
    assert topic is not None
    told: list[Fact] = []
    try:
        new = _new(state, plan, kind, item, topic, names, repeated, told)
    except Refused as refusal:
        facts.append(Fact.of("refused", id=kind.name, why=str(refusal)))
        return state
    after = add(state, new)
    for key in item.supersedes:
        try:
            before, after = after, _supersede(after, plan, item, _known(after, new.id), names.old(key))
            told += [Fact.of("superseded", id=key, by=new.id), *_waiting_anew(before, after)]
        except (Refused, RuleViolation) as refusal:
            told.append(Fact.of("refused", id=key, move=Happening.SUPERSEDE.value, why=str(refusal)))
    before, after = after, reopened(after, _known(after, new.id))
    told += _waiting_anew(before, after)
    new = _known(after, new.id)
    facts.append(Fact.of("issued", id=new.id, type=kind.name, topic=new.topic, agreement=new.agreement.value))
    facts += told
    return after


def _new(
    state: State,
    plan: Plan,
    kind: ArtifactType,
    item: Made,
    topic: Topic,
    names: Names,
    repeated: bool,
    told: list[Fact],
) -> Artifact:
    """Return a new artifact, or raise Refused: there are enough and it is no conflict, or it repeats another (W15)."""
    if len(state.artifacts) >= MOST_ARTIFACTS and kind is not ArtifactType.CONF:
        raise Refused(f"{MOST_ARTIFACTS} artifacts are the most")
    if repeated:
        raise Refused("it says the same as an artifact that there is; a change of that one is an amendment")
    if kind is ArtifactType.CONF and not plan.counts(FACILITATOR):
        raise Refused("the facilitator has not passed the exam, and opens no conflict")
    return Artifact(
        next_id(state, kind),
        kind,
        topic.key,
        made=state.round,
        status=MATTER.initial if kind.is_matter else ARTIFACT.initial,
        since=state.round if kind is ArtifactType.CONF else 0,
        blocking=isinstance(item, OpenQuestion) and item.blocking,
        about=_about(state, topic, item, names, told) if isinstance(item, Conflict) else (),
        backing=Agreement.DRAFT if kind.is_matter else agreement_of_new(state, plan, item),
    )


def _about(state: State, topic: Topic, item: Conflict, names: Names, told: list[Fact]) -> tuple[Key, ...]:
    """Return what a conflict names: artifacts in force, or the topic in focus where it names none (W19)."""
    named: list[Key] = []
    for key in item.about:
        meant = names.meant(key)
        artifact = state.artifact(meant) if meant is not None else None
        if key == topic.key or (artifact is not None and artifact.live):
            named.append(key if artifact is None else artifact.id)
        else:
            told.append(Fact.of("refused", id=key, move="dispute", why=f"{key} is no artifact in force"))
    if not named:
        why = f"it names nothing that it is about, and so it is about all of {topic.key}"
        told.append(Fact.of("refused", id=next_id(state, ArtifactType.CONF), move="dispute", why=why))
    return tuple(named) or (topic.key,)


def _supersede(state: State, plan: Plan, item: Made, new: Artifact, key: Key) -> State:
    """Replace an artifact by a new one, which takes its place in its topic, in conflicts and in rulings (W17)."""
    old = _known(state, key)
    if old.type.is_matter or new.type.is_matter:
        raise Refused("questions and conflicts are resolved, not superseded")
    if not may_take_away(state, plan, old, supporters(state, plan, item.supported_by, item.opposed_by)):
        raise Refused(f"{key} is agreed upon, and too few support its replacement")
    moved = replace(old, status=advance(ARTIFACT, old.status, Happening.SUPERSEDE))
    # A new text does not make a block undone, nor the refinement that follows it (W31).
    heir = replace(new, topic=old.topic, blocked=old.blocked, blocked_in=old.blocked_in)
    after = put(state, moved)
    for matter in state.artifacts:
        if old.id in matter.about and (matter.open or matter.type is ArtifactType.RUL):
            about = tuple(dict.fromkeys(new.id if each == old.id else each for each in matter.about))
            after = put(after, replace(matter, about=about))
    after = reopened(put(after, heir), heir)
    return _without_taking_from_a_topic(state, after, old.topic)


# What becomes of others


def _change(state: State, plan: Plan, change: Change, names: Names, facts: list[Fact]) -> State:
    try:
        names.old(change.artifact)
        after = _moved(state, plan, change)
    except (Refused, RuleViolation) as refusal:
        facts.append(Fact.of("refused", id=change.artifact, move=change.becomes.value, why=str(refusal)))
        return state
    facts += [Fact.of(_DONE[change.becomes], id=change.artifact), *_waiting_anew(state, after)]
    return after


def _waiting_anew(before: State, after: State) -> Iterable[Fact]:
    """Tell which rulings were applied and wait anew (W24)."""
    waiting = {each.id for each in before.rulings}
    return (Fact.of("waits anew", id=each.id) for each in after.rulings if each.id not in waiting)


_DONE = {
    Becomes.AMEND: "amended",
    Becomes.REVERT: "reverted",
    Becomes.WITHDRAW: "withdrawn",
    Becomes.RESOLVE: "resolved",
    Becomes.ENDORSE: "endorsed",
}


def _moved(state: State, plan: Plan, change: Change) -> State:
    artifact = _known(state, change.artifact)
    behind = supporters(state, plan, change.supported_by, change.opposed_by)
    if artifact.type is ArtifactType.RUL:
        raise Refused(f"{artifact.id} is a person's ruling, which no facilitator moves")
    check_report(plan, artifact, change.becomes)
    if change.becomes in (Becomes.RESOLVE, Becomes.WITHDRAW) and change.unexplained:
        raise Refused(f"{change.becomes.value} needs a reason")
    if change.becomes is Becomes.RESOLVE:
        _check_method(state, plan, artifact, change.method, len(behind))
        return resolve(state, artifact, agreement(state, plan, behind, Agreement.CONSENSUS))
    if change.becomes is Becomes.ENDORSE:
        _check_endorsed(plan, artifact)
    if change.becomes is Becomes.WITHDRAW and not may_take_away(state, plan, artifact, behind):
        raise Refused(f"{artifact.id} is agreed upon, and too few support its withdrawal")
    if change.becomes is Becomes.AMEND and not any(has_field(artifact.type, each.field) for each in change.edits):
        raise Refused(f"none of the edits is of a field that {artifact.type.name} has")
    artifact = _advanced(artifact, change.becomes)
    if change.becomes is not Becomes.WITHDRAW:
        artifact = replace(artifact, backing=_anew(state, plan, change.becomes, artifact, behind))
    after = put(state, artifact)
    if change.becomes is not Becomes.ENDORSE:
        after = reopened(after, artifact)
    return _without_taking_from_a_topic(state, after, artifact.topic)


def _check_endorsed(plan: Plan, artifact: Artifact) -> None:
    if not artifact.live:
        raise Refused(f"{artifact.id} is {artifact.status.value}; only what is active or amended is endorsed")
    if plan.strategy.rule is ConsensusRule.CONSENT:
        raise Refused("drafts are agreed upon by a vote")


def _advanced(artifact: Artifact, becomes: Becomes) -> Artifact:
    """Return the artifact in its next state; it is active again once its last amendment is reverted (W14, W16)."""
    if becomes.happening is None:
        return artifact
    lives = MATTER if artifact.type.is_matter else ARTIFACT
    moved = replace(artifact, status=advance(lives, artifact.status, becomes.happening))
    if becomes is Becomes.AMEND:
        return replace(moved, amended=artifact.amended + 1, voted=False)
    if becomes is Becomes.REVERT:
        left = artifact.amended - 1
        return replace(moved, status=artifact.status if left else moved.status, amended=left, voted=False)
    return moved


def _anew(state: State, plan: Plan, becomes: Becomes, artifact: Artifact, behind: tuple[Seat, ...]) -> Agreement:
    """Return how far something is agreed upon after a move; the facilitator's judgement of a text stands (W18)."""
    judged = plan.strategy.rule is ConsensusRule.FACILITATOR
    if judged and becomes is not Becomes.ENDORSE:
        return artifact.backing
    return agreement(state, plan, behind, Agreement.CONSENSUS)


def _check_method(state: State, plan: Plan, matter: Artifact, method: Method, support: int) -> None:
    """Raise Refused unless a conflict's resolution meets the requirements of its method (W19)."""
    if matter.type is not ArtifactType.CONF:
        return
    if matter.raised and matter.made == state.round:
        raise Refused(f"{matter.id} was raised in this round; those who raised it have to be heard")
    for about in filter(None, map(state.artifact, matter.about)):
        if matter.raised and about.blocked >= MOST_BLOCKED:
            raise Refused(f"{about.id} was blocked {about.blocked} times; a person has to settle that")
    answered = len(plan.voices(state))
    match method:
        case Method.CONSENSUS if not support or support < answered:
            raise Refused(f"consensus needs all who answered; {support} of {answered} support it")
        case Method.MAJORITY if 2 * support <= answered:
            raise Refused(f"a majority needs more than half; {support} of {answered} support it")
        case Method.FACILITATOR_DECISION if matter.raised:
            raise Refused("a conflict that a participant has raised is not the facilitator's to decide")
        case _:
            return


def resolve(state: State, matter: Artifact, settled: Agreement) -> State:
    """Resolve a question or conflict; the artifacts that a conflict names are agreed upon as said from then on."""
    state = ended(state, matter)
    for about in filter(None, map(state.artifact, matter.about)):
        state = put(state, replace(about, backing=settled)) if about.live else state
    return state


def ended(state: State, matter: Artifact) -> State:
    """Resolve a question or conflict, and nothing else."""
    lives = MATTER if matter.type.is_matter else ARTIFACT
    return put(state, replace(matter, status=advance(lives, matter.status, Happening.RESOLVE)))


def _known(state: State, key: Key) -> Artifact:
    found = state.artifact(key)
    if found is None:
        raise Refused(f"{key} is no artifact")
    return found


def _without_taking_from_a_topic(before: State, after: State, key: Key) -> State:
    """Return the state after, unless it takes from a closed topic what it was closed with (W17)."""
    topic = before.topic(key)
    if before.has_enough(topic) and not after.has_enough(topic):
        raise Refused(f"{key} is closed and needs {topic.minimum} agreed artifact(s)")
    return after


# Topics


def _cover(state: State, keys: Iterable[Key], facts: list[Fact]) -> State:
    """Note the criteria of the topic in focus that are met (W20)."""
    topic = topic_in_focus(state)
    assert topic is not None
    numbers = {number for number in range(1, topic.criteria + 1) if criterion(number) in set(keys)}
    met = tuple(sorted({*topic.met, *numbers}))
    if met == topic.met:
        return state
    facts.append(Fact.of("covered", topic=topic.key, met=len(met), of=topic.criteria))
    return put_topic(state, replace(topic, met=met))


def criterion(number: int) -> Key:
    """The key of a criterion of the topic in focus."""
    return Key(f"K{number}")


def put_topic(state: State, topic: Topic) -> State:
    return replace(state, topics=tuple(topic if each.key == topic.key else each for each in state.topics))
