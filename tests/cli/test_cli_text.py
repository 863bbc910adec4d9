"""Text from models, people and files cannot steer a terminal."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.cli.text import count, dump, money, one_line, safe, seconds


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[2J\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;new title\x07text", "text"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;c2VjcmV0\x07pasted", "pasted"),
        ("\x1bP1;2q payload \x1b\\after", "after"),
        ("\x9b31mC1\x9b0m", "C1"),
        ("\x1b(0lines", "lines"),
        ("\x1bcreset", "reset"),
        ("\x1b]unclosed title", "]unclosed title"),
        ("a\rb", "a\nb"),
        ("a\r\nb", "a\nb"),
        ("bell\x07 back\x08 del\x7f", "bell back del"),
        ("ab\u202ecd\u2066ef\u2069", "abcdef"),
        ("tag\U000e0041\U000e0042", "tag"),
        ("half \ud83d pair", "half \N{REPLACEMENT CHARACTER} pair"),
        ("line\u2028break\u0085again", "line\nbreak\nagain"),
        ("tab\tand\nline stay", "tab\tand\nline stay"),
        ("Grüße, 世界, 👩\u200d💻", "Grüße, 世界, 👩\u200d💻"),
        ("[bold]markup[/bold] is text", "[bold]markup[/bold] is text"),
    ],
)
def test_what_is_shown_of_hostile_text(hostile: str, shown: str) -> None:
    assert safe(hostile) == shown


_NASTY = st.text(st.sampled_from("\x1b\x9b\x9d[]()P^_\\;m0J\x07\r\n\t a\u202e\ud800\x00\x85\U000e0041"), max_size=40)


@given(st.one_of(st.text(), _NASTY))
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    shown = safe(text)
    assert not [c for c in shown if (ord(c) < 32 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0]
    assert not set(shown) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert shown.encode().decode() == shown  # halves of surrogate pairs could not be written
    assert safe(shown) == shown


@given(st.one_of(st.text(), _NASTY))
def test_json_reads_back_exactly_and_is_safe(text: str) -> None:
    written = dump({"text": text})
    assert json.loads(written) == {"text": text}
    assert safe(written) == written


def test_one_line_is_cut_with_an_ellipsis() -> None:
    assert one_line("one\n two\tthree") == "one two three"
    assert one_line("one two three", 8) == "one two…"


def test_figures_are_written_for_people() -> None:
    assert (count(1, "ask"), count(1204, "token"), count(2, "reply", "replies")) == (
        "1 ask",
        "1,204 tokens",
        "2 replies",
    )
    assert (seconds(4.21), seconds(65), seconds(3725)) == ("4.2 s", "1:05", "1:02:05")
    assert (money(None), money(0), money(125), money(1_500_000)) == ("cost unknown", "$0.00", "$0.0001", "$1.50")
