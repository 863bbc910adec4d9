"""What one debate costs: all of it, one call, one step, and a late round against an early one.

All of it is process CPU time, the kernel's work for this process included: what a flush to disk makes the process wait
is not in it. The debate is the one of `rounds.py`, and the raw baseline is its own.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any

import rounds
import storage
from figures import TWICE_RAW, Figure, Goal, best, late_to_early

from quorate import catalog
from quorate.codec import digest_text, encode_opening, parse_reply, protocol_digest
from quorate.codec.chain import Drafts, Entry
from quorate.core.forms import Prose
from quorate.core.record import Envelope, Opening, Record
from quorate.core.session import Step
from quorate.core.types import Replied
from quorate.participants.port import Answer, Request, Say
from quorate.protocols.debate import build
from quorate.protocols.debate.rules.model import DebateSettings
from quorate.runtime.budget import Budget, Purse
from quorate.runtime.executor import Executor
from quorate.runtime.writer import append, status_of
from quorate.store.journal import Journal, Status
from quorate.store.memory import MemoryJournal
from quorate.store.sqlite import SqliteJournal

GROUP = "One debate, CPU"
GROWTH = "A late round against an early one, CPU"


def debates(times: int) -> Iterator[Figure]:
    """Whole debates made durable, and what is left of them for one call."""
    for agents, count in ((3, 3), (10, 3)):
        ours, kept, raw = best(
            times,
            partial(quorate_seconds, agents, count),
            partial(quorate_seconds, agents, count, memory=True),
            partial(raw_seconds, agents, count),
        )
        calls = agents * count
        yield Figure(GROUP, f"{agents} agents x {count} rounds, durable", 1e3 * ours, "ms", 1e3 * raw, TWICE_RAW)
        yield Figure(GROUP, f"{agents} agents x {count} rounds, in memory", 1e3 * kept, "ms")
        yield Figure(GROUP, f"one call of these {calls}, durable", 1e6 * ours / calls, "us", 1e6 * raw / calls)


def quorate_seconds(agents: int, count: int, *, memory: bool = False) -> float:
    async def run(folder: str) -> float:
        journal: Journal = MemoryJournal() if memory else SqliteJournal(Path(folder) / "quorate.db")
        began = process_time()
        kept = await rounds.by_quorate(journal, "debate", agents, count)
        took = process_time() - began
        await journal.close()
        _expect(kept, agents * count)
        return took

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(run(folder))


def raw_seconds(agents: int, count: int) -> float:
    async def run(log: sqlite3.Connection) -> float:
        began = process_time()
        kept = await rounds.raw(log, agents, count)
        took = process_time() - began
        _expect(kept, agents * count)
        return took

    with tempfile.TemporaryDirectory() as folder, closing(rounds.raw_log(Path(folder) / "raw.db")) as log:
        return asyncio.run(run(log))


def _expect(kept: int, wanted: int) -> None:
    if kept != wanted:
        raise RuntimeError(f"{kept} answers are kept of {wanted}: what was measured is no whole debate")


def opened(agents: int, count: int, session: str = "debate") -> Record:
    """Return the plain debate at its beginning."""
    protocol = rounds.debate(agents, count)
    texts = {"problem": rounds.PROBLEM}
    digests = {name: digest_text(text) for name, text in texts.items()}
    panel = {str(seat): "instant" for seat in protocol.seats}
    opening = Opening("rounds", "1", protocol_digest(protocol), "Orders", 1, {}, panel, digests, session)
    return Record(protocol, opening, texts)


async def create(journal: Journal, record: Record) -> None:
    """Write the opening of a record that is at its beginning."""
    opening = record.opening
    texts = {digest_text(text): text for text in record.material.values()}
    status, body = status_of(record, Step(record.session)), encode_opening(opening, Envelope())
    await journal.create(opening.session, opening.protocol, opening.title, 0, body, texts, status)


# Steps


def steps(times: int, count: int) -> Iterator[Figure]:
    """One reply after the other, each a step: checked, decided upon and recorded; and written too."""
    pure, durable, raw = best(
        times, lambda: memory_steps(count), lambda: durable_steps(count), lambda: raw_steps(count)
    )
    each, name = 1e6 / (10 * count), "one step (a reply is taken)"
    yield Figure(GROUP, f"{name}, in memory", each * pure, "us")
    yield Figure(GROUP, f"{name}, durable, a flush each", each * durable, "us", each * raw, TWICE_RAW)


def memory_steps(count: int) -> float:
    record, reply = opened(10, count), rounds.Position(Prose(rounds.SAID))
    began = process_time()
    while record.session.conclusion is None:
        for ask in record.session.asks:
            record.take(Replied(ask.id, reply), Envelope(len(record.envelopes) + 1))
    return process_time() - began


def durable_steps(count: int) -> float:
    async def run(journal: Journal) -> float:
        record, reply = opened(10, count), rounds.Position(Prose(rounds.SAID))
        await create(journal, record)
        began = process_time()
        while record.session.conclusion is None:
            for ask in record.session.asks:
                await append("debate", record, journal, Replied(ask.id, reply), Envelope())
        took = process_time() - began
        await journal.close()
        return took

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(run(SqliteJournal(Path(folder) / "quorate.db")))


def raw_steps(count: int) -> float:
    with tempfile.TemporaryDirectory() as folder, closing(rounds.raw_log(Path(folder) / "raw.db")) as log:
        began = process_time()
        for number in range(10 * count):
            text = json.dumps({"text": rounds.SAID})
            log.execute("INSERT INTO log (agent, prompt, text) VALUES (?, ?, ?)", (number % 10, 0, text))
            log.commit()
        return process_time() - began


# Growth


def growth(times: int, count: int) -> Iterator[Figure]:
    """The last rounds against the first ones, where everybody sees what the rules show, and where they see all.

    Each round counts as in the run in which it was cheapest.
    """
    runs = [(asyncio.run(_built_in(count)), asyncio.run(_plain(count)), _raw_rounds(count)) for _ in range(times)]
    built, all_, raw = (
        late_to_early([min(costs) for costs in zip(*each, strict=True)]) for each in zip(*runs, strict=True)
    )
    name = f"round {count} / round 1"
    shown = "each is shown the round before, as a debate's rules say"
    yield Figure(GROWTH, f"{name}, the built-in debate", built, "", goal=Goal(most=1.2), note=shown)
    everything = f"each prompt of round {count} holds all {3 * count} answers"
    yield Figure(GROWTH, f"{name}, everybody sees everything", all_, "", raw, note=everything)


class Stamped(SqliteJournal):
    """A store that notes the CPU time at which each round was on disk."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.by_round: dict[int, float] = {}
        self.by_entry: dict[int, float] = {0: process_time()}

    async def extend(self, session: str, expected: int, drafts: Drafts, status: Status) -> list[Entry]:
        entries = await super().extend(session, expected, drafts, status)
        self.by_entry[entries[-1].seq] = now = process_time()
        self.by_round.setdefault(status.round, now)
        return entries


