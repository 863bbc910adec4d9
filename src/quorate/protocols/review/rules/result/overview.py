"""A reading of a review's record: its visits, ballots, change, and the receipt of the checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any

from quorate.core.record import Asked, Moved, Record, Said
from quorate.core.session import Cause, Move
from quorate.core.types import Absent, Seat
from quorate.kit.settings import read_settings
from quorate.protocols.review.rules.forms import Ballot, Examination
from quorate.protocols.review.rules.model import Phase, ReviewSettings, State
from quorate.protocols.review.rules.receipt import (
    UnderReview,
    claims,
    examinations,
    patches_in,
    receipt,
    under_review,
)
from quorate.protocols.review.rules.result.places import Places


@dataclass(slots=True)
class Visit:
    """One stay in a phase; steps inside it are part of it."""

    phase: Enum
    round: int
    said: list[Said] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)

    @property
    def decided(self) -> bool:
        """Whether its last step reached a decision, rather than being cut short or still open."""
        return bool(self.moves) and self.moves[-1].cause is not Cause.INTERRUPTED

    def facts(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the facts of this name that its decisions issued."""
        return (dict(fact.values) for move in self.moves for fact in move.facts if fact.name == name)

    def ballots(self) -> dict[Seat, Ballot]:
        return {said.ask.seat: said.reply for said in self.said if isinstance(said.reply, Ballot)}

    def absent(self, brief: str) -> dict[Seat, str]:
        """Return who gave no usable reply to this brief, and why."""
        given = ((said.ask, said.reply) for said in self.said)
        return {ask.seat: r.reason.value for ask, r in given if ask.brief == brief and isinstance(r, Absent)}


class Overview:
    """A record of a review, with what the parts of its result have in common; computed once.

    If `sealed`, the ballots of the current round are left out, as they are from every view (R31).
    """

    def __init__(self, record: Record, *, sealed: bool = False) -> None:
        self.record = record
        self.state: State = record.session.state
        self.settings = read_settings(ReviewSettings, record.protocol.settings)
        self.visits = _visits(record, sealed)
        self.debates = [visit for visit in self.visits if visit.phase is Phase.DEBATE]
        """The visits in which a ballot was held, was cut short or is under way."""
        self.held = [visit for visit in self.debates if visit.decided and any(visit.facts("tally"))]
        """The visits in which a whole ballot was held and counted; a proof leads on without one (R14)."""
        self._places: dict[int, Places] = {}

    @property
    def cut_short(self) -> Visit | None:
        """The last ballot if it was not counted: cut short, or still running."""
        return self.debates[-1] if self.debates and not self.debates[-1].decided else None

    def in_round(self, round_: int) -> list[Visit]:
        return [visit for visit in self.visits if visit.round == round_]

    # The change

    @cached_property
    def examination(self) -> Examination | None:
        """What the checks found in the current change; None without a result."""
        return self._examination(self.state.round + 1)

    @cached_property
    def receipt(self) -> dict[str, Any]:
        """The receipt of the checks for the current change."""
        return receipt(self.examination) if self.examination is not None else {"files": []}

    def dismissed(self) -> dict[str, dict[str, Any]]:
        """The findings dismissed with a reason, by key."""
        return {str(each["key"]): each for each in self.receipt.get("dismissed", [])}

    def claims(self) -> list[dict[str, Any]]:
        return claims(self.record)

    def is_current(self, visit: Visit) -> bool:
        """Return whether a ballot was about the current change, not about one amended since."""
        return self._examination(visit.round) is self.examination

    def places(self, visit: Visit) -> Places:
        """Return the places of the change that a ballot was about."""
        if visit.round not in self._places:
            found = self._examination(visit.round)
            text = (
                found.change.text if found is not None and found.change.text else self.record.material.get("change", "")
            )
            self._places[visit.round] = Places(UnderReview(found, patches_in(text)))
        return self._places[visit.round]

    @cached_property
    def current_places(self) -> Places:
        """The places of the change as it stands."""
        return Places(under_review(self.record))

    def _examination(self, round_: int) -> Examination | None:
        """Return the last examination before the ballot of a round."""
        done = examinations(self.record)
        before = [said.reply for said in done if said.ask.brief == "examine" or said.round < round_]
        last = before[-1] if before else None
        assert last is None or isinstance(last, Examination)
        return last


def _visits(record: Record, sealed: bool) -> list[Visit]:
    """Return every visit in order; the last one may still be running."""
    found: list[Visit] = []
    heard: list[Said] = []
    asked: Asked | None = None
    for line in record.log:
        match line:
            case Asked():
                asked = line
            case Said():
                heard.append(line)
            case Moved(move, round_):
                visit = _visit(found, move.phase, round_)
                visit.said += heard
                visit.moves.append(move)
                heard = []
            case _:
                continue
    if record.session.conclusion is None and asked is not None:
        under_way = _visit(found, asked.phase, asked.round)
        under_way.said += [] if sealed and asked.phase is Phase.DEBATE else heard
    return found


def _visit(found: list[Visit], phase: Enum, round_: int) -> Visit:
    """Return the current visit, or a new one if the last has left the phase."""
    last = found[-1] if found else None
    if last is None or (last.phase, last.round, last.moves[-1].to) != (phase, round_, phase):
        last = Visit(phase, round_)
        found.append(last)
    return last
