"""Values: what a type checker holds still, and what they are at run time."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import InitVar, dataclass, field
from dataclasses import replace as standard
from typing import Any

import pytest

from quorate.core.record import Envelope
from quorate.core.values import HELD, replace


def test_values_are_equal_by_what_they_hold() -> None:
    one, other = Envelope(1, model="m"), Envelope(2, model="m")
    assert (one == Envelope(1, model="m"), one == other) == (True, False)
    assert len({one, Envelope(1, model="m"), other}) == 2
    assert replace(one, seq=2) == other
    assert not hasattr(one, "__dict__")


@dataclass(frozen=True)
class _One:
    text: str


@dataclass(frozen=True, kw_only=True)
class _Named:
    text: str
    size: int = 0


@dataclass(frozen=True)
class _Counted:
    text: str
    size: int = field(init=False, default=0)


@dataclass(frozen=True)
class _Given:
    text: str
    hint: InitVar[int] = 0
    size: int = 1


@pytest.mark.parametrize(
    ("old", "changes"),
    [
        (Envelope(1, model="m", detail="d"), {"model": "n", "cost": None}),
        (Envelope(1), {}),
        (_One("a"), {"text": "b"}),
        (_Named(text="a", size=2), {"text": "b"}),
        (_Counted("a"), {"text": "b"}),
        (_Given("a", size=3), {"text": "b", "hint": 0}),
    ],
)
def test_replacing_is_the_standard_one(old: Any, changes: dict[str, Any]) -> None:
    assert replace(old, **changes) == standard(old, **changes)


def test_tests_refuse_assignments_and_others_do_not_pay_for_it() -> None:
    assert HELD
    code = (
        "from quorate.core.record import Envelope\n"
        "from quorate.core.values import HELD\n"
        "one = Envelope(1)\n"
        "same = hash(one) == hash(Envelope(1)), Envelope.__setattr__ is object.__setattr__\n"
        "print(HELD, *same, hasattr(one, '__dict__'))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("False True True False\n", "")
