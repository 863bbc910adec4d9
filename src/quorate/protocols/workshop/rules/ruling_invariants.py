"""Invariants of the workshop about a person's word, about who judged and read, and about fates."""

from __future__ import annotations

from collections import Counter

from quorate.core.forms import Key
from quorate.kit.interpretation import Interpretation
from quorate.protocols.workshop.rules.artifact_invariants import DECIDES, STEPS, M, new_in
from quorate.protocols.workshop.rules.forms import Consent, PauseChoice, Response, Ruling, RulingChoice, Votes
from quorate.protocols.workshop.rules.lives import RoundStage, Status
from quorate.protocols.workshop.rules.model import FACILITATOR, LEAST_JUDGED, MOST_BLOCKED, Phase, State, Verdict
from quorate.protocols.workshop.rules.parts import part_for
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.synthesis import Becomes, Method, Synthesis, made
from quorate.protocols.workshop.rules.taxonomy import ArtifactType
from quorate.protocols.workshop.rules.waits import waits_anew

DONE = ("amended", "reverted", "withdrawn", "resolved", "endorsed")
"""The facts of moves that were not refused."""


def held(plan: Plan, moment: M) -> bool:
    """What an unapplied ruling names is no consensus, nor is what an open conflict or one names by its topic (W24)."""
    after = moment.after
    rulings = {key for each in after.artifacts if each.unapplied for key in each.about}
    topics = rulings | {key for each in after.artifacts if each.open_conflict for key in each.about}
    return not any(each.agreed and (each.id in rulings or each.topic in topics) for each in after.artifacts)


def named(plan: Plan, moment: M) -> bool:
    """Every conflict and every ruling names what it is about: something that there is (W19, W24)."""
    after = moment.after
    known = {each.id for each in after.artifacts} | {each.key for each in after.topics}
    disputes = (each for each in after.artifacts if each.type in (ArtifactType.CONF, ArtifactType.RUL))
    return all(each.about and known.issuperset(each.about) for each in disputes)


def disputed_as_said(plan: Plan, moment: M) -> bool:
    """Every conflict of a synthesis is opened, but what repeats an open one; none is lost (W19, W41)."""
    if moment.phase is not Phase.SYNTHESIS or not plan.counts(FACILITATOR):
        return True
    for _, reply in moment.replies:
        if isinstance(reply, Synthesis):
            entries = enumerate(made(reply), start=1)
            said = sum(kind is ArtifactType.CONF and place not in reply.repeats for place, (kind, _) in entries)
            return said == sum(each.type is ArtifactType.CONF for each in new_in(moment))
    return True


def confirmed(plan: Plan, moment: M) -> bool:
    """A ruling is applied exactly where a participant says so and none denies it, or a person; nowhere else (W24)."""
    said = {key for _, reply in moment.replies for key in getattr(reply, "applied", ())}
    votes = [each for _, reply in moment.replies if isinstance(reply, Votes) for each in reply.votes.items()]
    said |= {key for key, vote in votes if vote.stance is Consent.SUPPORT}
    said -= {key for key, vote in votes if vote.stance is Consent.BLOCK and not vote.groundless}
    before = {each.id for each in moment.state.rulings}
    choices = (RulingChoice.APPLIED, PauseChoice.APPLIED)
    if any(getattr(reply, "choice", None) in choices for _, reply in moment.replies):
        said |= before
    now = {each.id for each in moment.after.artifacts if each.status is Status.RESOLVED}
    facilitated = moment.phase in (Phase.QUESTION, Phase.SYNTHESIS, Phase.PROCESSING)
    return before & now == (set() if facilitated else before & said)


def issued(plan: Plan, moment: M) -> bool:
    """A person who decides issues a ruling for each conflict that this resolves, or one where there is none (W24)."""
    if moment.phase is not Phase.ESCALATION:
        return True
    pairs = list(zip(moment.state.artifacts, moment.after.artifacts, strict=False))
    ended = {now.about for was, now in pairs if was.open_conflict and not now.open_conflict}
    said = {each.about for each in moment.after.rulings if each.since == moment.state.round + 1}
    decided = any(isinstance(each, Ruling) and each.choice in DECIDES for _, each in moment.replies)
    return ended <= said and len(new_in(moment)) <= max(len(ended), int(decided))


def anew(plan: Plan, moment: M) -> bool:
    """A ruling that was applied waits anew exactly where a synthesis has changed what it names (W24)."""
    if moment.phase is not Phase.SYNTHESIS:
        return True
    pairs = zip(moment.state.artifacts, moment.after.artifacts, strict=False)
    over = [(was, now) for was, now in pairs if was.type is ArtifactType.RUL and was.status is Status.RESOLVED]
    return all(now.open == waits_anew(moment, was) for was, now in over)


def applied(plan: Plan, moment: M) -> bool:
    """No session is COMPLETE with a ruling that is not applied, nor with an open conflict (W26)."""
    waiting = any(each.open_conflict or each.unapplied for each in moment.after.artifacts)
    return moment.verdict is not Verdict.COMPLETE or not waiting


def judged(plan: Plan, moment: M) -> bool:
    """No session is COMPLETE that too few judged; who has judged has said something in a reply (W37)."""
    before = {each.seat: each.judged for each in moment.state.members}
    for each in moment.after.members:
        said = moment.replies.of(each.seat) if moment.phase is Phase.RESPONSES and not moment.interrupted else None
        if each.judged != (before.get(each.seat, False) or (_judges(said) and plan.counts(each.seat))):
            return False
    percent = 100 * sum(each.judged for each in moment.after.members) // len(moment.after.members)
    return moment.verdict is not Verdict.COMPLETE or percent >= LEAST_JUDGED


