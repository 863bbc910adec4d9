"""What holds an artifact back: conflicts that are open, and rulings that are not applied (W18, W19, W24)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.values import replace
from quorate.kit.lifecycle import advance
from quorate.protocols.workshop.rules.lives import MATTER, Happening
from quorate.protocols.workshop.rules.model import MOST_NAMED, Artifact, State
from quorate.protocols.workshop.rules.taxonomy import Agreement, ArtifactType


def next_id(state: State, kind: ArtifactType) -> Key:
    """Return the next id of this type; artifacts are never removed, so ids are unique (W15)."""
    return numbered(kind, sum(each.type is kind for each in state.artifacts) + 1)


def numbered(kind: ArtifactType, number: int) -> Key:
    return Key(f"{kind.name}-{number:03}")


def next_ids(state: State, kinds: Iterable[ArtifactType]) -> tuple[Key, ...]:
    """Return the ids by which a conflict names entries of its own synthesis, by type and in order (W15)."""
    last = Counter(each.type for each in state.artifacts)
    numbers = range(1, MOST_NAMED + 1)
    return tuple(numbered(kind, last[kind] + n) for kind in kinds if not kind.is_matter for n in numbers)


def disputed(state: State, artifact: Artifact) -> bool:
    """Whether an open conflict names the artifact itself."""
    return any(artifact.id in each.about for each in state.conflicts)


def held(state: State, artifact: Artifact) -> bool:
    """Whether a ruling that is not applied names it or its topic, or an open conflict names its topic."""
    holding = [*state.rulings, *state.conflicts]
    return any(artifact.topic in each.about for each in holding) or any(
        artifact.id in each.about for each in state.rulings
    )


def level(state: State, artifact: Artifact) -> Agreement:
    """Return how far a live artifact is agreed upon, with what holds it back (W18)."""
    if disputed(state, artifact):
        return Agreement.CONFLICT
    return Agreement.DRAFT if held(state, artifact) else artifact.backing


def levelled(state: State) -> State:
    """Return the state with the agreement of everything that is live as conflicts and rulings leave it."""
    found = tuple(
        each if not each.live or each.agreement is (now := level(state, each)) else replace(each, agreement=now)
        for each in state.artifacts
    )
    return replace(state, artifacts=found)


def put(state: State, artifact: Artifact) -> State:
    """Return the state with this artifact in place of the one with its id."""
    found = tuple(artifact if each.id == artifact.id else each for each in state.artifacts)
    return levelled(replace(state, artifacts=found))


def add(state: State, artifact: Artifact) -> State:
    return levelled(replace(state, artifacts=(*state.artifacts, artifact)))


# Rulings


def rule_on(state: State, topic: Key, about: tuple[Key, ...]) -> tuple[State, Key]:
    """Issue a ruling of a person: what it is about is held in draft until it is applied (W24).

    What a person rules again in the same round about the same is the same ruling, which waits anew.
    """
    for each in state.artifacts:
        if each.type is ArtifactType.RUL and (each.made, each.topic, each.about) == (state.round, topic, about):
            return put(state, replace(each, status=MATTER.initial, since=state.round + 1)), each.id
    ruling = Artifact(
        next_id(state, ArtifactType.RUL),
        ArtifactType.RUL,
        topic,
        made=state.round,
        status=MATTER.initial,
        since=state.round + 1,
        about=about,
    )
    return add(state, ruling), ruling.id


def confirm(state: State, confirmed: Iterable[tuple[str, Key]]) -> tuple[State, tuple[Fact, ...]]:
    """Take who says of which rulings that they are applied: what such a ruling names is agreed upon (W24)."""
    by: dict[Key, list[str]] = {}
    for seat, key in confirmed:
        by.setdefault(key, []).append(seat)
    facts: list[Fact] = []
    for key, seats in by.items():
        ruling = state.artifact(key)
        if ruling is None or not ruling.unapplied:
            facts.append(Fact.of("refused", id=key, move="apply", why=f"{key} is no ruling that waits to be applied"))
            continue
        state = _applied(state, ruling)
        facts.append(Fact.of("applied", id=key, by=", ".join(seats)))
    return state, tuple(facts)


def reopened(state: State, changed: Artifact) -> State:
    """Let the applied rulings wait anew that name what has just changed or was made, or its topic (W24)."""
    if changed.type.is_matter:
        return state
    for each in state.artifacts:
        applied = each.type is ArtifactType.RUL and not each.open
        if applied and (changed.id in each.about or changed.topic in each.about):
            state = put(state, replace(each, status=MATTER.initial, since=state.round + 1))
    return state


def _applied(state: State, ruling: Artifact) -> State:
    state = put(state, replace(ruling, status=advance(MATTER, ruling.status, Happening.RESOLVE)))
    for key in ruling.about:
        named = state.artifact(key)
        if named is not None and named.live:
            state = put(state, replace(named, backing=Agreement.CONSENSUS))
    return state
