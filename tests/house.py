"""The house in numbers: `python -m tests.house` prints them; `test_tidy.py` holds them."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
PROTOCOLS = ("council", "debate", "review", "roundtable", "workshop")
READING = (
    *("core/types.py", "core/decisions.py", "core/protocol.py", "core/session.py", "core/engine.py"),
    *("protocols/debate/rules/model.py", "protocols/debate/rules/protocol.py"),
)
"""What one reads to know the engine and one protocol, in this order."""
ROOTS = {
    "quorate.cli.main": "the program",
    "quorate.authoring": "the public module of authors",
    "quorate.store.conformance": "the suite that whoever writes a store runs",
    "quorate.simulate.stop_rules": "for researchers: docs/how-to/save-tokens.md computes with it",
    "quorate_verifier.__main__": "a program of its own",
}
"""Where reaching begins, beside what entry points, definitions and tables of lazy names refer to."""
_REFERENCE = re.compile(r'"(quorate(?:_verifier)?(?:\.\w+)+):\w+"')
DEBATE = """\
import sys
from quorate.cli.main import cli
try:
    cli(["--store", "memory:", "debate", "What?", "--panel", sys.argv[1], "--seed", "1", "--no-input"])
except SystemExit:
    pass
print(sum(name == "quorate" or name.startswith("quorate.") for name in sys.modules), file=sys.stderr)
"""


@cache
def modules() -> dict[str, Path]:
    """Return every module of the product by its dotted name."""
    found = sorted(SOURCE.rglob("*.py"))
    return {".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path for path in found}


@cache
def tree(name: str) -> ast.Module:
    """Return the parsed source of a module."""
    return ast.parse(modules()[name].read_text(encoding="utf-8"))


def lines(path: Path) -> int:
    """Return how many lines a file has."""
    return len(path.read_text(encoding="utf-8").splitlines())


def reading_path() -> int:
    """Return how many lines of text one reads, blank ones not counted."""
    texts = ((SOURCE / "quorate" / name).read_text(encoding="utf-8") for name in READING)
    return sum(bool(line.strip()) for text in texts for line in text.splitlines())


def large_files(most: int = 300) -> dict[str, int]:
    """Return the modules that have more lines than they should."""
    return {name: lines(path) for name, path in modules().items() if lines(path) > most}


def knowing() -> list[str]:
    """Return modules outside of a protocol's folder that import it or name it in code."""
    found = []
    for name in modules():
        if name.startswith(("quorate.protocols.", "quorate_verifier")):
            continue
        if any(each in PROTOCOLS for each in _words(tree(name))) or any(
            imported.startswith("quorate.protocols.") for imported in imports(name)
        ):
            found.append(name)
    return found


def _words(node: ast.AST) -> Iterator[str]:
    """Yield the texts that code compares, looks up or passes on; docstrings and sentences are none."""
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value


def imports(name: str) -> set[str]:
    """Return the modules that a module imports, wherever the import stands."""
    found: set[str] = set()
    for node in ast.walk(tree(name)):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found.add(full if full in modules() else node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def unreached() -> list[str]:
    """Return modules that no program, entry point, definition or table of lazy names leads to."""
    todo = [name for name in ROOTS if name in modules()]
    todo += _REFERENCE.findall((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        if name in seen or name not in modules():
            continue
        seen.add(name)
        todo += imports(name)
        todo += _REFERENCE.findall(modules()[name].read_text(encoding="utf-8"))
        todo += _lazy(name)
        todo += [name.rpartition(".")[0]]
    return sorted(set(modules()) - seen)


def _lazy(name: str) -> list[str]:
    """What tables of a module name: modules beside it, or rooms of the package."""
    package = name if modules()[name].name == "__init__.py" else name.rpartition(".")[0]
    words = {word.partition(":")[0] for word in _words(tree(name))}
    beside = [f"{package}.{word}" for word in words if f"{package}.{word}" in modules()]
    return beside + [f"quorate.{word}" for word in words if f"quorate.{word}" in modules()]


def verbs() -> list[str]:
    """Return modules that are named by a gerund or a participle."""
    named = (name for name in modules() if name.startswith("quorate."))
    return [name for name in named if re.search(r"(ing|ed)$", name.rpartition(".")[2])]


def classes() -> dict[str, list[str]]:
    """Return the modules of every public class, by its name."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in modules():
        for node in tree(name).body if not name.startswith("quorate_verifier") else ():
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(name)
    return found


def loaded_for_a_debate() -> int:
    """Return how many modules of ours a debate with scripts loads."""
    with tempfile.TemporaryDirectory() as folder:
        panel = ROOT / "examples" / "scripted-panel.yaml"
        command = [sys.executable, "-c", DEBATE, str(panel)]
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return int(ran.stderr.splitlines()[-1])


BEFORE = {
    "modules": "838",
    "lines to read for the engine and one protocol": "2,145",
    "modules outside protocols/ that import or name one": "62",
    "modules loaded for a debate": "436",
    "modules named by a gerund or participle": "166",
    "public class names used more than once": "179 of 778",
    "modules that nothing reaches": "7",
    "files of more than 300 lines": "12",
}
"""As they were counted before the house was moved into."""


def figures() -> dict[str, str]:
    """Return the same figures, counted now."""
    known = classes()
    again = sum(len(where) > 1 for where in known.values())
    now = (
        *(len([name for name in modules() if name.startswith("quorate.")]), reading_path(), len(knowing())),
        *(loaded_for_a_debate(), len(verbs()), f"{again} of {len(known)}", len(unreached()), len(large_files())),
    )
    return {name: value if isinstance(value, str) else f"{value:,}" for name, value in zip(BEFORE, now, strict=True)}


def table() -> str:
    """Return both as a table in Markdown."""
    rows = (
        f"| {name} | {before} | {now} |" for (name, before), now in zip(BEFORE.items(), figures().values(), strict=True)
    )
    return "\n".join(("| figure | before | now |", "| --- | --- | --- |", *rows))


if __name__ == "__main__":
    print(table())
