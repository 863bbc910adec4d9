"""The first round alone: what each seat, and a plain vote, would have concluded before any saw another's reply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from quorate.core.record import Record, Said
from quorate.kit.judgement import Judging
from quorate.kit.positions import MATTER, Position
from quorate.worth.mind_changes import names

SIDES: Mapping[bool | None, str] = {True: "for", False: "against", None: "neither"}


@dataclass(frozen=True, slots=True)
class Alone:
    """The position of one seat on the matter before it saw any other."""

    seat: str
    stance: str
    holds: bool | None
    tokens: int
    """What its reply took."""


@dataclass(frozen=True, slots=True)
class FirstRoundVerdict:
    """The verdict of the protocol's own rules on the first round alone, computed from the recorded replies."""

    verdict: str
    tokens: int
    """What the replies took that this rests on."""
    all: bool
    """Whether these are all that there were."""


@dataclass(frozen=True, slots=True)
class FirstRound:
    """The first round compared with the whole session."""

    alone: tuple[Alone, ...]
    ruled: FirstRoundVerdict | None
    verdict: str | None
    """What the session concluded; None while it is under way."""
    side: bool | None
    """Whether that holds the matter good; None where it leaves it open."""
    tokens: int
    """What everything took until the last of the first positions was in."""
    of: int
    """What the whole session took."""
    sound: str
    unsound: str
    """What it means to hold the matter good or not, in the protocol's words."""

    @property
    def count(self) -> Mapping[bool | None, int]:
        held = Counter(each.holds for each in self.alone)
        return {side: held[side] for side in SIDES}

    @property
    def majority(self) -> bool | None:
        """The side of the majority of those that took one; None for a tie."""
        ayes, noes = self.count[True], self.count[False]
        return None if ayes == noes else ayes > noes

    @property
    def same(self) -> bool | None:
        """Whether a plain vote would have concluded the same as the session; None if not known."""
        if self.verdict is None:
            return None
        if self.ruled is not None:
            return self.ruled.verdict == self.verdict
        return self.majority is self.side

    @property
    def percent(self) -> int | None:
        """The share of the session's tokens that a plain vote would have taken; None if no tokens were counted."""
        tokens = self.tokens if self.ruled is None else self.ruled.tokens
        return _percent(tokens, self.of) if self.of else None

    @property
    def sentences(self) -> Iterator[str]:
        """Yield the comparison as sentences."""
        yield self._vote()
        if self.alone and self.verdict is not None and self.side is not None:
            yield from self._each(self.side)

    def _vote(self) -> str:
        share = "" if self.percent is None else f" with {self.percent} % of the tokens"
        if self.ruled is not None and self.ruled.all:
            return f"The session was no more than one round, counted by the protocol's own rules ({self.verdict})."
        if self.ruled is not None:
            what = "A plain vote in round 1, counted by the protocol's own rules, would have concluded"
            if self.same:
                return f"{what} the same ({self.ruled.verdict}){share}."
            return f"{what} {self.ruled.verdict}{share}; the deliberation changed that to {self.verdict}."
        sided = self.count[True] + self.count[False]
        most = max(self.count[True], self.count[False])
        if self.majority is None:
            what = f"A plain vote on the first positions would have been tied ({self.count[True]} to {most})"
        else:
            what = (
                f"A plain majority of the first positions ({most} of {sided}) would have held that "
                f"{self.sound if self.majority else self.unsound}"
            )
        if self.verdict is None:
            return f"{what}."
        if self.same:
            return f"{what}, as the session concluded ({self.verdict}){share and f'; it would have done so{share}'}."
        return f"{what}{share}; the session concluded {self.verdict}."

    def _each(self, side: bool) -> Iterator[str]:
        """Say what each seat alone would have concluded, and so whether one seat would have been enough."""
        told: list[str] = []
        for holds, remark in ((side, ", as the session did"), (not side, "")):
            if seats := [each.seat for each in self.alone if each.holds is holds]:
                verb = "" if told else "would have held "
                told.append(f"{names(seats)} {verb}that {self.sound if holds else self.unsound}{remark}")
        if neither := [each.seat for each in self.alone if each.holds is None]:
            told.append(f"{names(neither)} took no side")
        yield f"Alone, {'; '.join(told)}."
        if len(self.alone) > 1:
            same = [each for each in self.alone if each.holds is side]
            number = {0: "None", len(self.alone): "Each"}.get(len(same), str(len(same)))
            yield f"{number} of the {len(self.alone)} alone would have concluded as the session did{self._taken(same)}."

    def _taken(self, seats: list[Alone]) -> str:
        """Say what share of the tokens one reply of these seats took; empty if no tokens were counted."""
        shares = sorted(_percent(each.tokens, self.of) for each in seats) if self.of else []
        if not shares or not shares[-1]:
            return ""
        if len(shares) == 1:
            return f"; its reply took {shares[0]} % of the tokens"
        span = f"{shares[0]} to {shares[-1]}" if shares[0] < shares[-1] else str(shares[0])
        return f"; their replies took {span} % of the tokens each"


