"""Measured fields of a reply: which closed fields are measured, how, and what becomes of what was filled in.

A protocol declares them in a file that its definition names, so that its forms stay as they are. The rule:

1. A wording has one word for each answer, and an answer stands for one or more values of the field. The values of an
   answer are not told apart by measurement: which of them it is, stays with what the model filled in.
2. The reply says what the most probable answer stands for: the value that was filled in if it is among its values, or
   else the first of them. A tie leaves what was filled in.
3. A value that no answer stands for is not measured. One that is `kept` is never replaced, only its confidence is.
4. The confidence is the share of the answer that the reply gives, on the form's scale.
5. Where less than `LEAST_SEEN` of the probability fell on the answers, what was filled in stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, cast

from quorate.core.errors import DefinitionError
from quorate.core.form_values import Measured, with_marks
from quorate.core.forms import Key, Keyed, Reply
from quorate.core.shapes import Choice, Group, Number, PerKey, Shape, shape_of
from quorate.core.values import replace
from quorate.files.located_values import Located
from quorate.files.yaml import load
from quorate.participants.token_odds import WHOLE, Asking, Odds, Wording, askings

MOST_ASKINGS = 32
"""Of one reply: with many keys each is asked about in fewer wordings, and in both orders in any case."""
LEAST_SEEN = 250
KEY = "{key}"
_NAMES = ("form", "each", "field", "confidence", "kept", "answers", "wordings")


@dataclass(frozen=True, slots=True)
class Measure:
    """One closed field of a form, and how it is asked about."""

    form: str
    field: str
    answers: tuple[tuple[str, ...], ...]
    """By the words of a wording: the values that each stands for, as they are written in a reply."""
    wordings: tuple[Wording, ...]
    each: str = ""
    """The field of the form with an entry for each key, where the measured one is in there; wordings say `{key}`."""
    confidence: str = ""
    """The number beside it that says how sure the model is; empty for none."""
    kept: tuple[str, ...] = ()

    def answer_of(self, value: str) -> int | None:
        """Return which answer stands for a value; None if none does."""
        return next((place for place, values in enumerate(self.answers) if value in values), None)

    def check(self, form: type[Reply]) -> None:
        """Raise DefinitionError for a field, value or number that the form does not have."""
        entry: Shape | None = shape_of(form)
        if self.each:
            keyed = _field(entry, self.each)
            entry = keyed.item if isinstance(keyed, PerKey) else keyed
        field = _field(entry, self.field)
        known = {str(each.value) for each in field.enum} if isinstance(field, Choice) else set()
        named = [*(value for values in self.answers for value in values), *self.kept]
        wrong = [name for name in named if name not in known]
        if self.confidence and not isinstance(_field(entry, self.confidence), Number):
            wrong.append(self.confidence)
        if wrong or not known:
            raise DefinitionError(
                f"measures of {self.form}.{self.field}: the form has no {', '.join(wrong or ['such'])}"
            )


Measures = Mapping[str, tuple[Measure, ...]]
"""What is measured, by the name of the form."""


def read_measures(file: Path) -> Measures:
    """Read a protocol's declaration. Raises InputError for a file that is not as it should be."""
    found: dict[str, tuple[Measure, ...]] = {}
    for node in load(file).items():
        measure = _measure(node)
        found[measure.form] = (*found.get(measure.form, ()), measure)
    return found


def _measure(node: Located) -> Measure:
    given = node.mapping(_NAMES)
    for name in ("form", "field", "answers", "wordings"):
        if name not in given:
            raise node.error(f"has no {name}", "form, field, answers and wordings")
    answers = tuple(tuple(value.text() for value in each.items()) for each in given["answers"].items())
    wordings = tuple(_wording(each, len(answers)) for each in given["wordings"].items())
    texts = {name: given[name].text() for name in ("form", "field", "each", "confidence") if name in given}
    kept = tuple(each.text() for each in given["kept"].items()) if "kept" in given else ()
    return Measure(**texts, answers=answers, wordings=wordings, kept=kept)


