"""The record: the journal folded for people. What a seat may see, and every report, is a function of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from quorate.core.engine import begin, step
from quorate.core.filled import quotes_material, with_marks
from quorate.core.forms import Reply
from quorate.core.protocol import Protocol
from quorate.core.session import Conclusion, Move, Session, Step, Withdraw
from quorate.core.types import Absent, Ask, AskId, Event, Interrupted, Reason, Replied, Ruled, Seat


@dataclass(frozen=True, slots=True)
class Envelope:
    """What the journal keeps beside an event: order, time, and what the reply cost. No decision reads it."""

    seq: int = 0
    at: int = 0
    """Milliseconds since 1970 (UTC)."""
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: int | None = 0
    """Millionths of a US dollar; None where the price is not known."""
    elapsed: int = 0
    """Milliseconds from ask to reply."""
    attempts: int = 1
    detail: str = ""
    """Why there was no reply, how often it was repaired, what was cut from the view: for people."""


PERSON = "person"
"""How a panel names a person."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The first entry of every journal: which rules, which table, which material, which seed."""

    protocol: str
    version: str
    digest: str
    title: str
    seed: int
    settings: Mapping[str, Any]
    panel: Mapping[str, str]
    material: Mapping[str, str]
    """Digest by name; the texts are stored once, by digest."""
    session: str = ""
    """The session's own id, so that the seal covers it."""
    briefs: Mapping[str, str] = field(default_factory=dict)
    """Digest by name of the prompts it began with, and goes on with whatever becomes of the files."""
    run: Mapping[str, Any] = field(default_factory=dict)
    """What the runtime needs to go on in another process (panel file, budget, context folder), as plain JSON."""


@dataclass(frozen=True, slots=True)
class Asked:
    ask: Ask
    phase: Enum
    round: int


@dataclass(frozen=True, slots=True)
class Said:
    ask: Ask
    reply: Reply | Absent
    phase: Enum
    round: int
    envelope: Envelope


@dataclass(frozen=True, slots=True)
class Moved:
    move: Move
    round: int


