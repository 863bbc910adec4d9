"""House rules: files with mistakes are refused with their place, and each kind of demand holds what it says."""

from __future__ import annotations

import sys
from pathlib import Path

import jsonschema
import pytest

from quorate.core.errors import InputError
from quorate.files.yaml import load
from quorate.kit.check_result import CheckResult, CheckStatus
from quorate.kit.findings import Severity
from quorate.protocols.review.rules.model import VetoClass
from quorate.protocols.review.world.change.globs import matches
from quorate.protocols.review.world.checks.house import house_check, load_rules, rules_for, rules_schema
from quorate.protocols.review.world.checks.rules_file import VETOES
from tests.docs.book import blocks
from tests.support.changes import change_of

ROOT = Path(__file__).parents[5]
FCA = ROOT / "examples" / "fca-ai.rules.yaml"


def rules(demand: str, paths: str = '"**"', more: str = "") -> str:
    return f"rules:\n- id: one\n  severity: high\n  paths: {paths}\n  message: Do otherwise.\n  {demand}\n{more}"


def held(text: str, before: dict[str, str], after: dict[str, str], **how: object) -> CheckResult:
    return house_check(load_rules(text, "rules.yaml"))(change_of(before, after, **how))  # type: ignore[arg-type]


# The file


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("rule: []\n", 1, "did you mean 'rules'?"),
        (rules("patern: x"), 6, "did you mean 'pattern'?"),
        (rules("pattern: '('"), 6, "not a valid regular expression"),
        (rules("pattern: x\n  most_lines: 3"), 2, "has pattern and most_lines together"),
        (rules("veto: rule violation"), 2, "has no demand"),
        (rules("pattern: x\n  veto: rule violatoin"), 7, "did you mean 'rule violation'?"),
        (rules("pattern: x").replace("high", "hgih"), 3, "did you mean 'high'?"),
        (rules("pattern: x").replace("  message: Do otherwise.\n", ""), 2, "has no message"),
        (rules("pattern: x").replace("id: one", "id: One rule"), 2, "lowercase letters"),
        (rules("pattern: x", "['!a']"), 4, "selects no files, or has too many globs"),
        (rules("pattern: x", "'a\\b'"), 4, "glob"),
        (rules("most_lines: 0"), 6, "a whole number from 1"),
        (rules("must_contain: []"), 6, "a list of 1 to 20"),
        (rules("most_matches: {pattern: x}"), 6, "pattern and count"),
        (rules("forbidden: false"), 6, "expected true"),
        (rules("beside: a/b"), 6, "without folders"),
        (rules("command: wc -l"), 6, "expected a list"),
        (rules("command: [tools/check]"), 6, "{base}/tools/check"),
        (rules("command: [python, tools/check.py]"), 6, "{base}/tools/check.py"),
        (rules("command: [npm, test]"), 6, "runs commands that the change may alter"),
        (rules("pattern: x\n  timeout: 3"), 7, "no timeout, or a command"),
        (rules("command: [wc]\n  timeout: 601"), 7, "from 1 to 600"),
        (
            rules("pattern: x", more="- id: one\n  severity: low\n  paths: a\n  message: m\n  pattern: y\n"),
            7,
            "used twice",
        ),
    ],
)
def test_a_mistake_in_the_file_is_told_with_its_place(text: str, line: int, said: str) -> None:
    with pytest.raises(InputError) as error:
        load_rules(text, "rules.yaml")
    assert error.value.file == "rules.yaml"
    assert error.value.line == line
    assert said in str(error.value)


def test_a_file_without_rules_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="rules: is missing"):
        load_rules("{}", "rules.yaml")
    with pytest.raises(InputError, match="cannot be read"):
        load_rules(tmp_path / "none.yaml")


