"""Reads YAML and JSON into values that know their file, line and key, so that every complaint can name the place.

Only plain data comes out: mappings with text keys, lists, texts, numbers, true, false and null. Tags are refused,
aliases are expanded up to a limit, and nothing is ever constructed from what a file says.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    DocumentStartEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
)
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.reader import ReaderError

from quorate.core.errors import InputError
from quorate.files.guarded_names import refuse_guarded
from quorate.files.located_values import MOST_DEPTH, Located, Scalar
from quorate.files.plain import read_plain

MOST_BYTES = 1_000_000
MOST_DIGITS = 1_000
MOST_VALUES = 100_000
"""Values in a file once every alias is expanded: an alias bomb ends here."""


def load(source: Path | str, name: str | None = None) -> Located:
    """Read a file (a Path) or a text (a str, which errors call `name`); anything unusable raises InputError."""
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
    """Read a text. Who hosts many sessions reads the same panels and scripts time and again; nobody changes them."""
    if file.endswith(".json"):
        return load_whole(_checked_json(text, file), file)
    plain = read_plain(text, file, plain_scalar, MOST_VALUES)
    return plain if plain is not None else load_whole(text, file)


def load_whole(text: str, file: str) -> Located:
    """Read a text with the parser of the whole language, which has the last word on what it means."""
    return _Reader(file).read(text)


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
    """Refuse what JSON does not allow; then the YAML reader can find the places, since tabs are only white space."""
    try:
        json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise InputError(f"is no JSON: {error.msg}", file=file, line=error.lineno) from error
    except ValueError as error:
        raise InputError(f"is no JSON that can be read: {error}", file=file) from error
    except RecursionError as error:
        raise InputError(f"is nested deeper than {MOST_DEPTH} levels", file=file) from error
    return text.replace("\t", " ")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


class _Open:
    """A mapping or list whose end has not been read yet."""

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


_RESOLVER = YAML(typ="safe", pure=True).resolver


def plain_scalar(text: str) -> Scalar:
    """Return what a text without quotes means: a number, true, false, nothing, or itself."""
    return _scalar(str(_RESOLVER.resolve(ScalarNode, text, (True, False))).rpartition(":")[2], text)


class _Reader:
    """Builds located values from parser events: no recursion, and every limit is checked before memory is used."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.yaml = YAML(typ="safe", pure=True)
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Located, int]] = {}
        self.size = 0
        self.root: Located | None = None
        self.documents = 0

    def read(self, text: str) -> Located:
        try:
            for event in self.yaml.parse(text):
                self._take(event, event.start_mark.line + 1)
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = None if mark is None else mark.line + 1
            begun = error.context
            if begun and error.context_mark is not None and error.context_mark.line + 1 != line:
                # What was never closed is noticed much further down than it stands.
                begun += f", which begins on line {error.context_mark.line + 1},"
            what = " ".join(word for word in (begun, error.problem) if word)
            raise InputError(f"cannot be read: {what}", file=self.file, line=line) from error
        except ReaderError as error:
            line = text[: error.position].count("\n") + 1
            raise InputError("has a control character", file=self.file, line=line, expected="plain text") from error
        except YAMLError as error:
            raise InputError(f"cannot be read: {error}", file=self.file) from error
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

    def _take(self, event: Any, line: int) -> None:
        match event:
            case DocumentStartEvent():
                self.documents += 1
                if self.documents > 1:
                    self._fail(line, "a second document begins here", "one document in a file")
            case ScalarEvent():
                self._scalar(event, line)
            case AliasEvent():
                self._alias(str(event.anchor), line)
            case MappingStartEvent() | SequenceStartEvent():
                self._begin(event, line)
            case CollectionEndEvent():
                self._end()
            case _:
                pass

    def _begin(self, event: MappingStartEvent | SequenceStartEvent, line: int) -> None:
        if self.stack and self.stack[-1].wants_name:
            self._fail(line, "a key is a list or a mapping", "a text as key")
        if len(self.stack) == MOST_DEPTH:
            self._fail(line, f"is nested deeper than {MOST_DEPTH} levels")
        if event.tag is not None:
            self._fail(line, f"has the tag {event.tag}", "plain data without tags")
        self._count(1, line)
        self.stack.append(_Open(line, self._path(), event.anchor, is_mapping=isinstance(event, MappingStartEvent)))

    def _end(self) -> None:
        done = self.stack.pop()
        value = tuple(done.items) if done.entries is None else MappingProxyType(done.entries)
        self._place(Located(value, self.file, done.line, done.path), done.size, done.anchor)

    def _scalar(self, event: ScalarEvent, line: int) -> None:
        if event.tag is not None:
            self._fail(line, f"has the tag {event.tag}", "plain data without tags")
        text = _paired(str(event.value))
        if text is None:
            self._fail(line, "has half of a surrogate pair", "a whole character")
        if self.stack and self.stack[-1].wants_name:
            self._name(text, line, is_plain=bool(event.implicit[0]))
            return
        tag = str(self.yaml.resolver.resolve(ScalarNode, text, event.implicit)).rpartition(":")[2]
        try:
            value = _scalar(tag, text)
        except ValueError:
            self._fail(line, "is no number that can be read", "a number, or a text in quotes")
        self._count(1, line)
        self._place(Located(value, self.file, line, self._path()), 1, event.anchor)

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
                f"the key {name!r} stands here a second time", f"each key once (it is on line {first} already)"
            )
        top.name, top.name_line = name, line

    def _alias(self, anchor: str, line: int) -> None:
        if any(each.anchor == anchor for each in self.stack):
            self._fail(line, f"the alias *{anchor} contains itself", "an alias of something complete")
        if anchor not in self.anchors:
            self._fail(line, f"the alias *{anchor} has no anchor", f"&{anchor} somewhere above")
        if self.stack and self.stack[-1].wants_name:
            self._fail(line, "a key is an alias", "a text as key")
        value, size = self.anchors[anchor]
        self._count(size, line)
        self._place(Located(value.value, self.file, line, self._path()), size, None)

    def _count(self, size: int, line: int) -> None:
        self.size += size
        if self.size > MOST_VALUES:
            self._fail(line, f"has more than {MOST_VALUES} values, aliases included", "less")

    def _place(self, value: Located, size: int, anchor: str | None) -> None:
        if anchor is not None:
            self.anchors[anchor] = (value, size)
        if not self.stack:
            self.root = value
            return
        top = self.stack[-1]
        top.size += size
        if top.entries is None:
            top.items.append(value)
        else:
            assert top.name is not None
            top.entries[top.name] = replace(value, line=top.name_line)
            top.name = None


def _paired(text: str) -> str | None:
    """Join surrogate pairs, which JSON escapes are written in, or return None where half of one is missing."""
    try:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
    except UnicodeDecodeError:
        return None


def _scalar(tag: str, text: str) -> Scalar:
    match tag:
        case "null":
            return None
        case "bool":
            return text.lower() == "true"
        case "int":
            if len(text) > MOST_DIGITS:
                raise ValueError("has too many digits")  # what is longer cannot even be printed
            return int(text, 0) if text.lstrip("+-")[:2] in ("0x", "0o", "0b") else int(text)
        case "float":
            return float(text.replace("_", ""))
        case _:
            return text
