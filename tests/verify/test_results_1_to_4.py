"""Results 1 to 4 each fail for a poll that breaks them, and say so in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import pytest

from quorate.core.decisions import Decision
from quorate.core.errors import DefinitionError
from quorate.core.forms import Key, Prose
from quorate.core.protocol import Domain, Limits, Node
from quorate.core.types import Absent, AbsentReason, Question, Replies, Seat
from quorate.verify import ProofStatus, explore, verify
from tests.verify.toys import (
    MOTION,
    OPENING,
    ROWS,
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
    story,
)


def test_the_poll_is_proven() -> None:
    report = proof(poll())
    assert report.ok
    statuses = {each.number: each.status for each in report.results}
    assert statuses == {n: ProofStatus.BOUNDED if n == 6 else ProofStatus.PROVEN for n in range(1, 10)}
    profile = report.profiles["the poll"]
    assert (profile.states, profile.worst.rounds, profile.worst.phases, profile.worst.asks) == (13, 2, 2, 6)
    assert profile.cuts == ()
    assert profile.symmetry == "ann, bob, cat"


def test_there_must_be_something_to_prove() -> None:
    with pytest.raises(DefinitionError, match="no protocol"):
        verify({})


# 1


def test_1_a_phase_that_nothing_leads_to() -> None:
    lonely = poll(
        nodes={Phase.OPENING: OPENING, Phase.VOTE: VOTE, Phase.ANNEX: OPENING},
        table=dict(ROWS) | {Phase.ANNEX: {Outcome.START: Phase.VOTE}},
    )
    assert failed(lonely) == [1]
    assert result(lonely, 1).detail == "the phase ANNEX is never entered"


def test_1_a_row_that_is_never_taken_and_a_verdict_never_reached() -> None:
    dead = poll(table=dict(ROWS) | {Phase.OPENING: {Outcome.START: Phase.VOTE, Outcome.LOST: Phase.DONE}})
    assert result(dead, 1).detail == "the row OPENING, LOST, DONE is never taken"
    never = poll(verdicts={Phase.DONE: lambda _: Verdict.LOST, Phase.STOPPED: lambda _: Verdict.STOPPED})
    assert result(never, 1).detail == "the verdict CARRIED is never reached"


def test_1_a_row_may_be_live_under_another_profile_only() -> None:
    def at_once(state: Poll, replies: Replies) -> Decision[Poll]:
        return decide(replace(state, tries=1), replies)

    strict = poll(Node(ask, at_once))
    assert result(strict, 1).detail == "the row VOTE, RETRY, VOTE is never taken"
    assert verify({"strict": strict, "patient": poll()}).results[0].status is ProofStatus.PROVEN


# 2


def forgetful(state: Poll, replies: Replies) -> Decision[Poll]:
    """A retry that does not count."""
    made = decide(state, replies)
    return replace(made, state=replace(made.state, tries=0)) if made.outcome is Outcome.RETRY else made


def test_2_a_session_that_could_go_on_for_ever() -> None:
    found = result(poll(Node(ask, forgetful)), 2)
    assert found.status is ProofStatus.FAILED
    assert story(found) == (
        "Under 'the poll':\n"
        "  1. OPENING asks nobody.\n"
        "     It decides START: on to VOTE.\n"
        "  2. VOTE asks ann, bob and cat (vote about motion).\n"
        "       ann: absent (failed)\n"
        "       bob: absent (failed)\n"
        "       cat: absent (failed)\n"
        "     It decides RETRY (P3: 3 absent, tries 0): on to VOTE.\n"
        "  => the session stands in VOTE as it stood 1 asking phase before, up to the names of interchangeable "
        "seats: it can go on like this for ever"
    )
    eighth = result(poll(Node(ask, forgetful)), 8)
    assert eighth.status is ProofStatus.FAILED
    assert "no worst case" in eighth.detail


def test_2_states_without_end_are_not_called_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    def growing(state: Poll, replies: Replies) -> Decision[Poll]:
        return Decision(Outcome.RETRY, replace(state, tries=state.tries + 1))

    monkeypatch.setattr(explore, "MOST_STATES", 30)
    found = result(poll(Node(ask, growing)), 2)
    assert found.status is ProofStatus.FAILED
    assert "given up after 30 states" in found.detail
    assert story(found).count("RETRY") > 5


# 3


def only_present(state: Poll, replies: Replies) -> Decision[Poll]:
    """Counts on everybody having replied."""
    for asked, reply in replies:
        if isinstance(reply, Absent) and reply.reason is AbsentReason.REFUSED:
            raise KeyError(asked.seat)
    return decide(state, replies)


def reads_prose(state: Poll, replies: Replies) -> Decision[Poll]:
    if any(isinstance(reply, Ballot) and "never" in reply.reason.text for _, reply in replies):
        return Decision(Outcome.LOST, Poll())
    return decide(state, replies)


def no_row(state: Poll, replies: Replies) -> Decision[Poll]:
    made = decide(state, replies)
    return replace(made, outcome=Outcome.START, because=()) if made.outcome is Outcome.LOST else made


def contradicts_itself(state: Poll, replies: Replies) -> Decision[Poll]:
    made = decide(state, replies)
    return replace(made, outcome=Outcome.LOST) if made.outcome is Outcome.CARRIED else made


@dataclass(frozen=True)
class Loose(Poll):
    notes: Any = ()


def keeps_a_list(state: Poll, replies: Replies) -> Decision[Poll]:
    made = decide(state, replies)
    return replace(made, state=Loose(notes=[1])) if made.outcome is Outcome.RETRY else made


def keeps_prose(state: Poll, replies: Replies) -> Decision[Poll]:
    made = decide(state, replies)
    said = tuple(reply.reason for _, reply in replies if isinstance(reply, Ballot))
    return replace(made, state=Loose(notes=said)) if made.outcome is Outcome.RETRY and said else made


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (only_present, "decide of VOTE raised KeyError: "),
        (reads_prose, "decide of VOTE reads prose, which a decision cannot"),
        (no_row, "poll: VOTE has no row for START"),
        (contradicts_itself, "VOTE decided LOST, but its first test that held says CARRIED"),
        (keeps_a_list, "a state cannot be hashed (unhashable type: 'list')"),
        (keeps_prose, "a state holds prose"),
    ],
)
def test_3_decisions_that_are_not_defined(function: Callable[[Poll, Replies], Decision[Poll]], says: str) -> None:
    found = result(poll(Node(ask, function), invariants=(), interchangeable=()), 3)
    assert found.status is ProofStatus.FAILED
    assert says in found.detail
    assert f"test_results_1_to_4.{function.__name__}" in story(found)


def test_3_the_story_of_a_raise_names_the_line() -> None:
    found = result(poll(Node(ask, only_present), interchangeable=()), 3)
    told = story(found)
    assert ": absent (refused)" in told
    assert "This raises KeyError." in told
    assert "raised in line" in told


def to_a_stranger(state: Poll) -> tuple[Question, ...]:
    return (*ask(state), Question(Seat("dan"), "vote", Ballot, (MOTION,)))


def keys_twice(state: Poll) -> tuple[Question, ...]:
    return tuple(replace(each, keys=(MOTION, MOTION)) for each in ask(state))


@dataclass(frozen=True)
class Open:
    text: str


def open_text(state: Poll) -> tuple[Question, ...]:
    return tuple(replace(each, form=Open) for each in ask(state))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asks", "says"),
    [
        (to_a_stranger, "VOTE asks 'dan', which is not a seat of the protocol"),
        (keys_twice, "VOTE asks ann about the keys ['motion', 'motion']: they are not unique"),
        (open_text, "is not a closed vocabulary"),
    ],
)
def test_3_asks_that_make_no_sense(asks: Callable[[Poll], tuple[Question, ...]], says: str) -> None:
    found = result(poll(Node(asks, decide)), 3)
    assert found.status is ProofStatus.FAILED
    assert says in found.detail


def test_3_a_verdict_without_an_exit_code_and_one_that_raises() -> None:
    found = result(poll(exit_codes={Verdict.CARRIED: 0, Verdict.STOPPED: 3}), 3)
    assert found.detail == "the verdict LOST has no exit code"

    def unsure(state: Poll) -> Enum:
        return {True: Verdict.CARRIED}[state.carried]

    found = result(poll(verdicts={Phase.DONE: unsure, Phase.STOPPED: lambda _: Verdict.STOPPED}), 3)
    assert "verdict of DONE raised KeyError: False" in found.detail


def test_3_a_domain_with_replies_that_the_ask_forbids() -> None:
    absent = Domain(lambda _: (Absent(AbsentReason.FAILED),), "", True)  # type: ignore[arg-type, return-value]
    other = Domain(lambda _: (Ballot(Prose("so"), Voice.AYE), Key("a")), "", True)  # type: ignore[arg-type, return-value]
    assert "lists an absence" in result(poll(domains={Ballot: absent}), 3).detail
    assert "expects the form Ballot, not Key" in result(poll(domains={Ballot: other}), 3).detail


def test_3_a_decision_that_hangs_on_more_than_its_input() -> None:
    calls: list[int] = []

    def moody(state: Poll, replies: Replies) -> Decision[Poll]:
        calls.append(1)
        return replace(decide(state, replies), state=Poll(tries=len(calls) % 7, carried=True))

    protocol = poll(Node(ask, moody), invariants=(), interchangeable=())
    assert "decide of VOTE gave CARRIED and then CARRIED with another state" in result(protocol, 3).detail


def test_3_an_absence_told_by_its_exact_type() -> None:
    """The walk watches absences, so they are of a type of their own: isinstance tells them, `type` does not."""

    def literal(state: Poll, replies: Replies) -> Decision[Poll]:
        missing = any(type(reply) is Absent for _, reply in replies)
        return decide(state, replies) if not missing else Decision(Outcome.LOST, Poll(carried=True))

    found = result(poll(Node(ask, literal), invariants=(), interchangeable=()), 3)
    assert "lead elsewhere" in found.detail


def test_3_a_round_or_a_progress_that_cannot_be_told() -> None:
    rounds = poll(round=lambda state: 1 // (1 - state.tries))
    assert "the round cannot be told: ZeroDivisionError" in result(rounds, 3).detail
    progress = poll(progress=lambda reply: bool(1 // 0), limits=Limits(stall=9))
    assert "progress raised ZeroDivisionError" in result(progress, 3).detail


# 4


def test_4_phases_that_are_passed_for_ever() -> None:
    silent = poll(
        nodes={Phase.OPENING: OPENING, Phase.VOTE: VOTE, Phase.ANNEX: OPENING},
        table=dict(ROWS) | {Phase.OPENING: {Outcome.START: Phase.ANNEX}, Phase.ANNEX: {Outcome.START: Phase.OPENING}},
    )
    found = result(silent, 4)
    assert found.status is ProofStatus.FAILED
    assert "passes phases for ever and asks nobody" in found.detail
    assert "OPENING opens the session. This raises DefinitionError." in story(found)
