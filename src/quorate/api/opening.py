"""Open a session of any protocol by name: the single entry point of every interface."""

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
from quorate.api.worker_thread import run_in_thread
from quorate.api.world import world_of
from quorate.codec.entries import decode_opening
from quorate.core.errors import InputError, SettingError, nearest
from quorate.kit.definition import Definition
from quorate.participants import weights
from quorate.safety.formats import what_is_missing
from quorate.safety.instructions import remarks_in
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

    `settings` and `budget` override those of the workspace. With `roots` nothing outside of them is read or written on
    behalf of the request. Invalid values raise InputError with their key: `inputs.NAME`, `settings.KEY`, `budget.KEY`,
    `panel`, `model`, `seed` or `protocol`. It may take a while but does not block the event loop.
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

    opened = await run_in_thread(journal, work)
    return replace(opened, says=(*opened.says, *await _remarks(journal, opened.session)))


async def _remarks(journal: Journal, session: str) -> tuple[str, ...]:
    """Return warnings: seats held by the embedded model, and material that addresses its readers."""
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
    """Return a warning for each line of the material that addresses its readers; none if checks report it."""
    return () if catalog.definition(protocol).examines else remarks_in(material)


def inputs_schema(protocol: str) -> dict[str, Any]:
    """Return the JSON Schema of the inputs of a protocol."""
    return inputs_schema_of(_definition(protocol))


def main_input(protocol: str) -> str | None:
    """Return the name of the main text input, for callers that have only a text."""
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
    """Rename the key of an error from an option or setting to the part of the request it came from."""
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
