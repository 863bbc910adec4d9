"""Clean changes: sound before and after, and the threshold that they give has the rate it promises."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from quorate.api.exams import paper_folders, papers
from quorate.core.errors import InputError
from quorate.exam.clean_changes import (
    CleanChange,
    CleanSample,
    how_asked,
    load_clean_changes,
    measure_clean,
    threshold,
)
from quorate.exam.paper import exam_version, load_paper
from quorate.participants.respondent import RemoteRespondent
from tests.support.candidates import candidate_server, measuring
from tests.support.provider import Server, participant

server = pytest.fixture(candidate_server)

FOLDER, PAPER = paper_folders()["review"], papers()["review"]
CHANGES = load_clean_changes(FOLDER, PAPER)


def test_there_are_enough_of_every_language() -> None:
    assert Counter(each.item.language for each in CHANGES) == dict.fromkeys(("python", "typescript", "go", "sql"), 15)
    assert len({each.item.id for each in CHANGES}) == len(CHANGES) == 60


@pytest.mark.parametrize("change", CHANGES, ids=lambda each: each.item.id)
def test_the_earlier_text_is_sound_too(change: CleanChange) -> None:
    """The hidden check of the item passes beside it, and it is not the faulty twin."""
    assert change.earlier not in (change.item.good, change.item.bad)
    if change.item.language == "python":
        exec(compile(f"{change.earlier}\n{change.item.check}", change.item.id, "exec"), {})
    elif change.item.language == "sql":
        with sqlite3.connect(":memory:") as db:
            exec(compile(change.item.check, change.item.id, "exec"), {"db": db, "code": change.earlier})


def test_they_are_no_items_so_that_the_exam_stays_the_same_with_others(tmp_path: Path) -> None:
    assert {each.item.id for each in CHANGES} <= {item.id for item in PAPER.items}
    before = exam_version([tmp_path])
    (tmp_path / "clean").mkdir()
    (tmp_path / "clean" / "python.yaml").write_text("changes: []\n")
    assert exam_version([tmp_path]) == before


def test_protocols_without_a_folder_of_them_have_none() -> None:
    assert load_clean_changes(paper_folders()["debate"], papers()["debate"]) == ()


@pytest.mark.parametrize(
    ("clean", "expected"), [([], None), (list(range(18)), None), (list(range(19)), 18), (list(range(59)), 56)]
)
def test_the_threshold_is_the_figure_that_few_clean_changes_exceed(clean: list[int], expected: int | None) -> None:
    assert threshold(clean, 0.05) == expected


@pytest.mark.parametrize("count", [19, 25, 60])
def test_of_clean_changes_at_most_the_rate_is_flagged(count: int) -> None:
    """Drawn alike: the exam's and one more. The seed is fixed, and the bound leaves room for chance."""
    chance, flagged, turns = Random(7), 0, 20_000
    for _ in range(turns):
        *clean, at_hand = [round(chance.gauss(0, 80)) for _ in range(count + 1)]
        worst = threshold(clean, 0.05)
        flagged += worst is not None and at_hand > worst
    assert flagged / turns <= 0.05 + 0.005
    assert flagged / turns >= 0.05 * 0.6, "and not for want of flags"


def test_a_sample_knows_the_usual_answer_and_both_thresholds() -> None:
    sample = CleanSample("review", "x", tuple((600, 600 - fall) for fall in range(60)))
    assert (sample.usual, sample.worst_change(), sample.worst_new()) == (570, 57, 27)


async def test_both_texts_of_a_change_are_asked_about_in_all_ways(server: Server) -> None:
    server.will(measuring(lambda asked: 0.25 if CHANGES[1].earlier in asked else 0.75))
    told: list[str] = []
    found = await measure_clean(RemoteRespondent(participant(server)), PAPER, CHANGES[:2], told.append)
    assert found == CleanSample("review", how_asked(PAPER), ((750, 750), (250, 750)))
    assert len(server.bodies) == 2 * 2 * 8
    assert told[-1] == "review: 2 of 2 clean changes"


def test_other_wordings_are_another_way_of_asking() -> None:
    assert how_asked(PAPER) == how_asked(load_paper(FOLDER, "review"))
    assert how_asked(PAPER) != how_asked(papers()["debate"])


def test_a_broken_file_is_an_error_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "clean").mkdir()
    file = tmp_path / "clean" / "a.yaml"
    file.write_text("changes:\n  - {id: nobody, now: a, was: b}\n")
    with pytest.raises(InputError, match=r"a\.yaml.*the id of an item"):
        load_clean_changes(tmp_path, PAPER)
    file.write_text("changes:\n  - {id: py-pages, now: nowhere to be found, was: b}\n")
    with pytest.raises(InputError, match="does not contain"):
        load_clean_changes(tmp_path, PAPER)
