"""The record: the journal folded for views and reports, which are pure functions of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from hashlib import sha256
from itertools import takewhile
from typing import Any, cast

from quorate.core.engine import begin, step
from quorate.core.form_values import Measured, Unfit, quotes_material, with_marks
from quorate.core.forms import Reply
from quorate.core.protocol import Protocol
from quorate.core.session import Conclusion, Move, Session, Step, Withdraw
from quorate.core.types import Absent, Ask, AskId, Event, Interrupted, Reason, Replied, Ruled, Seat
from quorate.core.values import replace, value


@value(frozen=True, slots=True)
class Envelope:
    """Metadata of an event: sequence, time, and what the reply cost. No decision reads it."""

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
    """How often somebody was asked; 0 where a reply came from a cache, or nobody could be reached."""
    detail: str = ""
    """Why there was no reply, how often it was repaired, what was cut from the view: for people."""
    unfit: tuple[Unfit, ...] = field(default=(), repr=False)
    """What of the reply did not fit its form: refused, kept elsewhere or cut. Digests of replays are older than it."""
    tokens_cached: int = field(default=0, repr=False)
    """Of `tokens_in`, those that the provider read from its cache, as far as it says."""
    measured: tuple[Measured, ...] = field(default=(), repr=False)
    """Which closed fields of the reply were measured, and what they would be otherwise."""

    def placed(self, seq: int, at: int) -> Envelope:
        """Return a copy with this sequence and time; faster than `replace`, and called for every event."""
        told = self.model, self.tokens_in, self.tokens_out, self.cost, self.elapsed, self.attempts, self.detail
        return Envelope(seq, at, *told, self.unfit, self.tokens_cached, self.measured)


PERSON = "person"
"""How a panel names a person."""


@value(frozen=True, slots=True)
class Opening:
    """The first entry of every journal: rules, panel, material and seed."""

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


@value(frozen=True, slots=True)
class Asked:
    """A line of the log: a seat was asked something."""

    ask: Ask
    phase: Enum
    round: int


@value(frozen=True, slots=True)
class Said:
    """A line of the log: a seat replied, or was absent."""

    ask: Ask
    reply: Reply | Absent
    phase: Enum
    round: int
    envelope: Envelope

    @property
    def from_cache(self) -> bool:
        """Whether the reply came from a cache, without asking anybody."""
        return self.envelope.attempts == 0 and not isinstance(self.reply, Absent)


@value(frozen=True, slots=True)
class Moved:
    """A line of the log: a phase was decided, and the session moved on."""

    move: Move
    round: int


@value(frozen=True, slots=True)
class Stopped:
    reason: Reason
    envelope: Envelope


@value(frozen=True, slots=True)
class Ruling:
    """A person's ruling on the conclusion; the conclusion itself does not change."""

    verdict: Enum
    by: str
    reason: str
    envelope: Envelope


Line = Asked | Said | Withdraw | Moved | Stopped | Conclusion | Ruling


