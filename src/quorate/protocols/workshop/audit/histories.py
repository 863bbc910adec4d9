"""STR-007: every history is a valid path through its life cycle (W14, W16, W17, W20, W21)."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.errors import RuleViolation
from quorate.kit.lifecycle import advance
from quorate.kit.untrusted_value import Spot
from quorate.protocols.workshop.audit.problem import Finding, NotChecked, problem
from quorate.protocols.workshop.audit.read import SessionFile, StatedArtifact
from quorate.protocols.workshop.audit.verdict_check import below_minimum
from quorate.protocols.workshop.rules.lives import ARTIFACT, MATTER, Happening, Status, TopicStatus
from quorate.protocols.workshop.rules.taxonomy import ArtifactType

CHECK = "STR-007"
_ENDINGS = {Status.SUPERSEDED: Happening.SUPERSEDE, Status.WITHDRAWN: Happening.WITHDRAW}


def check_artifact_lives(file: SessionFile) -> Iterator[Finding]:
    """Amendments, reverts and ends of every artifact follow its table, and its status is where they lead."""
    for artifact in file.artifacts:
        if not artifact.at.is_mapping or artifact.status is None:
            continue  # STR-001 and STR-002 have said so.
        if artifact.is_matter:
            yield from _matter(artifact)
            continue
        yield from _amendments(artifact)
        yield from _status(artifact)
        yield from _ends(file, artifact)


def _amendments(artifact: StatedArtifact) -> Iterator[Finding]:
    """Amendments come in later rounds than the artifact, in their order."""
    before = artifact.created
    for place, entry in enumerate(artifact.at["amendments"].items):
        at = entry["round"]
        if at.whole is None:
            if entry.is_mapping:
                yield problem(CHECK, at, "is missing", "the round of the amendment")
        elif before is not None and (at.whole < before or (place == 0 and at.whole == before)):
            what = f"{artifact.id} is amended in round {at.whole}, after round {before}"
            yield problem(CHECK, at, what, "amendments in later rounds, in order")
        else:
            before = at.whole


def _status(artifact: StatedArtifact) -> Iterator[Finding]:
    """Walk the table: each amendment, its revert, and the end; the status has to be where that leads."""
    at, status = artifact.at.first("status", "state"), artifact.status
    state = ARTIFACT.initial
    for entry in artifact.at["amendments"].items:
        state = advance(ARTIFACT, state, Happening.AMEND)
        if entry["reverted"].flag:
            state = advance(ARTIFACT, state, Happening.REVERT)
    if status in _ENDINGS:
        state = advance(ARTIFACT, state, _ENDINGS[status])
    if status is Status.AMENDED and not artifact.at["amendments"].items:
        yield problem(CHECK, at, f"{artifact.id} is amended, but no amendment is listed", "its amendments, one by one")
    elif status is not None and status is not state:
        what = f"{artifact.id} is {status.value}, but by its history it is {state.value}"
        yield problem(CHECK, at, what, state.value)


def _ends(file: SessionFile, artifact: StatedArtifact) -> Iterator[Finding]:
    """What is superseded names its replacement, what is withdrawn a reason, and nothing has both fates (W17)."""
    at, status = artifact.at, artifact.status
    replaced, reason = at["superseded_by"], at["withdrawn_because"]
    if status is Status.SUPERSEDED and not replaced.said:
        yield problem(
            CHECK, replaced, f"{artifact.id} is superseded without saying by what", "the id of what replaces it"
        )
    if status is Status.WITHDRAWN and reason.exists and not reason.said:
        yield problem(CHECK, reason, f"{artifact.id} is withdrawn without a reason", "why it was withdrawn")
    for field, fate in ((replaced, Status.SUPERSEDED), (reason, Status.WITHDRAWN)):
        if field.said and status is not fate and status is not None:
            what = f"{artifact.id} is {status.value}, but says how it was {fate.value}"
            yield problem(CHECK, field, what, f"the status {fate.value}, or nothing here")
    heir = file.by_id.get(replaced.text or "")
    if heir is not None:
        yield from _succession(artifact, heir)


def _succession(artifact: StatedArtifact, heir: StatedArtifact) -> Iterator[Finding]:
    """A replacement is not older than what it replaces, knows of it, and nothing happens to the old one after it."""
    named = heir.at["supersedes"]
    if named.is_list and artifact.id not in [each.text for each in named.items]:
        what = f"{heir.id} does not say that it supersedes {artifact.id}"
        yield problem(CHECK, artifact.at["superseded_by"], what, f"supersedes: [{artifact.id}] in {heir.id}")
    if heir.created is None:
        return
    if artifact.created is not None and heir.created < artifact.created:
        what = f"{heir.id} of round {heir.created} is older than {artifact.id} of round {artifact.created}"
        yield problem(CHECK, artifact.at["superseded_by"], what, "a replacement that was made later")
    for entry in artifact.at["amendments"].items:
        when = entry["round"].whole
        if when is not None and when > heir.created:
            what = f"{artifact.id} is amended in round {when}, but was superseded in round {heir.created}"
            yield problem(CHECK, entry["round"], what, "nothing after an end")


def _matter(artifact: StatedArtifact) -> Iterator[Finding]:
    """A question or conflict is resolved in a round that is not before its own, or not at all."""
    at, when = artifact.at, artifact.at["resolved_round"]
    state = MATTER.initial
    if when.given:
        state = advance(MATTER, state, Happening.RESOLVE)
    if artifact.status is Status.RESOLVED and not when.given:
        if not when.exists and at["resolution"].given:
            return  # Others do not always date it.
        yield problem(
            CHECK, when, f"{artifact.id} is resolved without saying in which round", "the round that resolved it"
        )
    elif artifact.status is not state:
        what = f"{artifact.id} is {at.first('status', 'state')}, but was resolved in round {when}"
        yield problem(CHECK, at.first("status", "state"), what, state.value)
    if artifact.resolved is not None and artifact.created is not None and artifact.resolved < artifact.created:
        what = f"{artifact.id} of round {artifact.created} is resolved in round {artifact.resolved}"
        yield problem(CHECK, when, what, "a round that is not before its own")


def check_listed_histories(file: SessionFile) -> Iterator[Finding]:
    """Where an artifact lists what has happened to it, each step is a row of its table."""
    for artifact in file.artifacts:
        life = MATTER if artifact.is_matter else ARTIFACT
        state = life.initial
        for entry in artifact.at["history"].items:
            at = entry["event"]
            happening = next((each for each in Happening if each.value == at.text), None)
            if happening is None:
                continue  # Such as its creation.
            try:
                state = advance(life, state, happening)
            except RuleViolation as refused:
                yield problem(CHECK, at, str(refused))
                break
        else:
            if artifact.at["history"].items and artifact.status not in (state, None):
                at = artifact.at.first("status", "state")
                yield problem(CHECK, at, f"is {at}, but its history ends as {state.value}", state.value)


def check_topic_lives(file: SessionFile) -> Iterator[Finding]:
    """A topic is open without a met criterion, and closed with all of them and its number of agreed artifacts."""
    topics = file.at["agenda"].items
    if topics and not any(topic["criteria"].is_list for topic in topics):
        yield NotChecked(CHECK, "the agenda does not say which criteria are met")
    touched = {each.topic for each in file.artifacts if _touched(each)}
    for topic in topics:
        status, criteria = topic["status"], topic["criteria"].items
        if status.text == TopicStatus.OPEN.value:
            for criterion in criteria:
                if criterion["met"].flag and not _just_met(file, criterion):
                    what = f"is open, and meets {criterion['text']}"
                    yield problem(CHECK, status, what, TopicStatus.PARTIAL.value)
        if status.text != TopicStatus.CLOSED.value:
            continue
        for criterion in criteria:
            if criterion["met"].flag is False:
                what = f"the topic is closed, but does not meet {criterion['text']}"
                yield problem(CHECK, criterion["met"], what, "every criterion met before a topic is closed")
        if below_minimum(topic) and topic.first("topic_id", "id").text not in touched:
            what = f"the topic is closed with {topic['counted']} agreed artifacts of at least {topic['minimum']}"
            yield problem(CHECK, topic["counted"], what, f"{topic['minimum']} before a topic is closed")


def _just_met(file: SessionFile, criterion: Spot) -> bool:
    """Whether a criterion was met in a round that was broken off before its topics were looked at."""
    last = file.rounds[-1] if file.rounds else None
    return last is not None and criterion["round"].whole == last.place and not last.complete


def _touched(artifact: StatedArtifact) -> bool:
    """Whether something has happened by which an artifact may have ceased to count after its topic was closed."""
    at = artifact.at
    return (
        artifact.type is ArtifactType.CONF
        or artifact.status in _ENDINGS
        or bool(at["amendments"].items or at["contested_by"].items)
    )


def check_session_life(file: SessionFile) -> Iterator[Finding]:
    """A closed session says when it was closed, and an active one does not."""
    status, closed_at = file.at["status"].text, file.at["timing"]["closed_at"]
    if status == "closed" and closed_at.exists and not closed_at.said:
        yield problem(CHECK, closed_at, "is missing, but the session is closed", "when it was closed")
    if status == "active" and closed_at.said:
        yield problem(CHECK, closed_at, "is given, but the session is active", "nothing, or the status closed")
