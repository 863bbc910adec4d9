"""Where the functions of a text begin and end: by the grammar of Python, by the shape of the text elsewhere.

Only outermost functions count, and the methods of classes. The comment above a function belongs to it, because it says
what the function promises. In SQL every statement is one. What a shape hides is not found, and then its lines are asked
about as a block of changed lines; nothing is guessed that would be wrong.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from quorate.files.places import extension

MOST_HEADER = 12
"""Lines from the beginning of a function to its first brace."""
MOST_LINE = 2_000
"""Characters of a line of code that people wrote; longer ones are looked at no further."""
MOST_LINES = 2_000
"""Of a function. What has more has no end that could be trusted."""


@dataclass(frozen=True, slots=True)
class FunctionSpan:
    """A function and its lines, counted from 1, both included."""

    name: str
    first: int
    last: int


def functions_in(text: str, path: str) -> tuple[FunctionSpan, ...]:
    """Return the functions of a text, in order and without overlaps."""
    lines = text.split("\n")
    find = _FINDERS.get(extension(path), _by_indentation)
    found = []
    end = 0
    for each in find(text, lines):
        if each.first > end:
            first = _with_comment(lines, each.first, end)
            found.append(FunctionSpan(each.name, first, each.last))
            end = each.last
    return tuple(found)


_COMMENT = re.compile(r"\s*(?:#(?![a-z])|//|/\*|\*|--|@)")


def _with_comment(lines: Sequence[str], first: int, end: int) -> int:
    """Return the first line of the comment directly above a line, if there is one."""
    while first - 1 > end and _COMMENT.match(lines[first - 2]) and not lines[first - 2].startswith("#!"):
        first -= 1
    return first


# Python


def _python(text: str, lines: Sequence[str]) -> Iterator[FunctionSpan]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        yield from _by_indentation(text, lines)
        return
    found, waiting = list[FunctionSpan](), [(node, "") for node in tree.body]
    while waiting:
        node, inside = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            found.append(FunctionSpan(inside + node.name, first, node.end_lineno or node.lineno))
        elif isinstance(node, ast.stmt):
            below = f"{inside}{node.name}." if isinstance(node, ast.ClassDef) else inside
            waiting += [(each, below) for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)]
    yield from sorted(found, key=lambda each: each.first)


# Languages with braces

_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*(?:`|\Z)|[{}()\[\]\n]",
    re.DOTALL,
)
_WORDED = re.compile(
    r"(?:[\w\]\[\"()]+ +){0,6}?(?:func|function|fn|fun)\b\*?\s*(?:\(\s*\w*\s*\*?(\w+)[^)]*\)\s*)?(\w*)"
)
"""A function with a word that says so, and its name; in Go the receiver's type before it."""
_ASSIGNED = re.compile(r"(?:export +)?(?:default +)?(?:const|let|var|static|readonly|public|private) +(\w+)[^;{]*=")
_CALLED = re.compile(r"(?:[\w<>\[\],.?:&*@~]+ +){0,8}?([\w.$~]+)\s*(?:<[^()<>]*>)?\(")
"""A method or a function in C: words, a name and a parenthesis."""
_NOT_ONE = re.compile(
    r"(?:\} *|export +)?(?:if|else|for|foreach|while|switch|match|catch|do|try|return|throw|new|using|lock|with|case"
    r"|select|when|unless|defer|go|await|yield|import|package|require|include|class|interface|struct|enum|namespace"
    r"|module|impl|trait|mod|type|extends|record|object)\b"
)


def _braced(text: str, lines: Sequence[str]) -> Iterator[FunctionSpan]:
    depths = _depths(text)
    at = 0
    while at < len(lines):
        name = _header(lines[at])
        last = None if name is None else _end(lines, depths, at)
        if name is None or last is None:
            at += 1
            continue
        yield FunctionSpan(name, at + 1, last + 1)
        at = last + 1


def _depths(text: str) -> list[tuple[int, int, bool]]:
    """Return of every line how deep it begins and ends in brackets, and whether it opens a brace."""
    found, start, depth, opens = list[tuple[int, int, bool]](), 0, 0, False
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in "{([":
            depth, opens = depth + 1, opens or sign == "{"
        elif sign in "})]":
            depth = max(0, depth - 1)
        for _ in range(sign.count("\n")):
            found.append((start, depth, opens))
            start, opens = depth, False
    found.append((start, depth, opens))
    return found


