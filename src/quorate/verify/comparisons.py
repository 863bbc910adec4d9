"""Sampled checks that interchangeable seats are treated alike and that the order of replies does not matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from quorate.core.engine import step
from quorate.core.session import Session
from quorate.core.types import Ask, Replied, Seat
from quorate.verify.combinations import answered
from quorate.verify.counterexamples import Failure, Via, where
from quorate.verify.options import Options
from quorate.verify.sampling import Sample

if TYPE_CHECKING:
    from quorate.verify.explore import Walk

S = TypeVar("S")


class Comparison(Generic[S]):
    """Compares sessions that one walk treats as equal."""

    def __init__(self, walk: Walk[S]) -> None:
        self.walk = walk
        self.made = 0
        self._merged, self._sampled = Sample(), Sample()

    def merged(self, place: int, session: Session[S], parent: int, via: Via) -> None:
        """Check a session that was merged into vertex `place`: if the states differ, both must go on alike."""
        one = self.walk.vertices[place].session
        if not self.walk.symmetry.groups or session.conclusion is not None or one.state == session.state:
            return
        if not self._merged.takes(session.phase):
            return
        to_key, from_key = self.walk.symmetry.canonical(one.state)[1], self.walk.symmetry.canonical(session.state)[1]
        back = {new: old for old, new in from_key.items()}
        renaming = {seat: back[new] for seat, new in to_key.items()}
        pairs = _paired(one.asks, session.asks, renaming)
        legs = ((parent, via),) if parent >= 0 else ()
        if pairs is None:
            self._not_alike(session.phase, "the asks differ", parent, legs)
            return
        options = [self.walk.choices.of(ask) for ask in one.asks]
        others = [self.walk.choices.of(session.asks[other]) for other in pairs]
        if [each.present for each in options] != [each.present for each in others]:
            self._not_alike(session.phase, "their domains differ", parent, legs)
            return
        for row in samples(options)[::2]:
            moved: list[int] = [0] * len(row)
            for ask, other in enumerate(pairs):
                moved[other] = row[ask]
            if not self._same(one, row, session, tuple(moved), renaming):
                self._not_alike(session.phase, "the same replies from renamed seats lead elsewhere", parent, legs)
                return

    def sampled(self, place: int, options: Sequence[Options]) -> None:
        """Try replies in another order, and swapped among interchangeable seats."""
        session = self.walk.vertices[place].session
        if len(options) < 2 or not self._sampled.takes(session.phase):
            return
        if self.walk.protocol.nodes[session.phase].settle is None:
            for row in samples(options)[:2]:
                self._reversed(place, session, row, options)
        for twins in self.walk.twins(session, options):
            for one, other in pairwise(twins):
                self._swapped(place, session, one, other, options)

    def _swapped(self, place: int, session: Session[S], one: int, other: int, options: Sequence[Options]) -> None:
        """Swap two different replies of twins; all other replies stay equal."""
        for row in samples(options):
            swapped = list(row)
            swapped[one], swapped[other] = row[other], row[one]
            swap = {session.asks[one].seat: session.asks[other].seat, session.asks[other].seat: session.asks[one].seat}
            if swapped != list(row) and not self._same(session, row, session, tuple(swapped), swap):
                seats = f"{session.asks[one].seat} and {session.asks[other].seat}"
                legs = ((place, Via(row)), (place, Via(tuple(swapped))))
                self._not_alike(
                    session.phase, f"{seats} swap their replies, and the session goes elsewhere", place, legs
                )
                return

    def _reversed(self, place: int, session: Session[S], row: tuple[int, ...], options: Sequence[Options]) -> None:
        """Give the same replies in the opposite order, with absences that do not record who reads them."""
        forward, now = self._heard(session, row), session
        try:
            for number in reversed(range(len(row))):
                each, reply = options[number], row[number]
                event = Replied(session.asks[number].id, (each.sealed if reply < each.present else each.said)[reply])
                now = step(self.walk.probe.watched, now, event).session
        except Exception:
            return  # the walk itself tells of it
        finally:
            self.walk.choices.watch.on = False
        self.made += 1
        if forward is not None and forward != now:
            says = "the same replies, given one by one and in another order, lead elsewhere"
            stands = where(self.walk.protocol.nodes[session.phase].decide)
            self.walk.failures.add(Failure(3, "order of replies", says, stands, place, ((place, Via(row)),)))

    def _heard(self, session: Session[S], row: tuple[int, ...]) -> Session[S] | None:
        now = session
        try:
            for ask, number in zip(session.asks, row, strict=True):
                now = step(
                    self.walk.probe.watched, now, Replied(ask.id, self.walk.choices.of(ask).sealed[number])
                ).session
        except Exception:
            return None
        finally:
            self.walk.choices.watch.on = False
        return now

    def _same(
        self,
        one: Session[S],
        row: tuple[int, ...],
        other: Session[S],
        moved: tuple[int, ...],
        renaming: Mapping[Seat, Seat],
    ) -> bool:
        """Check that two sessions with corresponding replies reach the same state, up to renaming of seats."""
        self.made += 1
        ends, others = self._end(one, row), self._end(other, moved)
        if ends is None or others is None:
            return ends is others
        if (ends.phase, ends.interrupted, _verdict(ends)) != (others.phase, others.interrupted, _verdict(others)):
            return False
        return bool(self.walk.symmetry.rename(ends.state, renaming) == others.state)

    def _end(self, session: Session[S], row: tuple[int, ...]) -> Session[S] | None:
        asks = session.asks
        replies = [self.walk.choices.of(ask).sealed[number] for ask, number in zip(asks, row, strict=True)]
        partly = answered(session, {ask.id: reply for ask, reply in zip(asks[:-1], replies[:-1], strict=True)})
        try:
            return step(self.walk.probe.watched, partly, Replied(asks[-1].id, replies[-1])).session
        except Exception:
            return None  # the walk itself tells of it
        finally:
            self.walk.choices.watch.on = False

    def _not_alike(self, phase: Enum, what: str, place: int, legs: Any) -> None:
        says = f"{phase.name} does not treat seats alike that are declared interchangeable: {what}"
        stands = where(self.walk.protocol.nodes[phase].decide)
        self.walk.failures.add(Failure(5, "seats are not interchangeable", says, stands, place, legs))


def _verdict(session: Session[Any]) -> Enum | None:
    return None if session.conclusion is None else session.conclusion.verdict


def samples(options: Sequence[Options]) -> list[tuple[int, ...]]:
    """Return combinations to sample: first and last replies and absences, two of them in turn."""
    replies = [[n for n in each.plain if n < each.present] or [each.present] for each in options]
    first, last, absent = (
        [each[0] for each in replies],
        [each[-1] for each in replies],
        [each.present for each in options],
    )
    pairs = ((first, last), (first, absent), (last, first), (last, absent), (absent, first), (absent, last))
    rows = (tuple((one if place % 2 else other)[place] for place in range(len(options))) for one, other in pairs)
    return list(dict.fromkeys(rows))


def _paired(ones: tuple[Ask, ...], others: tuple[Ask, ...], renaming: Mapping[Seat, Seat]) -> list[int] | None:
    """Return for each ask the index of the other session's ask to the renamed seat; None if one has none."""
    found = {(ask.seat, ask.brief, ask.form, len(ask.keys)): place for place, ask in enumerate(others)}
    pairs = [found.get((renaming.get(ask.seat, ask.seat), ask.brief, ask.form, len(ask.keys))) for ask in ones]
    whole = [place for place in pairs if place is not None]
    return whole if len(whole) == len(pairs) == len(others) else None
