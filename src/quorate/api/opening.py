"""Opening a session of any protocol by its name: the one door of every surface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from quorate import catalog
from quorate.api.inputs import PREFIX, inputs_schema_of, read_inputs
from quorate.api.inputs import main_input as main_input_of
from quorate.api.openers import open_plainly
from quorate.api.order import OpenedSession, Order, checked_model, checked_panel, checked_seed
from quorate.api.roots import Roots
from quorate.api.seats import Seating
from quorate.api.worker_thread import apart
from quorate.api.world import world_of
from quorate.codec.entries import decode_opening
from quorate.core.errors import InputError, SettingError, nearest
from quorate.kit.definition import Definition
from quorate.participants import weights
from quorate.safety.address import remarks_in
from quorate.safety.formats import what_is_missing
from quorate.store.journal import Journal
from quorate.workspace import Workspace

__all__ = ["OpenedSession", "inputs_schema", "main_input", "open_named", "speaks_to_us"]
EMBEDDED = "local:smollm2"
MOST_NAME = 100
"""Characters of a name that is not known, as it is told."""


async def open_named(
    workspace: Workspace,
    journal: Journal,
    protocol: str,
    inputs: Mapping[str, Any],
    *,
    settings: Mapping[str, Any] | None = None,
    budget: Mapping[str, Any] | None = None,
    panel: Seating | None = None,
    model: str | None = None,
    seed: int | None = None,
    roots: Roots | None = None,
) -> OpenedSession:
    """Open a session of any installed protocol; nothing is asked yet.

    `settings` and `budget` go over those of the workspace. With `roots` nothing outside of them is read or written on
    behalf of the request. What is wrong raises InputError with its key: `inputs.NAME`, `settings.KEY`, `budget.KEY`,
    `panel`, `model`, `seed` or `protocol`. It may take a while and does not hold up the event loop meanwhile.
    """
    definition = _definition(protocol)
    read = read_inputs(definition, inputs, roots)
    placed = workspace.with_settings(definition.name, settings, budget)
    panel, model, number = checked_panel(panel, roots), checked_model(model, roots), checked_seed(seed)
    given = frozenset(map(str, settings or ()))

    async def work(creates: Journal) -> OpenedSession:
        order = Order(placed, creates, definition, read, given, panel, model, number, roots)
        try:
            return await (world_of(definition).open or open_plainly)(order)
        except InputError as error:
            told = _as_requested(error, order)
            if told is error:
                raise
            raise told from error

    opened = await apart(journal, work)
    return replace(opened, says=(*opened.says, *await _remarks(journal, opened.session)))


async def _remarks(journal: Journal, session: str) -> tuple[str, ...]:
    """Say where the embedded model sits, which is only for trying things out, and what in the material speaks to us."""
    opening, _ = decode_opening((await journal.entries(session))[0].body)
    tiny = (
        (f"{EMBEDDED} sits at the table: {weights.TINY}",)
        if any(EMBEDDED in name for name in opening.panel.values())
        else ()
    )
    material = {name: await journal.material(digest) for name, digest in opening.material.items()}
    missing = (what_is_missing(),) if what_is_missing() else ()
    return (*tiny, *missing, *speaks_to_us(opening.protocol, material))


def speaks_to_us(protocol: str, material: Mapping[str, str]) -> tuple[str, ...]:
    """Return a sentence for each line of the material that speaks to its readers; none where checks report it."""
    return () if catalog.definition(protocol).examines else remarks_in(material)


def inputs_schema(protocol: str) -> dict[str, Any]:
    """Return the JSON Schema of what a session of a protocol is opened with."""
    return inputs_schema_of(_definition(protocol))


def main_input(protocol: str) -> str | None:
    """Return the name of the text that a session is about, for callers that have just a text."""
    return main_input_of(_definition(protocol))


def _definition(protocol: Any) -> Definition:
    known = catalog.definitions()
    if isinstance(protocol, str) and protocol in known:
        return known[protocol]
    name = protocol[:MOST_NAME] if isinstance(protocol, str) else ""
    shown = repr(name) if name else f"a {type(protocol).__name__}"
    expected = "one of " + ", ".join(known)
    raise SettingError(f"is {shown}", key="protocol", expected=expected, nearest=nearest(name, known))


def _as_requested(error: InputError, order: Order) -> InputError:
    """Name the part of the request that an error is about, where it speaks of an option or of a setting."""
    if error.key is None or error.key.startswith((PREFIX, "settings.")):
        return error
    name = error.key.removeprefix(f"{order.definition.name}.").removeprefix("--").replace("-", "_")
    if name in order.inputs:
        key = PREFIX + name
    elif name.partition(".")[0] in order.settings:
        key = f"settings.{name}"
    else:
        return error
    kind = SettingError if isinstance(error, SettingError) else InputError
    return kind(error.what, key=key, expected=error.expected, nearest=error.nearest)