def _judges(said: object) -> bool:
    if isinstance(said, Response):
        return said.confidence > 0
    votes = said.votes.values() if isinstance(said, Votes) else ()
    return any(
        each.stance is Consent.SUPPORT or (each.stance is Consent.BLOCK and not each.groundless) for each in votes
    )


def shown(plan: Plan, moment: M) -> bool:
    """No session is COMPLETE with a part of its documents that nobody read; parts are read by who answered (W38)."""
    state, after = moment.state, moment.after
    if moment.phase is Phase.OPENING:
        return after.read == ()
    wanted = set(state.read)
    if moment.phase is Phase.RESPONSES and (voices := plan.voices(after)):
        wanted |= {1} | {part_for(state, plan, each.seat) for each in voices}
    if set(after.read) != wanted or (after.parts, after.unlisted) != (state.parts, state.unlisted):
        return False
    whole = not after.unlisted and set(after.read) == set(range(1, after.parts + 1))
    return moment.verdict is not Verdict.COMPLETE or whole


def goes_on(plan: Plan, moment: M) -> bool:
    """A person who lets the discussion go on is followed: it goes on, unless the last round is reached (W24)."""
    if moment.phase is not Phase.ESCALATION or moment.state.stage is not RoundStage.JOURNAL:
        return True
    told = any(isinstance(each, Ruling) and each.choice is RulingChoice.GO_ON for _, each in moment.replies)
    if not told or plan.settings.reading is Interpretation.SEED:
        return True
    return moment.to is Phase.QUESTION or moment.state.round >= plan.settings.max_rounds


def told(plan: Plan, moment: M) -> bool:
    """Every entry, move, contest and confirmation of a reply has exactly one fact that says what became of it (W39)."""
    facts = [dict(fact.values) | {"fact": fact.name} for fact in moment.facts]
    refused = [each for each in facts if each["fact"] == "refused"]
    moves = Counter(each.get("move", "") for each in refused)
    said = [reply for _, reply in moment.replies]
    named = Counter(key for reply in said if isinstance(reply, Response) for key in set(reply.contested))
    contested = [each["id"] for each in facts if each["fact"] == "contested"]
    contested += [each["id"] for each in refused if each.get("move") == "contest"]
    if moment.phase is Phase.RESPONSES and sorted(contested) != sorted(named):
        return False
    for reply in said:
        if isinstance(reply, Synthesis):
            entries = [item for _, item in made(reply)]
            issued = sum(each["fact"] == "issued" for each in facts)
            done = sum(each["fact"] in DONE for each in facts)
            tried = sum(moves[each.value] for each in Becomes)
            if issued + moves[""] != len(entries) or done + tried != len(reply.changes):
                return False
            if issued != len(new_in(moment)):
                return False
    return True


def not_by_facilitator(plan: Plan, moment: M) -> bool:
    """A conflict of code's outlasts its round, two blocks, and a mere decision of the facilitator (W19)."""
    if moment.phase is not Phase.SYNTHESIS:
        return True
    said = [each for _, reply in moment.replies if isinstance(reply, Synthesis) for each in reply.changes]
    for before, after in zip(moment.state.artifacts, moment.after.artifacts, strict=False):
        if not before.open_conflict or after.open_conflict or not before.raised:
            continue
        about = list(filter(None, map(moment.state.artifact, before.about)))
        moved = [each for each in said if each.artifact == before.id and each.becomes is Becomes.RESOLVE]
        backed = any(each.method is not Method.FACILITATOR_DECISION for each in moved)
        if before.made == moment.state.round or any(each.blocked >= MOST_BLOCKED for each in about) or not backed:
            return False
    return True


def ruling(plan: Plan, moment: M) -> bool:
    """A person's decision resolves what was put, or nothing where there is none (W24)."""
    if moment.phase is not Phase.ESCALATION:
        return True
    pairs = zip(moment.state.artifacts, moment.after.artifacts, strict=False)
    ended = {before.id for before, after in pairs if before.open_conflict and before.status is not after.status}
    decided = any(isinstance(each, Ruling) and each.choice in DECIDES for _, each in moment.replies)
    return not ended or (decided and ended == _put(moment))


def _put(moment: M) -> set[Key]:
    return {key for ask in moment.asks for key in ask.keys if not key.startswith("RUL-")}


def more_rounds(plan: Plan, moment: M) -> bool:
    """A conflict becomes younger only where it was put to a person and stays open (W24)."""
    put = {key for ask in moment.asks for key in ask.keys} if moment.phase is Phase.ESCALATION else set()
    return all(
        after.since == before.since
        or ((before.id in put or waits_anew(moment, before)) and after.open and after.since == moment.state.round + 1)
        for before, after in zip(moment.state.artifacts, moment.after.artifacts, strict=False)
    )


def detour(plan: Plan, moment: M) -> bool:
    """A ruling in the middle of a round changes conflicts and what they are about, and the round goes on (W25)."""
    if moment.phase is not Phase.ESCALATION or moment.state.stage is RoundStage.JOURNAL:
        return True
    waiting = next(phase for phase, (stage, _) in STEPS.items() if stage is moment.state.stage)
    holding = [each for each in moment.after.artifacts if each.type in (ArtifactType.CONF, ArtifactType.RUL)]
    about = {key for each in holding for key in each.about}
    changed = [
        before
        for before, after in zip(moment.state.artifacts, moment.after.artifacts, strict=False)
        if before != after
        and not before.open_conflict
        and before.type is not ArtifactType.RUL
        and before.id not in about
        and before.topic not in about
    ]
    same = all(
        getattr(moment.state, name) == getattr(moment.after, name) for name in State.__slots__ if name != "artifacts"
    )
    return not changed and same and moment.to is waiting
