"""Drafts: a protocol from what is its own alone, with everything else as most small protocols have it.

`draft` makes a `Protocol` and `define` the `Definition` that offers it. Both are plain values: whatever has to be
otherwise is changed with `dataclasses.replace`. What a draft decides for its author:

- the ends are the verdicts, each with its exit code, and every interruption leads to one of them at once;
- everybody is shown the material and all that was said in earlier phases, and nobody what others say in the same one;
- each form is walked over every reply that its shape allows (`every`);
- a seat without a usable reply makes the session degraded, within its settings, unless its phase may settle early.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Generic, TypeVar

from quorate.core.decisions import Decision
from quorate.core.errors import DefinitionError
from quorate.core.forms import Choice, Group, Many, PerKey, Reply, Shape, Text, shape_of
from quorate.core.protocol import Blindness, Degradation, Interrupt, Node, Protocol, When
from quorate.core.record import Line, Record, Said
from quorate.core.types import Absent, Ask, Question, Reason, Replies, Seat
from quorate.core.view import Section, View
from quorate.kit.definition import Definition
from quorate.kit.every import every
from quorate.kit.inputs import QUESTION, Input
from quorate.kit.settings import plain

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class NoSettings:
    """A protocol that leaves nothing to set."""


@dataclass(frozen=True, slots=True)
class Kept(Generic[S]):
    """The state of a draft: the author's own, and whether somebody was missing."""

    own: S
    missing: bool = False


def draft(
    name: str,
    *,
    seats: tuple[str, ...],
    forms: tuple[type[Reply], ...],
    briefs: Mapping[str, str],
    phases: Mapping[Any, Node[S]],
    table: Mapping[Any, Mapping[Any, Enum]],
    ends: Mapping[Any, int],
    stopped: Enum,
    start: S,
    settings: Any = NoSettings(),  # noqa: B008 - it is frozen and has nothing in it
    version: str = "1",
) -> Protocol[Kept[S]]:
    """Return a protocol that begins in the first of its phases with the state `start`.

    `ends` are the phases that are verdicts, with their exit codes; `stopped` is the one that an interruption leads to.
    What is missing or does not fit raises DefinitionError.
    """
    if stopped not in ends:
        raise DefinitionError(f"{name}: {stopped.name} is where it stops, and is none of its ends")
    if not phases:
        raise DefinitionError(f"{name}: it has no phases")
    interrupt: Interrupt[Kept[S]] = Interrupt(stopped, When.NOW, lambda state, _: state)
    return Protocol(
        name=name,
        version=version,
        start=Kept(start),
        initial=next(iter(phases)),
        nodes={phase: _keeping(node) for phase, node in phases.items()},
        table=table,
        interrupts={reason: interrupt for reason in Reason if reason is not Reason.ESCALATION},
        verdicts={end: _concluding(end) for end in ends},
        exit_codes=ends,
        seats=tuple(map(Seat, seats)),
        view=shown,
        briefs=briefs,
        domains={form: every(form) for form in forms},
        settings=plain(settings),
        blindness=Blindness(_at_the_same_time, lambda _: frozenset()),
        degradation=lambda state: Degradation.WITHIN_SETTINGS if state.missing else Degradation.NONE,
    )


def define(
    name: str,
    title: str,
    build: Callable[[Any, Mapping[str, str], int], Protocol[Any]],
    *,
    package: str,
    settings: type[Any] = NoSettings,
    brings: tuple[Input, ...] = (QUESTION,),
) -> Definition:
    """Return the definition of a protocol whose result is its verdict and what was said.

    `build(settings, briefs, seed)` makes it; `package` is the Python package whose folder `briefs` has the prompts.
    """
    return Definition(name, title, settings, build, package, came_to, told, brings=brings)


def _keeping(node: Node[S]) -> Node[Kept[S]]:
    """The phase of an author, with note kept of whether somebody was missing.

    Not where it may settle early: whether those who are not waited for would have been is never known.
    """
    if node.settle is None:
        return Node(_asking(node.asks), _deciding(node.decide, counts=True))
    return Node(_asking(node.asks), _deciding(node.decide, counts=False), _settling(node.settle))


# Each closes over one function alone, so that a proof can name the author's.


def _asking(asks: Callable[[S], tuple[Question, ...]]) -> Callable[[Kept[S]], tuple[Question, ...]]:
    return lambda state: asks(state.own)


