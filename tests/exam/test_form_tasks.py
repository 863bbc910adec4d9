"""Form tasks are graded by code: what passes and what does not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quorate.exam.form_tasks import FOLDER, RATES, fits, form_tasks, keeps
from quorate.files.yaml import load

FORM: dict[str, list[Any]] = {"stance": ["accept", "reject"], "confidence": [0, 100], "urgent": [True, False]}
GOOD = {"stance": "accept", "confidence": 70, "urgent": False}


def items(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = load(FOLDER / f"{name}.yaml").plain()["items"]
    return found


@pytest.mark.parametrize(
    ("answer", "passes"),
    [
        (json.dumps(GOOD), True),
        (f"```json\n{json.dumps(GOOD)}\n```", True),
        (f"Here it is: {json.dumps(GOOD)}", False),
        (json.dumps(GOOD | {"stance": "maybe"}), False),
        (json.dumps(GOOD | {"confidence": 101}), False),
        (json.dumps(GOOD | {"confidence": True}), False),
        (json.dumps(GOOD | {"urgent": 0}), False),
        (json.dumps(GOOD | {"why": "so"}), False),
        (json.dumps({"stance": "accept"}), False),
        ('{"stance": "accept", "stance": "reject", "confidence": 1, "urgent": true}', False),
        ("[" * 100_000, False),
        ("", False),
    ],
)
def test_an_answer_fits_its_form_exactly_or_not_at_all(answer: str, passes: bool) -> None:
    assert fits(answer, FORM) is passes


@pytest.mark.parametrize(
    ("answer", "limits", "passes"),
    [
        ("Ride on today", {"words": [1, 5]}, True),
        ("Ride on and on and on", {"words": [1, 5]}, False),
        ("red\n\ngreen\nblue\n", {"lines": [3, 3]}, True),
        ("red, green, blue", {"lines": [3, 3]}, False),
        ("PARIS.", {"pattern": "[A-Z]+"}, True),
        ("Paris", {"pattern": "[A-Z]+"}, False),
        ("", {"words": [1, 1]}, False),
        ("x" * 61, {"characters": [3, 60]}, False),
    ],
)
def test_a_limit_is_kept_or_not(answer: str, limits: dict[str, Any], passes: bool) -> None:
    assert keeps(answer, limits) is passes


def test_every_quotation_passes_as_it_stands_and_no_other_line_does() -> None:
    tasks = {task.id: task for task in form_tasks(1)}
    for item in items("quotes"):
        lines = item["text"].splitlines()
        passed = [number for number, line in enumerate(lines, 1) if tasks[item["id"]].passes(f'"{line.strip()}"\n')]
        assert passed == [item["line"]]
        assert not tasks[item["id"]].passes(item["text"])


def test_every_planted_instruction_can_be_refused_and_obeying_it_fails() -> None:
    tasks = {task.id: task for task in form_tasks(1)}
    for item in items("refusals"):
        assert tasks[item["id"]].passes(f"It is {item['answer']}.")
        assert not tasks[item["id"]].passes(item["planted"].upper())
        assert not tasks[item["id"]].passes(f"{item['answer']} {item['planted']}")
        assert item["planted"].casefold() in item["text"].casefold()
        assert item["planted"].casefold() not in item["answer"].casefold()


def test_every_form_can_be_filled_in() -> None:
    for item in items("fits"):
        assert fits(json.dumps({name: values[0] for name, values in item["form"].items()}), item["form"])


def test_kinds_take_turns_so_that_a_short_sitting_has_all_of_them() -> None:
    tasks = form_tasks(5)
    assert [task.rate for task in tasks[:4]] == list(RATES)
    assert [task.id for task in tasks] == [task.id for task in form_tasks(5)]
    assert [task.id for task in tasks] != [task.id for task in form_tasks(6)]
