"""Replay recorded answers under other rules: which asks a recorded reply answers, and which none does.

A recorded reply answers an ask of the same seat, brief, occurrence and form, about the same keys or about some of them
if the reply names no others. Interruptions are replayed in their place. Rulings are left out, because they are on the
recorded verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from quorate.core.form_values import keys_in, with_marks
from quorate.core.forms import Reply
from quorate.core.record import Asked, Record, Said, Stopped
from quorate.core.session import Withdraw
from quorate.core.types import Absent, Ask, AskId, Interrupted, Replied, Seat

Place = tuple[Seat, str, int]
"""Which ask: the seat, the brief, and which time it is asked this, from 1."""


@dataclass(frozen=True, slots=True)
class NotRecorded:
    """An ask of the other rules without a recorded reply."""

    seat: str
    brief: str
    phase: str
    round: int
    keys: tuple[str, ...]
    why: str

    def __str__(self) -> str:
        return f"{self.seat} would be asked to {self.brief} in {self.phase}, round {self.round}: {self.why}"


def still_answers(then: Ask, now: Ask, reply: Reply | Absent | None) -> bool:
    """Return whether the reply to an ask is one to another: about the same keys, or about fewer if it names no others.

    Where there is no reply, only the same keys will do.
    """
    if then.keys == now.keys:
        return True
    if reply is None or not set(now.keys) < set(then.keys):
        return False
    return isinstance(reply, Absent) or set(keys_in(reply)) <= set(now.keys)


def listed(ask: Ask) -> str:
    """Return what an ask is about."""
    return ", ".join(map(str, ask.keys)) or "nothing in particular"


class Recording:
    """The replies of a session, indexed by seat, brief and occurrence, with what each seat was shown."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.asks: dict[Place, Ask] = {}
        self.said: dict[Place, Said] = {}
        self.withdrawn: set[Place] = set()
        places: dict[AskId, Place] = {}
        times: Counter[tuple[Seat, str]] = Counter()
        for line in record.log:
            match line:
                case Asked(ask, _, _):
                    times[ask.seat, ask.brief] += 1
                    place = (ask.seat, ask.brief, times[ask.seat, ask.brief])
                    places[ask.id], self.asks[place] = place, ask
                case Said():
                    self.said[places[line.ask.id]] = line
                case Withdraw(ask_id):
                    self.withdrawn.add(places[ask_id])
                case _:
                    continue
        self.places = places
        self.views = dict(self._views())

    def _views(self) -> Iterator[tuple[Place, tuple[str, str]]]:
        """Return what each ask showed its seat, from the record as it was then."""
        again = Record(self.record.protocol, self.record.opening, self.record.material)
        told: set[AskId] = set()
        for event, envelope in self.record.events():
            for ask in again.session.open:
                if ask.id not in told:
                    told.add(ask.id)
                    yield self.places[ask.id], _shown(again, ask)
            again.take(event, envelope)

    def why_not(self, place: Place, ask: Ask) -> str:
        """Return why no recorded reply answers an ask; empty if one does."""
        seat, brief, occurrence = place
        then = self.asks.get(place)
        if then is None:
            asked = max((each for s, b, each in self.asks if (s, b) == (seat, brief)), default=0)
            if asked:
                times = "once" if asked == 1 else f"{asked} times"
                return f"it was asked this {times}, and this would be time {occurrence}"
            return "it was never asked this" if seat in self.record.protocol.seats else "nobody sat there"
        if then.form is not ask.form and then.form.__name__ != ask.form.__name__:
            return f"it was asked for {then.form.__name__}, and would be asked for {ask.form.__name__}"
        said = self.said.get(place)
        if not still_answers(then, ask, said.reply if said is not None else None):
            return f"it was asked about {listed(then)}, and would be asked about {listed(ask)}"
        if said is not None:
            return ""
        return "its ask was withdrawn before it answered" if place in self.withdrawn else "it has not answered yet"


