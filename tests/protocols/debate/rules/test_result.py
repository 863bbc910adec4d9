"""What a debate came to: the judge's synthesis, or the last texts side by side (D19, D25, D26)."""

from __future__ import annotations

from quorate.core.types import Reason
from quorate.protocols.debate.rules.model import Phase
from quorate.protocols.debate.rules.result import result, show
from tests.support.debating import TWO, Table


def at_synthesis() -> Table:
    table = Table(agents=TWO, rounds=1, retries=0).until(Phase.REFINEMENT)
    return table.say("architect", text="Text of the first.").say("security", text="Text of the second.")


def test_the_judges_words_are_the_result() -> None:
    table = at_synthesis().say(
        "judge",
        solution="A queue.",
        tradeoffs=["speed for safety", " "],
        recommendations=["measure"],
        open_questions=[],
        confidence=83,
    )
    found = result(table.record)
    assert (found["by"], found["solution"], found["recommendations"]) == ("judge", "A queue.", ["measure"])
    assert (found["confidence"], found["confidence_said"]) == (83, 83)
    assert show(found) == (
        "A queue.\n\n## Trade-offs\n\n- speed for safety\n\n## Recommendations\n\n- measure\n\nConfidence: 83 of 100"
    )


def test_a_capped_confidence_says_that_it_is_capped() -> None:
    """D19."""
    table = at_synthesis().say("judge", confidence=90, unfulfilled_major_requirements=["must be fast"])
    found = result(table.record)
    assert (found["confidence"], found["confidence_said"]) == (40, 90)
    assert "Confidence: 40 of 100 (the judge said 90" in show(found)
    assert "## Unfulfilled major requirements\n\n- must be fast" in show(found)


def test_without_a_judge_the_last_texts_stand_side_by_side() -> None:
    """D25."""
    table = at_synthesis().absent("judge")
    found = result(table.record)
    assert found == {
        "by": "code",
        "texts": {"architect": "Text of the first.", "security": "Text of the second."},
    }
    assert show(found).startswith("Nobody judged.")
    assert show(found).index("Text of the first.") < show(found).index("Text of the second.")


def test_an_aborted_debate_still_gives_what_there_is() -> None:
    """D26."""
    table = Table(agents=TWO).say("security", text="Only this.").interrupt(Reason.BUDGET)
    assert result(table.record) == {"by": "code", "texts": {"security": "Only this."}}


def test_a_debate_in_which_nothing_was_said_says_so() -> None:
    """D26."""
    table = Table(agents=TWO).interrupt(Reason.CANCELLED)
    assert "Nothing was said." in show(result(table.record))
