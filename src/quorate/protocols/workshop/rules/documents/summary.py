"""The summary of a brainstorm, its ideas ranked by a stated rule, and of a workshop with an agenda of its own."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.protocols.workshop.rules.documents.overview import Artifact, Reading
from quorate.protocols.workshop.rules.documents.passages import agreement, block
from quorate.protocols.workshop.rules.documents.plain import bullets, cell, line, names, table
from quorate.protocols.workshop.rules.documents.sections import (
    Section,
    appendix,
    document,
    listed,
    others,
    ruled,
    traceability,
)
from quorate.protocols.workshop.rules.documents.title_block import heading
from quorate.protocols.workshop.rules.taxonomy import Workflow
from quorate.protocols.workshop.rules.workflows.vocabulary import TYPES, makes

NOUN = "Summary"
POINTS = {"high": 3, "medium": 2, "low": 1}
AGREED_FIRST = ("consensus", "draft", "conflict")
MOST_RECOMMENDED = 3
RULE = (
    "Ideas that are agreed upon come first, then drafts, then those in conflict. Within each group the product of "
    "potential value and feasibility decides (high 3, medium 2, low 1, unknown 0); among equals the higher value, then "
    "the lower number."
)


def open_summary(reading: Reading) -> str:
    """Return the summary of a workshop on anything: a section for each type that exists."""
    kinds = dict.fromkeys(each["type"] for each in reading.standing)
    sections: list[Section] = [
        *ruled(reading),
        *((f"{TYPES[kind].capitalize()}s", list(listed(reading, kind))) for kind in kinds),
        ("Traceability", traceability(reading)),
        *appendix(reading),
    ]
    return document(heading(reading, NOUN), sections)


def brainstorm(reading: Reading) -> str:
    """Return the summary of a brainstorm: recommendations, ideas by rank, risks with what helps, what is open."""
    sections: list[Section] = [
        *ruled(reading),
        ("Recommendations", _recommendations(reading)),
        ("Ideas by rank", _ideas(reading)),
        ("Risks and mitigations", _risks(reading)),
        ("Open questions", listed(reading, "OQ")),
        ("Conflicts", listed(reading, "CONF")),
        *others(reading, makes(Workflow.BRAINSTORM)),
        ("Traceability", traceability(reading)),
        *appendix(reading),
    ]
    return document(heading(reading, NOUN), sections)


def ranked(reading: Reading) -> tuple[Artifact, ...]:
    """Return the ideas that stand by the rule above; `reading` has them by number already."""
    return tuple(sorted(reading.of("IDEA"), key=_rank))


def score(idea: Artifact) -> int:
    """The product of value and feasibility, from 0 to 9."""
    return _points(idea, "potential_value") * _points(idea, "feasibility")


def _rank(idea: Artifact) -> tuple[int, int, int]:
    known = AGREED_FIRST.index(idea["agreement"]) if idea["agreement"] in AGREED_FIRST else len(AGREED_FIRST)
    return known, -score(idea), -_points(idea, "potential_value")


def _points(idea: Artifact, name: str) -> int:
    return POINTS.get(str(idea["fields"].get(name, "")), 0)


def _recommendations(reading: Reading) -> Iterator[str]:
    agreed = [idea for idea in ranked(reading) if idea["agreement"] == "consensus"]
    lines = [
        f"{count}. **{idea['id']}: {line(idea['title'])}** ({_estimate(idea)}){_in_the_way(reading, idea)}"
        for count, idea in enumerate(agreed[:MOST_RECOMMENDED], start=1)
    ]
    if lines:
        yield "\n".join(lines)
    if len(agreed) < MOST_RECOMMENDED:
        yield (
            f"Only what is agreed upon is recommended: {len(agreed)} of {len(reading.of('IDEA'))} ideas. "
            "The others are in the ranking below."
        )


def _estimate(idea: Artifact) -> str:
    value, feasible = (line(str(idea["fields"].get(name) or "unknown")) for name in ("potential_value", "feasibility"))
    return f"value {value}, feasibility {feasible}, score {score(idea)} of 9"


def _in_the_way(reading: Reading, idea: Artifact) -> str:
    """The risks of an idea, and which of them nothing helps against."""
    risks = _risks_of(reading, idea)
    bare = [each["id"] for each in risks if not _mitigations(reading, each)]
    told = f"; risks: {names(each['id'] for each in risks)}" if risks else "; no risk on record"
    return told + (f"; WITHOUT MITIGATION: {names(bare)}" if bare else "")


def _risks_of(reading: Reading, idea: Artifact) -> list[Artifact]:
    return [each for each in reading.of("RISK") if idea["id"] in (each["fields"].get("affected_ideas") or ())]


def _mitigations(reading: Reading, risk: Artifact) -> list[Artifact]:
    return [each for each in reading.of("MIT") if each["fields"].get("risk") == risk["id"]]


def _ideas(reading: Reading) -> Iterator[str]:
    ideas = ranked(reading)
    if not ideas:
        return
    yield f"The rule: {RULE}"
    rows = (
        (
            str(count),
            idea["id"],
            cell(idea["title"]),
            cell(str(idea["fields"].get("potential_value") or "")),
            cell(str(idea["fields"].get("feasibility") or "")),
            str(score(idea)),
            agreement(idea),
            names(each["id"] for each in _risks_of(reading, idea)),
        )
        for count, idea in enumerate(ideas, start=1)
    )
    yield table(("rank", "idea", "title", "value", "feasibility", "score", "agreement", "risks"), rows)
    for idea in ideas:
        yield from block(reading, idea, 3)


def _risks(reading: Reading) -> Iterator[str]:
    """Each risk with what helps against it; a mitigation of nothing that stands comes last."""
    placed: set[str] = set()
    for risk in reading.of("RISK"):
        yield from block(reading, risk, 3)
        helps = _mitigations(reading, risk)
        if not helps:
            yield "**No mitigation is on record.**"
        for each in helps:
            placed.add(each["id"])
            yield from block(reading, each, 4)
    left = [each for each in reading.of("MIT") if each["id"] not in placed]
    if left:
        yield "### Mitigations of risks that do not stand"
        yield bullets(f"{each['id']} is against {line(str(each['fields'].get('risk') or 'nothing'))}" for each in left)
        for each in left:
            yield from block(reading, each, 4)
