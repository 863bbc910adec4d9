"""The world of a protocol: what it reads, holds and writes outside of its pure rules.

A definition names its world; it is loaded only when a session is opened, driven or ended. A protocol without one is
opened with its texts as material, reserves no seats, and writes nothing but its journal.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from quorate import catalog, plugins
from quorate.core.errors import DefinitionError
from quorate.kit.definition import Definition, WorldBase

if TYPE_CHECKING:
    from pathlib import Path

    from quorate.api.order import OpenedSession, Order
    from quorate.api.session_end import Written
    from quorate.api.sessions import Result
    from quorate.kit.ledger import Changes
    from quorate.participants.function import Function
    from quorate.participants.port import Participant
    from quorate.safety.masks import Masks
    from quorate.workspace import Workspace

Run = Mapping[str, Any]
"""What the protocol's own code needs in any process: the part of a session's `run` under the protocol's name."""


@dataclass(frozen=True, slots=True)
class Held:
    """The seats of a protocol that are reserved for code."""

    fixed: Mapping[str, Participant | Function] = field(default_factory=dict)
    """Reserved seats: what is said there is proven, so no panel may name anybody for them.

    A plain function holds a seat as well: it takes the request and returns the reply, or the same as plain data.
    """
    free: Mapping[str, Participant | Function] = field(default_factory=dict)
    """Filled unless a panel names somebody."""
    others: tuple[str, ...] = ()
    """Seats that this session does not have but others of the protocol do: a panel is written for all of them."""
    briefs: Mapping[str, str] = field(default_factory=dict)
    """Briefs of such sessions, by name."""


class CheckedFile(Protocol):
    """What a protocol found in a file of its kind, whoever wrote the file."""

    @property
    def holds(self) -> bool:
        """Whether there are no problems besides warnings."""

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON data."""

    def lines(self) -> Sequence[str]:
        """Return it as lines for people, the result last."""

    def remarks(self) -> Sequence[str]:
        """Return what people should know beside the result."""


@dataclass(frozen=True)
class World(WorldBase):
    """What a protocol does where there are files, clocks and processes. Every part has a harmless default."""

    open: Callable[[Order], Awaitable[OpenedSession]] | None = None
    """Open a session with what was brought; None makes texts and files material, as they are."""
    holds: Callable[[Run], Held] = lambda _: Held()
    """The seats that code holds. Every check seat of the protocol has to be among the fixed ones."""
    masked: bool = False
    """Whether `open` masks the secrets in its material by itself; otherwise they are masked for it."""
    masks: Callable[[Run], Masks] | None = None
    """The masks of the material, read again, so that an answer is masked with the same numbers."""
    leave: Callable[[Result, Path | None], Sequence[Written]] = lambda *_: ()
    """Write the files that a concluded session leaves, there or in a folder; to do it again changes nothing."""
    settle: Callable[[Workspace, Result], Changes | None] = lambda *_: None
    """Merge what a concluded session found into the project's ledger; None where there is nothing to settle."""
    fork: Callable[[Run, bool], Run] = lambda run, _: run
    """fork(run, remote): what a fork takes over; two sessions must not leave two answers in one place."""
    reaches: Callable[[Run], Mapping[str, str]] = lambda _: {}
    """Files that a session reads again when it goes on, by the name of the part, beside folders of known names."""


NOTHING = World()


def world_of(definition: Definition) -> World:
    """Return the world of a protocol, loaded when it is first asked for."""
    found = definition.world
    if found is None:
        return NOTHING
    loaded = plugins.load(found, f"the world of {definition.name}") if isinstance(found, str) else found
    if not isinstance(loaded, World):
        raise DefinitionError(f"protocol {definition.name}: its world is a {type(loaded).__name__}, not a World")
    return loaded


def checked_file(path: Path) -> CheckedFile | None:
    """Check a file with the protocol that knows its kind; None if no protocol does."""
    for found in catalog.definitions().values():
        if found.check_file:
            checked: CheckedFile | None = plugins.load(found.check_file, f"the check of {found.name}")(path)
            if checked is not None:
                return checked
    return None


def own_run(protocol: str, run: Mapping[str, Any]) -> Run:
    """Return the part of a session's `run` that belongs to the protocol's own code."""
    own: Run = run.get(protocol, {})
    return own
