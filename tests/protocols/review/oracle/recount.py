"""An independent recount of a round from RULES.md, without the protocol's own functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quorate.core.decisions import Fact
from quorate.core.forms import Key, Reply
from quorate.core.protocol import Moment
from quorate.core.types import Replies, Seat
from quorate.core.values import replace
from quorate.kit.findings import Severity
from quorate.protocols.review.rules.forms import Ballot, ClaimJudgements
from quorate.protocols.review.rules.model import Item, Judgement, ReviewSettings, Rule, Stance, State, VetoClass

M = Moment[State]
NOTED = "noted: whoever said it has not passed the exam"
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
    opened: tuple[Item, ...]
    """The items that the ballots raise and that are open (R22)."""
    ended: dict[Key, str]
    """How open items of before come to an end (R38, R39)."""
    noted: frozenset[tuple[Seat, Key, Rule]]
    """Notes whose evidence was found: member, file and rule (R40)."""
    facts: tuple[Fact, ...]
    ayes: int
    noes: int
    carried: bool
    """The quorum is met, a quarter voted, and enough members gave a ballot (R10, R12)."""
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
        if seat in self.settings.unqualified_seats:
            return False
        return "adjudicator" in names or not names.isdisjoint(self.settings.veto_holders)

    def _counted(self, moment: M) -> Round:
        counts: dict[Seat, Stance] = {}
        vetoes: dict[Seat, VetoClass] = {}
        raised: list[tuple[Item, str, str]] = []
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
                raised += self._raise_items(moment.state, ask.seat, reply, counted, len(raised))
        facts += told_of_notes(self.settings, moment)
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
        few = 4 * (ayes + noes) < members and self.settings.reading.value != "seed"
        if few and ayes + noes:
            needed = next(n for n in range(1, members + 1) if 4 * n >= members)
            facts.append(Fact.of("few-voted", voted=ayes + noes, members=members, needed=needed))
        if any(ask.form is ClaimJudgements for ask in moment.asks):
            facts += [
                Fact.of("claim unmet", key=key, judgement=each.value) for key, each in judged(self.settings, moment)
            ]
        for item, was, became in raised:
            told = {"path": str(item.path), "rule": item.rule.value, "severity": item.severity.value, "veto": was}
            flags = {"grounded": item.grounded, "withheld": item.withheld}
            facts.append(Fact.of("raised", key=item.key, seat=item.seat, **told, **flags, became=became))
        ended = self._ended(moment, counts)
        facts += [Fact.of("ended", key=key, became=became) for key, became in ended.items()]
        opened = tuple(item for item, _, became in raised if became == "open")
        carried = enough and not deserted and not few
        notes = [item for item, _, became in raised if became == "note" and item.grounded]
        noted = frozenset((item.seat, item.path, item.rule) for item in notes)
        return Round(
            counts,
            vetoes,
            opened,
            ended,
            noted,
            tuple(facts),
            ayes,
            noes,
            carried,
            deserted,
            unanimous=ayes + noes == members,
        )

    def _stance(self, seat: Seat, ballot: Ballot) -> Stance:
        """Return what a ballot counts as (R7, R8, R48)."""
        if seat in self.settings.unqualified_seats or ballot.confidence < self.settings.abstain_below:
            return Stance.ABSTAIN
        if ballot.stance is Stance.VETO:
            named = ballot.veto_class is not VetoClass.NONE and not ballot.groundless
            return Stance.VETO if named and self.holds_veto(seat) else Stance.OPPOSE
        return ballot.stance

    def _raise_items(
        self, state: State, seat: Seat, ballot: Ballot, counted: Stance, before: int
    ) -> list[tuple[Item, str, str]]:
        """Return the items of a ballot, with the veto that one was and what becomes of each (R8, R22, R38)."""
        made: list[tuple[Item, str, str]] = []
        number = state.raised + before
        for each in ballot.items:
            number += 1
            place = Key("F0") if each.path.startswith("I") else each.path
            item = Item(Key(f"I{number}"), seat, place, each.rule, each.severity, each.quoted)
            blank = each.unfounded
            blocks = self.settings.reading.value == "seed" or each.severity in self.blocking
            made.append((item, "", "open" if blocks and not blank else "note"))
        if ballot.stance is Stance.VETO and counted is not Stance.VETO:
            kind = ballot.veto_class
            item = Item(Key(f"I{number + 1}"), seat, Key("F0"), CHARGES[kind], Severity.CRITICAL)
            item = replace(item, grounded=not ballot.groundless, withheld=counted is Stance.ABSTAIN)
            made.append((replace(item, own=kind in state.passed), kind.value, "open"))
        if seat in self.settings.unqualified_seats:
            return [(replace(item, withheld=False), was, NOTED) for item, was, _ in made]
        return made

    def _ended(self, moment: M, counts: dict[Seat, Stance]) -> dict[Key, str]:
        """Return what ends in this round: what is taken back, and withheld vetoes that their members answer."""
        cast = {ask.seat: reply for ask, reply in moment.replies if isinstance(reply, Ballot)}
        found: dict[Key, str] = {}
        for item in moment.state.items:
            if item.seat not in cast:
                continue
            if item.key in cast[item.seat].taken_back:
                found[item.key] = "taken back"
            elif item.withheld and counts[item.seat] is Stance.VETO:
                if CHARGES[cast[item.seat].veto_class] is item.rule:
                    found[item.key] = "cast again"
            elif item.withheld and counts[item.seat] is Stance.SYNTHESIS:
                found[item.key] = "lifted"
        return found

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


def with_ground(state: State) -> tuple[Item, ...]:
    """Return the open items that stand on something: on themselves, on another member's, on a check's (R40)."""
    return tuple(item for item in state.items if item.grounded or (not item.own and _elsewhere(state, item)))


def _elsewhere(state: State, item: Item) -> bool:
    places = {(each.rule, each.path) for each in state.items if each.grounded and each.seat != item.seat}
    places |= {(rule, path) for path, rule in state.proved}
    places |= {(rule, path) for seat, path, rule in state.noted if seat != item.seat}
    return (item.rule, item.path) in places


def told_of_notes(settings: ReviewSettings, moment: M) -> list[Fact]:
    """Return what the record is told of everybody who spoke and does not count (R48)."""
    spoke = [ask.seat for ask, reply in moment.replies if isinstance(reply, Reply)]
    seats = [seat for place, seat in enumerate(spoke) if seat not in spoke[:place]]
    why = "its model has not passed the exam"
    return [Fact.of("unqualified", seat=seat, why=why) for seat in seats if seat in settings.unqualified_seats]


def judged(settings: ReviewSettings, moment: M) -> tuple[tuple[Key, Judgement], ...]:
    """Return the claims that did not pass; the worst judgement of each counts (R24, R48)."""
    given: dict[Key, set[Judgement]] = {Key(f"C{n}"): set() for n in range(1, moment.state.claims + 1)}
    for ask, reply in moment.replies:
        if isinstance(reply, ClaimJudgements) and ask.seat not in settings.unqualified_seats:
            for key, each in reply.claims.items():
                given[key].add(each.judgement)
    unmet: list[tuple[Key, Judgement]] = []
    for key, judgements in given.items():
        if Judgement.FAIL in judgements:
            unmet.append((key, Judgement.FAIL))
        elif Judgement.INSUFFICIENT_EVIDENCE in judgements or not judgements:
            unmet.append((key, Judgement.INSUFFICIENT_EVIDENCE))
    return tuple(unmet)
