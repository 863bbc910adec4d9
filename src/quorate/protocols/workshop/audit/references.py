"""STR-003, second half: whatever a session file names (artifacts, topics, participants, rounds) is in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import islice

from quorate.core.errors import nearest
from quorate.kit.untrusted_value import Spot, many, one, shown
from quorate.protocols.workshop.audit.problem import Finding, NotChecked, problem
from quorate.protocols.workshop.audit.read import ROLES, Round, SessionFile, StatedArtifact
from quorate.protocols.workshop.audit.shape import REFERENCES, id_parts
from quorate.protocols.workshop.rules.taxonomy import ArtifactType

CHECK = "STR-003"
_RESOLVED = ("artifacts_resolved", "conflicts_resolved", "questions_resolved")
_IN_ROUNDS = (
    "artifacts_created",
    "artifacts_amended",
    *_RESOLVED,
)
_PEOPLE = ("supported_by", "opposed_by", "contested_by")


def check_artifact_references(file: SessionFile) -> Iterator[Finding]:
    """Every artifact that a round, a vote or another artifact names exists."""
    for each in file.rounds:
        yield from _in_round(file, each)
    for artifact in file.artifacts:
        for name, kind in REFERENCES.items():
            for at in _each(artifact.at[name]):
                yield from _artifact(file, at, kind, artifact)
    for topic in file.at["agenda"].items:
        for at in topic["coverage"].items:
            if at.text is not None and id_parts(at.text):
                yield from _artifact(file, at)


def _in_round(file: SessionFile, each: Round) -> Iterator[Finding]:
    for name in _IN_ROUNDS:
        for at in each.at[name].items:
            yield from _artifact(file, at)
    for at in each.at["escalation"]["conflicts"].items:
        yield from _artifact(file, at, ArtifactType.CONF)
    for position in each.positions.values():
        for at in position["contested"].items:
            yield from _artifact(file, at)
        for name, stance in position["stances"].entries.items():
            yield from _artifact(file, Spot(name, stance.path))


def _each(at: Spot) -> tuple[Spot, ...]:
    """Return the names in a list, or a single name given instead of a list; an empty text is none."""
    return at.items if at.is_list else (at,) if at.given and at.value != "" else ()


def _artifact(
    file: SessionFile, at: Spot, kind: ArtifactType | None = None, of: StatedArtifact | None = None
) -> Iterator[Finding]:
    found = file.by_id.get(at.text) if at.text is not None else None
    if found is None:
        near = _near(at, file.by_id)
        yield problem(CHECK, at, f"{at} is not an artifact of this session", "the id of an artifact", near)
    elif of is not None and found.id == of.id:
        yield problem(CHECK, at, f"{of.id} names itself", "the id of another artifact")
    elif kind is not None and found.type is not kind:
        yield problem(CHECK, at, f"{at} is not {one(kind.means)}", f"the id of {one(kind.means)}")


def _near(at: Spot, names: Collection[str]) -> str | None:
    """The nearest name, among as many as can be compared without keeping anybody waiting."""
    return nearest(at.text, islice(names, 300)) if at.text is not None and len(at.text) <= 80 else None


def check_topics(file: SessionFile) -> Iterator[Finding]:
    """Every topic that a round or an artifact names is on the agenda, once; a round's focus exists."""
    names: set[str] = set()
    for topic in file.at["agenda"].items:
        at = topic.first("topic_id", "id")
        if at.text is not None and at.text in names:
            yield problem(CHECK, at, f"the topic {at} is on the agenda twice", "each topic once")
        names.add(at.text or "")
    for artifact in file.artifacts:
        yield from _topic(file, artifact.at["topic_id"], ())
    for each in file.rounds:
        yield from _topic(file, each.at["topic_id"], file.by_id)
        yield from _topic(file, each.at["focus"].first("id", "topic_id"), file.by_id)


def _topic(file: SessionFile, at: Spot, also: Collection[str]) -> Iterator[Finding]:
    if not at.given or at.value == "" or (at.text is not None and (at.text in file.topics or at.text in also)):
        return
    yield problem(CHECK, at, f"{at} is not a topic of the agenda", "a topic of the agenda", _near(at, file.topics))


