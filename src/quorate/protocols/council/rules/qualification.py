"""Seats whose model has not passed the exam: what is decided is decided as if they had said nothing (C48).

Decisions, results and invariants read `silenced` replies or a `QuietRecord`. What such a seat really said is in the
record, in the notes that the other seats are shown, and among the fates.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

from quorate.core.decisions import Decision
from quorate.core.forms import Keyed, Prose, Reply
from quorate.core.protocol import Invariant, Moment, Node
from quorate.core.record import Line, Record, Said
from quorate.core.types import Absent, Replies, Seat
from quorate.core.values import replace
from quorate.kit.qualification import unqualified_facts
from quorate.kit.settings import UNQUALIFIED_SEATS
from quorate.protocols.council.rules.forms import (
    Answers,
    Assessment,
    AssuranceTree,
    Ballots,
    LastProposals,
    Level,
    MockRun,
    Raised,
    ScoringTable,
)
from quorate.protocols.council.rules.model import State, Verdict
from quorate.protocols.council.rules.replies import findings_in

NOTHING = Prose("")
SILENCE: Mapping[type[Reply], Reply] = {
    ScoringTable: ScoringTable((), NOTHING, (), False),
    MockRun: MockRun((), NOTHING, (), False),
    AssuranceTree: AssuranceTree((), (), False),
    Assessment: Assessment((), (), Level.HIGH, False),
    Answers: Answers(Keyed()),
    LastProposals: LastProposals(Keyed()),
    Ballots: Ballots(Keyed()),
}
"""Of each form in which a seat judges, the reply that says nothing."""
T = TypeVar("T")
S = TypeVar("S")
E = TypeVar("E", bound=Enum)


def silence(reply: Reply | Absent) -> Reply | Absent:
    """Return the reply that says nothing in place of one that judges; any other as it is."""
    return SILENCE.get(type(reply), reply) if isinstance(reply, Reply) else reply


def silenced(replies: Replies, unqualified: Collection[str]) -> Replies:
    """Return the replies as decisions take them."""
    return Replies(tuple((ask, silence(reply) if ask.seat in unqualified else reply) for ask, reply in replies))


# What decides


def without_notes(nodes: Mapping[E, Node[S]], unqualified: Collection[str]) -> Mapping[E, Node[S]]:
    """Return phases that decide as if these seats had said nothing, and say of whom they did not count the word."""
    return {phase: _deaf(node, unqualified) for phase, node in nodes.items()} if unqualified else nodes


def _deaf(node: Node[S], unqualified: Collection[str]) -> Node[S]:
    def decide(state: S, replies: Replies) -> Decision[S]:
        return told(node.decide(state, silenced(replies, unqualified)), replies)

    def settle(state: S, replies: Replies) -> Decision[S] | None:
        made = node.settle(state, silenced(replies, unqualified)) if node.settle is not None else None
        return None if made is None else told(made, replies)

    def told(made: Decision[S], replies: Replies) -> Decision[S]:
        return replace(made, facts=(*made.facts, *unqualified_facts(replies, unqualified)))

    return replace(node, decide=decide, settle=None if node.settle is None else settle)


def of_quiet(invariant: Invariant[State], unqualified: Collection[str]) -> Invariant[State]:
    """Return the invariant about moves in which these seats had said nothing."""

    def holds(moment: Moment[State]) -> bool:
        return invariant.holds(replace(moment, replies=silenced(moment.replies, unqualified)))

    return replace(invariant, holds=holds) if unqualified else invariant


def unheard(unqualified: Collection[str]) -> tuple[Invariant[State], ...]:
    """Return what holds where a seat is unqualified: it has no part in what the council found and decided."""

    def holds(moment: Moment[State]) -> bool:
        mute = [each for each in moment.after.seats if each.seat in unqualified]
        fewest = 1 if len(moment.after.seats) == 1 else 2
        judged = sum(each.judged for each in moment.after.seats) >= fewest
        approved = moment.verdict in (Verdict.APPROVED, Verdict.APPROVED_WITH_REMEDIATION)
        return not any(each.judged or each.low or each.backs for each in mute) and (judged or not approved)

    name = "an unqualified seat backs nothing, has not judged, and without others nothing is approved"
    return (Invariant(name, "C48", holds),) if unqualified else ()


# What is read


class QuietRecord(Record):
    """A record as it would read had some seats said nothing. Its events are those of the real one."""

    def __init__(self, real: Record, unqualified: Collection[str]) -> None:
        self.__dict__.update(real.__dict__)
        self.real, self.worked_out = real, {}
        self.log = [_quiet(line, unqualified) for line in real.log]
        self._by_seat, self._by_round = {}, {}
        for line in self.log:
            if isinstance(line, Said):
                self._by_seat.setdefault((line.ask.seat, line.ask.brief), []).append(line)
                self._by_round.setdefault((line.ask.brief, line.round), []).append(line)

    def events(self) -> Iterator[Any]:
        return self.real.events()


def _quiet(line: Line, unqualified: Collection[str]) -> Line:
    if isinstance(line, Said) and line.ask.seat in unqualified:
        return replace(line, reply=silence(line.reply))
    return line


def unqualified_in(record: Record) -> tuple[str, ...]:
    """Return the seats whose words are notes in this session."""
    found: tuple[str, ...] = tuple(record.protocol.settings.get(UNQUALIFIED_SEATS, ()))
    return found


def quiet(record: Record) -> Record:
    """Return the record as decisions took it; the same where everybody counts."""
    unqualified = unqualified_in(record)
    if not unqualified or isinstance(record, QuietRecord):
        return record
    length, made = record.worked_out.get("quiet", (0, None))
    if made is None or length != len(record.log):
        made = QuietRecord(record, unqualified)
        record.worked_out["quiet"] = len(record.log), made
    found: Record = made
    return found


def real(record: Record) -> Record:
    """Return the record with everything that was said in it."""
    return record.real if isinstance(record, QuietRecord) else record


def read_quietly(reading: Callable[[Record], T]) -> Callable[[Record], T]:
    """Return a function of the record that reads it as decisions took it."""
    return lambda record: reading(quiet(record))


@dataclass(frozen=True, slots=True)
class Note:
    """A finding of a seat whose word does not count; its id is `N1` and so on, in the order of the asks."""

    key: str
    by: Seat
    entry: int
    said: Raised


def notes_of(record: Record) -> tuple[Note, ...]:
    """Return what unqualified seats have found."""
    unqualified = unqualified_in(record)
    lines = real(record).log if unqualified else []
    said = [line for line in lines if isinstance(line, Said) and line.ask.seat in unqualified]
    said.sort(key=lambda line: [int(part) for part in line.ask.id.split(".")])
    found = [(line.ask, each) for line in said if isinstance(line.reply, Reply) for each in findings_in(line.reply)]
    return tuple(Note(f"N{n}", ask.seat, ask.id.entry, each) for n, (ask, each) in enumerate(found, start=1))
