"""The walk through a session: from the entries alone, who is asked, what follows, and how it ends.

Nothing that the bundle derives is looked at; `stated` compares it with what is found here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quorate_verifier.report import Difference, shown
from quorate_verifier.rules import EPISODES, ESCALATION, STALL, Heard, Rules

DECIDED, SETTLED, INTERRUPTED = "decided", "settled early", "interrupted"
OPEN, REPLIED, ABSENT, WITHDRAWN = "open", "replied", "absent", "withdrawn"
MOST_SILENT_MOVES = 100


class Refused(Exception):
    """An entry that cannot stand where it does; the message says why."""


@dataclass(slots=True)
class Ask:
    """One ask that follows, with what became of it."""

    id: str
    seat: str
    brief: str
    keys: tuple[str, ...] | None
    """None where these are not derived."""
    phase: str
    round: int
    status: str = OPEN
    reply: Mapping[str, Any] | None = None
    why: str = ""
    """The reason of an absence."""

    @property
    def answer(self) -> str:
        return self.why if self.status == ABSENT else self.status


@dataclass(frozen=True, slots=True)
class Move:
    """One move that follows."""

    entry: int
    phase: str
    round: int
    cause: str
    outcome: str
    to: str
    facts: tuple[tuple[str, dict[str, Any]], ...] = ()
    asks: tuple[Ask, ...] = ()


class Walk:
    """One session gone through: its `moves`, its `asks`, and its end if it has one."""

    def __init__(self, entries: Sequence[Mapping[str, Any]], rules: Rules) -> None:
        self.entries, self.rules = entries, rules
        self.phase, self.number = rules.initial, 0
        self.moves: list[Move] = []
        self.asks: dict[str, Ask] = {}
        self.now: list[Ask] = []
        """The asks of the phase under way."""
        self.pending: str | None = None
        self.reason: str | None = None
        """Why it is being wrapped up."""
        self.episodes = self.idle = 0
        self.verdict: str | None = None
        self.degradation = ""
        self.broken: Difference | None = None
        """Where the entries stop being what a session can bring."""

    def go(self) -> Walk:
        """Take every entry up to the first that cannot be."""
        place = "/entries/0/body"
        try:
            self._enter()
            for index, entry in enumerate(self.entries[1:], start=1):
                place = f"/entries/{index}/body"
                self._take(entry["body"])
        except Refused as refusal:
            self.broken = Difference(place, str(refusal), "an event that the rules allow here")
        except Exception as error:  # a hostile bundle may have anything anywhere; whatever it is, it does not hold
            told = f"it cannot be derived from: {type(error).__name__} {error}"
            self.broken = Difference(place, told[:200], "replies that fit")
        return self

    def _take(self, body: Mapping[str, Any]) -> None:
        if "ruled" in body:
            if self.verdict is None:
                raise Refused(f"it rules on a session that stands in {self.phase}")
            self.rules.ruled.append(body["ruled"])
        elif self.verdict is not None:
            raise Refused(f"it comes after the session has concluded with {self.verdict}")
        elif "interrupted" in body:
            self._interrupted(body["interrupted"])
        else:
            self._replied(body)

    def _replied(self, body: Mapping[str, Any]) -> None:
        ask = next((each for each in self.now if each.id == body.get("ask")), None)
        if ask is None or ask.status != OPEN:
            raise Refused(f"it answers {shown(body.get('ask'))}, which is not open in {self.phase}")
        if "reply" in body:
            ask.status, ask.reply = REPLIED, body["reply"]
        else:
            ask.status, ask.why = ABSENT, str(body.get("absent"))
        if all(each.status != OPEN for each in self.now):
            self._move(DECIDED)
        elif self.phase in self.rules.settling and self.rules.certain(self.phase, self._heard()):
            self._move(SETTLED)

    def _heard(self) -> list[Heard]:
        return [
            Heard(each.seat, each.brief, each.keys or (), each.reply, each.status in (REPLIED, ABSENT))
            for each in self.now
        ]

    def _interrupted(self, reason: str) -> None:
        """An interruption acts at once or after the phase; the first one that waits counts, but for a detour."""
        if reason not in self.rules.interrupts:
            raise Refused(f"{shown(reason)} leads nowhere here")
        if reason == self.reason:
            return
        if reason not in self.rules.after:
            self._divert(reason)
        elif self.rules.interrupts[reason] != self.phase and (
            self.pending is None or (self.pending == ESCALATION and reason != ESCALATION)
        ):
            self.pending = reason

    def _left(self, round_: int, cause: str, outcome: str, to: str) -> None:
        for each in self.now:
            each.status = WITHDRAWN if each.status == OPEN else each.status
        facts = tuple(self.rules.facts) if cause != INTERRUPTED else ()
        self.moves.append(Move(self.number, self.phase, round_, cause, outcome, to, facts, tuple(self.now)))
        self.phase, self.number, self.now = to, self.number + 1, []

    def _decide(self, cause: str) -> None:
        round_ = self.rules.round
        self.rules.facts = []
        outcome = self.rules.decide(self.phase, self._heard())
        self._left(round_, cause, outcome, self.rules.table[self.phase][outcome])

    def _move(self, cause: str) -> None:
        stalled = self._stalls()
        self._decide(cause)
        reason = self.pending or (STALL if stalled else None)
        if reason is None or self.phase in self.rules.ends:
            self._enter()
        elif self.rules.interrupts[reason] == self.phase:  # it stands already where that would lead
            self.reason = self.reason if reason == ESCALATION else reason
            self.pending = None
            self._enter()
        else:
            self._divert(reason)

    def _stalls(self) -> bool:
        """Count the replies in a row without progress, phase by phase; say whether that is their limit."""
        if self.phase in self.rules.settling:
            return False
        counted = [each for each in self.now if each.seat not in self.rules.uncounted]
        if any(each.reply is not None and self.rules.progress(each.brief, each.reply) for each in counted):
            self.idle = 0
            return False
        self.idle += len(counted)
        limit = self.rules.settings.get("stall_after") if self.reason != STALL else None
        return bool(counted) and limit is not None and self.idle >= limit

    def _divert(self, reason: str) -> None:
        round_ = self.rules.round
        self.rules.cut_short = self._heard()
        self.rules.interrupt(self.phase, reason)
        self._left(round_, INTERRUPTED, reason, self.rules.interrupts[reason])
        self.pending = None
        if reason != ESCALATION:
            self.reason, self.idle = reason, 0
        self._enter()

    def _enter(self) -> None:
        """Enter the phase, and pass through all that ask nobody."""
        for _ in range(MOST_SILENT_MOVES):
            if self.phase in self.rules.ends:
                self.verdict, self.degradation = self.rules.verdict(self.phase), self.rules.degradation()
                return
            if asked := self.rules.asked(self.phase):
                counted = sum(seat not in self.rules.uncounted for seat, *_ in asked)
                limit = self.rules.settings.get("max_episodes") if self.reason != EPISODES else None
                if limit is not None and self.episodes + counted > limit:
                    self._divert(EPISODES)
                    return
                self.episodes += counted
                for place, (seat, brief, *keys) in enumerate(asked):
                    named = () if not keys else None if keys[0] is None else tuple(keys[0])
                    self.now.append(Ask(f"{self.number}.{place}", seat, brief, named, self.phase, self.rules.round))
                self.asks |= {each.id: each for each in self.now}
                return
            self._decide(DECIDED)
        raise Refused(f"{MOST_SILENT_MOVES} phases ask nobody")
