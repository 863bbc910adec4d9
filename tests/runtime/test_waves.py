"""Curtailed votes: no call that cannot matter, the calls that theory expects, and the verdict of the whole vote."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from quorate.codec import encode_opening
from quorate.codec.journal_reader import protocol_digest
from quorate.core.decisions import Decision, choose, otherwise
from quorate.core.engine import begin, step
from quorate.core.forms import Prose, Reply
from quorate.core.protocol import Domain, Node, Protocol
from quorate.core.record import Envelope, Opening, Record
from quorate.core.session import Cause
from quorate.core.types import Absent, AbsentReason, Replied, Replies, Seat
from quorate.participants.check import Check
from quorate.participants.person import Person
from quorate.participants.port import Answer, Participant, Request, Say
from quorate.runtime.budget import Budget, Purse
from quorate.runtime.executor import Executor
from quorate.runtime.waves import due
from quorate.simulate.stop_rules import curtailed
from quorate.store.memory import MemoryJournal
from quorate.verify import verify
from quorate.verify.report import ProofStatus
from tests.support.toy import CLERK, Ballot, Count, Outcome, Phase, Voice, ballot, note, voting

GONE = Absent(AbsentReason.FAILED)
Vote = Voice | None


def majority(seats: int, needed: int) -> Protocol[Count]:
    """One vote, which settles as soon as it is carried or can be carried no more; an absence is no aye."""

    def decided(state: Count, won: bool) -> Decision[Count]:
        outcome = Outcome.WON if won else Outcome.WRAPPED
        return choose(replace(state, won=won), [otherwise("T1", outcome)])

    def ayes(replies: Replies) -> int:
        return sum(isinstance(reply, Ballot) and reply.voice is Voice.AYE for _, reply in replies)

    def decide(state: Count, replies: Replies) -> Decision[Count]:
        return decided(state, ayes(replies) >= needed)

    def settle(state: Count, replies: Replies) -> Decision[Count] | None:
        if ayes(replies) >= needed:
            return decided(state, True)
        return decided(state, False) if ayes(replies) + seats - len(replies) < needed else None

    plain = voting(seats, needed=needed, most=1, decide=decide)
    vote = plain.nodes[Phase.VOTE]
    return replace(plain, nodes={**plain.nodes, Phase.VOTE: Node(vote.asks, decide, settle)})


def said(vote: Vote) -> Callable[[Request], Reply | Absent]:
    """A voter's mind; None is one who cannot answer."""
    return lambda _: GONE if vote is None else ballot(vote)


@dataclass
class Table:
    """A vote with scripted voters, who count how often they are called."""

    protocol: Protocol[Any]
    votes: tuple[Vote, ...]
    curtail: bool = True
    calls: int = 0
    people: frozenset[Seat] = frozenset()

    async def run(self) -> Record:
        opening = Opening("voting", "1", protocol_digest(self.protocol), "t", 1, {}, {}, {})
        record, journal = Record(self.protocol, opening, {}), MemoryJournal()
        await journal.create("s", "voting", "t", 0, encode_opening(opening, Envelope()), {})
        voters = [seat for seat in self.protocol.seats if seat != CLERK]
        panel: dict[Seat, Participant] = {
            seat: Person() if seat in self.people else Voter(said(vote), table=self)
            for seat, vote in zip(voters, self.votes, strict=True)
        }
        panel[CLERK] = Check(lambda _: note())
        await Executor("s", record, journal, panel, Purse(Budget()), "me", curtail=self.curtail).drive()
        return record


@dataclass(frozen=True)
class Voter(Check):
    """A voter of a known mind, whose calls the table counts."""

    table: Table | None = None

    async def reply(self, request: Request, say: Say) -> Answer | None:
        assert self.table is not None
        self.table.calls += 1
        return await super().reply(request, say)


def full_vote(protocol: Protocol[Any], votes: Iterable[Vote]) -> Any:
    """The verdict when everybody is heard: the engine with no early settlement."""
    whole = replace(protocol, nodes={p: replace(node, settle=None) for p, node in protocol.nodes.items()})
    now = begin(whole)
    for ask, vote in zip(now.session.asks, votes, strict=True):
        now = step(whole, now.session, Replied(ask.id, GONE if vote is None else ballot(vote)))
    for ask in now.session.open:
        now = step(whole, now.session, Replied(ask.id, note()))
    assert now.session.conclusion is not None
    return now.session.conclusion.verdict


