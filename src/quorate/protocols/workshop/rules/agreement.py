"""Agreement from support, opposition and votes (W18, W30, W31)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.types import Absent, Replies, Seat
from quorate.core.values import replace
from quorate.protocols.workshop.rules.forms import Consent, Response, Vote, Votes
from quorate.protocols.workshop.rules.holds import add, next_id, put
from quorate.protocols.workshop.rules.items import AgreementSeen, Made
from quorate.protocols.workshop.rules.lives import MATTER
from quorate.protocols.workshop.rules.model import FACILITATOR, MOST_BLOCKED, Artifact, State
from quorate.protocols.workshop.rules.names import Refused
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.strategies import ConsensusRule
from quorate.protocols.workshop.rules.synthesis import Becomes
from quorate.protocols.workshop.rules.taxonomy import Agreement, ArtifactType


def speakers(state: State, plan: Plan, positions: Iterable[Key]) -> tuple[Seat, ...]:
    """Return the seats of these position keys; those whose word counts and who answered in this round (W12, W40)."""
    named = {plan.seat(key) for key in positions}
    return tuple(member.seat for member in plan.voices(state) if member.seat in named)


def supporters(state: State, plan: Plan, support: Iterable[Key], opposition: Iterable[Key]) -> tuple[Seat, ...]:
    """Return the supporters; who also opposes is none, nor is anybody by an unqualified facilitator (W18, W41)."""
    if not plan.counts(FACILITATOR):
        return ()
    against = set(speakers(state, plan, opposition))
    return tuple(seat for seat in speakers(state, plan, support) if seat not in against)


def carries(weight: int, total: int, threshold: int) -> bool:
    """Whether the confidence behind something is enough of the confidence of all who answered (W18)."""
    return weight > 0 and 100 * weight >= threshold * total


def agreement(state: State, plan: Plan, support: Iterable[Seat], seen: Agreement) -> Agreement:
    """Return the level of agreement, from the supporters and the facilitator's view (W18, W29)."""
    match plan.strategy.rule:
        case ConsensusRule.FACILITATOR:
            return seen if seen is not Agreement.CONSENSUS or tuple(support) else Agreement.DRAFT
        case ConsensusRule.CONSENT:
            return Agreement.DRAFT
        case ConsensusRule.WEIGHTED:
            behind = set(support)
            weight = sum(member.confidence or 0 for member in plan.voices(state) if member.seat in behind)
            total = sum(member.confidence or 0 for member in plan.voices(state))
            return Agreement.CONSENSUS if carries(weight, total, plan.settings.threshold) else Agreement.DRAFT


def check_report(plan: Plan, artifact: Artifact, becomes: Becomes) -> None:
    """Raise Refused for what an unqualified facilitator may not do: none of it is writing (W41)."""
    if plan.counts(FACILITATOR):
        return
    if becomes in (Becomes.RESOLVE, Becomes.ENDORSE):
        raise Refused(f"the facilitator has not passed the exam, and cannot {becomes.value} anything")
    if artifact.agreed:
        raise Refused(f"the facilitator has not passed the exam, and {artifact.id} is agreed upon")


def agreement_of_new(state: State, plan: Plan, item: Made) -> Agreement:
    seen: AgreementSeen = item.agreement
    return agreement(state, plan, supporters(state, plan, item.supported_by, item.opposed_by), seen.agreement)


def may_take_away(state: State, plan: Plan, artifact: Artifact, support: tuple[Seat, ...]) -> bool:
    """Whether these supporters may remove an artifact; an agreed one needs the support that agreeing takes (W17)."""
    if not artifact.agreed:
        return True
    if plan.strategy.rule is ConsensusRule.CONSENT:
        return bool(support) and len(support) == len(plan.voices(state))
    return agreement(state, plan, support, Agreement.CONSENSUS) is Agreement.CONSENSUS


def dispute(state: State, about: Artifact, since: int) -> State:
    """Open a conflict about an artifact by code (W11, W31)."""
    conflict = Artifact(
        next_id(state, ArtifactType.CONF),
        ArtifactType.CONF,
        about.topic,
        made=state.round,
        status=MATTER.initial,
        since=since,
        about=(about.id,),
        raised=True,
    )
    return add(state, conflict)


def contest(state: State, keys: Iterable[Key]) -> tuple[State, tuple[Fact, ...]]:
    """Open one conflict for each contested artifact (W11)."""
    facts: list[Fact] = []
    wanted = set(keys)
    for artifact in state.artifacts:
        if artifact.id in wanted:
            if not artifact.live:
                why = f"{artifact.id} is a person's ruling"
                facts.append(Fact.of("refused", id=artifact.id, move="contest", why=why))
                continue
            state = dispute(state, artifact, state.round)
            facts.append(Fact.of("contested", id=artifact.id, conflict=state.artifacts[-1].id))
    return state, tuple(facts)


def blocks(vote: Vote) -> bool:
    """Whether a vote blocks: it says so, and states the least change (W30)."""
    return vote.stance is Consent.BLOCK and not vote.groundless


def take_votes(state: State, plan: Plan, voted: Iterable[Key], replies: Replies) -> tuple[State, tuple[Fact, ...]]:
    """Count the votes on the drafts that were put to the vote (W30, W31)."""
    facts: list[Fact] = []
    for key in voted:
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
        artifact = replace(artifact, backing=Agreement.CONSENSUS)
    state = put(state, replace(artifact, voted=not blocked))
    if blocked and artifact.blocked >= MOST_BLOCKED:
        overdue = state.round - plan.settings.max_rounds_per_conflict + 1  # it asks for escalation at once (W31)
        state = dispute(state, artifact, overdue)
    return state


def confirmed(state: State, replies: Replies) -> Iterator[tuple[str, Key]]:
    """Yield who says of which ruling that it is applied: in a response by its id, in a vote by its support (W24)."""
    denied = set(denials(state, replies))
    for ask, reply in replies:
        if isinstance(reply, Response):
            yield from ((str(ask.seat), key) for key in reply.applied)
        if isinstance(reply, Votes):
            said = ((ruling.id, reply.votes.get(ruling.id)) for ruling in state.rulings if ruling.id not in denied)
            yield from ((str(ask.seat), k) for k, vote in said if vote is not None and vote.stance is Consent.SUPPORT)


def denials(state: State, replies: Replies) -> dict[Key, tuple[str, ...]]:
    """Return the rulings that a vote says are not applied, by a block with a change, and who says so (W24)."""
    votes = [(str(ask.seat), reply.votes) for ask, reply in replies if isinstance(reply, Votes)]
    said = {
        ruling.id: tuple(seat for seat, cast in votes if ruling.id in cast and blocks(cast[ruling.id]))
        for ruling in state.rulings
    }
    return {key: seats for key, seats in said.items() if seats}


def judges(reply: object) -> bool:
    """Whether a reply judges something: a response with some confidence, a vote for or against (W37)."""
    if isinstance(reply, Votes):
        return any(vote.stance is Consent.SUPPORT or blocks(vote) for vote in reply.votes.values())
    return isinstance(reply, Response) and reply.confidence > 0


def confidence_of(reply: object) -> int | None:
    return None if isinstance(reply, Absent) else getattr(reply, "confidence", None)
