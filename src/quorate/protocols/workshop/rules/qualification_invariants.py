"""Invariants of the workshop about seats whose model has not passed the exam (W40, W41).

The other invariants hold of moves in which these seats have said nothing of what does not count.
"""

from __future__ import annotations

from quorate.core.types import Absent
from quorate.core.values import replace
from quorate.protocols.workshop.rules.artifact_invariants import MATTERS, Check, M, new_in
from quorate.protocols.workshop.rules.lives import TopicStatus, Trigger
from quorate.protocols.workshop.rules.model import FACILITATOR, PERSON, Artifact, Phase, Verdict
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.qualification import DECIDING, silenced
from quorate.protocols.workshop.rules.taxonomy import ArtifactType


def quietly(check: Check) -> Check:
    """Return the check of the move as it was decided, without what does not count."""

    def holds(plan: Plan, moment: M) -> bool:
        notes = plan.settings.unqualified_seats
        return check(plan, replace(moment, replies=silenced(moment.replies, notes)) if notes else moment)

    return holds


def no_voice(plan: Plan, moment: M) -> bool:
    """An unqualified participant has judged nothing and is not unsure; that it has answered is kept (W40)."""
    members = moment.after.members
    answered = {ask.seat for ask, reply in moment.replies if not isinstance(reply, Absent)}
    kept = all((each.confidence is not None) == (each.seat in answered) for each in members)
    quiet = not any((each.judged or each.unsure) and not plan.counts(each.seat) for each in members)
    return quiet and (kept or moment.phase is not Phase.RESPONSES or moment.interrupted is not None)


def person_alone(plan: Plan, moment: M) -> bool:
    """Where no participant counts nothing is agreed upon but by a person, and nothing is COMPLETE (W40)."""
    if any(map(plan.counts, plan.participants)):
        return True
    by_person = moment.phase in (Phase.PAUSE, Phase.ESCALATION) and plan.counts(PERSON)
    return moment.verdict is not Verdict.COMPLETE and (by_person or not _agreed_now(moment))


def no_report(plan: Plan, moment: M) -> bool:
    """An unqualified facilitator agrees, meets, resolves and disputes nothing, and moves nothing agreed upon (W41)."""
    if plan.counts(FACILITATOR):
        return True
    if moment.verdict is Verdict.COMPLETE or any(each.status is TopicStatus.CLOSED for each in moment.after.topics):
        return False
    if moment.phase is not Phase.SYNTHESIS:
        return True
    pairs = zip(moment.state.artifacts, moment.after.artifacts, strict=False)
    moved = [was for was, now in pairs if (was.agreed and _own(was) != _own(now)) or _resolved(was, now)]
    disputed = any(each.type is ArtifactType.CONF for each in new_in(moment))
    same = [each.met for each in moment.state.topics] == [each.met for each in moment.after.topics]
    return not moved and not disputed and same and not _agreed_now(moment)


def no_person(plan: Plan, moment: M) -> bool:
    """An unqualified model on the seat of the person rules, applies and ends nothing (W41)."""
    if plan.counts(PERSON) or moment.phase not in (Phase.PAUSE, Phase.ESCALATION) or moment.interrupted is not None:
        return True
    pairs = zip(moment.state.artifacts, moment.after.artifacts, strict=False)
    still = all(was.status is now.status for was, now in pairs) and not new_in(moment)
    return still and moment.after.closed_by is not Trigger.PERSON


def told(plan: Plan, moment: M) -> bool:
    """The record says of everybody whose word was not counted that it was not (W40, W41)."""
    named = [dict(fact.values)["seat"] for fact in moment.facts if fact.name == "unqualified"]
    heard = [ask.seat for ask, reply in moment.replies if not isinstance(reply, Absent) and not plan.counts(ask.seat)]
    return named == (heard if moment.phase in DECIDING and moment.interrupted is None else [])


def _agreed_now(moment: M) -> bool:
    before = {each.id for each in moment.state.artifacts if each.agreed}
    return any(each.agreed and each.id not in before for each in moment.after.artifacts)


def _own(artifact: Artifact) -> tuple[object, ...]:
    """What is the artifact's own, whatever conflicts and rulings hold it back."""
    return artifact.status, artifact.amended, artifact.backing, artifact.voted


def _resolved(was: Artifact, now: Artifact) -> bool:
    return was.type in MATTERS and was.open and not now.open


NOTES: tuple[tuple[str, str, Check], ...] = (
    ("an unqualified participant judges nothing and doubts nothing", "W40", no_voice),
    ("where no participant counts a person alone agrees", "W40", person_alone),
    ("nothing follows from what an unqualified facilitator reports", "W41", no_report),
    ("an unqualified model is no person", "W41", no_person),
    ("the record says whose word was not counted", "W40 W41", told),
)
"""They hold wherever a seat is unqualified."""
