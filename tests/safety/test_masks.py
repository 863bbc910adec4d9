"""Masks: every known secret goes from every text, whole, and comes back exactly."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate.core.errors import InputError
from quorate.safety.masks import SHORT, Masks
from quorate.safety.secrets import secrets_in
from tests.support.changes import change_of
from tests.support.drawn_secrets import BASE64, drawn, pem


@dataclass(frozen=True)
class Known:
    value: str


def masks(*values: str) -> Masks:
    return Masks.of(Known(value) for value in values)


def test_secrets_are_numbered_in_order_and_the_same_one_has_one_number() -> None:
    one, two = drawn(20, seed=1), drawn(20, seed=2)
    known = masks(one, two, one)
    assert len(known) == 2
    assert known.mask(f"{two} {one}{one}") == "[masked secret 2] [masked secret 1][masked secret 1]"
    assert one not in repr(known)


def test_the_longest_goes_first() -> None:
    short = drawn(16)
    long = short + drawn(20, seed=3)
    known = masks(short, long)
    assert known.mask(f"{long} {short}") == "[masked secret 2] [masked secret 1]"


def test_known_secrets_keep_their_numbers_when_more_come() -> None:
    one, two, three = (drawn(20, seed=seed) for seed in (1, 2, 3))
    known = masks(one, two).extended([Known(three), Known(one)])
    assert known.mask(f"{three} {two} {one}") == "[masked secret 3] [masked secret 2] [masked secret 1]"


def test_a_short_value_is_masked_where_it_is_a_value_and_not_within_words() -> None:
    known = masks("rosebud")
    for text in ("password = 'rosebud'", "PASS=rosebud", "pass: rosebud # here", "http://u:rosebud@host"):
        assert known.mask(text) == text.replace("rosebud", "[masked secret 1]")
    for text in ("= rosebuds", "'a_rosebud'", "my rosebud"):
        assert known.mask(text) == text


def test_text_that_reads_like_a_mask_is_told_apart() -> None:
    value = drawn(24)
    known = masks(value)
    for text in (
        "[masked secret 1]",
        f"[{value}] [masked secret 3] [masked text] [[masked",
        f"[masked {value} [masked secret {value}]",
        f"[masked{value}",
    ):
        told = known.mask(text)
        assert value not in told
        assert known.unmask(told) == text
    assert known.mask("[masked secret 1]") != known.mask(value)


def test_a_mask_that_was_never_given_is_refused() -> None:
    known = masks(drawn(24), "a" * 20 + "\n" + "b" * 20)
    for text in (
        "[masked secret 3]",
        "[masked secret 0]",
        "[masked secret 1.1]",
        "[masked secret 2]",
        "[masked secret 2.3]",
    ):
        with pytest.raises(InputError, match="there is no"):
            known.unmask(text)


def test_a_private_key_is_masked_line_by_line_in_a_diff_and_comes_back() -> None:
    key = pem()
    change = change_of({"a.py": "x\n"}, {"a.py": f"x\nKEY = '''\n{key}\n'''\n"})
    known = Masks.of(secrets_in(change))
    told = known.mask(change.files[0].patch)
    body = key.split("\n")[1:-1]
    assert not any(line in told for line in body)
    assert len(told.split("\n")) == len(change.files[0].patch.split("\n"))
    assert "+[masked secret 1.7]\n" in told
    assert known.unmask(told) == change.files[0].patch
    assert not any(line in known.mask(f"only {line}") for line in body if len(line) >= SHORT)


def test_a_key_in_lines_too_short_to_be_known_alone_is_masked_as_a_whole() -> None:
    lines = [drawn(6, BASE64, seed) for seed in range(30)]
    known = masks("\n".join(lines))
    text = "-----BEGIN PRIVATE KEY-----\n" + "\n".join(lines)
    told = known.mask("+" + text.replace("\n", "\n+"))
    assert told.count("[masked secret 1.") == 30
    assert not any(f"+{line}" in told for line in lines)


def test_a_quotation_that_was_cut_within_a_secret_is_masked_too() -> None:
    value = drawn(40)
    known = masks(value)
    for cut in (f"key = '{value[:25]}", f"key = '{value[:12]}…", f"key = '{value[:30]}..."):
        assert value[:8] not in known.mask_quoted(cut)
    assert known.mask_quoted(f"'{value}' and more") == "'[masked secret 1]' and more"


SECRET = st.text(alphabet="abAB01+/_-.", min_size=4, max_size=30)
PIECE = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["[masked", "[masked secret 1]", "[masked text]", "]", "[", "'", "=", ": ", "\n", "\n+", " secret 2]"]
    ),
)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_masking_and_unmasking_gives_back_any_text(data: st.DataObject) -> None:
    values = data.draw(st.lists(SECRET, max_size=6))
    blocks = ["\n".join(lines) for lines in data.draw(st.lists(st.lists(SECRET, min_size=2, max_size=4), max_size=2))]
    known = masks(*values, *blocks)
    parts = data.draw(st.lists(st.one_of(PIECE, st.sampled_from([*values, *blocks, ""])), max_size=15))
    text = "".join(parts)
    told = known.mask(text)
    assert known.unmask(told) == text
    assert not any(value in told for value in values if len(value) >= SHORT and value not in "[masked secret 123.456]")


def test_many_secrets_in_a_large_text_are_all_masked() -> None:
    values = [drawn(30, seed=seed) for seed in range(5_000)]
    text = "\n".join(f"+key = '{value}' and a line that goes on for a while as code does" for value in values * 4)
    told = masks(*values).mask(text)
    assert told.count("[masked secret ") == 20_000
    assert not any(value in told for value in values[::250])
