"""Seat the panel of a session, when it is opened and in every process that continues it.

Some seats are reserved for code, as the protocol's world declares. What that code needs in another process is in the
session's `run`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate import catalog
from quorate.api.world import Held, own_run, world_of
from quorate.core.errors import DefinitionError, InputError, SettingError, nearest
from quorate.core.protocol import Protocol
from quorate.core.record import Opening
from quorate.core.types import Seat
from quorate.evidence.exam_notes import EXAMS, FAILED
from quorate.files.located_values import located
from quorate.files.yaml import load as load_yaml
from quorate.kit.settings import UNQUALIFIED_SEATS, describe
from quorate.participants.function import Function, FunctionParticipant
from quorate.participants.panel import Panel, load_panel
from quorate.participants.person import Person
from quorate.participants.port import Participant, those_behind, those_speaking
from quorate.participants.providers import PROVIDERS
from quorate.participants.script import load_script
from quorate.participants.scriptfile import EVERY
from quorate.runtime.budget import Budget

if TYPE_CHECKING:
    from quorate.participants.measures import Measures

COUNT = "count"
"""The value of `unqualified` with which everybody counts."""
Seating = Path | Mapping[str, Any]
"""A panel: a file, or the same as a mapping. In a mapping a seat may be held by a function of this program."""


def seat(
    protocol: Protocol[Any],
    source: Seating | None,
    run: Mapping[str, Any],
    *,
    model: str | None = None,
    folder: Path | None = None,
) -> Panel:
    """Seat all participants; a panel that names somebody for a reserved seat raises InputError."""
    held = _held(protocol, run)
    fixed, free = _sitting(held.fixed), _sitting(held.free)
    own = tuple(map(Seat, dict.fromkeys((*protocol.seats, *held.others))))
    source, functions = _without_functions(source)
    _check_functions(functions, own, fixed)
    named = _named(source, folder)
    seats = _to_fill(protocol, own, named - {EVERY}, fixed)
    # A person's seat stays a person's unless a panel names it, whatever sits everywhere else.
    people: dict[str, Participant] = {name: Person() for name in protocol.people}
    filled = {**people, **free, **functions, **fixed}
    measures = _measures(protocol)
    everybody = load_panel(source, seats, model=model, defaults=filled, folder=folder, measures=measures)
    everybody.check(replace(protocol, seats=own, briefs={**held.briefs, **protocol.briefs}))
    table = Panel({name: functions.get(name, everybody[name]) for name in protocol.seats})
    for name, participant in table.items():
        if name in fixed and participant is not fixed[name]:
            raise InputError(
                f"seat {name!r} is reserved for built-in checks, so {participant.name} cannot sit there",
                file=str(source) if isinstance(source, Path) else "panel",
                key=f"seats.{name}",
                expected="a panel that does not name this seat",
            )
    return _remembering(table, str(run["cache"])) if run.get("cache") else table


def _held(protocol: Protocol[Any], run: Mapping[str, Any]) -> Held:
    """Return the participants of reserved seats; raise if the protocol's world leaves a check seat empty."""
    held = world_of(catalog.definition(protocol.name)).holds(own_run(protocol.name, run))
    for name in sorted(protocol.checks - held.fixed.keys()):
        raise DefinitionError(
            f"protocol {protocol.name}: no code holds its check seat {name!r}; "
            f"name a participant for it in `holds` of its world"
        )
    return held


def _measures(protocol: Protocol[Any]) -> Measures:
    """Return which closed fields of the protocol's forms are measured where a model gives probabilities."""
    definition = catalog.definition(protocol.name)
    found = measures_in(definition.package, definition.measures) if definition.measures else {}
    for form in protocol.domains:
        for measure in found.get(form.__name__, ()):
            measure.check(form)
    return found


@cache
def measures_in(package: str, name: str) -> Measures:
    """Return what a file of a package declares as measured."""
    from quorate.participants.measures import read_measures

    return read_measures(Path(str(resources.files(package))) / name)


def _sitting(holders: Mapping[str, Participant | Function]) -> dict[str, Participant]:
    """Return the holders of reserved seats as participants; plain functions are wrapped."""
    return {name: FunctionParticipant(each) if callable(each) else each for name, each in holders.items()}


def _remembering(table: Panel, folder: str) -> Panel:
    """Let the models of a panel use the reply cache, one memory per participant."""
    from quorate.participants.cache import ReplyCache
    from quorate.participants.reply_memory import remembering

    cache = ReplyCache.at(Path(folder))
    made = {id(each): remembering(each, cache) for each in table.values()}
    return Panel({name: made[id(each)] for name, each in table.items()})


def _to_fill(
    protocol: Protocol[Any], own: tuple[Seat, ...], named: set[str], reserved: Collection[str]
) -> tuple[Seat, ...]:
    """Return the seats of the session, and what else the panel names and may name.

    A panel is written for a project: it may name seats that this session does not have, of this protocol or another. If
    it names a seat of none, those that it may name for this protocol are returned, for the error to list.
    """
    if strangers := named.difference(own):
        listed = {name: catalog.listed_seats(name) for name in (protocol.name, *catalog.definitions())}
        strangers.difference_update(*filter(None, listed.values()))
        for name in (name for name, seats in listed.items() if seats is None):  # it has to be loaded to know
            strangers -= set(catalog.seats_of(name)) if strangers else set()
        if strangers:
            known = dict.fromkeys((*own, *(listed[protocol.name] or ())))
            return tuple(Seat(name) for name in known if name not in reserved or name in named)
    return (*protocol.seats, *(Seat(name) for name in sorted(named) if name not in protocol.seats))


