"""The architecture: an overview, and a record of each decision in a file of its own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from quorate.protocols.workshop.rules.documents.flow import data_flow
from quorate.protocols.workshop.rules.documents.marks import anchor, session_mark
from quorate.protocols.workshop.rules.documents.overview import Artifact, Overview, number
from quorate.protocols.workshop.rules.documents.passages import agreement, answered, block, history, title
from quorate.protocols.workshop.rules.documents.plain import (
    FOLDER,
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
from quorate.protocols.workshop.rules.documents.title_block import caution, ending, heading, subject
from quorate.protocols.workshop.rules.taxonomy import Workflow
from quorate.protocols.workshop.rules.workflows.vocabulary import makes

NOUN = "Architecture"
MOST_SLUG = 50
_VERBS = ("Supported", "Opposed", "Contested")


def architecture(overview: Overview) -> str:
    """Return the overview: decisions, components, interfaces, data flow, what is open, where it comes from."""
    sections: list[Section] = [
        ("Overview", _overview(overview)),
        *ruled(overview),
        ("Decisions", _decisions(overview)),
        ("Components", listed(overview, "COMP")),
        ("Interfaces", listed(overview, "INT")),
        ("Data flow", data_flow(overview)),
        ("Open questions", listed(overview, "OQ")),
        ("Conflicts", listed(overview, "CONF")),
        *rulings_section(overview),
        *others(overview, makes(Workflow.DESIGN)),
        ("Traceability", traceability(overview)),
        *appendix(overview),
    ]
    return document(heading(overview, NOUN), sections)


def records(overview: Overview) -> dict[str, str]:
    """Return the decision records by file name, those of superseded and withdrawn decisions included."""
    found = [each for each in overview.artifacts if each["type"] == "ARCH"]
    return {record_name(each): _record(overview, each) for each in found}


def record_name(artifact: Artifact) -> str:
    """The file of a decision's record, such as `decisions/0001-one-process.md`."""
    return f"{FOLDER}/{number(artifact['id']):04d}-{slug(artifact['title'])}.md"


def slug(text: str) -> str:
    """Return the text as a part of a file name: small letters, digits and single hyphens."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return "-".join(re.findall("[a-z0-9]+", plain.lower()))[:MOST_SLUG].strip("-") or "decision"


def _overview(overview: Overview) -> Iterator[str]:
    yield (
        "This architecture was worked out in a workshop. Each decision has a record of its own; each entry says in "
        "which round and by whom it was proposed, and who supported or opposed it."
    )
    yield f"**Subject:** {verbatim(paragraphs(overview.result['topic'], MOST_SUBJECT))}"
    parts = overview.of("ARCH", "COMP", "INT")
    if parts:
        yield bullets(title(each) for each in parts)


def _decisions(overview: Overview) -> Iterator[str]:
    for artifact in overview.of("ARCH"):
        shown = list(block(overview, artifact, 3, leave_out=("context", "options", "consequences")))
        name = record_name(artifact)
        yield from shown[:2]
        yield f"**Record:** [{name}]({name})"
        yield from shown[2:]


def status(artifact: Artifact) -> str:
    """Where a decision stands: accepted, proposed, contested, superseded or withdrawn."""
    if artifact["status"] in ("superseded", "withdrawn"):
        return str(artifact["status"])
    return {"consensus": "accepted", "draft": "proposed, not agreed upon"}.get(artifact["agreement"], "contested")


def _record(overview: Overview, artifact: Artifact) -> str:
    sections: list[Section] = [
        ("Status", _status(overview, artifact)),
        *ruled(overview, artifact),
        ("Context", _prose(artifact, "context")),
        ("Options", _options(artifact)),
        ("Decision", (*_prose(artifact, "decision"), *_prose(artifact, "rationale", "**Why:** "))),
        ("Consequences", _prose(artifact, "consequences")),
        ("Origin", _origin(overview, artifact)),
    ]
    return document(_head(overview, artifact), sections)


def _head(overview: Overview, artifact: Artifact) -> Iterator[str]:
    yield session_mark(overview.session, overview.digest)
    yield anchor(artifact["id"], overview.session)
    yield f"# {title(artifact)}"
    days = " to ".join(overview.days)
    about = f"workshop `{overview.session}` ({ending(overview)}): {subject(overview)}"
    yield f"From the {about}{f', {days}' if days else ''}"
    if warning := caution(overview):
        yield warning


def _status(overview: Overview, artifact: Artifact) -> Iterator[str]:
    yield status(artifact).capitalize()
    by_id = {each["id"]: each for each in overview.artifacts if each["type"] == "ARCH"}
    for words, ids in (("Supersedes", artifact["supersedes"]), ("Superseded by", [artifact["superseded_by"]])):
        for id_ in filter(None, ids):
            name = f" ({record_name(by_id[id_])})" if id_ in by_id else ""
            yield f"{words} {line(id_)}{name}"
    if artifact["withdrawn_because"]:
        yield f"Withdrawn because: {line(artifact['withdrawn_because'])}"


def _prose(artifact: Artifact, name: str, before: str = "") -> tuple[str, ...]:
    value = artifact["fields"].get(name)
    if not value:
        return ()
    return (before + (paragraphs(value) if isinstance(value, str) else told(value)),)


def _options(artifact: Artifact) -> Iterator[str]:
    options = artifact["fields"].get("options")
    if options:
        rows = (tuple(told(each.get(name)) or cell("") for name in ("name", "pros", "cons")) for each in options)
        yield table(("option", "for", "against"), rows)


def _origin(overview: Overview, artifact: Artifact) -> Iterator[str]:
    proposer = [artifact["proposed_by"]] if artifact["proposed_by"] else []
    seats = (("Proposed", proposer), *((verb, artifact[f"{verb.lower()}_by"]) for verb in _VERBS))
    lines = [f"Round {artifact['created_round']}, topic {verbatim(line(overview.topic_name(artifact['topic_id'])))}"]
    lines += [f"{verb} by: {names(who)}" for verb, who in seats]
    if reasons := answered(overview, artifact):
        lines.append(f"Reasons, {reasons}")
    if conflicts := disputes(overview, artifact):
        lines.append(f"Conflicts: {conflicts}")
    yield bullets((*lines, f"Agreement: {agreement(artifact)}"))
    if changes := list(history(artifact)):
        yield "Amendments:"
        yield "\n".join(changes)
