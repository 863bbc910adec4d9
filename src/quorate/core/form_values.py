"""Operations on filled-in forms: seal their prose, compute their marks, find the keys they name; what did not fit.

Each operation is compiled once per form, so that parts without prose or keys are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Generic, TypeVar, cast

from quorate.core.forms import SEALED, Key, Keyed
from quorate.core.shapes import Group, Many, OneKey, PerKey, Shape, Text, shape_of
from quorate.core.values import replace, value

R = TypeVar("R")
W = TypeVar("W")
Seal = Callable[[Any], Any]
Read = Callable[[Any], Iterator[Key]]
Marking = Callable[[Any, str], Any]


class _PerForm(dict[type[Any], W], Generic[W]):
    """A cache of the compiled operation of each form, filled on first use."""

    def __init__(self, work: Callable[[Shape], W]) -> None:
        self._work = work

    def __missing__(self, form: type[Any]) -> W:
        self[form] = made = self._work(shape_of(form))
        return made


def seal(reply: R) -> R:
    """Return the reply with all prose sealed, as decisions see it."""
    sealed = _SEALS[type(reply)]
    return reply if sealed is None else cast("R", sealed(reply))


def _seal(shape: Shape) -> Seal | None:
    """Return a function that seals values of this shape; None if it holds no prose."""
    match shape:
        case Text():
            return lambda _: SEALED
        case Many(item=item):
            return _seal_many(_seal(item))
        case PerKey(item=item):
            return _seal_keyed(_seal(item))
        case Group(type=form, fields=fields):
            parts = [(each.name, _seal(each.shape)) for each in fields]
            if all(one is None for _, one in parts):
                return None
            if all(isinstance(each.shape, Text) for each in fields):  # nothing is left of it, so one will do for all
                sealed = form(**dict.fromkeys((each.name for each in fields), SEALED))
                return lambda _: sealed
            return lambda value: form(
                **{name: getattr(value, name) if one is None else one(getattr(value, name)) for name, one in parts}
            )
        case _:
            return None


def _seal_many(one: Seal | None) -> Seal | None:
    return None if one is None else lambda value: tuple([one(each) for each in value])


def _seal_keyed(one: Seal | None) -> Seal | None:
    return None if one is None else lambda value: Keyed({key: one(each) for key, each in value.items()})


def with_marks(value: R, material: str = "") -> R:
    """Return the form or group with all marks computed, inner ones first; `material` is what may be quoted."""
    marked = _MARKS[type(value)]
    return value if marked is None else cast("R", marked(value, material))


def _mark(shape: Shape) -> Marking | None:
    """Return a function that computes the marks in values of this shape; None if it has no marks."""
    match shape:
        case Many(item=item):
            return _mark_many(_mark(item))
        case PerKey(item=item):
            return _mark_keyed(_mark(item))
        case Group(fields=fields):
            inner = [
                (each.name, one) for each in fields if each.mark is None and (one := _mark(each.shape)) is not None
            ]
            return _mark_group(inner, [(each.name, each.mark) for each in fields if each.mark is not None])
        case _:
            return None


def _mark_many(one: Marking | None) -> Marking | None:
    return None if one is None else lambda value, material: tuple([one(each, material) for each in value])


def _mark_keyed(one: Marking | None) -> Marking | None:
    return None if one is None else lambda value, material: Keyed({k: one(v, material) for k, v in value.items()})


def _mark_group(inner: list[tuple[str, Marking]], marks: list[tuple[str, Marking]]) -> Marking | None:
    def marked(value: Any, material: str) -> Any:
        if inner:
            value = replace(value, **{name: one(getattr(value, name), material) for name, one in inner})
        return replace(value, **{name: mark(value, material) for name, mark in marks}) if marks else value

    return marked if inner or marks else None


def quotes_material(form: type[Any]) -> bool:
    """Whether a mark of this form is computed from the material."""
    return _QUOTES[form]


def _quotes(shape: Shape) -> bool:
    match shape:
        case Many(item=item) | PerKey(item=item):
            return _quotes(item)
        case Group(fields=inner):
            return any(each.in_material or _quotes(each.shape) for each in inner)
        case _:
            return False


def takes_lines(form: type[Any]) -> bool:
    """Whether a text of this form is evidence, into which code puts the lines that it names."""
    return _TAKES_LINES[form]


def holds_evidence(shape: Shape) -> bool:
    """Return whether a shape is, or has, a text that is evidence."""
    match shape:
        case Text(quotes=quotes):
            return quotes
        case Many(item=item) | PerKey(item=item):
            return holds_evidence(item)
        case Group(fields=fields):
            return any(each.mark is None and holds_evidence(each.shape) for each in fields)
        case _:
            return False


def keys_in(value: Any) -> tuple[Key, ...]:
    """Return every key that a reply names, in order, with repeats."""
    keys = _KEYS[type(value)]
    return () if keys is None else tuple(keys(value))


def _keys(shape: Shape) -> Read | None:
    """Return a function that lists the keys in values of this shape; None if it can name none."""
    match shape:
        case OneKey():
            return lambda value: iter((value,))
        case Many(item=item):
            return _each(_keys(item))
        case PerKey(item=item):
            return _keys_and(_keys(item))
        case Group(fields=fields):
            said = (each for each in fields if each.mark is None)
            return _all_of([(each.name, one) for each in said if (one := _keys(each.shape)) is not None])
        case _:
            return None


def _keys_and(one: Read | None) -> Read:
    return iter if one is None else lambda value: (k for key, each in value.items() for k in (key, *one(each)))


def _each(one: Read | None) -> Read | None:
    return None if one is None else lambda value: (key for each in value for key in one(each))


def _all_of(parts: list[tuple[str, Read]]) -> Read | None:
    return (lambda value: (key for name, one in parts for key in one(getattr(value, name)))) if parts else None


def repeated_key(value: Any) -> Key | None:
    """Return a key that a reply answers twice, in a list of keys or a list of groups with one key each; else None."""
    repeats = _REPEATS[type(value)]
    return None if repeats is None else next(repeats(value), None)


def _repeats(shape: Shape) -> Read | None:
    """Return a function that finds repeated keys in values of this shape; None if there can be none."""
    match shape:
        case Many(item=item):
            own, deeper = answered_key(item), _each(_repeats(item))
            return deeper if own is None else lambda value: _twice(value, own, deeper)
        case PerKey(item=item):
            deeper = _each(_repeats(item))
            return None if deeper is None else lambda value: deeper(value.values())
        case Group(fields=fields):
            said = (each for each in fields if each.mark is None)
            return _all_of([(each.name, one) for each in said if (one := _repeats(each.shape)) is not None])
        case _:
            return None


def _twice(values: Any, own: Callable[[Any], Key], deeper: Read | None) -> Iterator[Key]:
    seen: set[Key] = set()
    for each in values:
        if (key := own(each)) in seen:
            yield key
        seen.add(key)
    if deeper is not None:
        yield from deeper(values)


def answered_key(shape: Shape) -> Callable[[Any], Key] | None:
    """Return a function that reads the one key an entry of a list answers for; None if it has none or several."""
    if isinstance(shape, OneKey):
        return lambda value: value
    own = [f.name for f in shape.fields if _answers_for(f.shape)] if isinstance(shape, Group) else []
    if len(own) != 1:
        return None
    return attrgetter(own[0])


def _answers_for(shape: Shape) -> bool:
    return isinstance(shape, OneKey) and not shape.again


_SEALS, _MARKS, _QUOTES = _PerForm(_seal), _PerForm(_mark), _PerForm(_quotes)
_KEYS, _REPEATS, _TAKES_LINES = _PerForm(_keys), _PerForm(_repeats), _PerForm(holds_evidence)


# What did not fit a form

REFUSED, LEFT = "refused", "left as typed"
LONGEST_SAID = 300
LONGEST_WHY = 200
"""Characters of its words, and of the reason, that the journal keeps."""


@value(frozen=True, slots=True)
class Unfit:
    """One entry or text that was refused, kept at another place, cut or left; the rest of the reply counts."""

    at: str
    """Where it stood in the reply: `findings[9]`."""
    became: str
    """`refused`, `kept at F0`, `cut to 300 characters`, or `left as typed`: it names a line that was not shown."""
    why: str
    said: str
    """Its words as far as they are known, shortened."""

    def __str__(self) -> str:
        return f"{self.at}: {self.became}: {self.why}"

    def masked(self, mask: Callable[[str], str]) -> Unfit:
        """Return it with what it quotes of the reply masked."""
        return Unfit(mask(self.at), self.became, mask(self.why), mask(self.said))

    def shortened(self) -> Unfit:
        """Return it as the journal keeps it; what may be half of a secret afterwards has to be masked before."""
        return Unfit(self.at, self.became, short(self.why, LONGEST_WHY), short(self.said, LONGEST_SAID))


def short(text: str, most: int) -> str:
    """Return the text on one line, with at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def unfit_text(unfit: Sequence[Unfit]) -> str:
    """Return how many entries were refused, kept elsewhere and cut: `2 entries refused, 1 text cut`."""
    refused = sum(each.became == REFUSED for each in unfit)
    cut = sum(each.became.startswith("cut") for each in unfit)
    left = sum(each.became == LEFT for each in unfit)
    counts = (
        (refused, "entry refused", "entries refused"),
        (len(unfit) - refused - cut - left, "entry kept elsewhere", "entries kept elsewhere"),
        (cut, "text cut", "texts cut"),
        (left, "line named that was not shown", "lines named that were not shown"),
    )
    return ", ".join(f"{number} {one if number == 1 else more}" for number, one, more in counts if number)


