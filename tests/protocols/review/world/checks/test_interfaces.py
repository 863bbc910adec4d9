"""Public interfaces: what breaks callers is found, what does not is left alone, and documents count."""

from __future__ import annotations

import pytest

from quorate.kit.check_result import CheckStatus
from quorate.kit.findings import Severity
from quorate.protocols.review.world.checks.interfaces import check_interfaces, interfaces_changed
from tests.support.changes import change_of


def told(before: str, after: str, path: str = "m.py") -> list[tuple[str, Severity, str]]:
    findings = check_interfaces(change_of({path: before}, {path: after})).findings
    return [(f.rule.partition("/")[2], f.severity, f.message.partition(". ")[0]) for f in findings]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("def f(a): 'd'", "", "The public name f is gone"),
        ("def f(a): 'd'", "def g(a): 'd'", "The public name f is gone"),
        ("X = 1", "Y = 1", "The public name X is gone"),
        ("class A: 'd'", "class _A: 'd'", "The public name A is gone"),
        ("class A:\n  def x(self): 'd'", "class A:\n  def y(self): 'd'", "The public name A.x is gone"),
        ("__all__ = ['_f']\ndef _f(): 'd'", "__all__ = []\n", "The public name _f is gone"),
    ],
)
def test_a_name_that_is_gone_is_high(before: str, after: str, said: str) -> None:
    assert told(before + "\n", after + "\n") == [("removed", Severity.HIGH, said)]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("a, b", "a", "f no longer takes b"),
        ("a, b", "b, a", "f takes a at another position"),
        ("a", "a, b", "f now requires b"),
        ("a, b=1", "a, b", "f now requires b"),
        ("a, b=1", "a, c=2, b=1", "f takes c where b was"),
        ("a, b=1", "a, *, b=1", "f takes b by name alone"),
        ("a, *rest", "a", "f no longer takes any number of arguments"),
        ("a, *, b=1", "a", "f no longer takes b"),
        ("a, *, b=1", "a, *, b", "f now requires b"),
    ],
)
def test_parameters_that_break_callers_are_high(before: str, after: str, said: str) -> None:
    assert told(f"def f({before}): 'd'\n", f"def f({after}): 'd'\n") == [("changed", Severity.HIGH, said)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a", "a, b=1"),
        ("a", "a, *, b=1"),
        ("a", "a, *rest, **more"),
        ("a, /", "b, /"),
        ("a: int", "a: str = 'x'"),
        ("a, b", "a, *rest, **more"),
    ],
)
def test_parameters_that_break_nobody_are_no_finding(before: str, after: str) -> None:
    assert told(f"def f({before}): 'd'\n", f"def f({after}): 'd'\n") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(a): 'd'\n", "from n import f\n"),
        ("def _f(a): 'd'\n", ""),
        ("__all__ = ['g']\ndef f(): 'd'\ndef g(): 'd'\n", "__all__ = ['g']\ndef g(): 'd'\n"),
        ("class A:\n  def x(self): 'd'\n", "class A(B):\n  y = 1\n"),
        ("class A:\n  def _x(self): 'd'\n", "class A:\n  y = 1\n"),
        ("def f(a): 'd'\n", "from n import *\n"),
        ("@property\ndef f(a): 'd'\n", "@other\ndef f(a, b): 'd'\n"),
    ],
)
def test_what_is_not_public_or_still_there_is_no_finding(before: str, after: str) -> None:
    assert [each for each in told(before, after) if each[1] is Severity.HIGH] == []


def test_methods_constructors_and_dataclasses_have_parameters() -> None:
    before = "class A:\n  def __init__(self, a): 'd'\n  @staticmethod\n  def s(x): 'd'\n"
    after = before.replace("self, a", "self, a, b").replace("s(x)", "s(x, y)")
    assert [said for _, _, said in told(before, after)] == ["A.__init__ now requires b", "A.s now requires y"]
    fields = "@dataclass(frozen=True)\nclass P:\n  a: int\n  b: int = 1\n"
    assert [s for _, _, s in told(fields, fields.replace("  a: int\n", "  a: int\n  c: int\n"))] == [
        "P takes c where b was; now requires c"
    ]
    assert told(fields, fields + "  c: int = 2\n") == []


def test_what_a_document_of_the_change_names_is_a_note() -> None:
    before = {"m.py": "def fetch_all(a, b): 'd'\n", "CHANGELOG.md": "# Changes\n"}
    after = {"m.py": "def fetch_all(a): 'd'\n", "CHANGELOG.md": "# Changes\n\n`fetch_all` no longer takes b.\n"}
    assert [f.severity for f in check_interfaces(change_of(before, after)).findings] == [Severity.LOW]
    old_word = {**after, "CHANGELOG.md": before["CHANGELOG.md"]}
    assert [f.severity for f in check_interfaces(change_of(before, old_word)).findings] == [Severity.HIGH]


