"""Words of others in our Markdown: they are all there, and none of them acts."""

from __future__ import annotations

import re
import unicodedata
from html import unescape

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from quorate.evidence.quoting import cell, first_line, inline, item, quote, visible

EVERYTHING = MarkdownIt("js-default", {"html": True, "maxNesting": 100})
"""A renderer that does all it can: tables, strikethrough, links, images and raw HTML."""

PIECES = [
    *(
        "#",
        "##",
        "###### six",
        "=",
        "===",
        "-",
        "---",
        "- ",
        "* ",
        "+ ",
        "1. ",
        "7) ",
        "> ",
        ">",
        ">>>",
        "|",
        "| a | b |",
    ),
    *("|---|---|", "| --- |", ":-:", "```", "~~~", "````", "`", "``", "```html", "~~~ info", "\\", "\\\\", "\\`", "&"),
    *("&lt;", "&#x202e;", "<", "<script>alert(1)</script>", "<!--", "-->", "<b>", "</div>", "<http://evil.test>"),
    *("![x](http://evil.test/p.png)", "[x](javascript:alert(1))", "[x]: http://evil.test", "[x]", "[!WARNING]", "[^1]"),
    *("\n", "\n\n", "\n\n\n", "    ", "\t", " ", "  \n", "\r\n", "\r", "word", "Two words", "**bold**", "*", "_", "__"),
    *(
        "\u202e",
        "\u200b",
        "\u2066",
        "\ufeff",
        "\u2028",
        "\x00",
        "\x0b",
        "\x85",
        "\ud800",
        "é",
        "日本",
        "👩\u200d💻",
        "~~",
    ),
]
HOSTILE = st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(max_size=60)


def flatten(tokens: list[Token]) -> list[Token]:
    return [each for token in tokens for each in (token, *flatten(token.children or []))]


def words_of(tokens: list[Token]) -> str:
    """All words that a reader sees. Code in a list that is indented instead of fenced shows our escapes."""
    seen = (t for t in flatten(tokens) if t.type in ("text", "text_special", "code_inline", "fence", "code_block"))
    return " ".join(unescape(t.content) if t.type == "code_block" else t.content for t in seen)


def letters(text: str) -> str:
    return "".join(char for char in text if char.isalpha())


def assert_harmless(tokens: list[Token]) -> None:
    kinds = {token.type for token in flatten(tokens)}
    assert not kinds & {"html_block", "html_inline", "image", "link_open", "heading_open", "table_open"}


@given(HOSTILE)
@example("* #")
@settings(max_examples=200, deadline=None)
@example("Title\n-")
@example("- Title\n  ---")
@example("> Title\n> ===")
@example("> # deep\n- # deeper\n1. # deepest")
@example("- a\n\n\t# x")
@example("foo `\n`<script>`")
@example("- ~~~\n# x\n~~~")
@example("```\n# code\n`````\n# outside")
@example("| a |\n`|`\n| - |")
@example("a | b\n:-: | -")
@example("\\<script>\\![x](y)")
def test_a_quotation_cannot_leave_its_place_or_act(text: str) -> None:
    tokens = EVERYTHING.parse(f"# ours\n\n{quote(text)}\n\n| a |\n| --- |\n| b |\n\nend\n")
    top = [token.type for token in tokens if token.level == 0 and token.nesting >= 0]
    assert top == ["heading_open", "blockquote_open", "table_open", "paragraph_open"]
    start = next(i for i, token in enumerate(tokens) if token.type == "blockquote_open")
    end = next(i for i, token in enumerate(tokens) if token.type == "blockquote_close" and token.level == 0)
    assert_harmless(tokens[start:end])
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\ufeff]", words_of(tokens))


@given(HOSTILE)
@example("* #")
@settings(max_examples=200, deadline=None)
def test_a_quotation_loses_no_letter(text: str) -> None:
    assert letters(words_of(EVERYTHING.parse(quote(text)))) == letters(visible(text))


