"""Opinion dynamics (DeGroot, Friedkin-Johnsen): everybody moves towards the opinions of those they trust.

`weights[i][j]` is the trust of i in j; every row sums to one. Influence, consensus and lasting opinions are exact; only
the speed, the modulus of an eigenvalue, is irrational in general and a float.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import exp, log

from quorate.core.errors import SettingError
from quorate.simulate.equations import Matrix, solve
from quorate.simulate.voters import ONE, ZERO, chance

SQUARINGS = 60
MOST_AGENTS = 60


def influence(weights: Matrix) -> tuple[Fraction, ...] | None:
    """DeGroot: the share of each opinion in the final consensus; None where the group does not come to one.

    It is the row vector s with s W = s whose entries sum to one.
    """
    n = _checked(weights)
    if not agrees(weights):
        return None
    balanced = [[weights[j][i] - (1 if i == j else 0) for j in range(n)] for i in range(n)]
    return solve([*balanced, [ONE] * n], [*([ZERO] * n), ONE])


def consensus(weights: Matrix, opinions: Sequence[Fraction]) -> Fraction | None:
    """DeGroot: the number all come to, the opinions weighted by `influence`; None where they do not come to one."""
    shares = influence(weights)
    return None if shares is None else sum((s * x for s, x in zip(shares, opinions, strict=True)), start=ZERO)


def agrees(weights: Matrix) -> bool:
    """Whether every start ends in consensus: at some time all hear, directly or not, one same agent.

    That time, if there is one, comes within (n-1)^2 + 1 rounds; who hears whom is followed in sets, without numbers.
    """
    n = _checked(weights)
    heard = [{j for j in range(n) if weights[i][j]} for i in range(n)]
    now = heard
    for _ in range((n - 1) ** 2 + 1):
        if set.intersection(*now):
            return True
        now = [set().union(*(heard[j] for j in row)) for row in now]
    return False


def after(weights: Matrix, opinions: Sequence[Fraction], rounds: int) -> tuple[Fraction, ...]:
    """DeGroot: the opinions after so many rounds of x <- W x."""
    _checked(weights)
    now = tuple(opinions)
    for _ in range(rounds):
        now = tuple(sum((w * x for w, x in zip(row, now, strict=True)), start=ZERO) for row in weights)
    return now


def shrinking(weights: Matrix) -> float | None:
    """The factor by which the distance to consensus shrinks per round in the long run: |lambda2|; None without one.

    It is the largest eigenvalue of W minus its limit, found by squaring that matrix again and again: the 2^k-th root of
    the norm of the 2^k-th power has no error left after sixty squarings, complex eigenvalues or not.
    """
    shares = influence(weights)
    if shares is None:
        return None
    n = len(weights)
    power = [[float(weights[i][j] - shares[j]) for j in range(n)] for i in range(n)]
    size = 0.0  # the logarithm of what was divided out of `power`, itself divided by the exponent reached
    for k in range(SQUARINGS):
        norm = max(sum(map(abs, row)) for row in power)
        if norm == 0:
            return 0.0
        size += log(norm) / 2**k
        scaled = [[value / norm for value in row] for row in power]
        columns = list(zip(*scaled, strict=True))
        power = [[sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in scaled]
    return exp(size)


def lasting(weights: Matrix, open_to: Sequence[Fraction], opinions: Sequence[Fraction]) -> tuple[Fraction, ...] | None:
    """Friedkin-Johnsen: where opinions settle if agent i is open to others by L_i and holds to its first by 1 - L_i.

    It is the x with x = L W x + (I - L) x0; None where it is not unique (a group in which nobody holds to anything).
    """
    n = _checked(weights)
    for value in open_to:
        chance(value, "open_to")
    system = [[(1 if i == j else 0) - open_to[i] * weights[i][j] for j in range(n)] for i in range(n)]
    return solve(system, [(1 - open_to[i]) * opinions[i] for i in range(n)])


def _checked(weights: Matrix) -> int:
    n = len(weights)
    if not 1 <= n <= MOST_AGENTS or any(len(row) != n for row in weights):
        raise SettingError("is not square", key="weights", expected=f"as many rows as columns, from 1 to {MOST_AGENTS}")
    for i, row in enumerate(weights):
        if any(weight < 0 for weight in row) or sum(row) != 1:
            raise SettingError(f"row {i} sums to {sum(row)}", key="weights", expected="shares from 0 that sum to 1")
    return n
