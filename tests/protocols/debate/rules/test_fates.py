"""What became of everything that was raised (D33), and that nobody's silence is an approval (D34)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quorate.codec.parse import parse_entries
from quorate.core.types import Reason
from quorate.kit.fates import Fate
from quorate.protocols.debate.rules.fates import fates
from quorate.protocols.debate.rules.model import Phase, Questions, Verdict
from quorate.protocols.debate.rules.result import result
from tests.support.debating import THREE, TWO, Table


def found(table: Table) -> dict[str, Fate]:
    told = fates(table.record)
    assert len({each.id for each in told}) == len(told), "each stands once"
    return {each.id: each for each in told}


def became(table: Table) -> dict[str, str]:
    return {id_: each.became for id_, each in found(table).items()}


def refining(**settings: Any) -> Table:
    return Table(agents=TWO, rounds=1, anonymous=False, **settings).until(Phase.REFINEMENT)


def test_every_critique_is_accepted_rejected_or_left_open() -> None:
    """D14, D33."""
    table = refining().say("architect", responses={"security": {"stance": "rejected"}}).say("security", responses={})
    table.finish()
    assert became(table) == {
        "p1.architect": "refined",
        "p1.security": "refined",
        "c1.architect.security": "left open",
        "c1.security.architect": "rejected",
        "r1.architect": "judged",
        "r1.security": "judged",
        "s1": "the solution",
    }
    assert {each.rule for each in fates(table.record)} == {"D12", "D14", "D20"}
    assert found(table)["c1.security.architect"].by == ("security",)


def test_a_critique_of_who_left_is_lost_with_its_author() -> None:
    """D14, D22."""
    table = Table(agents=THREE, rounds=1).until(Phase.REFINEMENT).lose("testing").finish()
    told = became(table)
    assert {told["c1.architect.testing"], told["c1.security.testing"]} == {"lost with its author"}
    assert told["c1.testing.architect"] == "accepted"
    assert told["p1.testing"] == "judged", "its last text stays before the judge"


def test_a_refinement_without_words_takes_the_place_of_nothing() -> None:
    """D21, D33."""
    table = refining(retries=0).say("architect", text=" ").say("security").finish()
    assert table.conclusion is not None
    assert table.conclusion.verdict is Verdict.FAILED, "fewer than two agents are left"
    told = became(table)
    assert (told["p1.architect"], told["r1.architect"]) == ("not judged", "without words")
    assert told["c1.security.architect"] == "lost with its author"
    again = refining().say("architect", text=" ").say("security").say("architect").finish()
    assert (became(again)["p1.architect"], became(again)["r1.architect"]) == ("refined", "judged")


def test_questions_have_fates() -> None:
    """D5, D8, D32, D33."""
    settings: dict[str, Any] = {"clarifications_max_per_agent": 1, "clarifications_max_iterations": 1}
    table = Table(agents=TWO, rounds=1, interactive_clarifications=True, **settings)
    table.say("architect", questions=["A?", "B?"]).say("security", questions=["a", "C?"])
    assert became(table) == {"q1": "under way", "q2": "refused", "q3": "joined to q1", "q4": "under way"}
    table.rest(answers={"q1": "yes"})
    table.absent("person")
    told = became(table)
    assert (told["q1"], told["q4"]) == ("answered", "unanswered")
    asked = Table(agents=TWO, interactive_clarifications=True).rest(questions=["A?"]).interrupt(Reason.CANCELLED)
    assert became(asked) == {"q1": "not asked", "q2": "joined to q1"}


def test_questions_of_a_clarification_that_was_cut_short_are_not_asked() -> None:
    """D26, D33: before, they had no fate."""
    table = Table(agents=TWO, interactive_clarifications=True).say("architect", questions=["A?", " ", "B?"])
    table.interrupt(Reason.CANCELLED)
    assert became(table) == {"q1": "not asked", "q2": "not asked"}
    assert (found(table)["q2"].said, found(table)["q2"].rule) == ("B?", "D26")


def test_an_interruption_leaves_nothing_under_way() -> None:
    """D26, D33."""
    table = Table(agents=TWO).until(Phase.CRITIQUE).say("architect").interrupt(Reason.CANCELLED)
    assert became(table) == {
        "p1.architect": "not judged",
        "p1.security": "not judged",
        "c1.architect.security": "not heard",
    }
    wished = Table(agents=TWO).until(Phase.CRITIQUE).interrupt(Reason.WISH).finish()
    assert set(became(wished).values()) == {"judged", "not heard", "the solution"}


def test_evaluations_and_parts_of_the_solution_have_fates() -> None:
    table = Table(agents=TWO, rounds=2, termination_condition={"type": "quality"}).until(Phase.EVALUATION)
    table.say("judge", confidence=10).until(Phase.SYNTHESIS)
    table.say("judge", unfulfilled_major_requirements=["Fast.", " "], tradeoffs=["Dear."])
    told = became(table)
    assert (told["e1"], told["s1"]) == ("not convinced", "a partial solution")
    assert (told["s1.u1"], told["s1.t1"]) == ("makes it partial", "in the solution")
    assert "s1.u2" not in told
    convinced = Table(agents=TWO, rounds=2, termination_condition={"type": "quality"}).until(Phase.EVALUATION)
    assert became(convinced.say("judge", confidence=90))["e1"] == "ends the rounds"


@pytest.mark.parametrize("words", ["", " \n "])
def test_a_solution_without_words_is_none(words: str) -> None:
    """D25, D34. Before, it was a SOLUTION."""
    table = Table(agents=TWO, rounds=1, retries=1).until(Phase.SYNTHESIS).say("judge", solution=words)
    assert table.phase is Phase.SYNTHESIS, "the judge is asked again (D21)"
    table.say("judge", solution=words)
    assert table.verdict is Verdict.UNJUDGED
    assert result(table.record)["by"] == "code"
    assert (became(table)["s1"], became(table)["s2"]) == ("without words", "without words")
    assert became(table)["r1.architect"] == "not judged"
    again = Table(agents=TWO, rounds=1, retries=1).until(Phase.SYNTHESIS).say("judge", solution=words)
    assert again.say("judge", solution="Mail.").verdict is Verdict.SOLUTION


@pytest.mark.parametrize("judge_required", [True, False])
def test_without_a_judge_nothing_is_approved(judge_required: bool) -> None:
    """D34: whatever the settings say."""
    table = Table(agents=TWO, rounds=1, retries=0, judge_required=judge_required).until(Phase.SYNTHESIS)
    assert table.absent("judge").verdict is Verdict.UNJUDGED


def test_both_readings_are_the_same() -> None:
    """D35."""
    plain, seed = Table(agents=TWO, rounds=1).finish(), Table(agents=TWO, rounds=1, reading="seed").finish()
    assert plain.verdict is seed.verdict
    assert became(plain) == became(seed)
    assert plain.protocol.table == seed.protocol.table


def test_entries_of_questions_are_taken_one_by_one() -> None:
    table = Table(agents=TWO, interactive_clarifications=True)
    given = {"reason": "Unclear.", "questions": [{"text": 7}, {"text": "How many?"}]}
    reply, told = parse_entries(table.ask("architect"), json.dumps(given))
    assert isinstance(reply, Questions)
    assert [each.text.text for each in reply.questions] == ["How many?"]
    assert len(told) == 1
