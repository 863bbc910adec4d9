"""Simulated agents on the seats of a real protocol, run by the engine's `begin` and `step` without model calls.

A moment is a session that waits for replies, together with what every seat holds and has said. What each asked seat may
hold next is a small exact law, so a session is a walk over moments, and equal moments are one. `runs` follows all
walks with their probabilities; where there are too many it draws some.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from quorate.core.engine import begin, check_reply, step
from quorate.core.errors import SettingError, nearest
from quorate.core.form_values import seal
from quorate.core.forms import Reply
from quorate.core.protocol import Protocol
from quorate.core.session import Session
from quorate.core.types import Absent, AbsentReason, Ask, AskId, Replied, Seat
from quorate.kit.judgement import Judging, Mind, Opinion
from quorate.simulate.agents import Agents, Law, adopted
from quorate.simulate.choices import Choice, Option, drawn
from quorate.simulate.voters import MOST_ENUMERATED, ONE, ZERO, Source, Voters, draw, joint

WRONG = Opinion(False)
CERTAIN = Opinion(True)
"""What a seat holds that judges nothing: a chair, a check, a person."""
MISSING = Absent(AbsentReason.FAILED)
MOST_STARTS = 60_000
"""Combinations of opinions at the beginning up to which all of them are followed."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How long texts are, in tokens: the matter as every seat is shown it, and one reply."""

    matter: int = 2_000
    reply: int = 500


@dataclass(slots=True, eq=False)
class Moment:
    """A session at rest: what each asked seat may do, and where that leads."""

    session: Session[Any]
    held: tuple[Opinion, ...]
    """By judging seat."""
    said: tuple[bool | None, ...]
    """By judging seat: what it last said."""
    choices: tuple[Choice, ...]
    asks: int
    people: int
    tokens: int
    verdict: Enum | None = None
    grade: bool | None = None
    round: int = 0
    replies: dict[tuple[AskId, int], Reply | Absent] = field(default_factory=dict)
    next: dict[tuple[int, ...], Moment] = field(default_factory=dict)

    @property
    def ways(self) -> int:
        """In how many ways the asked seats can reply together."""
        return prod(len(choice.options) for choice in self.choices) if self.choices else 0


