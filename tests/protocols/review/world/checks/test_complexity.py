"""Complexity: a function is reported where the change makes it worse than the limit and worse than it was."""

from __future__ import annotations

import pytest

from quorate.kit.check_result import CheckStatus
from quorate.kit.findings import Severity
from quorate.protocols.review.world.checks.complexity import check_complexity
from tests.support.changes import change_of


def python(branches: int, name: str = "f", parameters: str = "a") -> str:
    return f"def {name}({parameters}):\n" + "".join(f"    if a == {n}:\n        return {n}\n" for n in range(branches))


def go(branches: int) -> str:
    return (
        "package p\nfunc F(a int) int {\n" + "".join(f"if a == {n} {{ return {n} }}\n" for n in range(branches)) + "}\n"
    )


def script(branches: int) -> str:
    return (
        "export function f(a) {\n" + "".join(f"  if (a === {n}) {{ return {n}; }}\n" for n in range(branches)) + "}\n"
    )


@pytest.mark.parametrize(("path", "made"), [("a.py", python), ("a.ts", script), ("a.go", go)])
@pytest.mark.parametrize(("branches", "severity"), [(14, None), (15, Severity.MEDIUM), (30, Severity.HIGH)])
def test_the_limits_hold_in_many_languages(path: str, made: object, branches: int, severity: Severity | None) -> None:
    assert callable(made)
    findings = check_complexity(change_of({}, {path: made(branches)})).findings
    assert [(f.rule, f.severity) for f in findings] == ([("complexity/function", severity)] if severity else [])


def test_only_a_function_that_got_worse_is_reported() -> None:
    old = python(20)
    assert check_complexity(change_of({"a.py": old}, {"a.py": old + "\n\nX = 1\n"})).findings == ()
    assert check_complexity(change_of({"a.py": old}, {"a.py": old.replace("return 3", "return 4")})).findings == ()
    assert check_complexity(change_of({"a.py": old}, {"a.py": python(19)})).findings == ()
    worse = check_complexity(change_of({"a.py": old}, {"a.py": python(21)})).findings
    assert [f.message for f in worse] == ["f has a cyclomatic complexity of 22 (at most 15, and it was 21). Split it."]
    assert worse[0].evidence == "def f(a):"


def test_a_function_that_moves_is_not_worse() -> None:
    old = python(20)
    assert check_complexity(change_of({"a.py": old}, {"b.py": old})).findings == ()
    assert check_complexity(change_of({"a.py": old}, {"b.py": old}, moved={"b.py": "a.py"})).findings == ()
    assert len(check_complexity(change_of({"a.py": old}, {"b.py": python(21)})).findings) == 1


def test_two_functions_of_one_name_are_told_apart() -> None:
    old = python(20) + "\n\n" + python(2)
    new = python(20) + "\n\n" + python(16)
    assert len(check_complexity(change_of({"a.py": old}, {"a.py": new})).findings) == 1


@pytest.mark.parametrize(
    ("count", "severity"), [(7, None), (8, Severity.LOW), (9, Severity.LOW), (10, Severity.MEDIUM)]
)
def test_parameters_have_a_limit(count: int, severity: Severity | None) -> None:
    text = python(1, parameters=", ".join("abcdefghij"[:count]))
    findings = check_complexity(change_of({}, {"a.py": text})).findings
    assert [f.severity for f in findings] == ([severity] if severity else [])


def test_length_has_a_limit_outside_of_tests() -> None:
    text = "def f(a):\n" + "    a += 1\n" * 120
    assert [f.rule for f in check_complexity(change_of({}, {"a.py": text})).findings] == ["complexity/length"]
    assert check_complexity(change_of({}, {"test_a.py": text})).findings == ()


@pytest.mark.parametrize(
    "plea",
    ["# lizard forgives", "# lizard forgive global", "# GENERATED CODE", "# #lizard forgives(cyclomatic_complexity)"],
)
def test_a_plea_to_look_away_is_not_heard(plea: str) -> None:
    text = f"{plea}\n" + python(20).replace("def f(a):\n", f"def f(a):\n    {plea}\n")
    assert len(check_complexity(change_of({}, {"a.py": text})).findings) == 1


def test_equal_files_are_each_measured() -> None:
    found = check_complexity(change_of({}, {"a.py": python(20), "b.py": python(20)})).findings
    assert [f.path for f in found] == ["a.py", "b.py"]


def test_what_is_not_read_is_named() -> None:
    result = check_complexity(change_of({}, {"a.py": "x = 1\n", "b.zzz": "x\n", "c.md": "x\n"}))
    assert (result.status, result.reason) == (CheckStatus.PASS, "lizard measured 1 file; not read: .md, .zzz")
    assert check_complexity(change_of({}, {"b.zzz": "x\n"})).status is CheckStatus.SKIP
    assert check_complexity(change_of({"a.py": ""}, {"a.py": "x\n"}, trees=False)).status is CheckStatus.SKIP
