"""Sheets: a reply as a page of Markdown, and the closed fields that are filled in about it.

Long texts inside a JSON string degenerate in small models, and a length in a grammar cuts them in mid-sentence. So the
texts of a reply are written first, each under a heading of its own; then a small form without any text is filled in
about what was written. Both together are a reply of the same form as ever, and are parsed as strictly.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

from quorate.codec import shape_schema
from quorate.core.forms import Key, Reply
from quorate.core.shapes import FormField, Group, Many, PerKey, Shape, Text, shape_of
from quorate.participants.formwords import shape_in_words

LIKELY = 3
"""Entries of a list that room is kept for; a form allows many more than anybody writes."""
LONG = 1_000
"""Characters from which a text is an argument of its own: shorter ones may be a quotation, a name, half a sentence."""
SUBSTANCE = 200
"""Characters from which a text has to say something; shorter ones may be a name or a number."""
REASONING = "reasoning"
"""The field for thinking aloud, which has a small share of its own."""
LEAST = 120
"""Characters of any text, so that a sentence fits, where the reply has room for that."""
NOTHING = "None."
"""What is written where there is nothing to list, or no text to give."""


def has_prose(shape: Shape) -> bool:
    """Return whether a part of a form has texts, which are written before the rest is filled in."""
    match shape:
        case Text():
            return True
        case Many(item) | PerKey(item):
            return has_prose(item)
        case Group():
            return any(has_prose(each.shape) for each in asked(shape))
        case _:
            return False


def asked(group: Group) -> Iterator[FormField]:
    """Yield the fields that a participant fills in; marks are computed."""
    return (each for each in group.fields if each.mark is None)


def title(name: str) -> str:
    """Return a field's name as a heading."""
    return name.replace("_", " ")


def may_be_empty(field: FormField) -> bool:
    """Return whether the form says that this text may be left empty."""
    return "empty" in field.says


def main_text(shape: Group) -> FormField | None:
    """Return the text that a reply is given for: the longest beside its lists, if that is more than a remark."""
    texts = [each for each in asked(shape) if isinstance(each.shape, Text) and each.name != REASONING]
    found = max(texts, key=_most, default=None)
    return None if found is None or _most(found) <= LONG else found


def _most(field: FormField) -> int:
    return field.shape.most if isinstance(field.shape, Text) else 0


@dataclass(frozen=True, slots=True)
class Rooms:
    """How many characters texts and lists may have, by their paths without numbers, as in `items.evidence`."""

    texts: dict[str, int]
    """Of each text; in a list, of each entry's."""
    lists: dict[str, int]
    """Of all entries of a list together."""


