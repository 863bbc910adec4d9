"""Who reads which part of a change, and what nobody has read: a second time, from R43 to R46."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.types import Seat
from quorate.core.values import replace
from quorate.protocols.review.rules.forms import Ballot, Examination, ReadPart
from quorate.protocols.review.rules.hits import Hits
from quorate.protocols.review.rules.model import Checked, Item, Outcome, Phase, ReviewSettings, State, Verdict
from quorate.protocols.review.rules.parts import Part
from tests.protocols.review.oracle.narrow import said_by
from tests.protocols.review.oracle.recount import NOTED, WORST_FIRST, M, Recount, told_of_notes


def shown(recount: Recount, moment: M) -> bool:
    """No approval while somebody has to read something yet (R27, R45)."""
    return moment.verdict is not Verdict.APPROVED or (moment.after.unread == () and not moment.after.gap)


def reading(settings: ReviewSettings, state: State) -> list[tuple[Part, Seat]]:
    """Return who has to read what now: twice at most, in turn, holders where it is about vetoes (R43, R44)."""
    stopped = state.checked in (Checked.NOT_YET, Checked.VETOED, Checked.FAILED)
    if stopped or not state.divided or state.attempt == 2:
        return []
    found: list[tuple[Part, Seat]] = []
    for part in state.unread:
        if state.asked + len(found) < settings.readings:
            turn = holders(settings, state) if part.sensitive else []
            everybody = [member.seat for member in state.members]
            seats = turn or [seat for seat in everybody if seat not in settings.unqualified_seats] or everybody
            found.append((part, seats[(part.number + state.attempt - 1) % len(seats)]))
    return found


def holders(settings: ReviewSettings, state: State) -> list[Seat]:
    names = {"adjudicator", *settings.veto_holders}
    holding = [m.seat for m in state.members if m.seat in names or m.seat.split(":")[0] in names]
    return [seat for seat in holding if seat not in settings.unqualified_seats]


def parts_read(recount: Recount, moment: M) -> bool:
    """What is unread, and what readers found, is exactly what the replies leave (R45, R46)."""
    before, after = moment.state, moment.after
    now = (after.unread, after.gap, after.divided, after.attempt, after.asked)
    report = _report(moment)
    if report is not None:
        open_ = replace(before, unread=report.parts, divided=report.divided, attempt=0, checked=after.checked)
        if report.divided and not reading(recount.settings, open_):
            return now == ((), _gap(report) or bool(report.parts), False, 0, before.asked)
        return now == (report.parts, _gap(report), report.divided, 0, before.asked)
    unread, attempt, asked = list(before.unread), before.attempt, before.asked
    if moment.outcome is Outcome.READ:
        due = reading(recount.settings, before)
        attempt, asked = attempt + 1, asked + len(due)
        for (part, seat), (_, reply) in zip(due, moment.replies, strict=True):
            if isinstance(reply, ReadPart | Hits) and reply.whole and _may_read(recount, before, part, seat):
                unread.remove(part)
        still = replace(before, unread=tuple(unread), attempt=attempt, asked=asked)
        if not reading(recount.settings, still):
            return now == ((), before.gap or bool(unread), False, 0, asked)
    elif moment.phase is Phase.DEBATE and not before.divided:
        seats = [ask.seat for ask, reply in moment.replies if isinstance(reply, Ballot) and reply.whole]
        unread = [part for part in unread if not any(_may_read(recount, before, part, seat) for seat in seats)]
    return now == (tuple(unread), before.gap, before.divided, attempt, asked)


def _may_read(recount: Recount, state: State, part: Part, seat: Seat) -> bool:
    """Return whether the reply of this seat, shown all of it, makes the part one that was read."""
    holding = holders(recount.settings, state)
    if seat in recount.settings.unqualified_seats:
        return False
    return not part.sensitive or not holding or seat in holding


def _report(moment: M) -> Examination | None:
    reports = [reply for _, reply in moment.replies if isinstance(reply, Examination) and reply.applied]
    return reports[0] if reports and moment.outcome in (Outcome.EXAMINED, Outcome.AMENDED) else None


def _gap(report: Examination) -> bool:
    numbers = [n for part in report.parts for span in part.spans for n in range(span.first, span.last + 1)]
    files = [span.file for part in report.parts for span in part.spans]
    missing = [n for n in range(1, report.hunks + 1) if n not in numbers]
    return bool(missing or [n for n in range(1, report.files + 1) if n not in files] or report.beyond)


def _told(part: Part, letter: str) -> Iterator[str]:
    """Yield the hunks of a part, range by range; a range goes on over files while the numbers do."""
    ranges: list[list[int]] = []
    for span in part.spans:
        if ranges and span.first == ranges[-1][1] + 1:
            ranges[-1][1:] = [span.last, ranges[-1][2], span.file]
        else:
            ranges.append([span.first, span.last, span.file, span.file])
    for first, last, begins, ends in ranges:
        hunks = f"{letter}{first}" + f"-{letter}{last}" * (last != first)
        yield f"{hunks} of F{begins}" + f"-F{ends}" * (ends != begins)


def read_items(settings: ReviewSettings, moment: M) -> list[tuple[Item, bool]]:
    """Return what readers raised in their parts, numbered on, and whether each is open (R22, R46)."""
    blocking = WORST_FIRST[: WORST_FIRST.index(settings.blocking_severity) + 1]
    found: list[tuple[Item, bool]] = []
    for part, (ask, reply) in zip(moment.state.unread, moment.replies, strict=False):
        for path, rule, severity, unfounded, ground in said_by(part, reply):
            key = Key(f"I{moment.state.raised + len(found) + 1}")
            opens = not unfounded and (settings.reading.value == "seed" or severity in blocking)
            opens = opens and ask.seat not in settings.unqualified_seats
            found.append((Item(key, ask.seat, path, rule, severity, ground), opens))
    return found


def readings_told(settings: ReviewSettings, moment: M) -> Iterator[Fact]:
    """Yield what the record is told of each part that was put to a reader, with what was found there."""
    items = iter(read_items(settings, moment))
    for (part, seat), (_, reply) in zip(reading(settings, moment.state), moment.replies, strict=True):
        mute = seat in settings.unqualified_seats
        read = isinstance(reply, ReadPart | Hits) and reply.whole and not mute
        hunks = ", ".join(_told(part, "L" if settings.style.value == "narrow" else "H"))
        yield Fact.of("read", part=Key(f"P{part.number}"), hunks=hunks, by=seat, read=read)
        for _ in said_by(part, reply):
            item, opens = next(items)
            told = {"path": item.path, "rule": item.rule.value, "severity": item.severity.value, "veto": ""}
            flags = {"grounded": item.grounded, "withheld": False}
            became = NOTED if mute else "open" if opens else "note"
            yield Fact.of("raised", key=item.key, seat=seat, **told, **flags, became=became)
    yield from told_of_notes(settings, moment)
