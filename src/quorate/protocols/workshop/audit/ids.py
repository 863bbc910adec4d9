"""STR-003, first half: ids are TYPE-NNN, counted per type from 001, and each is issued once, by one round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from quorate.kit.untrusted_value import Spot, one, shown
from quorate.protocols.workshop.audit.problem import Finding, NotChecked, problem
from quorate.protocols.workshop.audit.read import SessionFile, StatedArtifact
from quorate.protocols.workshop.audit.shape import id_parts, type_of
from quorate.protocols.workshop.rules.taxonomy import ArtifactType

CHECK = "STR-003"


def check_ids(file: SessionFile) -> Iterator[Finding]:
    """Every id has the form TYPE-NNN, stands in the map of its type, is sequential and is not used twice."""
    seen: set[str] = set()
    numbers: dict[ArtifactType, dict[int, StatedArtifact]] = defaultdict(dict)
    for artifact in file.artifacts:
        parts = id_parts(artifact.id)
        if parts is None:
            yield problem(CHECK, artifact.named, f"{shown(artifact.id)} is not an id", "TYPE-NNN, such as REQ-001")
            continue
        kind, number = parts
        if type_of(artifact.group) not in (None, kind):
            what = f"{artifact.id} is {one(kind.means)} but is listed in {shown(artifact.group)}"
            yield problem(CHECK, artifact.named, what, "each type of artifact in its own map")
        if artifact.id in seen:
            yield problem(CHECK, artifact.named, f"the id {artifact.id} is used twice", "each id once")
        seen.add(artifact.id)
        numbers[kind].setdefault(number, artifact)
    for kind, found in numbers.items():
        yield from _sequence(kind, found)


def _sequence(kind: ArtifactType, found: dict[int, StatedArtifact]) -> Iterator[Finding]:
    """The numbers of a type are 1 to n, and a later number is not older than an earlier one."""
    before: StatedArtifact | None = None
    for place, number in enumerate(sorted(found), 1):
        artifact = found[number]
        if number != place:
            what = f"{artifact.id} follows {before.id}" if before else f"the first {kind.means} is {artifact.id}"
            yield problem(CHECK, artifact.named, f"{what}, so ids are missing", f"{kind.value}-{place:03}")
            return
        if before and before.created is not None and artifact.created is not None and artifact.created < before.created:
            what = f"{artifact.id} was made in round {artifact.created}, before {before.id} in round {before.created}"
            yield problem(CHECK, artifact.at["created_round"], what, "ids counted in the order of the rounds")
        before = artifact


def check_makers(file: SessionFile) -> Iterator[Finding]:
    """Every artifact was made by exactly one round, the one that it names."""
    made: dict[str, list[tuple[int, Spot]]] = defaultdict(list)
    for each in file.rounds:
        for at in each.at["artifacts_created"].items:
            if at.text is not None:
                made[at.text].append((each.place, at))
    if file.artifacts and not any(each.at["artifacts_created"].is_list for each in file.rounds):
        yield NotChecked(CHECK, "no round says which artifacts it made")
        return
    for artifact in file.artifacts:
        rounds = made.get(artifact.id, [])
        if not rounds:
            what = f"no round has made {shown(artifact.id)}"
            yield problem(CHECK, artifact.named, what, "its id in artifacts_created of the round that made it")
            continue
        for place, at in rounds[1:]:
            what = f"round {place} makes {artifact.id}, but round {rounds[0][0]} has made it already"
            yield problem(CHECK, at, what, "an id that is not used yet")
        if artifact.created is not None and artifact.created != rounds[0][0]:
            what = f"{artifact.id} says round {artifact.created}, but round {rounds[0][0]} made it"
            yield problem(CHECK, artifact.at["created_round"], what, str(rounds[0][0]))
