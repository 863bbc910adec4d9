"""Reads the plain part of YAML, which is what people mostly write, some ten times as fast as the whole of it.

Plain are block mappings with simple names, block lists, words and numbers, quoted texts, literal and folded blocks,
and lists in brackets on one line. Whatever else stands in a text (anchors, tags, odd indentation, anything that may be
wrong) is declined, and the reader of the whole language reads all of it and has the last word. So this file can be too
strict without harm, and must never read something differently; its tests hold it against the whole reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType

from quorate.files.folding import Declined, chomped, decline, folded, unescaped
from quorate.files.located_values import MOST_DEPTH, Located, Scalar

_ODD = re.compile("[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_MARKER = re.compile(r"^(?:---|\.\.\.|%)", re.MULTILINE)
_NAME = re.compile(r"([A-Za-z_][A-Za-z0-9_./-]{0,200}):(?= |$)")
_PLAIN = re.compile(r"[A-Za-z0-9_/.(]|-[A-Za-z0-9.]")
_COLON = re.compile(r":(?: |$)")
_BLOCK = re.compile(r"([|>])([-+]?) *$")
_QUOTED = {'"': re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"', re.DOTALL), "'": re.compile(r"'([^']*(?:''[^']*)*)'")}
_AFTER = re.compile(r"(?: *$| +#)")
_FLOW = re.compile(r"\[ *((?:[A-Za-z0-9_./][A-Za-z0-9_./-]*|\"[^\"\\\n]*\"|'[^'\n]*')(?: *, *|(?= *\])))*\]")
_ITEM = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./-]*|\"[^\"]*\"|'[^']*'")

Path = tuple[str | int, ...]


def read_plain(text: str, file: str, resolve: Callable[[str], Scalar], most: int) -> Located | None:
    """Return what the text holds, or None where the whole reader must look; `resolve` tells a number from a word."""
    try:
        return _Plain(text, file, resolve, most).root()
    except (Declined, ValueError):
        return None


class _Plain:
    def __init__(self, text: str, file: str, resolve: Callable[[str], Scalar], most: int) -> None:
        if _ODD.search(text):
            decline()
        self.text, self.file, self.resolve, self.left = text, file, resolve, most
        self.lines = text.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.at = 0
        self.indent = -1
        """Of the line `at`; -1 at the end."""

    def root(self) -> Located:
        self._seek(0)
        begin = self.at
        if self.indent == 0 and self.lines[begin] == "---":
            self._seek(begin + 1)
        marker = _MARKER.search(self.text)
        if marker is not None and (marker.start() != self.starts[begin] or _MARKER.search(self.text, marker.end())):
            decline()
        if self.indent != 0:
            decline()
        line = self.lines[self.at]
        if not (line.startswith("- ") or _NAME.match(line)):
            decline()
        value = self._node(0, -1, ())
        return value if self.indent == -1 else decline()

    # Lines

    def _seek(self, line: int) -> None:
        """Go to the first line from here on that holds more than a comment."""
        lines, count = self.lines, len(self.lines)
        while line < count:
            text = lines[line].lstrip(" ")
            if text and text[0] != "#":
                self.at, self.indent = line, len(lines[line]) - len(text)
                return
            line += 1
        self.at, self.indent = count, -1

    def _ends(self, line: int, column: int) -> None:
        """Decline where something but a comment stands in the rest of a line; go to the next one."""
        if not _AFTER.match(self.lines[line], column):
            decline()
        self._seek(line + 1)

    def _located(
        self, value: Scalar | tuple[Located, ...] | MappingProxyType[str, Located], line: int, path: Path
    ) -> Located:
        self.left -= 1
        if self.left < 0:
            decline()
        return Located(value, self.file, line + 1, path)

    # Values

    def _node(self, column: int, outer: int, path: Path, named: int | None = None) -> Located:
        """Read what begins here in a column, inside of what is indented by `outer`, named on the line `named`."""
        if len(path) >= MOST_DEPTH:
            decline()
        line = self.lines[self.at]
        first = line[column]
        if first == "-" and line[column + 1 : column + 2] in (" ", ""):
            return self._list(column, path, named)
        name = _NAME.match(line, column)
        if name is not None:
            return self._mapping(name, column, path, named)
        return self._scalar(column, outer, path, named)

    def _mapping(self, name: re.Match[str] | None, column: int, path: Path, named: int | None) -> Located:
        entries: dict[str, Located] = {}
        line = self.at if named is None else named
        while True:
            if name is None or name[1] in entries:
                decline()
            entries[name[1]] = self._value(name.end(), column, (*path, name[1]))
            if self.indent < column:
                return self._located(MappingProxyType(entries), line, path)
            if self.indent > column:
                decline()
            name = _NAME.match(self.lines[self.at], column)

    def _value(self, column: int, outer: int, path: Path) -> Located:
        """Read what stands behind a name, which is indented by `outer`."""
        named = self.at
        text = self.lines[named]
        column = _first(text, column)
        if column < len(text):
            return self._scalar(column, outer, path, named)
        self._seek(named + 1)
        if self.indent > outer:
            return self._node(self.indent, outer, path, named)
        if self.indent == outer and _dashed(self.lines[self.at], outer):
            return self._list(outer, path, named)
        return self._located(None, named, path)

    def _list(self, column: int, path: Path, named: int | None) -> Located:
        line = self.at if named is None else named
        items: list[Located] = []
        while self.indent <= column and _dashed(self.lines[self.at], column):
            items.append(self._item(column, (*path, len(items))))
            if self.indent > column:
                decline()
            if self.indent < column:
                break
        return self._located(tuple(items), line, path)

    def _item(self, outer: int, path: Path) -> Located:
        line = self.at
        text = self.lines[line]
        column = _first(text, outer + 1)
        if column == len(text):
            self._seek(line + 1)
            if self.indent > outer:
                return self._node(self.indent, outer, path)
            return self._located(None, line, path)
        # What follows the dash is indented as far as it stands to the right.
        self.indent = column
        return self._node(column, outer, path)

    def _scalar(self, column: int, outer: int, path: Path, named: int | None) -> Located:
        line, text = self.at, self.lines[self.at]
        begin = line if named is None else named
        first = text[column]
        if first in "\"'":
            return self._located(self._quoted(first, line, column), begin, path)
        if first in "|>":
            return self._located(self._block(line, column, outer), begin, path)
        if first == "[":
            return self._flow(line, column, begin, path)
        if text.startswith("{}", column):
            self._ends(line, column + 2)
            return self._located(MappingProxyType({}), begin, path)
        if not _PLAIN.match(text, column):
            decline()
        return self._located(self.resolve(self._words(line, column, outer)), begin, path)

    def _words(self, line: int, column: int, outer: int) -> str:
        """Read a text without quotes, which goes on in lines that are indented further."""
        words, comment = _uncommented(self.lines[line][column:])
        while True:
            self._seek(line + 1)
            if comment or self.indent <= outer or self.at != line + 1:
                break
            line = self.at
            if not _PLAIN.match(self.lines[line], self.indent):
                decline()
            more, comment = _uncommented(self.lines[line][self.indent :])
            words = f"{words} {more}"
        if self.indent > outer:
            decline()
        return words

    def _quoted(self, quote: str, line: int, column: int) -> str:
        found = _QUOTED[quote].match(self.text, self.starts[line] + column)
        if found is None:
            decline()
        last = line + found[0].count("\n")
        self._ends(last, found.end() - self.starts[last])
        raw = found[1]
        if "\n" in raw:
            raw = folded(raw, escapes=quote == '"')
        if quote == "'":
            return raw.replace("''", "'")
        return unescaped(raw)

    def _block(self, line: int, column: int, outer: int) -> str:
        header = _BLOCK.match(self.lines[line], column)
        if header is None:
            decline()
        lines, count = self.lines, len(self.lines)
        begin = line + 1
        while begin < count and not lines[begin]:
            begin += 1
        if begin == count or not lines[begin].strip(" "):
            decline()
        indent = len(lines[begin]) - len(lines[begin].lstrip(" "))
        if indent <= outer:
            decline()
        kept: list[str] = []
        end = line + 1
        while end < count:
            text = lines[end]
            bare = text.lstrip(" ")
            if bare and len(text) - len(bare) < indent:
                break
            if not bare and len(text) > indent:
                decline()
            kept.append(text[indent:])
            end += 1
        self._seek(end)
        return chomped(kept, header[1], header[2], ends_open=end == count)

    def _flow(self, line: int, column: int, begin: int, path: Path) -> Located:
        found = _FLOW.match(self.lines[line], column)
        if found is None:
            decline()
        self._ends(line, found.end())
        items: list[Located] = []
        for each in _ITEM.findall(found[0][1:-1]):
            value = each[1:-1] if each[0] in "\"'" else self.resolve(each)
            items.append(self._located(value, line, (*path, len(items))))
        return self._located(tuple(items), begin, path)


def _first(text: str, column: int) -> int:
    """Return the column of the first word, or the length of the line where only a comment is left."""
    rest = text[column:].lstrip(" ")
    if not rest or (rest[0] == "#" and text[column] == " "):
        return len(text)
    return len(text) - len(rest)


def _dashed(text: str, column: int) -> bool:
    return text.startswith("-", column) and text[column + 1 : column + 2] in (" ", "")


def _uncommented(text: str) -> tuple[str, bool]:
    words, comment, _ = text.partition(" #")
    if _COLON.search(words):
        decline()
    return words.rstrip(" "), bool(comment)
