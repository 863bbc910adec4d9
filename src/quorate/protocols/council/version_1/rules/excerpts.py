"""Building blocks of views: files, findings and artifacts as sections, as text for seats, and as data for code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from textwrap import indent
from typing import Any

from quorate.core.forms import Key, Reply
from quorate.core.record import Record
from quorate.core.view import Section
from quorate.protocols.council.version_1.rules.forms import AssuranceTree, MockRun, Patch, Proposal, ScoringTable
from quorate.protocols.council.version_1.rules.history import raisings
from quorate.protocols.council.version_1.rules.material import Brought
from quorate.protocols.council.version_1.rules.model import Finding, State


def artifact_text(reply: Reply) -> str:
    """Return an artifact as lines of text."""
    match reply:
        case ScoringTable():
            rows = [f"{row.lens.value} {row.decision}: {row.score} of 5. {row.rationale}" for row in reply.scores]
            return "\n".join((*rows, str(reply.recommendation)))
        case MockRun():
            rows = [f"{row.lens.value} {row.ticket}: {row.step} (friction {row.friction.value})" for row in reply.steps]
            return "\n".join((*rows, str(reply.blockers)))
        case AssuranceTree():
            return "\n".join(
                f"{number} (for {row.parent}) {row.lens.value} {row.claim}: {row.argument} [{row.evidence}] "
                f"But: {row.rebuttal}"
                for number, row in enumerate(reply.claims, start=1)
            )
        case _:
            return ""


def documents(rfc: Brought, exact: bool) -> Iterator[Section]:
    """Yield the files of the RFC: one section each if `exact` (for edits), else all in one section that can be cut.

    In the joint section lines are indented below the file's name, so that no file can imitate another.
    """
    if exact:
        yield from (quotable(f"File {each['key']} {each['name']}", str(each["text"]), 6) for each in rfc.documents)
        return
    names = [f"{each['key']} {each['name']}" for each in rfc.documents]
    texts = [str(each["text"]) for each in rfc.documents]
    joined = "\n".join(f"{name}\n{indent(text.strip(), '  ')}" for name, text in zip(names, texts, strict=True))
    if joined:
        yield Section("Files of the RFC, by key", joined, cut=6, quotable="\n\n".join(texts))


def quotable(title: str, text: str, cut: int) -> Section:
    return Section(title, text, cut=cut, quotable=text)


def heading(finding: Finding) -> str:
    """Return the short form of a finding, for when its text does not fit."""
    return (
        f"Finding {finding.key}: {finding.severity.value} {finding.subcategory.value} "
        f"at {finding.place} {finding.field.value}"
    )


def proposal_text(key: Key, proposal: Proposal) -> str:
    """Return a remediation under its key, indented so that it cannot imitate another."""
    return f"Remediation {key}, {proposal.fix.value}:\n{indent(proposal.remediation.text.strip(), '  ')}"


def those(state: State, keys: tuple[Key, ...]) -> tuple[Finding, ...]:
    return tuple(finding for finding in state.findings if finding.key in keys)


def described(record: Record, keys: tuple[Key, ...]) -> dict[str, dict[str, str]]:
    """Return findings as data, for the matcher and the gates."""
    told, state = raisings(record), record.session.state
    return {
        str(finding.key): {
            "origin": "gate" if finding.proven else "seat",
            "gate": finding.subcategory.gate.value,
            "category": finding.subcategory.category.value,
            "subcategory": finding.subcategory.value,
            "place": str(finding.place),
            "field": finding.field.value,
            "description": told[finding.key].description if finding.key in told else "",
            "evidence": told[finding.key].evidence if finding.key in told else "",
        }
        for finding in those(state, keys)
    }


def edits_as_data(patch: Patch) -> str:
    """Return edits as data, for the gates."""
    edits = [
        {
            "finding": str(edit.finding),
            "place": str(edit.place),
            "find": edit.find.text,
            "replacement": edit.replacement.text,
        }
        for edit in patch.edits
    ]
    return json.dumps({"reason": patch.reason.text, "edits": edits}, ensure_ascii=False)


def requirement(each: dict[str, Any]) -> str:
    covered = ", ".join(each.get("tickets", ())) or "no ticket"
    return f"{each['id']} {each['title']}: {each['statement']} [{covered}]"


def components(rfc: Brought) -> Iterator[str]:
    for each in rfc.components:
        yield f"{each['id']} {each['name']} ({each['path']}): {each['description']}"
        for point in each.get("extension_points", ()):
            yield f"  {point['id']} {point['name']} ({point['path']}): {point['description']}"
