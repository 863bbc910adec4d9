"""Clarification: who may ask, what counts, and who sees the answers (D4 to D9)."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.core.errors import RuleViolation
from quorate.core.forms import Prose
from quorate.core.types import AbsentReason
from quorate.protocols.debate.rules.model import Outcome, Phase
from quorate.protocols.debate.rules.sameness import MOST_SAMENESS, sameness
from quorate.protocols.debate.rules.views import clarifications
from tests.support.debating import THREE, TWO, Table


def asking(agents: list[str] = TWO, **settings: Any) -> Table:
    return Table(agents=agents, interactive_clarifications=True, **settings)


def outcomes(table: Table, phase: Phase) -> list[Outcome]:
    return [outcome for at, outcome in table.rows if at is phase]


def test_switched_off_nobody_is_asked() -> None:
    """D4."""
    table = Table(agents=TWO)
    assert table.phase is Phase.PROPOSAL
    assert outcomes(table, Phase.CLARIFICATION) == [Outcome.ALL_CLEAR]
    assert [line for line in table.record.log if getattr(line, "phase", None) is Phase.CLARIFICATION] == []


def test_switched_on_every_agent_is_asked_at_once() -> None:
    """D5."""
    assert asking(THREE).asked() == [f"{agent} clarify" for agent in THREE]


@pytest.mark.parametrize("questions", [[], [""], ["  ", "\n\t"]], ids=["none", "empty", "white space"])
def test_no_question_or_blank_ones_are_all_clear(questions: list[str]) -> None:
    """D5, D7."""
    table = asking().rest(questions=questions)
    assert table.phase is Phase.PROPOSAL
    assert outcomes(table, Phase.CLARIFICATION) == [Outcome.ALL_CLEAR]
    assert clarifications(table.record) == []


def test_questions_get_ids_that_are_unique_across_agents_and_iterations() -> None:
    """D6. Upstream counted q1, q2 for each agent, and one agent's answers overwrote another's."""
    table = asking().say("architect", questions=["How many?", "How fast?"]).say("security", questions=["Who?"])
    assert table.ask("person").keys == ("q1", "q2", "q3")
    table.rest(answers={"q1": "ten", "q2": "fast", "q3": "all"})
    table.say("architect", questions=[]).say("security", questions=["Where?"])
    assert table.ask("person").keys == ("q4",)
    table.rest(answers={"q4": "here"})
    found = [(c.key, c.seats, c.question, c.answer) for c in clarifications(table.record)]
    assert found == [
        ("q1", ("architect",), "How many?", "ten"),
        ("q2", ("architect",), "How fast?", "fast"),
        ("q3", ("security",), "Who?", "all"),
        ("q4", ("security",), "Where?", "here"),
    ]


def test_blank_questions_are_skipped_when_ids_are_given() -> None:
    """D5, D6."""
    table = asking().say("architect", questions=["", "First?", " ", "Second?"]).say("security", questions=[])
    assert [(c.key, c.question) for c in clarifications(table.record)] == [("q1", "First?"), ("q2", "Second?")]


def test_questions_over_the_limit_are_refused_and_the_record_says_so() -> None:
    """D5."""
    table = asking(clarifications_max_per_agent=2)
    table.say("architect", questions=["1?", " ", "2?", "3?", "4?"]).say("security", questions=["5?"])
    assert [c.question for c in clarifications(table.record)] == ["1?", "2?", "5?"]
    assert table.facts("question refused") == [{"id": f"q{n}", "seat": "architect"} for n in (3, 4)]


def test_exactly_the_limit_is_not_over_it() -> None:
    """D5."""
    table = asking(clarifications_max_per_agent=2).say("architect", questions=["1?", "2?"])
    table.say("security", questions=["3?", "4?"])
    assert table.ask("person").keys == ("q1", "q2", "q3", "q4")
    assert table.facts("question refused") == []


def test_the_limit_counts_anew_in_every_iteration() -> None:
    """D5."""
    table = asking(clarifications_max_per_agent=1).say("architect", questions=["1?"]).rest(questions=["2?"]).rest()
    table.say("architect", questions=["3?"]).rest(questions=["4?"])
    assert table.ask("person").keys == ("q3", "q4")


def test_agents_are_told_the_limit() -> None:
    """D5."""
    assert asking(clarifications_max_per_agent=4).sections("architect")["Limit"] == "At most 4 questions count."


def test_the_person_sees_who_asks_what() -> None:
    table = asking().say("architect", questions=["How many?"]).say("security", questions=["Who?"])
    shown = table.sections("person")
    assert (shown["q1, asked by architect"], shown["q2, asked by security"]) == ("How many?", "Who?")


# Answers


@pytest.mark.parametrize("answer", ["NA", "na", "0", "-", " ten "])
def test_whatever_is_not_blank_is_an_answer(answer: str) -> None:
    """D8: "NA" counts."""
    table = asking(clarifications_max_iterations=1).say("architect", questions=["How many?"]).rest(questions=[])
    table.say("person", answers={"q1": answer})
    assert outcomes(table, Phase.CLARIFICATION_INPUT) == [Outcome.ANSWERS_SUBMITTED]
    assert clarifications(table.record)[0].answer == answer


@pytest.mark.parametrize("answers", [{"q1": "  "}, {"q1": "\n"}, {}], ids=["spaces", "newline", "left out"])
def test_white_space_is_no_answer(answers: dict[str, str]) -> None:
    """D8."""
    table = asking().say("architect", questions=["How many?"]).rest(questions=[])
    table.say("person", answers=answers)
    assert outcomes(table, Phase.CLARIFICATION_INPUT) == [Outcome.RETRY]
    assert table.ask("person").keys == ("q1",)


def test_a_partial_answer_is_kept_and_only_the_missing_ones_are_asked_again() -> None:
    """D8."""
    table = asking().say("architect", questions=["A?", "B?", "C?"]).rest(questions=[])
    table.say("person", answers={"q1": "a", "q2": " ", "q3": "c"})
    assert table.ask("person").keys == ("q2",)
    titles = ["The problem", "Questions to the person", "The person's answers", "q2, asked by architect"]
    assert list(table.sections("person")) == titles
    table.say("person", answers={"q2": "b"})
    assert outcomes(table, Phase.CLARIFICATION_INPUT) == [Outcome.RETRY, Outcome.ANSWERS_SUBMITTED]
    assert [c.answer for c in clarifications(table.record)] == ["a", "b", "c"]


def test_after_the_retries_the_debate_goes_on_with_what_there_is() -> None:
    """D8."""
    table = asking(retries=2).say("architect", questions=["A?", "B?"]).rest(questions=[])
    for _ in range(3):
        table.say("person", answers={"q1": "a"} if table.ask("person").keys[0] == "q1" else {})
    assert outcomes(table, Phase.CLARIFICATION_INPUT) == [Outcome.RETRY, Outcome.RETRY, Outcome.FALLBACK]
    assert table.phase is Phase.PROPOSAL
    assert table.facts("question unanswered") == [{"id": "q2"}]
    assert table.sections("architect")["The person's answers"] == "q1: a"


@pytest.mark.parametrize("reason", AbsentReason)
def test_a_person_who_does_not_answer_is_not_waited_for_again(reason: AbsentReason) -> None:
    """D8."""
    table = asking().say("architect", questions=["A?"]).rest(questions=[])
    table.absent("person", reason)
    assert outcomes(table, Phase.CLARIFICATION_INPUT) == [Outcome.FALLBACK]
    assert table.phase is Phase.PROPOSAL
    assert table.facts("question unanswered") == [{"id": "q1"}]
    assert "The person's answers" not in table.sections("architect")


def test_an_answer_to_a_question_that_was_not_asked_is_refused() -> None:
    table = asking().say("architect", questions=["A?"]).rest(questions=[])
    with pytest.raises(RuleViolation, match="unknown key 'q2'"):
        table.say("person", answers={"q1": "a", "q2": "b"})
    assert table.phase is Phase.CLARIFICATION_INPUT
    assert len(table.open) == 1


# Follow-ups


def test_follow_ups_see_all_earlier_questions_and_answers() -> None:
    """D5, D8."""
    table = asking().say("architect", questions=["A?"]).say("security", questions=["B?"])
    table.say("person", answers={"q1": "a", "q2": "NA"})
    assert table.asked() == ["architect clarify", "security clarify"]
    for agent in TWO:
        shown = table.sections(agent)
        assert (shown["Questions to the person"], shown["The person's answers"]) == ("q1: A?\nq2: B?", "q1: a\nq2: NA")


def test_answers_of_an_agent_that_asks_nothing_more_are_kept() -> None:
    """Upstream dropped them when only another agent had a follow-up."""
    table = asking().say("architect", questions=["A?"]).say("security", questions=[])
    table.say("person", answers={"q1": "a"})
    table.say("architect", questions=[]).say("security", questions=["B?"])
    table.say("person", answers={"q2": "b"}).rest(questions=[])
    assert table.phase is Phase.PROPOSAL
    assert table.sections("security")["The person's answers"] == "q1: a\nq2: b"


@pytest.mark.parametrize("most", [1, 2, 3])
def test_at_the_cap_nobody_is_asked_again(most: int) -> None:
    """D9."""
    table = asking(clarifications_max_iterations=most)
    for number in range(1, most + 1):
        assert table.phase is Phase.CLARIFICATION
        table.say("architect", questions=[f"More, for the {number}th time?"]).rest(questions=[])
        table.say("person", answers={f"q{number}": "yes"})
    assert table.phase is Phase.PROPOSAL
    assert outcomes(table, Phase.CLARIFICATION) == [Outcome.QUESTIONS_PENDING] * most + [Outcome.ALL_CLEAR]


def test_the_cap_is_three_unless_it_is_set() -> None:
    """D9."""
    table = asking()
    while table.phase in (Phase.CLARIFICATION, Phase.CLARIFICATION_INPUT):
        more = f"More than {len(table.events)}?"
        table.rest({"questions": [more]} if table.phase is Phase.CLARIFICATION else {})
    assert outcomes(table, Phase.CLARIFICATION_INPUT) == [Outcome.ANSWERS_SUBMITTED] * 3


# Absent agents


def test_an_absent_agent_is_asked_again_and_the_others_are_not() -> None:
    """D7, D21."""
    table = asking(THREE).say("architect", questions=["A?"]).absent("security").say("testing", questions=[])
    assert table.asked() == ["security clarify"]
    table.say("security", questions=["B?"])
    assert table.ask("person").keys == ("q1", "q2")
    assert [(c.seats, c.question) for c in clarifications(table.record)] == [
        (("architect",), "A?"),
        (("security",), "B?"),
    ]


def test_an_agent_still_absent_has_no_questions_and_stays_at_the_table() -> None:
    """D7, D22: only PROPOSAL, CRITIQUE and REFINEMENT cost a seat."""
    table = asking().say("architect", questions=["A?"]).absent("security").absent("security")
    assert table.ask("person").keys == ("q1",)
    table.rest().rest(questions=[])
    assert table.asked() == ["architect propose", "security propose"]


def test_everybody_absent_is_all_clear() -> None:
    """D7."""
    table = asking(retries=0).absent("architect").absent("security")
    assert outcomes(table, Phase.CLARIFICATION) == [Outcome.ALL_CLEAR]
    assert table.phase is Phase.PROPOSAL


# Equal questions


@pytest.mark.parametrize("again", ["How many orders a day?", "how many orders a day", "  HOW many -- orders a DAY?!"])
def test_two_who_ask_the_same_make_the_person_answer_once(again: str) -> None:
    """D32. Before, the person was asked twice."""
    table = asking().say("architect", questions=["How many orders a day?"]).say("security", questions=[again, "Who?"])
    assert table.ask("person").keys == ("q1", "q3")
    assert table.facts("question joined") == [{"id": "q2", "seat": "security", "to": "q1"}]
    shown = table.sections("person")
    assert shown["q1, asked by architect and security"] == "How many orders a day?"
    table.rest(answers={"q1": "ten", "q3": "all"})
    for agent in TWO:
        assert table.sections(agent)["The person's answers"] == "q1: ten\nq3: all", "each asker gets the answer"


def test_a_question_that_was_answered_is_not_asked_again() -> None:
    """D32: nor does it stand twice in the report."""
    table = asking().say("architect", questions=["How many?"]).rest(questions=[]).rest(answers={"q1": "ten"})
    table.say("architect", questions=["how many"]).rest(questions=["How  many?"])
    assert table.phase is Phase.PROPOSAL
    assert outcomes(table, Phase.CLARIFICATION) == [Outcome.QUESTIONS_PENDING, Outcome.ALL_CLEAR]
    assert [c.question for c in clarifications(table.record)] == ["How many?"]


def test_a_question_that_is_asked_again_because_it_was_not_answered_stands_once() -> None:
    """D8, D32. Before, the report had it twice."""
    table = asking().say("architect", questions=["A?"]).rest(questions=[]).rest(answers={"q1": " "})
    table.rest(answers={"q1": "a"})
    assert [(c.key, c.answer) for c in clarifications(table.record)] == [("q1", "a")]


def test_a_joined_question_does_not_count_against_the_limit() -> None:
    """D5, D32."""
    table = asking(clarifications_max_per_agent=1).say("architect", questions=["A?"])
    table.say("security", questions=["A?", "B?", "C?"])
    assert table.ask("person").keys == ("q1", "q3")
    assert table.facts("question refused") == [{"id": "q4", "seat": "security"}]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("How many?", "how many", True),
        ("Größe?", "GRÖSSE", True),
        ("How many?", "How many shops?", False),
        ("Not 10?", "10 not", False),
        ("?", "!", False),
        ("??", "??", True),
        ("May it be C?", "May it be C++?", False),
        ("May it be C#?", "May it be C?", False),
        ("Is 1.5 s enough?", "Is 1/5 s enough?", False),
        ("Is 1.5 s enough?", "Is 15 s enough?", False),
        ("Is 5 allowed?", "Is -5 allowed?", False),
        ("Is 5 allowed?", "Is (\u22125) allowed?", False),
        ("Is a = b?", "Is a != b?", False),
        ("Below 5 %?", "Below 5?", False),
        ("A resume?", "A résumé?", False),
        ("On .NET?", "On net?", False),
        ("Users, shops and orders: how many?", "users shops and orders - how many", True),
        ('Is "fast" under a second?', "Is fast under a second", True),
    ],
)
def test_what_says_the_same(one: str, other: str, same: bool) -> None:
    """D32: a mark, computed where the question is read."""
    assert (sameness(Prose(one)) == sameness(Prose(other))) is same
    assert 0 <= sameness(Prose(one)) <= MOST_SAMENESS
