"""A value in an untrusted document, with its path. Reading never raises; an unexpected value reads as missing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, TypeVar

Path = tuple[str | int, ...]
Word = TypeVar("Word", bound=Enum)

LARGEST = 10**15
"""No count in a file is larger; a number beyond it is no number to reckon with."""
_SHOWN = 80


class _Nothing(Enum):
    NOTHING = "nothing"


NOTHING: Final = _Nothing.NOTHING
"""The value of a place that does not exist; null is a value."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A path in a document, and the value there."""

    value: Any
    path: Path = ()

    def __getitem__(self, name: str) -> Spot:
        """Return the spot of a name below this one, whether it exists or not."""
        value = self.value
        # A plain mapping is told at once; what only behaves like one takes ten times as long to tell.
        known = isinstance(value, dict) or isinstance(value, Mapping)  # noqa: SIM101
        return Spot(value.get(name, NOTHING) if known else NOTHING, (*self.path, name))

    def first(self, *names: str) -> Spot:
        """Return the spot of the first of these names with a value, else that of the first name."""
        return next((self[name] for name in names if self[name].given), self[names[0]])

    @property
    def exists(self) -> bool:
        return self.value is not NOTHING

    @property
    def given(self) -> bool:
        """Whether there is a value other than null."""
        return self.value is not NOTHING and self.value is not None

    @property
    def text(self) -> str | None:
        return self.value if isinstance(self.value, str) else None

    @property
    def said(self) -> bool:
        """Whether the value is a non-blank text."""
        return isinstance(self.value, str) and bool(self.value.strip())

    @property
    def whole(self) -> int | None:
        """The value as a whole number within bounds; None if it is none."""
        value = self.value
        if isinstance(value, bool) or not isinstance(value, int):
            return None
        return value if abs(value) <= LARGEST else None

    @property
    def number(self) -> float | None:
        """The value as a finite number within bounds; None if it is none."""
        if isinstance(self.value, float):
            return self.value if abs(self.value) <= LARGEST else None
        return self.whole

    @property
    def flag(self) -> bool | None:
        return self.value if isinstance(self.value, bool) else None

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, list | tuple)

    @property
    def is_mapping(self) -> bool:
        return isinstance(self.value, Mapping)

    @property
    def items(self) -> tuple[Spot, ...]:
        """The spots of a list's entries; empty if the value is not a list."""
        if not isinstance(self.value, list | tuple):
            return ()
        return tuple(Spot(each, (*self.path, index)) for index, each in enumerate(self.value))

    @property
    def entries(self) -> dict[str, Spot]:
        """The spots of a mapping by name; names that are not texts are converted."""
        if not isinstance(self.value, Mapping):
            return {}
        found: dict[str, Spot] = {}
        for name, each in self.value.items():
            written = name if isinstance(name, str) else shown(name)
            found[written] = Spot(each, (*self.path, written))
        return found

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts in a list; other entries are left out."""
        return tuple(each.value for each in self.items if isinstance(each.value, str))

    def word(self, words: type[Word]) -> Word | None:
        """Return the matching word of a vocabulary, ignoring case and surrounding blanks."""
        if not isinstance(self.value, str) or len(self.value) > _SHOWN:
            return None
        members = words.__members__
        found = members.get(self.value)
        if found is None:
            found = members.get("_".join(self.value.upper().replace("-", " ").replace("_", " ").split()))
        return found

    def __str__(self) -> str:
        return shown(self.value)


def shown(value: object) -> str:
    """Format any value for a message, on one line, shortened if it is long."""
    if value is NOTHING:
        return "nothing"
    if isinstance(value, Mapping):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, list | tuple):
        scalars = len(value) <= 10 and all(isinstance(each, str | int | None) for each in value)
        return f"[{', '.join(map(shown, value))}]" if scalars else f"a list of {len(value)}"
    if isinstance(value, str):
        return _cut(value if value.isprintable() and value.strip() else json.dumps(value[: _SHOWN * 2]))
    if value is None or isinstance(value, bool | int | float):
        return _written(value)
    return f"a value of the kind {_cut(type(value).__name__)}"


def _written(value: float | None) -> str:
    try:
        return _cut(json.dumps(value))
    except ValueError:  # Python writes no whole number of thousands of digits
        return "an enormous number"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def many(number: int, noun: str) -> str:
    """Format a number with its noun: `1 finding`, `2 findings`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def one(noun: str) -> str:
    """Format a noun with its article: `a risk`, `an idea`."""
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"


def place_of(path: Path) -> str:
    """Format a path, such as `findings[3].subcategory`; empty for the whole document."""
    words = "".join(f"[{part}]" if isinstance(part, int) else f".{shown(part)}" for part in path)
    return words.removeprefix(".")
