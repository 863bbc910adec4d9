"""Named lines in a reply: the texts that a form marks as evidence get the lines that they name, before they are kept.

Record, report and marks then have the real lines. Every protocol whose views give a section a key for its lines, and
whose forms mark evidence with `Quotes`, takes part.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from quorate.core.form_values import LEFT, Unfit, holds_evidence
from quorate.core.forms import Keyed, Prose
from quorate.core.shapes import Group, Many, OneKey, PerKey, Shape, Text, shape_of
from quorate.core.values import replace
from quorate.core.view import Cut, View
from quorate.kit.ground import is_grounded
from quorate.kit.line_keys import Lines, lines_by_key, with_lines

R = TypeVar("R")


def with_named_lines(reply: R, view: View, cuts: Iterable[Cut] = ()) -> tuple[R, tuple[Unfit, ...]]:
    """Return a reply with the lines that its evidence names, and the names that are of no line its seat was shown.

    `cuts` are those that the participant's own window made in the view.
    """
    told = _Telling(lines_of(view, cuts), view.material())
    return (told.read(shape_of(type(reply)), reply, ""), tuple(told.unfit)) if told.lines else (reply, ())


def lines_of(view: View, cuts: Iterable[Cut] = ()) -> Lines:
    """Return the lines of a view that may be named, by the keys of its sections."""
    left = {cut.title: cut.shown for cut in cuts if not cut.meant}
    found: dict[str, dict[int, str]] = {}
    for section in view.sections:
        if section.lines:
            for key, lines in lines_by_key(section.text[: left.get(section.title)], section.lines).items():
                found[key] = lines | found.get(key, {})
    return found


@dataclass
class _Telling:
    """The lines that one seat was shown, and what it named of them in vain."""

    lines: Lines
    material: str
    unfit: list[Unfit] = field(default_factory=list)

    def read(self, shape: Shape, value: Any, path: str, home: str = "") -> Any:
        """Return a value of this shape with its named lines; names without a key are of `home`."""
        if not holds_evidence(shape):
            return value
        match shape:
            case Text():
                return self._text(value, path, home)
            case Many(item=item):
                return tuple(self.read(item, each, f"{path}[{index}]", home) for index, each in enumerate(value))
            case PerKey(item=item):
                return Keyed({key: self.read(item, each, f"{path}.{key}", home) for key, each in value.items()})
            case Group(fields=fields):
                home = self._home(shape, value)
                inner = {each.name: each.shape for each in fields if each.mark is None and holds_evidence(each.shape)}
                read = {
                    name: self.read(one, getattr(value, name), f"{path}.{name}".lstrip("."), home)
                    for name, one in inner.items()
                }
                return replace(value, **read)
        return value

    def _home(self, shape: Group, value: Any) -> str:
        """Return the key that lines are of whose names have none: the one that the group names, or the only one."""
        named = [str(getattr(value, each.name)) for each in shape.fields if isinstance(each.shape, OneKey)]
        only = tuple(self.lines) if len(self.lines) == 1 else ()
        return next((key for key in (*named, *only) if key in self.lines), "")

    def _text(self, value: Prose, path: str, home: str) -> Prose:
        text, missing = with_lines(value.text, self.lines, lambda each: is_grounded(Prose(each), self.material), home)
        if missing:
            why = f"{', '.join(missing)[:100]}: no such line was shown"
            self.unfit.append(Unfit(path, LEFT, why, value.text))
        return value if text == value.text else Prose(text)
