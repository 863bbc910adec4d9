"""Views of the roundtable: the conversation for everybody, each seat's own role, and jobs for code (T28, T29)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from quorate.core.protocol import Blindness
from quorate.core.record import Record
from quorate.core.types import Ask, Seat
from quorate.core.view import Section, View, common
from quorate.protocols.roundtable.version_1.rules import announcements, job
from quorate.protocols.roundtable.version_1.rules.elaborations import elaborations, greeting
from quorate.protocols.roundtable.version_1.rules.forms import Turn
from quorate.protocols.roundtable.version_1.rules.matter import documents, topic
from quorate.protocols.roundtable.version_1.rules.model import CLASSIFIER, ENSEMBLE, PERSON, READER, USER, State
from quorate.protocols.roundtable.version_1.rules.open_disputes import latest
from quorate.protocols.roundtable.version_1.rules.personas import Cast, Persona
from quorate.protocols.roundtable.version_1.rules.protocol import may_elaborate
from quorate.protocols.roundtable.version_1.rules.result import document_line, item_line, written
from quorate.protocols.roundtable.version_1.rules.transcript import Conversation, LineKind, Spoken, conversation

JOB, TURN, PERSONAS = "Job", "Turn", "Personas"
"""Titles that code looks for."""
AT_TABLE = ("frame", "speak", "answer", "turn", "synthesise")
"""What is said in reply to these is heard by everybody; the rest is between one seat and code."""
MOST_HEADINGS = 30
LAST_WORDS = 4
CHOICES = "elaborate: talk it over with the personas. continue: go on{next}. {skip}text: leave feedback."

ADDED = "{} Code adds this to the open questions with both positions, so leave it out of yours."


@dataclass(frozen=True)
class Views:
    """The views of one cast."""

    cast: Cast
    roles: Mapping[str, str]
    """The role texts, by brief."""

    def __call__(self, record: Record, ask: Ask) -> View:
        sections: dict[str, Callable[[Record, Ask], Iterable[Section]]] = {
            "menu": self._menu,
            "frame": self._frame,
            "speak": self._speak,
            "answer": self._speak,
            "turn": self._turn,
            "read": self._read,
            "classify": self._classify,
            "clarify": self._clarify,
            "synthesise": self._synthesise,
            "append": lambda record, _: (_data(JOB, job.additions(record)),),
            "record": lambda record, _: (_data(JOB, job.entry(record)),),
        }
        own = self.cast.of(ask.seat)
        return View(f"roles/{ask.seat}" if own is not None else "", tuple(sections[ask.brief](record, ask)))

    # The person

    def _menu(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._topic(record)
        if greeted := greeting(record):
            yield Section("Earlier elaborations", "\n".join(greeted), cut=4)
        if (done := elaborations(record)) and done[-1].record:
            lines = [done[-1].summary]
            lines += [item_line(job.item_data(self.cast, kept)) for kept in done[-1].items]
            lines += [document_line(each) for each in written(record, done[-1])]
            yield Section("What came of the last one", "\n".join(lines), cut=3)
            if done[-1].record == "failed":
                yield Section("Warning", f"The record was not kept: {done[-1].detail}")
        settings = self.cast.settings
        choices = CHOICES.format(
            next=" with the next phase" if settings.at_phase_boundary else "",
            skip="" if settings.at_phase_boundary else "skip: leave out the rest of the phase. ",
        )
        if not may_elaborate(settings, state):
            choices = choices.partition("personas. ")[2]
        yield Section("Choices", choices, data=False)

    def _turn(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        now = conversation(record)
        spoken = [line for line in now.lines[now.since :] if line.kind not in (LineKind.DISAGREEMENT, LineKind.NUDGE)]
        told = [line for line in spoken if line.kind is not LineKind.WARNING]
        if said := [line for line in told if line.kind is not LineKind.INTRODUCTION]:
            intro = [line.text for line in told if line.kind is LineKind.INTRODUCTION]
            yield from (Section("Introduction", text, data=False) for text in intro)
            yield Section("Since your last turn", _lines(said), cut=1)
        for one, other in now.disputes:
            text = f"{one.line()}\n\n{other.line()}\n\n{announcements.arbitrate(one.first, other.first)}"
            yield Section("A disagreement for you to decide", text)
        if now.nudged:
            yield Section("A question", announcements.nudge(self.cast.lead), data=False)
        yield from self._warning(spoken)
        yield self._count(state)

    def _clarify(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield Section("Your words", _last_turn(record))
        yield Section("A question", announcements.question_back(), data=False)

    # Personas

    def _frame(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield from common(self._known(record))
        yield from self._as(self.cast.lead, ask.seat, "You lead this conversation.")

    def _known(self, record: Record) -> Iterator[Section]:
        """What every persona knows before anything is said."""
        yield from self._topic(record)
        yield self._table()
        yield from self._documents(record)
        yield from self._earlier(record)

    def _speak(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        now = conversation(record)
        speaker = self.cast.of(state.queue[0])
        assert speaker is not None
        yield from common(self._known(record))
        yield from self._heard(now)  # a conversation grows at its end, and what a seat has read of it is cached
        yield from self._warning(now.lines)
        yield self._count(state)
        leads = speaker.seat == self.cast.lead.seat
        role = "You lead, so you alone may redirect." if leads else "You do not lead, so you do not redirect."
        yield from self._as(speaker, ask.seat, role)

    def _synthesise(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from common((*self._topic(record), self._table()))
        names = [
            f"{key} {each['name']}: {_headings(str(each.get('text', '')))}" for key, each in documents(record).items()
        ]
        if names:
            yield Section("Documents, by key, with their headings", "\n".join(names), cut=4)
            yield Section("Document keys", ", ".join(documents(record)), data=False)
        now = conversation(record)
        yield from self._heard(now)
        if now.disputes:
            yield Section("Added by code", ADDED.format(_undecided(now)), data=False)
        said = ", ".join(f"{self.cast.called(key)} ({key})" for key in state.spoken)
        yield Section("Who has said something", said or "nobody", data=False)
        yield from self._as(self.cast.lead, ask.seat, "You lead, so you write it.")

    def _as(self, speaker: Persona, seat: Seat, what: str) -> Iterator[Section]:
        """Yield who speaks: with shared contexts one seat knows all roles and is told for whom it speaks (T1)."""
        if seat == ENSEMBLE:
            for each in self.cast.personas:
                yield Section(f"Role of {each.full}", self.roles[f"roles/{each.seat}"], data=False, cut=2)
        yield Section("You speak as", f"{speaker.full}. {what}", data=False)

    # What several views share

    def _topic(self, record: Record) -> Iterator[Section]:
        yield Section("Topic", topic(record))
        if item := announcements.boundary(self.cast.settings):
            yield Section("Item", item, data=False)

    def _table(self) -> Section:
        lines = [f"{each.full}, key {each.seat}" for each in self.cast.personas]
        lines[self.cast.personas.index(self.cast.lead)] += ", leads"
        return Section("At the table", "; ".join([*lines, f"the person, key {USER}"]), data=False)

    def _documents(self, record: Record) -> Iterator[Section]:
        for key, each in documents(record).items():
            if text := str(each.get("text", "")).strip():
                yield Section(f"Document {key} {each['name']}", text, cut=5)

    def _earlier(self, record: Record) -> Iterator[Section]:
        if greeted := greeting(record):
            yield Section("Earlier elaborations", "\n".join(greeted), cut=4)

    def _heard(self, now: Conversation) -> Iterator[Section]:
        """The conversation, what the person said last and what came after it apart, so that it is cut last."""
        lines = [
            line for line in now.lines if line.kind not in (LineKind.WARNING, LineKind.NUDGE, LineKind.INTRODUCTION)
        ]
        last = max((n for n, line in enumerate(lines) if line.kind is LineKind.USER), default=0)
        if lines[:last]:
            yield Section("Earlier in the conversation", _lines(lines[:last]), cut=3)
        if lines[last:]:
            yield Section("Just said", _lines(lines[last:]), cut=1)

    def _warning(self, lines: Iterable[Spoken]) -> Iterator[Section]:
        for line in lines:
            if line.kind is LineKind.WARNING:
                yield Section("Warning", line.text, data=False)

    def _count(self, state: State) -> Section:
        return Section("Turns", f"{state.turn} of {self.cast.settings.turns} are used.", data=False)

    # Reading a turn

    def _personas(self) -> Section:
        rows = [
            {"key": each.seat, "first": each.first, "name": each.name, "role": each.role} for each in self.cast.personas
        ]
        return _data(PERSONAS, rows)

    def _read(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield Section(TURN, _last_turn(record))
        yield self._personas()

    def _classify(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield self._personas()
        earlier = [line for line in conversation(record).lines if line.kind in (LineKind.FRAMING, LineKind.UTTERANCE)]
        yield Section("Said before", _lines(earlier[-LAST_WORDS:]), cut=3)
        yield Section(TURN, _last_turn(record))


def _last_turn(record: Record) -> str:
    said = record.latest(PERSON, "turn")
    return said.reply.text.text if said is not None and isinstance(said.reply, Turn) else ""


def _lines(lines: Iterable[Spoken]) -> str:
    return "\n\n".join(line.line() for line in lines)


def _undecided(now: Conversation) -> str:
    return " ".join(announcements.undecided(one.first, other.first) for one, other in latest(now.disputes))


def _headings(text: str) -> str:
    found = [line.lstrip("# ").strip() for line in text.splitlines() if line.startswith("#")]
    return "; ".join(found[:MOST_HEADINGS]) or "no headings"


def _data(title: str, data: Any) -> Section:
    return Section(title, json.dumps(data, ensure_ascii=False))


def blindness() -> Blindness:
    """What views must hide (T28)."""

    def hidden(ask: Ask, other: Ask) -> bool:
        if ask.seat == READER:
            return other.brief != "turn"
        if ask.seat == CLASSIFIER:
            return other.brief not in ("frame", "speak", "answer", "turn")
        if ask.seat == PERSON:
            return other.brief in ("menu", "read", "classify", "clarify")
        if ask.brief == "append":
            return other.brief not in ("synthesise", "frame", "speak", "answer")
        if ask.brief == "record":
            return other.brief != "synthesise"
        return other.brief not in AT_TABLE

    return Blindness(hidden, lambda _: frozenset())
