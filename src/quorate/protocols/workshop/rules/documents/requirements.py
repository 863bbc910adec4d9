"""The specification in three formats: srs (by sections), volere (a shell for each requirement), simple (one list)."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.protocols.workshop.rules.documents.marks import anchor
from quorate.protocols.workshop.rules.documents.overview import Artifact, Overview
from quorate.protocols.workshop.rules.documents.passages import (
    FIELDS,
    agreement,
    answered,
    became,
    block,
    history,
    origin,
    positions,
)
from quorate.protocols.workshop.rules.documents.plain import (
    bullets,
    cell,
    line,
    names,
    paragraphs,
    table,
    told,
    verbatim,
)
from quorate.protocols.workshop.rules.documents.rulings import disputes
from quorate.protocols.workshop.rules.documents.sections import (
    MOST_SUBJECT,
    Section,
    appendix,
    document,
    listed,
    others,
    ruled,
    rulings_section,
    traceability,
)
from quorate.protocols.workshop.rules.documents.title_block import count, heading
from quorate.protocols.workshop.rules.taxonomy import Workflow
from quorate.protocols.workshop.rules.workflows.vocabulary import TYPES, makes

NOUN = "Requirements"
PRIORITIES = (("must", "Must have"), ("should", "Should have"), ("could", "Could have"), ("wont", "Will not have now"))
WORKFLOWS_TOPIC = "user-workflows"
MADE = makes(Workflow.SPECS)


def srs(overview: Overview) -> str:
    """Return the specification by sections: scope, users, requirements by priority, rules, qualities, exclusions."""
    sections: list[Section] = [
        ("Introduction", _introduction(overview)),
        *ruled(overview),
        ("Scope", _scope(overview)),
        ("Users and workflows", _workflows(overview)),
        ("Functional requirements", _by_priority(overview)),
        ("Business rules", listed(overview, "BR")),
        ("Non-functional requirements", _qualities(overview)),
        ("Exclusions", listed(overview, "EX")),
        ("Open questions", listed(overview, "OQ")),
        ("Conflicts", listed(overview, "CONF")),
        *rulings_section(overview),
        *others(overview, MADE),
        ("Traceability", traceability(overview)),
        *appendix(overview),
    ]
    return document(heading(overview, NOUN), sections, numbered=True)


def _introduction(overview: Overview) -> Iterator[str]:
    yield (
        "This specification was worked out in a workshop. Each entry has an id, says in which round and by whom it was "
        "proposed, and who supported or opposed it. What is not marked as NOT AGREED is agreed upon."
    )
    yield f"**Subject:** {verbatim(paragraphs(overview.result['topic'], MOST_SUBJECT))}"


def _scope(overview: Overview) -> Iterator[str]:
    if overview.agenda:
        rows = (
            (
                verbatim(cell(topic["name"])),
                "yes" if topic["critical"] else "no",
                cell(topic["status"]),
                count(topic),
                f"{sum(bool(each['met']) for each in topic['criteria'])} of {len(topic['criteria'])}",
            )
            for topic in overview.agenda
        )
        yield "These topics were on the agenda:"
        yield table(("topic", "required", "status", "agreed artifacts", "criteria met"), rows)
    if excluded := overview.of("EX"):
        yield f"Not in scope: {names(each['id'] for each in excluded)} (see Exclusions)."


def _workflows(overview: Overview) -> Iterator[str]:
    """What the topic about users covered; its requirements stand in full among the others."""
    for topic in overview.agenda:
        if topic["topic_id"] == WORKFLOWS_TOPIC and topic["coverage"]:
            yield bullets(verbatim(line(each)) for each in topic["coverage"])
    about = [each for each in overview.standing if each["topic_id"] == WORKFLOWS_TOPIC]
    if about:
        yield "In detail:"
        yield bullets(f"{each['id']}: {line(each['title'])}" for each in about)


def _by_priority(overview: Overview) -> Iterator[str]:
    known = [name for name, _ in PRIORITIES]
    for name, words in (*PRIORITIES, ("", "Without a priority")):
        chosen = [each for each in overview.of("REQ") if _priority(each, known) == name]
        if chosen:
            yield f"### {words}"
            for artifact in chosen:
                yield from block(overview, artifact, 4, leave_out=("priority",))


def _priority(artifact: Artifact, known: list[str]) -> str:
    given = str(artifact["fields"].get("priority", ""))
    return given if given in known else ""


def _qualities(overview: Overview) -> Iterator[str]:
    columns = ("category", "description", "target", "minimum", "measurement")
    found = overview.of("NFR")
    if found:
        rows = ((each["id"], *(cell(_raw(each, name)) for name in columns), agreement(each)) for each in found)
        yield table(("id", "category", "requirement", "target", "minimum", "measured by", "agreement"), rows)
    for artifact in found:
        yield from block(overview, artifact, 3, leave_out=columns)


def _raw(artifact: Artifact, name: str) -> str:
    """A field's text as it was written; whoever shows it makes it literal."""
    return str(artifact["fields"].get(name) or "")