def _header(line: str) -> str | None:
    """Return the name of the function that a line begins; None where it begins none."""
    line = line.strip()
    if len(line) > MOST_LINE or _NOT_ONE.match(line):
        return None
    if worded := _WORDED.match(line):
        return ".".join(part for part in worded.groups() if part)
    if (assigned := _ASSIGNED.match(line)) and ("=>" in line or "function" in line or line.endswith("(")):
        return assigned[1]
    called = _CALLED.match(line)
    return called[1] if called and not line.endswith((";", ",")) else None


def _end(lines: Sequence[str], depths: Sequence[tuple[int, int, bool]], first: int) -> int | None:
    """Return the line at which a function ends, if it has a body."""
    level, opened = depths[first][0], False
    for at in range(first, min(len(lines), first + MOST_LINES)):
        opened = opened or depths[at][2]
        if not opened and at - first >= MOST_HEADER:
            return None
        if depths[at][1] > level:
            continue
        if opened or "=>" in lines[at]:
            return at if depths[at][1] == level else None
        following = lines[at + 1].lstrip() if at + 1 < len(lines) else ""
        if not following.startswith("{"):
            return None
    return None


# SQL

_SQL_TOKEN = re.compile(
    r"--[^\n]*|/\*.*?(?:\*/|\Z)|'[^']*(?:'|\Z)|\"[^\"]*(?:\"|\Z)|\$(\w*)\$.*?(?:\$\1\$|\Z)|;|\w+|\S", re.DOTALL
)
_ROUTINES = frozenset({"trigger", "procedure", "function"})


def _statements(text: str, lines: Sequence[str]) -> Iterator[FunctionSpan]:
    """Yield every statement of SQL; the statements in the body of a routine belong to it."""
    words, first, last, depth, line, at = list[str](), 0, 0, 0, 1, 0
    for token in _SQL_TOKEN.finditer(text):
        said = token[0]
        line += text.count("\n", at, token.start())
        at = token.start()
        if said.startswith(("--", "/*")):
            continue
        if said == ";" and depth == 0:
            if words:
                yield FunctionSpan(_title(words), first, line)
            words = []
            continue
        first, last = (first, line) if words else (line, line)
        words.append(said)
        depth += _deeper(said.lower(), depth, words)
    if words:
        yield FunctionSpan(_title(words), first, last)


def _deeper(word: str, depth: int, words: Sequence[str]) -> int:
    """Return what a word does to the depth of blocks, which only routines have."""
    if word == "begin":
        return int(words[0].lower() == "create" and any(each.lower() in _ROUTINES for each in words[:6]))
    if depth:
        return {"case": 1, "end": -1}.get(word, 0)
    return 0


def _title(words: Sequence[str]) -> str:
    """Return the words by which a statement is known: up to its first parenthesis."""
    named = list(words[:6])
    return " ".join(named[: named.index("(")] if "(" in named else named)[:80]


# All others

_INDENTED = re.compile(
    r"(\s*)(?:(?:async|pub|private|public|local|export)\s+)*(?:def|sub|function|func|fn|fun|defp)\s+([\w.:?!]+)"
)
_SHELL = re.compile(r"(\s*)([\w-]+)\s*\(\)\s*\{")
_CLOSING = re.compile(r"\s*(?:end|done|fi|[\])}])")


def _by_indentation(text: str, lines: Sequence[str]) -> Iterator[FunctionSpan]:
    """Yield what begins with a word for a function and ends before the next line that is indented no deeper."""
    at = 0
    while at < len(lines):
        line = lines[at][:MOST_LINE]
        header = _INDENTED.match(line) or _SHELL.match(line)
        if header is None:
            at += 1
            continue
        indent, last = len(header[1]), at
        for below in range(at + 1, len(lines)):
            line = lines[below]
            if not line.strip():
                continue
            if len(line) - len(line.lstrip()) <= indent:
                last = below if _CLOSING.match(line) else last
                if not line.lstrip().startswith(")"):
                    break
            last = below
        yield FunctionSpan(header[2], at + 1, last + 1)
        at = last + 1


_BRACED = (
    ".ts .tsx .js .jsx .mjs .cjs .mts .cts .go .java .kt .kts .c .cc .cpp .cxx .h .hh .hpp .cs .rs .swift .scala .sc"
    " .dart .php .groovy .gd .sol .zig .v .vue .svelte .m .mm"
)
_FINDERS: dict[str, Callable[[str, Sequence[str]], Iterator[FunctionSpan]]] = {
    ".py": _python,
    ".pyx": _by_indentation,
    ".sql": _statements,
    **dict.fromkeys(_BRACED.split(), _braced),
}
