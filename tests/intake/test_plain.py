"""The quick reader of plain YAML reads what the whole reader reads, to the line, or declines."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some

from quorate.core.errors import InputError
from quorate.files.located_values import Located
from quorate.files.plain import read_plain
from quorate.files.yaml import MOST_VALUES, load, load_whole, plain_scalar

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


def plain(text: str) -> Located | None:
    return read_plain(text, "f", plain_scalar, MOST_VALUES)


def agree(text: str) -> bool:
    """Check that both readers agree, where the quick one reads at all; returns whether it does."""
    quick = plain(text)
    if quick is None:
        return False
    try:
        whole = load_whole(text, "f")
    except InputError as error:
        pytest.fail(f"{text!r} was read, but: {error}")
    assert quick == whole, text
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


def test_a_ticket_is_plain_and_read_alike() -> None:
    assert not agree(TICKET), "a name with a space in it is not plain"
    assert agree(TICKET.replace("goes on: no", "goes_on: no"))


@settings(max_examples=600, deadline=None)
@given(cuts())
@example("notes: |\n  \n    more than the first\n")
@example("k: >\n \n   x")
def test_pieces_of_a_ticket_are_read_alike_or_declined(text: str) -> None:
    agree(text)


@settings(max_examples=600, deadline=None)
@given(some.lists(some.sampled_from(PIECES), max_size=12).map("".join))
def test_any_text_is_read_alike_or_declined(text: str) -> None:
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
    ],
)
def test_what_people_write_is_plain(text: str) -> None:
    assert agree(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "words\n",
        "a: &x 1\nb: *x\n",
        "a: !!str 1\n",
        "a: {b: 1}\n",
        "a: 1\na: 2\n",
        "a:\tb\n",
        "a: 1\n b: 2\n",
        "a: 1\n---\nb: 2\n",
        "%YAML 1.1\n---\na: yes\n",
        "? a\n: b\n",
        "<<: {a: 1}\n",
        "a: \x85\n",
        'a: "\\u0041"\n',
        "a: [1,\n  2]\n",
        "a: |2\n   x\n",
        "a: 'open\n",
        "a: " + "9" * 5000,
        "a:\n" + "".join("  " * depth + "a:\n" for depth in range(1, 60)),
    ],
)
def test_what_is_rare_or_wrong_is_declined(text: str) -> None:
    assert plain(text) is None


def test_the_limit_of_values_holds() -> None:
    assert read_plain("- a\n" * 20, "f", plain_scalar, 21) is not None
    assert read_plain("- a\n" * 20, "f", plain_scalar, 20) is None


def test_both_ways_lead_to_the_same_place() -> None:
    text = "a:\n  - b: 'x'\n    c: |\n      y\n"
    assert load(text, "f") == load_whole(text, "f")
    inner = load(text, "f").mapping()["a"].items()[0].mapping()["c"]
    assert (inner.line, inner.key, inner.value) == (3, "a[0].c", "y\n")
