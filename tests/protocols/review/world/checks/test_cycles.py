"""Circular imports: those that a change introduces, and no others."""

from __future__ import annotations

import random

import pytest

from quorate.kit.check_result import CheckStatus
from quorate.kit.findings import MOST_ALIKE, Severity
from quorate.kit.graph import chain, components
from quorate.protocols.review.world.checks.cycles import check_cycles
from tests.support.changes import change_of


def chains(before: dict[str, str], after: dict[str, str], **how: dict[str, str]) -> list[str]:
    return [f.evidence for f in check_cycles(change_of(before, after, **how)).findings]  # type: ignore[arg-type]


PACKAGE = {"p/__init__.py": "", "p/a.py": "from p import b\n", "p/b.py": "X = 1\n"}


@pytest.mark.parametrize(
    "line",
    [
        "import p.a",
        "from p import a",
        "from p.a import x",
        "from . import a",
        "from .a import x",
        "from ..p import a",
        "try:\n    import p.a\nexcept ImportError:\n    pass",
        "if True:\n    from .a import x",
        "class C:\n    from .a import x",
    ],
)
def test_python_imports_that_close_a_circle_are_found(line: str) -> None:
    result = check_cycles(change_of(PACKAGE, {**PACKAGE, "p/b.py": f"{line}\n"}))
    (finding,) = result.findings
    assert (finding.severity, finding.veto, finding.rule) == (Severity.CRITICAL, "circular dependency", "imports/cycle")
    assert finding.evidence == "p/b.py -> p/a.py -> p/b.py"
    assert finding.path == "p/b.py"
    assert finding.line == next(n for n, text in enumerate(line.split("\n"), 1) if "import" in text)


@pytest.mark.parametrize(
    "text",
    [
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p import a\n",
        "import typing as t\nif t.TYPE_CHECKING:\n    from p import a\n",
        "def f():\n    from p import a\n",
        "async def f():\n    import p.a\n",
        "if __name__ == '__main__':\n    import p.a\n",
        "import json\nimport p\n",
        "# import p.a\nX = 'import p.a'\n",
        "from p import c\n",
        "import a\n",
    ],
)
def test_python_imports_that_come_later_or_lead_elsewhere_do_not_count(text: str) -> None:
    assert chains(PACKAGE, {**PACKAGE, "p/b.py": text}) == []


def test_a_src_layout_and_a_longer_circle() -> None:
    before = {
        "src/q/__init__.py": "",
        "src/q/a.py": "from q.b import B\n",
        "src/q/b.py": "from .deep.c import C\n",
        "src/q/deep/__init__.py": "",
        "src/q/deep/c.py": "",
    }
    after = {**before, "src/q/deep/c.py": "from ..a import A\n"}
    assert chains(before, after) == ["src/q/deep/c.py -> src/q/a.py -> src/q/b.py -> src/q/deep/c.py"]


def test_a_package_that_offers_its_modules_is_no_circle_unless_they_ask_it() -> None:
    before = {"p/__init__.py": "from .a import A\n", "p/a.py": "A = 1\n", "p/b.py": "B = 1\n"}
    assert chains(before, {**before, "p/a.py": "from p.b import B\nA = B\n"}) == []
    assert chains(before, {**before, "p/a.py": "from p import VERSION\nA = 1\n"}) == [
        "p/a.py -> p/__init__.py -> p/a.py"
    ]


def test_the_standard_library_is_not_taken_for_a_file() -> None:
    after = {
        "x/logging.py": "import x.types\n",
        "x/types.py": "import logging\n",
        "types.py": "import json\n",
        "json.py": "import types\n",
    }
    assert chains({}, after) == []


def test_a_circle_that_was_there_is_not_blamed_on_the_change() -> None:
    before = {**PACKAGE, "p/b.py": "import p.a\n"}
    assert chains(before, {**before, "p/b.py": "from p.a import x\nY = 2\n"}) == []
    three = {**before, "p/c.py": "import p.a\n", "p/a.py": "from p import b, c\n"}
    assert chains(three, {**three, "p/c.py": "import p.a\nimport p.b\n"}) == [], "an old tangle with one more thread"
    assert chains(before, {**before, "p/c.py": "import p.a\n", "p/a.py": "from p import b, c\n"}) == [
        "p/a.py -> p/c.py -> p/a.py"
    ]


def test_a_circle_that_moves_is_not_new() -> None:
    before = {**PACKAGE, "p/b.py": "import p.a\n"}
    after = {"p/__init__.py": "", "p/a.py": "from p import z\n", "p/z.py": "import p.a\n"}
    assert chains(before, after, moved={"p/z.py": "p/b.py"}) == []


