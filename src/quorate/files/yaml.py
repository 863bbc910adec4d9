"""Reads YAML and JSON into values that know their file, line and key, so that every error can name the place.

Only plain data comes out: mappings with text keys, lists, texts, numbers, true, false and null. Tags are refused,
aliases are expanded up to a limit, and no objects are constructed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn

from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
)

from quorate.core.errors import InputError
from quorate.files.guarded_names import refuse_guarded
from quorate.files.located_values import MOST_DEPTH, Located, Scalar, Value
from quorate.files.scalars import plain_scalar
from quorate.files.yaml_events import events

MOST_BYTES = 1_000_000
MOST_VALUES = 100_000
"""Values in a file once every alias is expanded: an alias bomb ends here."""
_PAIR = re.compile(r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|.)")


def load(source: Path | str, name: str | None = None) -> Located:
    """Read a file (a Path) or a text (a str, which errors call `name`); InputError if it is invalid."""
    if isinstance(source, Path):
        file = name or str(source)
        text = _read(source, file)
    else:
        file, text = name or "text", source
    if len(text) > MOST_BYTES:
        raise InputError("is too large", file=file, expected=f"at most {MOST_BYTES} bytes")
    return _loaded(text, file)


@lru_cache(maxsize=16)
def _loaded(text: str, file: str) -> Located:
    """Parse a text; cached, because hosts read the same panels and scripts repeatedly."""
    if file.endswith(".json"):
        return load_whole(_checked_json(text, file), file)
    return load_whole(text, file)


def load_whole(text: str, file: str) -> Located:
    """Parse a YAML text without a size limit."""
    return located_from(events(text, file), file)


def located_from(
    told: Iterable[Event], file: str, *, depth: int = MOST_DEPTH, values: int = MOST_VALUES, aliases: bool = True
) -> Located:
    """Build located values from parser events, with limits on depth and number of values."""
    return _Reader(file, depth, values, aliases=aliases).read(told)


def _read(path: Path, file: str) -> str:
    refuse_guarded(path, file)
    try:
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=file) from error
    if len(data) > MOST_BYTES:
        raise InputError("is too large", file=file, expected=f"at most {MOST_BYTES} bytes")
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        raise InputError("is a binary file", file=file, line=line, expected="a text in UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError("is not UTF-8", file=file, line=line, expected="a text in UTF-8") from error


def _checked_json(text: str, file: str) -> str:
    """Raise for invalid JSON. Valid JSON is then parsed as YAML to find the places (tabs are only white space)."""
    try:
        json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise InputError(f"is not valid JSON: {error.msg}", file=file, line=error.lineno) from error
    except ValueError as error:
        raise InputError(f"cannot be read as JSON: {error}", file=file) from error
    except RecursionError as error:
        raise InputError(f"is nested deeper than {MOST_DEPTH} levels", file=file) from error
    if "\\ud" in text or "\\uD" in text:
        text = _PAIR.sub(_joined, text)
    return text.replace("\t", " ")


def _joined(escape: re.Match[str]) -> str:
    """Replace an escaped surrogate pair by its character, and leave other escapes."""
    high, low = escape.groups()
    if high is None:
        return escape[0]
    return chr(0x10000 + (int(high, 16) - 0xD800) * 0x400 + int(low, 16) - 0xDC00)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


class _Open:
    """A mapping or list that is still being read."""

    __slots__ = ("anchor", "entries", "items", "line", "name", "name_line", "path", "size")

    def __init__(self, line: int, path: tuple[str | int, ...], anchor: str | None, *, is_mapping: bool) -> None:
        self.line, self.path, self.anchor = line, path, anchor
        self.entries: dict[str, Located] | None = {} if is_mapping else None
        self.items: list[Located] = []
        self.name: str | None = None
        self.name_line = 0
        self.size = 1

    @property
    def wants_name(self) -> bool:
        return self.entries is not None and self.name is None


class _Reader:
    """Builds located values from parser events, without recursion; limits are checked before memory is used."""

    def __init__(self, file: str, depth: int, values: int, *, aliases: bool) -> None:
        self.file, self.depth, self.values, self.aliases = file, depth, values, aliases
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Value, int]] = {}
        self.size = 0
        self.root: Located | None = None
        self.documents = 0

    def read(self, told: Iterable[Event]) -> Located:
        for event in told:
            match event:
                case ScalarEvent():
                    self._scalar(event)
                case MappingStartEvent() | SequenceStartEvent():
                    self._begin(event)
                case CollectionEndEvent():
                    self._end()
                case AliasEvent():
                    self._alias(str(event.anchor), _line(event))
                case DocumentStartEvent():
                    self._document(event)
                case _:
                    pass
        return self.root or Located(None, self.file, 1)

    def _fail(self, line: int, what: str, expected: str | None = None) -> NoReturn:
        raise Located(None, self.file, line, self._path()).error(what, expected)

    def _path(self) -> tuple[str | int, ...]:
        if not self.stack:
            return ()
        top = self.stack[-1]
        if top.entries is None:
            return (*top.path, len(top.items))
        return top.path if top.name is None else (*top.path, top.name)

    def _document(self, event: DocumentStartEvent) -> None:
        self.documents += 1
        if self.documents > 1:
            self._fail(_line(event), "a second document begins here", "one document in a file")
        if event.version not in (None, (1, 2)):
            version = ".".join(map(str, event.version or ()))
            self._fail(_line(event), f"is YAML {version}, in which other words are numbers", "YAML 1.2")

    def _begin(self, event: MappingStartEvent | SequenceStartEvent) -> None:
        line = _line(event)
        if self.stack and self.stack[-1].wants_name:
            self._fail(line, "a key is a list or a mapping", "a text as key")
        if len(self.stack) == self.depth:
            self._fail(line, f"is nested deeper than {self.depth} levels")
        if event.tag is not None:
            self._fail(line, f"has the tag {event.tag}", "plain data without tags")
        self._count(1, line)
        self.stack.append(_Open(line, self._path(), event.anchor, is_mapping=isinstance(event, MappingStartEvent)))

    def _end(self) -> None:
        done = self.stack.pop()
        value = tuple(done.items) if done.entries is None else MappingProxyType(done.entries)
        self._place(value, done.line, done.path, done.size, done.anchor)

    def _scalar(self, event: ScalarEvent) -> None:
        line, text, is_plain = _line(event), event.value, event.implicit[0]
        if event.tag is not None:
            self._fail(line, f"has the tag {event.tag}", "plain data without tags")
        if not text.isascii():
            text = self._paired(text, line)
        if self.stack and self.stack[-1].wants_name:
            self._name(text, line, is_plain=is_plain)
            return
        value: Scalar = text
        if is_plain:
            try:
                value = plain_scalar(text)
            except ValueError:
                self._fail(line, "is not a number that can be read", "a number, or a text in quotes")
        self._count(1, line)
        self._place(value, line, self._path(), 1, event.anchor)

    def _paired(self, text: str, line: int) -> str:
        """Join surrogate pairs, as JSON escapes write them."""
        try:
            return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError:
            self._fail(line, "has half of a surrogate pair", "a whole character")

    def _name(self, name: str, line: int, *, is_plain: bool) -> None:
        top = self.stack[-1]
        assert top.entries is not None
        if name == "<<" and is_plain:
            # Other readers would put fields here that this one would not see.
            where = Located(None, self.file, line, (*top.path, name))
            raise where.error("merge keys are not read; write the fields out", 'a name, or "<<" in quotes')
        if name in top.entries:
            first = top.entries[name].line
            raise Located(None, self.file, line, (*top.path, name)).error(
                f"the key {name!r} appears a second time", f"each key once (it is already on line {first})"
            )
        top.name, top.name_line = name, line

    def _alias(self, anchor: str, line: int) -> None:
        if not self.aliases:
            self._fail(line, "aliases are not read", "the values themselves")
        if any(each.anchor == anchor for each in self.stack):
            self._fail(line, f"the alias *{anchor} contains itself", "an alias of something complete")
        if anchor not in self.anchors:
            self._fail(line, f"the alias *{anchor} has no anchor", f"&{anchor} somewhere above")
        if self.stack and self.stack[-1].wants_name:
            self._fail(line, "a key is an alias", "a text as key")
        value, size = self.anchors[anchor]
        self._count(size, line)
        self._place(value, line, self._path(), size, None)

    def _count(self, size: int, line: int) -> None:
        self.size += size
        if self.size > self.values:
            self._fail(line, f"has more than {self.values} values, aliases included", "fewer")

    def _place(self, value: Value, line: int, path: tuple[str | int, ...], size: int, anchor: str | None) -> None:
        if anchor is not None:
            self.anchors[anchor] = (value, size)
        if not self.stack:
            self.root = Located(value, self.file, line, path)
            return
        top = self.stack[-1]
        top.size += size
        if top.entries is None:
            top.items.append(Located(value, self.file, line, path))
        else:
            assert top.name is not None
            top.entries[top.name] = Located(value, self.file, top.name_line, path)
            top.name = None


def _line(event: Event) -> int:
    assert event.start_mark is not None
    return event.start_mark.line + 1
