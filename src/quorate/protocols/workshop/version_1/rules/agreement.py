"""Agreement from support, opposition and votes (W18, W30, W31)."""

from __future__ import annotations

from collections.abc import Iterable

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.types import Absent, Replies, Seat
from quorate.core.values import replace
from quorate.protocols.workshop.version_1.rules.forms import Consent, Vote, Votes
from quorate.protocols.workshop.version_1.rules.items import AgreementSeen, Made
from quorate.protocols.workshop.version_1.rules.lives import MATTER
from quorate.protocols.workshop.version_1.rules.model import MOST_BLOCKED, Artifact, State
from quorate.protocols.workshop.version_1.rules.plan import Plan
from quorate.protocols.workshop.version_1.rules.strategies import ConsensusRule
from quorate.protocols.workshop.version_1.rules.taxonomy import Agreement, ArtifactType


def speakers(state: State, plan: Plan, positions: Iterable[Key]) -> tuple[Seat, ...]:
    """Return the seats of these position keys; those that did not answer in this round are ignored (W12)."""
    named = {plan.seat(key) for key in positions}
    return tuple(member.seat for member in state.answered if member.seat in named)


def supporters(state: State, plan: Plan, support: Iterable[Key], opposition: Iterable[Key]) -> tuple[Seat, ...]:
    """Return the supporters; a seat that both supports and opposes counts as opposing (W18)."""
    against = set(speakers(state, plan, opposition))
    return tuple(seat for seat in speakers(state, plan, support) if seat not in against)


def carries(weight: int, total: int, threshold: int) -> bool:
    """Whether the confidence behind something is enough of the confidence of all who answered (W18)."""
    return weight > 0 and 100 * weight >= threshold * total


def agreement(state: State, plan: Plan, support: Iterable[Seat], seen: Agreement) -> Agreement:
    """Return the level of agreement, from the supporters and the facilitator's view (W18, W29)."""
    match plan.strategy.rule:
        case ConsensusRule.FACILITATOR:
            return seen
        case ConsensusRule.CONSENT:
            return Agreement.DRAFT
        case ConsensusRule.WEIGHTED:
            behind = set(support)
            weight = sum(member.confidence or 0 for member in state.answered if member.seat in behind)
            total = sum(member.confidence or 0 for member in state.answered)
            return Agreement.CONSENSUS if carries(weight, total, plan.settings.threshold) else Agreement.DRAFT


def agreement_of_new(state: State, plan: Plan, item: Made) -> Agreement:
    seen: AgreementSeen = item.agreement
    return agreement(state, plan, supporters(state, plan, item.supported_by, item.opposed_by), seen.agreement)


def may_take_away(state: State, plan: Plan, artifact: Artifact, support: tuple[Seat, ...]) -> bool:
    """Whether these supporters may remove an artifact; an agreed one needs the support that agreeing takes (W17)."""
    if not artifact.agreed:
        return True
    if plan.strategy.rule is ConsensusRule.CONSENT:
        return bool(support) and len(support) == len(state.answered)
    return agreement(state, plan, support, Agreement.CONSENSUS) is Agreement.CONSENSUS


def next_id(state: State, kind: ArtifactType) -> Key:
    """Return the next id of this type; artifacts are never removed, so ids are unique (W15)."""
    return Key(f"{kind.name}-{sum(each.type is kind for each in state.artifacts) + 1:03}")


def open_conflict(state: State, about: Artifact, since: int) -> State:
    """Open a conflict about an artifact by code (W11, W31)."""
    conflict = Artifact(
        next_id(state, ArtifactType.CONF),
        ArtifactType.CONF,
        about.topic,
        made=state.round,
        status=MATTER.initial,
        since=since,
        about=about.id,
    )
    artifacts = tuple(
        replace(each, agreement=Agreement.CONFLICT) if each.id == about.id else each for each in state.artifacts
    )
    return replace(state, artifacts=(*artifacts, conflict))


def contest(state: State, keys: Iterable[Key]) -> tuple[State, tuple[Fact, ...]]:
    """Open one conflict for each contested artifact (W11)."""
    facts: list[Fact] = []
    wanted = set(keys)
    for artifact in state.artifacts:
        if artifact.id in wanted:
            state = open_conflict(state, artifact, state.round)
            facts.append(Fact.of("contested", id=artifact.id, conflict=state.artifacts[-1].id))
    return state, tuple(facts)


def blocks(vote: Vote) -> bool:
    """Whether a vote blocks: it says so, and states the least change (W30)."""
    return vote.stance is Consent.BLOCK and not vote.groundless


def take_votes(state: State, plan: Plan, replies: Replies) -> tuple[State, tuple[Fact, ...]]:
    """Count the votes on every draft of the focus (W30, W31)."""
    facts: list[Fact] = []
    for key in next((ask.keys for ask, _ in replies), ()):
        votes = [reply.votes[key] for _, reply in replies if isinstance(reply, Votes) and key in reply.votes]
        blocked = sum(map(blocks, votes))
        support = sum(vote.stance is Consent.SUPPORT for vote in votes)
        groundless = sum(vote.stance is Consent.BLOCK and vote.groundless for vote in votes)
        facts.append(Fact.of("vote", id=key, support=support, block=blocked, groundless=groundless, cast=len(votes)))
        before, state = state, _voted(state, plan, key, support, blocked)
        if len(state.artifacts) > len(before.artifacts):
            facts.append(Fact.of("blocked", id=key, conflict=state.artifacts[-1].id))
    return state, tuple(facts)


def _voted(state: State, plan: Plan, key: Key, support: int, blocked: int) -> State:
    artifact = state.artifact(key)
    assert artifact is not None
    if blocked:
        artifact = replace(artifact, blocked=artifact.blocked + 1, blocked_in=state.round)
    elif support:
        artifact = replace(artifact, agreement=Agreement.CONSENSUS)
    state = replace(state, artifacts=tuple(artifact if each.id == key else each for each in state.artifacts))
    if blocked and artifact.blocked >= MOST_BLOCKED:
        overdue = state.round - plan.settings.max_rounds_per_conflict + 1  # it asks for escalation at once (W31)
        state = open_conflict(state, artifact, overdue)
    return state


def confidence_of(reply: object) -> int | None:
    return None if isinstance(reply, Absent) else getattr(reply, "confidence", None)
