"""Invariants of the workshop about artifacts and their agreement, one function each (W11-W19)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from quorate.core.forms import Key
from quorate.protocols.workshop.rules.forms import Consent, Response, Votes
from quorate.protocols.workshop.rules.lives import Status
from quorate.protocols.workshop.rules.model import Artifact, Phase, State
from quorate.protocols.workshop.rules.recount import Recount
from quorate.protocols.workshop.rules.remaking import MOST, ORDER, support, weighed
from quorate.protocols.workshop.rules.sheet import CONSENT, JUDGED, LIVE, RULES, STAGES, M, Sheet
from quorate.protocols.workshop.rules.synthesis import Becomes, Method, Synthesis
from quorate.protocols.workshop.rules.taxonomy import Agreement, ArtifactType

ENDS = (Status.SUPERSEDED, Status.WITHDRAWN, Status.RESOLVED)
MAY_BECOME: Mapping[Status, tuple[Status, ...]] = {
    Status.ACTIVE: (Status.AMENDED, Status.SUPERSEDED, Status.WITHDRAWN),
    Status.AMENDED: (Status.ACTIVE, Status.SUPERSEDED, Status.WITHDRAWN),
    Status.OPEN: (Status.RESOLVED,),
}
"""The rows of the lives of artifacts, questions and conflicts (W14), several of them in one synthesis included."""


# Their lives


def never_less(recount: Recount, moment: M) -> bool:
    """No artifact is ever removed, renamed, or given another type or round; a conflict follows a replacement (W15)."""
    kept = moment.after.artifacts[: len(moment.state.artifacts)]
    by = {dict(fact.values)["id"]: dict(fact.values)["by"] for fact in moment.facts if fact.name == "superseded"}
    return len(kept) == len(moment.state.artifacts) and all(
        (a.id, a.type, a.made, a.blocking) == (b.id, b.type, b.made, b.blocking) and _follows(a.about, b.about, by)
        for a, b in zip(moment.state.artifacts, kept, strict=True)
    )


def _follows(before: Key | None, after: Key | None, by: Mapping[Any, Any]) -> bool:
    """Whether a conflict is about the same as before, or about what has replaced it."""
    while before != after and before in by:
        before = Key(str(by[before]))
    return before == after


def ids(recount: Recount, moment: M) -> bool:
    """Ids are TYPE-NNN, counted per type from 001 without a gap, none twice (W15)."""
    by_type = sorted(moment.after.artifacts, key=lambda each: each.type.value)
    for kind, own in groupby(by_type, key=lambda each: each.type):
        if [each.id for each in own] != _sequence(kind, moment.after):
            return False
    return True


def _sequence(kind: ArtifactType, state: State) -> list[str]:
    total = sum(each.type is kind for each in state.artifacts)
    return [f"{kind.value}-{number:03d}" for number in range(1, total + 1)]


def made_by_a_round(recount: Recount, moment: M) -> bool:
    """What is new was made by the round under way, in its responses or its synthesis, for a topic that is there."""
    fresh, now = _fresh(moment), moment.after.round
    topics = {each.key for each in moment.after.topics}
    if fresh and moment.phase not in (Phase.RESPONSES, Phase.SYNTHESIS):
        return False
    known = all(1 <= each.made <= now and each.topic in topics for each in moment.after.artifacts)
    return known and all(each.made == moment.state.round for each in fresh)


def _fresh(moment: M) -> tuple[Artifact, ...]:
    return moment.after.artifacts[len(moment.state.artifacts) :]


def not_too_many(recount: Recount, moment: M) -> bool:
    """A synthesis makes no artifact where there are sixty already (W15)."""
    fresh = _fresh(moment)
    return moment.phase is not Phase.SYNTHESIS or not fresh or len(moment.after.artifacts) <= MOST


def terminal(recount: Recount, moment: M) -> bool:
    """What is superseded, withdrawn or resolved stays so and is not agreed upon anew (W14)."""
    return all(
        after.status is before.status and after.agreement is before.agreement
        for before, after in zip(moment.state.artifacts, moment.after.artifacts, strict=False)
        if before.status in ENDS
    )


def along_rows(recount: Recount, moment: M) -> bool:
    """States change along the rows of the life cycles, by a synthesis or a person, and new ones begin at the start."""
    matter = (ArtifactType.OQ, ArtifactType.CONF)
    begun = {True: (Status.OPEN, Status.RESOLVED), False: (*LIVE, Status.SUPERSEDED, Status.WITHDRAWN)}
    if not all(each.status in begun[each.type in matter] for each in _fresh(moment)):
        return False
    for before, after in zip(moment.state.artifacts, moment.after.artifacts, strict=False):
        if before.status is not after.status:
            by = (Phase.SYNTHESIS, Phase.ESCALATION) if before.type in matter else (Phase.SYNTHESIS,)
            if moment.phase not in by or after.status not in MAY_BECOME.get(before.status, ()):
                return False
    return True


def replaced(recount: Recount, moment: M) -> bool:
    """What is superseded has a replacement of the same synthesis, which says so, in the same topic (W17)."""
    told = [dict(fact.values) for fact in moment.facts if fact.name == "superseded"]
    by = {str(each["id"]): str(each["by"]) for each in told}
    fresh = {each.id: each for each in _fresh(moment)}
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


def consensus(recount: Recount, moment: M) -> bool:
    """Consensus comes by the strategy's rule, by a vote, or where a person settles a conflict (W18, W29, W30)."""
    old = {each.id: each for each in moment.state.artifacts}
    for each in moment.after.artifacts:
        was = old.get(each.id)
        if each.agreement is not Agreement.CONSENSUS or (was is not None and was.agreement is Agreement.CONSENSUS):
            continue
        if not (_settled(moment, each) or _voted(recount, moment, each) or _weighed(recount, moment, each)):
            return False
    return True


