"""DIAG-001 to DIAG-003: dumps that are missing, incomplete, misnamed, that show too much or too little."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from quorate.protocols.workshop.audit import Problem, examine
from tests.protocols.workshop.audit.session_breaks import good

File = dict[str, Any]
QUESTION, ANSWER, OTHER, SYNTHESIS = (
    f"rounds/002-{name}.yaml" for name in ("01-facilitator", "02-product-manager", "02-qa-lead", "03-facilitator")
)


def found(spoil: Callable[[File, File], object], strategy: str = "debate") -> set[tuple[str, str, str]]:
    """Check, file and path of every problem after something was spoilt."""
    file, dumps = good(strategy)
    spoil(file, dumps)
    return {(each.check, each.file, each.path) for each in _problems(file, dumps)}


def _problems(file: File, dumps: File) -> tuple[Problem, ...]:
    return examine(file, dumps).problems


@pytest.mark.parametrize("name", [QUESTION, ANSWER, SYNTHESIS])
def test_a_missing_dump_is_named(name: str) -> None:
    assert found(lambda _, dumps: dumps.pop(name)) == {("DIAG-001", "", "rounds[1]")}
    file, dumps = good("debate")
    del dumps[name]
    assert [each.expected for each in _problems(file, dumps)] == [name]


FIELDS = ["round", "phase", "actor", "started", "completed", "input", "response", "result", "tokens"]


@pytest.mark.parametrize("field", FIELDS)
def test_a_missing_field_is_named(field: str) -> None:
    assert ("DIAG-001", ANSWER, field) in found(lambda _, dumps: dumps[ANSWER].pop(field))


@pytest.mark.parametrize(("field", "value"), [("round", 1), ("phase", 3), ("actor", "qa-lead")])
def test_a_dump_says_what_its_name_says(field: str, value: object) -> None:
    assert ("DIAG-001", ANSWER, field) in found(lambda _, dumps: dumps[ANSWER].update({field: value}))


def test_a_dump_of_no_round_and_a_name_that_is_none() -> None:
    def spoil(_: File, dumps: File) -> None:
        dumps["rounds/099-02-qa-lead.yaml"] = {**dumps[OTHER], "round": 99}
        dumps["rounds/notes.yaml"] = {"anything": 1}
        dumps[QUESTION] = ["no mapping"]

    told = found(spoil)
    assert ("DIAG-001", "rounds/099-02-qa-lead.yaml", "round") in told
    assert ("DIAG-001", "rounds/notes.yaml", "") in told
    assert ("DIAG-001", QUESTION, "") in told


def test_the_absent_need_no_answer_in_their_dump() -> None:
    def spoil(file: File, dumps: File) -> None:
        del file["rounds"][1]["participant_positions"]["qa-lead"]
        file["rounds"][1]["absent"] = ["qa-lead"]
        dumps[OTHER] |= {"response": None, "result": {"status": "absent"}}

    assert {check for check, _, _ in found(spoil)} == {"STR-006"}


def test_a_participant_is_told_the_question() -> None:
    assert found(lambda _, dumps: dumps[ANSWER].update(input="Something else.")) == {("DIAG-002", ANSWER, "input")}


def test_answers_are_blind() -> None:
    """W9: the prompt of one holds nobody's answer of the same round; those of earlier rounds are no secret."""

    def spoil(number: int) -> Callable[[File, File], None]:
        def peek(file: File, dumps: File) -> None:
            seen = file["rounds"][number]["participant_positions"]["qa-lead"]["position"]
            dumps[ANSWER]["input"] += f"\n\n{seen}"

        return peek

    assert found(spoil(1)) == {("DIAG-002", ANSWER, "input")}
    assert found(spoil(0)) == set()


def test_the_facilitator_is_shown_every_answer() -> None:
    def spoil(file: File, dumps: File) -> None:
        dumps[SYNTHESIS]["input"] = "Nothing."

    file, dumps = good("debate")
    spoil(file, dumps)
    told = _problems(file, dumps)
    assert len(told) == len(file["participants"])
    assert {(each.check, each.severity.value) for each in told} == {("DIAG-002", "warning")}


def test_a_chosen_context_is_complete() -> None:
    shared = {"project_summary": "A shop.", "relevant_artifacts": [], "open_questions": []}

    def spoil(_: File, dumps: File) -> None:
        dumps[QUESTION]["response"]["participant_context"] = {"shared": shared}

    path = "response.participant_context.shared.recent_rounds"
    assert found(spoil) == {("DIAG-002", QUESTION, path)}


def test_dumps_tell_the_phase_of_their_round() -> None:
    assert found(lambda _, dumps: dumps[ANSWER].update(stage="closing")) == {("DIAG-003", ANSWER, "stage")}


def test_a_round_without_the_phase_that_its_dumps_tell() -> None:
    def spoil(file: File, _: File) -> None:
        del file["rounds"][1]["phase"], file["rounds"][1]["debate_phase"]

    assert {("DIAG-003", "", "rounds[1].phase"), ("STRAT-D1", "", "rounds[1].debate_phase")} <= found(spoil)


def test_without_dumps_nothing_is_said_of_them() -> None:
    file, _ = good("debate")
    told = examine(file)
    assert told.problems == ()
    assert {each.check for each in told.not_checked} == {"DIAG-001", "DIAG-002", "DIAG-003"}


def test_dumps_that_do_not_tell_the_phase_cannot_be_held_against_it() -> None:
    file, dumps = good("debate")
    for dump in dumps.values():
        del dump["stage"]
    told = examine(file, dumps)
    assert told.problems == ()
    assert [each.check for each in told.not_checked] == ["DIAG-003"]


def test_others_name_and_date_their_dumps_otherwise() -> None:
    file, dumps = good("debate")
    longer = {"01-facilitator": "01-facilitator-question", "03-facilitator": "03-facilitator-synthesis"}
    renamed = {}
    for name, dump in dumps.items():
        number, part = name.removeprefix("rounds/").removesuffix(".yaml").split("-", 1)
        dated = {"started_at": dump.pop("started"), "completed_at": dump.pop("completed")}
        renamed[f"rounds/{number}-{longer.get(part, part)}.yaml"] = {**dump, **dated}
    assert len(renamed) == len(dumps)
    assert examine(file, renamed).problems == ()
