"""The positions of a council by cycle: which findings each seat held true, and whether it held the RFC sound.

A seat holds a finding that it raised, confirmed or supported; it holds it false where it disputed or opposed it, as
that counted (C16, C22). It holds the RFC sound while it holds no BLOCKER or MAJOR; where a gate has proven one there is
nothing for seats to hold. What was said in the phase under way is not looked into (C41).
"""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.forms import Key
from quorate.core.record import Record, Said
from quorate.core.types import Absent, Seat
from quorate.kit.positions import MATTER, Position
from quorate.protocols.council.rules.answers import counts_as
from quorate.protocols.council.rules.forms import Answers, Assessment, Ballots, Response, Vote
from quorate.protocols.council.rules.history import entry_of, facts, merges, moves, raisings
from quorate.protocols.council.rules.model import REVIEWERS, State
from quorate.protocols.council.rules.protocol import ARTIFACTS
from quorate.protocols.council.rules.result.findings import finding_id
from quorate.protocols.council.rules.result.overview import Overview
from quorate.protocols.council.rules.taxonomy import Severity

GRAVE, SOUND = "holds a grave finding", "holds no grave finding"
HOLDS_ANSWER = {Response.CONFIRM: True, Response.SEVERITY: True, Response.DISPUTE: False, Response.ABSTAIN: None}
HOLDS_VOTE = {Vote.SUPPORT: True, Vote.OPPOSE: False, Vote.ABSTAIN: None}
REVIEWING = frozenset(brief for brief, _ in ARTIFACTS.values())


def positions(record: Record) -> tuple[Position, ...]:
    """Return the positions of the seats, in the order in which they were stated."""
    found = _Found(record)
    over = {move.entry: move.before for move in moves(record)}
    for line in record.log:
        if isinstance(line, Said) and not isinstance(line.reply, Absent) and line.ask.seat in REVIEWERS:
            if entry_of(line) in over:
                found.take(line, over[entry_of(line)])
    return tuple(found.taken)


class _Found:
    def __init__(self, record: Record) -> None:
        self.reading = Overview(record)
        self.taken: list[Position] = []
        self._lines = {line.envelope.seq: entry_of(line) for line in record.log if isinstance(line, Said)}
        self._raised = raisings(record)
        self._into = {gone: kept for gone, (kept, _) in merges(record).items()}
        self._entries: dict[tuple[int, Seat], list[Key]] = {}
        for move, _, values in facts(record, "raised"):
            key, by = Key(str(values["key"])), Seat(str(values["by"]))
            self._entries.setdefault((move.entry, by), []).append(key)
        self._held: dict[Seat, dict[Key, Severity | None]] = {}
        """How severe each seat holds each finding; None where it does not hold it."""
        self._proven = any(each.proven and each.severity.at_least(Severity.MAJOR) for each in self._raised.values())

    def take(self, said: Said, state: State) -> None:
        """Add one reply; `state` is the state it was asked in."""
        held = self._held.setdefault(said.ask.seat, {})
        before = len(self.taken)
        match said.reply:
            case Answers():
                self.taken += self._answered(said, said.reply, state, held)
            case Ballots():
                self.taken += self._voted(said, said.reply, state, held)
            case Assessment():
                self.taken += self._raises(said, held)
            case _ if said.ask.brief in REVIEWING:
                self.taken += self._raises(said, held)
            case _:
                return  # a lens, a remediation or an edit is no position
        if not self._proven:
            grave = any(severity is not None and severity.at_least(Severity.MAJOR) for severity in held.values())
            shown = self._before(said, before)
            self.taken.append(self._position(said, MATTER, GRAVE if grave else SOUND, not grave, shown))

    def _position(
        self, said: Said, about: str, stance: str, holds: bool | None, shown: tuple[Seat, ...] = ()
    ) -> Position:
        return Position(said.ask.seat, said.round, about, stance, holds, said.envelope.seq, shown)

    def _before(self, said: Said, upto: int, about: str = MATTER) -> tuple[Seat, ...]:
        """Return the other seats whose earlier-phase words on this the seat is shown now (C19, C41)."""
        if said.ask.brief in REVIEWING:
            return ()  # everybody reviews alone first (C13)
        earlier = (
            each.seat
            for each in self.taken[:upto]
            if (each.about == about if about else each.about != MATTER)
            and each.seat != said.ask.seat
            and self._lines[each.seq] < entry_of(said)
        )
        return tuple(dict.fromkeys(earlier))

    def _root(self, key: Key) -> Key:
        """Return the finding that this one was merged into, or itself."""
        while key in self._into:
            key = self._into[key]
        return key

    def _raises(self, said: Said, held: dict[Key, Severity | None]) -> Iterator[Position]:
        for key in self._entries.get((entry_of(said), said.ask.seat), ()):
            root, severity, upto = self._root(key), self._raised[key].severity, len(self.taken)
            own = held.get(root)
            held[root] = severity if own is None else min(own, severity, key=lambda one: one.rank)
            about = finding_id(self.reading, root)
            yield self._position(said, about, f"raised as {severity.value}", True, self._before(said, upto, about))

    def _answered(
        self, said: Said, reply: Answers, state: State, held: dict[Key, Severity | None]
    ) -> Iterator[Position]:
        known = {each.key: each for each in state.findings}
        for key, answer in reply.answers.items():
            if known[key].proven:
                continue  # it is asked about for its remediation alone (C15)
            response = counts_as(answer)
            stance = response.value
            match response:
                case Response.CONFIRM:
                    held[key] = held.get(key) or known[key].severity
                case Response.SEVERITY:
                    held[key], stance = answer.severity, f"{response.value} {answer.severity.value}"
                case Response.DISPUTE:
                    held[key] = None
                case Response.ABSTAIN:
                    pass
            about = finding_id(self.reading, self._root(key))
            yield self._position(
                said, about, stance, HOLDS_ANSWER[response], self._before(said, len(self.taken), about)
            )

    def _voted(self, said: Said, reply: Ballots, state: State, held: dict[Key, Severity | None]) -> Iterator[Position]:
        known = {each.key: each for each in state.findings}
        for key, ballot in reply.votes.items():
            if key.startswith("S"):
                about = f"{finding_id(self.reading, Key(f'F{key[1:]}'))}, severity"
            elif key in known:
                about = finding_id(self.reading, key)
                if ballot.vote is Vote.SUPPORT:
                    held[key] = known[key].severity
                elif ballot.vote is Vote.OPPOSE:
                    held[key] = None
            else:
                about = f"{finding_id(self.reading, self.reading.proposals[key].finding)}, remediation {key}"
            shown = self._before(said, len(self.taken), about)
            yield self._position(said, about, ballot.vote.value, HOLDS_VOTE[ballot.vote], shown)