class Table:
    """One protocol with simulated agents on all its seats, under one truth."""

    def __init__(self, protocol: Protocol[Any], judging: Judging, agents: Agents, truth: str, sizes: Sizes) -> None:
        if truth not in judging.truths:
            known = list(judging.truths)
            raise SettingError(
                f"is {truth!r}", key="truth", expected="one of " + ", ".join(known), nearest=nearest(truth, known)
            )
        self.protocol, self.judging, self.agents, self.sizes = protocol, judging, agents, sizes
        self.truth, self.name = judging.truths[truth], truth
        self.voters, self.fill = judging.voters(protocol), judging.filling(protocol)
        self.malicious, self.obstructing = _dishonest(self.voters, agents)
        objection = Opinion(not self.truth.favourable, found=True, obstructs=True)
        self.settled = dict.fromkeys(self.malicious, WRONG) | dict.fromkeys(self.obstructing, objection)
        self.seats = (*self.voters, *(seat for seat in judging.judges if seat in protocol.seats))
        self.honest = [place for place, seat in enumerate(self.seats) if seat not in self.settled]
        self.erring: Voters | None = agents.voters(len(self.honest)) if self.honest else None
        self.alike = [
            [place for place in self.honest if self.seats[place] in group] for group in protocol.interchangeable
        ]
        self.place = {seat: place for place, seat in enumerate(self.seats)}
        self.moments: dict[Hashable, Moment] = {}
        self.moves = 0
        kinds = [seat in self.voters for seat in self.seats]  # who votes also finds, who judges beside them does not
        self.laws: list[Mapping[bool, Law]] = [
            {right: agents.opinions(right, self.truth.favourable, finds=finds) for right in (True, False)}
            for finds in kinds
        ]
        self.afresh = [agents.afresh(self.truth.favourable, finds=finds) for finds in kinds]

    def alone(self, opinion: Opinion) -> bool | None:
        """Whether a seat with this opinion would be right if it decided alone."""
        return self.judging.alone(Mind(self.name, opinion, told=False, shown={}))

    # The beginning

    def starts(self) -> dict[Moment, Fraction] | None:
        """Return all starting moments with their probabilities; None if there are too many."""
        many = prod(sum(map(len, self.laws[place].values())) for place in self.honest)
        if len(self.honest) > MOST_ENUMERATED or many > MOST_STARTS:
            return None
        found: dict[tuple[Opinion, ...], Fraction] = {}
        judgements = [((), ONE)] if self.erring is None else joint(self.erring)
        for rights, weight in judgements:
            for combined in product(*self._given(rights)):
                share = weight
                for each, _ in combined:
                    share *= each
                held = self._seated([opinion for _, opinion in combined])
                found[held] = found.get(held, ZERO) + share
        return {self._begin(held): share for held, share in found.items()}

    def drawn(self, source: Source) -> Moment:
        """Draw one starting moment."""
        rights = () if self.erring is None else draw(source, self.erring)
        return self._begin(self._seated([drawn(source, law) for law in self._given(rights)]))

    def _given(self, rights: Sequence[bool]) -> list[Law]:
        """Return the possible opinions of each honest seat, given who judges rightly."""
        return [self.laws[place][right] for place, right in zip(self.honest, rights, strict=True)]

    def _seated(self, opinions: Sequence[Opinion]) -> tuple[Opinion, ...]:
        """Assign opinions to the honest seats; interchangeable seats get theirs in sorted order."""
        held = [self.settled.get(seat, WRONG) for seat in self.seats]
        for place, opinion in zip(self.honest, opinions, strict=True):
            held[place] = opinion
        for places in self.alike:
            for place, opinion in zip(places, sorted((held[place] for place in places), key=_order), strict=True):
                held[place] = opinion
        return tuple(held)

    def _begin(self, held: tuple[Opinion, ...]) -> Moment:
        known = self.moments.get(held)
        if known is None:
            first = begin(self.protocol).session
            known = self.moments[held] = self._moment(first, held, (None,) * len(self.seats))
        return known

    # On the way

    def after(self, moment: Moment, picks: tuple[int, ...]) -> Moment:
        """Let every asked seat do what was picked, and return the next moment."""
        known = moment.next.get(picks)
        if known is None:
            known = moment.next[picks] = self._heard(moment, picks)
            self.moves += 1
        return known

    def _heard(self, moment: Moment, picks: tuple[int, ...]) -> Moment:
        held, said = list(moment.held), list(moment.said)
        given: dict[Seat, int] = {}
        for choice, pick in zip(moment.choices, picks, strict=True):
            option, place = choice.options[pick], self.place.get(choice.seat)
            given[choice.seat] = pick
            if place is not None and not option.absent:
                held[place], said[place] = option.opinion, option.opinion.right
        replies = {ask.id: self._reply(moment, ask, given[ask.seat]) for ask in moment.session.asks}
        return self._moment(self._stepped(moment.session, replies), tuple(held), tuple(said))

    def _stepped(self, session: Session[Any], replies: dict[AskId, Reply | Absent]) -> Session[Any]:
        """Give a session its replies: one by one if the phase may settle early, else in one step."""
        last = len(replies) - 1 if self.protocol.nodes[session.phase].settle is None else 0
        entries = list(replies.items())
        session = replace(session, replies=dict(entries[:last])) if last else session
        for ask, reply in entries[last:]:
            taken = step(self.protocol, session, Replied(ask, reply))
            session = taken.session
            if taken.moves:
                break
        return session

    def _reply(self, moment: Moment, ask: Ask, pick: int) -> Reply | Absent:
        """Return the reply of a seat that takes this option, checked and sealed as the engine would."""
        known = moment.replies.get((ask.id, pick))
        if known is None:
            known = moment.replies[ask.id, pick] = self._filled(moment, ask, pick)
        return known

    def _filled(self, moment: Moment, ask: Ask, pick: int) -> Reply | Absent:
        option = next(choice for choice in moment.choices if choice.seat == ask.seat).options[pick]
        if option.absent:
            return MISSING
        shown = dict(zip(self.seats, moment.said, strict=True))
        state = moment.session.state
        reply = self.fill(ask, state, Mind(self.name, option.opinion, self.judging.tells(ask, state), shown))
        check_reply(ask, reply)
        return seal(reply)

    def _moment(self, session: Session[Any], held: tuple[Opinion, ...], said: tuple[bool | None, ...]) -> Moment:
        counters = (session.pending, session.interrupted, session.episodes, session.idle)
        key = (session.phase, session.state, counters, held, said)
        known = self.moments.get(key)
        if known is None:
            known = self.moments[key] = self._new(session, held, said)
        return known

    def _new(self, session: Session[Any], held: tuple[Opinion, ...], said: tuple[bool | None, ...]) -> Moment:
        protocol, judging = self.protocol, self.judging
        if session.conclusion is not None:
            verdict = session.conclusion.verdict
            answer = None if judging.answer is None else held[self.place[judging.answer]].right
            grade = judging.grade(self.truth, verdict, answer)
            return Moment(session, held, said, (), 0, 0, 0, verdict, grade, protocol.round(session.state))
        asked = [ask for ask in session.asks if ask.seat not in protocol.uncounted]
        people = sum(ask.seat in protocol.people for ask in session.asks)
        before = session.episodes - len(asked)
        told = {ask.seat: judging.tells(ask, session.state) for ask in session.asks}
        tokens = sum(self.sizes.matter + self.sizes.reply * (1 + before * told[ask.seat]) for ask in asked)
        choices = tuple(Choice.of(seat, list(self._law(seat, told[seat], held, said))) for seat in told)
        return Moment(session, held, said, choices, len(asked), people, tokens)

    def _law(
        self, seat: Seat, told: bool, held: Sequence[Opinion], said: Sequence[bool | None]
    ) -> Iterator[tuple[Fraction, Option]]:
        """Return an asked seat's choices: fail, follow or oppose the majority, keep its opinion, or judge anew."""
        place, agents = self.place.get(seat), self.agents
        opinion = CERTAIN if place is None else held[place]
        if seat in self.protocol.uncounted or seat in self.settled:
            yield ONE, Option(opinion)
            return
        yield agents.fail, Option(opinion, absent=True)
        rest = 1 - agents.fail
        if place is None or not told:
            yield rest, Option(opinion)
            return
        majority = _majority(said[: len(self.voters)], place)
        if majority is not None:
            follows = seat in self.judging.follows
            conform, contrary = (ONE, ZERO) if follows else (agents.conform, agents.contrary)
            yield rest * conform, Option(adopted(opinion, majority, self.truth.favourable))
            yield rest * contrary, Option(adopted(opinion, not majority, self.truth.favourable))
            rest *= 1 - conform - contrary
        yield rest * agents.stubborn, Option(opinion)
        for share, fresh in self.afresh[place]:
            yield rest * (1 - agents.stubborn) * share, Option(fresh)


def _dishonest(voters: tuple[Seat, ...], agents: Agents) -> tuple[tuple[Seat, ...], tuple[Seat, ...]]:
    """Return the malicious seats (the last voters) and the obstructing ones (the last before those)."""
    honest = len(voters) - agents.malice
    if honest < 0:
        raise SettingError(f"is {agents.malice}", key="malice", expected=f"at most the {len(voters)} seats that vote")
    if agents.obstruct > honest:
        expected = f"at most the {honest} of {len(voters)} voting seats that are left"
        raise SettingError(f"is {agents.obstruct}", key="obstruct", expected=expected)
    return voters[honest:], voters[honest - agents.obstruct : honest]


def _majority(said: Sequence[bool | None], but: int) -> bool | None:
    """Return what most of the others have said; None for a tie."""
    others = [each for place, each in enumerate(said) if place != but]
    rights, wrongs = others.count(True), others.count(False)
    return None if rights == wrongs else rights > wrongs


def _order(opinion: Opinion) -> tuple[int, int]:
    values = (None, False, True)
    return values.index(opinion.right), values.index(opinion.found)
