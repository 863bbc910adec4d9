"""Which planted defects a suite takes: those made by hand in the slow one, all that are generated in the long one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from tests.verify.mutants import BY_HAND


def each_kind(kinds: Iterable[str]) -> list[Any]:
    """Return the kinds as parameters, each marked for its suite."""
    return [pytest.param(kind, marks=pytest.mark.slow if kind == BY_HAND else pytest.mark.long) for kind in kinds]
