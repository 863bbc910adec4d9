"""Parser events of a YAML text, from PyYAML; no objects are constructed.

Uses libyaml, which is written in C; if PyYAML was installed without it, its parser in Python reads the same about ten
times more slowly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NoReturn

import yaml
from yaml.events import Event, ScalarEvent
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

from quorate.core.errors import InputError

if TYPE_CHECKING:
    from yaml._yaml import CParser

_CONTROL = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATE = re.compile(r"\\[uU]0*[dD][89a-fA-F]")
_BREAKS = re.compile("[\x85\u2028\u2029]")
"""What ends a line in YAML 1.1, which PyYAML reads, and does not in YAML 1.2."""
_COLON = re.compile(r":[ \t]")
_UNQUOTED = "mapping values are not allowed"
"""How both parsers begin to say that a colon stands where no name can."""


class PythonParser(Reader, Scanner, Parser):
    """PyYAML's parser in Python."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)


def events(text: str, file: str, *, in_python: bool = False) -> Iterator[Event]:
    """Yield the parser events of a text; InputError with the line if it is not YAML."""
    odd = _CONTROL.search(text)
    if odd is not None:
        line = text.count("\n", 0, odd.start()) + 1
        raise InputError("has a control character", file=file, line=line, expected="plain text")
    if _BREAKS.search(text):
        there, back = _stand_ins(text)
        for event in events(text.translate(there), file, in_python=in_python):
            if isinstance(event, ScalarEvent):
                event.value = event.value.translate(back)
            yield event
        return
    try:
        # libyaml takes no halves of surrogate pairs, which JSON escapes are written in.
        parser = PythonParser(text) if in_python or _SURROGATE.search(text) else _parser(text)
        while parser.check_event():
            following = parser.get_event()
            assert following is not None
            yield following
    except yaml.MarkedYAMLError as error:
        _refuse(error, text, file)
    except yaml.YAMLError as error:
        raise InputError(f"cannot be read: {error}", file=file) from error


def _parser(text: str) -> CParser | PythonParser:
    try:
        from yaml._yaml import CParser
    except ImportError:
        return PythonParser(text)
    return CParser(text)


def _stand_ins(text: str) -> tuple[dict[int, int], dict[int, int]]:
    """Return unused characters to stand in for those that are not line breaks in YAML 1.2."""
    lower = text.lower()
    free = (code for code in range(0xE000, 0xF900) if chr(code) not in text and f"{code:04x}" not in lower)
    there = dict(zip(map(ord, "\x85\u2028\u2029"), free, strict=False))
    return there, {code: char for char, code in there.items()}


def _refuse(error: yaml.MarkedYAMLError, text: str, file: str) -> NoReturn:
    mark = error.problem_mark or error.context_mark
    # What ends too early is noticed behind the last line.
    line = None if mark is None else min(mark.line, text.count("\n")) + 1
    if mark is not None and error.problem is not None and error.problem.startswith(_UNQUOTED):
        before = re.split("\r\n|[\r\n]", text)[mark.line][: mark.column]
        or_else = "" if _COLON.search(before) else ", or this line indented as the names beside it"
        what = "cannot be read: a text without quotes has a colon and a space in it"
        raise InputError(what, file=file, line=line, expected=f"the text in quotes{or_else}") from error
    begun = error.context
    if begun and error.context_mark is not None and error.context_mark.line + 1 != line:
        # What was never closed is noticed much further down than it stands.
        begun += f", which begins on line {error.context_mark.line + 1},"
    what = " ".join(word for word in (begun, error.problem) if word)
    raise InputError(f"cannot be read: {what}", file=file, line=line) from error
