"""Every rule of the roundtable is cited by some test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from quorate.protocols import roundtable
from tests.support.cited import cited

RULES = (Path(str(roundtable.__file__)).parent / "RULES.md").read_text(encoding="utf-8")
NUMBERS = re.findall(r"^(?:- \*\*|\| )(T\d+) ", RULES, re.MULTILINE)
CITED = cited("T", __file__)


def test_the_rules_are_numbered_without_a_gap() -> None:
    assert [f"T{number}" for number in range(1, len(NUMBERS) + 1)] == NUMBERS
    assert len(NUMBERS) >= 29


@pytest.mark.parametrize("rule", NUMBERS)
def test_a_rule_is_cited_by_a_test(rule: str) -> None:
    assert rule in CITED
