"""One artifact as documents show it: its fields, origin and history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from quorate.protocols.workshop.rules.documents.marks import anchor
from quorate.protocols.workshop.rules.documents.overview import PERSON, Artifact, Overview, is_matter
from quorate.protocols.workshop.rules.documents.plain import bullets, line, names, paragraphs, told, verbatim
from quorate.protocols.workshop.rules.documents.rulings import UNTOLD, disputes, method

FIELDS: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "REQ": (("priority", "Priority"), ("description", "Description"), ("acceptance", "Acceptance criteria")),
        "BR": (("description", "Description"), ("conditions", "Conditions"), ("actions", "Actions")),
        "NFR": (
            ("category", "Category"),
            ("description", "Description"),
            ("target", "Target"),
            ("minimum", "Minimum"),
            ("measurement", "Measurement"),
        ),
        "EX": (
            ("description", "Description"),
            ("rationale", "Rationale"),
            ("future_consideration", "May be considered later"),
        ),
        "OQ": (("description", "Question"), ("blocking", "Blocking")),
        "CONF": (("description", "About"), ("positions", "Positions")),
        "RUL": (("decision", "Decision"), ("reason", "Reason"), ("applied", "Applied")),
        "ARCH": (
            ("context", "Context"),
            ("options", "Options"),
            ("decision", "Decision"),
            ("rationale", "Rationale"),
            ("consequences", "Consequences"),
        ),
        "COMP": (
            ("responsibility", "Responsibility"),
            ("provides", "Provides"),
            ("requires", "Requires"),
            ("dependencies", "Depends on"),
            ("technology", "Technology"),
        ),
        "INT": (("kind", "Kind"), ("description", "Description"), ("endpoints", "Endpoints")),
        "IDEA": (
            ("description", "Description"),
            ("potential_value", "Potential value"),
            ("feasibility", "Feasibility"),
            ("implementation_notes", "How to do it"),
            ("builds_on", "Builds on"),
            ("disney_phase", "Stage"),
        ),
        "RISK": (
            ("description", "Description"),
            ("severity", "Severity"),
            ("likelihood", "Likelihood"),
            ("affected_ideas", "Affects"),
        ),
        "MIT": (
            ("description", "Description"),
            ("risk", "Against"),
            ("effort", "Effort"),
            ("effectiveness", "Effectiveness"),
        ),
    }
)
"""The fields of each type in the order in which they are shown, with their names for people."""

AGREEMENTS = {"consensus": "agreed", "draft": "NOT AGREED, a draft", "conflict": "NOT AGREED, in conflict"}


def block(overview: Overview, artifact: Artifact, level: int, leave_out: Iterable[str] = ()) -> Iterator[str]:
    """Yield an artifact with its marker, heading, fields, origin and history."""
    yield anchor(artifact["id"], overview.session)
    yield f"{'#' * level} {title(artifact)}"
    yield from fields(artifact, leave_out)
    yield from fate(overview, artifact)


def fate(overview: Overview, artifact: Artifact) -> Iterator[str]:
    """Yield the origin and history of an artifact."""
    yield f"**Origin:** {origin(overview, artifact)}"
    if conflicts := disputes(overview, artifact):
        yield f"**Conflicts:** {conflicts}"
    if lines := list(became(artifact)):
        yield bullets(lines)
    if lines := list(history(artifact)):
        yield "**Amendments:**"
        yield "\n".join(lines)


def title(artifact: Artifact) -> str:
    """The id, the title and, where it is not agreed upon or not in force, that it is not."""
    return f"{artifact['id']}: {line(artifact['title'])}{_flag(artifact)}"


def _flag(artifact: Artifact) -> str:
    if is_matter(artifact) or artifact["status"] in ("superseded", "withdrawn"):
        return f" ({line(artifact['status'])})"
    return "" if artifact["agreement"] == "consensus" else f" ({agreement(artifact)})"


def agreement(artifact: Artifact) -> str:
    """Whether it is agreed upon, in words; for a question or conflict whether it is open."""
    known = artifact["status"] if is_matter(artifact) else artifact["agreement"]
    return AGREEMENTS.get(known, line(known))


def fields(artifact: Artifact, leave_out: Iterable[str] = ()) -> Iterator[str]:
    """Yield what the artifact says, field by field; an empty field is not shown."""
    for name, words in FIELDS[artifact["type"]]:
        value = artifact["fields"].get(name)
        if name not in leave_out and value not in (None, "", [], ()):
            yield from _field(name, words, value)


def _field(name: str, words: str, value: Any) -> Iterator[str]:
    if name == "positions":
        yield f"**{words}:**"
        yield bullets(positions(value))
    elif isinstance(value, str):
        yield f"**{words}:** {paragraphs(value)}"
    elif isinstance(value, bool):
        yield f"**{words}:** {told(value)}"
    else:
        yield f"**{words}:**"
        yield bullets(map(told, value))


def positions(value: Iterable[Any]) -> list[str]:
    """Return what each party to a conflict says, a line for each, in its own words."""
    return [verbatim(_party(each)) if isinstance(each, Mapping) else verbatim(told(each)) for each in value]


def _party(said: Mapping[str, Any]) -> str:
    who, stance, why = (told(said.get(name)) for name in ("participant", "stance", "rationale"))
    more = told({name: each for name, each in said.items() if name not in ("participant", "stance", "rationale")})
    because = f" (because: {why})" if why else ""
    return f"{who or 'nobody on record'}: {stance or 'no words on record'}{because}{f'; {more}' if more else ''}"


def origin(overview: Overview, artifact: Artifact) -> str:
    """Where it comes from: round, topic, who proposed, supported, opposed and contested it, and the agreement."""
    by = f"proposed by {line(artifact['proposed_by'])}" if artifact["proposed_by"] else "with no proposer on record"
    topic = overview.topic_name(artifact["topic_id"])
    parts = [f"round {artifact['created_round']}{f' (topic {verbatim(line(topic))})' if topic else ''}, {by}"]
    for verb in ("supported", "opposed", "contested"):
        if seats := artifact[f"{verb}_by"]:
            parts.append(f"{verb} by {names(seats)}")
    return "; ".join((*parts, agreement(artifact)))


def answered(overview: Overview, artifact: Artifact) -> str:
    """The reasons that the proposer gave, said to be from an answer, which may speak of more; empty without any."""
    reasons = verbatim(told(overview.reasons(artifact)))
    whose = f"from {line(artifact['proposed_by'])}'s answer in round {artifact['created_round']}"
    return f"{whose}: {reasons}" if reasons else ""


def became(artifact: Artifact) -> Iterator[str]:
    """Yield what an artifact replaced, what replaced it, why it was withdrawn, how it was resolved."""
    if artifact["supersedes"]:
        yield f"Supersedes {names(artifact['supersedes'])}"
    if artifact["status"] == "superseded":
        yield f"Superseded by {line(artifact['superseded_by']) or 'something that is not on record'}"
    if artifact["status"] == "withdrawn":
        yield f"Withdrawn because: {line(artifact['withdrawn_because']) or 'no reason is on record'}"
    if artifact["status"] == "resolved":
        at = f" in round {artifact['resolved_round']}" if artifact["resolved_round"] is not None else ""
        words = line(artifact["resolution"])
        if artifact["resolution_method"] == PERSON:
            words = verbatim(words)
        yield f"Resolved{method(artifact)}{at}: {words or UNTOLD}"


def history(artifact: Artifact) -> Iterator[str]:
    """Yield the amendments as lines of a list, each with its changes field by field."""
    labels = dict(FIELDS[artifact["type"]])
    for each in artifact["amendments"]:
        by = f", proposed by {line(each['proposed_by'])}" if each["proposed_by"] else ""
        supported = f", supported by {names(each['supported_by'])}" if each["supported_by"] else ""
        undone = " (REVERTED, no longer in force)" if each["reverted"] else ""
        summary = f": {line(each['summary'])}" if each["summary"].strip() else ""
        yield f"- Round {each['round']}{by}{supported}{undone}{summary}"
        for name, change in each["changes"].items():
            yield f"  - {labels.get(name, line(name.capitalize()))}: {_change(change)}"
        yield from (f"  - Refused: {line(words)}" for words in each.get("refused", ()))


def _change(change: Mapping[str, Any]) -> str:
    parts: list[str] = []
    if "changed_to" in change:
        before, after = told(change["changed_from"]), told(change["changed_to"])
        parts.append(f"changed from “{before or 'nothing'}” to “{after or 'nothing'}”")
    if "added" in change:
        parts.append(f"added {told(change['added']) or 'nothing'}")
    return "; ".join(parts)
