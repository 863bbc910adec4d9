"""How a verdict follows: every row of every phase that was passed is taken, or has its reason why not."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from quorate.catalog import definition
from quorate.core.session import Cause
from quorate.core.types import Absent, AbsentReason, Reason
from quorate.evidence.explain import ExplainedMove, explain, explain_text
from quorate.worth.tolerance import tolerance


def rows(move: ExplainedMove) -> dict[str, str]:
    return {row.outcome: row.why for row in move.others}


def test_every_row_of_a_phase_is_taken_or_explained(full: Any) -> None:
    table = full.record.protocol.table
    for move in explain(full.record):
        phase = next(phase for phase in table if phase.name == move.phase)
        assert {move.outcome, *rows(move)} == {outcome.name for outcome in table[phase]}
        assert move.outcome not in rows(move)
        assert all(rows(move).values())
        assert move.decisive is not None
        assert move.decisive.outcome == move.outcome


def test_moves_follow_each_other_to_the_verdict(full: Any) -> None:
    moves = explain(full.record)
    assert moves[0].phase == "INITIALIZATION"
    assert all(move.to == after.phase for move, after in itertools.pairwise(moves))
    assert moves[-1].to == "CONCLUDED"
    found = tolerance(full.record, definition("debate").tolerance)
    assert explain_text(full.record, tolerance=found).endswith(
        "One judge decided: the verdict tolerates no dishonest vote.\n"
        "Faults that voters share are outside of any such number; the judge is of one model family (judge).\n\n"
        "CONCLUDED concludes with the verdict SOLUTION. Degradation: within settings.\n"
    )


def test_a_retry_and_a_fallback_are_told_apart_d21_d22(full: Any) -> None:
    retry, fallback = [move for move in explain(full.record) if move.absent()]
    assert [(heard.seat, heard.answer) for heard in retry.heard] == [
        ("architect", "replied"),
        ("security", "replied"),
        ("testing", "timed_out"),
    ]
    assert retry.outcome == "RETRY"
    assert str(retry.decisive) == "D21 (retries used 0 < allowed 1)"
    assert rows(retry)["CRITIQUES_COMPLETE"] == "D3 (agents absent 1 == 0) did not hold"
    assert rows(retry)["FALLBACK"] == "not reached, because D21 (retries used 0 < allowed 1) held before"
    assert fallback.outcome == "FALLBACK"
    assert rows(fallback)["RETRY"] == "D21 (retries used 1 < allowed 1) did not hold"
    assert [fact.name for fact in fallback.facts] == ["left the table"]
    assert [(move.round, move.entry) for move in (retry, fallback)] == [(1, 7), (1, 8)]


def test_the_last_resort_names_what_did_not_hold_d17(full: Any) -> None:
    evaluation = next(move for move in explain(full.record) if move.phase == "EVALUATION")
    assert evaluation.because == "D17 (none held: confidence 75 >= threshold 90)"
    assert rows(evaluation)["RETRY"] == "not tested, because D17 (nothing else applied) held"


def test_an_interruption_is_said_as_such_d26(debate: Callable[..., Any]) -> None:
    stopped = debate()
    stopped.play(1)
    stopped.stop(Reason.BUDGET, "0.10 dollars are spent")
    last = explain(stopped.record)[-1]
    assert last.cause is Cause.INTERRUPTED
    assert (last.phase, last.outcome, last.to) == ("PROPOSAL", "budget", "ABORTED")
    assert last.because == "interrupted: budget (0.10 dollars are spent)"
    assert [heard.answer for heard in last.heard] == ["replied", "withdrawn", "withdrawn"]
    assert set(rows(last).values()) == {"the session was interrupted (budget) before this phase decided"}
    text = explain_text(stopped.record)
    assert "heard: architect; performance withdrawn; simplicity withdrawn" in text
    assert "interrupted: budget (0.10 dollars are spent) -> ABORTED" in text


def test_a_wish_takes_effect_after_the_phase_d26(debate: Callable[..., Any]) -> None:
    wished = debate(settings={"rounds": 3})
    wished.play(1)
    wished.stop(Reason.WISH, "enough")
    wished.play()
    moves = explain(wished.record)
    decided, diverted = moves[-3:-1]
    assert (decided.phase, decided.outcome, decided.to) == ("PROPOSAL", "PROPOSALS_COMPLETE", "CRITIQUE")
    assert (diverted.phase, diverted.because, diverted.to) == ("CRITIQUE", "interrupted: wish (enough)", "SYNTHESIS")
    assert diverted.heard == ()


def test_a_session_under_way_says_whom_it_waits_for(debate: Callable[..., Any]) -> None:
    started = debate()
    started.play(2)
    assert explain_text(started.record).endswith("The session stands in PROPOSAL and waits for simplicity (4.2).\n")


def test_a_missing_judge_is_explained_d25(debate: Callable[..., Any]) -> None:
    text = explain_text(debate(say={"judge": Absent(AbsentReason.REFUSED)}).play().record)
    assert "heard: judge refused" in text
    assert "the verdict UNJUDGED. Degradation: below settings." in text


def test_words_from_outside_cannot_steer_the_terminal(debate: Callable[..., Any]) -> None:
    stopped = debate().stop(Reason.CANCELLED, "\x1b[2J\x1b]0;owned\x07 \u202etxt")
    text = explain_text(stopped.record)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "⟨U+001B⟩[2J" in text
