"""The roundtable's I/O: opening on a topic with its documents, its reader and its clerk."""

from __future__ import annotations

from quorate import catalog
from quorate.api.order import OpenedSession, Order
from quorate.api.world import Held, Run, World
from quorate.kit.roles import roles_in
from quorate.participants.port import Participant
from quorate.protocols.roundtable.rules.model import CLASSIFIER, CLERK, ENSEMBLE, READER
from quorate.protocols.roundtable.world.roundtable import open_roundtable


async def open_topic(order: Order) -> OpenedSession:
    """Open a roundtable on a topic, with the folder of documents that it adds to."""
    order.check_seats()
    docs = order.folder("docs")
    assert docs is not None  # it is required
    opened = await open_roundtable(
        order.workspace,
        order.journal,
        order.inputs["topic"],
        docs,
        panel=order.panel,
        model=order.model,
        seed=order.seed,
    )
    names = ", ".join(opened.documents) or "none, so nothing will be added anywhere"
    return OpenedSession(opened.session, (f"documents: {names}", f"{opened.max_turns} turns", *opened.notes))


def _held(run: Run) -> Held:
    """The reader reads a person's turns, the clerk keeps what came of them (T1)."""
    from quorate.protocols.roundtable.world.seats.clerk import clerk
    from quorate.protocols.roundtable.world.seats.reader import reader

    briefs = catalog.briefs(catalog.definition("roundtable"))
    fixed: dict[str, Participant] = {READER: reader(), CLERK: clerk(run)}
    return Held(fixed, others=(*roles_in(briefs), CLASSIFIER, ENSEMBLE), briefs=briefs)


WORLD = World(open=open_topic, holds=_held, masked=True)
