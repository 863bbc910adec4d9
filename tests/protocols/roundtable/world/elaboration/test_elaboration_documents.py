"""Documents grow by insertion (T23): the section is found, and not a byte of what was there moves or goes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate.core.errors import InputError
from quorate.protocols.roundtable.world.elaboration.documents import (
    Block,
    insert,
    is_added,
    keywords,
    lines_of,
    section_for,
)
from quorate.protocols.roundtable.world.elaboration.outline import MARKER, outline

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


def numbered(number: int) -> Block:
    return Block(f"{MARKER}x 2026 s.{number} -->", f"Roundtable: {number}", (f"first {number}", "", f"- last {number}"))


def stand_whole(text: str, numbers: range, end: str = "\n") -> None:
    """Every block is in one piece, directly below its marker, and none stands in another."""
    for block in map(numbered, numbers):
        after = text.partition(block.marker + end)[2].split(end)
        assert after[1].lstrip("#") == f" {block.title}"
        assert [after[0], *after[2:6]] == ["", "", *block.lines]
    headings = outline(text).headings
    assert [each.title.startswith("Roundtable") for each in headings] == [each.ours for each in headings]
    assert sum(each.ours for each in headings) == len(numbers)
    for one, two in pairwise(headings):
        assert not one.ours or two.level <= one.level


def test_elaborations_on_different_topics_stay_whole() -> None:
    text = DOCUMENT
    topics = ("Export", "Formats", "Payments", "Limits", "Import", "Formats", "Shop", "Export")
    for number, topic in enumerate(topics):
        new = insert(text, (topic,), numbered(number))
        grew_by_one_insertion(text, new.text)
        text = new.text
        stand_whole(text, range(number + 1))
    titles = [each.title.removeprefix("Roundtable: ") for each in outline(text).headings]
    assert titles == ["Shop", "Import", "4", "Order export", "Formats", "1", "5", "0", "7", "Limits", "3", "2", "6"]


def test_below_the_lowest_heading_blocks_stand_in_their_order() -> None:
    text = "###### Export\n\nText.\n\n###### Limits\n"
    for number in range(3):
        text = insert(text, ("export",), numbered(number)).text
    stand_whole(text, range(3))
    assert [each.title[-1] for each in outline(text).headings] == ["t", "0", "1", "2", "s"]


TOPICS = st.sampled_from(["export", "import", "limits", "export limits", "nothing"])
SECTIONS = st.tuples(st.integers(1, 6), TOPICS, st.sampled_from(["", "Text.", "- a\n- b", "```\n# code\n```"]))


@given(st.lists(SECTIONS, max_size=7), st.lists(TOPICS, min_size=1, max_size=7), st.sampled_from(["\n", "\r\n", "\r"]))
@settings(max_examples=200, deadline=None)
def test_blocks_stay_whole_whatever_is_added_later(
    sections: list[tuple[int, str, str]], topics: list[str], end: str
) -> None:
    text = "".join(f"{'#' * level} {title}\n{body}\n" for level, title, body in sections).replace("\n", end)
    for number, topic in enumerate(topics):
        old, text = text, insert(text, (topic,), numbered(number)).text
        grew_by_one_insertion(old, text)
    stand_whole(text, range(len(topics)), end if sections else "\n")


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (("ORDER",), "Order export"),
        (("orders",), "Order export"),
        (("the limit of a page",), "Limits"),
        (("formats of the order export",), "Order export"),
        (("shop import",), "Import"),
        (("Does the shop need an export?",), "Order export"),
        (("shop",), "Shop"),
        (("the and of with",), "new"),
        ((), "new"),
        (("02", "3"), "new"),
    ],
)
def test_the_section_is_chosen_by_keywords(words: tuple[str, ...], title: str) -> None:
    assert section_for(DOCUMENT, words, "new") == title


PLURALS = """\
search searches
policy policies
cache caches
size sizes
status statuses
class classes
address addresses
cookie cookies
box boxes
key keys
database databases
query queries
menu menus
use uses
order orders
"""


@pytest.mark.parametrize("pair", PLURALS.splitlines())
def test_a_word_and_its_plural_are_one(pair: str) -> None:
    one, many = pair.split()
    assert keywords([one]) == keywords([many])
    assert section_for(f"# Shop\n\n## All {many}\n", (f"Which {one}?",), "new") == f"All {many}"
    assert section_for(f"# Shop\n\n## The {one}\n", (many,), "new") == f"The {one}"


def test_words_that_look_alike_are_two() -> None:
    assert not keywords(["plan", "car", "address", "new"]) & keywords(["plane", "care", "adder", "net"])


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
        "text\n<pre>\n\nopen",
        "<SCRIPT src=x>\n\nopen\n",
        "<style>\n",
        "<textarea rows=2>\nopen\n\n\n",
        "<?php\n\nopen\n",
        "<!DOCTYPE\n\nopen\n",
        "<![CDATA[\n\nopen\n",
        "<div>\nopen",
        "<div>\n\x0b\n",
        "<div>\nopen\nold mac\r",
        "```\ncode\n\t```\n",
        "~~~\ncode\n\u2028~~~\n",
        "\n".join("  " * depth + "- a" for depth in range(40)),
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


def test_open_html_is_closed_where_it_ended() -> None:
    for begin, closing in (("<pre>", "</pre>"), ("<!-- draft", "-->"), ("<?xml", "?>")):
        new = insert(f"# Export\n\n{begin}\n\nmore", ("nothing",), BLOCK).text
        assert new.startswith(f"# Export\n\n{begin}\n\nmore\n{closing}\n\n{MARKER}")
    closed = "# Export\n\n<pre>\n</pre>\n"
    assert insert(closed, ("nothing",), BLOCK).text.startswith(f"{closed}\n{MARKER}")


def test_what_cannot_be_closed_is_refused() -> None:
    deep = "\n".join("  " * depth + "- a" for depth in range(150))
    with pytest.raises(InputError, match="deep nesting, would swallow the addition"):
        insert(deep, WORDS, BLOCK)


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