@dataclass(frozen=True, slots=True)
class Stopped:
    reason: Reason
    envelope: Envelope


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a person ruled on the conclusion, which stays as it was."""

    verdict: Enum
    by: str
    reason: str
    envelope: Envelope


Line = Asked | Said | Withdraw | Moved | Stopped | Conclusion | Ruling


@dataclass
class Record:
    """Everything that was asked, said and decided, in order. It grows and never changes."""

    protocol: Protocol[Any]
    opening: Opening
    material: Mapping[str, str]
    """The texts deliberated about, by name."""
    session: Session[Any] = field(init=False)
    log: list[Line] = field(default_factory=list)
    envelopes: list[Envelope] = field(default_factory=list)
    _by_seat: dict[tuple[Seat, str], list[Said]] = field(default_factory=dict)
    _by_round: dict[tuple[str, int], list[Said]] = field(default_factory=dict)
    _asked: dict[tuple[Seat, str], list[Ask]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._fold(begin(self.protocol))

    def take(self, event: Event, envelope: Envelope, after: Step[Any] | None = None) -> Step[Any]:
        """Take one journaled event; raises, and changes nothing, where the rules do not allow it.

        `after` is the step that the caller has already made from this record's session with this event.
        """
        before = self.session
        after = after or step(self.protocol, before, event)
        self.envelopes.append(envelope)
        match event:
            case Replied(ask_id, reply):
                ask = next(ask for ask in before.asks if ask.id == ask_id)
                said = Said(ask, reply, before.phase, self.protocol.round(before.state), envelope)
                self.log.append(said)
                self._by_seat.setdefault((ask.seat, ask.brief), []).append(said)
                self._by_round.setdefault((ask.brief, said.round), []).append(said)
            case Interrupted(reason):
                self.log.append(Stopped(reason, envelope))
            case Ruled(name, by, reason):
                verdict = next(each for each in self.protocol.exit_codes if each.name == name)
                self.log.append(Ruling(verdict, by, reason, envelope))
        self._fold(after)
        return after

    def _fold(self, after: Step[Any]) -> None:
        self.session = after.session
        round_ = self.protocol.round(after.session.state)
        self.log += [Moved(move, self.protocol.round(move.before)) for move in after.moves]
        for effect in after.effects:
            match effect:
                case Ask():
                    self.log.append(Asked(effect, after.session.phase, round_))
                    self._asked.setdefault((effect.seat, effect.brief), []).append(effect)
                case Withdraw():
                    self.log.append(effect)
                case _:
                    self.log.append(effect.conclusion)

    # What views and reports ask of it.

    def said(self, seat: Seat, *briefs: str) -> list[Said]:
        """Everything `seat` said to these briefs, absences left out, in order."""
        found = [s for brief in briefs for s in self._by_seat.get((seat, brief), ())]
        found = [s for s in found if not isinstance(s.reply, Absent)]
        return sorted(found, key=lambda s: s.envelope.seq) if len(briefs) > 1 else found

    def latest(self, seat: Seat, *briefs: str) -> Said | None:
        """The last thing `seat` said to one of these briefs."""
        found = self.said(seat, *briefs)
        return found[-1] if found else None

    def in_round(self, brief: str, round_: int) -> list[Said]:
        """What was said to `brief` in a round, absences left out, in order of arrival."""
        return [s for s in self._by_round.get((brief, round_), ()) if not isinstance(s.reply, Absent)]

    def marked(self, ask: Ask, reply: Reply) -> Reply:
        """Return a reply that is about to be taken, with the marks that look into the material its seat is shown."""
        if not quotes_material(ask.form):
            return reply
        return with_marks(reply, self.protocol.view(self, ask).material())

    def events(self) -> Iterator[tuple[Event, Envelope]]:
        """The events that it was folded from, in order."""
        for line in self.log:
            match line:
                case Said(ask, reply, _, _, envelope):
                    yield Replied(ask.id, reply), envelope
                case Stopped(reason, envelope):
                    yield Interrupted(reason), envelope
                case Ruling(verdict, by, reason, envelope):
                    yield Ruled(verdict.name, by, reason), envelope
                case _:
                    continue

    def waits_for_people(self, session: Session[Any] | None = None) -> tuple[Ask, ...]:
        """The open asks that a person has to answer: a person sits there, or the seat is nobody's but people's."""
        panel, people = self.opening.panel, self.protocol.people
        asks = (session or self.session).open
        return tuple(ask for ask in asks if ask.seat in people or panel.get(ask.seat) == PERSON)

    @property
    def rulings(self) -> tuple[Ruling, ...]:
        """Every ruling on the conclusion, in order: the last one counts, and all stay visible."""
        return tuple(line for line in self.log if isinstance(line, Ruling))

    @property
    def ruling(self) -> Ruling | None:
        """The ruling that counts."""
        return next(iter(self.rulings[-1:]), None)

    @property
    def waits_for_ruling(self) -> bool:
        """Whether the session has concluded with a verdict on which somebody still has to rule."""
        conclusion = self.session.conclusion
        return conclusion is not None and conclusion.verdict in self.protocol.rulings and not self.rulings

    def was_asked(self, ask: AskId) -> bool:
        """Whether this session ever asked this."""
        return any(each.id == ask for asks in self._asked.values() for each in asks)

    def occurrence(self, ask: Ask) -> int:
        """Which time this is that the seat is asked this brief, from 1."""
        return self._asked[(ask.seat, ask.brief)].index(ask) + 1


def read(
    protocol: Protocol[Any],
    opening: Opening,
    material: Mapping[str, str],
    journal: Iterable[tuple[Event, Envelope]],
) -> Record:
    """Fold a whole journal into its record."""
    record = Record(protocol, opening, material)
    for event, envelope in journal:
        record.take(event, envelope)
    return record
