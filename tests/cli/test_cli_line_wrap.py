"""Text in lines that fit a terminal: broken between words, Markdown made plain, long passages cut fairly."""

from __future__ import annotations

from importlib.resources import files

import pytest

from quorate.cli.line_wrap import lead, plain_markdown, shortened, titled, width, wrapped

BRIEFS = files("quorate.protocols.workshop") / "briefs"


@pytest.fixture(params=[30, 80, 300])
def columns(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    given: int = request.param
    monkeypatch.setenv("COLUMNS", str(given))
    return min(given, 101) - 1


@pytest.mark.parametrize("name", ["pause.md", "escalate.md"])
def test_a_brief_fits_and_is_broken_between_words_alone(columns: int, name: str) -> None:
    text = (BRIEFS / name).read_text(encoding="utf-8")
    lines = wrapped(plain_markdown(text), 0)
    assert width() == columns
    assert max(map(len, lines)) <= columns
    words = text.replace("`", "").replace("#", "").split()
    assert " ".join(lines).split() == words


def test_lines_keep_their_margin_and_an_item_goes_on_below_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "25")
    assert wrapped("one\n    deep\n\n- an item of several words") == [
        "  one",
        "      deep",
        "",
        "  - an item of several",
        "    words",
    ]
    assert wrapped(" " * 500 + "x") == [" " * 12 + "x"], "an indentation cannot push a text out of sight"
    assert wrapped("") == []


def test_nothing_that_steers_a_terminal_is_left() -> None:
    assert wrapped("\x1b[2Ja\rb") == ["  a", "  b"]


def test_markdown_is_made_plain_and_code_is_left_as_it_is() -> None:
    text = "# Title\n\nSome `code` and **strong**\nwords, 2 * 3 * 4, go_on_now.\n\n1. one\n2. two\n   more\n"
    assert plain_markdown(text) == "Title\n\nSome code and strong words, 2 * 3 * 4, go_on_now.\n\n1. one\n2. two more"
    assert lead(text) == "Title. Some code and strong words, 2 * 3 * 4, go_on_now."
    assert lead("") == ""


@pytest.mark.parametrize(
    ("title", "text", "shown"),
    [
        ("Topic", "Topics of the day", ["Topic", "  Topics of the day"]),
        ("Round 1", "Round 1 (discussion)\nQuestion", ["Round 1 (discussion)", "  Question"]),
        ("Round 1", "Round 1", ["Round 1"]),
        ("Round 1", "Round 10 (discussion)", ["Round 1", "  Round 10 (discussion)"]),
    ],
)
def test_a_title_stands_once(title: str, text: str, shown: list[str]) -> None:
    assert titled(title, text) == shown


def test_the_longest_passages_are_cut_first_and_what_is_left_out_is_counted() -> None:
    long, short = ["long"] * 100, ["short"] * 3
    assert shortened([short, short], 25) == ([short, short], 0)
    shown, left_out = shortened([short, long, short], 25)
    assert ([len(each) for each in shown], left_out) == ([3, 19, 3], 81)
    shown, left_out = shortened([long] * 40, 25)
    assert sum(map(len, shown)) <= 25
    assert left_out == 4_000 - sum(map(len, shown))
