"""Building blocks of views: files, findings and artifacts as sections, as text for seats, and as data for code."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from textwrap import indent
from typing import Any

from quorate.core.forms import Key, Reply
from quorate.core.record import Record
from quorate.core.values import replace
from quorate.core.view import Section, View, estimate_tokens
from quorate.kit.line_keys import INDENT, TOGETHER, numbered
from quorate.protocols.council.rules.coverage import ON_FINDINGS, READING
from quorate.protocols.council.rules.forms import AssuranceTree, MockRun, Patch, Proposal, ScoringTable
from quorate.protocols.council.rules.history import raisings, report
from quorate.protocols.council.rules.lenses import SA_1, SA_2, SA_3
from quorate.protocols.council.rules.material import Brought
from quorate.protocols.council.rules.model import Finding, State, severity_key
from quorate.protocols.council.rules.replies import claims_of
from quorate.protocols.council.rules.taxonomy import Severity

NOTE = "[1000000 of 1000000 characters are left out here]"
"""As long as what stands in place of a text that is cut."""
FINDING = 1
"""The `cut` of findings and remediations: everything else that may be cut goes first."""
LESSER = 1_000
"""The `cut` of what the gates found that is MINOR or INFO, which goes before everything else."""
FOCUS = {
    SA_1: {
        "v0": "Discovery: map the structure, and hold it against the requirements: is each need met, is any extra?",
        "v2": "Exploration: does the design fit the patterns of the code that exists, or fight them?",
        "v4": "Closure: is the architecture final, and do the tickets together make exactly it?",
    },
    SA_2: {
        "v0": "Discovery: what could go wrong, and what does nobody know yet?",
        "v2": "Exploration: run the implementation in your mind, ticket by ticket.",
        "v4": "Closure: can each ticket be carried out as it stands, alone, in one pull request?",
    },
    SA_3: {
        "v0": "Discovery: where are the trust boundaries, and who is on the other side?",
        "v2": "Exploration: are the extension points safe to extend, and does anything bypass them?",
        "v4": "Closure: build the assurance case; nothing may rest on a claim without evidence.",
    },
}
"""What a seat looks at in each version of an RFC (C1)."""


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
                for number, row in enumerate(claims_of(reply), start=1)
            )
        case _:
            return ""


def whole_tickets(rfc: Brought, touched: Collection[Key], *, named: bool = True) -> Iterator[Section]:
    """Yield the tickets, a section each; those that are touched by findings are cut later."""
    for each in rfc.tickets:
        key, cut = each["key"], 3 if each["key"] in touched else 5
        yield quotable(f"Ticket {key}", str(each["text"]), cut, key if named else "")  # its own id is not ours to tell


def whole_files(rfc: Brought, *, named: bool = True) -> Iterator[Section]:
    """Yield the files of the RFC, a section each; with `named`, their lines have numbers, by which they are named."""
    for each in rfc.documents:
        yield quotable(f"File {each['key']} {each['name']}", str(each["text"]), 6, each["key"] if named else "")


def files_together(rfc: Brought) -> Iterator[Section]:
    """Yield the files of the RFC in one section, indented below their names, so that no file can imitate another."""
    names = [f"{each['key']} {each['name']}" for each in rfc.documents]
    texts = [str(each["text"]) for each in rfc.documents]
    shown = [indent(numbered(text).strip("\n"), INDENT) for text in texts]
    joined = "\n".join(f"{name}\n{text}" for name, text in zip(names, shown, strict=True))
    if joined:
        yield Section("Files of the RFC, by key", joined, cut=6, quotable="\n\n".join(texts), lines=TOGETHER)


def quotable(title: str, text: str, cut: int, key: str = "") -> Section:
    """Return a text that may be quoted; with a key, its lines have numbers, by which they are named (C41)."""
    return Section(title, numbered(text) if key else text, cut=cut, quotable=text, lines=key)


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


def groups(state: State, keys: Sequence[Key]) -> Iterator[str]:
    """Yield the findings of each group, which may be one thing or several (C14)."""
    groups: dict[object, list[str]] = {}
    for finding in those(state, tuple(keys)):
        groups.setdefault(finding.same, []).append(str(finding.key))
    yield from (", ".join(group) for group in groups.values() if len(group) > 1)


def at_stake(finding: Finding) -> Iterator[str]:
    """Yield what the votes on a finding decide (C17, C22, C23)."""
    if finding.doubted:
        lone = " One seat holds it: only somebody who opposes it and quotes text that refutes it dismisses it."
        yield f"{finding.key} decides whether it is true.{lone if finding.lone else ''}"
    if finding.lower is not None:
        yield (
            f"{severity_key(finding.key)} decides how severe it is: SUPPORT keeps {finding.severity.value}, "
            f"OPPOSE makes it {finding.lower.value}, which is what the others hold."
        )


def gate_lines(record: Record, *, grave: bool) -> Iterator[str]:
    """Yield what the gates found that is BLOCKER or MAJOR, or what is less, a line each."""
    found = report(record)
    for each in found.findings if found is not None else ():
        if each.severity.at_least(Severity.MAJOR) is grave:
            kind, place = f"{each.severity.value} {each.subcategory.value}", f"{each.place} {each.field.value}"
            yield f"{kind} at {place}: {each.message}"


def counted(found: Mapping[str, Any]) -> Iterator[Section]:
    """Yield what code counted for the gates that need judgement, as the gates' receipt has it."""
    facts = [
        f"{each['ticket']}: {each['files']} files, {len(each['components'])} components, {each['steps']} steps, "
        f"{each['criteria']} criteria, {each['tests']} tests"
        for each in found.get("facts", ())
    ]
    if facts:
        yield Section("What code counted", "\n".join(facts), cut=4)
    cousins = [
        f"{each['ticket']}: {each['name']} ({each['path']}) is like {each['existing']}, {each['score']} of 100: "
        f"{each['why']}"
        for each in found.get("cousins", ())
    ]
    if cousins:
        yield Section("Candidates for cousins", "\n".join(cousins), cut=2)


def room_for(brief: str, sections: Sequence[Section], most: int) -> int:
    """Return the tokens of a view: all to read the RFC, else half, or as much more as findings need (C42)."""
    if brief in READING:
        return most
    noted = [each if each.cut <= FINDING else replace(each, text=NOTE) for each in sections]
    needed = estimate_tokens(View("", tuple(noted)).text()) + 1 if brief in ON_FINDINGS else 0
    return min(most, max(most // 2, needed))