@given(HOSTILE)
@example("* #")
@settings(max_examples=200, deadline=None)
def test_an_inline_text_is_literal_wherever_it_stands(text: str) -> None:
    flat = " ".join(visible(text).split())
    for place in ("{}", "# {}", "- {}", "> {}", "so **{}** it is", "| {} | x |\n| --- | --- |"):
        tokens = EVERYTHING.parse(place.format(f"x{inline(text)}x" if "**" in place else inline(text)))
        kinds = {token.type for token in flatten(tokens)}
        assert not kinds & {"html_block", "html_inline", "image", "link_open", "code_inline", "fence", "em_open"}
        assert ("heading_open" in kinds) == place.startswith("#")
        assert ("table_open" in kinds) == place.startswith("|")
        if place == "{}":
            assert "".join(t.content for t in flatten(tokens) if t.type.startswith("text")) == flat


@given(HOSTILE)
@example("* #")
@settings(max_examples=200, deadline=None)
def test_an_item_is_one_item(text: str) -> None:
    tokens = EVERYTHING.parse(f"- before\n{item(text)}\n- after\n\nend\n")
    assert [t.type for t in tokens if t.level == 0 and t.nesting >= 0] == ["bullet_list_open", "paragraph_open"]
    assert sum(t.type == "list_item_open" and t.level == 1 for t in tokens) == 3
    assert_harmless(tokens)


def test_a_cell_is_never_empty_and_cut_where_it_is_long() -> None:
    assert cell("  \n ") == "–"
    assert cell("a|b") == "a\\|b"
    assert inline("word " * 50, 20) == "word word word word…"


def test_code_and_lists_are_kept_and_headings_become_bold() -> None:
    text = "## Plan\n\n1. use `a|b<T>`\n2. **then** stop\n\n```python\nx = '<b>'\n```"
    assert quote(text).split("\n") == [
        *("> **Plan**", ">", "> 1. use `a|b<T>`", "> 2. **then** stop", ">", "> python", "> ```", "> x = '<b>'"),
        "> ```",
    ]


def test_every_invisible_or_direction_changing_character_is_written_out() -> None:
    shown_as_they_are = {"\n", "\t", "\r"}
    letters_of_scripts = {"\u0600", "\u0601", "\u0602", "\u0603", "\u0604", "\u0605", "\u06dd", "\u070f", "\u0890"}
    letters_of_scripts |= {"\u0891", "\u08e2", "\U000110bd", "\U000110cd"}  # number and verse signs, which are seen
    letters_of_scripts |= {chr(code) for code in range(0x13430, 0x13460)}  # hieroglyphs, put together
    for code in range(0x110000):
        char = chr(code)
        unseen = unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        if unseen and char not in shown_as_they_are | letters_of_scripts:
            assert visible(f"a{char}b") == f"a⟨U+{code:04X}⟩b"


def test_the_joiner_inside_an_emoji_is_left_alone() -> None:
    assert visible("👩\u200d💻 ❤\ufe0f\u200d🔥") == "👩\u200d💻 ❤\ufe0f\u200d🔥"
    assert visible("pay\u200dpal") == "pay⟨U+200D⟩pal"


@pytest.mark.parametrize(
    "text",
    [
        "x" * 100_000,
        "`" * 99_999 + "x",
        "` `` ``` " * 11_000,
        "".join("`" * n + " " for n in range(1, 440)),
        "*a _b " * 17_000,
        ">" * 100_000,
        "- " * 50_000 + "deep",
        "\t" * 100_000 + "far",
        "#" * 100_000,
        "|" * 100_000,
        "[" * 100_000,
        "<" * 100_000,
        "\n".join(" " * (2 * n) + "- level" for n in range(300)),
        "\n".join("> " * n + "quote" for n in range(200)),
        "&#x202e;" * 12_000,
        "\\" * 99_999,
    ],
    ids=lambda text: f"{text[:6]!r}-{len(text)}",
)
def test_enormous_lines_and_nestings_stay_whole_and_harmless(text: str) -> None:
    tokens = EVERYTHING.parse(f"{quote(text)}\n\nend\n")
    assert [t.type for t in tokens if t.level == 0 and t.nesting >= 0] == ["blockquote_open", "paragraph_open"]
    assert_harmless(tokens)
    assert letters(words_of(tokens)) == letters(text) + "end"


def test_the_first_line_that_says_something() -> None:
    assert first_line("\n  \n## Title here \nmore") == "Title here"
    assert first_line(" \n") == ""
