"""Synthesis: what the judge reads, what counts of its confidence, and what follows (D18 to D20, D25, D30)."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.core.protocol import Degradation
from quorate.core.types import AbsentReason, Reason
from quorate.protocols.debate.rules.model import Outcome, Phase, Verdict
from tests.support.debating import THREE, TWO, Table

SHORT = {"threshold": 100, "max_length": 100}


def at_synthesis(text: str = "t", critique: str = "c", agents: list[str] = TWO, **settings: Any) -> Table:
    """One round of texts and critiques of these lengths, then the judge."""
    table = Table(agents=agents, **{"rounds": 1, "summarization": SHORT, **settings}).rest(text="proposal")
    words = {"strengths": "", "weaknesses": critique, "suggestion": ""}
    while table.phase is Phase.CRITIQUE:
        ask = table.open[0]
        table.say(ask.seat, critiques=dict.fromkeys(ask.keys, words))
    return table.rest(text=text)


# The summary before it


@pytest.mark.parametrize(
    ("text", "critique", "first"), [(39, 10, False), (40, 10, True), (41, 10, True), (1, 49, True)]
)
def test_the_judge_summarises_first_where_texts_and_critiques_reach_the_threshold(
    text: int, critique: int, first: bool
) -> None:
    """D18: two texts and two critiques, below, at and above 100 characters."""
    table = at_synthesis("t" * text, "c" * critique)
    assert table.asked() == ["judge summarize-debate" if first else "judge synthesize"]


def test_switched_off_there_is_no_summary() -> None:
    """D18."""
    table = at_synthesis("t" * 500, summarization={**SHORT, "enabled": False})
    assert table.asked() == ["judge synthesize"]


def test_the_summary_is_used_and_cut_to_its_limit() -> None:
    """D18, D30. Upstream generated it, stored it and used the last texts."""
    table = at_synthesis("t" * 500)
    assert "Text of architect" in table.sections("judge")
    assert table.sections("judge")["Limit"] == "At most 100 characters."
    table.say("judge", text="s" * 300)
    assert table.rows[-1] == (Phase.SYNTHESIS, Outcome.CONTEXTS_READY)
    assert table.asked() == ["judge synthesize"]
    shown = table.sections("judge")
    assert shown["Your summary of the debate"] == "s" * 100
    assert not [title for title in shown if title.startswith(("Text of", "Round"))]


def test_a_missing_summary_is_skipped() -> None:
    """D25."""
    table = at_synthesis("t" * 500).absent("judge").absent("judge")
    assert table.rows[-2:] == [(Phase.SYNTHESIS, Outcome.RETRY), (Phase.SYNTHESIS, Outcome.CONTEXTS_READY)]
    assert table.asked() == ["judge synthesize"]
    assert table.sections("judge")["Text of architect"] == "t" * 500
    assert table.finish().verdict is Verdict.SOLUTION


def test_the_summary_does_not_use_up_the_retries_of_the_synthesis() -> None:
    """D21."""
    table = at_synthesis("t" * 500).absent("judge").absent("judge").absent("judge")
    assert table.asked() == ["judge synthesize"]


def test_a_wish_in_the_middle_of_a_round_counts_the_texts_that_stand() -> None:
    """D18, D26: the final texts are then the proposals, and they are long."""
    table = Table(agents=TWO, summarization=SHORT).interrupt(Reason.WISH).rest(text="p" * 500)
    assert table.phase is Phase.SYNTHESIS
    assert table.asked() == ["judge summarize-debate"]


def test_a_wish_in_a_later_round_counts_the_texts_carried_over() -> None:
    """D12, D18, D26: the refinements of round 1 stand until those of round 2 replace them."""
    settings = {**SHORT, "threshold": 400}
    table = Table(agents=TWO, rounds=2, summarization=settings).rest(text="p")
    table.rest(critiques={}).rest(text="r" * 300)
    assert (table.phase, table.state.round) == (Phase.CRITIQUE, 2)
    table.interrupt(Reason.WISH).rest(critiques={})
    assert table.asked() == ["judge summarize-debate"]


def test_an_agent_that_left_counts_with_its_history() -> None:
    """D18, D22."""
    table = Table(agents=THREE, rounds=2, retries=0, summarization={"threshold": 300, "max_length": 100})
    table.rest(text="p" * 140).rest(critiques={}).rest(text="r" * 70)
    table.say("architect", critiques={}).say("security", critiques={}).absent("testing").rest(text="s" * 70)
    assert table.phase is Phase.SYNTHESIS
    assert table.asked() == ["judge summarize-debate"]


# What the judge sees


def test_the_judge_sees_problem_clarifications_final_texts_and_critiques() -> None:
    """D30. Upstream showed it no clarifications."""
    table = Table(agents=TWO, rounds=2, interactive_clarifications=True, clarifications_max_iterations=1)
    table.say("architect", questions=["How many?"]).rest(questions=[]).rest(answers={"q1": "ten"})
    table.until(Phase.REFINEMENT, 2).say("architect", text="last of a").say("security", text="last of s")
    shown = table.sections("judge")
    assert shown["The problem"] == table.material["problem"]
    assert (shown["Questions to the person"], shown["The person's answers"]) == ("q1: How many?", "q1: ten")
    assert (shown["Text of architect"], shown["Text of security"]) == ("last of a", "last of s")
    rounds = [title for title in shown if title.startswith("Round")]
    assert rounds == ["Round 2, architect", "Round 2, security", "Round 1, architect", "Round 1, security"]
    assert all(shown[title].startswith("On ") for title in rounds)


def test_the_files_of_the_context_folder_are_shown() -> None:
    table = Table(agents=TWO, context="main.py\nREADME.md")
    assert table.sections("architect")["Files of the context folder"] == "main.py\nREADME.md"


@pytest.mark.parametrize("last", ["evaluation", "synthesis"])
def test_the_order_of_arrival_changes_nothing_that_the_judge_is_shown(last: str) -> None:
    """D3."""
    kind = "quality" if last == "evaluation" else "fixed"
    views = []
    for order in (THREE, THREE[::-1]):
        table = Table(agents=THREE, rounds=2 if last == "evaluation" else 1, termination_condition={"type": kind})
        for _ in range(3):
            for agent in order:
                table.say(agent)
        views.append(table.view("judge"))
    assert views[0] == views[1]


# Confidence and verdict


@pytest.mark.parametrize(
    ("said", "unmet", "counts", "verdict"),
    [
        (100, [], 100, Verdict.SOLUTION),
        (0, [], 0, Verdict.SOLUTION),
        (41, [], 41, Verdict.SOLUTION),
        (100, ["must be fast"], 40, Verdict.PARTIAL_SOLUTION),
        (41, ["must be fast"], 40, Verdict.PARTIAL_SOLUTION),
        (40, ["must be fast"], 40, Verdict.PARTIAL_SOLUTION),
        (12, ["must be fast"], 12, Verdict.PARTIAL_SOLUTION),
        (90, ["", "  "], 90, Verdict.SOLUTION),
        (90, ["", "must be fast"], 40, Verdict.PARTIAL_SOLUTION),
    ],
)
def test_an_unfulfilled_major_requirement_caps_the_confidence_at_40(
    said: int, unmet: list[str], counts: int, verdict: Verdict
) -> None:
    """D19, D20."""
    table = at_synthesis().say("judge", confidence=said, unfulfilled_major_requirements=unmet)
    assert (table.verdict, table.state.confidence) == (verdict, counts)
    capped = [{"said": said, "counts": 40}] if counts < said else []
    assert table.facts("confidence capped") == capped


def test_a_whole_table_and_a_judge_are_not_degraded() -> None:
    """D27."""
    table = at_synthesis().rest()
    assert table.conclusion is not None
    assert table.conclusion.degradation is Degradation.NONE


# Without a judge


@pytest.mark.parametrize("reason", AbsentReason)
def test_a_missing_judge_gives_a_mechanical_synthesis(reason: AbsentReason) -> None:
    """D21, D25, D27."""
    table = at_synthesis().absent("judge", reason)
    assert table.asked() == ["judge synthesize"]
    table.absent("judge", reason)
    assert table.rows[-2:] == [(Phase.SYNTHESIS, Outcome.RETRY), (Phase.SYNTHESIS, Outcome.FALLBACK)]
    assert table.verdict is Verdict.UNJUDGED
    assert table.conclusion is not None
    assert table.conclusion.degradation is Degradation.BELOW_SETTINGS


def test_a_judge_that_may_be_missing_is_a_lesser_degradation() -> None:
    """D27."""
    table = at_synthesis(retries=0, judge_required=False).absent("judge")
    assert table.verdict is Verdict.UNJUDGED
    assert table.conclusion is not None
    assert table.conclusion.degradation is Degradation.WITHIN_SETTINGS


def test_a_judge_that_comes_back_judges() -> None:
    """D21."""
    assert at_synthesis().absent("judge").say("judge").verdict is Verdict.SOLUTION
