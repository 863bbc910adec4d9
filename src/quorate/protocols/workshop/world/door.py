"""The workshop's I/O: opening on an agenda, its clerk, its documents, and the files it can check."""

from __future__ import annotations

from quorate import catalog
from quorate.api.inputs import PREFIX
from quorate.api.openers import CONTEXT
from quorate.api.order import OpenedSession, Order
from quorate.api.world import Held, Run, World
from quorate.core.errors import InputError
from quorate.kit.roles import roles_in
from quorate.protocols.workshop.rules.model import CLERK
from quorate.protocols.workshop.world.documents import leave
from quorate.protocols.workshop.world.workshop import open_workshop


async def open_agenda(order: Order) -> OpenedSession:
    """Open a workshop on a topic, with the agenda of its kind or one of its own."""
    order.check_seats()
    inputs, agenda = order.inputs, order.inputs.get("agenda")
    kind = inputs.get("kind", agenda)
    if kind is None:
        kinds = next(each.choices for each in order.definition.brings if each.name == "kind")
        raise InputError("is missing", key=PREFIX + "kind", expected=f"one of {', '.join(kinds)}, or an agenda")
    held = await open_workshop(
        order.workspace,
        order.journal,
        str(kind),
        inputs["topic"],
        agenda=agenda if "kind" in inputs else None,
        panel=order.panel,
        model=order.model,
        seed=order.seed,
        context=order.folder(CONTEXT),
        documents=inputs.get("documents"),
        merge=inputs.get("merge", False),
        export=inputs.get("export"),
    )
    says = (f"{held.workflow}, {held.strategy}: {held.why_strategy}", f"the agenda: {held.agenda}", *held.warnings)
    return OpenedSession(held.session, says)


def _held(_: Run) -> Held:
    """The clerk reads the agenda and looks for critical words; a panel may be for any roster (W1)."""
    from quorate.protocols.workshop.world.seats.clerk import clerk

    briefs = catalog.briefs(catalog.definition("workshop"))
    return Held({CLERK: clerk()}, others=roles_in(briefs), briefs=briefs)


def _forked(run: Run, _: bool) -> Run:
    """A fork leaves no documents where the first session does; an export has the session's name."""
    return {name: each for name, each in run.items() if name == "export"}


WORLD = World(open=open_agenda, holds=_held, masked=True, leave=leave, fork=_forked)
