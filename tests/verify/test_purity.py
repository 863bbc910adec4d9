"""A function of a protocol that gives something else for equal input is found, named, and told as a story."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import pytest

from quorate.core.decisions import Decision
from quorate.core.forms import SEALED, Key, Keyed
from quorate.core.protocol import Interrupt, Node, Protocol, When
from quorate.core.record import Record
from quorate.core.types import Absent, AbsentReason, Ask, Question, Reason, Replies, Seat
from quorate.core.view import Section, View
from quorate.verify.options import ReasonWatch, WatchedAbsent
from quorate.verify.purity import fresh
from tests.verify.toys import (
    OPENING,
    VOTE,
    Ballot,
    Outcome,
    Phase,
    Poll,
    Verdict,
    Voice,
    ask,
    decide,
    failed,
    poll,
    proof,
    result,
    settle,
    story,
)
from tests.verify.toys import view as plain_view

Decide = Callable[[Poll, Replies], Decision[Poll]]


def counting() -> Decide:
    calls = count()

    def counted(state: Poll, replies: Replies) -> Decision[Poll]:
        made = decide(state, replies)
        return replace(made, outcome=Outcome.LOST, because=()) if next(calls) % 2 else made

    return counted


def drawing() -> Decide:
    source = random.Random(7)

    def drawn(state: Poll, replies: Replies) -> Decision[Poll]:
        made = decide(state, replies)
        return replace(made, outcome=Outcome.LOST, because=()) if source.random() < 0.2 else made

    return drawn


def timed(state: Poll, replies: Replies) -> Decision[Poll]:
    return replace(decide(state, replies), state=Poll(tries=time.perf_counter_ns()))


def by_address(state: Poll, replies: Replies) -> Decision[Poll]:
    return replace(decide(state, replies), state=Poll(tries=id(state)))


def by_identity() -> Decide:
    """Knows a seat again by the very object, which a replay from the journal makes anew."""
    seen: list[Seat] = []

    def known(state: Poll, replies: Replies) -> Decision[Poll]:
        new = [asked.seat for asked, _ in replies if not any(asked.seat is each for each in seen)]
        seen.extend(new)
        made = decide(state, replies)
        return replace(made, outcome=Outcome.LOST, because=()) if not new else made

    return known


@pytest.mark.parametrize("function", [counting(), drawing(), timed, by_address, by_identity()])
def test_a_decision_that_is_not_pure(function: Decide) -> None:
    found = result(poll(Node(ask, function), invariants=(), interchangeable=()), 3)
    assert found.detail.startswith("decide of VOTE gave ")
    assert "for equal input" in found.detail
    assert f"test_purity.{function.__qualname__}" in story(found)


def test_the_story_calls_nothing_again() -> None:
    found = result(poll(Node(ask, counting()), interchangeable=()), 3)
    assert story(found).startswith(
        "Under 'the poll':\n"
        "  1. OPENING opens the session, which goes on to VOTE.\n"
        "  2. VOTE asks ann, bob and cat (vote about motion).\n"
        "       ann: Ballot (voice: aye)\n"
        "       bob: Ballot (voice: aye)\n"
        "       cat: Ballot (voice: aye)\n"
        "  => decide of VOTE gave CARRIED and then LOST for equal input; what it gives may depend on nothing else\n"
        "     Where: tests.verify.test_purity.counting.<locals>.counted, line "
    )


def test_the_story_of_a_later_phase_tells_where_the_session_went() -> None:
    asked = count()

    def late(state: Poll, replies: Replies) -> Decision[Poll]:
        made = decide(state, replies)
        return replace(made, state=Poll(tries=next(asked))) if state.tries else made

    told = story(result(poll(Node(ask, late), initial=Phase.VOTE, invariants=(), interchangeable=()), 3))
    assert told.startswith("Under 'the poll':\n  1. VOTE asks ann, bob and cat (vote about motion).\n")
    assert "\n     On to VOTE.\n  2. VOTE asks " in told


def test_a_state_a_reason_or_a_fact_that_differs_is_named() -> None:
    calls = count()

    def stated(state: Poll, replies: Replies) -> Decision[Poll]:
        return replace(decide(state, replies), state=Poll(tries=next(calls)))

    def reasoned(state: Poll, replies: Replies) -> Decision[Poll]:
        made = decide(state, replies)
        return replace(made, because=tuple(replace(each, claim=f"{next(calls)}") for each in made.because))

    for function, says in ((stated, "another state"), (reasoned, "other reasons")):
        found = result(poll(Node(ask, function), invariants=()), 3)
        assert f"decide of VOTE gave CARRIED and then CARRIED with {says} for equal input" in found.detail


def test_a_decision_that_raises_the_second_time() -> None:
    left: Iterator[int] = iter([1])

    def tired(state: Poll, replies: Replies) -> Decision[Poll]:
        next(left)
        return decide(state, replies)

    found = result(poll(Node(ask, tired)), 3)
    assert found.detail.startswith("decide of VOTE gave CARRIED and then raised StopIteration for equal input")


def test_a_silent_decision_that_is_not_pure() -> None:
    calls = count()

    def opening(state: Poll, replies: Replies) -> Decision[Poll]:
        return replace(OPENING.decide(state, replies), state=Poll(tries=next(calls)))

    found = result(poll(nodes={Phase.OPENING: replace(OPENING, decide=opening), Phase.VOTE: VOTE}), 3)
    assert "decide of OPENING gave START and then START with another state" in found.detail
    assert "OPENING opens the session." in story(found)


def test_asks_that_are_not_pure() -> None:
    calls = count()

    def asked(state: Poll) -> tuple[Question, ...]:
        return ask(state)[next(calls) % 2 :]

    found = result(poll(Node(asked, decide)), 3)
    assert "asks of VOTE gave asks to ann, bob, cat and then asks to bob, cat for equal input" in found.detail
    assert "test_asks_that_are_not_pure.<locals>.asked, line" in story(found)


def test_asks_that_change_later_break_no_story() -> None:
    calls = count()

    def asked(state: Poll) -> tuple[Question, ...]:
        return ask(state)[int(next(calls) > 4) :]

    assert 3 in failed(poll(Node(asked, decide)))


def test_a_settlement_that_is_not_pure() -> None:
    calls = count()

    def settled(state: Poll, replies: Replies) -> Decision[Poll] | None:
        return settle(state, replies) if next(calls) % 2 else None

    found = result(poll(Node(ask, decide, settled), interchangeable=()), 3)
    assert "settle of VOTE gave " in found.detail
    assert "nothing" in found.detail


def test_a_fold_a_verdict_and_a_degradation_that_are_not_pure() -> None:
    calls = count()

    def fold(state: Poll, _: Replies) -> Poll:
        return Poll(tries=next(calls))

    protocol = poll()
    folding = replace(protocol, interrupts={r: Interrupt(Phase.STOPPED, When.NOW, fold) for r in Reason})
    assert "fold of CANCELLED gave a Poll and then another Poll for equal input" in result(folding, 3).detail

    def conclude(state: Poll) -> Verdict:
        return (Verdict.CARRIED, Verdict.LOST)[next(calls) % 2]

    concluding = replace(protocol, verdicts={**protocol.verdicts, Phase.DONE: conclude})
    assert "verdict of DONE gave " in result(concluding, 3).detail


def test_a_view_that_is_not_pure() -> None:
    calls = count()

    def view(record: Record, asked: Ask) -> View:
        return View("", (*plain_view(record, asked).sections, Section("Number", str(next(calls)))))

    protocol = poll(view=view)
    assert failed(protocol) == [6]
    found = result(protocol, 6)
    assert found.detail == (
        "view of vote gave a View and then another View for equal input; what it gives may depend on nothing else"
    )
    assert "test_a_view_that_is_not_pure.<locals>.view, line" in story(found)


def test_a_view_that_remembers_what_another_record_said() -> None:
    """The second call gets a record of its own, so that what was kept by the record's identity shows."""
    seen: dict[int, Record] = {}

    def view(record: Record, asked: Ask) -> View:
        seen.setdefault(id(record), record)
        return View("", (*plain_view(record, asked).sections, Section("Number", str(len(seen)))))

    assert failed(poll(view=view)) == [6]


