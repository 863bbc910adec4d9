"""Counting ballots: what each stance counts as, which vetoes stand, which items block (R6 to R15, R22)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.tally import Tally, TallyResult, Threshold, Vote, tally
from quorate.core.types import Replies, Seat
from quorate.core.values import replace
from quorate.kit.findings import Severity
from quorate.protocols.review.version_1.rules.forms import Ballot, ClaimJudgements, FixItem
from quorate.protocols.review.version_1.rules.model import (
    ADJUDICATOR,
    RULE_OF_VETO,
    WHOLE,
    Earlier,
    Item,
    Judgement,
    Member,
    ReviewSettings,
    Rule,
    Stance,
    State,
    VetoClass,
    claim_keys,
    persona_of,
)

VOTES = {
    Stance.SYNTHESIS: Vote.AYE,
    Stance.OPPOSE: Vote.NO,
    Stance.VETO: Vote.NO,
    Stance.ABSTAIN: Vote.ABSTAIN,
}
LIFTING = (Stance.SYNTHESIS, Stance.OPPOSE)
ORDER = {judgement: place for place, judgement in enumerate(Judgement)}


threshold = cache(Threshold.parse)
"""Read a share once; every ballot is counted against it."""


def holds_veto(settings: ReviewSettings, seat: Seat) -> bool:
    """Return whether a member holds a veto (R8)."""
    persona = persona_of(seat)
    return persona == ADJUDICATOR or seat in settings.veto_holders or persona in settings.veto_holders


@dataclass(frozen=True, slots=True)
class Counted:
    """What one ballot counts as."""

    seat: Seat
    said: Stance
    stance: Stance
    veto: VetoClass = VetoClass.NONE
    """The class of the veto, where it counts as one."""
    charge: Item | None = None
    """The item that a veto without the right to it becomes."""

    def fact(self) -> Fact:
        return Fact.of("ballot", seat=self.seat, said=self.said.value, counts=self.stance.value, veto=self.veto.value)


def count_ballot(settings: ReviewSettings, seat: Seat, ballot: Ballot) -> Counted:
    """Return what a ballot counts as (R7, R8)."""
    said = ballot.stance
    if ballot.confidence < settings.abstain_below:
        return Counted(seat, said, Stance.ABSTAIN)
    if said is not Stance.VETO:
        return Counted(seat, said, said)
    if holds_veto(settings, seat) and ballot.veto_class is not VetoClass.NONE and not ballot.groundless:
        return Counted(seat, said, Stance.VETO, ballot.veto_class)
    charge = Item(WHOLE, RULE_OF_VETO[ballot.veto_class], Severity.CRITICAL)
    return Counted(seat, said, Stance.OPPOSE, charge=charge)


def item_blocks(settings: ReviewSettings, item: FixItem) -> bool:
    """Return whether a member's item blocks; without evidence or consequence it is a note (R22)."""
    return settings.blocks(item.severity) and not item.unfounded


def blocking_items(settings: ReviewSettings, ballots: Iterable[Ballot], charges: Iterable[Item]) -> tuple[Item, ...]:
    """Return the items that block, one for each file and rule with the highest severity (R22)."""
    worst: dict[tuple[Key, Rule], Severity] = {}
    raised = [
        Item(item.path, item.rule, item.severity)
        for ballot in ballots
        for item in ballot.items
        if item_blocks(settings, item)
    ]
    for item in (*raised, *charges):
        before = worst.get((item.path, item.rule))
        if before is None or item.severity.rank < before.rank:
            worst[item.path, item.rule] = item.severity
    found = [Item(path, rule, severity) for (path, rule), severity in worst.items()]
    return tuple(sorted(found, key=lambda item: (len(item.path), item.path, item.rule.value)))


def unmet_claims(count: int, replies: Replies) -> tuple[tuple[Key, Judgement], ...]:
    """Return the claims that did not pass: the worst judgement wins, and no judgement is insufficient (R24)."""
    given: dict[Key, list[Judgement]] = {key: [] for key in claim_keys(count)}
    for _, reply in replies:
        if isinstance(reply, ClaimJudgements):
            for key, judged in reply.claims.items():
                given[key].append(judged.judgement)
    worst = {
        key: max(judgements, key=ORDER.__getitem__, default=Judgement.INSUFFICIENT_EVIDENCE)
        for key, judgements in given.items()
    }
    return tuple((key, judgement) for key, judgement in worst.items() if judgement is not Judgement.PASS)


@dataclass(frozen=True, slots=True)
class Count:
    """The count of one round."""

    ballots: tuple[Counted, ...]
    tally: Tally
    members: int
    voted: int
    """Members that gave a ballot, abstentions included."""
    judged: bool
    """Claims were judged in this round."""
    state: State

    @property
    def silent(self) -> int:
        """Members that abstained or were absent."""
        return self.members - self.tally.ayes - self.tally.noes

    def facts(self) -> tuple[Fact, ...]:
        numbers = self.tally
        return (
            *(ballot.fact() for ballot in self.ballots),
            Fact.of(
                "tally",
                synthesis=numbers.ayes,
                opposing=numbers.noes,
                abstained=numbers.abstained,
                absent=self.members - self.voted,
                arithmetic=numbers.arithmetic(),
            ),
            *self._warnings(),
        )

    def _warnings(self) -> Iterator[Fact]:
        if 2 * self.silent > self.members:
            yield Fact.of("majority-abstain", silent=self.silent, members=self.members)
        for key, judgement in self.state.unmet if self.judged else ():
            yield Fact.of("claim unmet", key=key, judgement=judgement.value)


def count_round(settings: ReviewSettings, state: State, replies: Replies) -> Count:
    """Count the replies of a round so far, without deciding anything."""
    given = {ask.seat: reply for ask, reply in replies if isinstance(reply, Ballot)}
    ballots = {seat: count_ballot(settings, seat, ballot) for seat, ballot in given.items()}
    votes = tally((VOTES[each.stance] for each in ballots.values()), threshold(settings.quorum))
    attendance = threshold(settings.attendance)
    deserted = not attendance.met(len(given), len(state.members))
    members = tuple(_after_ballot(member, ballots.get(member.seat)) for member in state.members)
    charges = (each.charge for each in ballots.values() if each.charge is not None)
    asked = any(ask.form is ClaimJudgements for ask, _ in replies)
    after = replace(
        state,
        members=members,
        unmet=unmet_claims(state.claims, replies) if asked else state.unmet,
        judged=state.judged or asked,
        absent=len(given) < len(members),
        deserted=deserted,
    )
    if not after.vetoed:
        quorate = votes.result is TallyResult.CARRIED and not deserted
        items = blocking_items(settings, given.values(), charges) if quorate else ()
        after = replace(after, quorate=quorate, items=items, opposed=votes.noes > 0 and not quorate)
    return Count(tuple(ballots.values()), votes, len(members), len(given), asked, after)


def _after_ballot(member: Member, ballot: Counted | None) -> Member:
    """Return the member after its ballot; its veto stands until it votes otherwise (R13)."""
    if ballot is None or ballot.stance is Stance.ABSTAIN:
        return member
    if ballot.stance in LIFTING:
        return member if ballot.said is Stance.VETO else Member(member.seat)
    refused = member.earlier is Earlier.OFFERED
    return Member(member.seat, ballot.veto, member.earlier if refused else Earlier.NONE)
