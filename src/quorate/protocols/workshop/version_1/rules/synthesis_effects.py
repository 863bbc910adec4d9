"""The effects of a synthesis: ids, states, agreement and coverage (W14 to W20)."""

from __future__ import annotations

from collections.abc import Iterable

from quorate.core.decisions import Fact
from quorate.core.errors import RuleViolation
from quorate.core.forms import Key
from quorate.core.values import replace
from quorate.kit.lifecycle import advance
from quorate.protocols.workshop.version_1.rules.agreement import (
    agreement,
    agreement_of_new,
    may_take_away,
    next_id,
    supporters,
)
from quorate.protocols.workshop.version_1.rules.focus import topic_in_focus
from quorate.protocols.workshop.version_1.rules.items import Made, OpenQuestion
from quorate.protocols.workshop.version_1.rules.lives import ARTIFACT, MATTER, Happening
from quorate.protocols.workshop.version_1.rules.model import MOST_ARTIFACTS, MOST_BLOCKED, Artifact, State, Topic
from quorate.protocols.workshop.version_1.rules.plan import Plan
from quorate.protocols.workshop.version_1.rules.strategies import ConsensusRule
from quorate.protocols.workshop.version_1.rules.synthesis import Becomes, Change, Method, Synthesis, has_field, made
from quorate.protocols.workshop.version_1.rules.taxonomy import Agreement, ArtifactType


class Refused(Exception):
    """A change by the facilitator that the rules do not allow; the rest of the synthesis still counts."""


def process(state: State, plan: Plan, synthesis: Synthesis) -> tuple[State, tuple[Fact, ...]]:
    """Apply a synthesis: new artifacts, changes to others, and covered criteria."""
    facts: list[Fact] = []
    before = state
    for kind, item in made(synthesis):
        state = _create(state, plan, kind, item, facts)
    for change in synthesis.changes:
        state = _change(state, plan, change, facts)
    state = _cover(state, synthesis.covered, facts)
    if synthesis.misquoted:
        facts.append(Fact.of("misquoted", round=state.round))
    fresh = len(state.artifacts) > len(before.artifacts) or state.topics != before.topics
    return replace(state, fresh=fresh), tuple(facts)


# New artifacts


def _create(state: State, plan: Plan, kind: ArtifactType, item: Made, facts: list[Fact]) -> State:
    topic = topic_in_focus(state)
    assert topic is not None
    if len(state.artifacts) >= MOST_ARTIFACTS:
        facts.append(Fact.of("refused", id=kind.name, why=f"{MOST_ARTIFACTS} artifacts are the most"))
        return state
    new = Artifact(
        next_id(state, kind),
        kind,
        topic.key,
        made=state.round,
        status=MATTER.initial if kind.is_matter else ARTIFACT.initial,
        agreement=Agreement.DRAFT if kind.is_matter else agreement_of_new(state, plan, item),
        since=state.round if kind is ArtifactType.CONF else 0,
        blocking=isinstance(item, OpenQuestion) and item.blocking,
    )
    after = replace(state, artifacts=(*state.artifacts, new))
    superseding: list[Fact] = []
    for key in item.supersedes:
        try:
            after = _supersede(after, plan, item, new, key)
            superseding.append(Fact.of("superseded", id=key, by=new.id))
        except (Refused, RuleViolation) as refusal:
            superseding.append(Fact.of("refused", id=key, move=Happening.SUPERSEDE.value, why=str(refusal)))
    new = _known(after, new.id)
    facts.append(Fact.of("issued", id=new.id, type=kind.name, topic=new.topic, agreement=new.agreement.value))
    facts += superseding
    return after


def _supersede(state: State, plan: Plan, item: Made, new: Artifact, key: Key) -> State:
    """Replace an artifact by a new one, which takes its place in its topic and in a conflict (W17)."""
    old = _known(state, key)
    if old.type.is_matter or new.type.is_matter:
        raise Refused("questions and conflicts are resolved, not superseded")
    if not may_take_away(state, plan, old, supporters(state, plan, item.supported_by, item.opposed_by)):
        raise Refused(f"{key} is agreed upon, and too few support its replacement")
    moved = replace(old, status=advance(ARTIFACT, old.status, Happening.SUPERSEDE))
    heir = replace(new, topic=old.topic, blocked=old.blocked)  # a new text does not make a block undone (W31)
    for conflict in state.conflicts:
        if conflict.about == old.id:
            heir, state = replace(heir, agreement=Agreement.CONFLICT), _put(state, replace(conflict, about=new.id))
    after = _put(_put(state, moved), heir)
    return _without_taking_from_a_topic(state, after, old.topic)


