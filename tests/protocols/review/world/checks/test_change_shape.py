"""The shape of a change: tests, size and dependencies."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from quorate.kit.check_result import CheckStatus
from quorate.kit.findings import Severity
from quorate.protocols.review.world.checks.shape import check_dependencies, check_size, check_tests
from tests.support.changes import change_of

# Tests

ELSEWHERE = "https://example.org"


@pytest.mark.parametrize(("lines", "severity"), [(1, Severity.LOW), (100, Severity.LOW), (101, Severity.MEDIUM)])
def test_source_without_a_test_is_a_note_up_to_a_size(lines: int, severity: Severity) -> None:
    (finding,) = check_tests(change_of({}, {"src/a.py": "x = 1\n" * lines})).findings
    assert (finding.rule, finding.severity, finding.path, finding.evidence) == (
        "tests/missing",
        severity,
        "",
        "src/a.py",
    )


@pytest.mark.parametrize(
    "path", ["tests/test_a.py", "src/a.test.ts", "a_test.go", "src/__tests__/a.js", "spec/a_spec.rb", "ATest.java"]
)
def test_any_kind_of_test_is_seen(path: str) -> None:
    assert check_tests(change_of({}, {"src/a.py": "x = 1\n" * 500, path: "x\n"})).status is CheckStatus.PASS


def test_a_test_that_is_deleted_is_none() -> None:
    before = {"test_a.py": "x\n", "a.py": "x = 1\n"}
    assert check_tests(change_of(before, {"a.py": "x = 2\n"})).status is CheckStatus.FAIL


def test_no_test_is_wanted_for_documents_comments_or_removals() -> None:
    assert check_tests(change_of({}, {"a.md": "x\n"})).status is CheckStatus.SKIP
    assert check_tests(change_of({"a.py": "x\ny\n"}, {"a.py": "x\n"})).status is CheckStatus.PASS
    assert check_tests(change_of({"a.py": "x\n"}, {"a.py": "x\n# why\n\n"})).status is CheckStatus.PASS


# Size


@pytest.mark.parametrize(
    ("lines", "severity"), [(400, None), (401, Severity.LOW), (1000, Severity.LOW), (1001, Severity.MEDIUM)]
)
def test_size_has_limits(lines: int, severity: Severity | None) -> None:
    result = check_size(change_of({}, {"a.py": "x\n" * lines}))
    assert [f.severity for f in result.findings] == ([severity] if severity else [])
    assert result.reason == f"{lines:,} changed lines in 1 file"


# Dependencies


def changed(path: str, before: str, after: str, **others: str) -> list[tuple[str, Severity, str]]:
    more = {f"{name}.md": text for name, text in others.items()}
    findings = check_dependencies(change_of({path: before}, {path: after, **more})).findings
    return [(f.rule.partition("/")[2], f.severity, f.message.partition(" ")[0]) for f in findings]


MADE: dict[str, Callable[[dict[str, str]], str]] = {
    "pyproject.toml": lambda deps: (
        "[project]\ndependencies = " + json.dumps([f"{n}{v}" for n, v in deps.items()]) + "\n"
    ),
    "requirements.txt": lambda deps: "".join(f"{n}{v}\n" for n, v in deps.items()),
    "requirements/base.in": lambda deps: "".join(f"{n}{v}  # why\n" for n, v in deps.items()),
    "Pipfile": lambda deps: "[packages]\n" + "".join(f'{n} = "{v}"\n' for n, v in deps.items()),
    "Cargo.toml": lambda deps: "[dependencies]\n" + "".join(f'{n} = {{version = "{v}"}}\n' for n, v in deps.items()),
    "web/package.json": lambda deps: json.dumps({"dependencies": deps}, indent=1),
    "composer.json": lambda deps: json.dumps({"require": {f"v/{n}": v for n, v in deps.items()}}, indent=1),
}


@pytest.mark.parametrize("path", MADE)
def test_additions_removals_and_loosening_are_found(path: str) -> None:
    made = MADE[path]
    before = made({"kept": "==1.0.0", "loose": "==1.0.0", "gone": ">=1"})
    after = made({"kept": "==1.0.1", "loose": ">=1.0.0", "fresh": "==2.0.0"})
    prefix = "v/" if path == "composer.json" else ""
    assert sorted(changed(path, before, after)) == [
        ("added", Severity.MEDIUM, f"{prefix}fresh"),
        ("loosened", Severity.MEDIUM, f"{prefix}loose"),
        ("removed", Severity.LOW, f"{prefix}gone"),
    ]


def test_a_dependency_that_is_explained_or_for_developers_is_a_note() -> None:
    after = "[project]\ndependencies = ['rich']\n[dependency-groups]\ndev = ['pytest']\n"
    assert sorted(changed("pyproject.toml", "", after, CHANGELOG="Tables are drawn with rich.\n")) == [
        ("added", Severity.LOW, "pytest"),
        ("added", Severity.LOW, "rich"),
    ]
    assert ("added", Severity.MEDIUM, "rich") in changed(
        "pyproject.toml", "", after, CHANGELOG="A rich-looking table.\n"
    )


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("requirements.txt", "git+https://example.org/a/zed.git@main\n"),
        ("requirements.txt", "-e git+https://example.org/a/b#egg=zed\n"),
        ("requirements.txt", "zed @ https://example.org/zed.whl\n"),
        ("pyproject.toml", "[project]\ndependencies = ['zed @ git+https://example.org/a/zed']\n"),
        ("pyproject.toml", "[tool.uv.sources]\nzed = {git = 'https://example.org/zed'}\n"),
        ("pyproject.toml", "[tool.poetry.dependencies]\nzed = {git = 'https://example.org/zed'}\n"),
        ("package.json", '{"dependencies": {"zed": "someone/zed"}}'),
        ("package.json", '{"dependencies": {"zed": "git@github.com:a/zed.git"}}'),
        ("package.json", '{"devDependencies": {"zed": "https://example.org/zed.tgz"}}'),
        ("Cargo.toml", "[dependencies]\nzed = { git = 'https://example.org/zed' }\n"),
        ("go.mod", "module m\nreplace zed => example.org/other v1.0.0\n"),
    ],
)
def test_a_package_from_an_address_is_high(path: str, text: str) -> None:
    assert changed(path, "" if path != "package.json" else "{}", text) == [("source", Severity.HIGH, "zed")]


def test_install_scripts_and_other_indexes_are_high() -> None:
    script = '{"scripts": {"test": "jest", "postinstall": "node x.js"}}'
    (finding,) = check_dependencies(change_of({"package.json": "{}"}, {"package.json": script})).findings
    assert (finding.rule, finding.severity) == ("dependencies/script", Severity.HIGH)
    assert "postinstall" in finding.evidence
    index = changed("requirements.txt", "a\n", f"--extra-index-url {ELSEWHERE}\na\n")
    assert index == [("index", Severity.HIGH, "Packages")]
    assert changed("package.json", script, script.replace("jest", "vitest")) == []


def test_a_table_that_stands_twice_hides_nothing() -> None:
    twice = '{"dependencies": {"zed": "someone/zed"}, "name": "a", "name": "b", "dependencies": {}}'
    assert changed("package.json", "{}", twice) == [("source", Severity.HIGH, "zed")]


def test_go_and_ruby() -> None:
    go = "module m\n\nrequire (\n\texample.org/a v1.0.0\n)\n"
    assert changed("go.mod", go, go.replace(")", "\texample.org/b/v2 v2.0.0 // indirect\n)")) == [
        ("added", Severity.MEDIUM, "example.org/b/v2")
    ]
    assert changed("Gemfile", "gem 'a'\n", "gem 'a'\ngem 'b', '~> 1'\n") == [("added", Severity.MEDIUM, "b")]


def test_new_versions_alone_are_no_finding() -> None:
    assert changed("requirements.txt", "a==1\nb>=1,<2\n", "a==2\nb>=1,<3\n") == []


def test_lists_that_are_not_read_are_named() -> None:
    result = check_dependencies(change_of({}, {"setup.py": "x\n", "package.json": "{broken"}))
    assert result.status is CheckStatus.SKIP
    assert "setup.py" in result.reason
    assert "package.json" in result.reason
    assert check_dependencies(change_of({}, {"a.py": "x\n"})).status is CheckStatus.SKIP
    diff = check_dependencies(change_of({"go.mod": "a\n"}, {"go.mod": "b\n"}, trees=False))
    assert diff.status is CheckStatus.SKIP
