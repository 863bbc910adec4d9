"""A poll small enough to know every state of by heart: three members vote, the absent are asked once more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Annotated, Any

from quorate.core.decisions import Decision, Test, choose, compare, otherwise
from quorate.core.forms import Key, Prose, Reply
from quorate.core.protocol import Blindness, Domain, Interrupt, Invariant, Moment, Node, Protocol, When
from quorate.core.record import Record
from quorate.core.types import Ask, Question, Reason, Replies, Seat
from quorate.core.view import Section, View
from quorate.verify import ProofResult, ProofStatus, Report, verify

MEMBERS = (Seat("ann"), Seat("bob"), Seat("cat"))
MOTION = Key("motion")


class Phase(Enum):
    OPENING = "opening"
    VOTE = "vote"
    DONE = "done"
    STOPPED = "stopped"
    ANNEX = "annex"
    """For tests that add a phase."""


class Outcome(Enum):
    START = "start"
    RETRY = "retry"
    CARRIED = "carried"
    LOST = "lost"


class Verdict(Enum):
    CARRIED = "carried"
    LOST = "lost"
    STOPPED = "stopped"


class Voice(Enum):
    AYE = "aye"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Ballot(Reply):
    reason: Annotated[Prose, "why"]
    voice: Annotated[Voice, "aye or no"]


@dataclass(frozen=True, slots=True)
class Member:
    seat: Seat
    heard: bool = False
    aye: bool = False


@dataclass(frozen=True, slots=True)
class Poll:
    members: tuple[Member, ...] = tuple(Member(seat) for seat in MEMBERS)
    tries: int = 0
    carried: bool = False


def ask(state: Poll) -> tuple[Question, ...]:
    """P1: everybody who has not been heard is asked about the motion."""
    return tuple(Question(m.seat, "vote", Ballot, (MOTION,)) for m in state.members if not m.heard)


def noted(state: Poll, replies: Replies) -> Poll:
    said = {a.seat: reply.voice for a, reply in replies if isinstance(reply, Ballot)}
    members = (replace(m, heard=True, aye=said[m.seat] is Voice.AYE) if m.seat in said else m for m in state.members)
    return replace(state, members=tuple(members))


def tests(state: Poll, absent: int) -> tuple[Test, ...]:
    """P2: a majority of all members carries; P3: the absent are asked once more; P4: else it is lost."""
    ayes = sum(member.aye for member in state.members)
    return (
        compare("P2", Outcome.CARRIED, ("ayes", ayes), ">=", 2),
        Test("P3", Outcome.RETRY, f"{absent} absent, tries {state.tries}", absent > 0 and state.tries < 1),
        otherwise("P4", Outcome.LOST),
    )


def decide(state: Poll, replies: Replies) -> Decision[Poll]:
    state = noted(state, replies)
    made = choose(state, tests(state, len(MEMBERS) - sum(member.heard for member in state.members)))
    if made.outcome is Outcome.RETRY:
        return replace(made, state=replace(state, tries=state.tries + 1))
    return replace(made, state=Poll(carried=made.outcome is Outcome.CARRIED))


def settle(state: Poll, replies: Replies) -> Decision[Poll] | None:
    """Carried is carried, whatever the others say."""
    made = choose(noted(state, replies), tests(noted(state, replies), 0))
    return replace(made, state=Poll(carried=True)) if made.outcome is Outcome.CARRIED else None


def settle_too_early(state: Poll, replies: Replies) -> Decision[Poll] | None:
    """One aye is no majority."""
    ayes = sum(member.aye for member in noted(state, replies).members)
    return Decision(Outcome.CARRIED, Poll(carried=True)) if ayes else None


def nobody(_: Poll) -> tuple[Question, ...]:
    return ()


def view(record: Record, asked: Ask) -> View:
    return View("", (Section(f"Item {MOTION}", "Shall we?"),))


def keep(state: Poll, _: Replies) -> Poll:
    return Poll()


def carried_by_majority(moment: Moment[Poll]) -> bool:
    if moment.outcome is not Outcome.CARRIED:
        return True
    ayes = sum(m.aye for m in moment.state.members)
    return ayes + sum(isinstance(r, Ballot) and r.voice is Voice.AYE for _, r in moment.replies) >= 2


VOTE = Node(ask, decide)
ROWS: Mapping[Phase, Mapping[Outcome, Phase]] = {
    Phase.OPENING: {Outcome.START: Phase.VOTE},
    Phase.VOTE: {Outcome.CARRIED: Phase.DONE, Outcome.RETRY: Phase.VOTE, Outcome.LOST: Phase.DONE},
}


def poll(vote: Node[Poll] = VOTE, **changes: Any) -> Protocol[Poll]:
    """The poll, with another VOTE or other parts of the protocol where given."""
    parts: dict[str, Any] = {
        "name": "poll",
        "version": "1",
        "start": Poll(),
        "initial": Phase.OPENING,
        "nodes": {
            Phase.OPENING: Node(nobody, lambda s, _: choose(s, [otherwise("P0", Outcome.START)])),
            Phase.VOTE: vote,
        },
        "table": ROWS,
        "interrupts": {
            reason: Interrupt(Phase.STOPPED, When.AFTER_PHASE if reason is Reason.WISH else When.NOW, keep)
            for reason in Reason
            if reason is not Reason.ESCALATION
        },
        "verdicts": {
            Phase.DONE: lambda s: Verdict.CARRIED if s.carried else Verdict.LOST,
            Phase.STOPPED: lambda _: Verdict.STOPPED,
        },
        "exit_codes": {Verdict.CARRIED: 0, Verdict.LOST: 1, Verdict.STOPPED: 3},
        "seats": MEMBERS,
        "view": view,
        "briefs": {"vote": "Vote on the motion."},
        "domains": {Ballot: Domain(lambda _: tuple(Ballot(Prose("so"), v) for v in Voice), "both voices", True)},
        "blindness": Blindness(lambda asked, other: asked.seat != other.seat, lambda asked: frozenset()),
        "invariants": (Invariant("a majority carries, and nothing else", "P2", carried_by_majority),),
        "interchangeable": (frozenset(MEMBERS),),
        "round": lambda state: state.tries + 1,
    }
    return Protocol(**(parts | changes))


def proof(protocol: Protocol[Any], **more: Any) -> Report:
    return verify({"the poll": protocol}, **more)


def failed(protocol: Protocol[Any]) -> list[int]:
    """The numbers of the results that do not hold."""
    return [each.number for each in proof(protocol).results if each.status is ProofStatus.FAILED]


def result(protocol: Protocol[Any], number: int, **more: Any) -> ProofResult:
    """One of the nine results for a protocol."""
    return proof(protocol, **more).results[number - 1]


def story(found: ProofResult) -> str:
    assert found.counterexample is not None
    return found.counterexample.text()


OPENING: Node[Any] = Node(nobody, lambda s, _: choose(s, [otherwise("P0", Outcome.START)]))
"""A first phase that asks nobody."""
