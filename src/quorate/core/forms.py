"""Forms: the shapes of answers, made of closed vocabularies and sealed prose.

A form is a frozen dataclass derived from `Reply`. Its fields are enums, booleans, bounded numbers, keys, bounded
lists of those, groups of those, and `Prose`, each declared as `Annotated[type, bound, "what to write here"]`. Write the
reasons first and the decision last: a model that commits to a stance before it has argued mostly agrees. A `mark` is a
fact about prose that a rule needs to know (it is blank, it is this long), computed once and journaled with the reply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NoReturn, TypeVar, final

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
    """The maximum length of prose in characters, or of a list in entries; one that may lack is empty if left out."""

    count: int
    may_lack: bool = False


@dataclass(frozen=True, slots=True)
class Quotes:
    """Marks prose as evidence: code puts in the lines of the material that it names (`kit/line_keys.py`)."""


@dataclass(frozen=True, slots=True)
class Refers:
    """Marks a key as a mere reference, so that several entries of a list may name the same one."""


@dataclass(frozen=True, slots=True)
class OrElse:
    """The key that a list entry is kept under where it names one that does not exist: a finding at the whole change."""

    key: str


def mark(function: Callable[[Any], Any]) -> Any:
    """Declare a mark: a field that code computes from the filled-in form or group, prose included."""
    return field(default=None, metadata={"mark": lambda value, _: function(value)})


def mark_in_material(function: Callable[[Any, str], Any]) -> Any:
    """Declare a mark that is computed from the form or group and the material its seat was shown."""
    return field(default=None, metadata={"mark": function, "in_material": True})


def is_blank(prose: Prose) -> bool:
    """A mark: the text has nothing but white space."""
    return not prose.text.strip()


LEAST_QUOTED = 8
"""Characters without white space from which a text counts as a quotation."""


def occurs_in(prose: Prose, material: str, least: int = LEAST_QUOTED) -> bool:
    """A mark: the text is a quotation from the material, of at least so many characters, white space aside."""
    return len(quoted := "".join(prose.text.split())) >= least and quoted in "".join(material.split())
