"""Settings are read strictly: what is unknown, of the wrong kind or out of bounds is an error with a place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from quorate.core.errors import DefinitionError, SettingError
from quorate.core.forms import AtMost, Between
from quorate.kit.settings import Later, describe, expectation, in_full, plain, read_settings, schema
from tests.support.examples import modest


class Colour(Enum):
    RED = "red"
    GREEN = "green"


@dataclass(frozen=True, slots=True)
class Deep:
    limit: Annotated[int | None, Between(1, 5), "a limit, if any"] = None


@dataclass(frozen=True, slots=True)
class Inner:
    colour: Annotated[Colour, "which colour"] = Colour.RED
    deep: Deep = field(default_factory=Deep)


@dataclass(frozen=True, slots=True)
class Outer:
    count: Annotated[int, Between(1, 10), "how many"] = 3
    free: int = 0
    loud: Annotated[bool, "whether it is loud"] = False
    title: Annotated[str, "a title"] = "none"
    names: Annotated[tuple[str, ...], AtMost(2), "who"] = ("a",)
    inner: Inner = field(default_factory=Inner)


def error(values: Mapping[str, Any]) -> SettingError:
    with pytest.raises(SettingError) as caught:
        read_settings(Outer, values)
    return caught.value


# What is read


def test_nothing_given_is_every_default() -> None:
    assert read_settings(Outer, {}) == Outer()


def test_every_kind_is_read_nested_ones_too() -> None:
    values = {
        "count": 10,
        "free": -7,
        "loud": True,
        "title": "x",
        "names": ["b", "c"],
        "inner": {"colour": "green", "deep": {"limit": 5}},
    }
    made = read_settings(Outer, values)
    assert made == Outer(10, -7, True, "x", ("b", "c"), Inner(Colour.GREEN, Deep(5)))
    assert plain(made) == values


def test_null_is_no_limit_where_that_is_allowed() -> None:
    assert read_settings(Outer, {"inner": {"deep": {"limit": None}}}).inner.deep.limit is None


# What is refused


@pytest.mark.parametrize(
    ("values", "key", "near"),
    [
        ({"cuont": 1}, "cuont", "count"),
        ({"zzz": 1}, "zzz", None),
        ({"inner": {"color": "red"}}, "inner.color", "colour"),
        ({"inner": {"deep": {"limits": 1}}}, "inner.deep.limits", "limit"),
        ({3: 1}, "3", None),
    ],
)
def test_an_unknown_key_is_an_error_with_the_nearest(values: dict[str, Any], key: str, near: str | None) -> None:
    found = error(values)
    assert (found.key, found.nearest) == (key, near)
    assert "unknown setting" in str(found)
    assert found.expected is not None
    assert found.expected.startswith("one of ")


@pytest.mark.parametrize(
    ("values", "key", "expected"),
    [
        ({"count": 0}, "count", "a whole number from 1 to 10"),
        ({"count": 11}, "count", "a whole number from 1 to 10"),
        ({"count": "3"}, "count", "a whole number from 1 to 10"),
        ({"count": 3.0}, "count", "a whole number from 1 to 10"),
        ({"count": True}, "count", "a whole number from 1 to 10"),
        ({"count": None}, "count", "a whole number from 1 to 10"),
        ({"free": "x"}, "free", "a whole number"),
        ({"loud": 1}, "loud", "true or false"),
        ({"loud": "yes"}, "loud", "true or false"),
        ({"title": 5}, "title", "a text such as none"),
        ({"names": "a"}, "names", "a list of names, at most 2"),
        ({"names": ["a", 1]}, "names", "a list of names, at most 2"),
        ({"names": ["a", "b", "c"]}, "names", "a list of names, at most 2"),
        ({"inner": 5}, "inner", "a mapping with colour, deep"),
        ({"inner": {"colour": "blue"}}, "inner.colour", "one of red, green"),
        ({"inner": {"colour": ["red"]}}, "inner.colour", "one of red, green"),
        ({"inner": {"deep": {"limit": 6}}}, "inner.deep.limit", "a whole number from 1 to 5, or null"),
    ],
)
def test_a_wrong_value_says_where_it_stands_and_what_is_right(values: dict[str, Any], key: str, expected: str) -> None:
    found = error(values)
    assert (found.key, found.expected) == (key, expected)


def test_a_misspelt_choice_gets_the_nearest() -> None:
    assert error({"inner": {"colour": "grene"}}).nearest == "green"


def test_the_sentence_holds_all_of_it() -> None:
    assert str(error({"inner": {"colour": "grene"}})) == (
        "inner.colour: is 'grene'; expected one of red, green; did you mean 'green'?"
    )


# Documentation and editors


def test_describe_lists_every_setting_by_its_dotted_key() -> None:
    listed = {setting.key: setting for setting in describe(Outer)}
    assert list(listed) == ["count", "free", "loud", "title", "names", "inner.colour", "inner.deep.limit"]
    assert (listed["count"].default, listed["count"].says, listed["count"].bounds) == (3, "how many", Between(1, 10))
    assert listed["names"].most == 2
    assert all(expectation(setting) for setting in listed.values())


def test_a_setting_without_a_default_is_the_authors_mistake() -> None:
    @dataclass(frozen=True)
    class Bare:
        count: Annotated[int, Between(1, 2)]

    with pytest.raises(DefinitionError, match="setting count has no default"):
        describe(Bare)


def test_a_kind_that_settings_do_not_have_is_the_authors_mistake() -> None:
    @dataclass(frozen=True)
    class Odd:
        share: float = 0.5

    with pytest.raises(DefinitionError, match="not a type that settings support"):
        read_settings(Odd, {"share": 0.7})


def test_the_schema_is_a_schema_and_its_defaults_are_the_settings() -> None:
    made = schema(Outer)
    Draft202012Validator.check_schema(made)
    assert made["properties"]["count"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 10,
        "description": "how many",
        "default": 3,
    }
    assert made["properties"]["inner"]["properties"]["colour"]["default"] == "red"


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 12), st.text(max_size=3), st.sampled_from(["red", "green"])
)
lists = st.lists(st.one_of(st.sampled_from(["a", "b"]), st.integers(0, 1)), max_size=3)
deep = st.one_of(scalars, st.dictionaries(st.sampled_from(["limit", "odd"]), scalars, max_size=2))
inner = st.one_of(
    scalars,
    st.fixed_dictionaries({}, optional={"colour": scalars, "deep": deep, "odd": scalars}),
)
values = st.fixed_dictionaries(
    {},
    optional={
        "count": scalars,
        "free": scalars,
        "loud": scalars,
        "title": scalars,
        "names": st.one_of(scalars, lists),
        "inner": inner,
        "odd": scalars,
    },
)


@modest
@given(values)
def test_the_schema_and_the_reader_allow_the_same(given_values: dict[str, Any]) -> None:
    allowed = Draft202012Validator(schema(Outer)).is_valid(given_values)
    try:
        made = read_settings(Outer, given_values)
    except SettingError:
        assert not allowed
    else:
        assert allowed
        assert read_settings(Outer, plain(made)) == made


@dataclass(frozen=True, slots=True)
class Grown:
    count: Annotated[int, Between(1, 10), "how many"] = 3
    shortest: Annotated[int, Between(0, 100), Later(), "came later"] = 0


def test_a_later_setting_pins_nothing_while_it_has_its_default() -> None:
    """So sessions that began before there was such a setting are read as ever."""
    assert plain(Grown()) == {"count": 3}
    assert plain(Grown(shortest=7)) == {"count": 3, "shortest": 7}
    assert read_settings(Grown, plain(Grown())) == Grown()
    assert read_settings(Grown, plain(Grown(shortest=7))) == Grown(shortest=7)
    assert "shortest" in schema(Grown)["properties"]


@dataclass(frozen=True, slots=True)
class Holding:
    grown: Grown = Grown()


def test_a_later_setting_is_shown_with_its_default() -> None:
    """What is shown of the settings has a default for each."""
    assert in_full(Grown()) == {"count": 3, "shortest": 0}
    assert in_full(Holding()) == {"grown": {"count": 3, "shortest": 0}}
    assert plain(Holding()) == {"grown": {"count": 3}}
