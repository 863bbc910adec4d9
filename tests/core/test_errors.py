"""Errors name the place, what is right, and the nearest name."""

from __future__ import annotations

import pytest

from quorate.core import errors
from quorate.core.errors import InputError, QuorateError, SettingError, nearest


def test_an_input_error_is_a_sentence_with_its_place() -> None:
    error = InputError("unknown role", file="panel.yaml", line=4, key="seats", expected="a role", nearest="architect")
    assert str(error) == "panel.yaml:4: seats: unknown role; expected a role; did you mean 'architect'?"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (InputError("is empty"), "is empty"),
        (InputError("is empty", file="a.yaml"), "a.yaml: is empty"),
        (InputError("is empty", line=3), "is empty"),
        (InputError("is 5", key="rounds", expected="1 to 3"), "rounds: is 5; expected 1 to 3"),
        (SettingError("is 5", key="rounds"), "rounds: is 5"),
    ],
)
def test_what_is_not_known_is_left_out(error: InputError, sentence: str) -> None:
    assert str(error) == sentence


def test_every_error_is_one_that_quorate_raises_on_purpose() -> None:
    classes = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, Exception)]
    assert len(classes) >= 7
    assert all(issubclass(each, QuorateError) and each.__doc__ for each in classes)
    assert issubclass(SettingError, InputError)


@pytest.mark.parametrize(
    ("name", "near"), [("archtect", "architect"), ("secruity", "security"), ("zebra", None), ("", None)]
)
def test_the_nearest_name_is_near_or_none(name: str, near: str | None) -> None:
    assert nearest(name, ["architect", "security", "testing"]) == near
