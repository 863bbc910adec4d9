"""The public surface of a TypeScript or JavaScript module: exported names and parameters of functions."""

from __future__ import annotations

from quorate.protocols.review.world.checks.javascript import Lexeme, TokenKind, scan
from quorate.protocols.review.world.checks.surface import Parameter, PublicName, PublicSurface, Takes

_MODIFIERS = frozenset({"async", "declare", "abstract", "public", "private", "protected", "readonly", "override"})
_NAMED = frozenset({"function", "class", "interface", "type", "enum", "namespace", "module"})
_VARIABLES = frozenset({"const", "let", "var"})
MOST_LISTED = 2_000
Parameters = tuple[Parameter, ...] | None


def script_surface(text: str) -> PublicSurface:
    """Return what a module exports, by `export` or `module.exports`; unrecognised syntax is left out."""
    return _Reader(scan(text)).read()


class _Reader:
    def __init__(self, tokens: list[Lexeme]) -> None:
        self.tokens = tokens
        self.items: dict[str, PublicName] = {}
        self.is_open = False
        self.local: dict[str, PublicName] = {}
        """The functions and variables of the module, exported or not."""

    def read(self) -> PublicSurface:
        outer = [n for n, token in enumerate(self.tokens) if token.depth == 0 and token.kind is TokenKind.WORD]
        for n in outer:
            if self.word(n - 1) != "." and self.tokens[n].text in _NAMED | _VARIABLES:
                for item in self.declared(n, self.tokens[n].documented):
                    self.local.setdefault(item.name, item)
        for n in outer:
            if self.word(n - 1) == ".":
                continue
            if self.tokens[n].text == "export":
                self.export(n)
            elif self.tokens[n].text in ("module", "exports"):
                self.assignment(n)
        return PublicSurface(self.items, frozenset(self.items), is_open=self.is_open)

    def word(self, n: int) -> str:
        """Return the text of a word or punctuation token; empty for a string or past the end."""
        known = 0 <= n < len(self.tokens) and self.tokens[n].kind is not TokenKind.STRING
        return self.tokens[n].text if known else ""

    def put(self, name: str, n: int, parameters: Parameters = None, *, documented: bool = True) -> None:
        self.items[name] = PublicName(name, self.tokens[n].line, parameters, documented)

    # Statements

    def export(self, n: int) -> None:
        documented, at = self.tokens[n].documented, n + 1
        while self.word(at) in _MODIFIERS:
            at += 1
        match self.word(at):
            case "default":
                self.default(at + 1, documented)
            case "*":
                if self.word(at + 1) == "as":
                    self.put(self.word(at + 2), at)
                else:
                    self.is_open = True
            case "{":
                self.listed(at)
            case "type" if self.word(at + 1) == "{":
                self.listed(at + 1)
            case "=":
                self.put("default", at)
            case _:
                for item in self.declared(at, documented):
                    self.items[item.name] = item

    def default(self, at: int, documented: bool) -> None:
        while self.word(at) in _MODIFIERS:
            at += 1
        parameters: Parameters = None
        if self.word(at) == "function":
            parameters = self.parameters(self.opening(at))
        elif self.word(at) == "(":
            parameters = self.arrow(at)
        elif self.word(at) in self.local:
            parameters = self.local[self.word(at)].parameters
        self.put("default", min(at, len(self.tokens) - 1), parameters, documented=documented)

    def declared(self, at: int, documented: bool) -> list[PublicName]:
        """Read a declaration: `function f(…)`, `class A`, `const a = …, b`, `const {a, b} = …`."""
        kind, line = self.word(at), self.tokens[at].line if at < len(self.tokens) else 0
        if kind in _NAMED:
            name = self.word(at + 2) if self.word(at + 1) == "*" else self.word(at + 1)
            if not _is_name(name):
                return []
            parameters = self.parameters(self.opening(at)) if kind == "function" else None
            return [PublicName(name, line, parameters, documented or kind in ("type", "interface"))]
        if kind in _VARIABLES:
            if self.word(at + 1) == "enum":
                return [PublicName(self.word(at + 2), line, None, documented)]
            if self.word(at + 1) in ("{", "["):
                return [PublicName(name, line, None, documented) for name in self.names(at + 1)]
            name = self.word(at + 1)
            return [PublicName(name, line, self.value(at + 2), documented)] if _is_name(name) else []
        return []

    def listed(self, opening: int) -> None:
        """Read `{a, b as c, type d}`."""
        end = self.closing(opening)
        for n in range(opening + 1, end):
            if self.tokens[n].kind is TokenKind.WORD and self.word(n + 1) in (",", "}"):
                name = self.word(n)
                local = self.local.get(self.word(n - 2) if self.word(n - 1) == "as" else name)
                self.put(name, n, local.parameters if local else None)

    def assignment(self, n: int) -> None:
        """Read `module.exports = {a, b}`, `module.exports.a = …`, `exports.a = …` and `module.exports = a`."""
        at = n + 1
        if self.tokens[n].text == "module":
            if self.word(at) != "." or self.word(at + 1) != "exports":
                return
            at += 2
        if self.word(at) == "." and self.word(at + 2) == "=":
            self.put(self.word(at + 1), at + 1, self.value(at + 2))
        elif self.word(at) == "=" and self.word(at + 1) == "{":
            for name in self.names(at + 1):
                local = self.local.get(name)
                self.put(name, at + 1, local.parameters if local else None)
        elif self.word(at) == "=":
            local = self.local.get(self.word(at + 1))
            self.put("default", at, local.parameters if local else self.value(at))

    def names(self, opening: int) -> list[str]:
        """Return the top-level names within braces: keys of an object, or names of a destructuring pattern."""
        inner = self.tokens[opening].depth + 1
        found = []
        for n in range(opening + 1, self.closing(opening)):
            token = self.tokens[n]
            begins = self.word(n - 1) in ("{", "[", ",")
            if token.depth == inner and token.kind is TokenKind.WORD and begins:
                found.append(token.text)
        return found

    # Parameters

    def value(self, at: int) -> Parameters:
        """Return the parameters of a variable's value if it is visibly a function."""
        for n in range(at, min(at + 200, len(self.tokens))):
            token = self.tokens[n]
            if token.depth == 0 and token.text in (";", ",") and token.kind is TokenKind.SIGN:
                return None
            if token.depth == 0 and token.text == "=" and token.kind is TokenKind.SIGN:
                first = n + 2 if self.word(n + 1) == "async" else n + 1
                if self.word(first) == "function":
                    return self.parameters(self.opening(first))
                return self.arrow(first) if self.word(first) == "(" else None
        return None

    def arrow(self, opening: int) -> Parameters:
        after = self.word(self.closing(opening) + 1)
        return self.parameters(opening) if after in ("=>", ":") else None

    def opening(self, at: int) -> int:
        """Return the position of the parameters' opening parenthesis."""
        depth = self.tokens[at].depth
        for n in range(at + 1, min(at + 200, len(self.tokens))):
            if self.word(n) == "(" and self.tokens[n].depth == depth:
                return n
            if self.word(n) in _NAMED | _VARIABLES:
                break
        return len(self.tokens)

    def closing(self, opening: int) -> int:
        if opening >= len(self.tokens):
            return len(self.tokens)
        depth = self.tokens[opening].depth
        for n in range(opening + 1, min(opening + MOST_LISTED, len(self.tokens))):
            if self.tokens[n].depth == depth and self.word(n) in (")", "]", "}"):
                return n
        return min(opening + MOST_LISTED, len(self.tokens))

    def parameters(self, opening: int) -> Parameters:
        end = self.closing(opening)
        if opening >= len(self.tokens) or end >= len(self.tokens):
            return None
        parts: list[list[Lexeme]] = [[]]
        angles = 0
        for token in self.tokens[opening + 1 : end]:
            inner = token.depth == self.tokens[opening].depth + 1
            if token.kind is TokenKind.SIGN and inner and token.text in "<>":
                angles = max(0, angles + (1 if token.text == "<" else -1))
            if token.kind is TokenKind.SIGN and inner and token.text == "," and not angles:
                parts.append([])
            else:
                parts[-1].append(token)
        return tuple(self.parameter(part) for part in parts if part and part[0].text != "this")

    def parameter(self, part: list[Lexeme]) -> Parameter:
        words = [token for token in part if token.text not in _MODIFIERS]
        if words and words[0].text == "...":
            return Parameter("...", False, Takes.REST)
        depth = part[0].depth
        optional = any(token.kind is TokenKind.SIGN and token.text == "=" and token.depth == depth for token in part)
        optional = optional or (len(words) > 1 and words[1].text == "?")
        name = words[0].text if words and _is_name(words[0].text) else "{…}"
        return Parameter(name, not optional, Takes.POSITION)


def _is_name(text: str) -> bool:
    return bool(text) and not text[0].isdigit() and text.replace("$", "_").isidentifier()