def _wording(node: Located, answers: int) -> Wording:
    given = node.mapping(("ask", "words"))
    if set(given) != {"ask", "words"} or len(given["words"].items()) != answers:
        raise node.error("does not fit its answers", f"a question (ask) and its words, {answers} of them")
    return Wording(given["ask"].text(), tuple(word.text() for word in given["words"].items()))


# A reply


@dataclass(frozen=True, slots=True)
class _Place:
    """A field of a reply that can be measured."""

    measure: Measure
    key: str
    entry: Any
    """The group that the field is in."""

    @property
    def at(self) -> str:
        return ".".join(filter(None, (self.measure.each, self.key, self.measure.field)))

    @property
    def said(self) -> str:
        return str(getattr(self.entry, self.measure.field).value)


def _places(reply: Reply, measures: Sequence[Measure]) -> Iterator[_Place]:
    """Yield the fields of a reply that are measured: those whose value some answer stands for."""
    for measure in measures:
        entries = dict(getattr(reply, measure.each)) if measure.each else {"": reply}
        places = (_Place(measure, str(key), entry) for key, entry in entries.items())
        yield from (place for place in places if measure.answer_of(place.said) is not None)


def measured(
    reply: Reply, measures: Sequence[Measure], ask: Callable[[Sequence[Asking]], Odds | None]
) -> tuple[Reply, tuple[Measured, ...]]:
    """Return the reply with its measured fields, and what was measured. `ask` returns None once it cannot go on."""
    places, found = list(_places(reply, measures)), list[Measured]()
    for place in places[: MOST_ASKINGS // 2]:
        wordings = place.measure.wordings[: max(1, MOST_ASKINGS // (2 * len(places)))]
        odds = ask(askings([_about(each, place.key) for each in wordings]))
        if odds is None:
            break
        if odds.seen >= LEAST_SEEN:
            own = _measured(place, odds)
            reply, found = _settled(reply, place, own), [*found, own]
    return (with_marks(reply) if found else reply), tuple(found)


def _about(wording: Wording, key: str) -> Wording:
    return Wording(wording.ask.replace(KEY, key), wording.words)


def _measured(place: _Place, odds: Odds) -> Measured:
    measure, said = place.measure, place.said
    own = cast("int", measure.answer_of(said))
    top = max(range(len(odds.shares)), key=lambda answer: (odds.shares[answer], answer == own))
    stays = top == own or said in measure.kept
    confidence = stated = None
    if measure.confidence:
        stated = getattr(place.entry, measure.confidence)
        confidence = _on_scale(
            odds.shares[own if stays else top], _field(shape_of(type(place.entry)), measure.confidence)
        )
    return Measured(
        at=place.at,
        value=said if stays else measure.answers[top][0],
        said=said,
        shares=tuple((" or ".join(values), share) for values, share in zip(measure.answers, odds.shares, strict=True)),
        seen=odds.seen,
        confidence=confidence,
        stated=stated,
    )


def _settled(reply: Reply, place: _Place, found: Measured) -> Reply:
    """Return the reply with what was measured at a place."""
    measure, held = place.measure, cast("Any", reply)
    kind = cast("type[Enum]", type(getattr(place.entry, measure.field)))
    changes: dict[str, Any] = {measure.field: next(each for each in kind if str(each.value) == found.value)}
    if measure.confidence:
        changes[measure.confidence] = found.confidence
    if measure.each:
        entries = dict(getattr(reply, measure.each))
        entries[Key(place.key)] = replace(entries[Key(place.key)], **changes)
        changes = {measure.each: Keyed(entries)}
    return cast("Reply", replace(held, **changes))


def _on_scale(share: int, scale: Shape | None) -> int:
    assert isinstance(scale, Number), "or the declaration would have been refused"
    return scale.low + (share * (scale.high - scale.low) + WHOLE // 2) // WHOLE


def _field(shape: Shape | None, name: str) -> Shape | None:
    fields = shape.fields if isinstance(shape, Group) else ()
    return next((each.shape for each in fields if each.name == name), None)
