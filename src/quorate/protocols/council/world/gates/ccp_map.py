"""The gate CCP-MAPPING: every path that a ticket names maps to the index of the code, or is justified (C8).

A path to change is a file that is known, or that the ticket itself or one it waits for creates. A path to create does
not exist yet and lies in the folder of a component that is known. Any other needs a justification with all its seven
fields; one that lacks something is a finding itself, and stands for that of its path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from quorate.protocols.council.rules.taxonomy import Field, Gate, Subcategory
from quorate.protocols.council.world.gates.gate_findings import Looked, RawFinding, found, named
from quorate.protocols.council.world.gates.order import Order, is_done
from quorate.protocols.council.world.gates.paths import (
    Components,
    folder_refusal,
    folders_of,
    is_folder,
    lies_in,
    normal,
    refusal,
)
from quorate.protocols.council.world.gates.references import lost_tickets
from quorate.protocols.council.world.gates.whereabouts import Whereabouts
from quorate.protocols.council.world.rfc.model import FilePath, Justification, Rfc, Ticket

NO_PRD = frozenset({"NONE", "N/A", "NA"})
DECISIONS = frozenset({"EXTEND", "CREATE_NEW"})
_EXISTS = "it exists already"
_COMPONENT = re.compile(r"\bCOMP-[\w-]+")
_SEVEN = (
    "ticket_id",
    "file_path",
    "existing_component",
    "capability_gap",
    "evidence_artifact",
    "decision",
    "decision_rationale",
)


class Fit(Enum):
    """How a path maps to the index."""

    MAPPED = "mapped"
    JUSTIFIED = "justified"
    UNMAPPED = "unmapped"
    UNKNOWN = "unknown"
    """A ticket that could not be read may create it."""
    UNCHECKED = "unchecked"
    """Components are known, and no files to hold it against."""


@dataclass(frozen=True, slots=True)
class _Index:
    """The known files and components, and those that the tickets create."""

    rfc: Rfc
    order: Order
    components: Components
    folders: frozenset[str]
    """The folders of known files."""
    folded: dict[str, str]
    """Known files by their names in small letters: many a disk keeps one of two that differ in case alone."""
    makers: dict[str, set[str]]
    """Path -> the keys of the tickets that create it."""
    lost: tuple[str, ...]
    """Files of tickets that could not be read."""
    valid: dict[tuple[str, str], Justification]
    """(Ticket's id, path) -> why it is needed."""
    invalid: frozenset[tuple[str, str]]


def check_mapping(rfc: Rfc, order: Order) -> Looked:
    """Report every path that maps nowhere; without an index, only paths that never could."""
    refused = list(_refused(order))
    reason = _not_applicable(rfc)
    if reason:
        return Looked(Gate.CCP_MAPPING, tuple(refused), reason, applies=bool(refused))
    index, flawed = _index(rfc, order)
    fits = {fit: 0 for fit in Fit}
    findings = [*refused, *flawed]
    unmapped: list[str] = []
    for ticket in order.live:
        for field, files in ((Field.FILES_TO_MODIFY, ticket.modifies), (Field.FILES_TO_CREATE, ticket.creates)):
            for path, file in {normal(each.path): each for each in reversed(files) if not refusal(each.path)}.items():
                why = _mismatch(index, ticket, path, field)
                fit = _fit(index, ticket, path, field, why)
                fits[fit] += 1
                if fit is Fit.UNMAPPED:
                    unmapped.append(path)
                    if (ticket.id, path) not in index.invalid:
                        findings.append(_finding(order, ticket, file, field, why))
    evidence = {
        "paths": sum(fits.values()) + len(refused),
        "mapped": fits[Fit.MAPPED],
        "justified": fits[Fit.JUSTIFIED],
        "refused": len(refused),
        "unmapped": sorted(set(unmapped)),
        "unknown": fits[Fit.UNKNOWN],
        "unchecked": fits[Fit.UNCHECKED],
        "known_files": len(rfc.atlas.files),
        "known_components": len(index.components),
        "source": rfc.atlas.source,
    }
    told = f"{fits[Fit.MAPPED] + fits[Fit.JUSTIFIED]} of {sum(fits.values()) + len(refused)} paths map"
    reason = f"{told} to {_SOURCES.get(rfc.atlas.source, _SOURCES['none'])}."
    if fits[Fit.UNCHECKED]:
        reason += (
            f" {fits[Fit.UNCHECKED]} paths to change could not be checked: no index of the code and no repository is"
            " known."
        )
    if fits[Fit.UNKNOWN]:
        reason += f" {fits[Fit.UNKNOWN]} cannot be told of: {named(index.lost)} could not be read and may create them."
    if not evidence["paths"]:
        reason = "No ticket names a path."
    proven = evidence["paths"] and not fits[Fit.UNCHECKED] and not fits[Fit.UNKNOWN]
    return Looked(Gate.CCP_MAPPING, tuple(findings), reason, evidence, applies=bool(proven))


_SOURCES = {
    "index": "the index of the code",
    "tree": "the repository, in the place of an index",
    "none": "the folders of the components",
}


def has_prd(rfc: Rfc) -> bool:
    """Return whether the RFC names a PRD."""
    return rfc.prd_id.strip().upper() not in {"", *NO_PRD}


def _not_applicable(rfc: Rfc) -> str:
    if rfc.atlas.files or rfc.atlas.components:
        return ""
    if rfc.atlas.source == "none" and rfc.prd_id.strip() and not has_prd(rfc):
        return "The RFC has no PRD, and so no index of the code."
    return "No index of the code and no repository is known."


def _index(rfc: Rfc, order: Order) -> tuple[_Index, list[RawFinding]]:
    makers: dict[str, set[str]] = {}
    for ticket in order.live:
        for file in ticket.creates:
            makers.setdefault(normal(file.path), set()).add(ticket.key)
    valid, lacking = dict[tuple[str, str], Justification](), dict[tuple[str, str], list[RawFinding]]()
    for each in sorted(rfc.justifications, key=lambda each: (each.at.file, each.at.line)):
        about = (each.ticket_id.strip(), normal(each.file_path))
        if lacks := list(_lacks(rfc, each)):
            lacking.setdefault(about, []).append(_unjustified(rfc, order, each, lacks))
        else:
            valid[about] = each
    components = Components(rfc.atlas.components)
    folders = frozenset(folder for file in rfc.atlas.files for folder in folders_of(file))
    folded = {file.casefold(): file for file in sorted(rfc.atlas.files)}
    index = _Index(rfc, order, components, folders, folded, makers, lost_tickets(rfc), valid, frozenset(lacking))
    return index, [each for about in lacking.values() for each in about]


# Paths


def _refused(order: Order) -> Iterator[RawFinding]:
    """Yield paths that are invalid in any repository; no justification applies to them."""
    for ticket in order.live:
        for field, files in ((Field.FILES_TO_MODIFY, ticket.modifies), (Field.FILES_TO_CREATE, ticket.creates)):
            for file in files:
                if why := refusal(file.path):
                    yield _finding(order, ticket, file, field, why)


def _fit(index: _Index, ticket: Ticket, path: str, field: Field, mismatch: str) -> Fit:
    changes = field is Field.FILES_TO_MODIFY
    if changes and index.rfc.atlas.source == "none" and path not in index.makers:
        return Fit.UNCHECKED
    if not mismatch:
        return Fit.MAPPED
    # That a new file is needed does not make one new that is there.
    if (ticket.id, path) in index.valid and not mismatch.startswith(_EXISTS):
        return Fit.JUSTIFIED
    return Fit.UNKNOWN if index.lost and changes else Fit.UNMAPPED


def _mismatch(index: _Index, ticket: Ticket, path: str, field: Field) -> str:
    """Return why a path does not map; empty if it does."""
    files = index.rfc.atlas.files
    if field is Field.FILES_TO_CREATE:
        there = path if path in files else index.folded.get(path.casefold())
        if there and not is_done(ticket):
            return _EXISTS if there == path else f"{_EXISTS}, as {there!r}"
        return "" if path in files or _is_welcome(index, path) else "no component that is known has a folder for it"
    if path in files or path in index.makers:
        # A file that only a later ticket creates is out of order, which is another gate's finding.
        return ""
    if not files:
        return "" if index.components.of(path) else "no component that is known has it, and the index lists no files"
    if path in index.folders:
        return "it is a folder, not a file"
    return "it is no file that is known, and no ticket creates it"


def _is_welcome(index: _Index, path: str) -> bool:
    """Return whether a new file is allowed at this path."""
    for allowed in index.rfc.allowed_new_files:
        if not folder_refusal(allowed) and (
            lies_in(path, normal(allowed)) if is_folder(allowed) else path == normal(allowed)
        ):
            return True
    if index.components:
        return index.components.of(path) is not None
    top = [*folders_of(path)][-1:]
    return not top or top[0] in index.folders


def _finding(order: Order, ticket: Ticket, file: FilePath, field: Field, why: str) -> RawFinding:
    does = "changes" if field is Field.FILES_TO_MODIFY else "creates"
    return found(
        Subcategory.CCP_MISMATCH,
        ticket.key,
        field,
        file.at,
        message=f"{order.name(ticket.key)} {does} {file.path!r}, but {why}.",
        evidence=file.path,
        action="Name a path that the index of the code has, or justify the new one.",
    )


# Justifications


def _lacks(rfc: Rfc, justification: Justification) -> Iterator[str]:
    for name in _SEVEN:
        if not getattr(justification, name).strip():
            yield f"{name} is empty"
    known = {component.id for component in rfc.atlas.components}
    for name in _COMPONENT.findall(justification.existing_component):
        if name not in known:
            yield f"the component {name} exists nowhere"
    decision = justification.decision.strip()
    if decision and decision.upper() not in DECISIONS:
        yield "decision is neither EXTEND nor CREATE_NEW"
    evidence = justification.evidence_artifact.strip()
    if evidence and evidence not in rfc.evidence:
        yield f"the evidence {evidence} exists nowhere"


def _unjustified(rfc: Rfc, order: Order, justification: Justification, lacks: list[str]) -> RawFinding:
    ticket = order.by_id.get(justification.ticket_id.strip())
    path = normal(justification.file_path)
    changes = ticket is not None and any(normal(file.path) == path for file in ticket.modifies)
    return found(
        Subcategory.CCP_MISMATCH,
        ticket.key if ticket else Whereabouts(rfc).of(justification.at),
        Field.FILES_TO_MODIFY if changes else Field.FILES_TO_CREATE,
        justification.at,
        message=f"The justification of {path or 'a path'} does not hold: {named(lacks)}.",
        evidence=justification.capability_gap or path,
        action="Fill in all seven fields, with evidence that exists, or name a path that maps.",
    )
