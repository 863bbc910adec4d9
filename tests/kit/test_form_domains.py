"""The domain of a form from its shape: all of it where it is finite, and honest where it is not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any

import pytest

from quorate.core.errors import DefinitionError
from quorate.core.forms import AtMost, Between, Key, Keyed, Prose, Reply, is_blank, mark
from quorate.core.types import Question, Seat
from quorate.kit.form_domains import MOST, every


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Plain(Reply):
    why: Annotated[Prose, "why"]
    colour: Annotated[Colour, "which"]
    sure: Annotated[bool, "whether"]
    stars: Annotated[int, Between(1, 5), "how many"]


@dataclass(frozen=True, slots=True)
class Marked(Reply):
    why: Annotated[Prose, "why"]
    blank: bool = mark(lambda form: is_blank(form.why))


@dataclass(frozen=True, slots=True)
class Part:
    key: Annotated[Key, "which"]
    colour: Annotated[Colour, "which"]


@dataclass(frozen=True, slots=True)
class Loose(Reply):
    parts: Annotated[tuple[Part, ...], AtMost(5), "each"]
    percent: Annotated[int, Between(0, 100), "how much"]


@dataclass(frozen=True, slots=True)
class ByKey(Reply):
    colours: Annotated[Keyed[Colour], "of each"]


@dataclass(frozen=True, slots=True)
class Enormous(Reply):
    a: Annotated[int, Between(1, 10), "a"]
    b: Annotated[int, Between(1, 10), "b"]
    c: Annotated[int, Between(1, 10), "c"]


def replies(form: type[Reply], *keys: str) -> tuple[Any, ...]:
    return every(form).values(Question(Seat("a"), "b", form, tuple(map(Key, keys))))


def test_what_is_finite_is_walked_whole() -> None:
    found = replies(Plain)
    assert len(found) == len(set(found)) == 2 * 2 * 5
    assert {each.stars for each in found} == {1, 2, 3, 4, 5}
    assert every(Plain).exact
    assert "prose" in every(Plain).why


def test_a_mark_is_walked_over_its_own_values() -> None:
    """What the border would compute from one text is one value; a rule may meet both."""
    assert {each.blank for each in replies(Marked)} == {True, False}


def test_what_has_no_end_is_walked_at_its_ends_and_says_so() -> None:
    found = replies(Loose, "k1", "k2")
    assert {each.percent for each in found} == {0, 50, 100}
    assert {len(each.parts) for each in found} == {0, 1, 2}
    assert all(len({part.key for part in each.parts}) == len(each.parts) for each in found), "a key is answered once"
    domain = every(Loose)
    assert not domain.exact
    assert "numbers at both ends" in domain.why
    assert "lists of none, of one and of two" in domain.why


def test_answers_by_key_are_none_or_for_all() -> None:
    found = replies(ByKey, "k1", "k2")
    assert [dict(each.colours) for each in found] == [
        {},
        {"k1": Colour.RED, "k2": Colour.RED},
        {"k1": Colour.BLUE, "k2": Colour.BLUE},
    ]
    assert [dict(each.colours) for each in replies(ByKey)] == [{}]
    assert not every(ByKey).exact


def test_a_form_that_is_too_large_needs_a_domain_of_its_own() -> None:
    with pytest.raises(DefinitionError, match=f"Enormous has more than {MOST} replies; give it a Domain"):
        replies(Enormous)
