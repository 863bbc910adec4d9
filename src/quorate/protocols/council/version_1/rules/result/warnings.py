"""Warnings that accompany the result, derived from typed facts of the record."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.record import Said
from quorate.core.session import Cause
from quorate.core.types import Absent
from quorate.protocols.council.version_1.rules.forms import Ballots
from quorate.protocols.council.version_1.rules.material import VERSIONS
from quorate.protocols.council.version_1.rules.model import GATES, MATCHER, Outcome
from quorate.protocols.council.version_1.rules.modes import MODES
from quorate.protocols.council.version_1.rules.result.budget import overruns, spent
from quorate.protocols.council.version_1.rules.result.endings import degraded_reason
from quorate.protocols.council.version_1.rules.result.metadata import unbound
from quorate.protocols.council.version_1.rules.result.overview import Reading
from quorate.protocols.council.version_1.rules.result.receipts import unseen_tickets


def warnings(reading: Reading) -> list[str]:
    """Return every warning, one sentence each."""
    return [*_seats(reading), *_draw(reading), *_reading(reading), *_cut(reading), *_budget(reading)]


def _seats(reading: Reading) -> Iterator[str]:
    if why := degraded_reason(reading):
        yield f"degraded: {why}"
    gone = [line for line in reading.record.log if isinstance(line, Said) and isinstance(line.reply, Absent)]
    if any(line.ask.seat == MATCHER for line in gone):
        yield "the matcher gave no reply, so near matches were not looked for (C14)"
    if any(line.ask.seat == GATES and line.ask.brief == "apply" for line in gone):
        yield "the edits could not be tried, so none holds (C38)"
    if any(line.ask.brief == "patch" for line in reading.record.log if isinstance(line, Said)) and not reading.offered:
        yield "edits were asked for, and nobody offered one (C38)"
    if late := sorted({f"{line.ask.seat} ({line.ask.brief})" for line in gone if line.ask.brief in ("vote", "patch")}):
        yield f"gave no reply, though nothing hung on it or nobody has to: {', '.join(late)} (C36)"


def _draw(reading: Reading) -> Iterator[str]:
    for values in reading.facts("mode_selection"):
        if not values["passed"]:
            yield f"the lenses were drawn without regard to {values['relaxed']} (C4)"
    for seat, modes in unbound(reading).items():
        named = ", ".join(f"{mode} {MODES[mode].name}" for mode in modes)
        yield f"{seat} bound these modes to nothing, in spite of the repair request: {named} (C6)"
    if refused := len(reading.facts("merge_refused")):
        yield f"refused merges across places or gates, or of what a gate found: {refused} (C14)"


def _reading(reading: Reading) -> Iterator[str]:
    written = str(reading.rfc.data.get("version_written") or "")
    if reading.rfc.data and not written.lower().startswith(VERSIONS):
        told = f"the version {written!r} is none of {', '.join(VERSIONS)}" if written else "the RFC states no version"
        yield f"{told}; it is read as {reading.rfc.version} (C1)"
    if unseen := unseen_tickets(reading.record):
        named = ", ".join(reading.rfc.name(key) for key in unseen[:10])
        more = f" and {len(unseen) - 10} more" if len(unseen) > 10 else ""
        yield f"no seat was shown the whole text of {named}{more}: `seat_tokens` or the budget left no room (C42)"
    if masked := reading.receipt.get("masked"):
        yield f"{masked} secrets were masked before anybody was shown the RFC (C29)"


def _cut(reading: Reading) -> Iterator[str]:
    last = reading.moves[-1] if reading.moves else None
    if last is None or last.cause is not Cause.INTERRUPTED:
        return
    said = [each for each in reading.record.log if isinstance(each, Said) and each.ask.id.startswith(f"{last.entry}.")]
    if said:
        yield f"{last.phase.name} was cut short; the replies in it decided nothing: {len(said)} (C33)"
    if any(isinstance(each.reply, Ballots) for each in said) and reading.move(Outcome.VOTED) is None:
        yield "votes that were cast in it were not counted"


def _budget(reading: Reading) -> Iterator[str]:
    for each in overruns(spent(reading)):
        yield f"{each['phase']} spent {each['spent']:,} tokens of a share of {each['allowed']:,} (C35)"