@pytest.mark.parametrize("seats", [1, 3, 5, 7])
async def test_a_majority_takes_the_calls_that_theory_expects_and_decides_as_the_whole_vote(seats: int) -> None:
    needed = (seats + 1) // 2
    protocol = majority(seats, needed)
    calls = {}
    for votes in product(Voice, repeat=seats):
        table = Table(protocol, votes)
        record = await table.run()
        assert record.session.conclusion is not None
        assert record.session.conclusion.verdict is full_vote(protocol, votes)
        calls[votes] = table.calls
    for p in (Fraction(6, 10), Fraction(7, 10), Fraction(9, 10)):
        chances = {votes: p ** votes.count(Voice.AYE) * (1 - p) ** votes.count(Voice.NO) for votes in calls}
        expected = sum((chances[votes] * number for votes, number in calls.items()), Fraction())
        assert expected == curtailed(seats, p).calls


@pytest.mark.parametrize(("seats", "needed"), [(4, 2), (4, 3), (5, 4), (5, 5), (3, 1)])
async def test_any_quorum_with_absences_decides_as_the_whole_vote(seats: int, needed: int) -> None:
    protocol, spared = majority(seats, needed), 0
    for votes in product((*Voice, None), repeat=seats):
        table = Table(protocol, votes)
        record = await table.run()
        assert record.session.conclusion is not None
        assert record.session.conclusion.verdict is full_vote(protocol, votes)
        one_by_one = next(
            k
            for k in range(1, seats + 1)
            if votes[:k].count(Voice.AYE) >= needed or votes[:k].count(Voice.AYE) + seats - k < needed
        )
        assert table.calls == one_by_one
        spared += seats - table.calls
    assert spared


async def test_without_it_everybody_is_called_at_once() -> None:
    table = Table(majority(5, 3), (Voice.AYE,) * 5, curtail=False)
    record = await table.run()
    assert table.calls == 5
    move = next(line.move for line in record.log if hasattr(line, "move") and line.move.phase is Phase.VOTE)
    assert move.cause is Cause.SETTLED


def test_a_wave_is_no_larger_than_it_has_to_be() -> None:
    protocol = majority(7, 4)
    now = begin(protocol).session
    sizes = []
    for voice in (Voice.AYE, Voice.NO, Voice.AYE, Voice.NO, Voice.AYE):
        wave = due(protocol, now, ())
        assert wave == now.open[: len(wave)]
        sizes.append(len(wave))
        now = step(protocol, now, Replied(now.open[0].id, ballot(voice))).session
    assert sizes == [4, 3, 3, 2, 2]


def test_a_phase_that_hears_everybody_is_asked_at_once() -> None:
    protocol = voting(4)
    now = begin(protocol).session
    assert due(protocol, now, ()) == now.open
    assert len(now.open) == 4


def test_where_no_settlement_can_be_foreseen_everybody_is_asked() -> None:
    protocol = majority(4, 3)
    silent = replace(protocol, domains={**protocol.domains, Ballot: Domain(lambda _: (), "none", True)})
    unknown = replace(protocol, domains={})
    never = replace(
        protocol,
        nodes={**protocol.nodes, Phase.VOTE: replace(protocol.nodes[Phase.VOTE], settle=lambda _s, _r: None)},
    )
    for each in (silent, unknown, never):
        now = begin(each).session
        assert due(each, now, ()) == now.open


async def test_nobody_waits_for_a_person_with_a_call() -> None:
    """A person's ask is open anyway; in their place the next one is called, and the vote is settled without them."""
    protocol = majority(3, 2)
    table = Table(protocol, (Voice.NO, Voice.AYE, Voice.AYE), people=frozenset({Seat("voter-1")}))
    record = await table.run()
    assert table.calls == 2
    assert record.session.conclusion is not None
    waiting = Table(protocol, (Voice.NO, Voice.AYE, Voice.NO), people=frozenset({Seat("voter-1")}))
    record = await waiting.run()
    assert waiting.calls == 2
    assert [ask.seat for ask in record.session.open] == [Seat("voter-1")]


def test_the_toy_is_proven() -> None:
    """Result 7: no reply that was not waited for could have decided otherwise."""
    report = verify({"default": majority(3, 2)})
    assert report.results[6].status is not ProofStatus.FAILED, report.results[6].text()
    assert "VOTE settles with 15 incomplete sets" in report.results[6].detail


def test_prose_plays_no_part() -> None:
    """What is supposed of a reply is its decisions alone."""
    protocol = majority(3, 2)
    loud = Domain(lambda _: (Ballot(Prose("x" * 9_000), (), Voice.AYE),), "one", True)
    assert len(due(replace(protocol, domains={**protocol.domains, Ballot: loud}), begin(protocol).session, ())) == 2
