"""Trying edits for one finding: judged by what they change and what the gates then find (C38).

An edit is judged by substance and by the gates, run again on the copy. A gate's own finding that is gone is mended,
however it was done; a seat's needs another substance of the very ticket or document it is about. What gets around a
gate instead (an earlier version of the RFC, a requirement that is bound no more, a ticket given to another RFC, a
document that says nothing, a path that is allowed all at once) counts as worse than before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from quorate.protocols.council.rules.forms import Applied, Edit, GateReport
from quorate.protocols.council.rules.taxonomy import Field, Gate, GateStatus, Severity, Subcategory
from quorate.protocols.council.world.gates.ccp_map import has_prd
from quorate.protocols.council.world.gates.paths import files_of, is_folder, normal
from quorate.protocols.council.world.gates.run import run_gates
from quorate.protocols.council.world.gates.scratch import Refused, Scratch
from quorate.protocols.council.world.gates.substance import change_at, changes_substance, hollowed
from quorate.protocols.council.world.rfc.model import Rfc

MOST_DIFF = 400_000
"""Characters of the difference that is shown."""
WHOLE_RFC = "RFC"
"""The place of a finding that is about no single ticket or document."""


@dataclass(frozen=True, slots=True)
class Meant:
    """The finding that edits are meant to fix, as given in the view."""

    subcategory: Subcategory
    place: str
    field: Field
    message: str
    by_gate: bool = True


@dataclass(frozen=True, slots=True)
class Stand:
    """The current state of the copy: the RFC read from it, and what the gates find in it."""

    rfc: Rfc
    report: GateReport

    @classmethod
    def of(cls, scratch: Scratch, gates: tuple[Gate, ...]) -> Stand:
        rfc = scratch.read()
        return cls(rfc, run_gates(rfc, gates))


def try_edits(
    scratch: Scratch, stand: Stand, edits: Sequence[Edit], mended: Meant, gates: tuple[Gate, ...]
) -> tuple[Applied, str, Stand]:
    """Make the edits for one finding, all or none; return the result, the reason, and the new state of the copy.

    Edits that do not hold are reverted.
    """
    try:
        before = scratch.write(scratch.edited(edits, stand.rfc))
    except Refused as error:
        return Applied.NOT_APPLIED, str(error), stand
    try:
        after = Stand.of(scratch, gates)
        result, why = _judged(scratch, stand, after, mended)
        if result is Applied.APPLIED and len(scratch.diff(after.rfc)) > MOST_DIFF:
            result, why = Applied.NOT_APPLIED, "the diff is too large to be shown"
    except Refused as error:
        result, why = Applied.NOT_APPLIED, str(error)
    if result is Applied.APPLIED:
        return result, "", after
    scratch.write(before)
    return result, why, stand


def _judged(scratch: Scratch, before: Stand, after: Stand, mended: Meant) -> tuple[Applied, str]:
    meant = _signature(scratch, _names(scratch.rfc), mended) if mended.by_gate else None
    old, new = _found(scratch, before), _found(scratch, after)
    still = meant is not None and 0 < new[meant] >= old[meant]
    if (meant is None or still) and not changes_substance(before.rfc, after.rfc):
        return Applied.PROSE_ONLY, "no dependency, requirement, path, step, command, criterion, test or status changes"
    if lost := next(_evaded(scratch, before, after, mended), ""):
        return Applied.REGRESSED, scratch.hidden(lost)
    if meant is None and mended.place != WHOLE_RFC:
        touched, changed = change_at(before.rfc, after.rfc, mended.place, scratch.rfc)
        if not touched:
            return Applied.NOT_APPLIED, f"the finding is in {mended.place}, but the edits change nothing there"
        if not changed:
            return Applied.PROSE_ONLY, f"the finding is in {mended.place}, but the edits change only prose there"
    if worse := _worse(scratch, before, after):
        instead = meant is not None and all(each[:3] == meant[:3] for each in worse) and new[meant] < old[meant]
        return Applied.UNRESOLVED if instead else Applied.REGRESSED, f"with the edits, a gate finds: {worse[0][3]}"
    if still:
        return Applied.UNRESOLVED, "the gate still finds it"
    return Applied.APPLIED, ""


def _evaded(scratch: Scratch, before: Stand, after: Stand, mended: Meant) -> Iterator[str]:
    """Yield how edits would evade a gate instead of fixing what it finds."""
    ran = {run.gate for run in before.report.gates if run.status is not GateStatus.NOT_APPLICABLE}
    for run in after.report.gates:
        if run.gate in ran and run.status is GateStatus.NOT_APPLICABLE:
            yield f"{run.gate.value} would no longer be run"
    required, left = ({each.id for each in stand.rfc.requirements if each.imported} for stand in (before, after))
    yield from (f"the RFC would no longer bind {name}" for name in sorted(required - left))
    yield from (f"{name} would belong to another RFC" for name in sorted(after.rfc.elsewhere - before.rfc.elsewhere))
    if has_prd(before.rfc) and not has_prd(after.rfc):
        yield "the RFC would no longer have a PRD, and so no index of the code"
    yield from hollowed(scratch.rfc, after.rfc)
    yield from _welcomed(scratch, before, after, mended)


def _welcomed(scratch: Scratch, before: Stand, after: Stand, mended: Meant) -> Iterator[str]:
    """Yield newly allowed or justified paths beyond those that the finding is about."""
    maps = mended.subcategory.gate is Gate.CCP_MAPPING
    name = next((each.id for each in scratch.rfc.tickets if each.key == mended.place), None)
    own = {path for each in before.rfc.tickets if maps and name and each.id == name for path in files_of(each)}
    for allowed in sorted({*after.rfc.allowed_new_files} - {*before.rfc.allowed_new_files}):
        if is_folder(allowed) or normal(allowed) not in own:
            yield f"{allowed!r} would be allowed as a new file, which no finding of {mended.place} is about"
    old, new = (
        {(each.ticket_id.strip(), normal(each.file_path)) for each in stand.rfc.justifications}
        for stand in (before, after)
    )
    for ticket, path in sorted(new - old):
        if not maps:
            yield f"{path!r} would be justified for {ticket}, which the finding is not about"


# What the gates find, compared

_Signature = tuple[str, str, str, str]
"""Subcategory, place, field and message of a gate's finding, without what an edit elsewhere may change."""
_PASSING = (
    (re.compile(r"[\w.~/-]{1,1000}/(?=[\w.-]{1,200}\.(?:ya?ml|json)\b)"), ""),
    (re.compile(r" Did it mean [^?]*\?"), ""),
    (re.compile(r"\[masked secret [\d.]+\]"), "[masked secret]"),
    (re.compile(r"(?<![\w./-])\d[\d,]*(?![\w/-]|\.\d)"), "#"),
)
"""Folders of files, hints, numbers of masks, lines, counts: a ticket of twelve files that has eleven is no new one."""


