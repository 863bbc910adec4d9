"""The board and the gauges of a debate, at every moment of it."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from quorate import catalog
from quorate.core.types import Reason
from quorate.kit.board import Board, Utterance
from quorate.kit.gauges import Gauge
from quorate.protocols.debate import DEFINITION
from quorate.protocols.debate.rules.board import board
from quorate.protocols.debate.rules.gauges import gauges
from quorate.protocols.debate.rules.model import Phase
from quorate.protocols.debate.rules.result import result
from quorate.protocols.debate.rules.views import clarifications
from tests.support.courses import course, named, sound
from tests.support.debating import PROBLEM, TWO, Table
from tests.support.examples import few


def clarifying() -> Table:
    table = Table(agents=TWO, interactive_clarifications=True, clarifications_max_iterations=1)
    table.say("architect", questions=[{"text": "How many orders?"}, {"text": "Which country?"}])
    return table


def test_a_debate_without_clarifications_has_an_empty_board() -> None:
    assert board(Table(agents=TWO).finish().record) == Board()


def test_questions_and_answers_are_a_conversation() -> None:
    table = clarifying()
    assert board(table.record).conversation == ()
    table.say("security", questions=[])
    asked = (
        Utterance(1, "question", "architect", "q1, architect", "How many orders?"),
        Utterance(2, "question", "architect", "q2, architect", "Which country?"),
    )
    assert board(table.record).conversation == asked
    table.say("person", answers={"q1": {"text": "Ten a day."}, "q2": {"text": "NA"}})
    answer = Utterance(1, "answer", "person", "q1, answer", "Ten a day.")
    assert board(table.record).conversation[:2] == (asked[0], answer)


def test_open_questions_are_counted_while_they_are_asked() -> None:
    table = clarifying().say("security", questions=[])
    waiting = Gauge("questions", "2 of 2 questions open", 2, (("dealt with", 0), ("open", 2)))
    assert named(gauges(table.record), "questions") == waiting
    table.say("person", answers={"q1": {"text": "Ten a day."}, "q2": {"text": "NA"}})
    assert [each.name for each in gauges(table.record)] == ["rounds"]


def test_rounds_are_counted_from_the_first() -> None:
    table = Table(agents=TWO, rounds=2)
    assert gauges(table.record) == (Gauge("rounds", "round 1 of 2", 2, (("used", 1),)),)
    table.until(Phase.CRITIQUE, 2)
    assert named(gauges(table.record), "rounds").words == "round 2 of 2"


def test_the_judges_evaluation_stands_against_the_threshold() -> None:
    condition = {"type": "convergence", "threshold": 75}
    table = Table(agents=TWO, rounds=3, termination_condition=condition).until(Phase.EVALUATION)
    assert [each.name for each in gauges(table.record)] == ["rounds"]
    table.say("judge", confidence=70)
    words = "round 1: the judge is 70 of 100 sure that the texts agree; 75 ends the debate"
    told = Gauge("evaluation", words, 100, (("confidence", 70),), needed=75)
    assert named(gauges(table.record), "evaluation") == told
    table.until(Phase.EVALUATION, 2).say("judge", confidence=75)
    words = "round 2: the judge is 75 of 100 sure that the texts agree; which ends the debate"
    assert named(gauges(table.record), "evaluation").words == words


def test_the_judges_confidence_is_shown_as_it_counts() -> None:
    table = Table(agents=TWO, rounds=1).until(Phase.SYNTHESIS)
    table.say("judge", confidence=95, unfulfilled_major_requirements=["One second."])
    sure = named(gauges(table.record), "confidence")
    assert sure.parts == (("confidence", result(table.record)["confidence"]),)
    assert "it said 95, which unfulfilled major requirements cap" in sure.words


def test_a_debate_that_was_cancelled_keeps_its_instruments() -> None:
    table = Table(agents=TWO).until(Phase.CRITIQUE).interrupt(Reason.CANCELLED)
    assert gauges(table.record) == (Gauge("rounds", "round 1 of 3", 3, (("used", 1),)),)


@settings(few, max_examples=12)
@given(st.sampled_from(sorted(DEFINITION.profiles)), st.integers(0, 2**32))
def test_whatever_is_said_board_and_gauges_are_defined_and_agree_with_the_result(profile: str, seed: int) -> None:
    protocol = catalog.build("debate", DEFINITION.profiles[profile], seed=7)
    for record in course(protocol, {"problem": PROBLEM, "context": ""}, Random(seed)):
        sound(gauges(record))
        questions = [each.text for each in board(record).conversation if each.kind == "question"]
        assert questions == [each.question for each in clarifications(record)]
    found, shown = result(record), {each.name: each for each in gauges(record)}
    assert ("confidence" in shown) == (found["by"] == "judge")
    if found["by"] == "judge":
        assert shown["confidence"].parts == (("confidence", found["confidence"]),)
