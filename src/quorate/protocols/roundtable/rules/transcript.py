"""The transcript, read from a record: who said what in which turn, and what code said in between."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from textwrap import indent

from quorate.core.decisions import Fact
from quorate.core.record import Moved, Record, Said
from quorate.core.session import Cause, Move
from quorate.core.types import AskId
from quorate.core.values import replace
from quorate.protocols.roundtable.rules import announcements
from quorate.protocols.roundtable.rules.forms import Framing, Turn, Utterance
from quorate.protocols.roundtable.rules.matter import cast_of, topic
from quorate.protocols.roundtable.rules.model import NUDGE_AFTER, USER, Outcome, Phase, State, Step
from quorate.protocols.roundtable.rules.personas import Cast, Persona
from quorate.protocols.roundtable.rules.strangers import stranger_in


class LineKind(Enum):
    INTRODUCTION = "introduction"
    FRAMING = "framing"
    ADDRESSED = "addressed"
    UTTERANCE = "utterance"
    USER = "user"
    REDIRECT = "redirect"
    WARNING = "warning"
    NUDGE = "nudge"
    QUESTION_BACK = "question back"
    DISAGREEMENT = "disagreement"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Spoken:
    """One utterance by a persona, by the user, or by code (without a speaker)."""

    elaboration: int
    turn: int
    """The count of turns when it was said, its own included."""
    kind: LineKind
    text: str
    speaker: str = ""
    """A persona's key, `user`, or empty for code."""
    first: str = ""
    role: str = ""
    ask: AskId | None = None
    """What it was said in reply to."""

    @property
    def prefix(self) -> str:
        """The speaker's prefix: `Maya (Business Analyst)`, `User`, or empty."""
        return f"{self.first} ({self.role})" if self.role else self.first

    def line(self) -> str:
        """Who said it and what; further lines are indented, so that none can pass for somebody else's words."""
        said = indent(self.text, "  ").removeprefix("  ")
        return f"{self.prefix}: {said}" if self.prefix else said


@dataclass(frozen=True, slots=True)
class Conversation:
    """The conversation of one elaboration so far."""

    number: int
    lines: tuple[Spoken, ...]
    since: int
    """From which line on the person has not been asked yet."""
    answered: int
    """From which line on nobody but personas and code has spoken."""
    disputes: tuple[tuple[Spoken, Spoken], ...]
    """Who challenged whom since the person last said something, with both positions; what is left of them at the end
    was not settled (T20)."""
    nudged: bool
    """The lead asks for thoughts (T18)."""


def transcript(record: Record) -> tuple[Spoken, ...]:
    """Return everything that was said in all elaborations, in order."""
    return tuple(line for each in conversations(record) for line in each.lines)


def conversations(record: Record) -> tuple[Conversation, ...]:
    """Every elaboration of a session, the one under way last."""
    reader = _Reader(cast_of(record), topic(record))
    for line in record.log:
        match line:
            case Said():
                reader.said = line
            case Moved(move):
                reader.take(move)
                reader.said = None
            case _:
                continue
    return tuple(reader.conversations())


def conversation(record: Record) -> Conversation:
    """The elaboration under way, or the last one."""
    found = conversations(record)
    return found[-1] if found else Conversation(0, (), 0, 0, (), False)


