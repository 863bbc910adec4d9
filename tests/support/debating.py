"""A debate at hand: the real protocol with the real briefs, driven reply by reply."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import quorate.protocols.debate as debate_package
from quorate.core.protocol import Protocol
from quorate.core.record import Envelope, Moved, Opening, Record, Said
from quorate.core.session import Cause, Conclusion, Move, Step
from quorate.core.types import Absent, AbsentReason, Ask, Event, Interrupted, Reason, Replied, Seat
from quorate.core.view import View
from quorate.kit.settings import plain, read_settings
from quorate.protocols.debate import build
from quorate.protocols.debate.rules.model import DebateSettings, Phase, State
from tests.support.filling import fill

PROBLEM = "A shop must answer orders within one second. It should be cheap to run."
TWO = ["architect", "security"]
THREE = ["architect", "security", "testing"]


@cache
def briefs() -> dict[str, str]:
    """The debate's prompt files by name."""
    folder = Path(debate_package.__file__).parent / "briefs"
    return {path.relative_to(folder).with_suffix("").as_posix(): path.read_text() for path in folder.rglob("*.md")}


def debate(seed: int = 7, **settings: Any) -> Protocol[State]:
    """Build a debate from plain settings."""
    return build(read_settings(DebateSettings, settings), briefs(), seed)


class Table:
    """A debate under way. Every method takes plain values; what was not said is filled in."""

    def __init__(self, seed: int = 7, problem: str = PROBLEM, context: str = "", **settings: Any) -> None:
        self.protocol = debate(seed, **settings)
        made = plain(read_settings(DebateSettings, settings))
        self.opening = Opening("debate", self.protocol.version, "", "A debate", seed, made, {}, {})
        self.material = {"problem": problem, "context": context}
        self.record = Record(self.protocol, self.opening, self.material)
        self.events: list[Event] = []

    # What goes in

    def take(self, event: Event) -> Step[State]:
        step = self.record.take(event, Envelope(seq=len(self.events) + 1))
        self.events.append(event)
        return step

    def say(self, seat: str, values: dict[str, Any] | None = None, /, **more: Any) -> Table:
        ask = self.ask(seat)
        self.take(Replied(ask.id, fill(ask, values, **more)))
        return self

    def absent(self, seat: str, reason: AbsentReason = AbsentReason.FAILED) -> Table:
        self.take(Replied(self.ask(seat).id, Absent(reason)))
        return self

    def rest(self, values: dict[str, Any] | None = None, /, **more: Any) -> Table:
        """Let everybody who is still asked reply, all with these values."""
        for ask in self.open:
            self.say(ask.seat, values, **more)
        return self

    def until(self, phase: Phase, round_: int | None = None) -> Table:
        """Let everybody reply until this phase (in this round) asks somebody."""
        while self.conclusion is None and not (self.phase is phase and round_ in (None, self.state.round)):
            self.rest()
        assert self.phase is phase, f"the debate never came to {phase.name}"
        return self

    def lose(self, *seats: str) -> Table:
        """Let these seats be absent from the phase under way until it goes on without them; the others reply."""
        entered, gone = self.phase, set(seats)
        while self.open and self.phase is entered and any(ask.seat in gone for ask in self.open):
            for ask in self.open:
                if ask.seat in gone:
                    self.absent(ask.seat)
                else:
                    self.say(ask.seat)
        return self

    def finish(self) -> Table:
        while self.conclusion is None:
            self.rest()
        return self

    def interrupt(self, reason: Reason) -> Table:
        self.take(Interrupted(reason))
        return self

    # What comes out

    @property
    def open(self) -> tuple[Ask, ...]:
        return self.record.session.open

    @property
    def phase(self) -> Any:
        return self.record.session.phase

    @property
    def state(self) -> State:
        state: State = self.record.session.state
        return state

    @property
    def conclusion(self) -> Conclusion | None:
        return self.record.session.conclusion

    @property
    def verdict(self) -> Any:
        assert self.conclusion is not None, f"the debate is still in {self.phase.name}"
        return self.conclusion.verdict

    def ask(self, seat: str) -> Ask:
        found = [ask for ask in self.open if ask.seat == seat]
        assert found, f"{seat} is not asked in {self.phase.name}, but {self.asked()} are"
        return found[0]

    def asked(self) -> list[str]:
        """Who is asked now, as `seat brief`."""
        return [f"{ask.seat} {ask.brief}" for ask in self.open]

    def view(self, seat: str) -> View:
        return self.protocol.view(self.record, self.ask(seat))

    def sections(self, seat: str) -> dict[str, str]:
        """What a seat is shown now, text by title."""
        return {section.title: section.text for section in self.view(seat).sections}

    def agent(self, seat: str) -> Any:
        return next(agent for agent in self.state.agents if agent.seat == Seat(seat))

    @property
    def moves(self) -> list[Move]:
        return [line.move for line in self.record.log if isinstance(line, Moved)]

    @property
    def rows(self) -> list[tuple[Any, Any]]:
        """The rows of the table taken so far, as (phase, outcome)."""
        return [(move.phase, move.outcome) for move in self.moves if move.cause is not Cause.INTERRUPTED]

    def absences(self) -> list[tuple[str, str]]:
        """Who was absent, and why, as the record keeps it."""
        said = ((line.ask.seat, line.reply) for line in self.record.log if isinstance(line, Said))
        return [(str(seat), reply.reason.value) for seat, reply in said if isinstance(reply, Absent)]

    def facts(self, name: str) -> list[dict[str, Any]]:
        return [dict(fact.values) for move in self.moves for fact in move.facts if fact.name == name]
