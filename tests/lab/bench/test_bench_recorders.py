"""Records in the shapes of their real writers, version by version: what is there is read, and what is not is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quorate.core.errors import InputError, SettingError
from quorate.lab.bench.ballots import Ballot, Recorded
from quorate.lab.bench.comparable import formula, marked, options
from quorate.lab.bench.dylan import read_dylan
from quorate.lab.bench.mallm import read_mallm
from tests.lab.bench import recorded

ROUNDS = [["A", "B", "C"], ["B", "B", "C"]]
Ballots = dict[tuple[str, int], str | None]


def mallm(folder: Path, *records: Any) -> Recorded:
    (folder / "it.json").write_text(json.dumps(records), encoding="utf-8")
    return read_mallm(folder / "it.json")


def ballots(found: Recorded, number: int = 0) -> Ballots:
    return {(each.voter, each.round): each.answer for each in found.items[number].ballots}


@pytest.mark.parametrize("write", [recorded.discussion, recorded.spring, recorded.summer])
def test_every_version_of_mallm_gives_the_same_ballots(write: Callable[..., Any], tmp_path: Path) -> None:
    found = mallm(tmp_path, write(0, "B", ROUNDS), write(1, "C", ROUNDS))
    for item, truth in zip(found.items, "BC", strict=True):
        assert item.truth == truth
        assert list(item.first().values()) == ROUNDS[0]
        assert item.last() == {"agent 1": "B", "agent 2": "B", "agent 3": "C"}
        assert item.recorded == "B"
    assert found.missing == ()


def test_a_baseline_is_one_voter_and_an_ablation_one_that_goes_over_its_answer(tmp_path: Path) -> None:
    made = recorded.discussion(0, "B", ROUNDS)
    own = [{"message_id": n, "turn": n, "message": "Hm.", "solution": each} for n, each in enumerate("AAB")]
    found = mallm(tmp_path, recorded.alone(made), recorded.alone({**made, "finalAnswer": None}))
    assert [ballots(found, n) for n in (0, 1)] == [{("the model", 1): "B"}, {("the model", 1): None}]
    assert found.missing == ("1 records say nothing of what was decided",)
    assert ballots(mallm(tmp_path, recorded.alone(made, own))) == {
        ("the model", 1): "A",
        ("the model", 2): "A",
        ("the model", 3): "B",
    }


def test_feedback_is_a_vote_for_the_draft_it_agrees_with(tmp_path: Path) -> None:
    draft = recorded.message(0, 1, "m", "A) yes", persona="Moderator", contribution="draft", agreement=None)
    shown = {"contribution": "feedback", "additional_args": {"current_draft": "A) yes"}}
    agrees = recorded.message(1, 1, "x", None, agreement=True, **shown)
    unsure = recorded.message(2, 1, "y", None, agreement=True, contribution="feedback", additional_args={})
    against = recorded.message(3, 1, "z", None, agreement=False, **shown)
    judge = recorded.message(4, 1, "j", None, persona="Judge", contribution="judge", agreement=None)
    made = recorded.discussion(0, "A", ROUNDS, globalMemory=[draft, agrees, unsure, against, judge])
    assert list(ballots(mallm(tmp_path, made)).values()) == ["A", "A", "A", None]


def vote(kind: str, votes: Any, **more: Any) -> dict[str, Any]:
    result = {"votes": votes, "final_answer": "", "most_voted": -1, "agreed": False}
    alterations = {"public": {**result, "votes": [0] * 3}, "anonymous": result}
    return {"answers": ["A", "B", "C"], "type": kind, "voting_process_string": "", "alterations": alterations, **more}


def test_a_simple_vote_is_one_more_round_by_the_vote_that_decided(tmp_path: Path) -> None:
    early, late = vote("simple_voting", [0, 0, 0]), vote("simple_voting", [1, 2, 1])
    found = mallm(tmp_path, recorded.discussion(0, "B", ROUNDS, votesEachTurn={"3": early, "4": late}))
    assert found.items[0].last() == {"agent 1": "B", "agent 2": "C", "agent 3": "B"}
    older = {"final_answers" if key == "answers" else key: each for key, each in late.items()}
    again = mallm(tmp_path, recorded.discussion(0, "B", ROUNDS, votesEachTurn={"4": older}))
    assert again == found


def test_a_moderator_drafts_and_does_not_vote(tmp_path: Path) -> None:
    made = recorded.discussion(0, "B", ROUNDS)
    draft = recorded.message(-1, 1, "m", "A) so", persona="Moderator", contribution="draft", agreement=None)
    voted = {"globalMemory": [draft, *made["globalMemory"]], "votesEachTurn": {"2": vote("voting", [1, 1, 2])}}
    found = mallm(tmp_path, {**made, **voted})
    assert ballots(found)["agent 1", 1] == "A"
    assert found.items[0].last() == {"agent 1": "A", "agent 2": "B", "agent 3": "B", "agent 4": "C"}


@pytest.mark.parametrize(
    ("kind", "votes", "says"),
    [
        ("approval_voting", [0, 1, 2], "1 votes name no single answer for each voter"),
        ("ranked_voting", [[0, 1], [1, 0], [2, 1]], "1 votes name no single answer for each voter"),
        ("summary", None, "1 votes name no single answer for each voter"),
        ("simple_voting", [0, 1], "1 votes have not one ballot of each voter"),
    ],
)
def test_a_vote_that_cannot_be_told_by_voter_is_left_out_and_said(
    kind: str, votes: Any, says: str, tmp_path: Path
) -> None:
    made = recorded.discussion(0, "B", ROUNDS, votesEachTurn={"2": vote(kind, votes)})
    found = mallm(tmp_path, made)
    assert found.items[0].last() == {"agent 1": "B", "agent 2": "B", "agent 3": "C"}
    assert [each for each in found.missing if each.startswith(says)]


def test_any_of_several_references_is_right_and_none_is_said(tmp_path: Path) -> None:
    several = recorded.discussion(0, "B", [["x", "y"]], references=["The Moon", "Luna"], finalAnswer="luna.")
    for each, solution in zip(several["globalMemory"], ("Luna", "Final Solution: Mars"), strict=True):
        each["solution"] = solution
    none = recorded.discussion(1, "B", ROUNDS, references=[], decisionSuccess=False)
    found = mallm(tmp_path, several, none)
    assert found.items[0].first() == {"agent 1": "the moon", "agent 2": "mars"}
    assert found.items[0].recorded == found.items[0].truth == "the moon"
    assert found.items[1].truth is None
    assert found.missing == (
        "1 records have no reference: nothing can be right or wrong there",
        "1 discussions ended without agreement: what stood at their end counts as recorded",
    )


def test_a_letter_is_found_in_a_sentence_and_an_essay_is_no_answer(tmp_path: Path) -> None:
    made = recorded.discussion(0, "B", [["A", "A", "A"]])
    told = ("The correct option is B) Rome, since A) is in France.", "**Final Solution:** C", "Well. " * 100)
    for each, solution in zip(made["globalMemory"], told, strict=True):
        each["solution"] = solution
    found = mallm(tmp_path, made)
    assert list(found.items[0].first().values()) == ["B", "C", None]
    assert found.missing == ("1 solutions are too long to be compared, and count as no usable answer",)


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ({"globalMemory": [{"turn": "first"}]}, "0.globalMemory.0.turn"),
        ({"globalMemory": [recorded.message(0, 1, "a", "x" * 1_000_001)]}, "0.globalMemory.0.solution"),
        ({"globalMemory": "much"}, "0.globalMemory"),
        ({"references": "A"}, "0.references"),
        ({"finalAnswer": 5}, "0.finalAnswer"),
        ({"votesEachTurn": {"3": vote("simple_voting", [0, 1, 7])}}, "0.votesEachTurn.3.alterations.anonymous.votes.2"),
        ({"votesEachTurn": {"3": vote("simple_voting", [0, 1, 2], answers=7)}}, "0.votesEachTurn.3.answers"),
    ],
)
def test_a_bad_record_of_mallm_is_refused_with_its_place(more: dict[str, Any], place: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"it\.json") as caught:
        mallm(tmp_path, {**recorded.discussion(0, "B", ROUNDS), **more})
    assert f"{place}:" in str(caught.value)


# DyLAN ---------------------------------------------------------------------------------------------------------------


def dylan(folder: Path, *entries: tuple[list[Any], str]) -> Recorded:
    data = {recorded.problem(n): [told, truth, 2, "Algebra"] for n, (told, truth) in enumerate(entries)}
    (folder / "it.json").write_text(json.dumps(data), encoding="utf-8")
    return read_dylan(folder / "it.json")


def stored(number: int, *rounds: list[str]) -> list[Any]:
    return recorded.transcripts(recorded.problem(number), [[recorded.box(each) for each in one] for one in rounds])


def test_agents_that_were_not_asked_have_no_ballot(tmp_path: Path) -> None:
    """Agreement in the first round ends it after three of four, agreement in the second round leaves the last out."""
    found = dylan(tmp_path, (stored(0, ["5", "5", "5"]), "5"), (stored(1, ["1", "2", "3", "4"], ["2", "2", "2"]), "2"))
    assert list(ballots(found, 0)) == [("agent 1", 1), ("agent 2", 1), ("agent 3", 1)]
    assert found.items[1].last() == {"agent 1": "2", "agent 2": "2", "agent 3": "2", "agent 4": "4"}
    assert found.missing == ("in 1 questions not everybody was asked in the first round, since enough had agreed",)
    assert found.items[0].id.startswith("0 of which? Answer:"), "the examples before a question are no name"


def test_answers_of_the_third_round_belong_to_those_whom_their_prompt_quotes(tmp_path: Path) -> None:
    """They are filed under the first two agents; the ranking had chosen the fourth and the second."""
    rounds = [["1", "2", "3", "4"], ["5", "6", "7", "8"]]
    question = recorded.problem(0)
    told = stored(0, *rounds)
    prompt = recorded.quoting(question, [recorded.box("8"), recorded.box("6")])
    for place, reply in enumerate((recorded.box("88"), recorded.box("66"))):
        told[place] += [{"role": "user", "content": prompt}, {"role": "assistant", "content": reply}]
    found = dylan(tmp_path, (told, "88"))
    assert found.items[0].last() == {"agent 1": "5", "agent 2": "66", "agent 3": "7", "agent 4": "88"}
    assert found.missing == ()
    told[1][-2] = {"role": "user", "content": recorded.quoting(question, [recorded.box("9")])}
    again = dylan(tmp_path, (told, "88"))
    assert again.items[0].last() == {"agent 1": "5", "agent 2": "6", "agent 3": "7", "agent 4": "8"}
    (said,) = again.missing
    assert said.startswith("2 answers of the third round are filed under somebody else")


def test_a_question_that_keeps_the_chosen_alone_is_left_out(tmp_path: Path) -> None:
    """Agreement right after the ranking: two transcripts of one answer each, which is one of the second round."""
    whole, other = stored(0, ["1", "2", "3", "4"], ["2", "2", "3", "4"]), stored(1, ["1", "2"], ["2", "2"])
    kept = [[each[0], *each[3:]] for each in other]
    both_rounds = stored(2, ["1", "2"], ["2", "2"])
    found = dylan(tmp_path, (whole, "2"), (kept, "2"), (both_rounds, "2"))
    assert len(found.items) == 1
    assert found.missing == ("2 questions keep the chosen agents alone, and nobody knows which these are: left out",)
    with pytest.raises(InputError, match="not their first round"):
        dylan(tmp_path, (stored(9, ["1", "2"]), "1"))  # the prompt is another question than the key


def test_single_choices_among_transcripts_have_no_level(tmp_path: Path) -> None:
    question = "Which? A) one, B) two, C) three, D) four"
    said = ["(A) is wrong, so (B)", "It is c)", "f(x) tells nothing"]
    (tmp_path / "it.json").write_text(json.dumps({question: [recorded.transcripts(question, [said]), "B"]}))
    found = read_dylan(tmp_path / "it.json")
    assert found.items[0].truth == "B"
    assert list(found.items[0].first().values()) == ["B", "C", None]
    assert found.missing == ("1 replies mark no answer, and count as no usable one",)


LINES: list[list[list[str | None]]] = [
    [["It is (A).", None, None], ["So (A) [[4, 5]]", None, None], [None, None, None]],
    [["(B)", "(A)", "(C)"], ["(C)", "(C)", None], ["D) I say", "(C)", "(C)"]],
]


def test_completions_have_ballots_by_round_and_take_truths_from_their_table(tmp_path: Path) -> None:
    recorded.completions(tmp_path / "it.json", LINES)
    found = read_dylan(tmp_path / "it.json")
    assert found.items[1].ballots == (
        *(Ballot("agent 1", 1, "B"), Ballot("agent 1", 2, "A"), Ballot("agent 1", 3, "C")),
        *(Ballot("agent 2", 1, "C"), Ballot("agent 2", 2, "C")),
        *(Ballot("agent 3", 1, "D"), Ballot("agent 3", 2, "C"), Ballot("agent 3", 3, "C")),
    )
    assert found.missing == (
        "2 questions have no truth: name the table of questions with --truth",
        "in 1 questions not everybody was asked in the first round, since enough had agreed",
    )
    (tmp_path / "questions.csv").write_text('"Which, then?",1,2,3,4,A\nAnd?,"5\n",6,7,8,C\n', encoding="utf-8")
    known = read_dylan(tmp_path / "it.json", tmp_path / "questions.csv")
    assert [item.truth for item in known.items] == ["A", "C"]
    assert len(known.missing) == 1


def test_completions_of_calculations_are_read_by_their_boxes(tmp_path: Path) -> None:
    recorded.completions(
        tmp_path / "it.json", [[[recorded.box("\\dfrac12"), None], ["f(x)=2. The answer is 0.5.", "?"]]]
    )
    assert ballots(read_dylan(tmp_path / "it.json")) == {
        ("agent 1", 1): "1/2",
        ("agent 2", 1): "1/2",
        ("agent 2", 2): None,
    }


@pytest.mark.parametrize(
    ("text", "table", "says"),
    [
        ('[["```python\\ndef f(): ...```", null]]', None, "holds programs, which no vote can compare"),
        ('{"task_id": "HumanEval/0", "completion": "x"}\n{"task_id": "HumanEval/1"}', None, "programs of HumanEval"),
        ('[["(A)"]]\n[["(A)"', None, "it.json:2: is not valid JSON"),
        ('[["(A)"]]\n[[null]]', None, "it.json:2: has no answer of anybody"),
        ('[["(A)"]]\n[["(A)", 7]]', None, "it.json:2: 0.1: is not a text"),
        ('[["(A)"]]\n{}', None, "it.json:2: is not a list"),
        ('[["(A)"]]\n[["(A)"]]', "q,1,2,3,4,A\n", "table.csv: has 1 questions"),
        ('[["(A)"]]', "q,1,2,3,4,E\n", "table.csv:1: ends with no letter"),
        ('[["(A)"]]', 'q,1,2,3,4,A\n"q', "table.csv:2: is not valid CSV"),
    ],
)
def test_bad_completions_are_refused_with_their_line(text: str, table: str | None, says: str, tmp_path: Path) -> None:
    (tmp_path / "it.json").write_text(text, encoding="utf-8")
    truth = tmp_path / "table.csv" if table is not None else None
    if truth is not None:
        truth.write_text(table or "", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_dylan(tmp_path / "it.json", truth)
    assert says in str(caught.value)


def test_transcripts_take_no_other_truth(tmp_path: Path) -> None:
    recorded.dylan(tmp_path / "it.json", items=1)
    with pytest.raises(SettingError, match="truth"):
        read_dylan(tmp_path / "it.json", tmp_path / "questions.csv")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\\frac{1}{2}", "0.5"),
        ("\\dfrac12", "1/2"),
        ("x = 63\\pi", "63 \\pi"),
        ("\\left(3, 4\\right)", "(3,4)"),
        ("90^\\circ", "90^{\\circ}"),
        ("\\$1,350\\!", "1350"),
        ("12\\text{ cm}", "12"),
        ("\\text{Evelyn}", "evelyn"),
        ("\\sqrt3", "\\sqrt{3}"),
        (".25\\%", "0.25"),
    ],
)
def test_formulas_are_the_same_without_their_dressing(one: str, other: str) -> None:
    assert formula(one) == formula(other) is not None


def test_formulas_that_differ_stay_apart() -> None:
    assert len({formula(each) for each in ("x^2", "2x", "\\sqrt{2}", "(1,2)", "a:b", "a:c", "12", "1,2")}) == 8
    assert formula("") is None
    assert formula("x" * 301) is None


def test_letters_and_marked_answers_are_found_where_they_are_meant() -> None:
    assert options("answer(s): (B), then C)", "ABC") == ["B"]
    assert options("f(x), so A) or B)", "AB") == ["A", "B"]
    assert marked("No. Final Solution: -7\nFinal Answer:\n-8") == "-8"
    assert marked("plain") == "plain"
