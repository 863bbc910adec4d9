"""Options: the finite set of replies with which the walk answers an ask, absences included."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from quorate.core.engine import check_reply
from quorate.core.errors import DefinitionError
from quorate.core.form_values import keys_in, seal
from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.protocol import Protocol
from quorate.core.shapes import Choice, Flag, Group, Many, Number, OneKey, PerKey, Shape, Text, shape_of
from quorate.core.types import Absent, AbsentReason, Ask, AskId, Question

REASONS = tuple(AbsentReason)
MOST_DERIVED = 64
"""Replies that a derived domain has at most."""
DERIVED = "derived from the form: both truths, every choice, lowest and highest numbers, lists of none and one"


@dataclass(slots=True)
class ReasonWatch:
    """Records whether a function of the protocol read the reason of an absence."""

    on: bool = False
    read: bool = False


class WatchedAbsent(Absent):
    """An absence that records when its reason is read; an unread reason cannot matter."""

    __slots__ = ("_reason", "_watch")
    _reason: AbsentReason
    _watch: ReasonWatch

    @classmethod
    def make(cls, reason: AbsentReason, watch: ReasonWatch) -> WatchedAbsent:
        made = object.__new__(cls)
        object.__setattr__(made, "_reason", reason)
        object.__setattr__(made, "_watch", watch)
        return made

    @property
    def reason(self) -> AbsentReason:
        if self._watch.on:
            self._watch.read = True
        return self._reason

    def __copy__(self) -> WatchedAbsent:
        return WatchedAbsent.make(self._reason, self._watch)

    def __eq__(self, other: object) -> bool:
        return self.reason is other.reason if isinstance(other, Absent) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.reason,))  # as an absence that is not watched has it


@dataclass(frozen=True, slots=True)
class Options:
    """The options of an ask: the replies of its domain, then one absence per reason."""

    said: tuple[Reply | Absent, ...]
    """With their prose, as a participant would send them."""
    sealed: tuple[Reply | Absent, ...]
    """The same, as a decision sees them."""
    present: int
    """How many of them are replies."""
    plain: tuple[int, ...]
    """Those that name all keys of the ask or none: only these mean the same whatever a seat calls the others."""

    @property
    def all_plain(self) -> bool:
        return len(self.plain) == len(self.sealed)


@dataclass(frozen=True, slots=True)
class Walked:
    """The replies tried for a form, and whether these are all."""

    form: str
    size: int
    exact: bool
    why: str


class Choices:
    """The options of every ask of a protocol, each computed once."""

    def __init__(self, protocol: Protocol[Any]) -> None:
        self.domains = protocol.domains
        self.walked: dict[type[Reply], Walked] = {}
        self.watch = ReasonWatch()
        self._absences = tuple(WatchedAbsent.make(reason, self.watch) for reason in REASONS)
        self._found: dict[Question, Options] = {}

    def of(self, ask: Ask) -> Options:
        """Return the options of an ask."""
        question = Question(ask.seat, ask.brief, ask.form, ask.keys)
        found = self._found.get(question)
        if found is None:
            found = self._found[question] = self._options(question)
        return found

    def _options(self, question: Question) -> Options:
        domain = self.domains.get(question.form)
        if domain is None:
            values, exact, why = derived(question), False, DERIVED
        else:
            values, exact, why = domain.values(question), domain.exact, domain.why
        for value in values:
            if isinstance(value, Absent):
                raise DefinitionError(f"the domain of {question.form.__name__} lists an absence; they are always added")
            check_reply(Ask(AskId("0.0"), question.seat, question.brief, question.form, question.keys), value)
        before = self.walked.get(question.form)
        size = max(len(values), before.size if before else 0)
        self.walked[question.form] = Walked(question.form.__name__, size, exact, why)
        said: tuple[Reply | Absent, ...] = (*values, *(Absent(reason) for reason in REASONS))
        sealed: tuple[Reply | Absent, ...] = (*(seal(value) for value in values), *self._absences)
        keys = set(question.keys)
        named = [set(keys_in(value)) for value in values]
        plain = [n for n, each in enumerate(named) if each in (set(), keys)]
        return Options(said, sealed, len(values), (*plain, *range(len(values), len(said))))


def derived(question: Question) -> tuple[Reply, ...]:
    """Return replies that cover every vocabulary of the form, for a form without a declared domain."""
    shape = shape_of(question.form)
    return tuple(_values(shape, question.keys))


def _values(shape: Shape, keys: tuple[Key, ...]) -> Iterator[Any]:
    match shape:
        case Text():
            yield Prose("text")
        case Flag():
            yield from (False, True)
        case Choice(enum=enum):
            yield from enum
        case Number(low=low, high=high):
            yield from dict.fromkeys((low, high))
        case OneKey():
            yield from keys[:2]
        case Many(item=item, most=most):
            yield ()
            if most > 0:
                yield from ((each,) for each in _values(item, keys))
        case PerKey(item=item):
            yield Keyed()
            if keys:
                yield from (Keyed(dict.fromkeys(keys, each)) for each in _values(item, keys))
        case Group():
            yield from _groups(shape, keys)


def _groups(group: Group, keys: tuple[Key, ...]) -> Iterator[Any]:
    """Yield every combination of the fields' values or, if there are too many, each field varied alone."""
    columns = [tuple(_values(each.shape, keys)) for each in group.fields]
    size = 1
    for column in columns:
        size *= len(column)
    if size <= MOST_DERIVED:
        rows: Iterator[tuple[Any, ...]] = product(*columns)
    else:
        first = tuple(column[0] for column in columns)
        alone = (
            (*first[:place], value, *first[place + 1 :]) for place, column in enumerate(columns) for value in column[1:]
        )
        rows = islice(iter([first, *alone]), MOST_DERIVED)
    for row in rows:
        yield group.type(**{each.name: value for each, value in zip(group.fields, row, strict=True)})
