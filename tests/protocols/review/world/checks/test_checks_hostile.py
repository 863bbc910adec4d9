"""Hostile changes: no check raises, none hangs, and an unchanged project has no findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from quorate.kit.change import Change
from quorate.kit.check_result import Check, CheckResult, CheckStatus
from quorate.protocols.review.world.checks.complexity import check_complexity
from quorate.protocols.review.world.checks.cycles import check_cycles
from quorate.protocols.review.world.checks.house import house_check, load_rules
from quorate.protocols.review.world.checks.interfaces import check_interfaces, interfaces_changed
from quorate.protocols.review.world.checks.javascript import scan
from quorate.protocols.review.world.checks.proofs import Proofs
from quorate.protocols.review.world.checks.python_code import check_dangerous_calls, check_lint
from quorate.protocols.review.world.checks.scratch import Scratch, is_plain
from quorate.protocols.review.world.checks.shape import check_dependencies, check_size, check_tests
from tests.support.changes import MemoryTree, change_of

ROOT = Path(__file__).parents[5]
RULES = load_rules(ROOT / "examples" / "fca-ai.rules.yaml")
CHECKS: dict[str, Check] = {
    "dangerous": check_dangerous_calls,
    "lint": check_lint,
    "complexity": check_complexity,
    "cycles": check_cycles,
    "interfaces": check_interfaces,
    "tests": check_tests,
    "size": check_size,
    "dependencies": check_dependencies,
    "house": house_check(RULES),
}
ENDINGS = (".py", ".ts", ".js", ".go", ".md", ".json", ".toml", "")
HOSTILE = {
    "syntax": "def f(:\n\tclass\n  return }{ '''\n",
    "nulls": "x = 1\n\0\0\0import os\n",
    "brackets": "x = " + "(" * 5_000 + ")" * 5_000 + "\n",
    "lists": "[" * 100_000 + "\n",
    "minus": "x = " + "-" * 100_000 + "1\n",
    "sum": "x = " + "+".join(["1"] * 20_000) + "\n",
    "attributes": "x" + ".a" * 20_000 + "\n",
    "indents": "".join(" " * n + "if x:\n" for n in range(120)) + " " * 120 + "x\n",
    "surrogate": "x = '\ud800'\n",
    "controls": "x = 1\r\f\v\u2028\u2029\x1b[31m\x85y = 2\n",
    "quotes": "'" * 20_001 + "\n",
    "backslashes": '"\\' * 20_000 + "\n",
    "templates": "`${" * 20_000,
    "comment": "/*" * 20_000,
    "regex": "=/[" * 20_000,
    "imports": "import {" * 20_000 + "from . import *\n" * 100,
    "exports": "export function " * 20_000,
    "blank": "\n" * 20_000,
    "empty": "",
}


def run(check: Check, change: Change) -> CheckResult:
    result = check(change)
    assert isinstance(result.status, CheckStatus)
    assert result.reason
    assert (result.status is CheckStatus.FAIL) == bool(result.findings)
    assert all(f.rule and f.message and len(f.evidence) <= 2_000 for f in result.findings)
    assert len({f.key for f in result.findings}) == len(result.findings)
    return result


@pytest.mark.parametrize("name", CHECKS)
def test_no_check_stumbles_over_hostile_texts(name: str) -> None:
    after = {f"src/{kind}{ending}": text for kind, text in HOSTILE.items() for ending in ENDINGS}
    lists = ("package.json", "pyproject.toml", "requirements.txt", "go.mod", "Gemfile", "Cargo.toml")
    after |= {f"{kind}/{each}": text for kind, text in HOSTILE.items() for each in lists}
    run(CHECKS[name], change_of({"src/syntax.py": "x = 1\n", "src/nulls.ts": "export const x = 1\n"}, after))


@pytest.mark.parametrize("name", CHECKS)
def test_no_check_stumbles_over_a_very_long_line(name: str) -> None:
    line = "x = '" + "a" * 10_000_000 + "'\n"
    result = run(CHECKS[name], change_of({}, {"a.py": line, "b.js": line, "package.json": line}))
    assert all(len(f.message) + len(f.evidence) < 5_000 for f in result.findings)


PATHS = (
    "../../etc/x.py",
    "/etc/x.py",
    "a/../../b.py",
    "-rf.py",
    "a\nb.py",
    "a\0b.py",
    "x" * 300 + ".py",
    "a//b.py",
    "{base}.py",
    "*?[.py",
    "src/.py",
    "--config=x.py",
    "a name.py",
    "\u202ea.py",
)


@pytest.mark.parametrize("name", CHECKS)
def test_no_check_stumbles_over_hostile_paths(name: str) -> None:
    text = "import os\n\n\ndef f(x):\n    os.system(x)\n    return undefined\n"
    result = run(CHECKS[name], change_of({}, {**dict.fromkeys(PATHS, text), "fine.py": text}))
    if name in ("dangerous", "lint"):
        assert {"fine.py", "-rf.py", "a name.py"} <= {f.path for f in result.findings}


@pytest.mark.parametrize("name", ["dangerous", "lint", "complexity"])
def test_a_bad_file_does_not_hide_what_stands_in_others(name: str) -> None:
    bad = {f"a{n}.py": text for n, text in enumerate(HOSTILE.values())}
    branches = "".join(f"    if x == {n}:\n        return {n}\n" for n in range(20))
    good = f"import os\n\n\ndef f(x):\n{branches}    os.system(x)\n    return undefined\n"
    found = run(CHECKS[name], change_of({}, {**bad, "good.py": good})).findings
    assert any(f.path == "good.py" and f.severity.value in ("critical", "high", "medium") for f in found)


@pytest.mark.parametrize("name", CHECKS)
def test_nothing_is_found_where_nothing_changes(name: str) -> None:
    tree = {path: text for path, text in corpus().items() if path.startswith("src/quorate/core")}
    assert run(CHECKS[name], change_of(tree, tree)).findings == ()
    assert run(CHECKS[name], change_of({}, {})).findings == ()


def corpus() -> dict[str, str]:
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "examples").iterdir(), ROOT / "pyproject.toml"]
    return {str(file.relative_to(ROOT)): file.read_text(encoding="utf-8") for file in files if file.is_file()}


@pytest.mark.slow
def test_our_own_sources_as_one_new_change() -> None:
    change = change_of({}, corpus())
    results = {name: run(check, change) for name, check in CHECKS.items()}
    assert [f.evidence for f in results["cycles"].findings] == []
    assert [(f.path, f.line) for f in results["dangerous"].findings if f.veto] == []
    assert "ruff looked at" in results["lint"].reason
    assert interfaces_changed(change)


@pytest.mark.parametrize("made", [lambda text: Proofs(text).proves("B602", 1, 10**6), scan])
def test_scanners_take_any_text(made: Callable[[str], object]) -> None:
    for text in HOSTILE.values():
        made(text)


def test_line_numbers_that_are_wrong_do_no_harm() -> None:
    change = change_of({}, {"a.py": "import os\nos.system(X)\n", "b.ts": "export const a = 1\n"})
    wrong = replace(change, files=tuple(replace(file, added={10**9: "x", -5: "y", 0: "z"}) for file in change.files))
    for check in CHECKS.values():
        run(check, wrong)


def test_trees_that_do_not_agree_with_the_files_do_no_harm() -> None:
    change = replace(
        change_of({}, {"a.py": "import b\n"}), before=MemoryTree({"b.py": "import a\n"}), after=MemoryTree()
    )
    for check in CHECKS.values():
        run(check, change)


# The scratch folder


def test_nothing_is_written_outside_of_the_folder(tmp_path: Path) -> None:
    with Scratch(10) as scratch:
        for path in ("../x", "/x", "a/../../x", "a//x", "a\0x", "", ".", "a\\x", "x" * 300):
            assert not is_plain(path)
            assert not scratch.write(path, "x")
        assert scratch.write("a/b.txt", "x")
        assert not scratch.write("a/b.txt/c", "x"), "a file is no folder"
        assert [p.name for p in scratch.folder.rglob("*")] == ["a", "b.txt"]
        folder = scratch.folder
    assert not folder.exists()


def test_a_program_that_does_not_end_or_prints_too_much_is_ended() -> None:
    with Scratch(60) as scratch:
        late = scratch.run(["sh", "-c", "sleep 60 & sleep 60"], 0.5)
        assert (late.code, late.late) == (None, True)
        much = scratch.run(["yes"], 30)
        assert (much.code, much.cut) == (None, True)
        assert len(much.out) == 20_000_000
        assert scratch.run(["sh", "-c", "echo out; echo err >&2; exit 3"], 10) == scratch.run(
            ["sh", "-c", "echo out; exit 3"], 10
        )
        with pytest.raises(OSError, match="No such file"):
            scratch.run(["no-such-program-here"], 1)
