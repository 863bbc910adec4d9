"""Shapes: what a form looks like to code that reads, writes, shows or explores replies.

`shape_of` takes a form apart once; whoever handles replies of any form matches over its shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from quorate.core.errors import DefinitionError
from quorate.core.forms import AtMost, Between, Key, Keyed, OrElse, Prose, Quotes, Refers


@dataclass(frozen=True, slots=True)
class Text:
    most: int
    quotes: bool = False
    """Code puts in the lines of the material that it names."""


@dataclass(frozen=True, slots=True)
class Flag:
    pass


@dataclass(frozen=True, slots=True)
class Choice:
    enum: type[Enum]


@dataclass(frozen=True, slots=True)
class Number:
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class OneKey:
    again: bool = False
    """Other entries of a list may name the same key: the reply refers to it and does not answer for it."""
    otherwise: str = ""
    """The key under which an entry that names an unknown one is kept; empty where it is refused."""


@dataclass(frozen=True, slots=True)
class Many:
    item: Shape
    most: int
    may_lack: bool = False


@dataclass(frozen=True, slots=True)
class PerKey:
    item: Shape


@dataclass(frozen=True, slots=True)
class Group:
    type: type[Any]
    fields: tuple[FormField, ...]


Shape = Text | Flag | Choice | Number | OneKey | Many | PerKey | Group


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of a form or group: its name, shape, description and, for a mark, its function."""

    name: str
    shape: Shape
    says: str
    mark: Callable[[Any, str], Any] | None = None
    """mark(value, material): `material` is what a quotation may be taken from."""
    in_material: bool = False
    """Its mark looks into the material."""


DEFAULT_PROSE = 8_000
MOST_ENTRIES = 100


_SHAPES: dict[type[Any], Group] = {}


def shape_of(form: type[Any]) -> Group:
    """Return the shape of a form or group; raise DefinitionError if it has a field of another kind."""
    if form not in _SHAPES:
        _SHAPES[form] = _shape(form, ())
    return _SHAPES[form]


def _shape(form: type[Any], within: tuple[type[Any], ...]) -> Group:
    if not is_dataclass(form):
        raise DefinitionError(f"form {form.__name__} is not a dataclass")
    if form in within:
        raise DefinitionError(f"form {form.__name__} contains itself, so its replies have no bound")
    return Group(form, tuple(_fields_of(form, (*within, form))))


def _fields_of(form: type[Any], within: tuple[type[Any], ...]) -> Iterator[FormField]:
    hints = get_type_hints(form, include_extras=True)
    for each in fields(form):
        place = f"form {form.__name__}, field {each.name!r}"
        shape, says = _read(hints[each.name], place, within)
        function = each.metadata.get("mark")
        if function is None and (each.default is not MISSING or each.default_factory is not MISSING):
            raise DefinitionError(f"{place} has a default; only marks do, participants fill in all other fields")
        yield FormField(each.name, shape, says, function, each.metadata.get("in_material", False))


def _read(hint: Any, place: str, within: tuple[type[Any], ...]) -> tuple[Shape, str]:
    notes: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        notes = tuple(rest)
    says = next((note for note in notes if isinstance(note, str)), "")
    most = next((note for note in notes if isinstance(note, AtMost)), None)
    bounds = next((note for note in notes if isinstance(note, Between)), None)
    shape: Shape
    if hint is Prose:
        quotes = any(isinstance(note, Quotes) for note in notes)
        shape = Text(DEFAULT_PROSE if most is None else most.count, quotes)
    elif hint is bool:
        shape = Flag()
    elif hint is Key:
        otherwise = next((note.key for note in notes if isinstance(note, OrElse)), "")
        shape = OneKey(any(isinstance(note, Refers) for note in notes), otherwise)
    elif hint is int and bounds is not None:
        shape = Number(bounds.low, bounds.high)
    elif isinstance(hint, type) and issubclass(hint, Enum) and len(hint) > 0:
        shape = Choice(hint)
    elif get_origin(hint) is tuple and get_args(hint)[1:] == (Ellipsis,):
        most = most or AtMost(MOST_ENTRIES)
        shape = Many(_read(get_args(hint)[0], place, within)[0], most.count, most.may_lack)
    elif get_origin(hint) is Keyed:
        shape = PerKey(_read(get_args(hint)[0], place, within)[0])
    elif isinstance(hint, type) and is_dataclass(hint):
        shape = _shape(hint, within)
    else:
        raise DefinitionError(
            f"{place}: {hint!r} is not a closed vocabulary; use an Enum, bool, a number Between bounds, Key, "
            "a bounded tuple, Keyed, a group of those, or Prose"
        )
    return shape, says
