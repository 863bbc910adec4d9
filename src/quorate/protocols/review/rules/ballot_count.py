"""Counting ballots: what each stance counts as, which vetoes stand, which items block (R6 to R15, R22, R38 to R40)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.tally import Tally, TallyResult, Threshold, Vote, tally
from quorate.core.types import Replies, Seat
from quorate.core.values import replace
from quorate.kit.findings import Severity
from quorate.kit.qualification import NOTED, qualified, unqualified_facts
from quorate.protocols.review.rules.forms import Ballot, ClaimJudgements, FixItem
from quorate.protocols.review.rules.judgements import unmet_claims
from quorate.protocols.review.rules.model import (
    ADJUDICATOR,
    RULE_OF_VETO,
    WHOLE,
    Earlier,
    Item,
    Member,
    ReviewSettings,
    Rule,
    Stance,
    State,
    VetoClass,
    item_key,
    persona_of,
)
from quorate.protocols.review.rules.parts import is_read

VOTES = {
    Stance.SYNTHESIS: Vote.AYE,
    Stance.OPPOSE: Vote.NO,
    Stance.VETO: Vote.NO,
    Stance.ABSTAIN: Vote.ABSTAIN,
}
FILE = "F"
"""How the keys of files begin; a ballot's other keys are those of its member's open items."""
LIFTING = (Stance.SYNTHESIS, Stance.OPPOSE)


threshold = cache(Threshold.parse)
"""Read a share once; every ballot is counted against it."""
JUDGED = Threshold(1, 4)
"""The share of the committee that has to vote, for or against, for a quorum (R10)."""


def holds_veto(settings: ReviewSettings, seat: Seat) -> bool:
    """Return whether a member holds a veto (R8, R48)."""
    persona = persona_of(seat)
    named = persona == ADJUDICATOR or seat in settings.veto_holders or persona in settings.veto_holders
    return named and settings.counts(seat)


@dataclass(frozen=True, slots=True)
class Counted:
    """What one ballot counts as."""

    seat: Seat
    said: Stance
    stance: Stance
    veto: VetoClass = VetoClass.NONE
    """The class of the veto, where it counts as one."""

    def fact(self) -> Fact:
        return Fact.of("ballot", seat=self.seat, said=self.said.value, counts=self.stance.value, veto=self.veto.value)


def count_ballot(settings: ReviewSettings, seat: Seat, ballot: Ballot) -> Counted:
    """Return what a ballot counts as (R7, R8, R48)."""
    said = ballot.stance
    if not settings.counts(seat) or ballot.confidence < settings.abstain_below:
        return Counted(seat, said, Stance.ABSTAIN)
    if said is not Stance.VETO:
        return Counted(seat, said, said)
    if holds_veto(settings, seat) and ballot.veto_class is not VetoClass.NONE and not ballot.groundless:
        return Counted(seat, said, Stance.VETO, ballot.veto_class)
    return Counted(seat, said, Stance.OPPOSE)


# Items


OPEN, NOTE = "open", "note"
"""What becomes of an item when it is raised (R22)."""
TAKEN_BACK, GONE, UNGROUNDED = "taken back", "gone with an amendment", "ungrounded"
LIFTED, CAST_AGAIN = "lifted", "cast again"
"""How an open item ends, but for a refutation (R39)."""


@dataclass(frozen=True, slots=True)
class NewItem:
    """An item as it was raised: a fix item of a ballot, or what a veto becomes that does not count as one (R8, R38)."""

    item: Item
    became: str
    veto: VetoClass | None
    """The class of that veto; None for a fix item."""

    def fact(self) -> Fact:
        item, veto = self.item, "" if self.veto is None else self.veto.value
        told = {"path": item.path, "rule": item.rule.value, "severity": item.severity.value, "veto": veto}
        flags = {"grounded": item.grounded, "withheld": item.withheld}
        return Fact.of("raised", key=item.key, seat=item.seat, **told, **flags, became=self.became)


def raised_in(settings: ReviewSettings, state: State, ballots: Mapping[Seat, Ballot]) -> tuple[NewItem, ...]:
    """Return every item of a round, numbered on in the order of the committee (R22)."""
    found: list[NewItem] = []
    for member in state.members:
        if (ballot := ballots.get(member.seat)) is not None:
            found += _raised_by(settings, state, member.seat, ballot, state.raised + len(found))
    return tuple(found)


def _raised_by(settings: ReviewSettings, state: State, seat: Seat, ballot: Ballot, before: int) -> Iterator[NewItem]:
    """Yield the items of one ballot; of a veto that does not count as one, the item it becomes comes last."""
    yield from raised_as_items(settings, seat, ballot.items, before)
    counted = count_ballot(settings, seat, ballot)
    if ballot.stance is Stance.VETO and counted.stance is not Stance.VETO:
        kind = ballot.veto_class
        item = Item(
            item_key(before + len(ballot.items) + 1),
            seat,
            WHOLE,
            RULE_OF_VETO[kind],
            Severity.CRITICAL,
            grounded=not ballot.groundless,
            withheld=counted.stance is Stance.ABSTAIN and settings.counts(seat),
            own=kind in state.passed,
        )
        yield NewItem(item, OPEN if settings.counts(seat) else NOTED, kind)


def raised_as_items(settings: ReviewSettings, seat: Seat, items: Iterable[FixItem], before: int) -> Iterator[NewItem]:
    """Yield the fix items of one reply as they were raised, numbered on (R22, R48)."""
    for place, each in enumerate(items, start=1):
        path = each.path if each.path.startswith(FILE) else WHOLE
        item = Item(item_key(before + place), seat, path, each.rule, each.severity, each.quoted)
        opens = settings.item_blocks(each.severity) and not each.unfounded
        yield NewItem(item, (OPEN if opens else NOTE) if settings.counts(seat) else NOTED, None)


def is_carried(state: State, item: Item) -> bool:
    """Return whether an item has ground: its own, another member's on the same matter, or a check's (R40)."""
    if item.grounded or item.own:
        return item.grounded
    others = {(other.path, other.rule) for other in state.items if other.grounded and other.seat != item.seat}
    others |= {(path, rule) for seat, path, rule in state.noted if seat != item.seat}
    return (item.path, item.rule) in others.union(state.proved)


def noted(state: State, raised: Iterable[NewItem]) -> tuple[tuple[Seat, Key, Rule], ...]:
    """Return which notes carry what others say, these added: those whose evidence was found (R40)."""
    notes = [each.item for each in raised if each.became == NOTE and each.item.grounded]
    return tuple(dict.fromkeys((*state.noted, *((each.seat, each.path, each.rule) for each in notes))))


def blocking_items(state: State) -> tuple[Item, ...]:
    """Return the open items that stand in the way of an approval (R22, R40)."""
    return tuple(item for item in state.items if not item.withheld and is_carried(state, item))


def withheld_vetoes(state: State) -> tuple[Item, ...]:
    """Return the vetoes withheld for low confidence that have ground and that nobody has confirmed (R38)."""
    return tuple(item for item in state.items if item.withheld and is_carried(state, item))


def doubtful_items(state: State) -> tuple[Item, ...]:
    """Return what is put to the skeptic: what blocks, and what is withheld (R23)."""
    return tuple(item for item in state.items if is_carried(state, item))


def _ends(item: Item, ballot: Ballot | None, counted: Counted | None) -> str:
    """Return how the next ballot of its member ends an open item; empty where it does not (R38, R39)."""
    if ballot is None or counted is None:
        return ""
    if item.key in ballot.taken_back:
        return TAKEN_BACK
    if item.withheld and counted.stance is Stance.VETO and RULE_OF_VETO[counted.veto] is item.rule:
        return CAST_AGAIN
    return LIFTED if item.withheld and counted.stance is Stance.SYNTHESIS else ""


def ended(item: Item, became: str) -> Fact:
    """Return the fact that an open item has come to its end (R39)."""
    return Fact.of("ended", key=item.key, became=became)


# The count


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
    few: bool
    """Fewer voted than have to for a quorum (R10)."""
    state: State
    raised: tuple[NewItem, ...] = ()
    ended: tuple[tuple[Item, str], ...] = ()
    unqualified: tuple[Fact, ...] = ()
    """Who was heard and does not count (R48)."""

    @property
    def silent(self) -> int:
        """Members that abstained or were absent."""
        return self.members - self.tally.ayes - self.tally.noes

    def facts(self) -> tuple[Fact, ...]:
        numbers = self.tally
        return (
            *(ballot.fact() for ballot in self.ballots),
            *self.unqualified,
            Fact.of(
                "tally",
                synthesis=numbers.ayes,
                opposing=numbers.noes,
                abstained=numbers.abstained,
                absent=self.members - self.voted,
                arithmetic=numbers.arithmetic(),
            ),
            *self._warnings(),
            *(each.fact() for each in self.raised),
            *(ended(item, became) for item, became in self.ended),
        )

    def _warnings(self) -> Iterator[Fact]:
        if 2 * self.silent > self.members:
            yield Fact.of("majority-abstain", silent=self.silent, members=self.members)
        voted = self.members - self.silent
        if self.few and voted:
            yield Fact.of("few-voted", voted=voted, members=self.members, needed=JUDGED.fewest(self.members))
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
    raised = raised_in(settings, state, given)
    ends = [(item, _ends(item, given.get(item.seat), ballots.get(item.seat))) for item in state.items]
    kept = tuple(item for item, became in ends if not became)
    gone = tuple((item, became) for item, became in ends if became)
    asked = any(ask.form is ClaimJudgements for ask, _ in replies)
    after = replace(
        state,
        members=members,
        raised=state.raised + len(raised),
        items=(*kept, *(each.item for each in raised if each.became == OPEN)),
        noted=noted(state, raised),
        unmet=unmet_claims(state.claims, qualified(replies, settings.unqualified_seats)) if asked else state.unmet,
        judged=state.judged or asked,
        absent=len(given) < len(members),
        deserted=deserted,
    )
    after = seen_in_ballots(settings, after, given)
    few = not settings.literal and not JUDGED.met(votes.ayes + votes.noes, len(members))
    if not after.vetoed:
        quorate = votes.result is TallyResult.CARRIED and not (deserted or few)
        after = replace(after, quorate=quorate, opposed=votes.noes > 0 and not quorate)
    notes = unqualified_facts(replies, settings.unqualified_seats)
    return Count(tuple(ballots.values()), votes, len(members), len(given), asked, few, after, raised, gone, notes)


def seen_in_ballots(settings: ReviewSettings, state: State, given: Mapping[Seat, Ballot]) -> State:
    """Return the state after members were shown a change that is not divided, and replied (R45, R48)."""
    if state.divided:
        return state
    shown = [seat for seat, ballot in given.items() if ballot.whole and settings.counts(seat)]
    holders = [member.seat for member in state.members if holds_veto(settings, member.seat)]
    return replace(state, unread=tuple(part for part in state.unread if not is_read(part, shown, holders)))


def _after_ballot(member: Member, ballot: Counted | None) -> Member:
    """Return the member after its ballot; its veto stands until it votes otherwise (R13)."""
    if ballot is None or ballot.stance is Stance.ABSTAIN:
        return member
    if ballot.stance in LIFTING:
        return member if ballot.said is Stance.VETO else Member(member.seat)
    refused = member.earlier is Earlier.OFFERED
    return Member(member.seat, ballot.veto, member.earlier if refused else Earlier.NONE)