@dataclass(frozen=True)
class Gathered(Poll):
    names: frozenset[str] = frozenset()


def test_the_order_of_a_set_in_the_state_decides_nothing() -> None:
    """Another process hashes strings to other places, and a replay there would go elsewhere."""
    names = frozenset({"one", "three", "thirteen"})

    def opening(state: Poll, replies: Replies) -> Decision[Any]:
        return replace(OPENING.decide(state, replies), state=Gathered(names=names))

    def vote(state: Any, replies: Replies) -> Decision[Any]:
        first = next(iter(state.names))
        return Decision(Outcome.LOST, replace(state, tries=len(first)), ())

    def careful(state: Any, replies: Replies) -> Decision[Any]:
        return Decision(Outcome.LOST, replace(state, tries=len(min(state.names))), ())

    def gathering(function: Any) -> Protocol[Any]:
        nodes = {Phase.OPENING: replace(OPENING, decide=opening), Phase.VOTE: Node(ask, function)}
        return poll(nodes=nodes, invariants=(), interchangeable=())

    assert "decide of VOTE gave LOST and then LOST with another state" in result(gathering(vote), 3).detail
    assert 3 not in failed(gathering(careful))


def test_a_pure_protocol_is_called_again_and_said_to_be_so() -> None:
    report = proof(poll())
    assert report.ok
    assert "calls were made twice and gave the same" in report.results[2].detail


def test_what_is_made_afresh_is_equal_and_another() -> None:
    absent = WatchedAbsent.make(AbsentReason.REFUSED, ReasonWatch())
    state = (
        Poll(),
        (Ballot(SEALED, Voice.AYE),),
        frozenset({"a", "b"}),
        Keyed({Key("k"): (1, 2)}),
        Absent(AbsentReason.FAILED),
        absent,
        {"x": 1, "y": 2},
        None,
    )
    other = fresh(state)
    assert repr(other[:1]) == repr(state[:1])
    assert other[2:] == state[2:]
    assert all(one is not two for one, two in zip(state[:-1], other[:-1], strict=True))
    assert other[0].members[0].seat is not state[0].members[0].seat
    assert other[1][0].reason is SEALED
    assert list(other[2]) == list(state[2])[::-1]
    assert repr(other[2]) == f"frozenset({{{', '.join(map(repr, other[2]))}}})"
    assert list(other[6]) == ["y", "x"]
    assert isinstance(other[5], WatchedAbsent)