def volere(overview: Overview) -> str:
    """Return the specification as atomic shells, one for each requirement, rule, quality and exclusion."""
    kinds = [kind for kind in MADE if kind not in ("OQ", "CONF", "RUL")]
    sections: list[Section] = [
        *ruled(overview),
        *((f"{TYPES[kind].capitalize()}s", _shells(overview, kind)) for kind in kinds),
        ("Open questions", listed(overview, "OQ")),
        ("Conflicts", listed(overview, "CONF")),
        ("Rulings of a person", listed(overview, "RUL")),
        *others(overview, MADE),
        ("Traceability", traceability(overview)),
        *appendix(overview),
    ]
    return document(heading(overview, NOUN), sections)


def _shells(overview: Overview, kind: str) -> Iterator[str]:
    for artifact in overview.of(kind):
        yield anchor(artifact["id"], overview.session)
        yield f"### {artifact['id']}: {line(artifact['title'])}"
        yield bullets(f"**{name}:** {words}" for name, words in _shell(overview, artifact))
        if lines := list(history(artifact)):
            yield "History:"
            yield "\n".join(lines)


def _shell(overview: Overview, artifact: Artifact) -> Iterator[tuple[str, str]]:
    said = artifact["fields"]
    yield "Requirement", artifact["id"]
    category = f" ({line(said['category'])})" if said.get("category") else ""
    yield "Type", TYPES[artifact["type"]] + category
    yield "Description", told(said.get("description")) or line(artifact["title"])
    yield "Rationale", told(said.get("rationale")) or answered(overview, artifact) or "none on record"
    yield "Originator", line(artifact["proposed_by"]) or "nobody on record"
    yield "Fit criterion", _fit(artifact) or "NONE: it cannot be tested as it stands"
    yield "Priority", told(said.get("priority")) or "not ranked"
    yield "Agreement", agreement(artifact)
    yield "Supporters", names(artifact["supported_by"])
    yield "Conflicts", _against(overview, artifact)
    yield "History", "; ".join((origin(overview, artifact), *became(artifact), *_amended(artifact)))


def _fit(artifact: Artifact) -> str:
    """What tells whether it is met: the fields of each type that can be tested."""
    names_of = {
        "REQ": ("acceptance",),
        "BR": ("conditions", "actions"),
        "NFR": ("target", "minimum", "measurement"),
        "EX": ("future_consideration",),
    }
    labels = dict(FIELDS[artifact["type"]])
    found = ((name, told(artifact["fields"].get(name))) for name in names_of[artifact["type"]])
    if artifact["type"] == "REQ":
        return "; ".join(words for _, words in found if words)
    return "; ".join(f"{labels[name].lower()}: {words}" for name, words in found if words)


def _against(overview: Overview, artifact: Artifact) -> str:
    parts = [
        f"{verb} by {names(artifact[f'{verb}_by'])}" for verb in ("opposed", "contested") if artifact[f"{verb}_by"]
    ]
    return "; ".join(filter(None, (*parts, disputes(overview, artifact)))) or "none"


def _amended(artifact: Artifact) -> Iterator[str]:
    if artifact["amendments"]:
        yield (
            f"amended {len(artifact['amendments'])} times, see below"
            if len(artifact["amendments"]) > 1
            else ("amended once, see below")
        )


def simple(overview: Overview) -> str:
    """Return the specification as one list, every artifact that stands in it."""
    entries = "\n".join(part for artifact in overview.standing for part in _entry(overview, artifact))
    sections: list[Section] = [
        *ruled(overview),
        ("List", [entries] if entries else []),
        ("Traceability", traceability(overview)),
        *appendix(overview),
    ]
    return document(heading(overview, NOUN), sections)


def _entry(overview: Overview, artifact: Artifact) -> Iterator[str]:
    mark = anchor(artifact["id"], overview.session)
    priority = told(artifact["fields"].get("priority"))
    flags = ", ".join(filter(None, (TYPES[artifact["type"]], priority, agreement(artifact))))
    yield f"- **{artifact['id']}** {line(artifact['title'])} ({flags}) {mark}"
    for name, words in FIELDS[artifact["type"]]:
        value = artifact["fields"].get(name)
        if name == "positions" and value:
            yield f"  - {words}:"
            yield bullets(positions(value), indent=4)
        elif name != "priority" and told(value):
            yield f"  - {words}: {told(value)}"
    yield f"  - Origin: {origin(overview, artifact)}"
    if conflicts := disputes(overview, artifact):
        yield f"  - Conflicts: {conflicts}"
    yield from (f"  - {words}" for words in became(artifact))
    yield from (f"  {each}" for each in history(artifact))