def _settled(moment: M, about: Artifact) -> bool:
    """A person has resolved a conflict about it (W19)."""
    if moment.phase is not Phase.ESCALATION:
        return False
    now = {each.id for each in moment.after.artifacts if each.status is Status.RESOLVED}
    return any(each.about == about.id and each.open and each.id in now for each in moment.state.artifacts)


def _voted(recount: Recount, moment: M, draft: Artifact) -> bool:
    """It was voted upon: nobody blocked it with a reason, and somebody supported it (W30)."""
    if RULES[recount.plan.strategy.name] != CONSENT or moment.phase is not Phase.RESPONSES:
        return False
    cast = [
        reply.votes[draft.id] for _, reply in moment.replies if isinstance(reply, Votes) and draft.id in reply.votes
    ]
    blocked = any(vote.stance is Consent.BLOCK and not vote.groundless for vote in cast)
    return not blocked and any(vote.stance is Consent.SUPPORT for vote in cast)


def _weighed(recount: Recount, moment: M, artifact: Artifact) -> bool:
    """Some item or change of the synthesis gives it that, by the weights of those who answered (W12, W18)."""
    rule = RULES[recount.plan.strategy.name]
    if rule == CONSENT or moment.phase is not Phase.SYNTHESIS:
        return False
    said = next((reply for _, reply in moment.replies if isinstance(reply, Synthesis)), None)
    if said is None:
        return False
    if rule == JUDGED:
        return True
    sheet = Sheet.of(recount.plan, moment.state)
    new = [item for name, _ in ORDER for item in getattr(said, name, ())]
    old = any(each.id == artifact.id for each in moment.state.artifacts)
    about = [each.id for each in moment.state.artifacts if each.about == artifact.id]
    moved = [each for each in said.changes if not old or each.artifact in (artifact.id, *about)]
    return any(
        weighed(sheet, support(sheet, each), Agreement.DRAFT) is Agreement.CONSENSUS
        for each in (*moved, *(() if old else new))
    )


