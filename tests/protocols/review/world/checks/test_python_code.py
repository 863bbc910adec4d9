"""Dangerous calls and lint: what the change brings is found, what was there is not, and nothing in it has a say."""

from __future__ import annotations

import pytest

from quorate.kit.check_result import CheckResult, CheckStatus
from quorate.kit.findings import Finding, Severity
from quorate.protocols.review.world.checks.python_code import check_dangerous_calls, check_lint
from tests.support.changes import change_of

HEAD = "import os, pickle, shlex, subprocess, sys, requests, yaml\nfrom flask import request\nLISTING = 'ls'\n"


def called(body: str, path: str = "app.py", signature: str = "name, db") -> CheckResult:
    text = HEAD + f"def f({signature}):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    return check_dangerous_calls(change_of({path: HEAD}, {path: text}))


def only(result: CheckResult) -> Finding:
    assert len(result.findings) == 1, [(f.rule, f.message) for f in result.findings]
    return result.findings[0]


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("subprocess.run(name, shell=True)", "bandit/B602"),
        ("subprocess.run(f'ls {name}', shell=True)  # nosec", "bandit/B602"),
        ("os.system('rm ' + name)", "bandit/B605"),
        ("command = 'rm %s' % name\nos.system(command)", "bandit/B605"),
        ("eval(name)", "bandit/B307"),
        ("exec(request.args['code'])", "bandit/B102"),
        ("pickle.loads(request.data)", "bandit/B301"),
        ("data = requests.get(name, timeout=1).content\npickle.loads(data)", "bandit/B301"),
        ("yaml.load(sys.stdin, Loader=yaml.Loader)", "bandit/B506"),
        ("db.execute(f\"SELECT * FROM t WHERE a = '{name}'\")", "bandit/B608"),
        ("db.execute('SELECT * FROM t WHERE a = %s' % name)", "bandit/B608"),
        ("db.execute('SELECT * FROM t WHERE a = ' + name)", "bandit/B608"),
        ("db.execute('SELECT * FROM t WHERE a = {}'.format(name))", "bandit/B608"),
        ("requests.get('https://x', verify=False, timeout=1)", "bandit/B501"),
    ],
)
def test_a_proven_hole_is_critical_and_a_veto(body: str, rule: str) -> None:
    result = called(body)
    worst = result.findings[0]
    assert result.status is CheckStatus.FAIL
    assert (worst.rule, worst.severity, worst.veto) == (rule, Severity.CRITICAL, "security hole")
    assert worst.path == "app.py"
    assert worst.evidence == " ".join(body.rpartition("\n")[2].split())
    assert worst.action in worst.message


@pytest.mark.parametrize(
    "body",
    [
        "subprocess.run('ls -l', shell=True)",
        "subprocess.run(LISTING, shell=True)",
        "command = 'ls'\nsubprocess.run(command + ' -l', shell=True)",
        "subprocess.run(f'ls {shlex.quote(name)}', shell=True)",
        "for each in ('ls', 'pwd'):\n    os.system(each)",
        "pickle.loads(name)",
        "with open('cache', 'rb') as file:\n    pickle.load(file)",
        "eval('1 + 1')",
        "db.execute(f'SELECT * FROM {name}')",
        "requests.get('https://x', timeout=1, verify=True)",
        "subprocess.run(['ls', name])",
    ],
)
def test_what_is_dangerous_at_most_is_no_veto(body: str) -> None:
    result = called(body)
    assert all(not f.veto and f.severity is not Severity.CRITICAL for f in result.findings)


def test_tests_may_be_careless() -> None:
    finding = only(called("subprocess.run(name, shell=True)", "tests/test_app.py"))
    assert (finding.severity, finding.veto) == (Severity.LOW, "")


def test_what_was_there_is_not_reported_even_where_it_moves() -> None:
    old = "import os\n\n\ndef f(name):\n    os.system(name)\n\n\ndef g():\n    return 1\n"
    moved = "import os\n\n\ndef g():\n    return 2\n\n\ndef f(name):\n    os.system(name)\n"
    assert check_dangerous_calls(change_of({"a.py": old}, {"a.py": old + "\nX = 1\n"})).findings == ()
    assert check_dangerous_calls(change_of({"a.py": old}, {"a.py": moved})).findings == ()
    twice = check_dangerous_calls(change_of({"a.py": old}, {"a.py": old + "\n\ndef h(name):\n    os.system(name)\n"}))
    assert only(twice).line == 13


