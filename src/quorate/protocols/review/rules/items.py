"""What was raised in a review, with its words: every fix item and every veto, under the id that it has (R22, R41).

The ids and what became of each are facts of decisions. Here they meet the words of the ballots they come from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.record import Moved, Record, Said
from quorate.core.session import Cause
from quorate.core.types import Seat
from quorate.kit.settings import read_settings
from quorate.protocols.review.rules.ballot_count import raised_as_items, raised_in
from quorate.protocols.review.rules.forms import Ballot, FixItem
from quorate.protocols.review.rules.hits import READING_BRIEFS, Hits, found_in
from quorate.protocols.review.rules.lines import texts_of
from quorate.protocols.review.rules.model import Outcome, Phase, ReviewSettings, State
from quorate.protocols.review.rules.receipt import UnderReview, ballots, under_review


@dataclass(frozen=True, slots=True)
class RaisedItem:
    """An item in the words of the ballot that raised it."""

    key: str
    seat: Seat
    round: int
    ballot: Ballot | None
    """None of what the reader of a part found (R46)."""
    fix: FixItem | None
    """None of a veto that does not count as one (R8, R38)."""
    fact: dict[str, Any]
    line: int = 0
    """The number of the changed line that a hit of a narrow review names (R51)."""

    @property
    def evidence(self) -> str:
        if self.fix is not None:
            return self.fix.evidence.text
        return self.ballot.veto_evidence.text if self.ballot is not None else ""

    @property
    def words(self) -> str:
        """Return what it says will go wrong; of a veto its class."""
        return f"a veto: {self.fact['veto']}" if self.fix is None else self.fix.consequence.text


def counted_ballots(record: Record) -> Iterator[tuple[int, tuple[Fact, ...]]]:
    """Yield the round and the facts of every ballot that was held and counted."""
    for line in record.log:
        if isinstance(line, Moved) and line.move.phase is Phase.DEBATE and line.move.cause is not Cause.INTERRUPTED:
            yield line.round, line.move.facts


def raised_items(record: Record) -> tuple[RaisedItem, ...]:
    """Return every item that was raised in a counted ballot, in the order of the ids."""
    cast = (
        each
        for round_, facts in counted_ballots(record)
        for each in _with_words(facts, ballots(record, round_), round_)
    )
    return tuple(sorted((*read_items(record), *cast), key=lambda each: int(each.key[1:])))


def read_items(record: Record) -> Iterator[RaisedItem]:
    """Yield every item that the reader of a part of the change found, of earlier changes too (R46)."""
    heard: dict[str, Said] = {}
    for line in record.log:
        if isinstance(line, Said) and line.ask.brief in READING_BRIEFS:
            heard[line.ask.id] = line
        if not isinstance(line, Moved) or line.move.outcome is not Outcome.READ:
            continue
        part, place, now = -1, 0, under_review(record, line.round)
        for name, values in ((fact.name, dict(fact.values)) for fact in line.move.facts):
            if name == "read":
                part, place, read = part + 1, 0, Key(str(values["part"]))
            if name != "raised":
                continue
            reply = heard[f"{line.move.entry}.{part}"].reply
            fix, seat = said_of_part(now, read, reply)[place], Seat(str(values["seat"]))
            yield RaisedItem(str(values["key"]), seat, line.round, None, fix, values, _line(reply, place))
            place += 1


def cut_short_items(record: Record) -> tuple[RaisedItem, ...]:
    """Return what was raised in a step that was cut short, numbered on; it decided nothing (R29, R41)."""
    settings, state = read_settings(ReviewSettings, record.protocol.settings), record.session.state
    if (round_ := cut_short_round(record)) is not None:
        cast = ballots(record, round_)
        raised = raised_in(settings, state, cast)
        return tuple(_with_words([each.fact() for each in raised], cast, round_))
    return tuple(_cut_short_readings(record, settings, state))


def _cut_short_readings(record: Record, settings: ReviewSettings, state: State) -> Iterator[RaisedItem]:
    """Yield what readers found whose step an interruption cut short."""
    moved = next((line for line in reversed(record.log) if isinstance(line, Moved)), None)
    if moved is None or moved.move.phase is not Phase.PROPOSAL or moved.move.cause is not Cause.INTERRUPTED:
        return
    number, now = state.raised, under_review(record)
    given = [line for line in record.log if isinstance(line, Said) and line.ask.id.entry == moved.move.entry]
    for said in sorted(given, key=lambda each: int(each.ask.id.partition(".")[2])):
        part, seat = state.unread[int(said.ask.id.partition(".")[2])], said.ask.seat
        found = said_of_part(now, part.key, said.reply)
        for place, each in enumerate(raised_as_items(settings, seat, found, number)):
            told, at = dict(each.fact().values), _line(said.reply, place)
            yield RaisedItem(str(each.item.key), seat, moved.round, None, found[place], told, at)
        number += len(found)


def said_of_part(now: UnderReview, key: Key, reply: object) -> tuple[FixItem, ...]:
    """Return what a reader of a part found, as items; of a hit its line is the evidence (R51)."""
    parts = now.examination.parts if now.examination is not None else ()
    part = next((each for each in parts if each.key == key), None)
    return found_in(part, reply, texts_of(now)) if part is not None else ()


def _line(reply: object, place: int) -> int:
    return int(reply.hits[place].line[1:]) if isinstance(reply, Hits) else 0


def cut_short_round(record: Record) -> int | None:
    """Return the round whose ballot an interruption cut short; it was the last one."""
    moved = next((line for line in reversed(record.log) if isinstance(line, Moved)), None)
    cut = moved is not None and moved.move.phase is Phase.DEBATE and moved.move.cause is Cause.INTERRUPTED
    return moved.round if moved is not None and cut else None


def _with_words(facts: Iterable[Fact], cast: dict[Seat, Ballot], round_: int) -> Iterator[RaisedItem]:
    before = Counter[Seat]()
    for values in (dict(fact.values) for fact in facts if fact.name == "raised"):
        seat = Seat(str(values["seat"]))
        ballot, place = cast[seat], before[seat]
        fix = ballot.items[place] if place < len(ballot.items) else None
        yield RaisedItem(str(values["key"]), seat, round_, ballot, fix, values)
        before[seat] += 1
