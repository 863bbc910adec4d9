"""Says whether a world has ended as it must: as the undisturbed run does, with nothing lost and nothing paid twice."""

from __future__ import annotations

from itertools import zip_longest

from quorate import api
from quorate.codec.chain import Entry
from quorate.core.errors import QuorateError
from quorate.core.record import Record, Said
from quorate.core.types import Absent, Ask
from quorate.workspace import Workspace
from tests.faults.kinds import Kind
from tests.faults.stores import Store
from tests.faults.tables import undisturbed
from tests.faults.world import LASTING, SESSION, World

OVERLAP = 12.0
"""Seconds for which two processes may both drive without knowing: until the first one's lease is renewed."""


async def examine(world: World, store: Store, workspace: Workspace, conclusions: set[str]) -> None:
    """Compare what a world has left in its store with what it must have left; differences are its problems."""
    try:
        journal = store.handle("oracle", calm=True)
        try:
            result = await api.load(workspace, journal, SESSION)
            (listed,) = await journal.sessions()
        finally:
            await journal.close()
    except QuorateError as error:
        if store.disk.replica is None:
            world.problem(f"the journal cannot be read: {error}")
        return  # damage that was done after the last look, and that is told
    record = result.record
    judge(world, record, conclusions)
    _nothing_lost(world, result.entries)
    _nothing_paid_twice(world)
    _out_of_order(world, record)
    if record.session.conclusion is not None and store.disk.replica is None:
        if listed.status.verdict != record.session.conclusion.verdict.name or listed.last != len(record.envelopes):
            world.problem(f"the list says {listed.status} after {listed.last} entries")


def judge(world: World, record: Record, conclusions: set[str]) -> None:
    """Say what is wrong with the record that a world has left, and with the conclusions that were told in it."""
    _same_story(world, record)
    _same_end(world, record, conclusions)
    _absences_say_why(world, record)


def absent(world: World, record: Record, ask: Ask) -> Absent | None:
    """Return the absence that an ask must lead to in this world, if it does."""
    trouble = None if ask.seat in record.protocol.people else world.trouble(ask)
    return Absent(LASTING[trouble.kind]) if trouble is not None and trouble.lasts else None


def _same_story(world: World, record: Record) -> None:
    """The journal holds what the pure core takes from the same replies in the same order, entry by entry."""
    ours = [(str(line.ask.id), line.reply) for line in record.log if isinstance(line, Said)]
    told = undisturbed(world.table, world.seed, lambda ask: absent(world, record, ask), [ask for ask, _ in ours])
    theirs = [(str(line.ask.id), line.reply) for line in told.log if isinstance(line, Said)]
    for number, (own, other) in enumerate(zip_longest(ours, theirs), start=1):
        if own != other:
            world.problem(f"entry {number} is {own}, and {other} in the undisturbed run")
            return
    if record.session.conclusion != told.session.conclusion or record.session.state != told.session.state:
        world.problem(f"ends with {record.session.conclusion}, undisturbed with {told.session.conclusion}")


def _same_end(world: World, record: Record, conclusions: set[str]) -> None:
    """It ends, once, and as the run does in which everybody answers in the order of the asks."""
    expected = undisturbed(world.table, world.seed, lambda ask: absent(world, record, ask))
    found, wanted = record.session.conclusion, expected.session.conclusion
    if found is None or found != wanted:
        world.problem(f"ends with {found}, in the order of the asks with {wanted}")
    if len(conclusions) > 1:
        world.problem(f"two conclusions were told: {sorted(conclusions)}")


def _nothing_lost(world: World, entries: list[Entry]) -> None:
    found = {entry.seq: entry.hash for entry in entries}
    for seq, digest in sorted(world.kept.items()):
        if found.get(seq) != digest:
            world.problem(f"entry {seq} was said to be durable, and is lost or another one")


def _nothing_paid_twice(world: World) -> None:
    """No call begins after its reply is durable; two who drive at once may take a moment to see that."""
    several = bool({Kind.RIVAL, Kind.CLOCK_FORWARD} & world.kinds)
    for call in world.calls:
        durable = world.durable.get(call.ask)
        if durable is None or call.at <= durable:
            continue
        # What was durable when a process got its lease it has to know, whoever else has driven before.
        if durable <= world.leased.get(call.process, 0) or call.at > durable + (OVERLAP if several else 0):
            world.problem(f"{call.process} pays for {call.ask} again at {call.at:.3f}, durable since {durable:.3f}")


def _absences_say_why(world: World, record: Record) -> None:
    for line in record.log:
        if isinstance(line, Said) and isinstance(line.reply, Absent) and not line.envelope.detail:
            world.problem(f"{line.ask.id} is {line.reply.reason.value}, and nothing says why")


def _out_of_order(world: World, record: Record) -> None:
    """Count the replies that came before one that was asked for earlier; that they do is no problem."""
    last = (-1, -1)
    for line in record.log:
        if isinstance(line, Said):
            entry, _, index = line.ask.id.partition(".")
            here = (int(entry), int(index))
            if here < last:
                world.fired[Kind.OUT_OF_ORDER] += 1
            last = here
