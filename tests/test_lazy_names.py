"""Packages that load their names when first asked for: mypy takes any name from them, so this looks instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"


def _imports() -> Iterator[tuple[str, str, str]]:
    """Every name that is imported from a package which loads its names late, with the place."""
    for file in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and _loads_late(node.module):
                yield from (
                    (f"{file.relative_to(SOURCE)}:{node.lineno}", node.module, each.name) for each in node.names
                )


@cache
def _loads_late(module: str) -> bool:
    file = SOURCE.joinpath(*module.split("."), "__init__.py")
    return file.is_file() and "__getattr__" in file.read_text(encoding="utf-8")


def test_every_name_that_is_imported_from_a_package_with_late_names_is_there() -> None:
    found = list(_imports())
    assert any(module == "quorate.api" for _, module, _ in found)
    gone = [
        f"{place}: {name} of {module}"
        for place, module, name in found
        if find_spec(f"{module}.{name}") is None and not hasattr(import_module(module), name)
    ]
    assert gone == []
