"""Drafts: build a small protocol from its own parts, with defaults for everything else.

`draft` makes a `Protocol` and `define` the `Definition` that offers it. What else a protocol promises (invariants,
people, checks, limits) are parameters of `draft`: beside the author's state it keeps who was missing, and hands the
author's functions the author's own. What a draft decides where nothing is said:

- the ends are the verdicts, each with its exit code, and every interruption leads to one of them at once;
- everybody is shown the material and all that was said in earlier phases, and nobody what others say in the same one;
- each form is walked over every reply that its shape allows (`every`);
- a seat without a usable reply makes the session degraded, within its settings, unless its phase may settle early.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import chain
from typing import Any, Generic, TypeVar

from quorate.core.decisions import Decision
from quorate.core.errors import DefinitionError
from quorate.core.forms import Reply
from quorate.core.protocol import (
    Blindness,
    Degradation,
    Domain,
    Interrupt,
    Invariant,
    Limits,
    Moment,
    Node,
    Protocol,
    When,
)
from quorate.core.record import Line, Record, Said
from quorate.core.types import Absent, Ask, Question, Reason, Replies, Seat
from quorate.core.view import Section, View
from quorate.kit.definition import Definition, LabBase, WorldBase
from quorate.kit.draft_checks import (
    asked,
    check_ends,
    check_forms,
    check_members,
    check_name,
    check_seats,
    check_settings,
    decided,
)
from quorate.kit.fates import Fates
from quorate.kit.form_domains import every
from quorate.kit.inputs import QUESTION, Input
from quorate.kit.reply_text import filled_in, lines_of, worded
from quorate.kit.settings import plain

S = TypeVar("S")
T = TypeVar("T")


BLIND = Blindness(lambda ask, other: ask.id.entry == other.id.entry, lambda _: frozenset())
"""Nobody sees what others say in the same phase."""


@dataclass(frozen=True, slots=True)
class NoSettings:
    """The settings of a protocol that has none."""


@dataclass(frozen=True, slots=True)
class Kept(Generic[S]):
    """The state of a draft: the author's own state, and whether somebody was missing."""

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
    invariants: Iterable[Invariant[S]] = (),
    people: Iterable[str] = (),
    checks: Iterable[str] = (),
    limits: Limits = Limits(),  # noqa: B008 - it is frozen
    domains: Mapping[type[Reply], Domain] | None = None,
    view: Callable[[Record, Ask], View] | None = None,
    blindness: Blindness | None = BLIND,
    round: Callable[[S], int] | None = None,
    degradation: Callable[[S], Degradation] | None = None,
    rulings: Mapping[Any, tuple[Enum, ...]] | None = None,
) -> Protocol[Kept[S]]:
    """Return a protocol that begins in the first of its phases with the state `start`.

    `ends` are the phases that are verdicts, with their exit codes; `stopped` is the one that an interruption leads to.
    `invariants` are what `verify` proves beside what holds for every protocol; `people` and `checks` are the seats of
    people and of code; `domains` replace what some forms are walked over. A `view` or `blindness` of your own replaces
    the usual one, `round` counts the rounds of your state and `degradation` says how much was missing, where absences
    alone do not tell. What is missing or does not fit raises DefinitionError.
    """
    people, checks = tuple(people), tuple(checks)
    check_name(name)
    for what, members in (("phase", (*phases, *table)), ("end", (*ends, stopped)), ("outcome", chain(*table.values()))):
        check_members(name, what, members)
    check_ends(name, ends)
    if stopped not in ends:
        raise DefinitionError(f"{name}: `stopped` is {stopped.name}, which is not one of its ends")
    if not phases:
        raise DefinitionError(f"{name}: it has no phases; pass at least one")
    check_seats(name, "people", people, seats)
    check_seats(name, "checks", checks, seats)
    check_forms(name, forms)
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
        view=view or shown,
        briefs=briefs,
        domains={**{form: every(form) for form in forms}, **(domains or {})},
        settings=plain(settings),
        blindness=blindness,
        invariants=tuple(Invariant(each.name, each.rule, _judging(each.holds)) for each in invariants),
        people=frozenset(map(Seat, people)),
        checks=frozenset(map(Seat, checks)),
        limits=limits,
        round=_first if round is None else _of_own(round),
        degradation=_by_absence if degradation is None else _of_own(degradation),
        rulings=rulings or {},
    )


