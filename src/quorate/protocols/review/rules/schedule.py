"""The maximum number of asks of a review: a ballot in every round, with the longest veto path between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quorate.core.forms import Reply
from quorate.core.protocol import Protocol
from quorate.core.types import Seat
from quorate.core.values import replace
from quorate.kit.schedule import Either, Schedule, Turn
from quorate.kit.settings import read_settings
from quorate.protocols.review.rules.forms import (
    Agreement,
    Amendment,
    Ballot,
    ClaimJudgements,
    Compromise,
    Doubts,
    Examination,
    Mediation,
    ReadPart,
    Tabling,
)
from quorate.protocols.review.rules.hits import MOST_HITS, Hits, Refutation
from quorate.protocols.review.rules.lines import MOST_LINES
from quorate.protocols.review.rules.model import (
    BUSINESS_DRIVER,
    CHAIR,
    CHECKS,
    MOST_CLAIMS,
    PROPOSER,
    SKEPTIC,
    Phase,
    ReviewSettings,
)
from quorate.protocols.review.rules.parts import MOST_FILES

MOST_ITEMS = 11
"""Of one ballot: ten items, and one that a veto comes to which does not count as one."""
MOST_READ = 10
"""Items of one reading."""
EXAMINED = (("examine", 1),)


def schedule(protocol: Protocol[Any], material: Mapping[str, str]) -> Schedule:
    """Return the longest possible review under these settings; claims are judged if there are any."""
    claims = material.get("claims", "").strip() not in ("", "[]", "{}", "null")
    longest = _Longest(read_settings(ReviewSettings, protocol.settings), claims)
    return tuple(longest.narrow() if longest.settings.narrow else longest.turns())


class _Longest:
    def __init__(self, settings: ReviewSettings, claims: bool) -> None:
        self.settings, self.claims = settings, claims
        self.members = tuple(map(Seat, settings.members))
        self.most = settings.persona_tokens
        self.read = MOST_READ * self.settings.readings
        """Items of all readings; one member may have raised them all (R46)."""
        self.ballots = (*EXAMINED, ("ballot", len(self.members)))

    def turns(self) -> Iterator[Turn | Either]:
        yield Turn(Phase.PROPOSAL, "examine", Examination, (CHECKS,))
        yield from self._read()
        yield self._table()
        yield from self._judged()
        for round_ in range(1, self.settings.rounds + 1):
            yield self._ballot(round_)
            if round_ < self.settings.rounds:
                yield Either((self._amended(), self._compromised(), (self._mediated(Phase.ABSTAIN),)))
        most = len(self.members) * MOST_ITEMS * self.settings.rounds + self.read  # items live on (R39)
        ways = [
            (self._doubted(phase, most), *self._agreed(phase))
            if self.settings.confirm_items
            else tuple(self._agreed(phase))
            for phase in (Phase.SYNTHESIS, Phase.ABSTAIN)
        ]
        yield Either(tuple(ways))

    def narrow(self) -> Iterator[Turn | Either]:
        """Yield a narrow review: as many questions as the settings allow, and one about each hit (R50 to R53)."""
        yield Turn(Phase.PROPOSAL, "examine", Examination, (CHECKS,))
        yield from self._of_parts("narrow", Hits, MOST_LINES)
        yield from self._judged()
        for _ in range(1, self.settings.rounds):
            yield Either(((*self._offered(), *self._judged()), ()))
        hits = MOST_HITS * self.settings.readings
        if self.settings.confirm_items and hits:
            most = self.most
            turn = Turn(Phase.SYNTHESIS, "refute", Refutation, (SKEPTIC,), hits, shows=(("narrow", 1),), most=most)
            yield Either(((turn,), (replace(turn, phase=Phase.ABSTAIN),)))

    def _read(self) -> Iterator[Either]:
        """Yield the readings: as many as the change brought needs, and as the settings allow if it is amended."""
        yield from self._of_parts("read", ReadPart, MOST_FILES)

    def _of_parts(self, brief: str, form: type[Reply], keys: int) -> Iterator[Either]:
        times = self.settings.readings
        if times and self.members:
            turn = Turn(
                Phase.PROPOSAL,
                brief,
                form,
                self.members,
                times,
                True,
                keys=keys,
                shows=EXAMINED,
                most=self.most,
            )
            yield Either(((turn,), ()))

    def _table(self) -> Turn:
        return Turn(Phase.PROPOSAL, "table", Tabling, (CHAIR,), shows=EXAMINED, most=self.most)

    def _ballot(self, round_: int) -> Turn:
        before = (("table", 1), ("ballot", len(self.members))) if round_ > 1 else ()
        shows = (*EXAMINED, *before, ("mediate", 1), ("compromise", 1))
        keys = MOST_FILES + MOST_ITEMS * (round_ - 1) + self.read
        return Turn(Phase.DEBATE, "ballot", Ballot, self.members, keys=keys, shows=shows, most=self.most)

    def _judged(self) -> tuple[Turn, ...]:
        """Return the turns in which claims are judged: beside the first ballot and after every amendment."""
        if not self.claims:
            return ()
        form = ClaimJudgements
        return (Turn(Phase.DEBATE, "judge", form, self.members, keys=MOST_CLAIMS, shows=EXAMINED, most=self.most),)

    def _offered(self) -> tuple[Turn, ...]:
        patches = (("amend", self.settings.rounds),)
        return (
            Turn(Phase.VETO, "amend", Amendment, (PROPOSER,), shows=self.ballots, most=self.most),
            Turn(Phase.VETO, "apply", Examination, (CHECKS,), shows=patches),
        )

    def _amended(self) -> tuple[Turn, ...]:
        return (*self._offered(), self._table(), *self._judged())

    def _compromised(self) -> tuple[Turn, ...]:
        if BUSINESS_DRIVER not in self.members:
            return self._offered()
        keys, shows = len(self.members), (*self.ballots, *self.ballots)
        offer = Turn(
            Phase.VETO, "compromise", Compromise, (Seat(BUSINESS_DRIVER),), keys=keys, shows=shows, most=self.most
        )
        return (*self._offered(), offer, self._mediated(Phase.VETO))

    def _mediated(self, phase: Phase) -> Turn:
        return Turn(phase, "mediate", Mediation, (CHAIR,), shows=self.ballots, most=self.most)

    def _doubted(self, phase: Phase, items: int) -> Turn:
        shows = (*self.ballots, *self.ballots)
        return Turn(phase, "doubt", Doubts, (SKEPTIC,), keys=items, shows=shows, most=self.most)

    def _agreed(self, phase: Phase) -> tuple[Turn, ...]:
        return (Turn(phase, "agree", Agreement, (CHAIR,), shows=self.ballots, most=self.most),)
