"""Progress of a session for views: the phase, current speakers, cost, and the latest replies."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from time import monotonic, time
from typing import TYPE_CHECKING, assert_never

from quorate.cli.reply_words import closed_values, gist
from quorate.cli.text import count, one_line, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quorate.core.record import Line, Record, Said
    from quorate.core.session import Move
    from quorate.core.types import Ask
    from quorate.runtime.happenings import Calling, Happening, Wrote

LONGEST_SPEECH = 100_000
"""Characters of streaming text that are kept for the live view; no form allows more."""
SHORTEST_TOLD = 50
"""Milliseconds that round to more than 0.0 s."""


class Tone(Enum):
    ASKED = "asked"
    SAID = "said"
    ABSENT = "absent"
    MOVED = "moved"
    FACT = "fact"
    STOPPED = "stopped"
    WAITING = "waiting"
    CONCLUDED = "concluded"


@dataclass(frozen=True, slots=True)
class ProgressLine:
    """One thing that happened, as text; `gist` is a summary of the reply, if there was one."""

    tone: Tone
    at: float
    phase: str
    round: int
    outcome: str
    seat: str = ""
    brief: str = ""
    gist: str = ""


@dataclass
class Speaking:
    """A participant that has been asked and has not finished."""

    ask: Ask
    participant: str
    since: float
    text: str = ""
    cut: bool = False
    """Its view was shortened to fit its window."""


@dataclass
class Progress:
    """Folds happenings into what a view shows, on its own record, so that views cannot disturb the session."""

    record: Record
    known: int | None = None
    """How many lines of the record's log have been shown; None if all that it has."""
    from_afar: bool = False
    """Another process runs the session: who has been asked is read off the record, since no call is heard."""
    speaking: dict[str, Speaking] = field(default_factory=dict)
    tally: str = ""
    began: float = field(default_factory=monotonic)

    @property
    def phase(self) -> str:
        return self.record.session.phase.name

    @property
    def round(self) -> int:
        return self.record.protocol.round(self.record.session.state)

    @property
    def tokens(self) -> int:
        return sum(envelope.tokens_in + envelope.tokens_out for envelope in self.record.envelopes)

    @property
    def cost(self) -> int | None:
        """Cost in millionths of a US dollar; None if a price is unknown."""
        costs = [envelope.cost for envelope in self.record.envelopes]
        return None if None in costs else sum(cost or 0 for cost in costs)

    def missed(self) -> list[ProgressLine]:
        """Return the lines of what happened before anybody watched and was not shown, once: answers, what followed."""
        log = self.record.log
        lines = log[len(log) if self.known is None else self.known :]
        self.known = None
        return list(self._told(lines, self.record.envelopes[-1].at / 1000)) if lines else []

    def take(self, happening: Happening) -> list[ProgressLine]:
        """Process a happening and return its lines."""
        from quorate.runtime.happenings import Called, Calling, Concluded, Saying, Waiting, Writing, Wrote

        match happening:
            case Calling():
                return [self._calling(happening)]
            case Saying(ask, text):
                if (speaker := self.speaking.get(ask.id)) is not None:
                    speaker.text = (speaker.text + text)[:LONGEST_SPEECH]
                return []
            case Called(ask):
                self.speaking.pop(ask.id, None)
                return []
            case Writing():
                return []
            case Wrote():
                return list(self._wrote(happening))
            case Waiting(asks):
                return [self._line(Tone.WAITING, f"waits for ask {ask.id}", ask) for ask in asks]
            case Concluded(conclusion):
                return [self._line(Tone.CONCLUDED, conclusion.verdict.name)]
        assert_never(happening)

    def _line(self, tone: Tone, outcome: str, ask: Ask | None = None, at: float = 0.0, gist: str = "") -> ProgressLine:
        seat, brief = (str(ask.seat), ask.brief) if ask is not None else ("", "")
        return ProgressLine(tone, at or time(), self.phase, self.round, outcome, seat, brief, gist)

    def _calling(self, calling: Calling) -> ProgressLine:
        ask = calling.ask
        self.speaking[ask.id] = Speaking(ask, calling.participant, monotonic(), cut=bool(calling.cuts))
        cuts = "; ".join(
            f"{one_line(cut.title, 40)} cut to {cut.shown:,} of {cut.of:,} characters" for cut in calling.cuts
        )
        return self._line(Tone.ASKED, f"asked {calling.participant}" + (f" ({cuts})" if cuts else ""), ask)

    def _wrote(self, wrote: Wrote) -> Iterator[ProgressLine]:
        before = len(self.record.log)
        self.record.take(wrote.event, wrote.envelope)
        at = wrote.envelope.at / 1000
        yield from self._told(self.record.log[before:], at)
        self._keep_open(at)

    def _told(self, lines: list[Line], at: float) -> Iterator[ProgressLine]:
        from quorate.core.record import Moved, Said, Stopped

        for line in lines:
            match line:
                case Said():
                    at = line.envelope.at / 1000
                    yield self._said(line, at)
                case Stopped(reason, envelope):
                    why = f": {envelope.detail}" if envelope.detail else ""
                    yield self._line(Tone.STOPPED, f"interrupted ({reason.value}){why}", at=at)
                case Moved(move, round_):
                    yield from self._moved(move, round_, at)
                case _:
                    continue

    def _keep_open(self, at: float) -> None:
        """Drop withdrawn asks. For a session driven elsewhere, assume that everybody who was asked is working."""
        open_asks = {ask.id: ask for ask in self.record.session.open}
        for ask_id in set(self.speaking) - set(open_asks):
            del self.speaking[ask_id]
        for ask_id, ask in open_asks.items():
            if self.from_afar and ask_id not in self.speaking:
                since = monotonic() - max(0.0, time() - at)
                self.speaking[ask_id] = Speaking(ask, self.record.opening.panel.get(ask.seat, ""), since)

    def _said(self, said: Said, at: float) -> ProgressLine:
        from quorate.core.form_values import unfit_text
        from quorate.core.types import Absent

        envelope, phase = said.envelope, said.phase.name
        seat, brief = str(said.ask.seat), said.ask.brief
        if isinstance(said.reply, Absent):
            why = f": {one_line(envelope.detail, 200)}" if envelope.detail else ""
            return ProgressLine(
                Tone.ABSENT, at, phase, said.round, f"absent ({said.reply.reason.value}){why}", seat, brief
            )
        parts = ["replied"]
        if envelope.elapsed >= SHORTEST_TOLD:
            parts.append(f"in {seconds(envelope.elapsed / 1000)}")
        if tokens := envelope.tokens_in + envelope.tokens_out:
            parts.append(f"with {count(tokens, 'token')}")
        if envelope.attempts > 1:
            parts.append(f"after {envelope.attempts} attempts")
        outcome = " ".join(parts)
        if envelope.unfit:
            outcome += f" ({unfit_text(envelope.unfit)})"
        if closed := closed_values(said.reply):
            outcome += f"; {closed}" + (" (measured)" if envelope.measured else "")
        # What a check says is data for programs; what it came to stands in its closed values.
        words = "" if said.ask.seat in self.record.protocol.checks else gist(said.reply, 400)
        return ProgressLine(Tone.SAID, at, phase, said.round, outcome, seat, brief, words)

    def _moved(self, move: Move, round_: int, at: float) -> Iterator[ProgressLine]:
        for fact in move.facts:
            words = " ".join([fact.name, *(f"{name}={value}" for name, value in fact.values)])
            if "tally" in fact.name:
                self.tally = words
            yield ProgressLine(Tone.FACT, at, move.phase.name, round_, words)
        cause = "" if move.cause.value == "decided" else f" ({move.cause.value})"
        yield ProgressLine(Tone.MOVED, at, move.phase.name, round_, f"{move.outcome.name} -> {move.to.name}{cause}")
