"""Mechanical changes of a protocol's source: each is one row, comparison, update, condition or counter gone wrong."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any

Change = Callable[[ast.Module], None]


def changes(tree: ast.Module, phases: type[Enum]) -> Iterator[tuple[str, str, str, Change]]:
    """Yield kind, place, what is changed, and a function that changes a fresh tree alike."""
    nodes = list(_walk(tree, ""))
    names = [phase.name for phase in phases]
    for index, (node, place) in enumerate(nodes):
        for kind, name, swap in _swaps(node, place, names):

            def change(fresh: ast.Module, index: int = index, swap: Callable[[Any], None] = swap) -> None:
                swap(list(_walk(fresh, ""))[index][0])

            yield kind, place, name, change


def _walk(node: ast.AST, place: str) -> Iterator[tuple[ast.AST, str]]:
    """Yield all nodes in order, each with the function or table it stands in."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        place = node.name
    elif isinstance(node, ast.AnnAssign | ast.Assign):
        target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
        if isinstance(target, ast.Name) and target.id.isupper():
            place = target.id
    yield node, place
    for child in ast.iter_child_nodes(node):
        yield from _walk(child, place)


Swap = tuple[str, str, Callable[[Any], None]]
FLIPS: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
WORDS: Mapping[str, tuple[str, ...]] = {">=": (">", "<"), ">": (">=", "<="), "<": ("<=", ">="), "==": (">",)}


def _swaps(node: ast.AST, place: str, phases: Sequence[str]) -> Iterator[Swap]:
    if place == "TABLE" and isinstance(node, ast.Dict):
        yield from _rows(node, phases)
    if isinstance(node, ast.Compare):
        yield from _flips(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id == "compare":
            yield from _words(node)
        if node.func.id == "replace":
            yield from _updates(node)
    if isinstance(node, ast.If | ast.IfExp):
        yield "negated", _short(node.test), _negate
    if isinstance(node, ast.comprehension):
        for number, test in enumerate(node.ifs):
            yield "negated", _short(test), _negate_nth(number)
    if isinstance(node, ast.BoolOp):
        yield "and for or", _short(node), _other_operator
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and _is_one(node.right):
        yield "counter stuck", _short(node), _add_nothing


def _rows(table: ast.Dict, phases: Sequence[str]) -> Iterator[Swap]:
    """Delete and redirect every row; the table is a dictionary of dictionaries."""
    for first, (phase, rows) in enumerate(zip(table.keys, table.values, strict=True)):
        if not isinstance(rows, ast.Dict) or not isinstance(phase, ast.Attribute):
            continue
        for second, (outcome, to) in enumerate(zip(rows.keys, rows.values, strict=True)):
            assert isinstance(outcome, ast.Attribute)
            assert isinstance(to, ast.Attribute)
            other = phases[(phases.index(to.attr) + 1) % len(phases)]

            def delete(fresh: Any, first: int = first, second: int = second) -> None:
                del fresh.values[first].keys[second], fresh.values[first].values[second]

            def redirect(fresh: Any, first: int = first, second: int = second, other: str = other) -> None:
                fresh.values[first].values[second].attr = other

            yield "row deleted", f"{phase.attr} {outcome.attr} {to.attr}", delete
            yield "row redirected", f"{phase.attr} {outcome.attr} {to.attr}, now {other}", redirect


def _flips(node: ast.Compare) -> Iterator[Swap]:
    for number, operator in enumerate(node.ops):
        for other in FLIPS[type(operator)]:

            def flip(fresh: ast.Compare, number: int = number, other: type[ast.cmpop] = other) -> None:
                fresh.ops[number] = other()

            yield "comparison flipped", f"{_short(node)}, now {other.__name__}", flip


def _words(node: ast.Call) -> Iterator[Swap]:
    operator = node.args[3]
    assert isinstance(operator, ast.Constant)
    for other in WORDS[str(operator.value)]:

        def flip(fresh: ast.Call, other: str = other) -> None:
            fresh.args[3] = ast.Constant(other)

        yield "comparison flipped", f"{_short(node)}, now {other}", flip


def _updates(node: ast.Call) -> Iterator[Swap]:
    for number, keyword in enumerate(node.keywords):

        def drop(fresh: ast.Call, number: int = number) -> None:
            del fresh.keywords[number]

        yield "update dropped", f"{keyword.arg} in {_short(node)}", drop


def _negate(fresh: ast.If | ast.IfExp) -> None:
    fresh.test = ast.UnaryOp(ast.Not(), fresh.test)


def _negate_nth(number: int) -> Callable[[Any], None]:
    def negate(fresh: ast.comprehension) -> None:
        fresh.ifs[number] = ast.UnaryOp(ast.Not(), fresh.ifs[number])

    return negate


def _other_operator(fresh: ast.BoolOp) -> None:
    fresh.op = ast.Or() if isinstance(fresh.op, ast.And) else ast.And()


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def _add_nothing(fresh: ast.BinOp) -> None:
    fresh.right = ast.Constant(0)


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(copy.deepcopy(node)).split())
    return text if len(text) <= 90 else f"{text[:87]}..."
