"""The order of functions and their flags, by figures computed by hand."""

from __future__ import annotations

from quorate.exam.clean_changes import CleanSample
from quorate.protocols.review.world.triage.order import Answered, Thresholds, ranked
from quorate.protocols.review.world.triage.snippets import Snippet

THRESHOLDS = Thresholds(changed=60, new=150, usual=550, clean=60)


def answered(name: str, before: int | None, after: int, *, speaks: bool = False) -> Answered:
    return Answered(Snippet("a.py", 1, name, "python", None if before is None else "old", "new"), before, after, speaks)


def test_what_fell_furthest_comes_first_and_beyond_the_threshold_it_is_flagged() -> None:
    found = ranked([answered("a", 500, 440), answered("b", 500, 439), answered("c", 300, 600)], THRESHOLDS)
    assert [(each.answered.snippet.name, each.difference, each.flagged) for each in found] == [
        ("b", 61, True),
        ("a", 60, False),
        ("c", -300, False),
    ]


def test_a_new_function_is_held_against_the_usual_clean_one_with_its_own_threshold() -> None:
    found = ranked([answered("a", None, 400), answered("b", None, 399)], THRESHOLDS)
    assert [(each.difference, each.flagged) for each in found] == [(151, True), (150, False)]


def test_lines_outside_of_functions_have_a_place_and_no_flag() -> None:
    (found,) = ranked([answered("", 900, 100)], THRESHOLDS)
    assert (found.difference, found.flagged) == (800, None)


def test_without_an_exam_there_is_an_order_and_no_flag() -> None:
    found = ranked([answered("a", 500, 400), answered("b", None, 300)], None)
    assert [(each.difference, each.flagged) for each in found] == [(200, None), (100, None)]


def test_what_speaks_to_its_reader_comes_first_whatever_the_model_says_of_it() -> None:
    found = ranked([answered("a", 500, 100), answered("b", 100, 999, speaks=True)], THRESHOLDS)
    assert [(each.answered.snippet.name, each.flagged) for each in found] == [("b", None), ("a", True)]


def test_thresholds_are_those_of_the_sample() -> None:
    sample = CleanSample("review", "x", tuple((500 + number, 500) for number in range(19)))
    assert Thresholds.of(sample) == Thresholds(changed=18, new=0, usual=500, clean=19)
    few = CleanSample("review", "x", ((500, 480),))
    assert Thresholds.of(few) == Thresholds(changed=None, new=None, usual=480, clean=1)
