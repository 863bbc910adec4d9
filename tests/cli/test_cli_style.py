"""Styled lines are broken between words, and every word keeps its style."""

from __future__ import annotations

from quorate.cli.style import Styled, broken

LINE: Styled = ("  budget    ", "10 tokens: ", ("the worst case does not fit", "red"), "; what is expected fits")


def plain(line: Styled) -> str:
    return "".join(each if isinstance(each, str) else each[0] for each in line)


def test_a_line_that_fits_is_left_as_it_is() -> None:
    (only,) = broken(LINE, 200, 12)
    assert plain(only) == plain(LINE)
    assert ("the worst case does not fit", "red") in only


def test_what_goes_on_stands_below_the_text_and_in_its_style() -> None:
    lines = list(broken(LINE, 40, 12))
    assert [plain(each) for each in lines] == [
        "  budget    10 tokens: the worst case",
        "            does not fit; what is",
        "            expected fits",
    ]
    assert [("the worst case", "red") in lines[0], ("does not fit", "red") in lines[1]] == [True, True]
    assert ("  budget    ", "") in lines[0], "a label keeps the blanks that make its column"


def test_a_word_that_is_too_long_is_broken_where_it_must_be() -> None:
    assert [plain(each) for each in broken(("x" * 50,), 20, 4)] == ["x" * 20, " " * 4 + "x" * 16, " " * 4 + "x" * 14]