def _names(rfc: Rfc) -> dict[str, str]:
    """Return stable names of tickets by key; keys follow the order of ids, so adding a ticket shifts them."""
    return {ticket.key: ticket.id or ticket.at.file for ticket in rfc.tickets}


def _signature(scratch: Scratch, names: Mapping[str, str], told: Meant) -> _Signature:
    message = scratch.told(told.message)
    for pattern, instead in _PASSING:
        message = pattern.sub(instead, message)
    return told.subcategory.value, names.get(told.place, told.place), told.field.value, message


def _found(scratch: Scratch, stand: Stand, least: Severity = Severity.INFO) -> Counter[_Signature]:
    names = _names(stand.rfc)
    return Counter(
        _signature(scratch, names, Meant(each.subcategory, each.place, each.field, each.message.text))
        for each in stand.report.findings
        if each.severity.at_least(least)
    )


def _worse(scratch: Scratch, before: Stand, after: Stand) -> list[_Signature]:
    """Return what the gates newly find, or find to be more severe than before."""
    levels = (Severity.BLOCKER, Severity.MAJOR, Severity.MINOR)
    grown = [_found(scratch, after, level) - _found(scratch, before, level) for level in levels]
    return list(dict.fromkeys(signature for each in grown for signature in sorted(each)))