def first_round(
    record: Record, positions: Iterable[Position], judging: Judging | None, ruled: FirstRoundVerdict | None = None
) -> FirstRound | None:
    """Return the first-round comparison; None if no voter took a position before seeing others'."""
    found: dict[str, Position] = {}
    for each in positions:
        if each.about == MATTER and is_voter(record, judging, str(each.seat)):
            found.setdefault(str(each.seat), each)
    own = {seat: each for seat, each in found.items() if not each.shown}
    if not own and ruled is None:
        return None
    taken = [(line.envelope.seq, line.envelope.tokens_in + line.envelope.tokens_out) for line in _said(record)]
    by_seq = dict(taken)
    last = max((each.seq for each in own.values()), default=0)
    conclusion = record.session.conclusion
    sound, unsound = _words(judging)
    return FirstRound(
        tuple(Alone(seat, each.stance, each.holds, by_seq.get(each.seq, 0)) for seat, each in own.items()),
        ruled,
        conclusion.verdict.name if conclusion else None,
        side_of(judging, conclusion.verdict) if conclusion else None,
        sum(tokens for seq, tokens in taken if seq <= last),
        sum(tokens for _, tokens in taken),
        sound,
        unsound,
    )


def is_voter(record: Record, judging: Judging | None, seat: str) -> bool:
    """Whether a seat is a voter; if the protocol does not say, every seat is."""
    return judging is None or seat in judging.voters(record.protocol)


def side_of(judging: Judging | None, verdict: Enum) -> bool | None:
    """Whether a verdict approves the matter; None if it leaves that open."""
    if judging is None or verdict in judging.undecided:
        return None
    for favourable in (True, False):
        if any(verdict in each.right for each in judging.truths.values() if each.favourable is favourable):
            return favourable
    return None


def _words(judging: Judging | None) -> tuple[str, str]:
    truths = judging.truths.values() if judging is not None else ()
    sound = next((each.says for each in truths if each.favourable), "the matter is sound")
    return sound, next((each.says for each in truths if not each.favourable), "the matter is not sound")


def _percent(tokens: int, of: int) -> int:
    """Return a share in whole percent, halves rounded up."""
    return (200 * tokens + of) // (2 * of)


def _said(record: Record) -> Iterator[Said]:
    return (line for line in record.log if isinstance(line, Said))


def first_round_data(found: FirstRound | None) -> dict[str, Any] | None:
    """Return the comparison as plain data."""
    if found is None:
        return None
    return {
        "alone": [
            {"seat": each.seat, "stance": each.stance, "side": SIDES[each.holds], "tokens": each.tokens}
            for each in found.alone
        ],
        "vote": {SIDES[side]: count for side, count in found.count.items()},
        "majority": SIDES[found.majority] if found.alone else None,
        "by_the_rules": None if found.ruled is None else found.ruled.verdict,
        "concluded": found.verdict,
        "same": found.same,
        "tokens": found.tokens if found.ruled is None else found.ruled.tokens,
        "of": found.of,
    }
