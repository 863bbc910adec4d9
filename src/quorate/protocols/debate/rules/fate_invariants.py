"""Invariants of fates: no question and no critique vanishes, and nothing is approved that nobody judged (D33, D34)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from quorate.core.protocol import Moment
from quorate.core.types import Absent, Seat
from quorate.protocols.debate.rules.model import (
    JUDGE,
    Answers,
    DebateSettings,
    Outcome,
    Phase,
    Questions,
    Refinement,
    Stance,
    State,
    Synthesis,
    Verdict,
)
from quorate.protocols.debate.rules.responses import is_none

M = Moment[State]
Check = Callable[[DebateSettings, M], bool]
RAISED = ("question issued", "question joined", "question refused")
APPROVALS = (Verdict.SOLUTION, Verdict.PARTIAL_SOLUTION)


def _told(moment: M, start: str) -> list[tuple[str, dict[str, str]]]:
    facts = (fact for fact in moment.facts if fact.name.startswith(start))
    return [(fact.name, {name: str(value) for name, value in fact.values}) for fact in facts]


def _raised(settings: DebateSettings, moment: M) -> bool:
    """Every question that is not blank has an id of its own, and is issued, joined to an equal one, or refused."""
    before, after = moment.state, moment.after
    told = [(name, values) for name, values in _told(moment, "question ") if name in RAISED]
    asked = [
        (str(ask.seat), question.same)
        for ask, reply in moment.replies
        if isinstance(reply, Questions)
        for question in reply.questions
        if not question.blank
    ]
    if moment.phase is not Phase.CLARIFICATION or moment.interrupted is not None:
        return not told
    ids = [f"q{number}" for number in range(before.issued + 1, before.issued + len(asked) + 1)]
    if [values["id"] for _, values in told] != ids or [values["seat"] for _, values in told] != [s for s, _ in asked]:
        return False
    known, counts = {same: str(key) for same, key in before.asked}, Counter[str]()
    for (name, values), (seat, same) in zip(told, asked, strict=True):
        if name != _fate(settings, known.get(same), counts[seat]) or values.get("to") != known.get(same):
            return False
        if name == "question issued":
            known[same], counts[seat] = values["id"], counts[seat] + 1
    issued = tuple(values["id"] for name, values in told if name == "question issued")
    left = moment.outcome is Outcome.ALL_CLEAR
    return left or (tuple(after.asked) == tuple(known.items()) and after.questions == before.questions + issued)


def _fate(settings: DebateSettings, equal: str | None, issued: int) -> str:
    if equal is not None:
        return "question joined"
    return "question issued" if issued < settings.clarifications_max_per_agent else "question refused"


def _answered(settings: DebateSettings, moment: M) -> bool:
    """Every question that waits is answered, is told to be unanswered, or waits on, and only one of these (D8)."""
    left = [values["id"] for name, values in _told(moment, "question ") if name == "question unanswered"]
    if moment.phase is not Phase.CLARIFICATION_INPUT or moment.interrupted is not None:
        return not left
    given = [reply.answers for _, reply in moment.replies if isinstance(reply, Answers)]
    answered = [key for answers in given for key, answer in answers.items() if not answer.blank]
    return Counter(moment.state.questions) == Counter([*answered, *left, *moment.after.questions])


def _critiques(settings: DebateSettings, moment: M) -> bool:
    """Every critique of a text that is refined, or whose author leaves, is told once, as its author responds (D14)."""
    told = _told(moment, "critique ")
    if moment.phase is not Phase.REFINEMENT or moment.interrupted is not None:
        return not told
    wanted = Counter(_pairs(moment))
    if Counter((values["by"], values["of"]) for _, values in told) != wanted:
        return False
    stances = Counter(name for name, _ in told)
    notes = settings.unqualified_seats  # what they answer settles nothing (D36)
    given = [
        reply
        for ask, reply in moment.replies
        if isinstance(reply, Refinement) and not reply.blank and ask.seat not in notes
    ]
    responses = Counter(each.stance for reply in given for each in reply.responses.values())
    lost = sum(agent.left * len(agent.critics) for agent in _after(moment))
    return (
        stances["critique accepted"] == responses[Stance.ACCEPTED]
        and stances["critique rejected"] == responses[Stance.REJECTED]
        and stances["critique lost with its author"] == (0 if moment.outcome is Outcome.RETRY else lost)
    )


class _Author(NamedTuple):
    """An author with its critics from before a move, and whether it has left the table after it."""

    seat: Seat
    critics: tuple[Seat, ...]
    left: bool


def _after(moment: M) -> Iterator[_Author]:
    left = {agent.seat for agent in moment.after.agents if agent.left}
    return (_Author(agent.seat, agent.critics, agent.seat in left) for agent in moment.state.agents)


def _pairs(moment: M) -> Iterator[tuple[str, str]]:
    """Yield critic and author of every critique whose fate this move decides."""
    here = {ask.seat for ask, reply in moment.replies if not isinstance(reply, Absent) and not is_none(reply)}
    for author in _after(moment):
        if author.seat in here or (author.left and moment.outcome is not Outcome.RETRY):
            yield from ((str(critic), str(author.seat)) for critic in author.critics)


def _nothing_waits(settings: DebateSettings, moment: M) -> bool:
    """No question and no critique goes into another round or into the synthesis without its fate (D8, D14)."""
    onwards = moment.to in (Phase.ROUND_MANAGER, Phase.SYNTHESIS) and moment.phase is not Phase.SYNTHESIS
    if moment.interrupted is not None or not onwards:
        return True
    return not moment.after.questions and not any(agent.critics for agent in moment.after.agents)


def is_judged(moment: M) -> bool:
    """A solution needs a synthesis of the judge that is not blank, given in the move that concludes (D34)."""
    said = [ask.seat for ask, reply in moment.replies if isinstance(reply, Synthesis) and not reply.blank]
    if moment.after.judged and said != [JUDGE]:
        return False
    return moment.verdict not in APPROVALS or said == [JUDGE]


FATE_CHECKS: tuple[tuple[str, str, Check], ...] = (
    ("every question has exactly one fate", "D33", _raised),
    ("every question that waits is answered or told to be unanswered", "D33", _answered),
    ("every critique has exactly one fate", "D33", _critiques),
    ("nothing waits into another round or the synthesis", "D33", _nothing_waits),
)
