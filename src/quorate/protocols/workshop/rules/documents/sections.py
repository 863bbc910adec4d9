"""The sections that several documents share: lists of artifacts, where they come from, the rounds, and what is gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from quorate.protocols.workshop.rules.documents.overview import Artifact, Overview, Round
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


def rulings_section(overview: Overview) -> list[Section]:
    """Return the section of a person's rulings, with whether they are applied; none where nobody ruled."""
    return [("Rulings of a person", listed(overview, "RUL"))] if overview.of("RUL") else []


def listed(overview: Overview, *kinds: str, level: int = 3) -> Iterator[str]:
    """Yield the artifacts of these types that stand, each in full."""
    for artifact in overview.of(*kinds):
        yield from block(overview, artifact, level)


def ruled(overview: Overview, artifact: Artifact | None = None) -> list[Section]:
    """What a person decided, also where it concerns one artifact only; no section where nothing was decided."""
    about = None if artifact is None else [each["id"] for each in conflicts_of(overview, artifact)]
    found = rulings(overview, about)
    return [(RULED, told_in_full(overview, found))] if any(each.is_decision for each in found) else []


def traceability(overview: Overview) -> Iterator[str]:
    """Yield where each artifact comes from, as a table, and the rounds that it names."""
    if overview.artifacts:
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
        yield table((*head, "amended in rounds", "agreement"), (_traced(overview, each) for each in overview.artifacts))
    yield "### Rounds"
    yield from _rounds(overview)
    if overview.warnings:
        yield "### Warnings"
        yield bullets(_warning(overview, each) for each in overview.warnings)


def _rounds(overview: Overview) -> Iterator[str]:
    if not overview.rounds:
        yield NONE
        return
    head = ("round", "topic", "stage", "question", "created", "amended", "resolved", "next")
    yield table(head, (_round(overview, each) for each in overview.rounds))
    if lines := list(_on_the_way(overview)):
        yield "Decisions on the way:"
        yield bullets(lines)


def _traced(overview: Overview, artifact: Artifact) -> tuple[str, ...]:
    against = dict.fromkeys((*artifact["opposed_by"], *artifact["contested_by"]))
    amended = ", ".join(f"{each['round']}{' (reverted)' * each['reverted']}" for each in artifact["amendments"])
    return (
        artifact["id"],
        cell(artifact["title"], MOST_CELL),
        cell(artifact["status"]),
        verbatim(cell(overview.topic_name(artifact["topic_id"]))),
        str(artifact["created_round"]),
        cell(artifact["proposed_by"]),
        names(artifact["supported_by"]),
        names(against),
        amended or NOTHING,
        agreement(artifact),
    )


def _round(overview: Overview, each: Round) -> tuple[str, ...]:
    asked = "code, for the facilitator: " if each["fallback_question"] else ""
    return (
        str(each["round"]),
        verbatim(cell(overview.topic_name(each["topic_id"]))),
        cell(each["stage"]),
        asked + verbatim(cell(each["facilitator_question"], MOST_CELL)),
        names(dict.fromkeys(each["artifacts_created"])),
        names(dict.fromkeys(each["artifacts_amended"])),
        names(dict.fromkeys(each["artifacts_resolved"])),
        cell(f"{each['next_action']}: {each['because']}" if each["because"] else each["next_action"], MOST_CELL),
    )


def _on_the_way(overview: Overview) -> Iterator[str]:
    """What was decided round by round, by the table and by a person."""
    ruled_on = rulings(overview)
    for each in overview.rounds:
        yield from (f"Round {each['round']}: {line(words)}" for words in each["key_decisions"])
        told = (told_in_short(ruling) for ruling in ruled_on if ruling.round == each["round"])
        yield from (f"Round {each['round']}: {words}" for words in told)


def _warning(overview: Overview, words: str) -> str:
    """A warning; one that begins with a topic's name keeps it as the agenda has it."""
    name = next((each["name"] for each in overview.agenda if words.startswith(f"{each['name']} is ")), "")
    return verbatim(line(name)) + (f" {line(words[len(name) :])}" if name else line(words))


def appendix(overview: Overview) -> list[Section]:
    """What was superseded or withdrawn, each in full with why; no section where nothing was."""
    blocks = [part for artifact in overview.gone for part in block(overview, artifact, 3)]
    return [("Appendix: superseded and withdrawn", blocks)] if blocks else []


def others(overview: Overview, shown: Sequence[str]) -> list[Section]:
    """Return a section for the artifacts in force whose type has no section of its own, so that none is left out."""
    kinds = [kind for kind in TYPES if kind not in (*shown, "RUL")]  # rulings have their section wherever there are any
    blocks = list(listed(overview, *kinds))
    return [("Other artifacts", blocks)] if blocks else []
