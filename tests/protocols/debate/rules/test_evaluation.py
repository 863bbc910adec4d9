"""Evaluation: two different questions, a threshold, and no call where it cannot matter (D15 to D17, D24)."""

from __future__ import annotations

import pytest

from quorate.core.types import AbsentReason
from quorate.protocols.debate.rules.model import Outcome, Phase, Verdict
from tests.support.debating import TWO, Table


def at_evaluation(kind: str, round_: int = 1, rounds: int = 3, **more: object) -> Table:
    condition = {"type": kind, **more}
    return Table(agents=TWO, rounds=rounds, termination_condition=condition).until(Phase.EVALUATION, round_)


def evaluations(table: Table) -> list[Outcome]:
    return [outcome for phase, outcome in table.rows if phase is Phase.EVALUATION]


def briefs_asked(table: Table) -> list[str]:
    found = []
    while table.conclusion is None:
        found += [ask.brief for ask in table.open if ask.seat == "judge"]
        table.rest(confidence=0) if table.asked()[0].startswith("judge eval") else table.rest()
    return found


@pytest.mark.parametrize("rounds", [1, 2, 3, 4])
def test_a_fixed_number_of_rounds_is_never_evaluated(rounds: int) -> None:
    """D15."""
    table = Table(agents=TWO, rounds=rounds)
    assert briefs_asked(table) == ["synthesize"]
    assert evaluations(table) == [Outcome.CONTINUE] * rounds


@pytest.mark.parametrize("kind", ["convergence", "quality"])
def test_the_judge_is_asked_the_question_of_the_setting(kind: str) -> None:
    """D17: convergence and quality are different questions."""
    table = at_evaluation(kind)
    assert table.asked() == [f"judge evaluate-{kind}"]


@pytest.mark.parametrize("kind", ["convergence", "quality"])
@pytest.mark.parametrize(
    ("confidence", "outcome"),
    [
        (0, "continue"),
        (79, "continue"),
        (80, "consensus_reached"),
        (81, "consensus_reached"),
        (100, "consensus_reached"),
    ],
)
def test_the_default_threshold_is_80_and_enough_itself(kind: str, confidence: int, outcome: str) -> None:
    """D17."""
    table = at_evaluation(kind).say("judge", confidence=confidence)
    assert evaluations(table) == [Outcome(outcome)]
    assert table.phase is (Phase.SYNTHESIS if outcome == "consensus_reached" else Phase.CRITIQUE)


@pytest.mark.parametrize(("confidence", "reached"), [(59, False), (60, True), (61, True)])
def test_a_threshold_of_ones_own(confidence: int, reached: bool) -> None:
    """D17."""
    table = at_evaluation("convergence", threshold=60).say("judge", confidence=confidence)
    assert (evaluations(table) == [Outcome.CONSENSUS_REACHED]) is reached


def test_consensus_may_come_in_a_later_round() -> None:
    """D17."""
    table = at_evaluation("quality").say("judge", confidence=50).until(Phase.EVALUATION, 2)
    table.say("judge", confidence=90)
    assert evaluations(table) == [Outcome.CONTINUE, Outcome.CONSENSUS_REACHED]
    assert table.state.round == 2


@pytest.mark.parametrize("kind", ["convergence", "quality"])
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_the_last_round_is_not_evaluated(kind: str, rounds: int) -> None:
    """D16. Upstream paid for an answer that could not matter."""
    table = Table(agents=TWO, rounds=rounds, termination_condition={"type": kind})
    assert briefs_asked(table) == [f"evaluate-{kind}"] * (rounds - 1) + ["synthesize"]
    assert evaluations(table) == [Outcome.CONTINUE] * (rounds - 1) + [Outcome.MAX_ROUNDS_REACHED]


def test_the_judge_sees_the_texts_and_the_critiques_of_the_round() -> None:
    """D17. Upstream demanded that no critique be unanswered, and showed none."""
    table = Table(agents=TWO, rounds=3, termination_condition={"type": "convergence"}).rest(text="old")
    for agent in TWO:
        table.say(agent, critiques={"proposal-1": {"weaknesses": f"weak, says {agent}", "weight": "major"}})
    for agent in TWO:
        table.say(agent, text=f"new text of {agent}")
    shown = table.sections("judge")
    assert shown["Text of architect"] == "new text of architect"
    assert shown["Text of security"] == "new text of security"
    assert shown["Round 1, architect"].startswith("On security (major): weak, says architect\nSuggestion: ")
    table.say("judge", confidence=0).until(Phase.EVALUATION, 2)
    assert not [title for title in table.sections("judge") if title.startswith("Round 1")]


def test_a_missing_evaluation_is_asked_for_again_and_then_done_without() -> None:
    """D21, D24."""
    table = at_evaluation("convergence").absent("judge", AbsentReason.TIMED_OUT)
    assert table.asked() == ["judge evaluate-convergence"]
    table.absent("judge", AbsentReason.MALFORMED)
    assert evaluations(table) == [Outcome.RETRY, Outcome.FALLBACK]
    assert (table.phase, table.state.round) == (Phase.CRITIQUE, 2)
    assert table.absences() == [("judge", "timed_out"), ("judge", "malformed")]


def test_without_any_evaluation_the_round_limit_ends_the_debate() -> None:
    """D24."""
    table = Table(agents=TWO, rounds=3, retries=0, termination_condition={"type": "quality"})
    while table.conclusion is None:
        if table.phase is Phase.EVALUATION:
            table.absent("judge")
        else:
            table.rest()
    assert evaluations(table) == [Outcome.FALLBACK, Outcome.FALLBACK, Outcome.MAX_ROUNDS_REACHED]
    assert table.verdict is Verdict.SOLUTION
