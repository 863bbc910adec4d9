"""An independent recount of a round from RULES.md, without the protocol's own functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.protocol import Moment
from quorate.core.types import Replies, Seat
from quorate.kit.findings import Severity
from quorate.protocols.review.rules.forms import Ballot, ClaimJudgements
from quorate.protocols.review.rules.model import Item, Judgement, ReviewSettings, Rule, Stance, State, VetoClass

M = Moment[State]
WORST_FIRST = (Severity.CRITICAL, Severity.HIGH, Severity.MEDIUM, Severity.LOW)
CHARGES = {
    VetoClass.NONE: Rule.CORRECTNESS,
    VetoClass.RULE_VIOLATION: Rule.HOUSE_RULE,
    VetoClass.HARD_CODED_SECRET: Rule.SECRET,
    VetoClass.SECURITY_HOLE: Rule.SECURITY,
    VetoClass.CIRCULAR_DEPENDENCY: Rule.STRUCTURE,
    VetoClass.UNDOCUMENTED_CONTRACT: Rule.PUBLIC_CONTRACT,
}
"""What the item of a veto without the right to it is about (R8)."""


@dataclass(slots=True)
class Round:
    """The result of the ballots of one round."""

    counts: dict[Seat, Stance]
    """What each ballot counts as; a member that is missing here was absent (R9)."""
    vetoes: dict[Seat, VetoClass]
    items: tuple[Item, ...]
    facts: tuple[Fact, ...]
    ayes: int
    noes: int
    carried: bool
    """The quorum is met, and enough members gave a ballot (R10, R12)."""
    deserted: bool
    unanimous: bool
    """Nobody abstained and nobody was absent (R15)."""


class Recount:
    """Recounts rounds under some settings. The last one is cached, since every invariant looks at it in turn."""

    def __init__(self, settings: ReviewSettings) -> None:
        self.settings = settings
        self.quorum = tuple(int(part) for part in settings.quorum.split("/"))
        self.attendance = tuple(int(part) for part in settings.attendance.split("/"))
        self.blocking = frozenset(WORST_FIRST[: WORST_FIRST.index(settings.blocking_severity) + 1])
        self._replies: Replies | None = None
        self._round: Any = None

    def of(self, moment: M) -> Round:
        """Return the result of the ballots of this moment."""
        if self._replies is not moment.replies:
            self._round, self._replies = self._counted(moment), moment.replies
        round_: Round = self._round
        return round_

    def holds_veto(self, seat: Seat) -> bool:
        names = {str(seat), seat.split(":")[0]}
        return "adjudicator" in names or not names.isdisjoint(self.settings.veto_holders)

    def _counted(self, moment: M) -> Round:
        counts: dict[Seat, Stance] = {}
        vetoes: dict[Seat, VetoClass] = {}
        worst: dict[tuple[Key, Rule], Severity] = {}
        facts: list[Fact] = []
        for ask, reply in moment.replies:
            if isinstance(reply, Ballot):
                counted = self._stance(ask.seat, reply)
                counts[ask.seat] = counted
                veto = reply.veto_class if counted is Stance.VETO else VetoClass.NONE
                if counted is Stance.VETO:
                    vetoes[ask.seat] = veto
                said = reply.stance.value
                facts.append(Fact.of("ballot", seat=ask.seat, said=said, counts=counted.value, veto=veto.value))
                self._raise_items(reply, counted, worst)
        ayes, noes, abstained = self._votes(counts)
        members = len(moment.state.members)
        top, bottom = self.attendance
        deserted = bottom * len(counts) < top * members
        enough, arithmetic = self._arithmetic(ayes, ayes + noes)
        facts.append(
            Fact.of(
                "tally",
                synthesis=ayes,
                opposing=noes,
                abstained=abstained,
                absent=members - len(counts),
                arithmetic=arithmetic,
            )
        )
        if members - ayes - noes > ayes + noes:
            facts.append(Fact.of("majority-abstain", silent=members - ayes - noes, members=members))
        if any(ask.form is ClaimJudgements for ask in moment.asks):
            facts += [Fact.of("claim unmet", key=key, judgement=each.value) for key, each in judged(moment)]
        items = tuple(Item(path, rule, worst[path, rule]) for path, rule in sorted(worst, key=_by_file))
        carried = enough and not deserted
        return Round(
            counts, vetoes, items, tuple(facts), ayes, noes, carried, deserted, unanimous=ayes + noes == members
        )

    def _stance(self, seat: Seat, ballot: Ballot) -> Stance:
        """Return what a ballot counts as (R7, R8)."""
        if ballot.confidence < self.settings.abstain_below:
            return Stance.ABSTAIN
        if ballot.stance is Stance.VETO:
            named = ballot.veto_class is not VetoClass.NONE and not ballot.groundless
            return Stance.VETO if named and self.holds_veto(seat) else Stance.OPPOSE
        return ballot.stance

    def _raise_items(self, ballot: Ballot, counted: Stance, worst: dict[tuple[Key, Rule], Severity]) -> None:
        """Add the blocking items, with the highest severity for each file and rule (R8, R22)."""
        raised = [(item.path, item.rule, item.severity) for item in ballot.items if not item.unfounded]
        if ballot.stance is Stance.VETO and counted is Stance.OPPOSE:
            raised.append((Key("F0"), CHARGES[ballot.veto_class], Severity.CRITICAL))
        for path, rule, severity in raised:
            if severity in self.blocking:
                known = worst.get((path, rule), severity)
                worst[path, rule] = min(known, severity, key=WORST_FIRST.index)

    def _votes(self, counts: dict[Seat, Stance]) -> tuple[int, int, int]:
        stances = list(counts.values())
        noes = stances.count(Stance.OPPOSE) + stances.count(Stance.VETO)
        return stances.count(Stance.SYNTHESIS), noes, stances.count(Stance.ABSTAIN)

    def _arithmetic(self, ayes: int, voting: int) -> tuple[bool, str]:
        """Return whether the quorum of R10 is met, and the arithmetic as text."""
        top, bottom = self.quorum
        met = voting > 0 and bottom * ayes >= top * voting
        result = "carried" if met else "lost" if voting else "no electorate"
        return met, (
            f"{bottom} x {ayes} ayes = {bottom * ayes} against {top} x {voting} = {top * voting} "
            f"({top}/{bottom} of those who voted aye or no): {result}"
        )


def _by_file(place: tuple[Key, Rule]) -> tuple[int, str]:
    """Sort key of items: by file, then by rule."""
    path, rule = place
    return int(path[1:]), rule.value


def judged(moment: M) -> tuple[tuple[Key, Judgement], ...]:
    """Return the claims that did not pass; the worst judgement of each counts (R24)."""
    given: dict[Key, set[Judgement]] = {Key(f"C{n}"): set() for n in range(1, moment.state.claims + 1)}
    for _, reply in moment.replies:
        if isinstance(reply, ClaimJudgements):
            for key, each in reply.claims.items():
                given[key].add(each.judgement)
    unmet: list[tuple[Key, Judgement]] = []
    for key, judgements in given.items():
        if Judgement.FAIL in judgements:
            unmet.append((key, Judgement.FAIL))
        elif Judgement.INSUFFICIENT_EVIDENCE in judgements or not judgements:
            unmet.append((key, Judgement.INSUFFICIENT_EVIDENCE))
    return tuple(unmet)
