"""Strict parser for replies of participants: returns a whole reply, or lists every problem.

Input is untrusted: nothing in it is evaluated or imported, and parsing follows the form, never the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import islice
from typing import Any, assert_never, cast

from quorate.codec.canonical import clean
from quorate.codec.reply_json import MOST_PROBLEMS, Malformed, Repeating, read_json, refuse
from quorate.core.errors import InputError, nearest
from quorate.core.form_values import REFUSED, Unfit, answered_key, in_entry, repeated_key, with_marks
from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.shapes import Choice, Flag, Group, Many, Number, OneKey, PerKey, Shape, Text, shape_of
from quorate.core.types import Ask

MOST_UNFIT = 200
"""What did not fit, told one by one."""
MOST_LOOKED_AT = 1_000
"""Entries of a list that are looked at for such that fit."""
MOST_TOLD, LONGEST_WORDS = 100, 4_000
"""Values and characters of an entry that are kept of its words, before secrets are masked in them."""
MOST_KEY = 200
"""Characters of a text that is compared with keys without its white space and case; no key has as many."""


def parse_reply(ask: Ask, text_or_data: str | bytes | Mapping[str, Any]) -> Reply:
    """Return the reply with its marks, or raise Malformed."""
    return _read_reply(_Reader(ask.keys), ask, text_or_data)


def parse_entries(
    ask: Ask, text_or_data: str | bytes | Mapping[str, Any], *, cut: bool = True
) -> tuple[Reply, tuple[Unfit, ...]]:
    """Return the usable part of a reply that will not be repaired again, and every problem with the rest.

    Entries of lists are taken one by one: those that do not fit are left out, an unknown key is replaced where the form
    says by what, and with `cut` prose that is too long is cut. Of those that fit, a list takes as many as it may hold.
    Everything else, votes by key too, is read strictly.
    """
    reader = _Reader(ask.keys, lenient=True, cut=cut)
    reply = _read_reply(reader, ask, text_or_data)
    told, more = reader.unfit[:MOST_UNFIT], len(reader.unfit) - MOST_UNFIT
    if more > 0:
        told.append(Unfit(f"{more} more", REFUSED, "so many are not told one by one", ""))
    return reply, tuple(told)


def _read_reply(reader: _Reader, ask: Ask, text_or_data: str | bytes | Mapping[str, Any]) -> Reply:
    data = text_or_data if isinstance(text_or_data, Mapping) else read_json(text_or_data)
    reply = reader.read(shape_of(ask.form), data, "")
    if reader.problems:
        raise Malformed(reader.problems)
    if (twice := repeated_key(reply)) is not None:
        refuse(f"the key {twice!r} is answered for more than once", "every key at most once")
    return cast("Reply", with_marks(reply))


@dataclass
class _Reader:
    keys: tuple[Key, ...]
    lenient: bool = False
    cut: bool = False
    problems: list[InputError] = field(default_factory=list)
    unfit: list[Unfit] = field(default_factory=list)
    """What was left out, replaced or cut instead of being a problem; only where it is lenient."""

    def read(self, shape: Shape, value: Any, path: str) -> Any:
        """Return the value in its shape; a value that does not fit is recorded as a problem and skipped."""
        try:
            return self._read(shape, value, path)
        except InputError as problem:
            self.problems.append(problem)
            return None

    def _read(self, shape: Shape, value: Any, path: str) -> Any:
        match shape:
            case Text(most):
                return self._text(value, most, path)
            case Flag():
                if not isinstance(value, bool):
                    raise _misfit(value, path, "true or false")
                return value
            case Choice(enum):
                return self._choice(value, enum, path)
            case Number(low, high):
                return _number(value, low, high, path)
            case OneKey(otherwise=otherwise):
                return self._key(value, otherwise, path)
            case Many(item, most, _):
                return self._many(value, item, most, path)
            case PerKey(item):
                names = [str(key) for key in self.keys]
                found = self._members(_by_known_key(value, self.keys), names, path, "key", required=())
                found = dict(sorted(found.items()))  # as the journal gives it back: a replay sees the same order
                return Keyed({Key(name): self.read(item, each, _under(path, name)) for name, each in found.items()})
            case Group(form, fields):
                shapes = {each.name: each.shape for each in fields if each.mark is None}
                lists = {each.name: () for each in fields if isinstance(each.shape, Many) and each.shape.may_lack}
                needed = [name for name in shapes if name not in lists]
                found = lists | self._members(value, list(shapes), path, "field", required=needed)
                read = {name: self.read(shapes[name], each, _under(path, name)) for name, each in found.items()}
                return None if self.problems else form(**read)
        assert_never(shape)

    def _text(self, value: Any, most: int, path: str) -> Prose:
        if not isinstance(value, str):
            raise _misfit(value, path, "a text")
        if len(value) > most:
            problem = _problem(f"has {len(value)} characters", path, f"at most {most}")
            if not self.cut:
                raise problem
            self.unfit.append(Unfit(clean(path), f"cut to {most} characters", problem.what, _words(value)))
        return Prose(clean(value[:most]))

    def _choice(self, value: Any, enum: type[Enum], path: str) -> Enum:
        for member in enum:
            if type(value) is type(member.value) and value == member.value:
                return member
        names = [member.value for member in enum if isinstance(member.value, str)]
        raise _misfit(value, path, _one_of(str(member.value) for member in enum), self._nearest(value, names))

    def _key(self, value: Any, otherwise: str, path: str) -> Key:
        if isinstance(value, str) and (known := _same_key(value, self.keys)) is not None:
            return known
        names = [str(key) for key in self.keys]
        problem = _misfit(value, path, _one_of(names) if names else "no key at all", self._nearest(value, names))
        if self.lenient and isinstance(value, str) and otherwise in self.keys:
            self.unfit.append(Unfit(clean(path), f"kept at {otherwise}", _why(problem), ""))
            return Key(otherwise)
        raise problem

    def _many(self, value: Any, item: Shape, most: int, path: str) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise _misfit(value, path, f"a list with at most {most} entries")
        again = isinstance(item, OneKey) and item.again
        if self.lenient:
            return tuple(self._those_that_fit(value, item, most, path, again=again))
        if len(value) > most:
            raise _problem(f"has {len(value)} entries", path, f"at most {most}")
        read = tuple(self.read(item, each, f"{path}[{index}]") for index, each in enumerate(value))
        # A key that is only referred to says no more when it is named twice.
        return tuple(dict.fromkeys(read)) if again else read

    def _those_that_fit(self, value: Sequence[Any], item: Shape, most: int, path: str, *, again: bool) -> Iterator[Any]:
        """Yield the first entries that fit, as many as the list may hold; every other one is told as refused."""
        answered, seen, taken = answered_key(item), set[Any](), 0
        for index, each in enumerate(value):
            place = f"{path}[{index}]"
            if taken >= most or index >= MOST_LOOKED_AT:
                self._refuse(place, f"the list has at most {most} entries", each)
                continue
            own = _Reader(self.keys, lenient=True, cut=self.cut)
            read = own.read(item, each, place)
            if own.problems:
                self._refuse(place, "; ".join(_why(each, place) for each in own.problems[:MOST_PROBLEMS]), each)
                continue
            key = answered(read) if answered is not None else None
            if key is not None and key in seen:
                if not again:
                    self._refuse(place, f"the key {key!r} is answered for more than once", each)
                continue
            seen.add(key)
            self.unfit += in_entry(own.unfit, _words(each))
            taken += 1
            yield read

    def _refuse(self, place: str, why: str, entry: Any) -> None:
        self.unfit.append(Unfit(clean(place), REFUSED, why, _words(entry)))

    def _members(
        self, value: Any, names: list[str], path: str, kind: str, *, required: Sequence[str]
    ) -> dict[str, Any]:
        """Return the members that the form has, in its order; note unknown, repeated and missing ones as problems."""
        if not isinstance(value, Mapping):
            raise _misfit(value, path, f"an object with the {kind}s {', '.join(names)}" if names else "an empty object")
        if type(value) is dict and value.keys() == set(names):  # nearly every reply
            return {name: value[name] for name in names}
        expected = _one_of(names) if names else f"no {kind} at all"
        for name in value:
            if name not in names:
                near = self._nearest(name, names)
                self.problems.append(_problem(f"unknown {kind}", _under(path, str(name)), expected, near))
        if isinstance(value, Repeating):
            twice = (name for name in value.repeated if name in names)
            self.problems += [_problem("is written more than once", _under(path, name)) for name in twice]
        missing = (name for name in required if name not in value)
        self.problems += [_problem("is missing", _under(path, name)) for name in missing]
        return {name: value[name] for name in names if name in value}

    def _nearest(self, value: Any, names: Iterable[str]) -> str | None:
        """Return the valid name closest to the value, ignoring case."""
        if not isinstance(value, str) or len(self.problems) >= MOST_PROBLEMS:
            return None  # what is not shown is not searched for: hostile input has many strange names
        folded = {name.casefold(): name for name in names}
        found = nearest(value.casefold()[:200], folded)
        return None if found is None else folded[found]


def _why(problem: InputError, place: str = "") -> str:
    """Return a problem without the place of its entry, which is reported beside it."""
    inside = (problem.key or "").removeprefix(clean(place)).lstrip(".") if place else ""
    expected = f"; expected {problem.expected}" if problem.expected else ""
    return f"{inside}: {problem.what}{expected}" if inside else f"{problem.what}{expected}"


def _words(value: Any) -> str:
    """Return what an entry says: its values by name as far as anybody reads, sentences before single words."""
    told = sorted(islice(_told(value), MOST_TOLD), key=lambda each: " " not in each[1])
    return clean(", ".join(f"{name}: {text}" if name else text for name, text in told)[:LONGEST_WORDS])


def _told(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _told(each, str(key))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _told(each, name)
    else:
        yield name, value if isinstance(value, str) else _show(value)


def _same_key(value: str, keys: Sequence[Key]) -> Key | None:
    """Return the key that a text names: itself, or the only one that differs by white space and case alone."""
    if value in keys:
        return Key(value)
    said = value.strip().casefold() if len(value) <= MOST_KEY else ""
    near = [key for key in dict.fromkeys(keys) if key.casefold() == said]
    return near[0] if len(near) == 1 else None


def _by_known_key(value: Any, keys: Sequence[Key]) -> Any:
    """Return an object's members by the keys that they name; one that is named twice is repeated, and refused."""
    if not isinstance(value, Mapping) or value.keys() <= {*keys}:
        return value
    found, twice = dict[Any, Any](), set(value.repeated if isinstance(value, Repeating) else ())
    for name, each in value.items():
        known = _same_key(name, keys) if isinstance(name, str) else None
        twice |= {str(known)} if known in found else set()
        found[name if known is None else known] = each
    if not twice:
        return found
    odd = Repeating(found)
    odd.repeated = tuple(sorted(twice))
    return odd


