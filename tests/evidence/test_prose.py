"""Prose as a tree: every construct, nothing that could run, no word lost, on any text."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate.evidence.prose import MOST_CHARACTERS, TAGS, _blocks, _paragraphs, tree, words
from quorate.kit.visible_text import visible
from tests.support.examples import modest

ALLOWED = {"a": {"href"}, "ol": {"start"}, "th": {"align"}, "td": {"align"}}


def depth(node: Any) -> int:
    return 0 if isinstance(node, str) else 1 + max((depth(each) for each in node[2:]), default=0)


def check(nodes: list[Any]) -> None:
    """Every node is a text, or an element of the closed list with allowed attributes only."""
    for node in nodes:
        if isinstance(node, str):
            continue
        tag, attributes, *children = node
        assert tag in TAGS
        assert set(attributes or {}) <= ALLOWED.get(tag, set())
        if tag == "a":
            assert re.match(r"(https?|mailto):", attributes["href"], re.IGNORECASE)
        if tag in ("th", "td") and attributes:
            assert attributes == {"align": "right"}
        if tag == "ol" and attributes:
            assert type(attributes["start"]) is int
        check(children)


def test_every_construct() -> None:
    assert tree("# a\n\n###### b") == [["h3", None, "a"], ["h6", None, "b"]]
    assert tree("*a* **b** ~~c~~ `d`") == [
        ["p", None, ["em", None, "a"], " ", ["strong", None, "b"], " ", ["del", None, "c"], " ", ["code", None, "d"]]
    ]
    assert tree("3. a\n4. b\n   - c") == [
        ["ol", {"start": 3}, ["li", None, "a"], ["li", None, "b", ["ul", None, ["li", None, "c"]]]]
    ]
    assert tree("- a\n\n- b") == [["ul", None, ["li", None, ["p", None, "a"]], ["li", None, ["p", None, "b"]]]]
    assert tree("> a\n\n---\n\n    b") == [
        ["blockquote", None, ["p", None, "a"]],
        ["hr", None],
        ["pre", None, ["code", None, "b"]],
    ]
    assert tree("```python\nx = 1\n```") == [
        ["p", None, ["em", None, "python"]],
        ["pre", None, ["code", None, "x = 1"]],
    ]
    assert tree("a  \nb\nc") == [["p", None, "a", ["br", None], "b\nc"]]
    right = {"align": "right"}
    assert tree("| a |\n|---:|\n| 1 |") == [
        [
            "table",
            None,
            ["thead", None, ["tr", None, ["th", right, "a"]]],
            ["tbody", None, ["tr", None, ["td", right, "1"]]],
        ]
    ]
    cells = [["tr", None, ["th", None, "a"], ["th", None, "b"]]], [["tr", None, ["td", None, "1"], ["td", None, "2"]]]
    assert tree("| a | b |\n|---|:-:|\n| 1 | 2 |") == [
        ["table", None, ["thead", None, *cells[0]], ["tbody", None, *cells[1]]]
    ]


def test_links_lead_to_the_web_or_to_mail_and_nowhere_else() -> None:
    assert tree("[a](https://b.example/c 'd')") == [["p", None, ["a", {"href": "https://b.example/c"}, "a"], " (d)"]]
    assert tree("<mailto:a@b.example>") == [["p", None, ["a", {"href": "mailto:a@b.example"}, "mailto:a@b.example"]]]
    assert tree("[a][one] and [one]\n\n[one]: http://b.example") == [
        ["p", None, ["a", {"href": "http://b.example"}, "a"], " and ", ["a", {"href": "http://b.example"}, "one"]]
    ]
    for address in (
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "//b.example",
        "#x",
        "JaVaScRiPt:x",
    ):
        assert tree(f"[a]({address})") == [["p", None, f"[a]({address})"]]


def test_an_image_is_its_alternative_text_with_its_address() -> None:
    assert tree("![a *b*](https://c.example/d.png)") == [
        ["p", None, "a ", ["em", None, "b"], " (https://c.example/d.png)"]
    ]
    assert words(tree("![a](x.png)")).strip() == "![a](x.png)"


def test_html_is_text() -> None:
    text = "<script>alert(1)</script>"
    assert tree(text) == [["p", None, text]]
    assert tree("a <img src=x onerror=y> b") == [["p", None, "a <img src=x onerror=y> b"]]
    assert tree("&lt;b&gt;") == [["p", None, "<b>"]]


def test_what_cannot_be_seen_is_made_visible() -> None:
    assert tree("a\u202eb") == [["p", None, "a⟨U+202E⟩b"]]
    assert tree("a&#x202e;b") == [["p", None, "a⟨U+202E⟩b"]]
    assert tree("`a\u200bb`") == [["p", None, ["code", None, "a⟨U+200B⟩b"]]]


def test_what_markdown_would_hide_is_shown_as_it_was_written() -> None:
    assert tree("a\n\n[//]: <http://h> (hidden words)") == [
        ["p", None, "a"],
        ["pre", None, "[//]: <http://h> (hidden words)"],
    ]
    assert tree("a\n\n[unused]: http://b.example 'hidden'")[1] == ["pre", None, "[unused]: http://b.example 'hidden'"]
    assert words(tree("|a|\n|-|\n|1|hidden|")).split() == ["a", "1|hidden"], "a cell beyond the last column"


def test_what_is_too_long_is_said_to_be() -> None:
    made = tree("word " * 40_000)
    assert made[-1] == ["p", None, ["em", None, "… 100000 more characters"]]
    assert len(words(made[:-1]).strip()) >= MOST_CHARACTERS - 1


@pytest.mark.parametrize(
    "text",
    [
        "a" * 100_000,
        "[" * 100_000,
        "![" * 50_000,
        "[[](" * 25_000,
        "[a](" + "(" * 90_000,
        "*a_b " * 20_000,
        ">" * 100_000,
        "- " * 400 + "a",
        "1. " * 30_000,
        "> " * 50 + "a\n" + "b\n" * 2_000,
        "*a _b " * 2_000 + "c" + "_*" * 2_000,
        "\n".join("  " * level + "- a" for level in range(200)),
        "|" + "a|" * 5_000 + "\n|" + "-|" * 5_000 + "\n" + "|1|\n" * 2_000,
        "<![CDATA[" * 10_000,
        "`" * 50_000 + "a",
    ],
    ids=range(15),
)
def test_strange_texts_give_small_and_shallow_trees(text: str) -> None:
    made = tree(text)
    check(made)
    assert max(depth(node) for node in made) <= 24
    assert len(json.dumps(made)) < 6 * len(text) + 1_000
    for word in re.findall(r"[^\W_]+", text[:MOST_CHARACTERS]):
        assert word in words(made)
        break


@settings(modest, max_examples=300)
@given(st.lists(st.sampled_from([*"abÄ七.,:;!?#'\"()-+=1“”’ \n", "\n\n", "word ", "http://a.example"]), max_size=30))
def test_text_without_marks_is_parsed_as_markdown_would_be(parts: list[str]) -> None:
    text = "".join(parts)
    assert (quick := _paragraphs(text)) == [] or quick == _blocks(text, 40_000)


def test_most_of_what_is_said_is_made_quickly() -> None:
    assert _paragraphs('One "table" (in euros): it\'s fine.\nTwo lines.\n\nAnd #2, 3 - 4!') != []
    assert _paragraphs("- a") == _paragraphs("a `b`") == _paragraphs("a  \nb") == _paragraphs("a\n===") == []


BLOCKS = "``` \n \n\n > -\t 1.\t # | |-|-|\n ]: --- ==="
INLINE = "* ** _ ~~ ` [ ]( ) ![ < > http://a.example/ javascript: mailto: \\ &amp; &#x202e; ' \" <script> 🙂"
MARKS = st.sampled_from([*BLOCKS.split(" "), *INLINE.split(" "), *"\u202e\x00\ud800\t\r\n", "    "])
TEXTS = st.lists(st.one_of(MARKS, st.text(max_size=8), st.sampled_from(["word", "other", "Ärger", "七"])), max_size=40)


@settings(modest, max_examples=300)
@given(TEXTS.map("".join))
def test_any_text_gives_a_tree_of_allowed_nodes(text: str) -> None:
    made = tree(text)
    check(made)
    json.dumps(made, ensure_ascii=False).encode()
    assert all(visible(words([node])) == words([node]) for node in made)


@settings(modest, max_examples=300)
@given(st.lists(st.one_of(MARKS, st.just("word")), max_size=40))
def test_no_word_is_lost(parts: list[str]) -> None:
    """Words that are no part of an address, an escape or a mark stand in the tree as often as in the text."""
    numbered = [f" secret{place}x " if part == "word" else part for place, part in enumerate(parts)]
    made = tree("".join(numbered))
    seen = json.dumps(made)  # an address holds words too, for whoever points at the link
    for part in numbered:
        if part.startswith(" secret"):
            assert part.strip() in seen
