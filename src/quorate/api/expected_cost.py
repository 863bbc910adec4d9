"""Expected cost of a session: simulated agents take the seats, and each ask is charged its typical cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from math import sqrt
from random import Random
from typing import Any

from quorate.api.sizes import CallCost, Sizes
from quorate.core.engine import step
from quorate.core.errors import DefinitionError
from quorate.core.forms import Reply
from quorate.core.protocol import Protocol
from quorate.core.session import Session
from quorate.core.types import Absent, Ask, AskId, Replied, Seat
from quorate.kit.judgement import Judging
from quorate.kit.schedule import Turn, turns
from quorate.participants.person import Person
from quorate.participants.port import Participant
from quorate.runtime.waves import due
from quorate.simulate.agents import Agents
from quorate.simulate.runs import MOST_STEPS
from quorate.simulate.seats import Moment, Table
from quorate.simulate.seats import Sizes as TextSizes


@dataclass(frozen=True, slots=True)
class Assumed:
    """Assumptions of an expected cost."""

    accuracy: str = "0.7"
    samples: int = 200
    seed: int = 1
    reply: int = 500
    """Tokens of a reply."""
    matter: int = 2_000
    """Tokens of what is deliberated about, where nothing was brought."""


@dataclass(slots=True)
class Sum:
    """Totals over several sessions."""

    asks: float = 0
    people: float = 0
    tokens_in: float = 0
    tokens_out: float = 0
    money: float = 0
    """Millionths of a US dollar, as far as prices are known."""
    unpriced: float = 0
    """Asks to participants whose price is not known."""

    def add(self, call: CallCost, *, person: bool) -> None:
        self.people += person
        self.asks += not person
        self.tokens_in += call.tokens_in
        self.tokens_out += call.tokens_out
        self.money += call.money or 0
        self.unpriced += call.money is None

    def over(self, samples: int) -> Sum:
        return Sum(*(getattr(self, each.name) / samples for each in fields(Sum)))


@dataclass(frozen=True, slots=True)
class Expected:
    """Mean over all simulated sessions."""

    truth: str
    total: Sum
    phases: Mapping[str, Sum]
    error: float
    """The standard error of the tokens in all."""
    rounds: float
    cacheable: float
    """The share of the input tokens with which another prompt to the same model has begun."""
    spared: float = 0
    """Asks that curtailed votes have spared; they are not among those of the total."""


def expect(sizes: Sizes, judging: Judging, agents: Agents, assumed: Assumed, *, curtail: bool = False) -> Expected:
    """Simulate sessions with agents of known accuracy and sum up what their asks would cost.

    With `curtail` a phase that may settle early is asked in waves, as the runtime does.
    """
    truth, protocol = next(iter(judging.truths)), sizes.protocol
    if curtail:  # whom a wave reaches first counts, so seats that are alike keep the opinions that were drawn for them
        protocol = replace(protocol, interchangeable=())
    table, source = Table(protocol, judging, agents, truth, TextSizes()), Random(assumed.seed)  # noqa: S311
    run = _Run(sizes, assumed.reply, curtail=curtail)
    squares = rounds = 0.0
    for _ in range(assumed.samples):
        before = run.total.tokens_in + run.total.tokens_out
        rounds += run.session(table, source)
        squares += (run.total.tokens_in + run.total.tokens_out - before) ** 2
    samples = assumed.samples
    mean = (run.total.tokens_in + run.total.tokens_out) / samples
    error = sqrt(max(0.0, squares / samples - mean * mean) / max(samples - 1, 1))
    share = run.cached / run.total.tokens_in if run.total.tokens_in else 0.0
    phases = {name: each.over(samples) for name, each in run.phases.items()}
    spared = run.spared / samples
    return Expected(truth, run.total.over(samples), phases, error, rounds / samples, min(1.0, share), spared)


class _Run:
    """A run of simulated sessions, one after the other."""

    def __init__(self, sizes: Sizes, reply: int, *, curtail: bool) -> None:
        self.sizes, self.reply, self.curtail = sizes, reply, curtail
        self.total, self.phases, self.cached, self.spared = Sum(), defaultdict[str, Sum](Sum), 0, 0
        self.people = frozenset(seat for seat, each in sizes.table.items() if isinstance(each, Person))
        self.made: dict[tuple[Moment, tuple[int, ...]], tuple[Ask, ...]] = {}
        self.by_brief: dict[str, list[Turn]] = {}
        for turn in turns(sizes.schedule):
            self.by_brief.setdefault(turn.brief, []).append(turn)
        self.turns: dict[tuple[str, int, int], Turn] = {}
        self.calls: dict[tuple[int, Seat, int, int], CallCost] = {}

    def session(self, table: Table, source: Random) -> int:
        """Run one session to its end, and return its number of rounds."""
        moment = table.drawn(source)
        entered: dict[str, int] = defaultdict(int)
        said: dict[str, int] = defaultdict(int)
        asked: set[tuple[Seat, str, str]] = set()
        for _ in range(MOST_STEPS):
            if moment.verdict is not None:
                return moment.round
            session, round_ = moment.session, self.sizes.protocol.round(moment.session.state)
            picks = tuple([choice.drawn(source) for choice in moment.choices])
            after = table.after(moment, picks)
            asks = self._made(moment, picks)
            now: set[tuple[Seat, str, str]] = set()
            for ask in asks:
                if ask.seat not in self.sizes.protocol.checks:
                    turn, who = self._turn(ask, entered[ask.brief]), self.sizes.speaker(ask.seat, round_)
                    call = self._call(turn, ask.seat, said, round_)
                    self._add(ask, session.phase.name, turn, call, who, asked)
                    now.add((ask.seat, ask.brief, who.name))
            asked |= now  # the prompts of a phase go out at once, and none is in a cache for another
            for ask in asks:
                said[ask.brief] += 1
            for brief in {ask.brief for ask in asks}:
                entered[brief] += 1
            self.spared += len(session.asks) - len(asks)
            moment = after
        raise DefinitionError(
            f"{self.sizes.protocol.name}: a session did not end in {MOST_STEPS:,} moves; `quorate verify` says why"
        )

    def _made(self, moment: Moment, picks: tuple[int, ...]) -> tuple[Ask, ...]:
        """Return the asks of a phase that are actually made, given all replies."""
        session = moment.session
        if not self.curtail or len(session.asks) < 2 or self.sizes.protocol.nodes[session.phase].settle is None:
            return session.asks
        known = self.made.get((moment, picks))
        if known is None:
            pick = {choice.seat: each for choice, each in zip(moment.choices, picks, strict=True)}
            replies = {ask.id: moment.replies[ask.id, pick[ask.seat]] for ask in session.asks}
            known = self.made[moment, picks] = asked_in_waves(self.sizes.protocol, session, replies, self.people)
        return known

    def _turn(self, ask: Ask, number: int) -> Turn:
        """Return the turn of the schedule that matches an ask and its number of keys."""
        known = self.by_brief[ask.brief]
        place = min(number, len(known) - 1)
        key = (ask.brief, place, len(ask.keys))
        if key not in self.turns:
            self.turns[key] = replace(known[place], keys=len(ask.keys))
        return self.turns[key]

    def _call(self, turn: Turn, seat: Seat, said: Mapping[str, int], round_: int) -> CallCost:
        """Return the cost of a call; its prompt shows each earlier reply once."""
        shown = sum(min(count, sum(said[brief] for brief in briefs.split("|"))) for briefs, count in turn.shows)
        key = (id(turn), seat, shown, round_)
        if key not in self.calls:
            self.calls[key] = self.sizes.expected(turn, seat, self.reply, shown, round_)
        return self.calls[key]

    def _add(
        self,
        ask: Ask,
        phase: str,
        turn: Turn,
        call: CallCost,
        who: Participant,
        asked: set[tuple[Seat, str, str]],
    ) -> None:
        for each in (self.total, self.phases[phase]):
            each.add(call, person=isinstance(who, Person))
        if call.tokens_in and any(name == who.name for *_, name in asked):
            before = (ask.seat, ask.brief, who.name) in asked
            self.cached += min(call.tokens_in, self.sizes.cacheable(turn, who, asked_before=before))


def asked_in_waves(
    protocol: Protocol[Any],
    session: Session[Any],
    replies: Mapping[AskId, Reply | Absent],
    people: Collection[Seat],
) -> tuple[Ask, ...]:
    """Return the asks made until a phase settles, if replies arrive in the order of the asks.

    People are asked with the others and are assumed to answer last.
    """
    made: set[AskId] = set()
    left_open: set[AskId] = set()
    while True:
        wave = due(protocol, session, left_open)
        made |= {ask.id for ask in wave}
        unanswered = {ask.id for ask in wave if ask.seat in people}
        if unanswered:
            left_open |= unanswered  # the next one is called in their place
            continue
        answers = (wave or session.open)[0].id
        taken = step(protocol, session, Replied(answers, replies[answers]))
        if taken.moves:
            return tuple(ask for ask in session.asks if ask.id in made)
        session = taken.session
