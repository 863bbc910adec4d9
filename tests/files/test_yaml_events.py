"""libyaml and the parser in Python, which stands in where libyaml is missing, read the same, to the line."""

from __future__ import annotations

import sys
import textwrap

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some

from quorate.core.errors import InputError
from quorate.files.yaml import load, load_whole, located_from
from quorate.files.yaml_events import events

TICKET = """\
# A ticket as people write it
---
ticket_meta:
  ticket:
    id: TCK-00101   # the id
    title: "It's a \\"title\\": with \\\\ and\\ttabs"
    status: 'it''s'
  binds:
    requirements:
    - requirement_id: REQ-0001

      ref: a/b.yaml
    - requirement_id: REQ-0002
    -
      c: 3
    - - nested
    -
  empty:
  none: null
  numbers: [1, 2, 0x1f]
  below: -3
  words: [a, "b c", 'd e', 1.5]
  nothing: []
  nobody: {}
  goes on: no
details: 'Lines that a program has folded:

  - one

  - two and
    more

  '
steps:
- Read the requirement and this scope; confirm that nothing is done beyond the list
  of what is out of it.
- "pub {\\n    ledger: Arc<Ledger>,\\n\\
  \\    policy: Arc,\\n}"
literal: |
  first

    indented
  # no comment
strip: |-
  x
keep: |+
  y

folded: >
  one
  two

  three
# the end
last: 2026-01-01
"""

PIECES = [
    "a",
    "key",
    "- ",
    "-",
    "  ",
    " ",
    "\n",
    "\n  ",
    "\n    ",
    "\n- ",
    "\n  - ",
    ": ",
    ":",
    "a: ",
    "b: ",
    "\n   b: ",
    "k: |\n",
    "k: >\n",
    "|",
    "|-",
    "|+",
    ">-",
    "'",
    "''",
    '"',
    "\\",
    "\\n",
    '\\"',
    "\\\n",
    "\\ ",
    "\\x41",
    "\\0",
    " #",
    "# c\n",
    "[",
    "]",
    ", ",
    "[]",
    "{}",
    "[a, b]",
    "{",
    "}",
    "1",
    "-1",
    "1.5",
    "0x1",
    "true",
    "null",
    "~",
    "x y",
    "c:d",
    "---",
    "...",
    "%",
    "&a ",
    "*a",
    "!t ",
    "? ",
    "é",
    "@",
    "`",
    "\n\n",
    "\n \n",
    "(x)",
    "/p",
    "- - ",
    "- a: ",
    "1:30",
    "2026-01-01",
    "<<: ",
    "a:\n",
    "\n   x",
    "$",
    "=",
    "--- ",
    "\n---\n",
    "'x'",
    "\t",
    "\r\n",
    "\u2028",
]
LINES = TICKET.split("\n")


def agree(text: str) -> bool:
    """Check that both parsers agree, where the one in Python, which is stricter, reads at all; returns whether."""
    try:
        slow = located_from(events(text, "f", in_python=True), "f")
    except InputError:
        return False
    try:
        fast = load_whole(text, "f")
    except InputError as error:
        pytest.fail(f"{text!r} was read, but: {error}")
    assert fast.plain() == slow.plain(), text
    if slow.value is not None:
        assert fast == slow, text
    return True


@some.composite
def cuts(draw: some.DrawFn) -> str:
    """Draw some lines of a ticket, and put pieces into them."""
    begin = draw(some.integers(0, len(LINES) - 1))
    text = "\n".join(LINES[begin : begin + draw(some.integers(1, 16))])
    if draw(some.booleans()):
        text = textwrap.dedent(text)
    for _ in range(draw(some.integers(0, 3))):
        at = draw(some.integers(0, len(text)))
        gone = draw(some.integers(0, 3))
        text = text[:at] + draw(some.sampled_from(PIECES)) + text[at + gone :]
    return text + draw(some.sampled_from(["", "\n"]))


