"""The summary of a brainstorm, its ideas ranked by a stated rule, and of a workshop with an agenda of its own."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.protocols.workshop.rules.documents.overview import Artifact, Overview
from quorate.protocols.workshop.rules.documents.passages import agreement, block
from quorate.protocols.workshop.rules.documents.plain import bullets, cell, line, names, table
from quorate.protocols.workshop.rules.documents.sections import (
    Section,
    appendix,
    document,
    listed,
    others,
    ruled,
    rulings_section,
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


def open_summary(overview: Overview) -> str:
    """Return the summary of a workshop on anything: a section for each type that exists."""
    kinds = dict.fromkeys(each["type"] for each in overview.standing if each["type"] != "RUL")
    sections: list[Section] = [
        *ruled(overview),
        *((f"{TYPES[kind].capitalize()}s", list(listed(overview, kind))) for kind in kinds),
        *rulings_section(overview),
        ("Traceability", traceability(overview)),
        *appendix(overview),
    ]
    return document(heading(overview, NOUN), sections)


def brainstorm(overview: Overview) -> str:
    """Return the summary of a brainstorm: recommendations, ideas by rank, risks with what helps, what is open."""
    sections: list[Section] = [
        *ruled(overview),
        ("Recommendations", _recommendations(overview)),
        ("Ideas by rank", _ideas(overview)),
        ("Risks and mitigations", _risks(overview)),
        ("Open questions", listed(overview, "OQ")),
        ("Conflicts", listed(overview, "CONF")),
        *rulings_section(overview),
        *others(overview, makes(Workflow.BRAINSTORM)),
        ("Traceability", traceability(overview)),
        *appendix(overview),
    ]
    return document(heading(overview, NOUN), sections)


def ranked(overview: Overview) -> tuple[Artifact, ...]:
    """Return the ideas that stand by the rule above; `overview` has them by number already."""
    return tuple(sorted(overview.of("IDEA"), key=_rank))


def score(idea: Artifact) -> int:
    """The product of value and feasibility, from 0 to 9."""
    return _points(idea, "potential_value") * _points(idea, "feasibility")


def _rank(idea: Artifact) -> tuple[int, int, int]:
    known = AGREED_FIRST.index(idea["agreement"]) if idea["agreement"] in AGREED_FIRST else len(AGREED_FIRST)
    return known, -score(idea), -_points(idea, "potential_value")


def _points(idea: Artifact, name: str) -> int:
    return POINTS.get(str(idea["fields"].get(name, "")), 0)


def _recommendations(overview: Overview) -> Iterator[str]:
    agreed = [idea for idea in ranked(overview) if idea["agreement"] == "consensus"]
    lines = [
        f"{count}. **{idea['id']}: {line(idea['title'])}** ({_estimate(idea)}){_in_the_way(overview, idea)}"
        for count, idea in enumerate(agreed[:MOST_RECOMMENDED], start=1)
    ]
    if lines:
        yield "\n".join(lines)
    if len(agreed) < MOST_RECOMMENDED:
        yield (
            f"Only what is agreed upon is recommended: {len(agreed)} of {len(overview.of('IDEA'))} ideas. "
            "The others are in the ranking below."
        )


def _estimate(idea: Artifact) -> str:
    value, feasible = (line(str(idea["fields"].get(name) or "unknown")) for name in ("potential_value", "feasibility"))
    return f"value {value}, feasibility {feasible}, score {score(idea)} of 9"


def _in_the_way(overview: Overview, idea: Artifact) -> str:
    """The risks of an idea, and which of them nothing helps against."""
    risks = _risks_of(overview, idea)
    bare = [each["id"] for each in risks if not _mitigations(overview, each)]
    told = f"; risks: {names(each['id'] for each in risks)}" if risks else "; no risk on record"
    return told + (f"; WITHOUT MITIGATION: {names(bare)}" if bare else "")


def _risks_of(overview: Overview, idea: Artifact) -> list[Artifact]:
    return [each for each in overview.of("RISK") if idea["id"] in (each["fields"].get("affected_ideas") or ())]


def _mitigations(overview: Overview, risk: Artifact) -> list[Artifact]:
    return [each for each in overview.of("MIT") if each["fields"].get("risk") == risk["id"]]


def _ideas(overview: Overview) -> Iterator[str]:
    ideas = ranked(overview)
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
            names(each["id"] for each in _risks_of(overview, idea)),
        )
        for count, idea in enumerate(ideas, start=1)
    )
    yield table(("rank", "idea", "title", "value", "feasibility", "score", "agreement", "risks"), rows)
    for idea in ideas:
        yield from block(overview, idea, 3)


def _risks(overview: Overview) -> Iterator[str]:
    """Each risk with what helps against it; a mitigation of nothing that stands comes last."""
    placed: set[str] = set()
    for risk in overview.of("RISK"):
        yield from block(overview, risk, 3)
        helps = _mitigations(overview, risk)
        if not helps:
            yield "**No mitigation is on record.**"
        for each in helps:
            placed.add(each["id"])
            yield from block(overview, each, 4)
    left = [each for each in overview.of("MIT") if each["id"] not in placed]
    if left:
        yield "### Mitigations of risks that do not stand"
        yield bullets(f"{each['id']} is against {line(str(each['fields'].get('risk') or 'nothing'))}" for each in left)
        for each in left:
            yield from block(overview, each, 4)
