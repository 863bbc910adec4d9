"""The sections that several documents share: lists of artifacts, where they come from, the rounds, and what is gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from quorate.protocols.workshop.rules.documents.overview import Artifact, Reading, Round
from quorate.protocols.workshop.rules.documents.passages import agreement, block
from quorate.protocols.workshop.rules.documents.plain import NOTHING, bullets, cell, line, names, table, verbatim
from quorate.protocols.workshop.rules.documents.rulings import conflicts_of, rulings, told_in_full, told_in_short
from quorate.protocols.workshop.rules.workflows.vocabulary import TYPES

Section = tuple[str, Iterable[str]]
"""A title, and the blocks below it."""

MOST_CELL = 160
MOST_SUBJECT = 4_000
"""Characters of the topic that are shown; the session has all of it."""
NONE = "None."
RULED = "Decisions by a person"


def document(head: Iterable[str], sections: Iterable[Section], *, numbered: bool = False) -> str:
    """Return a document: its head, then its sections; a section with nothing in it says so."""
    blocks = list(head)
    for count, (title, body) in enumerate(sections, start=1):
        blocks.append(f"## {count}. {title}" if numbered else f"## {title}")
        blocks.extend(list(body) or [NONE])
    return "\n\n".join(blocks) + "\n"


def listed(reading: Reading, *kinds: str, level: int = 3) -> Iterator[str]:
    """Yield the artifacts of these types that stand, each in full."""
    for artifact in reading.of(*kinds):
        yield from block(reading, artifact, level)


def ruled(reading: Reading, artifact: Artifact | None = None) -> list[Section]:
    """What a person decided, also where it concerns one artifact only; no section where nothing was decided."""
    about = None if artifact is None else [each["id"] for each in conflicts_of(reading, artifact)]
    found = rulings(reading, about)
    return [(RULED, told_in_full(reading, found))] if any(each.is_decision for each in found) else []


def traceability(reading: Reading) -> Iterator[str]:
    """Yield where each artifact comes from, as a table, and the rounds that it names."""
    if reading.artifacts:
        head = (
            "artifact",
            "title",
            "status",
            "topic",
            "round",
            "proposed by",
            "supported by",
            "opposed or contested by",
        )
        yield table((*head, "amended in rounds", "agreement"), (_traced(reading, each) for each in reading.artifacts))
    yield "### Rounds"
    yield from _rounds(reading)
    if reading.warnings:
        yield "### Warnings"
        yield bullets(_warning(reading, each) for each in reading.warnings)


def _rounds(reading: Reading) -> Iterator[str]:
    if not reading.rounds:
        yield NONE
        return
    head = ("round", "topic", "stage", "question", "created", "amended", "resolved", "next")
    yield table(head, (_round(reading, each) for each in reading.rounds))
    if lines := list(_on_the_way(reading)):
        yield "Decisions on the way:"
        yield bullets(lines)


def _traced(reading: Reading, artifact: Artifact) -> tuple[str, ...]:
    against = dict.fromkeys((*artifact["opposed_by"], *artifact["contested_by"]))
    amended = ", ".join(f"{each['round']}{' (reverted)' * each['reverted']}" for each in artifact["amendments"])
    return (
        artifact["id"],
        cell(artifact["title"], MOST_CELL),
        cell(artifact["status"]),
        verbatim(cell(reading.topic_name(artifact["topic_id"]))),
        str(artifact["created_round"]),
        cell(artifact["proposed_by"]),
        names(artifact["supported_by"]),
        names(against),
        amended or NOTHING,
        agreement(artifact),
    )


def _round(reading: Reading, each: Round) -> tuple[str, ...]:
    asked = "code, for the facilitator: " if each["fallback_question"] else ""
    return (
        str(each["round"]),
        verbatim(cell(reading.topic_name(each["topic_id"]))),
        cell(each["stage"]),
        asked + verbatim(cell(each["facilitator_question"], MOST_CELL)),
        names(dict.fromkeys(each["artifacts_created"])),
        names(dict.fromkeys(each["artifacts_amended"])),
        names(dict.fromkeys(each["artifacts_resolved"])),
        cell(f"{each['next_action']}: {each['because']}" if each["because"] else each["next_action"], MOST_CELL),
    )


def _on_the_way(reading: Reading) -> Iterator[str]:
    """What was decided round by round, by the table and by a person."""
    ruled_on = rulings(reading)
    for each in reading.rounds:
        yield from (f"Round {each['round']}: {line(words)}" for words in each["key_decisions"])
        told = (told_in_short(ruling) for ruling in ruled_on if ruling.round == each["round"])
        yield from (f"Round {each['round']}: {words}" for words in told)


def _warning(reading: Reading, words: str) -> str:
    """A warning; one that begins with a topic's name keeps it as the agenda has it."""
    name = next((each["name"] for each in reading.agenda if words.startswith(f"{each['name']} is ")), "")
    return verbatim(line(name)) + (f" {line(words[len(name) :])}" if name else line(words))


def appendix(reading: Reading) -> list[Section]:
    """What was superseded or withdrawn, each in full with why; no section where nothing was."""
    blocks = [part for artifact in reading.gone for part in block(reading, artifact, 3)]
    return [("Appendix: superseded and withdrawn", blocks)] if blocks else []


def others(reading: Reading, shown: Sequence[str]) -> list[Section]:
    """Return a section for the artifacts in force whose type has no section of its own, so that none is left out."""
    kinds = [kind for kind in TYPES if kind not in shown]
    blocks = list(listed(reading, *kinds))
    return [("Other artifacts", blocks)] if blocks else []
