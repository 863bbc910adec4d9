"""A tolerant scanner of JavaScript and TypeScript: tokens, with comments left out and strings told from code.

It never fails: what it does not understand becomes punctuation. It goes over a text once, in time linear in its length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class TokenKind(Enum):
    WORD = "word"
    STRING = "string"
    SIGN = "sign"


@dataclass(frozen=True, slots=True)
class Lexeme:
    kind: TokenKind
    text: str
    """The word, the sign, or what stands between the quotation marks."""
    line: int
    depth: int
    """How many round, square and curly brackets are open around it."""
    documented: bool = False
    """A comment of the kind `/** … */` stands right before it."""


_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<comment>//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z))
    |(?P<word>[\w$]+)
    |(?P<sign>=>|===|!==|==|!=|\?\?|\?\.|&&|\|\||\.\.\.|.)""",
    re.VERBOSE | re.DOTALL,
)
_STRING = re.compile(r""""(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'""", re.DOTALL)
_REGEX = re.compile(r"/(?![*/])(?:[^\\/\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*+\])++/[a-z]*")
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*+", re.DOTALL)
_BEFORE_REGEX = frozenset("(,=:[!&|?{};+-*%<>~^") | {"=>", "==", "===", "!=", "!==", "&&", "||", "??"}
_WORDS_BEFORE_REGEX = frozenset(
    {"return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do"}
)
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at, self.line, self.depth = 0, 1, 0
        self.tokens: list[Lexeme] = []
        self.documented = False
        self.hopeless: dict[str, int] = {}
        """Up to where no other string or regex is looked for, since one did not end on this line."""
        self.templates: list[int] = []
        """The depths at which a `${` was opened: its closing bracket leads back into the template."""

    def scan(self) -> list[Lexeme]:
        while self.at < len(self.text):
            self._step()
        return self.tokens

    def _step(self) -> None:
        here = self.text[self.at]
        if here == "`":
            self.at += 1
            self._template()
        elif here == "}" and self.templates and self.templates[-1] == self.depth:
            self.templates.pop()
            self.at += 1
            self._template()
        elif here in "'\"" and (found := self._ends(_STRING, here)):
            self._string(found, found[1:-1])
        elif here == "/" and self._may_be_regex() and (found := self._ends(_REGEX, here)):
            self._string(found, found)
        else:
            self._token()

    def _ends(self, pattern: re.Pattern[str], mark: str) -> str:
        """Return the string or regex that begins here, or '' if unterminated; its line is not searched again."""
        if self.at < self.hopeless.get(mark, 0):
            return ""
        found = pattern.match(self.text, self.at)
        if found is None:
            end = self.text.find("\n", self.at)
            self.hopeless[mark] = len(self.text) if end < 0 else end
        return found[0] if found else ""

    def _string(self, whole: str, text: str) -> None:
        self._add(TokenKind.STRING, text)
        self.line += whole.count("\n")
        self.at += len(whole)

    def _token(self) -> None:
        found = _TOKEN.match(self.text, self.at)
        assert found is not None
        whole, kind = found[0], found.lastgroup
        if kind == "comment":
            self.documented = whole.startswith("/**")
        elif kind == "word":
            self._add(TokenKind.WORD, whole)
        elif kind == "sign":
            self._sign(whole)
        self.line += whole.count("\n")
        self.at = found.end()

    def _sign(self, sign: str) -> None:
        if sign in CLOSING:
            self.depth = max(0, self.depth - 1)
        self._add(TokenKind.SIGN, sign)
        if sign in OPENING:
            self.depth += 1

    def _template(self) -> None:
        """Go on within a template, to its end or to the next `${`."""
        found = _TEMPLATE.match(self.text, self.at)
        assert found is not None
        self._add(TokenKind.STRING, found[0])
        self.line += found[0].count("\n")
        self.at = found.end()
        if self.text.startswith("${", self.at):
            self.templates.append(self.depth)
            self.at += 2
        else:
            self.at += 1

    def _may_be_regex(self) -> bool:
        if not self.tokens:
            return True
        last = self.tokens[-1]
        if last.kind is TokenKind.WORD:
            return last.text in _WORDS_BEFORE_REGEX
        return last.kind is TokenKind.SIGN and last.text in _BEFORE_REGEX

    def _add(self, kind: TokenKind, text: str) -> None:
        self.tokens.append(Lexeme(kind, text, self.line, self.depth, self.documented))
        self.documented = False


def scan(text: str) -> list[Lexeme]:
    """Return the tokens of a text; comments are left out, and a template is a string between its `${…}`."""
    return _Scanner(text).scan()
