"""The positions of a review: how each member stood to the change and to every finding, ballot by ballot.

A ballot stands for the change where it votes SYNTHESIS and names nothing that blocks; with such an item it holds that
something has to change, as opposing and a veto do. It is read as it counted (R7, R8, R22). The matter is the change
that the verdict is about: a ballot on it before an amendment is a position on another thing (R17). Ballots of a
round under way are not looked into (R31).
"""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.record import Record, Said
from quorate.core.types import Seat
from quorate.kit.findings import Finding, Severity
from quorate.kit.positions import MATTER, Position
from quorate.protocols.review.rules.ballot_count import OPEN, count_ballot, raised_in
from quorate.protocols.review.rules.forms import Ballot, ClaimJudgements, Doubts
from quorate.protocols.review.rules.hits import Refutation
from quorate.protocols.review.rules.model import Judgement, Stance, Standing
from quorate.protocols.review.rules.receipt import ballots
from quorate.protocols.review.rules.result.committee_findings import NOT_LOOKED_AT, raised_by_committee
from quorate.protocols.review.rules.result.open_findings import claim_keys_by_rule
from quorate.protocols.review.rules.result.overview import Overview, Visit

BEFORE_AMENDMENT = "the change before it was amended"
WITH_ITEMS = "synthesis, with items that block"
HOLDS_CLAIM_UNMET = {Judgement.PASS: False, Judgement.FAIL: True, Judgement.INSUFFICIENT_EVIDENCE: None}
HOLDS_ITEM = {Standing.CONFIRMED.value: True, Standing.REFUTED.value: False}


def positions(record: Record) -> tuple[Position, ...]:
    """Return the positions of members and skeptic, in the order in which they were stated."""
    reading = Overview(record, sealed=True)
    found = _Found(reading)
    for visit in reading.visits:
        for said in visit.said:
            found.take(visit, said)
    return tuple(found.taken)


class _Found:
    def __init__(self, reading: Overview) -> None:
        self.reading = reading
        self.taken: list[Position] = []
        self._items = [each for each in raised_by_committee(reading) if each.id]
        self._claims = {key: _claim(rule) for rule, key in claim_keys_by_rule(reading).items()}

    def take(self, visit: Visit, said: Said) -> None:
        match said.reply:
            case Ballot():
                self.taken.append(self._on_the_change(visit, said, said.reply))
                self.taken += self._raised(visit, said)
            case ClaimJudgements():
                for key, each in said.reply.claims.items():
                    stance = each.judgement
                    self._add(said, self._claims[key], stance.value, HOLDS_CLAIM_UNMET[stance], ())
            case Doubts():
                self._doubted(said)
            case Refutation():
                self._doubted(said, str(said.ask.keys[0]))
            case _:
                pass

    def _add(self, said: Said, about: str, stance: str, holds: bool | None, shown: tuple[Seat, ...]) -> None:
        self.taken.append(Position(said.ask.seat, said.round, about, stance, holds, said.envelope.seq, shown))

    def _seen(self, said: Said) -> tuple[Seat, ...]:
        """Return the seats whose ballots a member was shown: those of the round before (R6)."""
        return tuple(seat for seat in ballots(self.reading.record, said.round - 1) if seat != said.ask.seat)

    def _on_the_change(self, visit: Visit, said: Said, ballot: Ballot) -> Position:
        settings, seat = self.reading.settings, said.ask.seat
        counted = count_ballot(settings, seat, ballot)
        own = raised_in(settings, self.reading.state, {seat: ballot})
        blocking = any(each.became == OPEN and each.item.grounded and not each.item.withheld for each in own)
        stance, holds = counted.stance.value, counted.stance is Stance.SYNTHESIS and not blocking
        if counted.stance is Stance.SYNTHESIS and blocking:
            stance = WITH_ITEMS
        side = None if counted.stance is Stance.ABSTAIN else holds
        about = MATTER if self.reading.is_current(visit) else BEFORE_AMENDMENT
        shown = self._seen(said)
        return Position(seat, said.round, about, stance, side, said.envelope.seq, shown, ballot.confidence)

    def _raised(self, visit: Visit, said: Said) -> Iterator[Position]:
        """Yield a position for each finding a ballot raises; not raising one is no position."""
        seat, seen = said.ask.seat, self._seen(said)
        for each in self._items:
            if each.round == visit.round and each.finding.raised_by == (str(seat),):
                key, stance = each.finding.key, f"raised as {each.finding.severity.value}"
                yield Position(seat, said.round, key, stance, True, said.envelope.seq, self._said_of(key, said, seen))

    def _said_of(self, about: str, said: Said, among: tuple[Seat, ...]) -> tuple[Seat, ...]:
        """Return those of `among` who spoke about it in the round before."""
        before = {each.seat for each in self.taken if each.about == about and each.round == said.round - 1}
        return tuple(seat for seat in among if seat in before)

    def _doubted(self, said: Said, item: str = "") -> None:
        """Add the skeptic's judgement of the items, having seen the words of those who raised them (R23, R52)."""
        for each in self._items:
            if item in ("", each.id) and each.standing not in ("", NOT_LOOKED_AT):
                by = (Seat(each.finding.raised_by[0]),)
                self._add(said, each.finding.key, each.standing, HOLDS_ITEM.get(each.standing), by)


def _claim(rule: str) -> str:
    """Return the key of the finding for a claim that is not met."""
    return Finding(rule, Severity.LOW, "", source="claim").key
