"""Words of others in our Markdown: they all arrive as they were meant, and none of them acts or passes for ours."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from quorate.evidence.prose import tree, words
from quorate.evidence.quotations import cell, inline, item, quote
from quorate.kit.visible_text import first_line, visible
from tests.support.examples import modest

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
NEVER = ["image", "link", "autolink", "reference", "html_block", "html_inline", "entity"]
READER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(NEVER)
"""What a reader makes of a text in which nothing may act."""
PROSE = [
    *(
        "# One",
        "## Two *b*",
        "###### Six",
        "Title\n---",
        "words of *a* __kind__",
        "a `c|d` ~~e~~ f_g",
    ),
    *("```sql\nSELECT '|' --  \n\n\t# <b>\n```", "~~~\n````\n~~~", "    far\n      in", "---", "a\\\nb", "1 < 2 & 3"),
    *(
        "| a | b |\n|---|--:|\n| `x\\|y` | **z** |\n| 1 |",
        "h | |\n:-: | ---\n\\| | <i>",
        "- a\n- b",
        "* c\n\n  # D\n\n* e",
    ),
    *("3. x\n4. y", "1) z", "> q\n> # r", "- ```py\n  s = 1\n  ```\n- t\n\n  | u |\n  |---|\n  | v |", "-", "+ # w"),
]
"""Blocks as people and models write them."""
HOSTILE = st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(max_size=60)


def flatten(tokens: list[Token]) -> list[Token]:
    return [each for token in tokens for each in (token, *flatten(token.children or []))]


def words_of(tokens: list[Token]) -> str:
    """All words that a reader sees, and the languages of code."""
    seen = (t for t in flatten(tokens) if t.type in ("text", "text_special", "code_inline", "fence"))
    return " ".join(f"{t.info} {t.content}" if t.type == "fence" else t.content for t in seen)


def letters(text: str) -> str:
    return "".join(char for char in text if char.isalpha())


def assert_harmless(tokens: list[Token], under: int = 3) -> None:
    """Nothing acts, and headings and tables stand in a quotation, the headings below those of the level `under`."""
    depth = 0
    for token in flatten(tokens):
        depth += (token.type == "blockquote_open") - (token.type == "blockquote_close")
        assert token.type not in ("html_block", "html_inline", "image", "link_open")
        if token.type in ("heading_open", "table_open"):
            assert depth
        if token.type == "heading_open":
            assert int(token.tag[1:]) > under


def shape(tokens: list[Token], under: int = 0) -> list[object]:
    """What a text is made of: blocks, words and emphasis, with headings where they belong under a heading."""
    highest = min((int(token.tag[1:]) for token in tokens if token.type == "heading_open"), default=1)
    made: list[object] = []
    for token in tokens:
        if token.type == "heading_open":
            made.append(f"h{min(6, int(token.tag[1:]) - highest + under + 1)}")
        elif token.type == "inline":
            made += [(each.type, each.tag, each.content) for each in token.children or () if each.content or each.tag]
        elif token.type in ("fence", "code_block"):
            made.append((token.content.removesuffix("\n"), token.info))
        elif not token.type.startswith(("paragraph", "heading")):  # a list that became loose has paragraphs
            made.append((token.type, dict(token.attrs)))
    return made


@given(st.lists(st.sampled_from(PROSE), min_size=1, max_size=6), st.sampled_from(["\n\n", "\n\n\n"]), st.integers(1, 4))
@settings(modest, max_examples=200)
@example(["| a | b |\n| --- | --- |\n| 1 | 2 |"], "\n\n", 2)
def test_what_was_written_arrives(blocks: list[str], between: str, under: int) -> None:
    text = between.join(blocks).strip("\n")
    assert shape(EVERYTHING.parse(quote(text, under)), under)[1:-1] == shape(READER.parse(text), under)


@given(HOSTILE)
@example("* #")
@settings(modest, max_examples=200)
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
@settings(modest, max_examples=200)
def test_a_quotation_loses_no_letter(text: str) -> None:
    assert letters(words_of(EVERYTHING.parse(quote(text)))) == letters(visible(text))


@given(HOSTILE)
@example("* #")
@settings(modest, max_examples=200)
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
@settings(modest, max_examples=200)
def test_an_item_is_one_item(text: str) -> None:
    tokens = EVERYTHING.parse(f"- before\n{item(text)}\n- after\n\nend\n")
    assert [t.type for t in tokens if t.level == 0 and t.nesting >= 0] == ["bullet_list_open", "paragraph_open"]
    assert sum(t.type == "list_item_open" and t.level == 1 for t in tokens) == 3
    assert_harmless(tokens)


def test_a_cell_is_never_empty_and_cut_where_it_is_long() -> None:
    assert cell("  \n ") == "–"
    assert cell("a|b") == "a\\|b"
    assert inline("word " * 50, 20) == "word word word word…"


def test_headings_tables_code_and_lists_are_kept() -> None:
    text = "## Plan\n\n1. use `a|b<T>`\n2. **then** stop\n### Code\n```python\nx = '<b>'\n```\na|b\n-|-:\n1|<b>"
    assert quote(text, 2).split("\n") == [
        *("> ### Plan", ">", "> 1. use `a|b<T>`", "> 2. **then** stop", ">", "> #### Code", ">"),
        *("> ```python", "> x = '<b>'", "> ```", ">", "> | a | b |", "> | --- | ---: |", "> | 1 | &lt;b> |"),
    ]


def test_code_is_kept_byte_for_byte_wherever_it_stands() -> None:
    code = "if a | b:  \n\tprint('<b>', \"# no\")\n   \n\n~~~~~\n````\n> - 1. `x` &amp; \\\n"
    fenced = f"`````c++\n{code}`````"
    for before, indent in (("", ""), ("- a\n\n", "  "), ("1. ", "   "), ("> b\n>\n", "> "), ("- > ", "  > ")):
        text = before + fenced.replace("\n", f"\n{indent}") if before.endswith(" ") else ""
        text = text or before + "\n".join(indent + line for line in fenced.split("\n"))
        found = [t for t in flatten(EVERYTHING.parse(quote(text))) if t.type == "fence"]
        assert [(t.info, t.content) for t in found] == [("c++", code)]


@pytest.mark.parametrize("said", ['python title="a.py"', "{code-block}", "html onload=x", "x" * 40, "`a", "<b>"])
def test_what_is_no_language_is_said_before_the_code(said: str) -> None:
    tokens = flatten(EVERYTHING.parse(quote(f"~~~ {said}\nx\n~~~")))
    assert "".join(t.content for t in tokens if t.type.startswith("text")) == said
    assert [(t.info, t.content) for t in tokens if t.type == "fence"] == [("", "x\n")]


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("| 1 | 2 |", ["1", "2"]),
        ("| 1 | 2 | 3 |", ["1", "2 | 3"]),
        ("1 | 2 | 3 | 4", ["1", "2 | 3 | 4"]),
        ("| 1 | 2 | | 3", ["1", "2 | | 3"]),
        ("| 1 | 2 | | |", ["1", "2"]),
        ("| `a | b` | 2 |", ["`a | b`", "2"]),
        ("| 1 | `a | b` |", ["1", "`a | b`"]),
        ("| `a|b` | ``c|`d|e`` | 3 |", ["`a|b`", "``c|`d|e`` | 3"]),
        ("| `a | b | 3 |", ["`a", "b | 3"]),
        (r"| a \| b | 2 | 3 \| |", ["a | b", "2 | 3 |"]),
        ("| 1 | <b> | @a *b* |", ["1", "<b> | @a *b*"]),
    ],
)
@pytest.mark.parametrize("before", ["", "> ", "- x\n\n  "])
def test_no_word_of_a_row_with_too_many_cells_is_lost(row: str, cells: list[str], before: str) -> None:
    indent = before.rpartition("\n")[2]
    text = before + f"\n{indent}".join(("| a | b |", "| --- | --- |", row, "| 5 | 6 |"))
    tokens = flatten(EVERYTHING.parse(quote(text)))
    assert_harmless(tokens)
    starts = [at for at, token in enumerate(tokens) if token.type == "td_open"]
    found = ["".join(_source_of(tokens[at + 1 :])) for at in starts]
    assert found == [*(each.replace("*b*", "b") for each in cells), "5", "6"]
    nodes = words(tree(text))
    assert not set(re.findall(r"\w+", row)) - set(re.findall(r"\w+", nodes))


def _source_of(tokens: list[Token]) -> Iterator[str]:
    """Yield the text of the cell that begins here, code between its ticks."""
    for token in tokens:
        if token.type == "td_close":
            return
        ticks = token.markup if token.type == "code_inline" else ""
        if token.type.startswith("text") or ticks:
            yield f"{ticks}{token.content}{ticks}"


@pytest.mark.slow
def test_a_row_of_a_table_may_be_enormous() -> None:
    for row in ("|" * 50_000 + "end", "| a " * 20_000 + "end", "`|" * 30_000 + "end", "\\|" * 30_000 + "end"):
        text = f"| a | b |\n| --- | --- |\n{row}"
        assert letters(words_of(EVERYTHING.parse(quote(text)))).endswith("end")


def test_a_heading_of_a_quotation_cannot_pass_for_ours() -> None:
    for forged in ("# Verdict", "## Verdict", "Verdict\n=======", "> ## Verdict", "- # Verdict", "###### Verdict"):
        assert_harmless(EVERYTHING.parse(quote(forged, 2)), 2)
        assert_harmless(EVERYTHING.parse(item(f"so\n\n{forged}", 5)), 5)
    assert quote("#") == "> \\#"
    assert quote("#no heading") == "> \\#no heading"
    assert quote("# C \\#") == "> #### C \\#"


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
