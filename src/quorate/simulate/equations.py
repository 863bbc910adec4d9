"""Linear equations in exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Matrix = Sequence[Sequence[Fraction]]


def solve(matrix: Matrix, right: Sequence[Fraction]) -> tuple[Fraction, ...] | None:
    """The x with matrix x = right, by Gauss-Jordan elimination; None where it is not unique or there is none.

    There may be more equations than unknowns.
    """
    rows = [[*map(Fraction, row), Fraction(value)] for row, value in zip(matrix, right, strict=True)]
    unknowns = len(rows[0]) - 1
    for column in range(unknowns):
        pivot = next((i for i in range(column, len(rows)) if rows[i][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        lead = rows[column]
        rows[column] = lead = [value / lead[column] for value in lead]
        for i, row in enumerate(rows):
            if i != column and row[column]:
                rows[i] = [value - row[column] * top for value, top in zip(row, lead, strict=True)]
    if any(row[-1] for row in rows[unknowns:]):
        return None
    return tuple(row[-1] for row in rows[:unknowns])
