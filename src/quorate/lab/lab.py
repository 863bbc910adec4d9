"""The lab of a protocol: how it is attacked and measured. Named by its definition, and loaded only here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from quorate import catalog, plugins
from quorate.core.errors import DefinitionError
from quorate.core.record import Record
from quorate.kit.definition import Definition, LabBase
from quorate.lab.redteam.broken import Broken
from quorate.lab.redteam.material import Matter

if TYPE_CHECKING:
    from quorate.lab.bench.task import Fault, MaterialKind, Task
    from quorate.lab.redteam.case_run import Observed


@dataclass(frozen=True)
class Lab(LabBase):
    """What a protocol provides for attacks and measurements."""

    matters: tuple[Matter, ...]
    """What attacks are put into."""
    broken: Callable[[Observed], Iterator[Broken]] = lambda _: iter(())
    """What must hold whatever the seats say, beside what holds under every protocol, and did not in a session.

    Counted from the rules and not with their code: a protocol that let itself be talked into something would be talked
    into it here as well.
    """
    reported: Callable[[Record], bool] = lambda _: False
    """Whether its checks reported that the material speaks to its readers or hides something from them."""
    favouring: tuple[str, ...] = ()
    """Words of its vocabularies by which a seat is for the material, beside those of the protocols that come along."""
    against: tuple[str, ...] = ()
    """Words by which a seat is against it."""
    takes: MaterialKind | None = None
    """What it is made for; a protocol that takes any text may leave it out, and is then never chosen for a task."""
    inputs: Callable[[Task, Path], dict[str, Any]] | None = None
    """What a session is opened with for a task, with files in a folder; None puts all of it into the main text.

    Where it is given, the protocol takes what it is made for and nothing else.
    """
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What simulated panels need: otherwise the size of the material decides who sits down."""
    draw: Callable[[Random, bool], tuple[dict[str, str], Fault | None]] | None = None
    """draw(random, faulty): files to judge, by path, and the defect that was planted."""


@cache
def labs() -> dict[str, Lab]:
    """Return the labs of all installed protocols that have one, by the name of the protocol."""
    return {name: found for name, each in catalog.definitions().items() if (found := lab_of(each)) is not None}


def matters() -> tuple[Matter, ...]:
    """Return the material for attacks on all installed protocols."""
    return tuple(matter for lab in labs().values() for matter in lab.matters)


def lab_of(definition: Definition) -> Lab | None:
    """Return the lab of a protocol; None if it has none."""
    found = definition.lab
    loaded = plugins.load(found, f"the lab of {definition.name}") if isinstance(found, str) else found
    if loaded is not None and not isinstance(loaded, Lab):
        raise DefinitionError(f"protocol {definition.name}: its lab is a {type(loaded).__name__}, not a Lab")
    return loaded


def made_for(kind: MaterialKind) -> str | None:
    """Return the protocol for a kind of material; None if none is installed."""
    return next((name for name, lab in labs().items() if lab.takes is kind), None)
