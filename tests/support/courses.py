"""Courses of sessions: any replies of a protocol's own domains, absences and interruptions, moment by moment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import Any

from quorate.core.protocol import Protocol
from quorate.core.record import Envelope, Opening, Record
from quorate.core.types import Absent, AbsentReason, Ask, Event, Interrupted, Question, Replied
from quorate.kit.gauges import Gauge

MOST_EVENTS = 160


def course(protocol: Protocol[Any], material: Mapping[str, str], chance: Random) -> Iterator[Record]:
    """Yield one record as it grows by one event after the other, to its end or until it has gone on for long."""
    record = Record(protocol, Opening(protocol.name, protocol.version, "", "", 7, protocol.settings, {}, {}), material)
    yield record
    for seq in range(1, MOST_EVENTS):
        if record.session.conclusion is not None:
            return
        record.take(_event(record, chance), Envelope(seq=seq))
        yield record


def _event(record: Record, chance: Random) -> Event:
    if chance.random() < 0.02:
        return Interrupted(chance.choice(sorted(record.protocol.interrupts, key=lambda reason: reason.value)))
    ask: Ask = chance.choice(record.session.open)
    if chance.random() < 0.08:
        return Replied(ask.id, Absent(chance.choice(list(AbsentReason))))
    domain = record.protocol.domains[ask.form]
    replies = domain.values(Question(ask.seat, ask.brief, ask.form, ask.keys))
    return Replied(ask.id, record.marked(ask, chance.choice(replies)))


def again(record: Record) -> Iterator[Record]:
    """Yield a finished record as it stood at every event of its journal, from its opening on."""
    then = Record(record.protocol, record.opening, record.material)
    yield then
    for event, envelope in record.events():
        then.take(event, envelope)
        yield then


def sound(gauges: Iterable[Gauge]) -> None:
    """Check what every gauge promises."""
    shown = list(gauges)
    assert len({each.name for each in shown}) == len(shown)
    for each in shown:
        assert each.words
        assert "\n" not in each.words
        counts = [count for _, count in each.parts]
        assert min(counts, default=0) >= 0, each
        assert sum(counts) <= each.of, each
        assert each.needed is None or 0 <= each.needed <= each.of, each
        assert each.missing is None or each.missing >= 0, each


def named(gauges: Iterable[Gauge], name: str) -> Gauge:
    """The gauge of this name."""
    return next(each for each in gauges if each.name == name)