def _without_functions(source: Seating | None) -> tuple[Seating | None, dict[str, Participant]]:
    """Split a panel into the part without functions, and the participants that functions provide."""
    seats = source.get("seats") if isinstance(source, Mapping) else None
    if not isinstance(source, Mapping) or not isinstance(seats, Mapping):
        return source, {}
    functions: dict[str, Participant] = {
        str(name): FunctionParticipant(each) for name, each in seats.items() if callable(each)
    }
    rest = {name: each for name, each in seats.items() if not callable(each)}
    return {**source, "seats": rest}, functions


def _check_functions(functions: Mapping[str, Participant], seats: tuple[Seat, ...], reserved: Collection[str]) -> None:
    for name in functions:
        if name not in seats:
            free = [each for each in seats if each not in reserved]
            expected, near = "one of " + ", ".join(free), nearest(name, free)
            raise InputError("unknown seat", file="panel", key=f"seats.{name}", expected=expected, nearest=near)


def _named(source: Seating | None, folder: Path | None) -> set[str]:
    """Return the seats that a panel or its script names; errors in either are reported when it is loaded."""
    spec = load_yaml(source).plain() if isinstance(source, Path) else source
    if not isinstance(spec, Mapping):
        return set()
    seats, script = spec.get("seats"), spec.get("script")
    named = set(seats) if isinstance(seats, Mapping) else set()
    if isinstance(script, str):
        beside = source.parent if isinstance(source, Path) else folder or Path()
        if (path := beside / Path(script).expanduser()).is_file():
            named |= set(load_script(path).seats)
    return named


def seat_again(protocol: Protocol[Any], opening: Opening) -> Panel:
    """Seat the participants that the session was opened with, in any process."""
    kept = json.loads(opening.run["panel"])
    for name, function in kept.get("functions", {}).items():
        raise SettingError(
            f"seat {name!r} is filled by the function {function} of the program that opened the session",
            key=f"panel.seats.{name}",
            expected="to continue it in that program, or a panel that fills the seat",
        )
    return seat(protocol, kept["spec"], opening.run, model=kept["model"], folder=Path(kept["folder"]))


def panel_text(source: Seating | None, model: str | None) -> str:
    """Return a panel as text to keep with the session, so that any process can continue it. Never contains keys.

    Of a function only the name is kept; another process cannot call it, and says so.
    """
    rest, functions = _without_functions(source)
    spec = load_yaml(rest).plain() if isinstance(rest, Path) else located(rest or {}, "panel").plain()
    folder = rest.resolve().parent if isinstance(rest, Path) else Path().resolve()
    kept = {"spec": spec or {}, "folder": str(folder), "model": model}
    if functions:
        kept["functions"] = {name: each.name for name, each in functions.items()}
    return json.dumps(kept, ensure_ascii=False)


def check_ready(table: Panel, budget: Budget) -> None:
    """Raise if a participant cannot answer (missing key or package), or a money limit cannot be enforced."""
    for problem in table.problems():
        raise SettingError(problem)
    for participant in table.values() if budget.cents is not None else ():
        if participant.price(1_000, 1_000) is None:
            raise SettingError(
                f"cannot be enforced: the price of {participant.name} is not known",
                key="budget.cents",
                expected="a `price` in the panel, or a limit on tokens instead",
            )


async def examine_local(protocol: str, table: Panel, tell: Callable[[str], None]) -> None:
    """Let the embedded models of a panel that have no exam for this protocol sit it; `tell` is told how it goes."""
    everybody = {who.name: who for seated in table.values() for who in those_behind(seated)}
    if embedded := [who for who in everybody.values() if who.provider == "local"]:
        from quorate.api.first_exam import sit_first  # needed for models alone

        await sit_first(protocol, embedded, tell)


def exams(protocol: str, table: Panel, *, required: bool) -> dict[str, Any]:
    """Return what the `run` of an opening says of the exams of the models of a panel; empty where there are none.

    Raises SettingError for a model without an exam where one is `required`.
    """
    everybody = {who.name: who for seated in table.values() for who in those_behind(seated)}
    models = {name: who for name, who in everybody.items() if who.provider.partition("@")[0] in (*PROVIDERS, "local")}
    if not models:
        return {}
    from quorate.api.exams import exams_of  # needed for models alone

    return exams_of(protocol, models, required=required)


def refuse_unqualified(protocol: str, settings: Mapping[str, Any]) -> None:
    """Raise SettingError where somebody else than the opening of a session says which seats are unqualified.

    A list without names says nothing, and is what whoever sends all settings with their defaults sends.
    """
    if settings.get(UNQUALIFIED_SEATS) and _knows_unqualified(protocol):
        raise SettingError(
            "is filled in when a session is opened",
            key=UNQUALIFIED_SEATS,
            expected="no such setting; `unqualified: count` lets everybody count",
        )


def unqualified(protocol: str, table: Panel, run: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Return as a setting which seats have a model that failed its exam, as the `run` says; empty where all count.

    A seat that several models speak on in turn is unqualified where one of them is; one that only drafts is no matter.
    """
    failed = {name for name, each in run.get(EXAMS, {}).items() if each["says"] in FAILED}
    if what == COUNT or not failed or not _knows_unqualified(protocol):
        return {}
    named = [str(seat) for seat, seated in table.items() if any(each.name in failed for each in those_speaking(seated))]
    return {UNQUALIFIED_SEATS: named}


def _knows_unqualified(protocol: str) -> bool:
    return any(each.key == UNQUALIFIED_SEATS for each in describe(catalog.definition(protocol).settings))
