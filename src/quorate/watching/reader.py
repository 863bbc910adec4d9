"""Turn the happenings of one session into notes.

Only the process that appends an entry makes a note of it; entries written by others make none. So each is noted once,
however many processes follow a session.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from time import monotonic
from typing import assert_never

from quorate.codec.replies import reply_to_data
from quorate.core.record import Moved as MovedLine
from quorate.core.record import Record, Said
from quorate.core.record import Ruling as RulingLine
from quorate.core.record import Stopped as StoppedLine
from quorate.core.types import Absent, Ask, Interrupted, Replied, Ruled
from quorate.runtime.happenings import Called, Calling, Concluded, Happening, Saying, Waiting, Writing, Wrote
from quorate.watching import notes
from quorate.watching.notes import REPLIED, About, Note, Who, who


class NoteTaker:
    """Turns the happenings of a session that this process drives or writes to into notes."""

    def __init__(self, about: About, record: Record, *, prose: bool = False) -> None:
        self.about, self._record, self._prose = about, record, prose
        self._phase_began = _phase_began(about, record)
        self._under_way: dict[str, Who] = {}
        self._names: dict[str, Who] = {}
        self._writing: tuple[Writing, float] | None = None

    def read(self, happening: Happening) -> Iterator[Note]:
        """Yield the notes of a happening; streaming text makes none."""
        match happening:
            case Calling(ask, participant, _):
                self._under_way[ask.id] = self._names[ask.id] = who(participant)
                yield notes.Asking(ask.id, ask.seat, self._under_way[ask.id])
            case Called(ask):
                yield from self._over(ask.id)
            case Writing():
                self._writing = (happening, monotonic())
            case Wrote():
                yield from self._wrote(happening)
            case Waiting(asks):
                yield notes.Waits(tuple(sorted({str(ask.seat) for ask in asks})))
            case Saying() | Concluded():  # a conclusion is told with the entry that led to it
                return
            case _:
                assert_never(happening)

    def leave(self, error: str = "") -> Iterator[Note]:
        """Yield the notes to send when this process stops driving the session."""
        for ask in list(self._under_way):
            yield from self._over(ask)
        yield notes.Left(error)

    def _over(self, ask: str) -> Iterator[Note]:
        if (known := self._under_way.pop(ask, None)) is not None:
            yield notes.Asked(ask, known)

    def _wrote(self, wrote: Wrote) -> Iterator[Note]:
        began, at = self._phase_began, wrote.envelope.at
        if wrote.moves:
            self._phase_began = at
        if self._writing is None or not self._writing[0].seq <= wrote.entry.seq <= self._writing[0].last:
            return  # it is somebody else's
        yield notes.Written(type(wrote.event).__name__.lower(), monotonic() - self._writing[1])
        if wrote.entry.seq == self._writing[0].last:
            self._writing = None
        match wrote.event:
            case Replied(ask_id):
                yield self._answered(ask_id, began)
            case Interrupted(reason):
                yield notes.Stopped(reason.value)
            case Ruled(verdict):
                yield notes.Ruling(verdict)
            case _:
                assert_never(wrote.event)
        for move in wrote.moves:
            yield notes.Moved(move.entry, move.phase.name, move.outcome.name, move.to.name, move.cause.value, began, at)
            began = at
        if wrote.moves and (ended := self._ended(at)) is not None:
            yield ended

    def _answered(self, ask_id: str, asked: int) -> Note:
        said = next(line for line in reversed(self._record.log) if isinstance(line, Said) and line.ask.id == ask_id)
        if isinstance(said.reply, Absent):
            outcome, words = said.reply.reason.value, None
        else:
            outcome = REPLIED
            words = json.dumps(reply_to_data(said.reply), ensure_ascii=False) if self._prose else None
        return notes.Answered(
            ask=ask_id,
            entry=int(ask_id.partition(".")[0]),
            seat=said.ask.seat,
            brief=said.ask.brief,
            phase=said.phase.name,
            who=self._names.get(ask_id) or self._sits(said.ask, said.envelope.model),
            outcome=outcome,
            envelope=said.envelope,
            asked=asked,
            said=words,
        )

    def _sits(self, ask: Ask, named: str) -> Who:
        """Return who answered without being called by this process; usually a person."""
        return who(named or self._record.opening.panel.get(ask.seat, ""))

    def _ended(self, at: int) -> Note | None:
        conclusion = self._record.session.conclusion
        if conclusion is None:
            return None
        envelopes = self._record.envelopes
        costs = [envelope.cost for envelope in envelopes]
        return notes.Ended(
            verdict=conclusion.verdict.name,
            degradation=conclusion.degradation.name.lower(),
            interrupted=conclusion.interrupted.value if conclusion.interrupted is not None else "",
            at=at,
            tokens_in=sum(envelope.tokens_in for envelope in envelopes),
            tokens_out=sum(envelope.tokens_out for envelope in envelopes),
            cost=None if None in costs else sum(cost or 0 for cost in costs),
        )


def _phase_began(about: About, record: Record) -> int:
    """Return when the current phase began: at the last entry that moved the session."""
    began = at = about.began
    for line in record.log:
        match line:
            case Said(envelope=envelope) | StoppedLine(envelope=envelope) | RulingLine(envelope=envelope):
                at = envelope.at
            case MovedLine():
                began = at
            case _:
                continue
    return began