def in_entry(unfit: Iterable[Unfit], words: str) -> list[Unfit]:
    """Return what was found inside an entry, with the entry's words where it has none of its own."""
    return [each if each.said else Unfit(each.at, each.became, each.why, words) for each in unfit]


# What was measured


@value(frozen=True, slots=True)
class Measured:
    """A closed field whose value was read from the model's probabilities, and what it had filled in itself."""

    at: str
    """Where it stands in the reply: `stance`, `answers.K1.response`."""
    value: str
    """What the reply says: the most probable, unless the protocol keeps what was filled in."""
    said: str
    """What the model filled in itself."""
    shares: tuple[tuple[str, int], ...]
    """How its probability is divided over the answers, of 1,000: `oppose or veto` is one answer."""
    seen: int
    """Of 1,000: how much of its probability fell on any of the answers."""
    confidence: int | None = None
    """The measured one, on the form's scale; None for a form that has none."""
    stated: int | None = None
    """The confidence that the model filled in itself."""

    def __str__(self) -> str:
        shares = ", ".join(f"{answer} {share}" for answer, share in self.shares)
        kept = "" if self.value == self.said else f"; it had filled in {self.said}"
        sure = "" if self.confidence is None else f"; confidence {self.confidence}, measured; it said {self.stated}"
        return f"{self.at} {self.value}, measured: {shares} of 1,000{kept}{sure}"