def test_a_module_that_is_gone_or_moved_is_one_finding() -> None:
    text = "def f(a): 'd'\ndef g(a): 'd'\n"
    (gone,) = check_interfaces(change_of({"m.py": text}, {})).findings
    assert (gone.rule, gone.severity, gone.path) == ("interface/removed", Severity.HIGH, "m.py")
    assert "f, g" in gone.message
    (moved,) = check_interfaces(change_of({"m.py": text}, {"n.py": text}, moved={"n.py": "m.py"})).findings
    assert (moved.rule, moved.path) == ("interface/removed", "n.py")
    assert "m.py was moved" in moved.message


def test_an_addition_wants_a_sentence() -> None:
    assert told("", "def f(): pass\n") == [("undocumented", Severity.LOW, "The new public name f is not documented")]
    assert told("", "def f():\n  'What it does.'\n") == []
    assert told("", "def _f(): pass\n") == []
    assert told("", "/** What it does. */\nexport function f() {}\n", "m.ts") == []
    assert [each[0] for each in told("", "export function f() {}\n", "m.ts")] == ["undocumented"]


SCRIPT = """
export function plain(a: string, b?: number): void {}
export const arrow = async (x: Map<string, number>, y = 1) => x
export class Thing {}
export interface Shape { a: string }
export default function (q) {}
function local(z) {}
export { local as outside, Shape as Other }
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("plain(a: string, b?: number)", "plain(a: string)", "plain no longer takes b"),
        ("plain(a: string, b?: number)", "plain(b: number, a: string)", "plain takes a at another position"),
        ("plain(a: string, b?: number)", "plain(a: string, b: number)", "plain now requires b"),
        ("number>, y = 1)", "number>, y)", "arrow now requires y"),
        ("export class Thing", "class Thing", "The public name Thing is gone"),
        ("export interface Shape", "export interface Form", "The public name Shape is gone"),
        ("default function (q)", "default function (q, r)", "default now requires r"),
        ("local(z)", "local(z, y)", "outside now requires y"),
        ("local as outside, ", "", "The public name outside is gone"),
    ],
)
def test_exports_that_break_importers_are_high(old: str, new: str, said: str) -> None:
    high = [each[2] for each in told(SCRIPT, SCRIPT.replace(old, new), "src/m.ts") if each[1] is Severity.HIGH]
    assert high == [said]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a: string, b?: number", "c: string, d?: number"),
        ("a: string, b?: number", "a: string, b?: number, c = { x: 1, y: [2] }"),
        ("a: string, b?: number", "a: Record<string, Array<number>>, ...rest: string[]"),
        ("class Thing {}", "class Thing { /* export const gone = 1 */ }"),
    ],
)
def test_exports_that_break_nobody_are_no_finding(old: str, new: str) -> None:
    assert told(SCRIPT, SCRIPT.replace(old, new), "src/m.ts") == []


def test_exports_of_common_modules() -> None:
    before = "function f(a) {}\nmodule.exports = { f, g: 1, h() { return { inner: 1 } } }\nexports.k = (a) => a\n"
    after = "function f(a, b) {}\nmodule.exports = { f, g: 1 }\nmodule.exports.k = (a, b = 1) => a\n"
    assert [each[2] for each in told(before, after, "m.js")] == ["The public name h is gone", "f now requires b"]


@pytest.mark.parametrize(
    "path",
    ["tests/m.py", "test_m.py", "_m.py", "_inner/m.py", "docs/m.py", "scripts/m.py", "src/m.test.ts", "x/conftest.py"],
)
def test_places_without_an_interface_are_skipped(path: str) -> None:
    change = change_of({path: "def f(a): 'd'\n"}, {path: "def f(): 'd'\n"})
    assert check_interfaces(change).status is CheckStatus.SKIP
    assert not interfaces_changed(change)


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ("def f(a):\n  return 1\n", "def f(a):\n  return 2\n", False),
        ("def f(a):\n  return 1\n", "def f(a, b=1):\n  return 1\n", True),
        ("def f(a):\n  return 1\n", "def f(a):\n  return 1\ndef g(): pass\n", True),
        ("def f(a):\n  return 1\n", "def f(a):\n  return 1\ndef _g(): pass\n", False),
        ("def f(a):\n  return 1\n", "", True),
    ],
)
def test_the_election_hears_of_every_change_of_an_interface(before: str, after: str, changed: bool) -> None:
    assert interfaces_changed(change_of({"m.py": before}, {"m.py": after})) is changed


def test_nothing_to_look_at_is_said() -> None:
    other = check_interfaces(change_of({"a.go": ""}, {"a.go": "x\n"}))
    assert (other.status, other.reason) == (CheckStatus.SKIP, "interfaces are not known for .go")
    assert check_interfaces(change_of({"a.py": ""}, {"a.py": "def f(): 1\n"}, trees=False)).status is CheckStatus.SKIP
    broken = check_interfaces(change_of({"a.py": "", "b.py": ""}, {"a.py": "def f(:\n", "b.py": "X = 1\n"}))
    assert (broken.status, broken.reason) == (
        CheckStatus.PASS,
        "compared the public interfaces of 1 file; not compared: a.py",
    )