def _number(value: Any, low: int, high: int, path: str) -> int:
    # JSON knows one kind of number: 80.0 is the whole number 80, in the schema's words too.
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole or not low <= value <= high:
        raise _misfit(value, path, f"a whole number from {low} to {high}")
    return int(value)


def _misfit(value: Any, path: str, expected: str, near: str | None = None) -> InputError:
    return _problem(f"is {_show(value)}", path, expected, near)


def _problem(what: str, path: str, expected: str | None = None, near: str | None = None) -> InputError:
    return InputError(what, key=clean(path) or "the reply", expected=expected, nearest=near)


def _under(path: str, name: str) -> str:
    short = name if len(name) <= 60 else f"{name[:60]}…"
    return f"{path}.{short}" if path else short


def _one_of(names: Iterable[str]) -> str:
    return "one of " + ", ".join(names)


def _show(value: Any) -> str:
    match value:
        case Mapping():
            return "an object"
        case list() | tuple():
            return "a list"
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case str():
            return repr(clean(value if len(value) <= 60 else f"{value[:60]}…"))
        case int() | float():
            shown = (
                repr(value) if isinstance(value, float) or abs(value) < 10**30 else "a number of more than 30 digits"
            )
            return shown
        case _:
            return f"of the type {type(value).__name__}"
