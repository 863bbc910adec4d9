"""Resolving which project files a TypeScript or JavaScript file imports when it is loaded.

Relative paths alone are followed: `import`, `export … from` and a `require` outside of any block, to a file, to one of
the usual endings, or to the index of a folder. `import type`, an `import()` made later, and in TypeScript a name that
is nowhere used as a value do not count, since nothing of them is left at run time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from posixpath import dirname, join, normpath

from quorate.files.places import TYPED, extension, is_script
from quorate.protocols.review.world.checks.javascript import Lexeme, TokenKind, scan

_ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_MADE_FROM = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
_VALUE_BEFORE = frozenset(
    {
        "new",
        "instanceof",
        "return",
        "await",
        "of",
        "@",
        "(",
        "...",
        "!",
        "==",
        "===",
        "!=",
        "!==",
        "&&",
        "||",
        "??",
        "+",
    }
)
_TYPE_BEFORE = frozenset({":", "<", "|", "&", "as", "=>", "keyof", "is", "implements"})
_STATEMENTS = frozenset({"import", "export", "const", "let", "var", "function", "class", "if", "return"})
MOST_LISTED = 2_000
"""Tokens of one import that are looked at."""


@dataclass(frozen=True, slots=True)
class _Import:
    target: str
    line: int
    first: int
    last: int
    """Its tokens, from the first to the last."""
    names: tuple[str, ...] = ()
    """The local names that it brings; without any it is made for what it does."""
    types: bool = False


class ScriptModules:
    """The modules of one tree, by path."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = {path for path in paths if is_script(path)}

    def imports(self, path: str, text: str) -> dict[str, int]:
        """Return the files that a file imports when it is loaded, each with the line of its first import."""
        tokens = scan(text)
        every = list(_imports(tokens))
        values = _values(tokens, every) if extension(path) in TYPED else None
        found: dict[str, int] = {}
        for each in every:
            target = None if each.types else self._file(path, each.target)
            if target is None or target == path:
                continue
            if values is not None and each.names and values.isdisjoint(each.names):
                continue
            found[target] = min(each.line, found.get(target, each.line))
        return found

    def _file(self, importer: str, target: str) -> str | None:
        if not target.startswith(("./", "../")) and target not in (".", ".."):
            return None
        place = normpath(join(dirname(importer), target))
        if place.startswith(".."):
            return None
        stem, ending = place.removesuffix(extension(place)), extension(place)
        tried = [
            place,
            *(stem + other for other in _MADE_FROM.get(ending, ())),
            *(place + other for other in _ENDINGS),
            *(join(place, "index") + other for other in _ENDINGS),
        ]
        return next((normpath(each) for each in tried if normpath(each) in self._paths), None)


def _imports(tokens: list[Lexeme]) -> Iterator[_Import]:
    for n, token in enumerate(tokens):
        if token.kind is not TokenKind.WORD or token.depth or _is_sign(tokens, n - 1, "."):
            continue
        if token.text == "import" and not _is_sign(tokens, n + 1, "(", "."):
            yield from _imported(tokens, n)
        elif token.text == "export" and _is_sign(tokens, n + 1, "*", "{"):
            yield from _exported(tokens, n)
        elif token.text == "require" and _is_sign(tokens, n + 1, "(") and n + 2 < len(tokens):
            if tokens[n + 2].kind is TokenKind.STRING and not _is_sign(tokens, n - 1, "=>"):
                yield _Import(tokens[n + 2].text, token.line, n, n + 2)


def _imported(tokens: list[Lexeme], start: int) -> Iterator[_Import]:
    """Read `import a, {b as c, type d} from "x"`, `import * as a from "x"` and `import "x"`."""
    names: list[str] = []
    braces = False
    only_types = _is_word(tokens, start + 1, "type") and not _is_word(tokens, start + 2, "from")
    for n in range(start + 1, min(start + MOST_LISTED, len(tokens))):
        token = tokens[n]
        braces = braces or token.text == "{"
        if token.kind is TokenKind.STRING:
            types = only_types or (braces and not names)
            yield _Import(token.text, tokens[start].line, start, n, tuple(names), types)
            return
        if token.depth == 0 and (token.text == ";" or token.text in _STATEMENTS):
            return
        if token.kind is TokenKind.WORD and token.text not in ("from", "as", "type", "require"):
            if not _is_word(tokens, n + 1, "as") and not _is_one_type(tokens, n):
                names.append(token.text)