def _differences(stamps: list[float]) -> list[float]:
    return [after - before for before, after in pairwise(stamps)]


@dataclass(frozen=True, slots=True)
class Ready:
    """A participant that has a reply of 2 KB to any form at once; equal asks are answered alike."""

    speaker: storage.Speaker = field(default_factory=lambda: storage.Speaker(0.0))
    known: dict[Any, Any] = field(default_factory=dict)
    name: str = "ready"
    provider: str = "ready"
    concurrency: int = 1_000
    window: int | None = None

    def most_tokens(self, prompt_tokens: int, repairs: int = 2, *, looks: bool = False) -> int:
        return prompt_tokens + 700

    def price(self, tokens_in: int, tokens_out: int) -> int | None:
        return 0

    async def reply(self, request: Request, say: Say) -> Answer | None:
        about = request.ask.form, request.ask.keys
        if about not in self.known:
            self.known[about] = json.dumps(self.speaker.reply(request.ask))
        return Answer(parse_reply(request.ask, self.known[about]), self.name, 900, 150)


async def _built_in(count: int) -> list[float]:
    """Return what each round of the built-in debate costs."""
    settings = DebateSettings(agents=storage.ROLES, rounds=count)
    protocol = build(settings, catalog.briefs(catalog.definition("debate")), 7)
    texts = {"problem": rounds.PROBLEM}
    digests = {name: digest_text(text) for name, text in texts.items()}
    panel = {str(seat): "ready" for seat in protocol.seats}
    opening = Opening(
        "debate", protocol.version, protocol_digest(protocol), "Orders", 7, protocol.settings, panel, digests, "debate"
    )
    with tempfile.TemporaryDirectory() as folder:
        journal, record, ready = Stamped(Path(folder) / "quorate.db"), Record(protocol, opening, texts), Ready()
        await create(journal, record)
        seats = dict.fromkeys(protocol.seats, ready)
        await Executor("debate", record, journal, seats, Purse.of(Budget(), []), "benchmark").drive()
        await journal.close()
    if record.session.conclusion is None:
        raise RuntimeError("the debate has not concluded: what was measured is no whole debate")
    return _differences(list(journal.by_round.values()))


async def _plain(count: int) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        journal = Stamped(Path(folder) / "quorate.db")
        _expect(await rounds.by_quorate(journal, "debate", 3, count), 3 * count)
        await journal.close()
    return _differences([at for seq, at in journal.by_entry.items() if seq % 3 == 0])


class _StampedLog:
    """A raw log that notes the CPU time at which each answer was on disk."""

    def __init__(self, log: sqlite3.Connection) -> None:
        self.log, self.stamps, self.execute = log, [process_time()], log.execute

    def commit(self) -> None:
        self.log.commit()
        self.stamps.append(process_time())


def _raw_rounds(count: int) -> list[float]:
    with tempfile.TemporaryDirectory() as folder, closing(rounds.raw_log(Path(folder) / "raw.db")) as log:
        stamped: Any = _StampedLog(log)
        asyncio.run(rounds.raw(stamped, 3, count))
    return _differences(stamped.stamps[::3])
