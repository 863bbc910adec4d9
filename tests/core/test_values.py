"""Values: what a type checker holds still, and what they are at run time."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

from quorate.core.record import Envelope
from quorate.core.values import HELD


def test_values_are_equal_by_what_they_hold() -> None:
    one, other = Envelope(1, model="m"), Envelope(2, model="m")
    assert (one == Envelope(1, model="m"), one == other) == (True, False)
    assert len({one, Envelope(1, model="m"), other}) == 2
    assert replace(one, seq=2) == other
    assert not hasattr(one, "__dict__")


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
