"""Every rule of the council, and every resolution that it takes, is cited by some test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from quorate.protocols import council

TESTS = Path(__file__).parents[3]
RULES = (Path(str(council.__file__)).parent / "RULES.md").read_text(encoding="utf-8")
NUMBERS = re.findall(r"^\| (C\d+) \|", RULES, re.MULTILINE)
RESOLUTIONS = sorted(set(re.findall(r"\ba\d+a?\b", RULES)), key=lambda name: (len(name), name))


def _cited() -> set[str]:
    """Rules by their names in any file of tests, ranges included, and in the names of tests."""
    found: set[str] = set()
    for path in (*TESTS.rglob("*.py"), *TESTS.rglob("*.txt")):
        if path == Path(__file__):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found |= set(re.findall(r"\b(?:C\d+|a\d+a?)\b", text))
        found |= {name.upper() for name in re.findall(r"def test_(c\d+)_", text)}
    return found


CITED = _cited()


def test_the_rules_are_numbered_without_a_gap() -> None:
    assert [f"C{number}" for number in range(1, len(NUMBERS) + 1)] == NUMBERS
    assert len(NUMBERS) >= 44


@pytest.mark.parametrize("rule", NUMBERS)
def test_a_rule_is_cited_by_a_test(rule: str) -> None:
    assert rule in CITED


@pytest.mark.parametrize("resolution", RESOLUTIONS)
def test_a_resolution_is_cited_by_a_test(resolution: str) -> None:
    assert resolution in CITED


def test_tests_cite_no_rule_that_does_not_exist() -> None:
    named = {
        name.upper()
        for path in Path(__file__).parent.glob("test_rules_*.py")
        for name in re.findall(r"def test_(c\d+)_", path.read_text(encoding="utf-8"))
    }
    assert named <= set(NUMBERS)
    assert len(named) >= 40
