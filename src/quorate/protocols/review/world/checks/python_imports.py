"""Resolving which project files a Python file imports when it is loaded.

Imports in functions, under `if TYPE_CHECKING:` and under `if __name__ == "__main__":` are made later or never, so they
do not count. A module is known by its place below the root, below any folder `src`, and below the folder in which its
outermost package lies. The standard library is never taken for a file of the project, and loading `a.b` does not count
as an import of the package `a`.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterable
from posixpath import dirname

from quorate.files.places import is_python


def parsed(text: str) -> ast.Module | None:
    """Parse Python; None if that fails for any reason."""
    try:
        return ast.parse(text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class PythonModules:
    """The modules of one tree, by name."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = {path for path in paths if is_python(path)}
        self._named: dict[str, set[str]] = defaultdict(set)
        for path in self._paths:
            for name in self._names(path):
                self._named[name].add(path)

    def imports(self, path: str, text: str) -> dict[str, int]:
        """Return the files that a file imports when it is loaded, each with the line of its first import."""
        tree = parsed(text)
        found: dict[str, int] = {}
        for node in _loaded(tree) if tree else []:
            for target in self._targets(path, node):
                if target != path:
                    found[target] = min(node.lineno, found.get(target, node.lineno))
        return found

    def _names(self, path: str) -> set[str]:
        parts = path.removesuffix(".py").split("/")
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        starts = {0} | {n + 1 for n, part in enumerate(parts) if part == "src"}
        folder, depth = dirname(path), path.count("/")
        while depth and f"{folder}/__init__.py" in self._paths:
            folder, depth = dirname(folder), depth - 1
        return {".".join(parts[start:]) for start in {*starts, depth} if parts[start:]}

    def _targets(self, path: str, node: ast.Import | ast.ImportFrom) -> list[str]:
        if isinstance(node, ast.Import):
            return [target for alias in node.names if (target := self._module(path, alias.name))]
        if node.level:
            return self._relative(path, node)
        base = node.module or ""
        return self._named_from(self._module(path, base), [self._module(path, f"{base}.{a.name}") for a in node.names])

    def _relative(self, path: str, node: ast.ImportFrom) -> list[str]:
        folder = dirname(path)
        for _ in range(node.level - 1):
            if not folder:
                return []
            folder = dirname(folder)
        base = "/".join(part for part in (folder, *(node.module or "").split(".")) if part)
        return self._named_from(self._file(base), [self._file(f"{base}/{alias.name}") for alias in node.names])

    @staticmethod
    def _named_from(base: str | None, names: list[str | None]) -> list[str]:
        """Return what `from base import names` loads: the submodules, and the base if a name is not a submodule."""
        below = [name for name in names if name is not None]
        return [*below, base] if base is not None and len(below) < len(names) else below

    def _file(self, place: str) -> str | None:
        place = place.strip("/")
        return next((each for each in (f"{place}.py", f"{place}/__init__.py") if each in self._paths), None)

    def _module(self, importer: str, name: str) -> str | None:
        if name.partition(".")[0] in sys.stdlib_module_names:
            return None
        known = self._named.get(name, set())
        if "." not in name:  # a bare name beside a script is known to its neighbours alone
            known = {path for path in known if _is_top(path) or dirname(path) == dirname(importer)}
        return min(known, key=lambda path: (-_shared(path, importer), path), default=None)


def _is_top(path: str) -> bool:
    folder = dirname(path.removesuffix("/__init__.py") if path.endswith("/__init__.py") else path)
    return folder == "" or folder.rpartition("/")[2] == "src" or path.endswith("/__init__.py")


def _shared(one: str, other: str) -> int:
    """Count the folders that two paths have in common."""
    count = 0
    for a, b in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if a != b:
            break
        count += 1
    return count


def _loaded(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    """Return the imports that are made while a module is loaded."""
    found: list[ast.Import | ast.ImportFrom] = []
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Import() | ast.ImportFrom():
                found.append(node)
            case ast.If() if _is_later(node.test):
                waiting += node.orelse
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                pass
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.stmt):
                        waiting.append(child)
                    elif isinstance(child, ast.ExceptHandler | ast.match_case):
                        waiting += child.body
    return found


def _is_later(test: ast.expr) -> bool:
    match test:
        case ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"):
            return True
        case ast.Compare(left=ast.Name(id="__name__")):
            return True
        case _:
            return False
