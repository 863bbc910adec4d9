"""Deciding whether a dangerous Python call is a proven security hole, by the values that can reach it.

A hole is a veto that no vote can lift, so only this counts, and only outside tests:

- a shell command that is not constant (B602 with `shell=True`, B605): whatever is spliced in is run. What goes through
  `shlex.quote`, `shlex.join`, `int`, `float` or `len` is no splice, and names in capitals are taken to be constants;
- `eval` or `exec` of a parameter, or of what visibly comes from outside (B307, B102);
- `pickle`, `marshal` or an unsafe `yaml.load` of what visibly comes from outside (B301, B302, B506): a request, a
  socket, a download, `input()`, `sys.argv` or `sys.stdin`. A program may well unpickle its own files;
- a value spliced into an SQL text that is executed (B608): after a comparison, a quotation mark or a bracket. A spliced
  name of a table is not counted, since names cannot be bound;
- certificates that are not verified, or a broken version of TLS, written down as such (B501, B502).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

MOST_STEPS = 8
"""Assignments that are followed from a name to where its value comes from."""
_SAFE = frozenset({"quote", "join", "int", "float", "len", "bool"})
_SHELLS = frozenset({"system", "popen", "popen2", "popen3", "popen4", "getoutput", "getstatusoutput"})
_EXECUTES = frozenset({"execute", "executemany", "executescript", "raw", "read_sql", "read_sql_query"})
_DOWNLOADS = frozenset({"requests", "httpx", "aiohttp", "urllib", "urllib3"})
_VALUE_POSITION = re.compile(r"(?:[='\"<>(,]|\blike|\bin|\band|\bor|\blimit|\bvalues)\s*['\"%]?\s*$", re.IGNORECASE)
_FILLED_VALUE = re.compile(r"(?:[='\"<>(,]|\blike)\s*['\"%]?\s*(?:%s|%\(|\{)", re.IGNORECASE)
_SQL = re.compile(r"\b(?:select|insert|update|delete|replace|merge|drop|create|alter|with)\b", re.IGNORECASE)

ALWAYS = frozenset({"B501", "B502"})
CALLS: Mapping[str, frozenset[str]] = {
    "B605": _SHELLS,
    "B307": frozenset({"eval"}),
    "B102": frozenset({"exec"}),
    "B301": frozenset({"load", "loads", "Unpickler", "read_pickle", "open"}),
    "B302": frozenset({"load", "loads"}),
    "B506": frozenset({"load", "load_all"}),
    "B608": _EXECUTES,
}
HOLES = ALWAYS | CALLS.keys() | {"B602"}


@dataclass(slots=True)
class _Scope:
    """The names of a module or function: its parameters, and the values assigned to others."""

    outer: _Scope | None
    parameters: frozenset[str] = frozenset()
    assigned: dict[str, list[ast.expr | None]] = field(default_factory=dict)

    def look(self, name: str) -> tuple[_Scope, list[ast.expr | None]] | None:
        """Return the possible values of a name and their scope; None for a parameter or an unknown name."""
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.parameters and name not in scope.assigned:
                return None
            if name in scope.assigned:
                return scope, scope.assigned[name]
            scope = scope.outer
        return None


class Proofs:
    """The calls in one Python text, with the values that can reach them."""

    def __init__(self, text: str) -> None:
        self._calls: list[tuple[ast.Call, _Scope]] = []
        try:
            tree = ast.parse(text.removeprefix("\ufeff"))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        waiting: list[tuple[ast.AST, _Scope]] = [(tree, _Scope(None))]
        while waiting:
            node, scope = waiting.pop()
            if isinstance(node, ast.Call):
                self._calls.append((node, scope))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                scope = _Scope(scope, _parameters(node.args))
            else:
                _note(node, scope)
            waiting += [(child, scope) for child in ast.iter_child_nodes(node)]

    def proves(self, test: str, first: int, last: int) -> bool:
        """Return whether what bandit reports under `test` for these lines is a proven hole."""
        if test in ALWAYS:
            return True
        near = [(c, s) for c, s in self._calls if c.lineno <= last and (c.end_lineno or c.lineno) >= first]
        return any(_hole(test, call, scope) for call, scope in near if _concerns(test, call))


def _parameters(arguments: ast.arguments) -> frozenset[str]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return frozenset(each.arg for each in every if each is not None and each.arg not in ("self", "cls"))


def _note(node: ast.AST, scope: _Scope) -> None:
    """Record what a statement assigns; None means a value that is not tracked."""
    pairs: list[tuple[ast.expr, ast.expr | None]] = []
    match node:
        case ast.Assign():
            pairs = [(target, node.value) for target in node.targets]
        case ast.AnnAssign() | ast.NamedExpr() | ast.AugAssign():
            pairs = [(node.target, node.value)]
        case ast.For() | ast.AsyncFor() | ast.comprehension():
            pairs = [(node.target, node.iter)]
        case ast.withitem() if node.optional_vars is not None:
            pairs = [(node.optional_vars, node.context_expr)]
        case _:
            return
    for target, value in pairs:
        for each in ast.walk(target):
            if isinstance(each, ast.Name):
                scope.assigned.setdefault(each.id, []).append(value)


def _concerns(test: str, call: ast.Call) -> bool:
    if test == "B602":
        return any(
            each.arg == "shell" and not (isinstance(each.value, ast.Constant) and not each.value.value)
            for each in call.keywords
        )
    return _tail(call.func) in CALLS[test]


def _hole(test: str, call: ast.Call, scope: _Scope) -> bool:
    named = next((each.value for each in call.keywords if each.arg in ("args", "cmd", "command", "sql")), None)
    argument = call.args[0] if call.args else named
    if argument is None:
        return False
    if test in ("B602", "B605"):
        return not _constant(argument, scope)
    if test == "B608":
        return _spliced(argument, scope)
    if test in ("B307", "B102") and isinstance(argument, ast.Name) and _is_parameter(argument.id, scope):
        return True
    return _outside(argument, scope)


def _tail(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _is_parameter(name: str, scope: _Scope) -> bool:
    at: _Scope | None = scope
    while at is not None:
        if name in at.parameters:
            return name not in at.assigned
        if name in at.assigned:
            return False
        at = at.outer
    return False


def _constant(value: ast.expr | None, scope: _Scope, steps: int = MOST_STEPS) -> bool:
    """Return whether a value is constant, or sanitised."""
    if value is None or steps == 0:
        return False
    match value:
        case ast.Constant():
            return True
        case ast.Name(id=name):
            known = scope.look(name)
            if known is None:
                return name.isupper() and not _is_parameter(name, scope)
            return all(_constant(each, known[0], steps - 1) for each in known[1])
        case ast.Attribute(attr=name):
            return name.isupper() or name == "executable"
        case ast.Call():
            receiver = value.func.value if isinstance(value.func, ast.Attribute) else None
            if isinstance(receiver, ast.Constant):  # "…".format(…) and "…".join(…)
                inside = [*value.args, *(each.value for each in value.keywords)]
                return all(_constant(each, scope, steps - 1) for each in inside)
            return _tail(value.func) in _SAFE
        case _:
            parts = [each for each in ast.iter_child_nodes(value) if isinstance(each, ast.expr)]
            return bool(parts) and all(_constant(each, scope, steps - 1) for each in parts)


def _reaching(value: ast.expr, scope: _Scope) -> Iterator[ast.AST]:
    """Yield all nodes that contribute to a value, following names to their assignments."""
    waiting: list[tuple[ast.expr, _Scope, int]] = [(value, scope, MOST_STEPS)]
    seen: set[str] = set()
    while waiting:
        here, at, steps = waiting.pop()
        for node in ast.walk(here):
            yield node
            if isinstance(node, ast.Name) and steps and node.id not in seen and (known := at.look(node.id)):
                seen.add(node.id)
                waiting += [(each, known[0], steps - 1) for each in known[1] if each is not None]


def _outside(value: ast.expr, scope: _Scope) -> bool:
    """Return whether a value visibly comes from outside the program."""
    for node in _reaching(value, scope):
        match node:
            case ast.Name(id="request"):
                return True
            case ast.Attribute(attr="request" | "recv" | "recvfrom" | "urlopen"):
                return True
            case ast.Attribute(value=ast.Name(id="sys"), attr="argv" | "stdin"):
                return True
            case ast.Call(func=ast.Name(id="input" | "urlopen")):
                return True
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name))) if name in _DOWNLOADS:
                return True
            case _:
                pass
    return False


def _spliced(value: ast.expr, scope: _Scope) -> bool:
    """Return whether a non-constant value is spliced in where SQL expects a value."""
    return any(not _constant(each, scope) for node in _reaching(value, scope) for each in _filled(node))


def _filled(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what an expression splices into an SQL text in the position of a value."""
    match node:
        case ast.JoinedStr():
            before = ""
            for part in node.values:
                if isinstance(part, ast.Constant):
                    before += str(part.value)
                elif isinstance(part, ast.FormattedValue) and _SQL.search(before) and _at_value(before):
                    yield part.value
        case ast.BinOp(left=ast.Constant(value=str(template)), op=ast.Mod(), right=right):
            if _SQL.search(template) and _FILLED_VALUE.search(template):
                yield right
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            text = left.right if isinstance(left, ast.BinOp) else left
            if isinstance(text, ast.Constant) and _at_value(str(text.value)):
                yield right
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(template)), attr="format"), args=filling):
            if _SQL.search(template) and _FILLED_VALUE.search(template):
                yield from filling
        case _:
            pass


def _at_value(before: str) -> bool:
    return _VALUE_POSITION.search(before[-200:]) is not None
