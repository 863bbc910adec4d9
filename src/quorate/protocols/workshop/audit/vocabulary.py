"""STR-002: every state and every other closed word is one of its vocabulary."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from quorate.kit.untrusted_value import Spot, one
from quorate.protocols.workshop.audit.problem import Finding, problem, unknown
from quorate.protocols.workshop.audit.read import Round, SessionFile, StatedArtifact
from quorate.protocols.workshop.audit.shape import (
    ACTIONS,
    AGREEMENTS,
    ARTIFACT_STATES,
    FIELD_WORDS,
    FOCUSES,
    MATTER_STATES,
    SESSION_STATES,
    SIDES,
    STANCES,
    STRATEGIES,
    TOPIC_STATES,
    WORKFLOWS,
    stance_of,
)

CHECK = "STR-002"


def check_words(file: SessionFile) -> Iterator[Finding]:
    """Session, topics, artifacts and rounds use the words of their vocabularies and no others."""
    at = file.at
    yield from _one_of(at["workflow_type"], "workflow", WORKFLOWS)
    yield from _one_of(at["strategy"], "strategy", STRATEGIES)
    yield from _one_of(at["status"], "state of a session", SESSION_STATES)
    for topic in at["agenda"].items:
        yield from _one_of(topic["status"], "state of a topic", TOPIC_STATES)
    for artifact in file.artifacts:
        yield from _artifact(artifact)
    for each in file.rounds:
        yield from _round(each, last=each is file.rounds[-1])


def _artifact(artifact: StatedArtifact) -> Iterator[Finding]:
    at = artifact.at
    states = MATTER_STATES if artifact.is_matter else ARTIFACT_STATES
    means = artifact.type.means if artifact.type is not None else "artifact"
    yield from _one_of(at.first("status", "state"), f"state of {one(means)}", states)
    yield from _one_of(at["agreement"], "agreement", AGREEMENTS)
    for name, words in FIELD_WORDS.get(artifact.type, {}).items() if artifact.type is not None else ():
        yield from _one_of(at[name], name.replace("_", " "), words)


def _round(each: Round, *, last: bool) -> Iterator[Finding]:
    if not last and not each.action.said:
        yield problem(CHECK, each.action, "is missing, but more rounds follow", "what came next: " + ", ".join(ACTIONS))
    yield from _one_of(each.action, "next action", ACTIONS)
    yield from _one_of(each.at["focus"]["type"], "kind of focus", FOCUSES)
    for position in each.positions.values():
        yield from _one_of(position["side"], "side", SIDES)
        yield from _confidence(position["confidence"])
        for stance in position["stances"].entries.values():
            said = stance["stance"] if stance.is_mapping else stance
            if said.given and stance_of(said.text) is None:
                yield unknown(CHECK, said, "stance", STANCES)


def _confidence(at: Spot) -> Iterator[Finding]:
    if at.given and not (at.number is not None and 0 <= at.number <= 1):
        yield problem(CHECK, at, f"is {at}", "a number from 0 to 1")


def _one_of(at: Spot, noun: str, names: Collection[str]) -> Iterator[Finding]:
    """A word that is given is one of these, letter by letter; an empty text says nothing."""
    if at.given and at.value != "" and not (at.text is not None and at.text in names):
        yield unknown(CHECK, at, noun, names)