def _deciding(
    decide: Callable[[S, Replies], Decision[S]], *, counts: bool
) -> Callable[[Kept[S], Replies], Decision[Kept[S]]]:
    return lambda state, replies: _kept(state, decide(state.own, replies), missing=counts and bool(replies.absent()))


def _settling(
    settle: Callable[[S, Replies], Decision[S] | None],
) -> Callable[[Kept[S], Replies], Decision[Kept[S]] | None]:
    def settled(state: Kept[S], replies: Replies) -> Decision[Kept[S]] | None:
        made = settle(state.own, replies)
        return None if made is None else _kept(state, made, missing=False)

    return settled


def _kept(state: Kept[S], made: Decision[S], *, missing: bool) -> Decision[Kept[S]]:
    return Decision(made.outcome, Kept(made.state, state.missing or missing), made.because, made.facts)


def _concluding(end: Enum) -> Callable[[Any], Enum]:
    return lambda _: end


# Who sees what


def shown(record: Record, ask: Ask) -> View:
    """Show the material, the items that are asked about, and all that was said in earlier phases."""
    role = f"roles/{ask.seat}"
    sections = [Section(name, text, cut=1, quotable=text, common=True) for name, text in record.material.items()]
    if ask.keys:
        sections.append(Section("What you are asked about", "\n".join(f"- {key}" for key in ask.keys), data=False))
    told: _Told = record.worked_out.setdefault(__name__, _Told())
    told.read(record)
    sections += told.before(_entry(ask))
    return View(role if role in record.protocol.briefs else "", tuple(sections))


@dataclass
class _Told:
    """Everything that was said, in words, and in which entry of a phase: they never decrease."""

    lines: int = 0
    """How much of the log has been read."""
    entries: list[int] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)

    def read(self, record: Record) -> None:
        for said in _said(record.log[self.lines :]):
            self.entries.append(_entry(said.ask))
            self.sections.append(Section(f"{said.ask.seat}, {said.ask.brief}", worded(said.reply), cut=2))
        self.lines = len(record.log)

    def before(self, entry: int) -> list[Section]:
        return self.sections[: bisect_left(self.entries, entry)]


def _said(log: Iterable[Line]) -> Iterator[Said]:
    return (line for line in log if isinstance(line, Said) and not isinstance(line.reply, Absent))


def _entry(ask: Ask) -> int:
    return int(ask.id.partition(".")[0])


def _at_the_same_time(ask: Ask, other: Ask) -> bool:
    return _entry(ask) == _entry(other)


# What came of it


def came_to(record: Record) -> dict[str, Any]:
    """Return the verdict and everything that was said, as plain data."""
    conclusion = record.session.conclusion
    return {
        "verdict": conclusion.verdict.name if conclusion is not None else None,
        "said": [
            {"seat": str(each.ask.seat), "brief": each.ask.brief, "reply": _fields(each.reply)}
            for each in _said(record.log)
        ],
    }


def told(result: Mapping[str, Any]) -> str:
    """Return the same as Markdown."""
    lines = [f"**{result['verdict'] or 'under way'}**"]
    for each in result["said"]:
        lines += ["", f"{each['seat']}, {each['brief']}:", "", *_lines(each["reply"])]
    return "\n".join(lines) + "\n"


def worded(reply: Reply | Absent) -> str:
    """Return a reply as text, a field to a line; an absence as its reason."""
    if isinstance(reply, Absent):
        return f"nothing: {reply.reason.value}"
    return "\n".join(_lines(_fields(reply)))


def _lines(data: Mapping[str, Any]) -> list[str]:
    return [f"- {name}: {_words(value)}" for name, value in data.items()]


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name} {_words(each)}" for name, each in value.items()) or "nothing"
    if isinstance(value, list):
        return "; ".join(map(_words, value)) or "nothing"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _fields(reply: Any) -> dict[str, Any]:
    """What a participant filled in, by field; marks are code's own."""
    found: dict[str, Any] = _data(shape_of(type(reply)), reply)
    return found


def _data(shape: Shape, value: Any) -> Any:
    match shape:
        case Text():
            return value.text
        case Choice():
            return value.value
        case Many(item):
            return [_data(item, each) for each in value]
        case PerKey(item):
            return {str(key): _data(item, each) for key, each in value.items()}
        case Group(_, fields):
            return {each.name: _data(each.shape, getattr(value, each.name)) for each in fields if each.mark is None}
        case _:
            return str(value) if isinstance(value, str) else value