def define(
    name: str,
    title: str,
    build: Callable[[Any, Mapping[str, str], int], Protocol[Any]],
    *,
    package: str,
    settings: type[Any] = NoSettings,
    brings: tuple[Input, ...] = (QUESTION,),
    profiles: Mapping[str, Mapping[str, Any]] | None = None,
    world: str | WorldBase | None = None,
    lab: str | LabBase | None = None,
    tool: str = "",
    fates: Fates | None = None,
) -> Definition:
    """Return the definition of a protocol whose result is its verdict and what was said.

    `build(settings, briefs, seed)` makes it; `package` is the Python package whose folder `briefs` has the prompts.
    `profiles`, `world`, `lab`, `tool` and `fates` are those of `Definition`; its other fields are set with
    `dataclasses.replace` on what this returns.
    """
    check_name(name)
    check_settings(name, settings)
    proven = {"default": {}} if profiles is None else profiles
    own: dict[str, Any] = {"brings": brings, "profiles": proven, "world": world, "lab": lab, "tool": tool}
    own["fates"] = fates
    return Definition(name, title, settings, build, package, came_to, told, **own)


def _keeping(node: Node[S]) -> Node[Kept[S]]:
    """Wrap an author's phase so that it also keeps whether somebody was missing.

    Not for a phase that may settle early: it cannot be known whether the seats it did not wait for were missing.
    """
    if node.settle is None:
        return Node(_asking(node.asks), _deciding(node.decide, counts=True))
    return Node(_asking(node.asks), _deciding(node.decide, counts=False), _settling(node.settle))


# Each closes over one function alone, so that a proof can name the author's.


def _asking(asks: Callable[[S], tuple[Question, ...]]) -> Callable[[Kept[S]], tuple[Question, ...]]:
    return lambda state: asked(asks(state.own))


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


def _judging(holds: Callable[[Moment[S]], bool]) -> Callable[[Moment[Kept[S]]], bool]:
    return lambda moment: holds(replace(moment, state=moment.state.own, after=moment.after.own))  # type: ignore[arg-type]


def _of_own(function: Callable[[S], T]) -> Callable[[Kept[S]], T]:
    return lambda state: function(state.own)


def _first(_: Kept[Any]) -> int:
    return 1


def _by_absence(state: Kept[Any]) -> Degradation:
    return Degradation.WITHIN_SETTINGS if state.missing else Degradation.NONE


def _kept(state: Kept[S], made: Decision[S], *, missing: bool) -> Decision[Kept[S]]:
    made = decided(made)
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
    sections += told.before(ask.id.entry)
    return View(role if role in record.protocol.briefs else "", tuple(sections))


@dataclass
class _Told:
    """Everything that was said, as text, with the phase entries, which never decrease."""

    lines: int = 0
    """How much of the log has been read."""
    entries: list[int] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)

    def read(self, record: Record) -> None:
        for said in _said(record.log[self.lines :]):
            self.entries.append(said.ask.id.entry)
            self.sections.append(Section(f"{said.ask.seat}, {said.ask.brief}", worded(said.reply), cut=2))
        self.lines = len(record.log)

    def before(self, entry: int) -> list[Section]:
        return self.sections[: bisect_left(self.entries, entry)]


def _said(log: Iterable[Line]) -> Iterator[Said]:
    return (line for line in log if isinstance(line, Said) and not isinstance(line.reply, Absent))


# What came of it


def came_to(record: Record) -> dict[str, Any]:
    """Return the verdict and everything that was said, as plain data."""
    conclusion = record.session.conclusion
    return {
        "verdict": conclusion.verdict.name if conclusion is not None else None,
        "said": [
            {"seat": str(each.ask.seat), "brief": each.ask.brief, "reply": filled_in(each.reply)}
            for each in _said(record.log)
        ],
    }


def told(result: Mapping[str, Any]) -> str:
    """Return the verdict and everything that was said, as Markdown."""
    lines = [f"**{result['verdict'] or 'under way'}**"]
    for each in result["said"]:
        lines += ["", f"{each['seat']}, {each['brief']}:", "", *lines_of(each["reply"])]
    return "\n".join(lines) + "\n"
