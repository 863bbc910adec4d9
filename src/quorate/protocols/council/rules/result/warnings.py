"""Warnings that accompany the result, derived from typed facts of the record."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.record import Said
from quorate.core.session import Cause
from quorate.core.types import Absent
from quorate.kit.qualification import WHY
from quorate.kit.view_cuts import cuts_told
from quorate.protocols.council.rules.coverage import ON_FINDINGS
from quorate.protocols.council.rules.forms import Ballots
from quorate.protocols.council.rules.history import refused_findings
from quorate.protocols.council.rules.material import VERSIONS
from quorate.protocols.council.rules.model import GATES, MATCHER, Outcome
from quorate.protocols.council.rules.modes import MODES
from quorate.protocols.council.rules.result.budget import overruns, spent
from quorate.protocols.council.rules.result.endings import degraded_reason
from quorate.protocols.council.rules.result.metadata import unbound
from quorate.protocols.council.rules.result.overview import Overview
from quorate.protocols.council.rules.result.unshown import unshown


def warnings(reading: Overview) -> list[str]:
    """Return every warning, one sentence each."""
    return [*_seats(reading), *_draw(reading), *_reading(reading), *_cut(reading), *_budget(reading)]


def _seats(reading: Overview) -> Iterator[str]:
    if notes := reading.settings.unqualified_seats:
        yield f"what {', '.join(notes)} said is a note: {WHY} (C48)"
    if why := degraded_reason(reading):
        yield f"degraded: {why}"
    gone = [line for line in _said(reading) if isinstance(line.reply, Absent)]
    if any(line.ask.seat == MATCHER for line in gone):
        yield "the matcher gave no reply, so texts that are alike were not looked for (C14)"
    if any(line.ask.seat == GATES and line.ask.brief == "apply" for line in gone):
        yield "the edits could not be tried, so none holds (C38)"
    if any(line.ask.brief == "patch" for line in reading.record.log if isinstance(line, Said)) and not reading.offered:
        yield "edits were asked for, and nobody offered one (C38)"
    if late := sorted({f"{line.ask.seat} ({line.ask.brief})" for line in gone if line.ask.brief in ("vote", "patch")}):
        yield f"gave no reply, though nothing hung on it or nobody has to: {', '.join(late)} (C36)"


def _said(reading: Overview) -> list[Said]:
    return [line for line in reading.record.log if isinstance(line, Said)]


def _draw(reading: Overview) -> Iterator[str]:
    for values in reading.facts("mode_selection"):
        if not values["passed"]:
            yield f"the lenses were drawn without regard to {values['relaxed']} (C4)"
    for seat, modes in unbound(reading).items():
        named = ", ".join(f"{mode} {MODES[mode].name}" for mode in modes)
        yield f"{seat} bound these modes to nothing, in spite of the repair request: {named} (C6)"
    if refused := len(reading.facts("merge_refused")):
        yield f"refused merges of what is not of one kind, place and field, or of what a gate found: {refused} (C14)"


def _reading(reading: Overview) -> Iterator[str]:
    written = str(reading.rfc.data.get("version_written") or "")
    if reading.rfc.data and not written.lower().startswith(VERSIONS):
        told = f"the version {written!r} is none of {', '.join(VERSIONS)}" if written else "the RFC states no version"
        yield f"{told}; it is read as {reading.rfc.version} (C1)"
    if unseen := unshown(reading):
        named = ", ".join(reading.rfc.name(key) for key in unseen[:10])
        more = f" and {len(unseen) - 10} more" if len(unseen) > 10 else ""
        yield f"no seat was shown the whole text of {named}{more}: `seat_tokens` or the budget left no room (C42)"
    for line, entry in refused_findings(reading.record):
        yield f"a finding of {line.ask.seat} was refused: {entry.why} (C28): {entry.said}"
    yield from _part_of_findings(reading)
    if any(line.ask.brief == "cover" and isinstance(line.reply, Absent) for line in _said(reading)):
        yield "code gave no word on what was shown, so nothing counts as shown (C42)"
    for values in reading.facts("claim_refused"):
        yield f"claim {values['row']} of {values['seat']} hangs on nothing and was refused (C13)"
    if masked := reading.receipt.get("masked"):
        yield f"{masked} secrets were masked before anybody was shown the RFC (C29)"


def _part_of_findings(reading: Overview) -> Iterator[str]:
    """Yield who had to answer, mend or vote upon findings without all of their text."""
    found: dict[str, tuple[set[str], set[int]]] = {}
    for each in cuts_told(reading.record):
        titles = [cut["section"] for cut in each["sections"] if cut["section"].startswith("Finding F")]
        if titles and each["brief"] in ON_FINDINGS:
            seats, numbers = found.setdefault(each["brief"], (set(), set()))
            seats.update(each["seats"])
            numbers.update(int(title.split()[1].strip("F:")) for title in titles)
    for brief, (seats, numbers) in found.items():
        named = ", ".join(f"F{number}" for number in sorted(numbers))
        yield f"{', '.join(sorted(seats))} ({brief}): shown only part of the text of {named} (C42)"


def _cut(reading: Overview) -> Iterator[str]:
    last = reading.moves[-1] if reading.moves else None
    if last is None or last.cause is not Cause.INTERRUPTED:
        return
    said = [each for each in reading.record.log if isinstance(each, Said) and each.ask.id.startswith(f"{last.entry}.")]
    if said:
        yield f"{last.phase.name} was cut short; the replies in it decided nothing: {len(said)} (C33)"
    if any(isinstance(each.reply, Ballots) for each in said) and reading.move(Outcome.VOTED) is None:
        yield "votes that were cast in it were not counted"


def _budget(reading: Overview) -> Iterator[str]:
    for each in overruns(spent(reading)):
        yield f"{each['phase']} spent {each['spent']:,} tokens of a share of {each['allowed']:,} (C35)"