# What becomes of others


def _change(state: State, plan: Plan, change: Change, facts: list[Fact]) -> State:
    try:
        after = _moved(state, plan, change)
    except (Refused, RuleViolation) as refusal:
        facts.append(Fact.of("refused", id=change.artifact, move=change.becomes.value, why=str(refusal)))
        return state
    facts.append(Fact.of(_DONE[change.becomes], id=change.artifact))
    return after


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
    if change.becomes in (Becomes.RESOLVE, Becomes.WITHDRAW) and change.unexplained:
        raise Refused(f"{change.becomes.value} needs a reason")
    if change.becomes is Becomes.RESOLVE:
        _check_method(state, artifact, change.method, len(behind))
        return resolve(state, artifact, agreement(state, plan, behind, Agreement.CONSENSUS))
    lives = MATTER if artifact.type.is_matter else ARTIFACT
    happening = change.becomes.happening
    if happening is not None:
        artifact = replace(artifact, status=advance(lives, artifact.status, happening))
    elif not artifact.live:
        raise Refused(f"{artifact.id} is {artifact.status.value}; only what is active or amended is endorsed")
    elif plan.strategy.rule is ConsensusRule.CONSENT:
        raise Refused("drafts are agreed upon by a vote")
    if change.becomes is Becomes.WITHDRAW and not may_take_away(state, plan, _known(state, artifact.id), behind):
        raise Refused(f"{artifact.id} is agreed upon, and too few support its withdrawal")
    if change.becomes is Becomes.AMEND and not any(has_field(artifact.type, each.field) for each in change.edits):
        raise Refused(f"none of the edits is of a field that {artifact.type.name} has")
    if change.becomes in (Becomes.AMEND, Becomes.REVERT, Becomes.ENDORSE):
        disputed = any(each.about == artifact.id for each in state.conflicts)
        seen = Agreement.CONSENSUS if change.becomes is Becomes.ENDORSE else artifact.agreement
        anew = Agreement.CONFLICT if disputed else agreement(state, plan, behind, seen)
        artifact = replace(artifact, agreement=anew)
    return _without_taking_from_a_topic(state, _put(state, artifact), artifact.topic)


def _check_method(state: State, matter: Artifact, method: Method, support: int) -> None:
    """Raise Refused unless a conflict's resolution meets the requirements of its method (W19)."""
    if matter.type is not ArtifactType.CONF:
        return
    about = state.artifact(matter.about) if matter.about is not None else None
    if about is not None and matter.made == state.round:
        raise Refused(f"{matter.id} was raised in this round; those who raised it have to be heard")
    if about is not None and about.blocked >= MOST_BLOCKED:
        raise Refused(f"{about.id} was blocked {about.blocked} times; a person has to settle that")
    answered = len(state.answered)
    match method:
        case Method.CONSENSUS if support < answered:
            raise Refused(f"consensus needs all who answered; {support} of {answered} support it")
        case Method.MAJORITY if 2 * support <= answered:
            raise Refused(f"a majority needs more than half; {support} of {answered} support it")
        case Method.FACILITATOR_DECISION if matter.about is not None:
            raise Refused("a conflict that a participant has raised is not the facilitator's to decide")
        case _:
            return


def resolve(state: State, matter: Artifact, settled: Agreement) -> State:
    """Resolve a question or conflict; what a conflict is about is agreed upon as said from then on."""
    lives = MATTER if matter.type.is_matter else ARTIFACT
    state = _put(state, replace(matter, status=advance(lives, matter.status, Happening.RESOLVE)))
    about = state.artifact(matter.about) if matter.about is not None else None
    return _put(state, replace(about, agreement=settled)) if about is not None and about.live else state


def _known(state: State, key: Key) -> Artifact:
    found = state.artifact(key)
    if found is None:
        raise Refused(f"{key} is no artifact")
    return found


def _put(state: State, artifact: Artifact) -> State:
    return replace(state, artifacts=tuple(artifact if each.id == artifact.id else each for each in state.artifacts))


def _without_taking_from_a_topic(before: State, after: State, key: Key) -> State:
    """Return the state after, unless it takes from a closed topic what it was closed with (W17)."""
    topic = before.topic(key)
    if before.done(topic) and not after.done(topic):
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
