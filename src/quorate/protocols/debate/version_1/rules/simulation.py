"""Simulated agents of known accuracy in a debate.

There is a right solution, and every agent proposes it or another one. Refining, an agent has read the others and may
adopt what most of them hold. The judge says what most agents hold, and judges for itself where they are tied; so the
solution is right where the judge's is. A judge that abstains names a requirement that is not met.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quorate.core.errors import SettingError
from quorate.core.forms import Keyed, Prose, Reply
from quorate.core.protocol import Protocol
from quorate.core.types import Ask, Seat
from quorate.kit.judgement import Judging, Mind, Truth
from quorate.protocols.debate.version_1.rules.model import (
    JUDGE,
    PERSON,
    ROLES,
    Answer,
    Answers,
    Critique,
    Critiques,
    Evaluation,
    Proposal,
    Questions,
    Refinement,
    Response,
    Stance,
    State,
    Summary,
    Synthesis,
    Verdict,
    Weight,
)

TEXT = Prose("text")
SIZE = 2_000
"""Characters of every text, by which histories grow."""
SURE, UNSURE = 100, 0


def _voters(protocol: Protocol[Any]) -> tuple[Seat, ...]:
    return tuple(seat for seat in protocol.seats if seat not in (JUDGE, PERSON))


def _seated(count: int) -> Mapping[str, Any]:
    """Return this many agents: one of each role, the first role twice."""
    roles = (*ROLES, f"{ROLES[0]}:2")
    if not 2 <= count <= len(roles):
        raise SettingError(f"is {count}", key="seats", expected=f"a number from 2 to {len(roles)}")
    return {"agents": list(roles[:count])}


def _tells(ask: Ask, _: State) -> bool:
    """Whether the asked seat has read the others: an agent that refines and the judge have."""
    return ask.form in (Refinement, Evaluation, Synthesis)


def _filling(protocol: Protocol[Any]) -> Callable[[Ask, State, Mind], Reply]:
    agents = frozenset(_voters(protocol))

    def fill(ask: Ask, _: State, mind: Mind) -> Reply:
        match ask.form.__name__:
            case "Answers":
                return Answers(Keyed(dict.fromkeys(ask.keys, Answer(TEXT, False))))
            case "Critiques":
                return Critiques(Keyed(dict.fromkeys(ask.keys, Critique(TEXT, TEXT, TEXT, Weight.MAJOR))), SIZE)
            case "Refinement":
                return Refinement(Keyed(dict.fromkeys(ask.keys, Response(TEXT, Stance.ACCEPTED))), TEXT, SIZE)
            case "Evaluation":
                held = [each for seat, each in mind.shown.items() if seat in agents]
                content = _agree(held) if ask.brief == "evaluate-convergence" else _good(held, mind)
                return Evaluation(TEXT, SURE if content else UNSURE)
            case "Synthesis":
                gaps = mind.opinion.right is None
                return Synthesis(TEXT, (), (), (TEXT,) if gaps else (), (), SURE, gaps)
            case _:
                return _WORDS[ask.form]

    return fill


_WORDS: Mapping[type[Reply], Reply] = {
    Questions: Questions(TEXT, ()),
    Summary: Summary(TEXT, SIZE),
    Proposal: Proposal(TEXT, TEXT, SIZE),
}
"""What is said without judging: nobody has a question; a proposal is counted by its length alone."""


def _agree(held: list[bool | None]) -> bool:
    return len(set(held)) == 1


def _good(held: list[bool | None], mind: Mind) -> bool:
    """Whether the judge accepts what most agents propose; correct if its own judgement is."""
    good = held.count(True) > held.count(False)
    return good if mind.opinion.right is not False else not good


JUDGING = Judging(
    truths={"solvable": Truth("there is a right solution")},
    voters=_voters,
    seated=_seated,
    filling=_filling,
    tells=_tells,
    undecided=frozenset({Verdict.UNJUDGED, Verdict.FAILED, Verdict.ABORTED}),
    judges=(JUDGE,),
    follows=frozenset({JUDGE}),
    answer=JUDGE,
)
