"""Appends a record to the text of meta.json by insertion; every other byte stays as it was.

A text that is rendered anew would lose what JSON does not keep (how numbers are written, the way somebody
laid it out), so a record is put into the text where it belongs. Only a value of a wrong type is replaced,
and kept under a key of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from quorate.core.errors import InputError
from quorate.kit.strict_json import strict_json
from quorate.protocols.roundtable.world.elaboration.files import BOM
from quorate.protocols.roundtable.world.elaboration.meta import META_NAME, baseline

REPLACED = "_quorate_replaced"
"""Holds what stood where a list or an object belongs."""
_SPACE = re.compile(r"[ \t\r\n]*")
_OBJECT = "a JSON object; nothing was changed: fix the file by hand, or move it away so that a new one is made"


class Grown(NamedTuple):
    """The text with the record, and which keys had to be repaired for it."""

    text: str
    repaired: tuple[str, ...]


def parse(text: str, file: str = META_NAME) -> dict[str, Any]:
    """Return what the text holds; InputError with line and column where it is no JSON object."""
    try:
        data = strict_json(text.removeprefix(BOM))
    except json.JSONDecodeError as error:
        what = f"is not JSON: {error.msg} in column {error.colno}"
        raise InputError(what, file=file, line=error.lineno, expected=_OBJECT) from error
    except RecursionError as error:
        raise InputError("is nested too deep", file=file, expected=_OBJECT) from error
    except ValueError as error:  # a key that stands twice, a word that JSON does not have, thousands of digits
        raise InputError(f"is not usable JSON: {error}"[:300], file=file, expected=_OBJECT) from error
    if not isinstance(data, dict):
        raise InputError("is not a JSON object", file=file, line=1, expected=_OBJECT)
    return data


def is_recorded(data: Mapping[str, Any], session: str, elaboration: int) -> bool:
    """Return whether the record of this elaboration of this session is already there."""
    held = data.get("elaborations")
    return isinstance(held, list) and any(
        isinstance(each, dict) and (each.get("session"), each.get("elaboration")) == (session, elaboration)
        for each in held
    )


def first_text(record: Mapping[str, Any], slug: str, created_at: str) -> str:
    """Return the text of a new meta.json that holds one record."""
    data = baseline(slug, created_at) | {"elaborations": [dict(record)]}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def append_record(text: str, record: Mapping[str, Any], file: str = META_NAME) -> Grown:
    """Return the text with one record more at the end of `elaborations`; InputError where it is no JSON object."""
    parse(text, file)
    members = _members(text)
    layout = _layout(text, members)
    by_name = {member.name: member for member in members}
    edits: list[tuple[int, int, str]] = []
    added: list[str] = []
    repaired: list[str] = []
    kept: list[str] = []
    for name, kind, empty in (("elaborations", list, layout.list_of([record])), ("elaboration_config", dict, "{}")):
        member = by_name.get(name)
        if member is not None and not isinstance(member.value, kind):
            repaired.append(name)
            edits.append((member.start, member.end, empty))
            if member.value is not None:
                kept.append(f'"{name}": {text[member.start : member.end]}')
    held = by_name.get("elaborations")
    if held is None:
        added.append(f'"elaborations": {layout.list_of([record])}')
    elif isinstance(held.value, list):
        edits.append(_into_list(text, held, layout, record))
    if kept:
        added.append(f'"{_free(by_name)}": {{{", ".join(kept)}}}')
    if added:
        edits.append(_after_members(text, members, layout, added))
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return Grown(text, tuple(repaired))


# Where things stand in the text


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    value: Any
    begin: int
    """Of its name."""
    start: int
    """Of its value."""
    end: int


def _members(text: str) -> list[_Member]:
    """Return the members of the object that a text holds; it has been parsed before, so it is one."""
    decoder = json.JSONDecoder()
    at = _after_space(text, _after_space(text, len(text) - len(text.removeprefix(BOM))) + 1)
    found: list[_Member] = []
    while text[at] != "}":
        name, end = decoder.raw_decode(text, at)
        start = _after_space(text, _after_space(text, end) + 1)
        value, end = decoder.raw_decode(text, start)
        found.append(_Member(name, value, at, start, end))
        at = _after_space(text, end)
        if text[at] == ",":
            at = _after_space(text, at + 1)
    return found


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


@dataclass(frozen=True, slots=True)
class _Layout:
    """The layout of the text: line ends and indentation; both empty if all is on one line."""

    line_end: str
    indent: str

    def value(self, value: object, depth: int) -> str:
        if not self.line_end:
            return json.dumps(value, ensure_ascii=False)
        text = json.dumps(value, ensure_ascii=False, indent=self.indent)
        return text.replace("\n", self.line_end + self.indent * depth)

    def list_of(self, records: list[Mapping[str, Any]]) -> str:
        return self.value([dict(each) for each in records], 1)

    def between(self, depth: int) -> str:
        """The white space between a comma and the next entry."""
        return self.line_end + self.indent * depth if self.line_end else " "


def _layout(text: str, members: list[_Member]) -> _Layout:
    if not members:
        return _Layout("\n", "  ")
    before = text[text.index("{") + 1 : members[0].begin]
    if not ("\n" in before or "\r" in before):
        return _Layout("", "")
    end = "\r\n" if "\r\n" in before else "\n" if "\n" in before else "\r"
    return _Layout(end, re.split(r"[\r\n]", before)[-1])


def _into_list(text: str, held: _Member, layout: _Layout, record: Mapping[str, Any]) -> tuple[int, int, str]:
    """Return the insertion of a record behind the last one of a list."""
    inner = held.end - 1  # the closing bracket
    last = len(text[: held.end - 1].rstrip(" \t\r\n"))
    value = layout.value(dict(record), 2)
    if not held.value:
        closing = layout.between(1) if layout.line_end and last == inner else ""
        opening = layout.between(2) if layout.line_end else ""
        return last, last, opening + value + closing
    return last, last, "," + layout.between(2) + value


def _after_members(text: str, members: list[_Member], layout: _Layout, added: list[str]) -> tuple[int, int, str]:
    """Return the insertion of members behind the last one of the object."""
    joined = ("," + layout.between(1)).join(added)
    if members:
        at = members[-1].end
        return at, at, "," + layout.between(1) + joined
    at = text.index("{") + 1
    closing = layout.line_end if text[at] == "}" else ""
    return at, at, layout.between(1) + joined + closing


def _free(taken: Mapping[str, _Member]) -> str:
    """Return a key that nobody uses yet."""
    number, name = 1, REPLACED
    while name in taken:
        number += 1
        name = f"{REPLACED}_{number}"
    return name