def test_the_schema_takes_what_the_loader_takes() -> None:
    schema = rules_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid(load(FCA).plain())
    for demand in ("pattern: x", "most_lines: 3", "forbidden: true", "beside: a", "command: [wc, -l]\n  timeout: 3"):
        assert validator.is_valid(load(rules(demand), "r.yaml").plain())
    for demand in ("patern: x", "pattern: x\n  most_lines: 3", "veto: rule violation", "pattern: x\n  timeout: 3"):
        assert not validator.is_valid(load(rules(demand), "r.yaml").plain())


def test_the_classes_of_veto_are_those_of_the_protocol() -> None:
    assert set(VETOES) == {each.value for each in VetoClass} - {VetoClass.NONE.value}


@pytest.mark.parametrize(
    ("glob", "path", "does"),
    [
        ("*.py", "a/b/c.py", True),
        ("*.py", "c.pyc", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/a/b/c.py", True),
        ("**/utils/*", "utils/a", True),
        ("**/utils/**", "x/utils/a/b", True),
        ("**/utils/**", "x/utils", False),
        ("**", "a/b", True),
        ("src/{a,b}/*.{ts,tsx}", "src/b/x.tsx", True),
        ("src/{a,b}/*.{ts,tsx}", "src/c/x.ts", False),
        ("a?c", "abc", True),
        ("[ab].md", "b.md", True),
        ("src", "src/a", False),
    ],
)
def test_globs(glob: str, path: str, does: bool) -> None:
    assert matches([glob], path) is does
    assert not matches([glob, f"!{glob}"], path)


# The demands


def test_a_pattern_is_about_added_lines() -> None:
    text = rules("pattern: '\\bprint\\('\n  veto: rule violation", '["src/**", "!src/own/*"]')
    before = {"src/a.py": "print(1)\n", "src/own/b.py": "", "c.py": ""}
    after = {"src/a.py": "print(1)\nx = 2\nprint(3)\n", "src/own/b.py": "print(1)\n", "c.py": "print(1)\n"}
    result = held(text, before, after)
    (finding,) = result.findings
    assert (finding.rule, finding.severity, finding.path, finding.line) == ("house/one", Severity.HIGH, "src/a.py", 3)
    assert (finding.evidence, finding.veto, finding.message) == ("print(3)", "rule violation", "Do otherwise.")
    assert result.reason == "1 rule of 1 concerned this change: one"


@pytest.mark.parametrize(
    ("before", "after", "found"), [(0, 3, 0), (0, 4, 1), (5, 5, 0), (5, 4, 0), (5, 6, 1), (2, 4, 1)]
)
def test_a_cap_of_lines_is_broken_by_whoever_makes_it_worse(before: int, after: int, found: int) -> None:
    result = held(
        rules("most_lines: 3"), {"a.md": "x\n" * before}, {"a.md": "x\n" * after + ("y" if before == after else "")}
    )
    assert len(result.findings) == found or (before == after and len(result.findings) == 1)


def test_what_must_be_there_may_not_be_taken_away() -> None:
    text = rules("must_contain: ['^# Why', '^# How']")
    assert len(held(text, {}, {"a.md": "x\n"}).findings) == 2
    (finding,) = held(text, {}, {"a.md": "# Why\n"}).findings
    assert finding.evidence == "no line matches ^# How"
    assert held(text, {"a.md": "x\n"}, {"a.md": "y\n"}).findings == (), "it was missing before"
    assert len(held(text, {"a.md": "# Why\n# How\n"}, {"a.md": "# Why\n"}).findings) == 1


def test_matches_are_counted_by_line() -> None:
    text = rules("most_matches: {pattern: '^it', count: 2}")
    assert held(text, {}, {"a": "it\nit\nx\n"}).findings == ()
    (finding,) = held(text, {}, {"a": "it\nit\nx\nit\n"}).findings
    assert finding.line == 4
    assert held(text, {"a": "it\n" * 4}, {"a": "it\n" * 4 + "x\n"}).findings == ()


def test_files_that_may_not_be_there_and_files_that_must() -> None:
    forbidden = rules("forbidden: true", "'*.lock'")
    assert [f.path for f in held(forbidden, {"b.lock": "x\n"}, {"a.lock": "x\n", "b.lock": "y\n"}).findings] == [
        "a.lock"
    ]
    beside = rules("beside: README.md", "'p/**/index.ts'")
    assert [
        f.path for f in held(beside, {}, {"p/a/index.ts": "", "p/b/index.ts": "", "p/b/README.md": ""}).findings
    ] == ["p/a/index.ts"]
    old = {"p/a/index.ts": "1\n", "p/a/README.md": "x\n", "p/c/index.ts": "1\n"}
    assert [f.path for f in held(beside, old, {"p/a/index.ts": "1\n", "p/c/index.ts": "2\n"}).findings] == [
        "p/a/index.ts"
    ]


def test_a_pattern_that_never_ends_is_ended_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quorate.protocols.review.world.checks.matcher.ONCE", 1.5)
    text = rules("pattern: '(a+)+$'", more=rules("pattern: 'b$'").replace("rules:\n", "").replace("one", "two"))
    result = held(text, {}, {"a.txt": "a" * 60 + "b\n"})
    assert [(f.rule, f.line) for f in result.findings] == [("house/one", 0), ("house/two", 1)]
    assert "took too long" in result.findings[0].message


# Commands

LISTS_TABS = """
import sys, pathlib
bad = 0
for path in sorted(pathlib.Path('.').rglob('*.txt')):
    for number, line in enumerate(path.read_text().split(chr(10)), 1):
        if chr(9) in line:
            print(f'{path}:{number}: has a tab')
            bad = 1
sys.exit(bad)
"""


def commanded(*words: str, more: str = "") -> str:
    return rules(f"command: {list(words)}{more}".replace("'", '"'))


def test_a_command_of_the_base_reads_the_files_of_the_change() -> None:
    text = commanded(sys.executable, "{base}/tools/tabs.py")
    before = {"tools/tabs.py": LISTS_TABS, "a.txt": "\told\nx\n", "b.txt": "\told\n"}
    result = held(text, before, {**before, "a.txt": "\told\n\tnew\n"})
    (finding,) = result.findings
    assert (finding.path, finding.line, finding.message, finding.evidence) == (
        "a.txt",
        2,
        "Do otherwise. has a tab",
        "new",
    )
    clean = held(text, before, {**before, "a.txt": "\told\nnew\n"})
    assert clean.status is CheckStatus.PASS, "what it says of other lines is old"


def test_a_command_is_never_the_one_of_the_change(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    text = commanded(sys.executable, "{base}/tools/tabs.py")
    before = {"tools/tabs.py": "import helper\n", "tools/helper.py": "", "a.txt": "x\n"}
    evil = f"open({str(trace)!r}, 'w').write('ran')\n"
    after = {
        "tools/tabs.py": evil,
        "tools/helper.py": evil,
        "helper.py": evil,
        "sitecustomize.py": evil,
        "a.txt": "y\n",
    }
    assert held(text, before, after).status is CheckStatus.PASS
    module = commanded(sys.executable, "-m", "json.tool", "--help")
    assert held(module, before, {**after, "json.py": evil, "json/__init__.py": evil}).status is CheckStatus.PASS
    assert not trace.exists()


def test_a_command_that_says_nothing_hangs_or_is_not_there_is_told() -> None:
    change = ({"a.txt": "x\n"}, {"a.txt": "y\n"})
    (silent,) = held(commanded("false"), *change).findings
    assert "it ended with 1" in silent.message
    (late,) = held(commanded("sleep", "60", more="\n  timeout: 1"), *change).findings
    assert "did not end in time" in late.message
    missing = held(commanded("no-such-program-here"), *change)
    assert missing.findings == ()
    assert "not run: one (no-such-program-here" in missing.reason
    diff = held(commanded("false"), *change, trees=False)
    assert "only a diff is known" in diff.reason


def test_a_command_does_not_inherit_our_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "mine")
    (finding,) = held(commanded("sh", "-c", "env; exit 1"), {}, {"a.txt": "y\n"}).findings
    assert "mine" not in finding.message
    result = held(commanded("sh", "-c", "env | grep -c API_KEY; exit 1"), {}, {"a.txt": "y\n"})
    assert [f.evidence for f in result.findings] == ["0"]


# Whose rules


def test_rules_are_those_before_the_change(tmp_path: Path) -> None:
    file = tmp_path / "quorate.rules.yaml"
    strict, lax = rules("pattern: x"), rules("pattern: never")
    file.write_text(lax)
    both = change_of({file.name: strict}, {file.name: lax, "a.txt": "x\n"}, root=str(tmp_path))
    assert rules_for(both, file) == load_rules(strict, file.name)
    assert house_check(rules_for(both, file))(both).status is CheckStatus.FAIL
    new = change_of({}, {file.name: lax}, root=str(tmp_path))
    result = house_check(rules_for(new, file))(new)
    assert (result.status, result.reason) == (
        CheckStatus.SKIP,
        f"{file.name} is new, and counts from the next change on",
    )
    outside = change_of({file.name: strict}, {file.name: strict, "a": "x\n"}, root=str(tmp_path / "repo"))
    assert rules_for(outside, file) == load_rules(file)
    untracked = change_of({}, {"a": "x\n"}, root=str(tmp_path))
    assert rules_for(untracked, file) == load_rules(file)


# What is shipped


def fca(before: dict[str, str], after: dict[str, str]) -> dict[str, str]:
    result = house_check(load_rules(FCA))(change_of(before, after))
    return {f.rule.removeprefix("house/"): f.path for f in result.findings}


TIERS = "# Always do\n# Ask first\n# Never do\n"


def test_fca_ai_holds_for_a_good_change_and_names_each_breach() -> None:
    good = {
        "src/pay/index.ts": "import { x } from './utils/x'\n",
        "src/pay/CLAUDE.md": TIERS,
        "src/pay/utils/x.ts": "1\n",
    }
    assert fca({}, good) == {}
    assert fca({}, {"src/pay/index.ts": "1\n"}) == {"fractal-without-boundary-document": "src/pay/index.ts"}
    assert fca(good, {**good, "src/pay/utils/CLAUDE.md": TIERS}) == {
        "organ-with-boundary-document": "src/pay/utils/CLAUDE.md"
    }
    assert fca(good, {**good, "src/pay/CLAUDE.md": TIERS + "x\n" * 42}) == {
        "boundary-document-nearly-too-long": "src/pay/CLAUDE.md"
    }
    assert "boundary-document-too-long" in fca(good, {**good, "src/pay/CLAUDE.md": TIERS + "x\n" * 48})
    assert fca(good, {**good, "src/pay/CLAUDE.md": "# Always do\n# Ask first\n"}) == {
        "boundary-document-without-tiers": "src/pay/CLAUDE.md"
    }
    cases = "".join(f"  it('does {n}', () => {{}})\n" for n in range(16))
    assert fca({}, {"src/pay/a.spec.ts": cases}) == {"too-many-test-cases": "src/pay/a.spec.ts"}
    assert fca({}, {"src/pay/a.spec.ts": "".join(cases.splitlines(keepends=True)[:15])}) == {}
    reach = "import { y } from '../users/model'\n"
    assert fca(good, {**good, "src/pay/a.ts": reach}) == {"sibling-fractal-import": "src/pay/a.ts"}
    assert fca(good, {**good, "src/pay/a.ts": reach.replace("users", "utils")}) == {}


@pytest.mark.parametrize(
    "block", [b for b in blocks(ROOT / "docs/reference/rules-file.md") if b.language == "yaml"], ids=str
)
def test_every_example_of_the_reference_loads(block: object) -> None:
    assert load_rules(block.body, "page").rules  # type: ignore[attr-defined]
