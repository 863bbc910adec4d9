"""Forms: the shapes of answers, made of closed vocabularies and sealed prose.

A form is a frozen dataclass derived from `Reply`. Its fields are enums, booleans, bounded numbers, keys, bounded
lists of those, groups of those, and `Prose`. Write the reasons first and the decision last: a model that commits
to a stance before it has argued mostly agrees. A `mark` is a fact about prose that a rule needs to know (it is
blank, it is this long); it is computed once at the border and journaled with the reply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import Enum
from typing import (
    Annotated,
    Any,
    Generic,
    NoReturn,
    TypeVar,
    final,
    get_args,
    get_origin,
    get_type_hints,
)

from quorate.core.errors import DefinitionError

T = TypeVar("T")
R = TypeVar("R")


class Key(str):
    """The id of an item that an ask is about: a question, a finding, a proposal."""

    __slots__ = ()


class Reply:
    """The base of all forms; a filled-in form is a reply."""

    __slots__ = ()


class SealedProse(DefinitionError):
    """A decision tried to read free text."""


@final
class Prose:
    """Free text: kept and shown, never decided on. Sealed prose has no text, and reading it raises SealedProse."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text: str | None = text

    @property
    def text(self) -> str:
        if self._text is None:
            self._refuse()
        return self._text

    def _refuse(self) -> NoReturn:
        raise SealedProse("a decision tried to read prose; declare a mark on the form, or ask a seat to read it")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return "Prose(sealed)" if self._text is None else f"Prose({self._text!r})"

    def __bool__(self) -> bool:
        return bool(self.text)

    def __len__(self) -> int:
        return len(self.text)

    def __eq__(self, other: object) -> bool:
        mine = self.text  # asked first, so that sealed prose refuses whatever it is compared with
        return mine == other.text if isinstance(other, Prose) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.text)

    @classmethod
    def _sealed(cls) -> Prose:
        prose = cls("")
        prose._text = None
        return prose


SEALED = Prose._sealed()


@final
class Keyed(Mapping[Key, T], Generic[T]):
    """Answers by key, in key order. A key of the ask that is missing here counts as absent."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[Key, T] | None = None) -> None:
        self._items: dict[Key, T] = dict(sorted((items or {}).items()))  # so that a replay iterates alike

    def __getitem__(self, key: Key) -> T:
        return self._items[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __eq__(self, other: object) -> bool:
        return self._items == other._items if isinstance(other, Keyed) else NotImplemented

    def __repr__(self) -> str:
        return f"Keyed({self._items!r})"


@dataclass(frozen=True, slots=True)
class Between:
    """Inclusive bounds of a number."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class AtMost:
    """The maximum length of a list in entries, or of prose in characters."""

    count: int


@dataclass(frozen=True, slots=True)
class Refers:
    """Marks a key as a mere reference, so that several entries of a list may name the same one."""


# The shapes a field can have. `Annotated[type, bound, "what to write here"]` declares them.


@dataclass(frozen=True, slots=True)
class Text:
    most: int


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


@dataclass(frozen=True, slots=True)
class Many:
    item: Shape
    most: int


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


def mark(function: Callable[[Any], Any]) -> Any:
    """Declare a mark: a field that code computes from the filled-in form or group, prose included."""
    return field(default=None, metadata={"mark": lambda value, _: function(value)})


def mark_in_material(function: Callable[[Any, str], Any]) -> Any:
    """Declare a mark that is computed from the form or group and the material its seat was shown."""
    return field(default=None, metadata={"mark": function, "in_material": True})


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
    most = next((note.count for note in notes if isinstance(note, AtMost)), None)
    bounds = next((note for note in notes if isinstance(note, Between)), None)
    shape: Shape
    if hint is Prose:
        shape = Text(DEFAULT_PROSE if most is None else most)
    elif hint is bool:
        shape = Flag()
    elif hint is Key:
        shape = OneKey(any(isinstance(note, Refers) for note in notes))
    elif hint is int and bounds is not None:
        shape = Number(bounds.low, bounds.high)
    elif isinstance(hint, type) and issubclass(hint, Enum) and len(hint) > 0:
        shape = Choice(hint)
    elif get_origin(hint) is tuple and get_args(hint)[1:] == (Ellipsis,):
        shape = Many(_read(get_args(hint)[0], place, within)[0], MOST_ENTRIES if most is None else most)
    elif get_origin(hint) is Keyed:
        shape = PerKey(_read(get_args(hint)[0], place, within)[0])
    elif isinstance(hint, type) and is_dataclass(hint):
        shape = _shape(hint, within)
    else:
        raise DefinitionError(
            f"{place}: {hint!r} is no closed vocabulary; use an Enum, bool, a number Between bounds, Key, "
            "a bounded tuple, Keyed, a group of those, or Prose"
        )
    return shape, says


def is_blank(prose: Prose) -> bool:
    """A mark: the text has nothing but white space."""
    return not prose.text.strip()


LEAST_QUOTED = 8
"""Characters without white space from which a text counts as a quotation."""


def occurs_in(prose: Prose, material: str, least: int = LEAST_QUOTED) -> bool:
    """A mark: the text is a quotation from the material, of at least so many characters, white space aside."""
    quoted = "".join(prose.text.split())
    return len(quoted) >= least and quoted in "".join(material.split())
