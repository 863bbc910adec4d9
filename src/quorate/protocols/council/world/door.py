"""The council's input and code-held seats: how an RFC is opened, and which functions sit as gates and matcher."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from quorate import catalog
from quorate.api.inputs import PREFIX
from quorate.api.order import OpenedSession, Order
from quorate.api.world import Held, Run, World
from quorate.participants.port import Participant
from quorate.protocols.council.rules.model import GATES, MATCHER, REVIEWERS
from quorate.protocols.council.world.council import Convened, open_council
from quorate.protocols.council.world.gate_passage import Sources
from quorate.protocols.council.world.gates.texts import masks_of
from quorate.safety.masks import Masks


async def open_rfc(order: Order) -> OpenedSession:
    """Open a council on the RFC named in the order."""
    order.check_seats()
    names = ("tickets", "prd", "ccp", "repo")
    folder = order.folder("rfc")
    assert folder is not None  # it is required
    sources = Sources(folder, *(order.folder(name) for name in names))
    if order.roots is not None:  # an RFC may lie in a tree whose other parts are found from it
        order.roots.resolve(str(sources.layout().root), PREFIX + "rfc")
    seed = None if order.seed is None else str(order.seed)
    convened = await open_council(
        order.workspace, order.journal, sources, seed=seed, panel=order.panel, model=order.model
    )
    return OpenedSession(convened.session, tuple(_told_council(convened)))


def _told_council(convened: Convened) -> Iterator[str]:
    gated = convened.gated
    yield f"{gated.id} {gated.title}, {gated.version}"
    yield f"depth {convened.depth}: {convened.why}"
    if gated.blocking:
        yield f"{_count(gated.blocking, 'BLOCKER finding')} of the gates, which no vote can lift"
    if convened.tight:
        yield f"of the RFC's {convened.of:,} tokens a seat is shown {convened.shown:,} at a time"


def _held(run: Run) -> Held:
    """Return the seats held by code: gates report and try edits, the matcher finds duplicates (C1, C8, C14)."""
    from quorate.protocols.council.world.gates.seats import gatekeeper, matcher

    fixed: dict[str, Participant] = {GATES: gatekeeper(run), MATCHER: matcher()}
    return Held(fixed, others=REVIEWERS, briefs=catalog.briefs(catalog.definition("council")))


def _masks(run: Run) -> Masks:
    parts = {name: Path(run[name]) for name in ("folder", "tickets", "prd", "ccp", "repo") if run.get(name)}
    return masks_of(Sources(**parts).read())


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


WORLD = World(open=open_rfc, holds=_held, masked=True, masks=_masks)