def _is_one_type(tokens: list[Lexeme], n: int) -> bool:
    """Return whether a name within the braces of an import is marked as a type: `type a` or `type a as b`."""
    first = n - 2 if _is_word(tokens, n - 1, "as") else n
    return tokens[n].depth > 0 and _is_word(tokens, first - 1, "type") and _is_sign(tokens, first - 2, "{", ",")


def _exported(tokens: list[Lexeme], start: int) -> Iterator[_Import]:
    """Read `export * from "x"` and `export {a} from "x"`; other exports import nothing."""
    for n in range(start + 1, min(start + MOST_LISTED, len(tokens) - 1)):
        token = tokens[n]
        if token.text == "from" and token.depth == 0 and tokens[n + 1].kind is TokenKind.STRING:
            yield _Import(tokens[n + 1].text, tokens[start].line, start, n + 1)
            return
        if token.depth == 0 and (token.text == ";" or token.text in _STATEMENTS):
            return


def _values(tokens: list[Lexeme], imports: list[_Import]) -> set[str]:
    """Return the names used in value positions; what may be a type is left out."""
    listed = {n for each in imports for n in range(each.first, each.last + 1)}
    used: set[str] = set()
    for n, token in enumerate(tokens):
        if token.kind is not TokenKind.WORD or n in listed or _is_sign(tokens, n - 1, ".", "?."):
            continue
        before = tokens[n - 1].text if n else ""
        if (
            _is_sign(tokens, n + 1, "(")
            or (_is_sign(tokens, n + 1, ".", "?.") and before not in _TYPE_BEFORE)
            or (before in _VALUE_BEFORE and not _is_sign(tokens, n + 1, ":", "|", "&", "?"))
            or (before == "extends" and _is_class(tokens, n - 1))
            or (before == "=" and _is_variable(tokens, n - 1))
            or _is_element(tokens, n)
        ):
            used.add(token.text)
    return used


def _is_class(tokens: list[Lexeme], extends: int) -> bool:
    """Return whether `extends` belongs to a class, not to an interface or a type parameter."""
    if _is_sign(tokens, extends - 2, "<", ","):
        return False
    words = (tokens[n].text for n in range(extends - 1, max(-1, extends - 60), -1))
    return next((word for word in words if word in ("class", "interface", "type", "function", ";")), "") == "class"


def _is_element(tokens: list[Lexeme], n: int) -> bool:
    """Return whether a name begins a JSX element such as `<Name …>`, unlike in `Array<Name>`."""
    if not _is_sign(tokens, n - 1, "<"):
        return False
    before = tokens[n - 2] if n > 1 else None
    return (
        before is None or before.text == "return" or (before.kind is TokenKind.SIGN and before.text not in (")", ">"))
    )


def _is_variable(tokens: list[Lexeme], equals: int) -> bool:
    """Return whether the left side of an equals sign is a variable or property, not a type alias."""
    for n in range(equals - 1, max(-1, equals - 30), -1):
        if tokens[n].text in ("const", "let", "var"):
            return True
        if tokens[n].text in ("type", ";", "=", "}"):
            return False
    return False


def _is_word(tokens: list[Lexeme], n: int, text: str) -> bool:
    return 0 <= n < len(tokens) and tokens[n].kind is TokenKind.WORD and tokens[n].text == text


def _is_sign(tokens: list[Lexeme], n: int, *signs: str) -> bool:
    return 0 <= n < len(tokens) and tokens[n].kind is TokenKind.SIGN and tokens[n].text in signs
