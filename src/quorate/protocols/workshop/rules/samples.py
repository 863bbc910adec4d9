"""The plainest sample of every form, of which the domains for `verify` are made."""

from __future__ import annotations

from typing import Any

from quorate.core.forms import Prose
from quorate.core.shapes import Choice, Flag, Group, Number, Shape, Text, shape_of


def filled(form: type[Any], **given: Any) -> Any:
    """Return a form or group with the plainest value in every field that is not given."""
    shape = shape_of(form)
    return form(**{each.name: given.get(each.name, _plainest(each.shape)) for each in shape.fields})


def _plainest(shape: Shape) -> Any:
    match shape:
        case Text():
            return Prose("text")
        case Flag():
            return False
        case Choice(enum):
            return next(iter(enum))
        case Number(low=low):
            return low
        case Group(type=kind):
            return filled(kind)
        case _:
            return ()
