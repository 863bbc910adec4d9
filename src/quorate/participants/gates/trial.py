"""A trial of edits: what becomes of them for one finding, by what changes and by what the gates then find (C38).

An edit is judged by substance and by the gates, run again on the copy. A gate's own finding that is gone is mended,
however it was done; what gets around a gate instead (an earlier version of the RFC, a requirement that is bound no
more, a ticket given to another RFC) counts as worse than before.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from quorate.intake.rfc.model import Rfc
from quorate.participants.gates.run import run_gates
from quorate.participants.gates.scratch import Refused, Scratch
from quorate.participants.gates.substance import changes_substance
from quorate.protocols.council.forms import Applied, Edit, GateReport
from quorate.protocols.council.taxonomy import Field, Gate, GateStatus, Severity, Subcategory

MOST_DIFF = 400_000
"""Characters of the difference that is shown."""


@dataclass(frozen=True, slots=True)
class Proven:
    """A finding of a gate that edits are to mend, as the gate told it."""

    subcategory: Subcategory
    place: str
    field: Field
    message: str


@dataclass(frozen=True, slots=True)
class Stand:
    """How the copy stands: what is read in it, and what the gates find there."""

    rfc: Rfc
    report: GateReport

    @classmethod
    def of(cls, scratch: Scratch, gates: tuple[Gate, ...]) -> Stand:
        rfc = scratch.read()
        return cls(rfc, run_gates(rfc, gates))


def try_edits(
    scratch: Scratch, stand: Stand, edits: Sequence[Edit], mended: Proven | None, gates: tuple[Gate, ...]
) -> tuple[Applied, str, Stand]:
    """Make the edits for one finding, all or none; returns what became of them, why, and how the copy stands then.

    `mended` is the finding where it is a gate's. What does not hold is taken back.
    """
    try:
        before = scratch.write(scratch.edited(edits, stand.rfc))
    except Refused as error:
        return Applied.NOT_APPLIED, str(error), stand
    try:
        after = Stand.of(scratch, gates)
        result, why = _judged(scratch, stand, after, mended)
        if result is Applied.APPLIED and len(scratch.diff(after.rfc)) > MOST_DIFF:
            result, why = Applied.NOT_APPLIED, "the difference is too large to be shown"
    except Refused as error:
        result, why = Applied.NOT_APPLIED, str(error)
    if result is Applied.APPLIED:
        return result, "", after
    scratch.write(before)
    return result, why, stand


def _judged(scratch: Scratch, before: Stand, after: Stand, mended: Proven | None) -> tuple[Applied, str]:
    meant = None if mended is None else _signature(scratch, _names(scratch.rfc), mended)
    old, new = _found(scratch, before), _found(scratch, after)
    still = meant is not None and 0 < new[meant] >= old[meant]
    if (meant is None or still) and not changes_substance(before.rfc, after.rfc):
        return Applied.PROSE_ONLY, "no dependency, requirement, path, step, command, criterion, test or status changes"
    if lost := next(_evaded(before, after), ""):
        return Applied.REGRESSED, scratch.hidden(lost)
    if worse := _worse(scratch, before, after):
        instead = meant is not None and all(each[:3] == meant[:3] for each in worse) and new[meant] < old[meant]
        return Applied.UNRESOLVED if instead else Applied.REGRESSED, f"a gate finds then: {worse[0][3]}"
    if still:
        return Applied.UNRESOLVED, "the gate finds it as before"
    return Applied.APPLIED, ""


def _evaded(before: Stand, after: Stand) -> Iterator[str]:
    """Yield how edits would get around a gate instead of mending what it finds."""
    ran = {run.gate for run in before.report.gates if run.status is not GateStatus.NOT_APPLICABLE}
    for run in after.report.gates:
        if run.gate in ran and run.status is GateStatus.NOT_APPLICABLE:
            yield f"{run.gate.value} would not be run any more"
    required, left = ({each.id for each in stand.rfc.requirements if each.imported} for stand in (before, after))
    yield from (f"the RFC would not bind {name} any more" for name in sorted(required - left))
    yield from (f"{name} would belong to another RFC" for name in sorted(after.rfc.elsewhere - before.rfc.elsewhere))


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
    """Tickets by what stays the same: keys follow the order of the ids, and a ticket more or less shifts them."""
    return {ticket.key: ticket.id or ticket.at.file for ticket in rfc.tickets}


def _signature(scratch: Scratch, names: Mapping[str, str], proven: Proven) -> _Signature:
    message = scratch.told(proven.message)
    for pattern, instead in _PASSING:
        message = pattern.sub(instead, message)
    return proven.subcategory.value, names.get(proven.place, proven.place), proven.field.value, message


def _found(scratch: Scratch, stand: Stand, least: Severity = Severity.INFO) -> Counter[_Signature]:
    names = _names(stand.rfc)
    return Counter(
        _signature(scratch, names, Proven(each.subcategory, each.place, each.field, each.message.text))
        for each in stand.report.findings
        if each.severity.at_least(least)
    )


def _worse(scratch: Scratch, before: Stand, after: Stand) -> list[_Signature]:
    """Return what a gate finds after that it did not find before, or finds to be more severe."""
    levels = (Severity.BLOCKER, Severity.MAJOR, Severity.MINOR)
    grown = [_found(scratch, after, level) - _found(scratch, before, level) for level in levels]
    return list(dict.fromkeys(signature for each in grown for signature in sorted(each)))
