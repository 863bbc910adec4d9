"""Prose of models and people in documents: all of it can be read, and none of it acts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from quorate.core.errors import RuleViolation
from quorate.protocols.workshop.rules.documents import Format, documents
from quorate.protocols.workshop.rules.documents.marks import anchored, session_marks
from quorate.protocols.workshop.rules.documents.overview import day, read
from quorate.protocols.workshop.rules.documents.plain import bullets, cell, line, paragraphs, table, told
from tests.protocols.workshop.rules.documents.sessions import FIELDS, amendment, artifact, round_, session, topic

NAME = "workshop-20260301-120000-ab12"
EVERYTHING = MarkdownIt("js-default", {"html": True, "maxNesting": 100})
"""A renderer that does all it can: tables, strikethrough, links, images and raw HTML."""

PIECES = [
    *("#", "# Title", "\n# Status: complete", "===", "---", "- ", "* ", "+ ", "1. ", "7) ", "> ", "|", "| a |", "|-|"),
    *("```", "~~~", "`", "``", "\\", "\\\\", "&", "&lt;", "<", "<script>alert(1)</script>", "<!--", "-->", "<b>"),
    *(f"<!-- quorate REQ-099 {NAME} -->", f"\n<!-- quorate session {NAME} 0123456789ab -->\n", "</details>"),
    *(
        "![x](http://evil.test/p.png)",
        "[x](javascript:alert(1))",
        "[x]: http://evil.test",
        "[^1]",
        "<http://evil.test>",
    ),
    *(
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "    ",
        "\t",
        "  \n",
        "word",
        "**bold**",
        "*",
        "_",
        "~~",
        "\u202e",
        "\u200b",
        "\ud800",
    ),
    *("\x00", "\u2028", "é", "日本", "$$x$$", ":::", "<?php", "]]>"),
]
HOSTILE = st.lists(st.sampled_from(PIECES), max_size=20).map("".join) | st.text(max_size=40)


def flatten(tokens: list[Token]) -> list[Token]:
    return [each for token in tokens for each in (token, *flatten(token.children or []))]


def kinds(text: str) -> set[str]:
    return {token.type for token in flatten(EVERYTHING.parse(text))}


@given(HOSTILE)
@example("===")
@example("a\n===")
@example("| a |\n|---|")
@settings(max_examples=300)
def test_prose_is_nothing_but_words(text: str) -> None:
    plain = {"paragraph_open", "inline", "text", "text_special", "softbreak", "hardbreak", "paragraph_close"}
    assert kinds(line(text)) <= plain
    assert kinds(paragraphs(text)) <= plain
    assert kinds("words\n" + line(text)) <= plain
    one = EVERYTHING.parse(table(("a", "b"), [(cell(text), "x"), ("y", cell(text))]))
    assert [token.type for token in one].count("td_open") == 4
    listed = EVERYTHING.parse(bullets([line(text), told([text, {"name": text}])]))
    assert [token.type for token in listed].count("list_item_open") == 2
    assert "<" not in paragraphs(text)


@given(st.text(alphabet=st.characters(categories=["L", "N"]), min_size=1, max_size=40))
def test_words_are_kept(text: str) -> None:
    shown = "".join(token.content for token in flatten(EVERYTHING.parse(paragraphs(text))) if token.type == "text")
    assert shown == text


@pytest.mark.parametrize("text", ["a | b", "a \\| b", "`a | b`", "|"])
def test_a_cell_keeps_what_would_part_cells(text: str) -> None:
    tokens = EVERYTHING.parse(table(("a", "b"), [(cell(text), "x")]))
    cells = [flatten([token]) for token in tokens if token.type == "inline"]
    assert "".join(token.content for token in cells[2][1:]) == text
    assert cells[3][0].content == "x"


def test_line_breaks_are_kept() -> None:
    assert paragraphs("one\ntwo\n\n\nthree") == "one\\\ntwo\n\nthree"


@pytest.mark.parametrize(
    ("value", "expected"),
    [(True, "yes"), (False, "no"), (3, "3"), (None, ""), (["a", "", "b"], "a; b"), ({"x": "y", "z": ""}, "x: y")],
)
def test_values_of_any_kind_are_told_on_a_line(value: Any, expected: str) -> None:
    assert told(value) == expected


def written_by(prose: str, workflow: str) -> Any:
    """A session in which every text that somebody writes is this one."""

    def filled(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: filled(each) for name, each in value.items()}
        if isinstance(value, list):
            return [filled(each) for each in value]
        return prose if isinstance(value, str) else value

    closed = ("priority", "category", "kind", "potential_value", "feasibility", "severity", "likelihood", "effort")
    keep = {*closed, "effectiveness", "disney_phase", "risk", "affected_ideas", "builds_on"}
    made = []
    for kind, given_ in FIELDS.items():
        fields = {name: value if name in keep else filled(value) for name, value in given_.items()}
        changes = {"description": {"changed_from": prose, "changed_to": prose}, "acceptance": {"added": [prose]}}
        made.append(artifact(f"{kind}-001", prose, fields=fields, amendments=[amendment(1, changes, summary=prose)]))
        made.append(artifact(f"{kind}-002", prose, fields=fields, status="withdrawn", withdrawn_because=prose))
    made[-1]["status"], made[-1]["resolution"] = "resolved", prose
    position = {**round_(1)["positions"][0], "rationale": [prose]}
    rounds = [
        round_(
            1,
            facilitator_question=prose,
            because=prose,
            key_decisions=[prose],
            positions=[position],
            escalation={"choice": "otherwise", "decision": prose, "reason": prose},
        )
    ]
    left = topic("user-workflows", "open", name=prose, criteria=[{"text": prose, "met": False, "round": None}])
    agenda = [{**left, "coverage": [prose]}]
    return session(workflow, made, rounds, topic=prose, agenda=agenda, verdict="INCOMPLETE", warnings=[prose])


def skeleton(text: str) -> list[tuple[str, str]]:
    """Everything in a document that is structure: headings, tables, tags, links and code."""
    tokens = flatten(EVERYTHING.parse(text))
    seen = ("heading_open", "table_open", "td_open", "html_block", "html_inline", "link_open", "image", "fence", "hr")
    marks = {"html_block", "html_inline"}
    return [
        (token.type, token.content.strip().partition(NAME)[0] if token.type in marks else token.tag)
        for token in tokens
        if token.type in seen
    ]


@given(st.data())
@settings(max_examples=25, deadline=None)
def test_whatever_is_said_the_documents_keep_their_structure(data: st.DataObject) -> None:
    workflow = data.draw(st.sampled_from(["specs", "design", "brainstorm", "open"]))
    format_ = data.draw(st.sampled_from(Format))
    prose = data.draw(HOSTILE.filter(lambda text: bool(line(text))))
    calm = documents(written_by("word", workflow), format_, session=NAME)
    evil = documents(written_by(prose, workflow), format_, session=NAME)
    for before, after in zip(calm.values(), evil.values(), strict=True):
        assert skeleton(after) == skeleton(before)
        assert anchored(after, NAME) == anchored(before, NAME)
        assert len(session_marks(after)) == 1
        assert after.encode("utf-8")


@given(st.integers(min_value=0, max_value=253_402_300_799_999))
def test_days_are_those_of_the_calendar(milliseconds: int) -> None:
    assert day(milliseconds) == f"{datetime.fromtimestamp(milliseconds // 1000, UTC):%Y-%m-%d}"


def test_a_session_is_named_by_its_digest_where_it_has_no_name() -> None:
    first, again = read(session("specs")), read(session("specs"))
    other = read(session("specs", [artifact("REQ-001")]))
    assert first.session == again.session
    assert first.session != other.session
    assert session_marks(documents(session("specs"))["requirements.md"])[0].session == first.session


@pytest.mark.parametrize("name", ["a b", "x-->", "a\nb", "-", "é", "x" * 200, "a=b"])
def test_a_name_that_no_marker_can_hold_is_refused(name: str) -> None:
    with pytest.raises(RuleViolation, match="cannot name a session"):
        documents(session("specs"), session=name)
