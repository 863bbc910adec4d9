"""Which planted defects a suite takes: the slow one a sample of those made by hand, the long one all that there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from tests.verify.mutants import Mutant

EVERY = 20
"""Of the defects made by hand the slow suite takes every twentieth."""


def each_kind(kinds: Iterable[str]) -> list[Any]:
    """Return the kinds as parameters, marked for the long suite."""
    return [pytest.param(kind, marks=pytest.mark.long) for kind in kinds]


def spread(names: Sequence[Any], every: int) -> list[Any]:
    """Return parameters of which one in `every` is for the slow suite, and the others for the long one."""
    marks = (pytest.mark.slow if number % every == 0 else pytest.mark.long for number in range(len(names)))
    return [
        pytest.param(*(each if isinstance(each, tuple) else (each,)), marks=mark)
        for each, mark in zip(names, marks, strict=True)
    ]


def sample(mutants: Sequence[Mutant]) -> list[Mutant]:
    """Return those that the slow suite takes."""
    return list(mutants[::EVERY])
