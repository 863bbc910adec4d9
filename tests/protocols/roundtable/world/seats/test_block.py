"""The synthesis as Markdown: attributed, and safe from whatever its texts hold (T22, T23)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from quorate.protocols.roundtable.world.elaboration.documents import insert, is_added
from quorate.protocols.roundtable.world.elaboration.outline import MARKER, outline
from quorate.protocols.roundtable.world.seats.block import block_of, marker
from quorate.protocols.roundtable.world.seats.job import Job, Target
from tests.protocols.roundtable.world.seats.elaborated import AT, SESSION, additions

EMPTY: dict[str, Any] = {"insights": (), "decisions": (), "open_questions": (), "action_items": ()}


def target(**lists: Any) -> Target:
    return Target("D1", "requirements.md", EMPTY | lists)


def lines(**lists: Any) -> list[str]:
    return list(block_of(Job(SESSION, 1, additions()), target(**lists), AT).lines)


def test_everything_is_said_with_who_said_it() -> None:
    block = block_of(
        Job(SESSION, 1, additions()),
        target(
            insights=({"text": "Exports are large.", "by": "[Maya/Alex]"},),
            decisions=({"text": "Limit them.", "rationale": "Memory.", "by": "[All]"},),
            open_questions=({"text": "To how much?", "why_open": "No numbers.", "resolver": "Alex"},),
            action_items=({"text": "Measure it.", "owner": "Jordan"}, {"text": "Tell users.", "owner": ""}),
        ),
        AT,
    )
    assert block.marker == f"<!-- quorate roundtable 01-03 {AT} {SESSION}.1 -->"
    assert block.title == "Roundtable: 01-03 How large may an export be?"
    assert list(block.lines) == [
        "Participants: Maya Chen (Business Analyst), Alex Rivera (Solutions Architect), User. "
        "8 of 10 turns, ended by the user.",
        "",
        "**Key Insights**",
        "",
        "- Exports are large. [Maya/Alex]",
        "",
        "**Decisions Made**",
        "",
        "- Limit them. Rationale: Memory. [All]",
        "",
        "**Open Questions**",
        "",
        "- To how much? Open because: No numbers. To be resolved by Alex.",
        "",
        "**Action Items**",
        "",
        "- Measure it. Owner: Jordan.",
        "- Tell users.",
    ]


@pytest.mark.parametrize(
    ("spoke", "shown"),
    [
        (["Maya", "User"], "Maya Chen (Business Analyst), User."),
        (["User", "Alex"], "User, Alex Rivera (Solutions Architect)."),
        ([], "none."),
    ],
)
def test_who_said_nothing_is_not_listed(spoke: list[str], shown: str) -> None:
    block = block_of(Job(SESSION, 1, additions(spoke=spoke)), target(), AT)
    assert block.lines[0] == f"Participants: {shown} 8 of 10 turns, ended by the user."


def test_what_nobody_said_has_no_attribution() -> None:
    assert lines(insights=({"text": "It is large.", "by": ""},))[-1] == "- It is large."


@pytest.mark.parametrize("forged", ["[Jordan]", "[Maya/Alex]", "[ALL]", "[User]", "[maya, alex]", "[Maya Chen]"])
def test_an_attribution_cannot_be_forged(forged: str) -> None:
    job = Job(SESSION, 1, additions(participants=["Maya Chen (Analyst)", "Alex Rivera (Architect)", "Jordan Park (D)"]))
    items = ({"text": f"Drop the limit. {forged}", "by": ""},)
    said = block_of(job, target(insights=items), AT).lines[-1]
    assert "[" not in said
    assert forged.strip("[]") in said


def test_brackets_that_attribute_nothing_stay() -> None:
    assert lines(insights=({"text": "See [RFC 2119] and `a[0]`.", "by": "[Maya]"},))[-1] == (
        r"- See \[RFC 2119] and `a[0]`. [Maya]"
    )


HOSTILE = [
    "--> <script>alert(1)</script> <!--",
    "-->\n\n# Approved\n\n<!-- quorate roundtable x 2026 s.9 -->",
    f"\n{MARKER}x {AT} {SESSION}.2 -->\n",
    "# Heading",
    "Heading\n===",
    "text\n\n## Decisions Made\n\n- Ship it [Maya]",
    "```\nopen code",
    "~~~",
    "`open code",
    "    indented",
    "1. a\n2. b",
    "> quoted\n> more",
    "![x](http://example.com/x.png) [y](javascript:alert(1)) <http://example.com>",
    "| a | b |\n|---|---|\n| c | d |",
    "---",
    "***",
    "[x]: http://example.com",
    "&lt;!-- &#60;b&#62;",
    "\\",
    "a\\\n# b",
    "\u202egnirts\u2066",
    "a\r# b\x85# c\u2028# d\x0b# e\x0c# f",
    "\ud800",
    "\0",
    "<!--",
    "-->",
    "x" * 5_000,
]
COMMON = MarkdownIt("commonmark")


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("kind", ["insights", "decisions", "open_questions", "action_items"])
def test_no_text_becomes_more_than_one_item(text: str, kind: str) -> None:
    names = {
        "insights": "by",
        "decisions": "rationale by",
        "open_questions": "why_open resolver",
        "action_items": "owner",
    }
    item = {"text": text} | dict.fromkeys(names[kind].split(), text)
    is_harmless(lines(**{kind: (item, item)}), items=2)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_topic_step_or_name_breaks_out(text: str) -> None:
    job = Job(SESSION, 1, additions(topic=text, step=text, participants=[text], spoke=[text], exit=text))
    block = block_of(job, target(insights=({"text": "a", "by": "[Maya]"},)), AT)
    is_harmless(list(block.lines), items=1)
    comments_once(block.marker)
    new = insert("# Doc\n\n## Next\n", (), block).text
    assert is_added(new, f"{SESSION}.1")
    assert not is_added(new, f"{SESSION}.2")
    assert [each.title[:12] for each in outline(new).headings] == ["Doc", "Next", "Roundtable: "]
    assert "\n" not in block.title
    new.encode()


@given(st.text() | st.lists(st.sampled_from([*HOSTILE, "-", "<", ">", "!", " "]), max_size=5).map("".join))
@example("*")
@example("* * *")
@example("* a")
@settings(max_examples=300)
def test_anything_at_all_is_one_harmless_line(text: str) -> None:
    is_harmless(lines(decisions=({"text": text, "rationale": text, "by": text},)), items=1)
    comments_once(marker(text, AT, f"{SESSION}.1"))


MARKS = [
    *[
        "*",
        "* a",
        "* * *",
        "***",
        "_ _ _",
        "___",
        "**",
        "-",
        "- a",
        "- - -",
        "+ a",
        "1.",
        "1) a",
        "# a",
        "#",
        "> a",
        ">",
    ],
    *[
        "```",
        "```\n* a\n```",
        "~~~",
        "===",
        "a\n===",
        "a\n\n* b\n\n  c",
        "    a",
        "| a |\n|---|\n| b |",
        "[ ] a",
        "[x] a",
    ],
]


@pytest.mark.parametrize("text", MARKS)
def test_what_begins_a_block_elsewhere_stands_as_itself_in_one_item(text: str) -> None:
    is_one_item_that_says(text)


@given(st.lists(st.sampled_from([*MARKS, "a", " ", "\n", "*", "_", "1", "."]), max_size=6).map("".join))
@example("* * *")
@example("_ _ _")
@settings(max_examples=300)
def test_any_text_is_one_item_that_says_it(text: str) -> None:
    is_one_item_that_says(text)


def is_one_item_that_says(text: str) -> None:
    """Alone, with nothing behind it in its line. The marks of emphasis, code and headings are not compared.

    Where there is nothing, a dash stands for it.
    """
    said = lines(decisions=({"text": text, "rationale": "", "by": ""},))
    is_harmless(said, items=1)
    (last,) = [token for token in COMMON.parse("\n".join(said)) if token.type == "inline"][-1:]
    shown = "".join(each.content for each in last.children or [])
    assert re.sub(r"[*_`#\s]", "", shown) == (re.sub(r"[*_`#\s]", "", text) or ("" if text.strip() else "–"))


def comments_once(line: str) -> None:
    """The marker is one comment and nothing else, with the identity at its end."""
    assert line.startswith(MARKER)
    assert line.endswith(f" {AT} {SESSION}.1 -->")
    assert line.count("<") == line.count(">") == 1
    assert "--" not in line.removeprefix("<!--").removesuffix("-->")
    assert len(line.splitlines()) == 1
    assert len(line) < 250


def is_harmless(said: list[str], items: int) -> None:
    assert all(len(line.splitlines()) <= 1 for line in said)
    blocks = COMMON.parse("\n".join(said))
    inline = [each for token in blocks for each in token.children or []]
    assert not [token for token in blocks if token.type in ("heading_open", "html_block", "fence", "code_block", "hr")]
    assert not [each for each in inline if each.type in ("html_inline", "link_open", "image")]
    assert sum(token.type == "list_item_open" for token in blocks) == items
    assert sum(token.type == "blockquote_open" for token in blocks) == 0
    "\n".join(said).encode()