def test_an_argument_that_makes_an_old_call_dangerous_is_found() -> None:
    old = "import subprocess\n\n\ndef f(c):\n    subprocess.run(\n        c,\n    )\n"
    new = old.replace("        c,\n", "        c,\n        shell=True,\n")
    finding = only(check_dangerous_calls(change_of({"a.py": old}, {"a.py": new})))
    assert finding.veto == "security hole"
    assert "shell=True" in finding.evidence


def test_alike_findings_have_keys_of_their_own() -> None:
    result = called("os.system(name)\nos.system(name)")
    assert [f.occurrence for f in result.findings] == [0, 1]
    assert len({f.key for f in result.findings}) == 2


def test_settings_that_the_change_brings_are_not_heard() -> None:
    text = "import os\n\n\ndef f(name):\n    os.system(name)\n"
    after = {"a.py": text, ".bandit": "[bandit]\nskips = B605\n", "pyproject.toml": "[tool.bandit]\nskips=['B605']\n"}
    assert only(check_dangerous_calls(change_of({}, after))).veto


@pytest.mark.parametrize("check", [check_dangerous_calls, check_lint])
def test_nothing_to_look_at_is_said(check: object) -> None:
    assert callable(check)
    none = check(change_of({"a.md": ""}, {"a.md": "x\n"}))
    assert (none.status, none.reason) == (CheckStatus.SKIP, "no Python lines are added")
    diff = check(change_of({"a.py": ""}, {"a.py": "x = 1\n"}, trees=False))
    assert diff.status is CheckStatus.SKIP
    assert "a.py" in diff.reason


# Lint


def linted(before: dict[str, str], after: dict[str, str]) -> dict[str, Severity]:
    return {f.rule: f.severity for f in check_lint(change_of(before, after)).findings}


def test_lint_has_severities() -> None:
    found = linted({}, {"a.py": "import os\n\n\ndef f(x=[]):\n    return y\n", "b.py": "def f(:\n"})
    assert found["ruff/F401"] is Severity.LOW
    assert found["ruff/F821"] is Severity.HIGH
    assert found["ruff/B006"] is Severity.MEDIUM
    assert found["ruff/invalid-syntax"] is Severity.HIGH


def test_old_lint_is_not_blamed_on_the_change() -> None:
    old = "import os\n\n\ndef f():\n    return y\n"
    assert linted({"a.py": old}, {"a.py": "# A module.\n" + old + "\n\nX = 1\n"}) == {}
    assert linted({"a.py": old}, {"a.py": old.replace("return y", "return y + z")}) == {"ruff/F821": Severity.HIGH}


def test_the_settings_before_the_change_count_and_not_those_it_brings() -> None:
    before = {"pyproject.toml": "[tool.ruff.lint]\nselect = ['N']\n"}
    text = "import os\n\n\ndef Wrong():\n    return 1\n"
    lax = {"pyproject.toml": "[tool.ruff.lint]\nselect = []\n", "ruff.toml": "lint.select = []\n"}
    assert linted(before, {**before, "a.py": text}) == {"ruff/N802": Severity.LOW}
    assert linted(before, {**before, **lax, "a.py": text}) == {"ruff/N802": Severity.LOW}
    assert linted({}, {**lax, "a.py": text}) == {"ruff/F401": Severity.LOW}


def test_settings_in_a_folder_count_there_alone() -> None:
    before = {"sub/ruff.toml": "lint.select = ['N']\n"}
    text = "import os\n\n\ndef Wrong():\n    return 1\n"
    result = check_lint(change_of(before, {**before, "sub/a.py": text, "b.py": text}))
    assert [(f.path, f.rule) for f in result.findings] == [("b.py", "ruff/F401"), ("sub/a.py", "ruff/N802")]
    assert "project's settings" in result.reason


def test_settings_that_do_not_work_are_said_and_replaced() -> None:
    before = {"pyproject.toml": "[tool.ruff]\nselect-nothing = true\n"}
    result = check_lint(change_of(before, {**before, "a.py": "import os\n"}))
    assert [f.rule for f in result.findings] == ["ruff/F401"]
    assert "do not work here" in result.reason


def test_own_packages_are_known_when_imports_are_sorted() -> None:
    before = {
        "pyproject.toml": "[tool.ruff.lint]\nselect = ['I']\n",
        "src/own/__init__.py": "",
        "src/own/b.py": "X = 1\n",
    }
    text = "import requests\n\nfrom own.b import X\n\nprint(X, requests)\n"
    before["pyproject.toml"] += "[tool.ruff]\nsrc = ['src']\n"
    assert linted(before, {**before, "src/own/a.py": text}) == {}