class _Reader:
    """Folds the moves of a session into its conversations."""

    def __init__(self, cast: Cast, topic: str) -> None:
        self.cast, self.topic = cast, topic
        self.said: Said | None = None
        self.done: list[Conversation] = []
        self.number = 0
        self._reset()

    def _reset(self) -> None:
        self.lines: list[Spoken] = []
        self.since = self.answered = 0
        self.disputes: list[tuple[Spoken, Spoken]] = []
        self.announced = 0
        self.silence: int | None = None
        """Utterances of personas since the person was silent; None while the person speaks."""

    def conversations(self) -> list[Conversation]:
        return [*self.done, self._now()] if self.number else []

    @property
    def _nudged(self) -> bool:
        return self.silence is not None and self.silence >= NUDGE_AFTER

    def _now(self) -> Conversation:
        lines, disputes = tuple(self.lines), tuple(self.disputes)
        return Conversation(self.number, lines, self.since, self.answered, disputes, self._nudged)

    def take(self, move: Move) -> None:
        before: State = move.before
        if move.cause is Cause.INTERRUPTED:
            if before.turn or before.step is Step.FRAME:
                told = announcements.cut_short if move.after.step is Step.END else announcements.wrapped_up
                self._add(LineKind.NOTICE, told(move.outcome.value), before.turn)
        elif move.phase is Phase.ENTRY:
            self._enter(move)
        elif move.phase is Phase.TOPIC_FRAMING:
            self._frame(move)
        elif move.phase is Phase.DISCUSSION_LOOP:
            self._talk(move, before)

    def _add(self, kind: LineKind, text: str, turn: int, by: Persona | None = None) -> None:
        who = (by.seat, by.first, by.role) if by is not None else ("", "", "")
        ask = self.said.ask.id if self.said is not None and by is not None else None
        self.lines.append(Spoken(self.number, turn, kind, text, *who, ask))

    def _enter(self, move: Move) -> None:
        if self.number:
            self.done.append(self._now())
        self.number = move.after.elaborations
        self._reset()
        self._add(LineKind.INTRODUCTION, announcements.introduction(self.cast, self.topic), 0)
        for fact in move.facts:
            if fact.name == "lead unknown":
                self._add(LineKind.NOTICE, announcements.unknown_lead(self.cast), 0)
            if fact.name == "many turns":
                self._add(LineKind.NOTICE, announcements.many_turns(self.cast.settings.turns), 0)

    def _frame(self, move: Move) -> None:
        reply, first = self.said.reply if self.said else None, self.cast.of(move.after.queue[0])
        assert first is not None
        if isinstance(reply, Framing):
            text = f"{reply.summary.text.strip()}\n\n{reply.question.text.strip()}".strip()
            self._add(LineKind.FRAMING, text, 1, self.cast.lead)
        else:
            self._add(LineKind.FRAMING, announcements.framing_by_code(self.cast, self.topic), 1)
        self._add(LineKind.ADDRESSED, announcements.asked_first(first), 1)
        self._warn(move.facts)

    def _talk(self, move: Move, before: State) -> None:
        match before.step:
            case Step.SPEAK:
                self._spoken(move, before)
            case Step.LISTEN:
                self._listened(move)
            case Step.CONFIRM:
                self._confirmed(move)
            case Step.LAST:
                self._ended(move)
            case _:
                self._read(move, before)
        self._warn(move.facts)
        if move.outcome is Outcome.LIMIT_REACHED:
            self._add(LineKind.NOTICE, announcements.limit_reached(self.cast.settings.turns), move.after.turn)
        elif move.outcome is Outcome.INACTIVE:
            self._add(LineKind.NOTICE, announcements.inactive(), move.after.turn)
        elif move.after.step is Step.LISTEN:
            self._hand_over(move.after.turn)
        elif move.outcome is Outcome.LAST_WORD:
            self._arbitrate(move.after.turn)
            self._add(LineKind.QUESTION_BACK, announcements.last_word(self.cast), move.after.turn)

    def _warn(self, facts: tuple[Fact, ...]) -> None:
        for fact in facts:
            if fact.name == "turn warning":
                values = dict(fact.values)
                turn, limit = int(values["turn"]), int(values["limit"])
                self._add(LineKind.WARNING, announcements.warning(turn, limit), turn)

    def _spoken(self, move: Move, before: State) -> None:
        speaker, reply = self.cast.of(before.queue[0]), self.said.reply if self.said else None
        assert speaker is not None
        told, did = {fact.name for fact in move.facts}, {test.outcome for test in move.because}
        if not isinstance(reply, Utterance):
            self._add(LineKind.NOTICE, announcements.missing(speaker), move.after.turn)
            return
        if Outcome.PASSED in did:
            if "nothing to add" in told:
                self._add(LineKind.NOTICE, announcements.nothing_to_add(speaker), move.after.turn)
            return
        kind = LineKind.REDIRECT if Outcome.REDIRECTED in did else LineKind.UTTERANCE
        self._add(kind, reply.says.text.strip(), move.after.turn, speaker)
        self.silence = None if self.silence is None else self.silence + 1
        for against in (str(dict(fact.values)["against"]) for fact in move.facts if fact.name == "disagreement"):
            position = next((line for line in reversed(self.lines[:-1]) if line.speaker == against), None)
            if position is not None:
                self.disputes.append((position, self.lines[-1]))

    def _listened(self, move: Move) -> None:
        reply = self.said.reply if self.said else None
        if move.outcome is Outcome.HEARD and isinstance(reply, Turn):
            self._heard(reply, move.after.turn)
        elif isinstance(reply, Turn) and reply.command:
            self._add(LineKind.NOTICE, announcements.no_command(), move.after.turn)
            self._ask_to_confirm(move)
            return
        elif self.silence is None:
            self.silence = 0
        self.since = len(self.lines)
        self._ask_to_confirm(move)

    def _heard(self, turn: Turn, count: int) -> None:
        ask = self.said.ask.id if self.said else None
        text = turn.text.text.strip()
        self.lines.append(Spoken(self.number, count, LineKind.USER, text, str(USER), "User", "", ask))
        if turn.words:
            self._settle()

    def _ended(self, move: Move) -> None:
        """The last word is heard, or there is none (T9)."""
        reply = self.said.reply if self.said else None
        if isinstance(reply, Turn) and reply.command:
            self._add(LineKind.NOTICE, announcements.no_command(), move.after.turn)
        elif isinstance(reply, Turn) and not reply.blank:
            self._heard(reply, move.after.turn)
            self.answered = len(self.lines)

    def _ask_to_confirm(self, move: Move) -> None:
        if move.after.step is Step.CONFIRM:
            self._add(LineKind.QUESTION_BACK, announcements.question_before_leaving(), move.after.turn)

    def _confirmed(self, move: Move) -> None:
        """Going on without a word costs a turn, and decides nothing else (T17)."""
        self.since = len(self.lines)

    def _read(self, move: Move, before: State) -> None:
        """What the user said is there already; now it is known what it counted."""
        self._ask_to_confirm(move)
        if move.after.step is Step.CLARIFY:
            self._add(LineKind.QUESTION_BACK, announcements.question_back(), move.after.turn)
        for near in (str(dict(fact.values)["nearest"]) for fact in move.facts if fact.name == "nobody of that name"):
            words = next(line.text for line in reversed(self.lines) if line.kind is LineKind.USER)
            name = stranger_in(words, [each.first for each in self.cast.personas])
            self._add(LineKind.NOTICE, announcements.nobody_called(self.cast, name, near), move.after.turn)
        if move.outcome in (Outcome.READ, Outcome.LAST_WORD, Outcome.EXIT_REQUESTED):
            self.silence = None
            self.answered = len(self.lines)
            if move.outcome is not Outcome.EXIT_REQUESTED:  # an exit alone decides nothing
                self._settle()
        elif move.outcome is Outcome.SILENT and self.silence is None:
            self.silence = 0
        if move.after.turn > before.turn:
            last = next(n for n in reversed(range(len(self.lines))) if self.lines[n].kind is LineKind.USER)
            self.lines[last] = replace(self.lines[last], turn=move.after.turn)

    def _settle(self) -> None:
        self.disputes, self.announced = [], 0

    def _hand_over(self, turn: int) -> None:
        """Before the person has the word: what is to be decided, and the question whether there are thoughts."""
        if not any(line.speaker or line.kind is LineKind.NOTICE for line in self.lines[self.since :]):
            self._add(LineKind.NOTICE, announcements.nobody_adds(), turn)
        self._arbitrate(turn)
        if self._nudged:
            self._add(LineKind.NUDGE, announcements.nudge(self.cast.lead), turn)

    def _arbitrate(self, turn: int) -> None:
        for one, other in self.disputes[self.announced :]:
            self._add(LineKind.DISAGREEMENT, announcements.arbitrate(one.first, other.first), turn)
        self.announced = len(self.disputes)