@dataclass(frozen=True)
class Sheet:
    """A form with the keys of an ask, as a page to be written within so many characters."""

    form: type[Reply]
    keys: tuple[Key, ...]
    characters: int
    most_entries: int = 100

    @property
    def shape(self) -> Group:
        return shape_of(self.form)

    # Room

    @cached_property
    def rooms(self) -> Rooms:
        """Characters of every text and list.

        The main text, the one whose own limit is the largest, gets at least half. Lists get room for as many entries as
        are likely, not for as many as are possible.
        """
        fields = [each for each in asked(self.shape) if has_prose(each.shape)]
        weights = {each.name: self._weight(each.shape) for each in fields}
        if REASONING in weights and (answer := main_text(self.shape)) is not None:
            weights[REASONING] = min(weights[REASONING], weights[answer.name] / 5)
        texts = [each for each in fields if isinstance(each.shape, Text)]
        if texts:
            main = max(texts, key=lambda each: weights[each.name]).name
            weights[main] = max(weights[main], sum(weights.values()) - weights[main])
        found = Rooms({}, {})
        for each in fields:
            share = self.characters * weights[each.name] / sum(weights.values())
            self._divide(each.shape, each.name, int(share), found)
        return found

    def _weight(self, shape: Shape) -> float:
        match shape:
            case Text(most):
                return sqrt(most)
            case Many(item, most):
                return self._weight(item) * self._likely(most)
            case PerKey(item):
                return self._weight(item) * len(self.keys)
            case Group():
                return sum(self._weight(each.shape) for each in asked(shape))
            case _:
                return 0.0

    def _likely(self, most: int) -> int:
        return min(most, LIKELY, self.most_entries)

    def _divide(self, shape: Shape, path: str, share: int, found: Rooms) -> None:
        match shape:
            case Text(most):
                found.texts[path] = min(most, max(share, min(LEAST, self.characters // 2)))
            case Many(item, most):
                found.lists[path] = share
                self._divide(item, path, share // max(1, self._likely(most)), found)
            case PerKey(item):
                self._divide(item, path, share // max(1, len(self.keys)), found)
            case Group():
                whole = self._weight(shape) or 1.0
                for each in asked(shape):
                    self._divide(
                        each.shape, f"{path}.{each.name}", int(share * self._weight(each.shape) / whole), found
                    )
            case _:
                return

    # What is filled in

    def closed(self, written: Any) -> dict[str, Any] | None:
        """Return the schema of what is filled in about these texts, or None if nothing is."""
        return self._closed(self.shape, written)

    def _closed(self, shape: Shape, written: Any) -> dict[str, Any] | None:
        match shape:
            case Text():
                return None
            case Group():
                fields = {each.name: self._closed(each.shape, written.get(each.name)) for each in asked(shape)}
                return _object(fields)
            case Many(item) if has_prose(item):
                return _object({str(n): self._closed(item, each) for n, each in enumerate(written, 1)})
            case PerKey(item) if has_prose(item):
                return _object({key: self._closed(item, each) for key, each in written.items()})
            case Many(_, most):
                found = shape_schema(shape, self.keys)
                return found | {"maxItems": min(found["maxItems"], most, self.most_entries)}
            case _:
                return shape_schema(shape, self.keys)

    def joined(self, written: Any, filled: Any) -> Any:
        """Return the data of the reply: the texts that were written, and the fields that were filled in."""
        return _joined(self.shape, written, filled)


def _joined(shape: Shape, written: Any, filled: Any) -> Any:
    given = filled if isinstance(filled, Mapping) else {}
    match shape:
        case Text():
            return written
        case Group():
            return {each.name: _of(each.shape, each.name, written, given) for each in asked(shape)}
        case Many(item) if has_prose(item):
            return [_joined(item, each, given.get(str(n))) for n, each in enumerate(written, 1)]
        case PerKey(item) if has_prose(item):
            return {key: _joined(item, each, given.get(key)) for key, each in written.items()}
        case _:
            return filled


def _of(shape: Shape, name: str, written: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    return _joined(shape, written.get(name), given.get(name))


def _object(fields: Mapping[str, dict[str, Any] | None]) -> dict[str, Any] | None:
    """Return the schema of an object with these fields, in this order; None if none of them is to be filled in."""
    asked_for = {name: schema for name, schema in fields.items() if schema is not None}
    if not asked_for:
        return None
    return {
        "type": "object",
        "properties": asked_for,
        "required": list(asked_for),
        "additionalProperties": False,
    }


def most_form_tokens(schema: Mapping[str, Any]) -> int:
    """Return enough tokens for the closed fields of any reply of this schema."""
    return len(json.dumps(schema)) // 3 + 64


# In words


def closed_in_words(sheet: Sheet) -> list[str]:
    """Return the lines that say what is filled in about texts that were written."""
    told = ["Now fill in the form about what you wrote. Its fields:", *_filled(sheet, sheet.shape, "")]
    if sheet.keys and any("the keys" in line for line in told):
        told.append(f"The keys: {', '.join(sheet.keys)}.")
    return told


def _filled(sheet: Sheet, shape: Shape, place: str) -> Iterator[str]:
    """Yield a line for every field that is filled in, with the list or key that it belongs to."""
    match shape:
        case Group():
            for each in asked(shape):
                if has_prose(each.shape):
                    yield from _filled(sheet, each.shape, _within(each, place))
                else:
                    where = f" {place}" if place else ""
                    says = f"{each.says}; " if each.says else ""
                    yield f"- {each.name}{where}: {says}{shape_in_words(each.shape, sheet.keys)}"
        case Many(item) | PerKey(item):
            yield from _filled(sheet, item, place)
        case _:
            return


def _within(field: FormField, place: str) -> str:
    here = f"for each of {title(field.name)}" if isinstance(field.shape, Many | PerKey) else f"of {title(field.name)}"
    return f"{place}, {here}" if place else here