def check_people(file: SessionFile) -> Iterator[Finding]:
    """Whoever proposes, supports, opposes or answers takes part."""
    if file.participants is None:
        yield NotChecked(CHECK, "the file does not say who takes part, so names cannot be looked up")
        return
    here, known = file.here, file.here.union(ROLES)
    for artifact in file.artifacts:
        at = artifact.at
        spots = [at["proposed_by"], at["raised_by"], *(each for name in _PEOPLE for each in at[name].items)]
        spots += [each["participant"] for each in at["positions"].items]
        for entry in at["amendments"].items:
            spots += [entry["proposed_by"], *entry["supported_by"].items]
        for spot in spots:
            yield from _person(spot, known)
    for each in file.rounds:
        for name, position in each.positions.items():
            yield from _person(Spot(name, position.path), here)
        for at in each.at["absent"].items:
            yield from _person(at, here)


def _person(at: Spot, known: Collection[str]) -> Iterator[Finding]:
    if not at.given or at.value == "" or (at.text is not None and at.text in known):
        return
    yield problem(CHECK, at, f"{at} is not a participant of this session", "a participant", _near(at, known))


def check_round_numbers(file: SessionFile) -> Iterator[Finding]:
    """Every round that an artifact or a criterion names was held, and what a round lists is dated by it."""
    for artifact in file.artifacts:
        spots = [artifact.at["created_round"], artifact.at["resolved_round"]]
        spots += [entry["round"] for entry in artifact.at["amendments"].items]
        for at in spots:
            yield from _held(file, at)
    for topic in file.at["agenda"].items:
        for at in (topic["closed_round"], *(criterion["round"] for criterion in topic["criteria"].items)):
            yield from _held(file, at)
    for each in file.rounds:
        yield from _resolved(file, each)
    yield from _unlisted(file)
    yield from _amended(file)


def _held(file: SessionFile, at: Spot) -> Iterator[Finding]:
    if at.given and not (at.whole is not None and 1 <= at.whole <= len(file.rounds)):
        yield problem(CHECK, at, f"there is no round {at}", f"one of {many(len(file.rounds), 'round')}")


def _resolved(file: SessionFile, each: Round) -> Iterator[Finding]:
    """What a round says it has resolved was resolved in it; a ruling may be applied again in a later one."""
    for at in each.at["artifacts_resolved"].items:
        artifact = file.by_id.get(at.text or "")
        if artifact is not None and artifact.resolved != each.place and artifact.type is not ArtifactType.RUL:
            when = f"in round {artifact.resolved}" if artifact.resolved is not None else "in no round"
            yield problem(CHECK, at, f"{at} was resolved {when}", f"what round {each.place} has resolved")


def _unlisted(file: SessionFile) -> Iterator[Finding]:
    """A round lists whatever was resolved in it."""
    listed = [{at.text for name in _RESOLVED for at in each.at[name].items} for each in file.rounds]
    for artifact in file.artifacts:
        when = artifact.resolved
        if not artifact.is_matter or when is None or not 1 <= when <= len(file.rounds):
            continue
        if file.rounds[when - 1].at["artifacts_resolved"].is_list and artifact.id not in listed[when - 1]:
            what = f"round {when} does not list that {shown(artifact.id)} was resolved"
            yield problem(CHECK, artifact.at["resolved_round"], what, "its id in artifacts_resolved of that round")


def _amended(file: SessionFile) -> Iterator[Finding]:
    """A round lists whatever was amended in it."""
    amended: dict[int, list[tuple[StatedArtifact, Spot]]] = defaultdict(list)
    for artifact in file.artifacts:
        for entry in artifact.at["amendments"].items:
            amended[entry["round"].whole or 0].append((artifact, entry["round"]))
    for each in file.rounds:
        if not each.at["artifacts_amended"].is_list:
            continue
        listed = {at.text for at in each.at["artifacts_amended"].items}
        for artifact, at in amended.get(each.place, ()):
            if artifact.id not in listed:
                what = f"round {each.place} does not list the amendment of {shown(artifact.id)}"
                yield problem(CHECK, at, what, "its id in artifacts_amended of that round")
