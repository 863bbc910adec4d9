"""Documents grow by insertion (T23): the section is found, and not a byte of what was there moves or goes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate.intake.elaboration.documents import (
    MARKER,
    Block,
    insert,
    is_added,
    keywords,
    lines_of,
    outline,
    section_for,
)

BLOCK = Block(
    f"{MARKER}01-03 2026-01-02T03:04:05Z s.1 -->", "Roundtable: Export", ("**Key Insights**", "", "- a [Maya]")
)
WORDS = ("01-03", "Export of orders")

DOCUMENT = """\
# Shop

Intro.

## Import

Text.

## Order export
Lines.

### Formats

CSV.

## Limits

None.
"""


def titles(text: str) -> list[str]:
    return [each.title for each in outline(text).headings]


def test_it_goes_to_the_end_of_the_section_that_shares_the_most_words() -> None:
    new = insert(DOCUMENT, WORDS, BLOCK)
    assert new.section == "Order export"
    assert new.lines == lines_of(BLOCK) == 7
    before, after = DOCUMENT.split("## Limits")
    body = f"{BLOCK.marker}\n\n### Roundtable: Export\n\n**Key Insights**\n\n- a [Maya]\n"
    assert new.text == f"{before}{body}\n## Limits{after}"
    assert titles(new.text) == ["Shop", "Import", "Order export", "Formats", "Roundtable: Export", "Limits"]


def test_without_a_word_in_common_it_goes_under_a_new_heading_at_the_end() -> None:
    new = insert(DOCUMENT, ("Payments",), BLOCK)
    assert new.section == "Roundtable: Export"
    assert new.text.startswith(DOCUMENT)
    assert new.text.endswith("\n## Roundtable: Export\n\n**Key Insights**\n\n- a [Maya]\n")


def test_repeated_elaborations_stand_below_each_other() -> None:
    text = DOCUMENT
    for number in range(1, 4):
        block = Block(f"{MARKER}x 2026 s.{number} -->", "Export of orders", (f"- {number}",))
        assert not is_added(text, f"s.{number}")
        text = insert(text, WORDS, block).text
        assert is_added(text, f"s.{number}")
        assert section_for(text, WORDS, "new") == "Order export"
    levels = [(each.title, each.level) for each in outline(text).headings if each.ours]
    assert levels == [("Export of orders", 3)] * 3
    assert [text.index(f"- {number}") for number in (1, 2, 3)] == sorted(
        text.index(f"- {number}") for number in (1, 2, 3)
    )


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (("ORDER",), "Order export"),
        (("orders",), "Order export"),
        (("the limit of a page",), "Limits"),
        (("formats of the order export",), "Order export"),
        (("shop import",), "Import"),
        (("the and of with",), "new"),
        ((), "new"),
        (("02", "3"), "new"),
    ],
)
def test_the_section_is_chosen_by_keywords(words: tuple[str, ...], title: str) -> None:
    assert section_for(DOCUMENT, words, "new") == title


def test_keywords_leave_out_what_tells_nothing() -> None:
    assert keywords(["01-03", "How should the Exports of our ORDERS be limited?"]) == {"export", "order", "limited"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```\n# Export\n```\n", []),
        ("~~~\n# Export\n```\n# Export\n", []),
        ("    # Export\n", []),
        ("---\n# Export\ntitle: Export\n---\n\n# Real\n", ["Real"]),
        ("+++\nexport = 1\n+++\n# Real\n", ["Real"]),
        ("\ufeff---\na: b\n---\n# Real\n", ["Real"]),
        ("> # Export\n", []),
        ("- # Export\n", []),
        ("- a\n\n  ## Export\n", []),
        ("<!--\n# Export\n-->\n", []),
        ("Export\n======\n\nLimits\n---\n", ["Export", "Limits"]),
        ("Export\nof orders\n===\n", ["Export of orders"]),
        ("#Export\n", []),
        ("## Export ##\r\n", ["Export"]),
        ("# Export\rtext\r", ["Export"]),
        ("####### Export\n", []),
        ("", []),
    ],
)
def test_headings_are_those_of_markdown(text: str, found: list[str]) -> None:
    assert titles(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\ufeff",
        "no end",
        "one line\n",
        "a\r\nb\r\n",
        "a\r\nb",
        "old mac\rlines\r",
        "---\ntitle: Export\n---\n",
        "---\ntitle: Export\n---",
        "\ufeff---\r\ntitle: x\r\n---\r\n# Export\r\n",
        "Export\n===\ntext\nNext\n===\n",
        "# Export",
        "# Export\n# Next",
        "###### Export\n\n###### Next\n",
        "```\nopen code",
        "~~~~ python\nopen code\n~~~\n",
        "<!-- open comment\n",
        "x" * 100_000 + "\n# Export\n" + "y" * 100_000,
        "trailing blanks   \n\n\n\n",
        "a\n\x0b\x0c\x1c\u2028b\n# Export\n",
        "# Export\n\nmixed\r\nends\rhere\n",
    ],
)
def test_odd_documents_keep_every_byte(text: str) -> None:
    new = insert(text, WORDS, BLOCK)
    grew_by_one_insertion(text, new.text)
    assert is_added(new.text, "s.1")
    inserted = [each for each in outline(new.text).headings if each.ours]
    assert [each.title for each in inserted] == ["Roundtable: Export"], "what was added is read as what it is"


def test_line_ends_are_those_of_the_document() -> None:
    assert "\n" not in insert("a\r\nb\r\n", WORDS, BLOCK).text.replace("\r\n", "")
    assert "\n" not in insert("a\rb\r", WORDS, BLOCK).text
    assert "\r" not in insert("a\nb\n", WORDS, BLOCK).text


def test_front_matter_stays_first() -> None:
    text = "---\ntitle: Export\n---\n"
    new = insert(text, WORDS, BLOCK)
    assert new.text.startswith(text)
    assert new.section == "Roundtable: Export"


def test_open_code_is_closed_where_it_ended() -> None:
    new = insert("# Export\n\n````\ncode\n```", ("nothing",), BLOCK).text
    assert new.startswith(f"# Export\n\n````\ncode\n```\n````\n\n{MARKER}")


def test_a_marker_counts_for_its_own_identity_alone() -> None:
    text = insert("", WORDS, BLOCK).text
    assert is_added(text, "s.1")
    assert not is_added(text, "s.11")
    assert not is_added(text, ".1")
    assert not is_added(text.replace("<!--", "< !--"), "s.1")
    assert not is_added("- <!-- quorate roundtable x s.1 --> in a line", "s.1")


SAID = "# Export|## Limits|Export|===|---|```|~~~|- a|> q|    code||text|<!--|-->|\t|<div>|+++|1. x|[a]: b|<script>|\\"
LINES = st.sampled_from([*SAID.split("|"), "| a | b |", f"{MARKER}x 2026 s.0 -->"])
ENDS = st.sampled_from(["\n", "\r\n", "\r"])
TEXTS = st.lists(st.tuples(LINES, ENDS), max_size=14).map(lambda pairs: "".join(line + end for line, end in pairs))


@given(st.one_of(st.text(), TEXTS, TEXTS.map(lambda text: text.rstrip("\r\n"))), st.sampled_from([WORDS, ("zzz",), ()]))
@settings(max_examples=400, deadline=None)
def test_nothing_is_ever_deleted_changed_or_moved(text: str, words: tuple[str, ...]) -> None:
    """The proof that the diff has no deletion: the new text is the old one with one insertion, byte for byte."""
    new = insert(text, words, BLOCK)
    grew_by_one_insertion(text, new.text)
    again = insert(new.text, words, Block(BLOCK.marker.replace("s.1", "s.2"), BLOCK.title, BLOCK.lines))
    grew_by_one_insertion(new.text, again.text)
    assert is_added(again.text, "s.1")
    assert is_added(again.text, "s.2")


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_the_headings_of_a_document_are_the_same_afterwards(text: str) -> None:
    if "<script>" in text or "<!--" in text.replace(MARKER, ""):
        return  # what is open to the end may be closed by what follows
    new = insert(text, WORDS, BLOCK).text
    own = [(each.title, each.level) for each in outline(text).headings]
    now = [(each.title, each.level) for each in outline(new).headings]
    level = next(each.level for each in outline(new).headings if each.ours and each.title == BLOCK.title)
    now.remove((BLOCK.title, level))
    assert now == own


def grew_by_one_insertion(old: str, new: str) -> None:
    before, after = old.encode("utf-8", "surrogatepass"), new.encode("utf-8", "surrogatepass")
    added = len(after) - len(before)
    assert added > 0
    at = next((at for at, (one, two) in enumerate(zip(before, after, strict=False)) if one != two), len(before))
    starts = range(at, -1, -1)
    assert any(after[:start] == before[:start] and after[start + added :] == before[start:] for start in starts)