@dataclass
class Record:
    """Everything that was asked, said and decided, in order. Append-only."""

    protocol: Protocol[Any]
    opening: Opening
    material: Mapping[str, str]
    """The texts deliberated about, by name."""
    session: Session[Any] = field(init=False)
    log: list[Line] = field(default_factory=list)
    envelopes: list[Envelope] = field(default_factory=list)
    _by_seat: dict[tuple[Seat, str], list[Said]] = field(default_factory=dict)
    _by_round: dict[tuple[str, int], list[Said]] = field(default_factory=dict)
    _times: dict[tuple[Seat, str], int] = field(default_factory=dict)
    """How often a seat was asked a brief."""
    _asked: dict[AskId, int] = field(default_factory=dict)
    """Which time that was, for each ask."""
    worked_out: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """What a view has worked out of the log so far, under its own name, so that a late round costs what an early one
    does. It follows from the log and says nothing new."""

    def __post_init__(self) -> None:
        self._fold(begin(self.protocol))

    def take(self, event: Event, envelope: Envelope, after: Step[Any] | None = None) -> Step[Any]:
        """Append one journaled event; raises, and changes nothing, if the rules do not allow it.

        `after` is the step that the caller has already made from this record's session with this event.
        """
        before = self.session
        after = after or step(self.protocol, before, event)
        self.envelopes.append(envelope)
        match event:
            case Replied(ask_id, reply):
                ask = before.ask(ask_id)
                assert ask is not None, "or there would have been no step"
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
        if not (after.moves or after.effects):
            return
        round_ = self.protocol.round(after.session.state)
        self.log += [Moved(move, self.protocol.round(move.before)) for move in after.moves]
        for effect in after.effects:
            match effect:
                case Ask():
                    self.log.append(Asked(effect, after.session.phase, round_))
                    key = effect.seat, effect.brief
                    self._asked[effect.id] = self._times[key] = self._times.get(key, 0) + 1
                case Withdraw():
                    self.log.append(effect)
                case _:
                    self.log.append(effect.conclusion)

    # What views and reports ask of it.

    def said(self, seat: Seat, *briefs: str, after: int = -1) -> list[Said]:
        """Return the replies of `seat` to these briefs after an entry, in order, without absences."""
        found = [said for brief in briefs for said in self._since(seat, brief, after)]
        return sorted(found, key=lambda said: said.envelope.seq) if len(briefs) > 1 else found

    def _since(self, seat: Seat, brief: str, after: int) -> list[Said]:
        """Search from the end, so that the cost does not grow with the number of earlier rounds."""
        newest = takewhile(lambda said: said.envelope.seq > after, reversed(self._by_seat.get((seat, brief), ())))
        return [said for said in newest if not isinstance(said.reply, Absent)][::-1]

    def latest(self, seat: Seat, *briefs: str) -> Said | None:
        """Return the last reply of `seat` to any of these briefs; None if there is none."""
        lasts = [said for brief in briefs if (said := self._last(seat, brief)) is not None]
        return max(reversed(lasts), key=lambda said: said.envelope.seq, default=None)

    def _last(self, seat: Seat, brief: str) -> Said | None:
        said = reversed(self._by_seat.get((seat, brief), ()))
        return next((each for each in said if not isinstance(each.reply, Absent)), None)

    def in_round(self, brief: str, round_: int) -> list[Said]:
        """Return the replies to `brief` in a round, in order of arrival, without absences."""
        return [s for s in self._by_round.get((brief, round_), ()) if not isinstance(s.reply, Absent)]

    def marked(self, ask: Ask, reply: Reply, *, whole: bool = True) -> Reply:
        """Return the reply with its marks on what its seat is shown; `whole` is false where its window cut that."""
        if not quotes_material(ask.form):
            return reply
        view = self.protocol.view(self, ask)
        marked = with_marks(reply, view.material())
        cut = hasattr(marked, "whole") and not (view.whole and whole)
        return cast("Reply", replace(cast("Any", marked), whole=False)) if cut else marked

    def measured(self) -> list[tuple[Said, Measured]]:
        """Return the measured fields of all replies, in the order of the journal."""
        return [(line, each) for line in self.log if isinstance(line, Said) for each in line.envelope.measured]

    def events(self) -> Iterator[tuple[Event, Envelope]]:
        """Yield the events and envelopes that the record was folded from, in order."""
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
        """Return the open asks for people: a person sits on the seat, or it is reserved for people."""
        people = self._people
        return tuple(ask for ask in (session or self.session).open if ask.seat in people) if people else ()

    @cached_property
    def nonce(self) -> str:
        """The nonce in the data markers of this session's prompts.

        The material's author cannot guess it: writing it there would change the digest it is derived from.
        """
        told = f"{self.opening.seed}\0{sorted(self.opening.material.items())}"
        return sha256(told.encode()).hexdigest()[:8]

    @cached_property
    def _people(self) -> frozenset[str]:
        return self.protocol.people | {seat for seat, who in self.opening.panel.items() if who == PERSON}

    @property
    def rulings(self) -> tuple[Ruling, ...]:
        """All rulings on the conclusion, in order; the last one counts."""
        return tuple(line for line in self.log if isinstance(line, Ruling))

    @property
    def ruling(self) -> Ruling | None:
        """The ruling that counts: the last one, or None."""
        return next(iter(self.rulings[-1:]), None)

    @property
    def waits_for_ruling(self) -> bool:
        """Whether the session concluded with a verdict that still needs a ruling."""
        conclusion = self.session.conclusion
        return conclusion is not None and conclusion.verdict in self.protocol.rulings and not self.rulings

    def was_asked(self, ask: AskId) -> bool:
        """Whether the session has ever issued this ask."""
        return ask in self._asked

    def occurrence(self, ask: Ask) -> int:
        """Return how often the seat had been asked this brief by then, this ask included."""
        return self._asked[ask.id]


def read(
    protocol: Protocol[Any],
    opening: Opening,
    material: Mapping[str, str],
    journal: Iterable[tuple[Event, Envelope]],
) -> Record:
    """Fold a whole journal into a record."""
    record = Record(protocol, opening, material)
    for event, envelope in journal:
        record.take(event, envelope)
    return record