def test_a_ticket_as_people_write_it() -> None:
    assert agree(TICKET)
    ticket = load(TICKET, "f").mapping()
    assert ticket["ticket_meta"].plain() == {
        "ticket": {"id": "TCK-00101", "title": 'It\'s a "title": with \\ and\ttabs', "status": "it's"},
        "binds": {
            "requirements": [
                {"requirement_id": "REQ-0001", "ref": "a/b.yaml"},
                {"requirement_id": "REQ-0002"},
                {"c": 3},
                ["nested"],
                None,
            ]
        },
        "empty": None,
        "none": None,
        "numbers": [1, 2, 31],
        "below": -3,
        "words": ["a", "b c", "d e", 1.5],
        "nothing": [],
        "nobody": {},
        "goes on": "no",
    }
    assert {name: value.value for name, value in ticket.items() if name not in ("ticket_meta", "steps")} == {
        "details": "Lines that a program has folded:\n- one\n- two and more\n",
        "literal": "first\n\n  indented\n# no comment\n",
        "strip": "x",
        "keep": "y\n\n",
        "folded": "one two\nthree\n",
        "last": "2026-01-01",
    }
    assert ticket["steps"].plain()[1] == "pub {\n    ledger: Arc<Ledger>,\n    policy: Arc,\n}"
    lines = {line.partition(":")[0]: number for number, line in enumerate(LINES, 1) if line[:1].isalpha()}
    assert {name: value.line for name, value in ticket.items()} == lines


@settings(max_examples=600, deadline=None)
@given(cuts())
@example("notes: |\n  \n    more than the first\n")
@example("k: >\n \n   x")
def test_pieces_of_a_ticket_are_read_alike(text: str) -> None:
    agree(text)


@settings(max_examples=600, deadline=None)
@given(some.lists(some.sampled_from(PIECES), max_size=12).map("".join))
def test_any_text_is_read_alike(text: str) -> None:
    agree(text)


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nb:\n  - c\n  - d: e\n    f: g\n",
        "- 1\n- two\n-\n- x: y\n",
        "a:\n- b\n- c\nd: e\n",
        "a: |\n  x\n\n\nb: >-\n  y\n  z\n",
        "a: x\n  y\n  z\nb: 1",
        "a: 'x\n\n  y'\n",
        "a: # comment\n  b: 1\n",
        "---\na: 1\n",
        "a: &x 1\nb: *x\n",
        "a: {b: 1}\n",
        "%YAML 1.2\n---\na: yes\n",
        "? a\n: b\n",
        "a: [1,\n  2]\n",
        "a: |2\n   x\n",
        'a: "\\u0041"\n',
        "a: x\x85y\u2028z\n",
        'a: "\\ud83d\\ude00"\n',
    ],
)
def test_what_people_write_is_read_by_both(text: str) -> None:
    assert agree(text)


def test_the_parser_in_python_stands_in_where_libyaml_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a:\n  - b: 'x'\n    c: |\n      y\n"
    monkeypatch.setitem(sys.modules, "yaml._yaml", None)
    inner = load_whole(text, "f").mapping()["a"].items()[0].mapping()["c"]
    assert (inner.line, inner.key, inner.value) == (3, "a[0].c", "y\n")


@pytest.mark.parametrize("char", ["\x85", "\u2028", "\u2029"])
def test_what_is_no_end_of_a_line_in_yaml_1_2_is_part_of_a_text(char: str) -> None:
    text = f'a: x{char}y  # c{char}c\nb: |\n  z{char}z \ue000\nc: "\\ue001{char}"\nd: 1\n'
    root = load(text, "f")
    assert root.plain() == {"a": f"x{char}y", "b": f"z{char}z \ue000\n", "c": f"\ue001{char}", "d": 1}
    assert root.mapping()["d"].line == 5
    assert load(f'["x{char}y"]', "f.json").plain() == [f"x{char}y"]


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("title: Fix: the queue\n", 1, "the text in quotes"),
        ("- a: 1\n- note: see: below\n", 2, "the text in quotes"),
        ("a: some words\n  b: 2\n", 2, "the text in quotes, or this line indented as the names beside it"),
    ],
)
def test_a_colon_in_a_text_without_quotes_says_what_to_do(text: str, line: int, expected: str) -> None:
    for slow in (False, True):
        with pytest.raises(InputError, match="a text without quotes has a colon and a space in it") as caught:
            located_from(events(text, "f", in_python=slow), "f")
        assert (caught.value.line, caught.value.expected) == (line, expected)


def test_another_version_of_yaml_is_refused() -> None:
    with pytest.raises(InputError, match=r"is YAML 1\.1, in which other words are numbers") as caught:
        load("%YAML 1.1\n---\na: yes\n", "f")
    assert caught.value.expected == "YAML 1.2"