class Play:
    """Plays the recorded events in order under the other rules."""

    def __init__(self, record: Record, recording: Recording) -> None:
        self.record, self.recording = record, recording
        self.reused = 0
        self.otherwise: list[str] = []
        self.interruptions: list[str] = []
        self._views: dict[AskId, tuple[str, str]] = {}
        self._places: dict[AskId, Place] = {}
        self._times: Counter[tuple[Seat, str]] = Counter()
        self._there: set[Place] = set()
        """The replies that have come so far, used or not."""
        self._waiting: set[Place] = set()
        """The asks of the recorded session that are open at this point."""
        self._read = 0
        self._look()

    def meet(self) -> None:
        """Play all recorded events in order, up to a verdict or an ask without a recorded reply."""
        places = self.recording.places
        for line in self.recording.record.log:
            if self.record.session.conclusion is not None:
                return
            match line:
                case Asked(ask, _, _):
                    self._waiting.add(places[ask.id])
                case Withdraw(ask_id):
                    self._waiting.discard(places[ask_id])
                case Said():
                    self._waiting.discard(places[line.ask.id])
                    self._there.add(places[line.ask.id])
                    self._answer()
                case Stopped(reason, envelope) if reason in self.record.protocol.interrupts:
                    if not all(map(self._is_known, self.record.session.open)):
                        return  # what would have been answered before the interruption nobody knows
                    self.record.take(Interrupted(reason), envelope)
                    self._look()
                    self.interruptions.append(f"{reason.value} (entry {envelope.seq})")
                    self._answer()
                case _:
                    continue

    def _look(self) -> None:
        """Index every new ask: its occurrence, and what it shows its seat."""
        for line in self.record.log[self._read :]:
            if isinstance(line, Asked):
                ask = line.ask
                self._times[ask.seat, ask.brief] += 1
                self._places[ask.id] = (ask.seat, ask.brief, self._times[ask.seat, ask.brief])
                self._views[ask.id] = _shown(self.record, ask)
        self._read = len(self.record.log)

    def _is_known(self, ask: Ask) -> bool:
        """Whether an ask has a recorded reply, or was still open in the recording too."""
        place = self._places[ask.id]
        then = self.recording.asks.get(place)
        waited = place in self._waiting and then is not None and then.keys == ask.keys
        return waited or not self._why_not(ask)

    def _answer(self) -> None:
        """Answer every open ask whose reply has come, the earliest first, until none is left."""
        while self.record.session.conclusion is None:
            ready = [
                (self.recording.said[place].envelope.seq, ask, place)
                for ask in self.record.session.open
                if (place := self._places[ask.id]) in self._there and not self._why_not(ask)
            ]
            if not ready:
                return
            _, ask, place = min(ready, key=lambda each: each[0])
            said = self.recording.said[place]
            if self._views[ask.id] != self.recording.views[place]:
                self.otherwise.append(f"{ask.seat}, {ask.brief}, round {said.round}")
            self.record.take(Replied(ask.id, said.reply), said.envelope)
            self._look()
            self.reused += 1

    def _why_not(self, ask: Ask) -> str:
        place = self._places[ask.id]
        if why := self.recording.why_not(place, ask):
            return why
        reply = self.recording.said[place].reply
        if self._views[ask.id] == self.recording.views[place] or isinstance(reply, Absent):
            return ""
        if self.record.marked(ask, with_marks(reply)) == reply:
            return ""
        return "it would be shown another text, by which its answer means another thing"

    def missing(self) -> Iterator[NotRecorded]:
        """The asks without a recorded reply."""
        session = self.record.session
        for ask in session.open if session.conclusion is None else ():
            why = self._why_not(ask) or "the session was interrupted before it answered"
            round_ = self.record.protocol.round(session.state)
            yield NotRecorded(str(ask.seat), ask.brief, session.phase.name, round_, tuple(map(str, ask.keys)), why)


def _shown(record: Record, ask: Ask) -> tuple[str, str]:
    """Return the text that an ask shows its seat, and the text that may be quoted."""
    view = record.protocol.view(record, ask)
    return view.text(), view.material()
