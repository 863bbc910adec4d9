"""Opinion dynamics: T12 of the facts."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from quorate.core.errors import SettingError
from quorate.simulate.equations import solve
from quorate.simulate.opinions import after, agrees, consensus, influence, lasting, shrinking
from tests.simulate.printed import rounds_to

W = tuple(tuple(map(F, row.split())) for row in ("0.6 0.3 0.1", "0.2 0.5 0.3", "0.1 0.1 0.8"))
THIRDS = ((F(1, 3),) * 3,) * 3
START = (F("0.9"), F("0.2"), F("0.2"))


def test_t12_degroot() -> None:
    assert influence(W) == (F("0.25"), F("0.25"), F("0.5"))
    assert consensus(W, START) == F("0.375")
    assert shrinking(W) == pytest.approx(0.6, abs=1e-12)


def test_t12_the_rounds_themselves_arrive_there_and_shrink_by_the_factor() -> None:
    distance = [max(abs(x - F("0.375")) for x in after(W, START, rounds)) for rounds in (0, 20, 21, 60)]
    assert float(distance[3]) < 1e-12
    assert float(distance[2] / distance[1]) == pytest.approx(0.6, abs=1e-5)


def test_shrinking_with_complex_and_with_vanishing_eigenvalues() -> None:
    # A lazy walk around a ring of three has eigenvalues 1/2 + w/2 with w a complex third root of one: modulus 1/2.
    lazy = tuple(tuple(F(1, 2) if j in (i, (i + 1) % 3) else F(0) for j in range(3)) for i in range(3))
    assert shrinking(lazy) == pytest.approx(0.5, abs=1e-12)
    assert shrinking(THIRDS) == 0
    # A chain of command agrees after two rounds, though not after one.
    chain = ((F(1), F(0), F(0)), (F(1), F(0), F(0)), (F(0), F(1), F(0)))
    assert consensus(chain, START) == F("0.9")
    assert shrinking(chain) == 0


@pytest.mark.parametrize(
    "weights",
    [
        ((F(1), F(0)), (F(0), F(1))),  # two who hear only themselves
        ((F(0), F(1)), (F(1), F(0))),  # two who swap for ever
    ],
)
def test_groups_that_never_agree_are_told_apart(weights: tuple[tuple[F, ...], ...]) -> None:
    assert not agrees(weights)
    assert influence(weights) is None
    assert consensus(weights, START[:2]) is None
    assert shrinking(weights) is None


def test_t12_friedkin_johnsen() -> None:
    half = lasting(THIRDS, (F(1, 2),) * 3, START)
    assert half is not None
    assert [rounds_to(x, text) for x, text in zip(half, ("0.6667", "0.3167", "0.3167"), strict=True)] == [True] * 3
    assert half == (F(2, 3), F(19, 60), F(19, 60))
    assert lasting(THIRDS, (F(0), F(1), F(1)), START) == (F("0.9"),) * 3
    assert lasting(THIRDS, (F(0), F(1, 2), F(1, 2)), START) == (F("0.9"), F("0.375"), F("0.375"))


def test_t12_friedkin_johnsen_by_going_round_and_round() -> None:
    open_to = (F(1, 4), F(1, 2), F(9, 10))
    now = [float(x) for x in START]
    for _ in range(400):
        seen = [sum(float(w) * x for w, x in zip(row, now, strict=True)) for row in W]
        now = [float(o) * s + float(1 - o) * float(x) for o, s, x in zip(open_to, seen, START, strict=True)]
    settled = lasting(W, open_to, START)
    assert settled is not None
    assert now == pytest.approx([float(x) for x in settled], abs=1e-12)


def test_where_nobody_holds_to_anything_no_single_end_is_named() -> None:
    assert lasting(W, (F(1),) * 3, START) is None


def test_equations() -> None:
    assert solve(((F(2),),), (F(4),)) == (F(2),)
    assert solve(((F(0), F(2)), (F(3), F(1))), (F(4), F(5))) == (F(1), F(2))
    assert solve(((F(1), F(1)), (F(2), F(2))), (F(1), F(2))) is None
    assert solve(((F(1),), (F(2),)), (F(3), F(6))) == (F(3),)
    assert solve(((F(1),), (F(2),)), (F(3), F(7))) is None


@pytest.mark.parametrize("weights", [(), ((F(1), F(0)),), ((F(1, 2),),), ((F(2), F(-1)), (F(0), F(1)))])
def test_weights_that_are_no_shares_are_refused(weights: tuple[tuple[F, ...], ...]) -> None:
    with pytest.raises(SettingError) as error:
        influence(weights)
    assert error.value.key == "weights"
