"""Figures: exact tests on the same tasks, and no word of better where they do not support it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import pytest

from quorate.lab.bench.cells import Cell, read_cell
from quorate.lab.bench.figures import Figures, figures, holm
from quorate.lab.bench.plot import front, svg
from quorate.lab.bench.report import accuracy_table, comparison_table, data, finding_table, markdown, notes
from quorate.lab.bench.task import Grade, Kind, Number


def cell(task: int, method: str, right: bool, tokens: int = 100, **changes: Any) -> Cell:
    values: dict[str, Any] = {
        "task": f"arithmetic-1-{task:04}",
        "kind": Kind.ARITHMETIC,
        "method": method,
        "answer": Number(1),
        "grade": Grade(right),
        "tokens_in": tokens - 1,
        "tokens_out": 1,
        "cost": 5,
        "asks": 1,
        "absent": 0,
        "sessions": ("baseline-1",),
        "verdict": "ANSWERED",
        "protocol": "debate" if method == "debate" else "baseline",
    }
    return Cell(**{**values, **changes})


def paired(both: int, first: int, second: int, neither: int, *, tokens: int = 1_100) -> Figures:
    """Single and debate on the same tasks, by who was right."""
    rights = [(True, True)] * both + [(True, False)] * first + [(False, True)] * second + [(False, False)] * neither
    return figures(_both(rights, tokens))


def _both(rights: list[tuple[bool, bool]], tokens: int) -> Iterable[Cell]:
    for task, (single, debate) in enumerate(rights):
        yield cell(task, "single", single)
        yield cell(task, "debate", debate, tokens)


def test_better_is_said_where_the_exact_test_shows_it() -> None:
    found = paired(10, 0, 8, 2)
    (compared,) = found.comparisons
    assert compared.p == Fraction(2, 2**8)
    assert (compared.shown, compared.says) == (True, "better than single")
    assert compared.gain == Fraction(8, 20)
    assert compared.per_thousand == Fraction(8, 20), "a thousand tokens more for each task"
    assert (compared.flips.helpful, compared.flips.harmful) == (8, 0)


@pytest.mark.parametrize(("first", "second"), [(0, 5), (2, 9), (4, 4), (0, 0)])
def test_better_is_refused_where_it_does_not(first: int, second: int) -> None:
    found = paired(10, first, second, 3)
    said = notes("openai:gpt-5", found)
    (compared,) = found.comparisons
    assert not compared.shown
    whole = markdown("T", {"seed": 1}, found, [], "") + str(comparison_table(found.comparisons)) + compared.says
    assert "better" not in whole
    assert "worse" not in whole
    assert any("better and worse are said only where" in note for note in said)


def test_worse_is_said_too() -> None:
    assert paired(10, 9, 0, 0).comparisons[0].says == "worse than single"


def test_holm_shares_the_level_out_over_all_comparisons() -> None:
    values = [Fraction(1, 100), Fraction(1, 50), Fraction(1, 25), Fraction(1, 1000)]
    assert holm(values) == [True, True, True, True]
    assert holm([Fraction(1, 30), Fraction(1, 1000)]) == [True, True]
    assert holm([Fraction(1, 30), Fraction(1, 30)]) == [False, False], "each alone would count"
    assert holm([]) == []


def test_a_protocol_is_held_against_every_plain_method() -> None:
    cells = [cell(t, method, True) for t in range(4) for method in ("single", "cot", "sc", "reask", "debate")]
    pairs = [(each.base, each.method) for each in figures(cells).comparisons]
    assert pairs[:4] == [("single", each) for each in ("cot", "sc", "reask", "debate")]
    assert pairs[4:] == [("cot", "debate"), ("sc", "debate"), ("reask", "debate")]


def test_only_tasks_that_both_have_are_compared_and_unreached_cells_are_left_out() -> None:
    cells = [*_both([(True, False)] * 3, 200), cell(7, "single", True), cell(8, "debate", True, failed=True)]
    found = figures(cells)
    assert found.comparisons[0].paired.items == 3
    assert {row.method: row.tasks for row in found.rows} == {"single": 4, "debate": 3}


def test_no_answer_is_counted_apart_and_unknown_prices_stay_unknown() -> None:
    found = figures([cell(0, "single", False, answer=None, cost=None), cell(1, "single", True)])
    (row,) = found.rows
    assert (row.tasks, row.right, row.unanswered, row.cost) == (2, 1, 1, None)
    assert accuracy_table(found.rows)[1][0][6] == "unknown"
    assert "1 of all cells have no usable answer" in " ".join(notes("m", found))


def test_recall_precision_and_exoneration_are_counted_from_grades() -> None:
    cells = [
        cell(0, "single", True, grade=Grade(True, 1, 0, 2), kind=Kind.CODE),
        cell(1, "single", False, grade=Grade(False, 0, 1, 0), kind=Kind.CODE),
        cell(2, "single", True, grade=Grade(True), kind=Kind.SOUND),
        cell(3, "single", False, grade=Grade(False, 0, 0, 1), kind=Kind.SOUND),
    ]
    every = figures(cells).of("all")[0]
    assert (every.recall, every.precision) == (Fraction(1, 2), Fraction(1, 4))
    assert (every.sound, every.cleared) == (2, 1)
    assert every.recall_interval == pytest.approx((1 - 0.975**0.5, 0.975**0.5)), "one of two, in closed form"
    assert every.precision_interval == pytest.approx((1 - 0.975**0.25, 0.805880), abs=1e-6), "one of four"
    ((_, _, recall, _, precision, *_),) = (finding_table([every]) or ((), ()))[1]
    assert (recall, precision) == ("50.0 % (1.3 to 98.7)", "25.0 % (0.6 to 80.6)")
    nothing = figures([cell(0, "single", True, kind=Kind.SOUND)]).rows[0]
    assert (nothing.recall_interval, nothing.precision_interval) == (None, None)
    plain = data({}, figures(cells), [], "")["rows"]
    assert plain[0]["recall_interval"] == list(every.recall_interval or ())
    assert data({}, figures(cells[2:3]), [], "")["rows"][0]["precision_interval"] is None
    assert [row.kind for row in figures(cells).rows] == ["all", "code", "sound"]


def test_the_embedded_model_is_called_a_smoke_test() -> None:
    found = paired(1, 0, 0, 1)
    assert any(note.startswith("a smoke test") for note in notes("local:smollm2", found))
    assert not any(note.startswith("a smoke test") for note in notes("openai:gpt-5", found))
    assert any(note.startswith("simulated seats") for note in notes("simulated, accuracy 0.7", found))


def test_the_plot_is_a_drawing_with_every_method_and_a_front_of_the_unbeaten() -> None:
    cells = [cell(t, "single", t < 2, 100) for t in range(4)]
    cells += [cell(t, "debate", t < 1, 9_000) for t in range(4)] + [cell(t, "sc", t < 3, 900) for t in range(4)]
    rows = figures(cells).rows
    assert [row.method for row in front(rows)] == ["single", "sc"]
    drawing = ET.fromstring(svg("A <title>", "a & b", rows))
    words = [each.text for each in drawing.iter() if each.text]
    assert {"single", "sc", "debate", "A <title>", "a & b"} <= set(words)
    assert len(list(drawing.iter("{http://www.w3.org/2000/svg}circle"))) == 3


@pytest.mark.parametrize("spread", [1, 40, 4_000])
def test_names_stand_beside_their_points_and_cover_neither_names_nor_points(spread: int) -> None:
    methods = ("single", "cot", "reask", "sc", "debate", "roundtable")
    cells = [cell(t, method, t < 4, 100 + n * spread) for t in range(4) for n, method in enumerate(methods)]
    drawing = ET.fromstring(svg("T", "", figures(cells).rows))
    texts = {each.text: each.attrib for each in drawing.iter() if each.text in methods}
    boxes = [
        (float(at["x"]), float(at["y"]) - 9, float(at["x"]) + 6.5 * len(name or ""), float(at["y"]))
        for name, at in texts.items()
    ]
    circles = list(drawing.iter("{http://www.w3.org/2000/svg}circle"))
    points = [(float(each.attrib["cx"]), float(each.attrib["cy"])) for each in circles]
    assert (len(boxes), len(points)) == (len(methods), len(methods))
    for one, other in combinations(boxes, 2):
        assert one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3]
    for left, top, right, bottom in boxes:
        assert not any(left < x < right and top < y < bottom for x, y in points)
        assert left >= 70
        assert right <= 760


def test_a_long_note_takes_two_lines_and_a_scale_holds_all_points() -> None:
    rows = figures([cell(0, "single", True, 3), cell(0, "debate", True, 987_654)]).rows
    drawing = ET.fromstring(svg("T", "words " * 30, rows))
    lines = [each.text for each in drawing.iter() if each.text and each.text.startswith("words")]
    assert len(lines) == 2
    assert max(map(len, lines)) <= 125
    xs = [float(each.attrib["cx"]) for each in drawing.iter("{http://www.w3.org/2000/svg}circle")]
    assert 70 <= min(xs) < max(xs) <= 720
    long = figures([cell(0, name * 90, True, 10**n) for n, name in enumerate("abcde")]).rows
    assert f"{'c' * 39}…" in svg("T", "", long), "whoever installs a protocol names it"
    assert ET.fromstring(svg("T", "", [])) is not None, "where nothing was decided there is a plot without points"


def test_cells_are_read_as_they_were_written_and_results_are_plain() -> None:
    one = cell(3, "sc", True, samples=7, matched=900, first_right=None)
    assert read_cell(one.data()) == one
    results = data({"seed": 1}, paired(3, 1, 2, 1), ["note"], "")
    assert results["rows"][0]["interval"][0] < results["rows"][0]["accuracy"] < results["rows"][0]["interval"][1]
    assert results["comparisons"][0]["flips"] == {"helpful": 2, "harmful": 1, "stayed_right": 3, "stayed_wrong": 1}


def test_at_about_the_same_cost_nothing_is_said_per_thousand_tokens() -> None:
    assert paired(3, 0, 3, 0, tokens=110).comparisons[0].per_thousand is None


# Against the definitions, by hand ------------------------------------------------------------------------------------


def tail(k: int, n: int, share: Fraction) -> Fraction:
    """The chance of k or more among n, in exact numbers."""
    return sum((comb(n, i) * share**i * (1 - share) ** (n - i) for i in range(k, n + 1)), start=Fraction(0))


@pytest.mark.parametrize(("right", "tasks"), [(3, 10), (23, 30), (29, 30), (1, 2)])
def test_the_interval_of_a_row_leaves_a_fortieth_on_both_sides(right: int, tasks: int) -> None:
    (row,) = figures([cell(t, "single", t < right) for t in range(tasks)]).rows
    low, high = map(Fraction, row.interval)
    assert float(tail(right, tasks, low)) == pytest.approx(1 / 40, rel=1e-9)
    assert float(1 - tail(right + 1, tasks, high)) == pytest.approx(1 / 40, rel=1e-9)


def test_the_interval_of_none_and_of_all_has_a_closed_form() -> None:
    (none,) = figures([cell(t, "single", False) for t in range(10)]).rows
    assert none.interval.low == 0
    assert none.interval.high == pytest.approx(1 - (1 / 40) ** (1 / 10))
    (every,) = figures([cell(t, "single", True) for t in range(10)]).rows
    assert every.interval == pytest.approx(((1 / 40) ** (1 / 10), 1))


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [(1, 3, "5/8"), (0, 5, "1/16"), (2, 9, "67/1024"), (4, 4, "1"), (0, 0, "1"), (1, 9, "11/512")],
)
def test_the_paired_test_counts_tosses_of_a_coin(first: int, second: int, p: str) -> None:
    """Two tails of a fair coin: (1, 9) is 2 (1 + 10) / 2^10, and (2, 9) is 2 (1 + 11 + 55) / 2^11."""
    assert paired(2, first, second, 1).comparisons[0].p == Fraction(p)


def test_holm_stops_at_the_first_that_fails() -> None:
    """Levels 1/60, 1/40 and 1/20 in the order of the values: the second fails, so the third does not count either."""
    assert holm([Fraction(1, 25), Fraction(1, 61), Fraction(1, 39)]) == [False, True, False]
    assert holm([Fraction(1, 20)]) == [True], "the level itself counts"


def test_what_can_be_seen_is_what_the_tasks_can_show() -> None:
    """z(1 - 0.05/2) + z(0.8) = 1.959964 + 0.841621 = 2.801585, whose square is 7.848880."""
    often = paired(60, 10, 30, 0).comparisons[0]
    assert often.level == Fraction(1, 20)
    assert often.detectable == pytest.approx(2.801585 * (0.4 / 100) ** 0.5, abs=1e-6)
    seldom = paired(26, 1, 3, 0).comparisons[0]
    assert seldom.detectable == pytest.approx(7.848880 / 30, abs=1e-6), "more than the 13 points on which they differed"
    assert paired(30, 0, 0, 0).comparisons[0].detectable == pytest.approx(7.848880 / 30, abs=1e-6)
    assert paired(3, 1, 1, 0).comparisons[0].detectable is None, "five tasks show nothing"


def test_what_can_be_seen_shrinks_with_the_comparisons_that_share_the_level() -> None:
    """Seven comparisons, so 0.05/7: z(1 - 0.05/14) = 2.690110."""
    methods = ("single", "cot", "sc", "reask", "debate")
    found = figures([cell(t, method, True) for t in range(100) for method in methods])
    assert {each.level for each in found.comparisons} == {Fraction(1, 140)}
    assert found.comparisons[0].detectable == pytest.approx((2.690110 + 0.841621) ** 2 / 100, abs=1e-5)


def test_self_consistency_is_held_against_the_tokens_that_it_was_given() -> None:
    cells = [cell(0, "sc", True, 900, matched=1_000), cell(1, "sc", True, 1_950, matched=2_000)]
    found = figures([*cells, cell(2, "sc", True, 77)])
    assert found.matched == Fraction(2_850, 3_000)
    assert any("used 95.0 % of them" in note for note in notes("m", found))
