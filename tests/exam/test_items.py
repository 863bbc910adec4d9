"""The exam's items: well-formed, unique, balanced; and hidden checks that tell the faulty twin from the mended one."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from quorate.api.exams import paper_folders, papers
from quorate.core.errors import DefinitionError, InputError
from quorate.exam.form_tasks import RATES, form_tasks
from quorate.exam.paper import Twins, drawn, exam_version, load_paper

REVIEW = papers()["review"].items
ALL = [(name, twins) for name, paper in papers().items() for twins in paper.items]
CHECKED = [twins for twins in REVIEW if twins.check]
KINDS = {
    *("off-by-one", "missing await", "wrong rounding", "injection", "lost update", "swapped arguments"),
    *("missing authorisation", "wrong default", "resource leak", "timezone", "null", "error swallowed"),
}


def test_there_are_many_more_items_than_one_sitting_draws() -> None:
    counts = {name: len(paper.items) for name, paper in papers().items()}
    assert set(counts) == {"review", "council", "workshop", "debate"}
    assert counts["review"] >= 60
    assert 2 * counts["council"] >= 40, "findings: one true and one false of each ticket"
    assert 2 * counts["workshop"] >= 40, "pairs of requirements: one that contradicts and one that does not"
    assert counts["debate"] >= 24
    tasks = Counter(task.rate for task in form_tasks(1))
    assert set(tasks) == set(RATES)
    assert min(tasks.values()) >= 12


def test_the_review_has_four_languages_and_twelve_kinds_of_fault() -> None:
    languages = Counter(twins.language for twins in REVIEW)
    assert set(languages) == {"python", "typescript", "go", "sql"}
    assert min(languages.values()) >= 15
    kinds = Counter(twins.kind for twins in REVIEW)
    assert set(kinds) == KINDS
    assert min(kinds.values()) >= 4


def test_no_item_is_there_twice() -> None:
    for texts in (
        [twins.id for _, twins in ALL] + [task.id for task in form_tasks(1)],
        [twins.context + twins.good for _, twins in ALL],
        [twins.context + twins.bad for _, twins in ALL],
        [task.prompt for task in form_tasks(1)],
    ):
        assert [text for text, times in Counter(texts).items() if times > 1] == []


@pytest.mark.parametrize("twins", [twins for _, twins in ALL], ids=lambda twins: twins.id)
def test_every_item_has_what_it_needs(twins: Twins) -> None:
    assert re.fullmatch(r"[a-z0-9-]+", twins.id)
    assert twins.good.strip() != twins.bad.strip()
    if twins.language:
        assert 8 <= len(twins.good.splitlines()) <= 25
        assert 8 <= len(twins.bad.splitlines()) <= 25
        assert re.fullmatch(r"[A-Z].+[^.]\.", twins.fault), "one sentence"
        assert 1 <= twins.line <= len(twins.bad.splitlines())
        assert twins.bad.splitlines()[twins.line - 1] != twins.good.splitlines()[twins.line - 1]
    else:
        assert twins.context


def test_a_fault_is_where_it_is_said_to_be() -> None:
    (pages,) = (twins for twins in REVIEW if twins.id == "py-pages")
    assert pages.line == 5
    assert "total - size + 1" in pages.bad.splitlines()[4]


CHEATS: list[Callable[[str], float]] = [
    lambda text: len(text),
    lambda text: text.count("\n"),
    lambda text: -text.count("not "),
    lambda text: text.count("if "),
]


@pytest.mark.parametrize("name", sorted(papers()))
@pytest.mark.parametrize("cheat", range(len(CHEATS)))
def test_no_simple_count_tells_the_twins_apart(name: str, cheat: int) -> None:
    """Whoever prefers the longer text, the one with more lines, or with more conditions, must not pass the exam."""
    items = papers()[name].items
    differ = [(CHEATS[cheat](twins.good), CHEATS[cheat](twins.bad)) for twins in items]
    wins = sum((good > bad) + 0.5 * (good == bad) for good, bad in differ) / len(items)
    assert 0.2 <= wins <= 0.8


def _fails(twins: Twins, code: str) -> Exception | None:
    """Run the hidden check beside the code: Python after it, SQL with it on an empty database."""
    try:
        if twins.language == "python":
            exec(compile(f"{code}\n{twins.check}", twins.id, "exec"), {})
        else:
            with sqlite3.connect(":memory:") as db:
                exec(compile(twins.check, twins.id, "exec"), {"db": db, "code": code})
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize("twins", CHECKED, ids=lambda twins: twins.id)
def test_the_hidden_check_tells_the_faulty_twin(twins: Twins) -> None:
    assert _fails(twins, twins.good) is None
    assert _fails(twins, twins.bad) is not None


def test_every_python_and_sql_pair_has_a_hidden_check() -> None:
    assert len(CHECKED) == sum(twins.language in {"python", "sql"} for twins in REVIEW)


def test_no_prompt_shows_the_fault_or_the_check() -> None:
    for name, twins in ALL:
        for good in (True, False):
            put = papers()[name].put(twins, good=good)
            assert (twins.good if good else twins.bad).strip() in put
            assert not twins.fault or twins.fault not in put
            assert not twins.check or twins.check not in put


def test_a_draw_is_stratified_and_the_same_for_the_same_seed() -> None:
    first = drawn(REVIEW, 3)
    assert [twins.id for twins in first] == [twins.id for twins in drawn(REVIEW, 3)]
    assert [twins.id for twins in first] != [twins.id for twins in drawn(REVIEW, 4)]
    assert Counter(twins.id for twins in first) == Counter(twins.id for twins in REVIEW)
    assert set(Counter(twins.language for twins in first[:12]).values()) == {3}


def test_a_changed_item_is_another_exam(tmp_path: Path) -> None:
    file = tmp_path / "items.yaml"
    file.write_text("items: []\n")
    before = exam_version([tmp_path])
    file.write_text("items: [ ]\n")
    assert exam_version([tmp_path]) != before
    assert exam_version(list(paper_folders().values())) == exam_version(list(paper_folders().values()))


PAPER = 'matter: "{text}"\nwordings: [{ask: "Is it so? {options}", words: ["yes", "no"]}]\n'


def test_a_broken_paper_is_an_error_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "paper.yaml").write_text(PAPER)
    items = tmp_path / "items.yaml"
    items.write_text("items:\n  - {id: a, kind: k, good: text, was: word, now: x}\n")
    with pytest.raises(InputError, match=r"items\.yaml.*does not contain .* exactly once"):
        load_paper(tmp_path, "p")
    items.write_text("items:\n  - {id: a, good: text, bad: x}\n")
    with pytest.raises(InputError, match="has no kind"):
        load_paper(tmp_path, "p")
    items.write_text("items:\n  - {id: a, kind: k, good: text, bda: x}\n")
    with pytest.raises(InputError, match="did you mean 'bad'"):
        load_paper(tmp_path, "p")
    (tmp_path / "paper.yaml").write_text(PAPER.replace("{options}", ""))
    with pytest.raises(DefinitionError, match="once"):
        load_paper(tmp_path, "p")
