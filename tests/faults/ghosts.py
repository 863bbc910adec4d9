"""Replies that come twice or too late, from somebody who does not know that nobody waits for them any more."""

from __future__ import annotations

from quorate import api
from quorate.codec import encode_entry
from quorate.core.errors import QuorateError
from quorate.core.record import Asked, Envelope, Record
from quorate.core.types import Ask, Replied
from quorate.runtime.writer import append
from quorate.store.journal import Conflict, Journal, Status
from quorate.workspace import Workspace
from tests.faults.kinds import Kind
from tests.faults.stores import Store
from tests.faults.tables import replying
from tests.faults.world import SESSION, World


class Ghosts:
    """Delivers replies to asks that are closed; none of them may count."""

    def __init__(self, world: World, store: Store, workspace: Workspace) -> None:
        self.world, self.store, self.workspace = world, store, workspace

    async def deliver(self) -> None:
        """Deliver one more reply to an ask that has one, or that is not open any more."""
        try:
            journal = self.store.handle("ghost", calm=True)
        except QuorateError:
            return  # the file is damaged, and the one who drives will say so
        try:
            record = (await api.load(self.workspace, journal, SESSION)).record
            closed = [
                line.ask for line in record.log if isinstance(line, Asked) and line.ask not in record.session.open
            ]
            if closed:
                await self._again(journal, record, self.world.chance.choice(closed))
        except QuorateError as error:
            locked = self.world.clock.now <= self.store.disk.locked_until + 1  # nobody gets to write then
            if self.store.disk.replica is None and not locked:
                self.world.problem(f"a reply that comes too late is no error, but: {error}")
        finally:
            await journal.close()

    async def _again(self, journal: Journal, record: Record, ask: Ask) -> None:
        replied = str(ask.id) in {str(event.ask) for event, _ in record.events() if isinstance(event, Replied)}
        kind = Kind.DUPLICATE if replied and Kind.DUPLICATE in self.world.kinds else Kind.LATE
        if not self.world.strikes(kind, 0.7):
            return
        self.world.fire(kind, "ghost", f"{ask.id}")
        event = Replied(ask.id, replying(record, self.world.seed)(ask))
        seq = len(record.envelopes) + 1
        if self.world.chance.random() < 0.5 or not replied:
            if await append(SESSION, record, journal, event, Envelope(model="ghost")):
                self.world.problem(f"a second reply to {ask.id} counts")
            return
        try:
            await journal.append(SESSION, seq, encode_entry(event, Envelope(seq=seq)), ask.id, Status())
        except Conflict:
            return
        self.world.problem(f"the store keeps a second reply to {ask.id}")
