"""Finite domains of forms for `verify`, derived from their shapes.

Choices and flags have all their values, and prose has one, since no decision can read it: for forms of these alone the
domain is exact. Long numbers, lists and answers by key are walked at their ends, and the domain says so. A form whose
rules turn on more than that names a domain of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, product
from typing import Any, assert_never

from quorate.core.errors import DefinitionError
from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.protocol import Domain
from quorate.core.shapes import Choice, Flag, FormField, Group, Many, Number, OneKey, PerKey, Shape, Text, shape_of
from quorate.core.types import Question

MOST = 500
"""Replies of one form; a walk combines those of all seats."""
SHORT = 11
"""A number with at most so many values is walked over all of them."""
WORDS = Prose("words")


def every(form: type[Reply]) -> Domain:
    """Return the domain of a form: all replies if these are finite, else the extremes; raises if there are too many."""
    shape = shape_of(form)
    loose = sorted({word for each in shape.fields for word in _loose(each.shape)})
    why = "all choices and flags; no decision can read prose"
    if loose:
        why = f"{why}; {', '.join(loose)}"

    def values(question: Question) -> tuple[Reply, ...]:
        found = tuple(islice(_values(shape, question.keys), MOST + 1))
        if len(found) > MOST:
            raise DefinitionError(f"form {form.__name__} has more than {MOST} replies; give it a Domain of its own")
        return found

    return Domain(values, why, exact=not loose)


def _loose(shape: Shape) -> Iterator[str]:
    """Return the parts of a shape that are walked only in part."""
    match shape:
        case Number(low, high):
            if high - low >= SHORT:
                yield "numbers at both ends and in the middle"
        case Many(item):
            yield "lists of none, of one and of two"
            yield from _loose(item)
        case PerKey(item):
            yield "one answer for all keys, or none"
            yield from _loose(item)
        case Group(_, fields):
            for each in fields:
                yield from _loose(each.shape)
        case Text() | Flag() | Choice() | OneKey():
            return
        case _:
            assert_never(shape)


def _values(shape: Shape, keys: tuple[Key, ...]) -> Iterable[Any]:
    match shape:
        case Text():
            return (WORDS,)
        case Flag():
            return (True, False)
        case Choice(enum):
            return tuple(enum)
        case Number(low, high):
            return range(low, high + 1) if high - low < SHORT else (low, (low + high) // 2, high)
        case OneKey():
            return keys
        case Many(item, most):
            return _lists(item, min(most, 2), keys)
        case PerKey(item):
            none: Keyed[Any] = Keyed({})
            answers = (Keyed(dict.fromkeys(keys, each)) for each in _values(item, keys))
            return (none, *islice(answers, MOST)) if keys else (none,)
        case Group(kind, fields):
            return (_filled(kind, fields, each) for each in product(*(_values(f.shape, keys) for f in fields)))
    assert_never(shape)


def _lists(item: Shape, most: int, keys: tuple[Key, ...]) -> Iterator[tuple[Any, ...]]:
    """Return the empty list, one of each, and the first two that differ; a key may be answered only once."""
    entries = tuple(islice(_values(item, keys), MOST))
    yield ()
    yield from ((each,) for each in entries if most)
    if most > 1 and len(entries) > 1:
        yield entries[0], entries[-1]


def _filled(kind: type[Any], fields: tuple[FormField, ...], values: tuple[Any, ...]) -> Any:
    return kind(**{each.name: value for each, value in zip(fields, values, strict=True)})
