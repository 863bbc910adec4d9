"""A small protocol for tests of the engine: a few seats vote, again until somebody wins, and a clerk wraps up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Annotated, Any

from quorate.core.decisions import Decision, Fact, choose, compare, otherwise
from quorate.core.forms import Key, Prose, Reply
from quorate.core.protocol import Domain, Interrupt, Limits, Node, Protocol, When
from quorate.core.types import Question, Reason, Replies, Seat
from quorate.core.view import Section, View

CLERK = Seat("clerk")
ITEMS = (Key("red"), Key("blue"))


class Phase(Enum):
    OPENING = "opening"
    VOTE = "vote"
    WRAP_UP = "wrap_up"
    END = "end"
    STOPPED = "stopped"


class Outcome(Enum):
    START = "start"
    AGAIN = "again"
    WON = "won"
    WRAPPED = "wrapped"


class Verdict(Enum):
    WON = "won"
    UNDECIDED = "undecided"
    STOPPED = "stopped"


class Voice(Enum):
    AYE = "aye"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Ballot(Reply):
    reason: Annotated[Prose, "why"]
    items: Annotated[tuple[Key, ...], "which items it concerns"]
    voice: Annotated[Voice, "aye or no"]


@dataclass(frozen=True, slots=True)
class Note(Reply):
    text: Annotated[Prose, "what came of it"]


@dataclass(frozen=True, slots=True)
class Count:
    ayes: int = 0
    noes: int = 0
    missing: int = 0
    votes: int = 0
    """How often it was voted."""
    won: bool = False

    def with_(self, replies: Replies) -> Count:
        voices = [reply.voice for _, reply in replies if isinstance(reply, Ballot)]
        return replace(
            self,
            ayes=self.ayes + voices.count(Voice.AYE),
            noes=self.noes + voices.count(Voice.NO),
            missing=self.missing + len(replies.absent()),
        )


def voting(
    seats: int = 3,
    *,
    needed: int = 2,
    most: int = 3,
    settles: bool = False,
    limits: Limits | None = None,
    people: frozenset[Seat] = frozenset(),
    rows: dict[Phase, dict[Outcome, Phase]] | None = None,
    to: dict[Reason, Phase] | None = None,
    progress: Callable[[Reply], bool] = lambda _: True,
    decide: Callable[[Count, Replies], Decision[Count]] | None = None,
    rulings: dict[Verdict, tuple[Verdict, ...]] | None = None,
) -> Protocol[Count]:
    """Vote until a ballot has `needed` ayes, at most `most` times."""
    voters = tuple(Seat(f"voter-{number}") for number in range(1, seats + 1))
    targets = to or {}

    def ask(_: Count) -> tuple[Question, ...]:
        return tuple(Question(voter, "vote", Ballot, ITEMS) for voter in voters)

    def count(state: Count, replies: Replies) -> Decision[Count]:
        ayes = sum(isinstance(reply, Ballot) and reply.voice is Voice.AYE for _, reply in replies)
        tests = (
            compare("T1", Outcome.WON, ("ayes", ayes), ">=", ("needed", needed)),
            compare("T2", Outcome.AGAIN, ("votes before", state.votes), "<", most - 1),
            otherwise("T3", Outcome.WRAPPED),
        )
        made = choose(state, tests, [Fact.of("counted", ayes=ayes)])
        won = made.outcome is Outcome.WON
        return replace(made, state=replace(state.with_(replies), votes=state.votes + 1, won=won))

    def settle(state: Count, replies: Replies) -> Decision[Count] | None:
        decision = count(state, replies)
        return decision if decision.outcome is Outcome.WON else None

    def interrupt(reason: Reason, phase: Phase, when: When) -> Interrupt[Count]:
        return Interrupt(targets.get(reason, phase), when, Count.with_)

    return Protocol(
        name="voting",
        version="1",
        start=Count(),
        initial=Phase.OPENING,
        nodes={
            Phase.OPENING: Node(_nobody, lambda s, _: choose(s, [otherwise("T0", Outcome.START)])),
            Phase.VOTE: Node(ask, decide or count, settle if settles else None),
            Phase.WRAP_UP: Node(
                lambda _: (Question(CLERK, "note", Note),),
                lambda s, _: choose(s, [otherwise("T4", Outcome.WRAPPED)]),
            ),
        },
        table=rows
        or {
            Phase.OPENING: {Outcome.START: Phase.VOTE},
            Phase.VOTE: {Outcome.WON: Phase.END, Outcome.AGAIN: Phase.VOTE, Outcome.WRAPPED: Phase.WRAP_UP},
            Phase.WRAP_UP: {Outcome.WRAPPED: Phase.END},
        },
        interrupts={
            Reason.CANCELLED: interrupt(Reason.CANCELLED, Phase.STOPPED, When.NOW),
            Reason.BUDGET: interrupt(Reason.BUDGET, Phase.WRAP_UP, When.NOW),
            Reason.EPISODES: interrupt(Reason.EPISODES, Phase.WRAP_UP, When.NOW),
            Reason.STALL: interrupt(Reason.STALL, Phase.WRAP_UP, When.AFTER_PHASE),
            Reason.WISH: interrupt(Reason.WISH, Phase.WRAP_UP, When.AFTER_PHASE),
        },
        verdicts={
            Phase.END: lambda s: Verdict.WON if s.won else Verdict.UNDECIDED,
            Phase.STOPPED: lambda _: Verdict.STOPPED,
        },
        exit_codes={Verdict.WON: 0, Verdict.UNDECIDED: 2, Verdict.STOPPED: 3},
        seats=(*voters, CLERK),
        view=lambda record, ask: View("", (Section("Votes so far", str(record.session.state.votes)),)),
        briefs={"vote": "# Vote", "note": "# Note"},
        domains={
            Ballot: Domain(lambda _: tuple(Ballot(Prose("why"), (), v) for v in Voice), "all voices", True),
            Note: Domain(lambda _: (Note(Prose("note")),), "only one", True),
        },
        people=people,
        limits=limits or Limits(),
        progress=progress,
        round=lambda state: state.votes + 1,
        rulings=rulings or {},
    )


def ballot(voice: Voice, *items: str, reason: str = "because") -> Ballot:
    return Ballot(Prose(reason), tuple(Key(item) for item in items), voice)


def note() -> Note:
    return Note(Prose("noted"))


def _nobody(_: Any) -> tuple[Question, ...]:
    return ()
