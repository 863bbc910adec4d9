"""The public surface of a Python module: functions, classes, their methods and fields, and other names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from posixpath import basename

from quorate.protocols.review.world.checks.python_imports import parsed
from quorate.protocols.review.world.checks.surface import Parameter, PublicName, PublicSurface, Takes

Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_surface(path: str, text: str) -> PublicSurface | None:
    """Return the public names of a module; None if it cannot be parsed.

    `__all__` decides where it is a plain list. Otherwise a name is public that does not begin with an underscore and
    is defined here; in an `__init__.py` also what it takes in from elsewhere.
    """
    tree = parsed(text)
    if tree is None:
        return None
    items: dict[str, PublicName] = {}
    taken_in: dict[str, PublicName] = {}
    declared: list[str] | None = None
    inheriting: set[str] = set()
    is_open = False
    for node in _statements(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                items[node.name] = _function(node, node.name, bound=False)
            case ast.ClassDef():
                items.update(_class(node))
                inheriting |= {node.name} if node.bases else set()
            case ast.Import() | ast.ImportFrom():
                names = [alias.asname or alias.name.partition(".")[0] for alias in node.names]
                is_open = is_open or "*" in names
                taken_in.update({name: PublicName(name, node.lineno, documented=True) for name in names})
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                names = _assigned(node)
                if "__all__" in names:
                    declared = _listed(node, declared)
                items.update(
                    {name: PublicName(name, node.lineno, documented=True) for name in names if name not in items}
                )
            case _:
                pass
    if basename(path) == "__init__.py" or declared is not None:
        items = {**taken_in, **items}
    public = {key: item for key, item in items.items() if _is_public(key, declared)}
    return PublicSurface(public, frozenset(items) | frozenset(taken_in), frozenset(inheriting), is_open)


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements run when a module is loaded, except those in classes."""
    waiting: list[ast.stmt] = list(reversed(tree.body))
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With):
            inner = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)]
            handled = [each for handler in getattr(node, "handlers", []) for each in handler.body]
            waiting += reversed([*inner, *handled])


def _is_public(key: str, declared: list[str] | None) -> bool:
    first, _, below = key.partition(".")
    if declared is not None and first not in declared:
        return False
    return (declared is not None or not first.startswith("_")) and (not below.startswith("_") or below == "__init__")


def _assigned(node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]


def _listed(node: ast.Assign | ast.AnnAssign | ast.AugAssign, before: list[str] | None) -> list[str] | None:
    if not isinstance(node.value, ast.List | ast.Tuple):
        return None
    names = [each.value for each in node.value.elts if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return [*(before or []), *names] if isinstance(node, ast.AugAssign) else names


def _function(node: Function, name: str, *, bound: bool) -> PublicName:
    """Return a function as an item; for a `bound` method without its first parameter."""
    arguments = node.args
    known = _tail_names(node.decorator_list) <= {
        "staticmethod",
        "classmethod",
        "abstractmethod",
        "override",
        "overload",
    }
    plain = [*arguments.posonlyargs, *arguments.args]
    without = len(plain) - len(arguments.defaults)
    taken = [
        Parameter(each.arg, n < without, Takes.POSITION if n < len(arguments.posonlyargs) else Takes.EITHER)
        for n, each in enumerate(plain)
    ]
    taken = taken[1:] if bound and "staticmethod" not in _tail_names(node.decorator_list) else taken
    if arguments.vararg:
        taken.append(Parameter(arguments.vararg.arg, False, Takes.REST))
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        taken.append(Parameter(each.arg, default is None, Takes.NAME))
    if arguments.kwarg:
        taken.append(Parameter(arguments.kwarg.arg, False, Takes.REST))
    return PublicName(name, node.lineno, tuple(taken) if known else None, ast.get_docstring(node) is not None)


def _class(node: ast.ClassDef) -> dict[str, PublicName]:
    documented = ast.get_docstring(node) is not None
    items = {node.name: PublicName(node.name, node.lineno, _fields(node), documented)}
    for each in node.body:
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            key = f"{node.name}.{each.name}"
            items[key] = _function(each, key, bound=True)
    return items


def _fields(node: ast.ClassDef) -> tuple[Parameter, ...] | None:
    """Return the fields of a dataclass, which are its constructor's parameters; None for any other class."""
    decorator = next((each for each in node.decorator_list if _tail_names([each]) == {"dataclass"}), None)
    if decorator is None or node.bases:
        return None
    by_name = isinstance(decorator, ast.Call) and any(
        each.arg == "kw_only" and isinstance(each.value, ast.Constant) and each.value.value is True
        for each in decorator.keywords
    )
    fields = []
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            words = ast.unparse(each.annotation)[:40]
            if "ClassVar" in words or (isinstance(each.value, ast.Call) and _is_inner(each.value)):
                continue
            takes = Takes.NAME if by_name else Takes.EITHER
            fields.append(Parameter(each.target.id, each.value is None or _is_bare_field(each.value), takes))
    return tuple(fields)


def _is_inner(call: ast.Call) -> bool:
    return any(
        each.arg == "init" and isinstance(each.value, ast.Constant) and each.value.value is False
        for each in call.keywords
    )


def _is_bare_field(value: ast.expr) -> bool:
    """Return whether it is `field(…)` without a default."""
    if not isinstance(value, ast.Call) or _tail_names([value]) != {"field"}:
        return False
    return not any(each.arg in ("default", "default_factory") for each in value.keywords)


def _tail_names(decorators: list[ast.expr]) -> set[str]:
    """Return the last names of decorators: `dataclass` for `@dataclasses.dataclass(frozen=True)`."""
    names = set()
    for each in decorators:
        function = each.func if isinstance(each, ast.Call) else each
        names.add(function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "?"))
    return names