@pytest.mark.parametrize(
    ("target", "line"),
    [
        ("a.ts", "import { a } from './a'\na()"),
        ("a.ts", "import a from './a.js'\nnew a()"),
        ("a.tsx", "import * as a from './a'\na.x"),
        ("a/index.ts", "import { a } from './a'\nconst x = a"),
        ("a.ts", "import './a'"),
        ("a.ts", "export * from './a'"),
        ("a.ts", "export { a } from './a'"),
        ("a.ts", "import { type T, a as b } from './a'\nclass C extends b {}"),
        ("a.tsx", "import { A } from './a'\nconst x = () => (<A b='c' />)"),
        ("a.ts", "import type { T } from './t'\nimport { a } from './a' // x\nreturn a(`${1}`)"),
    ],
)
def test_script_imports_that_close_a_circle_are_found(target: str, line: str) -> None:
    up = "../b" if "/" in target else "./b"
    before = {target: f"import {{ b }} from '{up}'\nexport const a = b()\n", "b.tsx": "export const b = 1\n"}
    found = chains(before, {**before, "b.tsx": f"{line}\n"})
    assert found == [f"b.tsx -> {target} -> b.tsx"]


@pytest.mark.parametrize(
    "text",
    [
        "import type { A } from './a'\nexport const b = (x: A) => x\n",
        "import { type A, type C } from './a'\n",
        "import { A } from './a'\nexport function b(x: A, y: Array<A>): A | null { return null }\n",
        "import { A } from './a'\ninterface B extends A {}\n",
        "import { A } from './a'\nfunction f<T extends A>(x: T) {}\n",
        "// import { a } from './a'\n/* import './a' */\n",
        'const s = "import { a } from \'./a\'"\nconst t = `import "./a"`\n',
        "const load = () => import('./a')\n",
        "function f() { return require('./a') }\n",
        "const f = () => require('./a')\n",
        "import a from 'a'\na()\n",
        "import { a } from './elsewhere'\na()\n",
        "const r = /import '.\\/a'/\n",
    ],
)
def test_script_imports_that_leave_nothing_behind_do_not_count(text: str) -> None:
    before = {"a.ts": "import { b } from './b'\nexport const a = b()\n", "b.ts": "export const b = 1\n"}
    assert chains(before, {**before, "b.ts": text}) == []


def test_require_closes_a_circle_in_javascript() -> None:
    before = {"lib/a.js": "const b = require('./b')\n", "lib/b.js": ""}
    after = {**before, "lib/b.js": "const { x } = require('../lib/a')\n"}
    assert chains(before, after) == ["lib/b.js -> lib/a.js -> lib/b.js"]


def test_nothing_to_look_at_is_said() -> None:
    other = check_cycles(change_of({"a.go": ""}, {"a.go": "x\n", "b.rs": "y\n"}))
    assert (other.status, other.reason) == (CheckStatus.SKIP, "imports are not known for .go, .rs")
    diff = check_cycles(change_of({"a.py": ""}, {"a.py": "import b\n"}, trees=False))
    assert diff.status is CheckStatus.SKIP
    mixed = check_cycles(change_of({}, {"a.py": "import os\n", "b.rs": "y\n"}))
    assert (mixed.status, mixed.reason) == (
        CheckStatus.PASS,
        "followed the imports of 1 file; imports are not known for .rs",
    )


def test_everything_imports_everything() -> None:
    names = [f"m{n}" for n in range(60)]
    text = "".join(f"from . import {name}\n" for name in names)
    after = {"p/__init__.py": "", **{f"p/{name}.py": text for name in names}}
    result = check_cycles(change_of({"p/__init__.py": ""}, after))
    assert len(result.findings) == MOST_ALIKE
    assert all(f.veto for f in result.findings)
    assert "10 more findings are not listed" in result.reason


def test_a_very_long_circle_does_not_run_out_of_stack() -> None:
    count = 3_000
    after = {f"p/m{n}.py": f"from . import m{(n + 1) % count}\n" for n in range(count)}
    before = {**after, "p/m0.py": ""}
    (told,) = chains(before, after)
    assert told.startswith("p/m0.py -> p/m1.py")
    assert "…" in told


def test_components_agree_with_reachability() -> None:
    for seed in range(60):
        dice = random.Random(seed)
        nodes = [str(n) for n in range(8)]
        graph = {node: [other for other in nodes if dice.random() < 0.18] for node in nodes}
        number = components(graph)
        for one in nodes:
            for other in nodes:
                mutual = bool(chain(graph, one, other)) and bool(chain(graph, other, one))
                assert (number[one] == number[other]) == mutual