def contested(recount: Recount, moment: M) -> bool:
    """What is contested has a conflict that is opened in the same move, and is in conflict (W11)."""
    if moment.phase is not Phase.RESPONSES:
        return True
    named = {key for _, reply in moment.replies if isinstance(reply, Response) for key in reply.contested}
    opened = [each.about for each in _fresh(moment)]
    disputed = {each.id for each in moment.after.artifacts if each.agreement is Agreement.CONFLICT}
    return named <= set(opened) and len(opened) == len(set(opened)) and named <= disputed


def in_conflict(recount: Recount, moment: M) -> bool:
    """An artifact that is live is in conflict exactly while a conflict about it is open (W11)."""
    disputed = {each.about for each in moment.after.artifacts if each.open_conflict}
    return all(
        (each.agreement is Agreement.CONFLICT) == (each.id in disputed)
        for each in moment.after.artifacts
        if each.status in LIVE
    )


def blocked(recount: Recount, moment: M) -> bool:
    """A draft that is blocked is no consensus; the second time a conflict about it is overdue at once (W30, W31)."""
    if moment.phase is not Phase.RESPONSES:
        return True
    since = moment.state.round - recount.settings.max_rounds_per_conflict + 1
    opened = {each.about: each.since for each in _fresh(moment)}
    for before, after in zip(moment.state.artifacts, moment.after.artifacts, strict=False):
        votes = [r.votes[before.id] for _, r in moment.replies if isinstance(r, Votes) and before.id in r.votes]
        stopped = any(vote.stance is Consent.BLOCK and not vote.groundless for vote in votes)
        if after.blocked != before.blocked + int(stopped) or (stopped and after.agreement is Agreement.CONSENSUS):
            return False
        if stopped and (opened.get(before.id) == since) != (after.blocked >= 2):
            return False
    return True


def goes_back(recount: Recount, moment: M) -> bool:
    """After a vote that blocked a draft for the first time the next round refines it on the same focus (W31)."""
    begun = moment.after.round > moment.state.round and moment.state.round > 0
    stages = STAGES[recount.plan.strategy.name]
    if not begun or stages[moment.state.scene] != "convergence" or moment.state.focus is None:
        return True
    focus = moment.after.artifact(moment.state.focus)
    if focus is not None and focus.status is Status.RESOLVED:
        return True
    home = focus.topic if focus is not None else moment.state.focus
    waits = any(
        each.blocked == 1
        and each.blocked_in == moment.state.round
        and each.live
        and each.agreement is Agreement.DRAFT
        and each.topic == home
        for each in moment.after.artifacts
    )
    refined = stages[moment.after.scene] == "refinement" and moment.after.focus == moment.state.focus
    return refined if waits else moment.after.scene == 0 and moment.after.focus is None


def not_by_facilitator(recount: Recount, moment: M) -> bool:
    """A conflict of code's is resolved with a majority, in a later round, and after two blocks by a person (W19)."""
    if moment.phase is not Phase.SYNTHESIS:
        return True
    said = next((reply for _, reply in moment.replies if isinstance(reply, Synthesis)), None)
    sheet = Sheet.of(recount.plan, moment.state)
    voices = len([each for each in sheet.members if each.confidence is not None])
    for before, after in zip(moment.state.artifacts, moment.after.artifacts, strict=False):
        if not before.open_conflict or after.status is Status.OPEN or before.about is None:
            continue
        about = moment.state.artifact(before.about)
        if before.made == moment.state.round or (about is not None and about.blocked >= 2):
            return False
        moved = [each for each in said.changes if each.artifact == before.id] if said is not None else []
        backed = [
            2 * len(support(sheet, each)) > voices
            for each in moved
            if each.becomes is Becomes.RESOLVE and each.method is not Method.FACILITATOR_DECISION
        ]
        if not any(backed):
            return False
    return True
