"""Our small reading of the schema agrees with a full validator, and survives anything."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from quorate.evidence.bundle import check_bundle, make_bundle, schema
from quorate.evidence.shape import MOST_VALUES, at, mismatches, paths, plain_problems

VALIDATOR = Draft202012Validator(schema())
VALUES = st.sampled_from(
    [None, True, False, 0, -1, 300, "", "x", "0.0", "a" * 64, "replied", "open", [], {}, ["x"], {"x": 1}]
)


@cache
def kept(build: Callable[..., Any]) -> dict[str, Any]:
    played = build(settings={"rounds": 1, "agents": ["architect", "security"]}).play()
    return make_bundle(played.record, played.entries, "session")


def places(data: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [here, *(place for key, value in inner for place in places(value, (*here, key)))]


@given(draw=st.data())
@settings(max_examples=70, deadline=None)
def test_it_agrees_with_a_full_validator(debate: Callable[..., Any], draw: st.DataObject) -> None:
    bundle = copy.deepcopy(kept(debate))
    for _ in range(draw.draw(st.integers(1, 2))):
        *path, last = draw.draw(st.sampled_from([place for place in places(bundle) if place]))
        owner = bundle
        for key in path:
            owner = owner[key]
        match draw.draw(st.sampled_from(["change", "remove", "add"])):
            case "change":
                owner[last] = draw.draw(VALUES)
            case "remove":
                del owner[last]
            case "add" if isinstance(owner, dict):
                owner["another"] = draw.draw(VALUES)
    problems = list(mismatches(schema(), bundle))
    assert (not problems) == VALIDATOR.is_valid(bundle), problems
    check_bundle(bundle, None)


def test_a_problem_names_the_place_and_what_was_expected(debate: Callable[..., Any]) -> None:
    bundle = copy.deepcopy(kept(debate))
    bundle["entries"][2]["hash"] = "xyz"
    del bundle["totals"]["all"]["asks"]
    bundle["verdict"]["degradation"] = "a little"
    told = {problem.place: problem.expected for problem in check_bundle(bundle, None)}
    assert told["/entries/2/hash"] == "a text that fits ^[0-9a-f]{64}$"
    assert told["/totals/all"].startswith("it has asks, replies")
    assert told["/verdict/degradation"] == "one of 'none', 'within settings', 'below settings'"


def deep() -> Any:
    nested: Any = []
    for _ in range(100_000):
        nested = [nested]
    return nested


def cyclic() -> Any:
    loop: dict[str, Any] = {}
    loop["a"] = loop
    return loop


def bomb() -> Any:
    data: Any = ["x"] * 1000
    for _ in range(10):
        data = [data] * 1000
    return data


@pytest.mark.parametrize(
    "data",
    [
        None,
        7,
        "text",
        [],
        {},
        {"format": "quorate-bundle/1"},
        {"format": "quorate-bundle/2", "entries": 5},
        {1: 2},
        {"format": 1.5},
        {"format": float("nan")},
        {"seed": 10**5000},
        {"title": "\ud800"},
        {"title": b"bytes"},
        {"entries": (1, 2)},
        {"x": object()},
    ],
)
def test_strange_documents_give_problems(data: Any) -> None:
    problems = check_bundle(data, None)
    assert problems
    assert all(str(problem) for problem in problems)


@pytest.mark.parametrize("make", [deep, cyclic, bomb])
def test_endless_documents_give_one_problem(make: Callable[[], Any]) -> None:
    (problem,) = check_bundle({"entries": make()}, None)
    assert "nested too deeply" in problem.what or str(MOST_VALUES) in problem.what


def test_differences_are_found_by_pointer() -> None:
    left = {"a": [1, {"b/c": "x"}], "d~": None, "same": [1, 2]}
    right = {"a": [1, {"b/c": "y"}, 3], "d~": 0, "same": [1, 2]}
    found = list(paths(left, right))
    assert found == ["/a/1/b~1c", "/a/2", "/d~0"]
    assert [at(right, place) for place in found] == ["y", 3, 0]
    assert at(left, "/a/2") == "nothing"
    assert list(paths({"flag": True}, {"flag": 1})) == ["/flag"]
    assert plain_problems(left) == []


def test_an_entry_that_is_two_kinds_at_once_is_none(debate: Callable[..., Any]) -> None:
    bundle = copy.deepcopy(kept(debate))
    bundle["entries"][1]["body"]["interrupted"] = "wish"
    assert not VALIDATOR.is_valid(bundle)
    (problem,) = check_bundle(bundle, None)
    assert (problem.place, problem.what) == ("/entries/1/body", "it is 2 of 5 kinds at once")
