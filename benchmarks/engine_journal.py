"""What a journal costs: on disk, to fold again, and to go on from.

An event is one reply with its envelope, as it stands in the journal. To replay it is to read its JSON strictly, to
make its form, to check it, to decide what follows and to take it into the record. Prose of 2 KB and several fields is
what a built-in debate keeps; 480 bytes in one field is what the plain debate of `rounds.py` keeps.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from time import process_time
from typing import Any

import rounds
import storage
from engine_debate import create, opened
from figures import Figure, Goal, best

from quorate.codec import decode_opening, encode_entry, encode_opening, read_record
from quorate.codec.chain import GENESIS, Entry, chained
from quorate.codec.journal_reader import fold
from quorate.core.engine import replay
from quorate.core.forms import Prose
from quorate.core.protocol import Protocol
from quorate.core.record import Envelope, Opening, Record
from quorate.core.types import Ask, Replied
from quorate.participants.port import Answer, Request, Say
from quorate.protocols.debate import build
from quorate.protocols.debate.rules.model import DebateSettings
from quorate.runtime.budget import Budget, Purse
from quorate.runtime.executor import Executor
from quorate.runtime.writer import extend
from quorate.store.sqlite import SqliteJournal

DISK = "Storage, database after a checkpoint / UTF-8 bytes of what was said"
REPLAY = "Replay, events per second of CPU"
RESUME = "Resume, CPU from opening the store to the first call"
PER_SECOND = Goal(least=50_000)


def disk(counts: tuple[int, ...]) -> Iterator[Figure]:
    """The factor of storage after so many rounds of a real debate with replies of about 2 KB."""
    for count in counts:
        run = long_debate(count)
        with tempfile.TemporaryDirectory() as folder:
            ours = asyncio.run(storage.keep(run, Path(folder) / "quorate.db"))
            raw = _raw_size(Path(folder) / "raw.db", [body for _, body in run.entries])
        note = f"{len(run.entries)} replies, {run.prose / 1e6:.2f} MB said"
        yield Figure(DISK, f"{count} rounds", ours / run.prose, "", raw / run.prose, Goal(most=1.3), note)


@cache
def long_debate(count: int) -> storage.Run:
    return storage.run_debate(count, storage.SPREAD)


def _raw_size(path: Path, bodies: list[str]) -> int:
    with closing(rounds.raw_log(path)) as log:
        log.executemany("INSERT INTO log (agent, prompt, text) VALUES (0, 0, ?)", [(body,) for body in bodies])
        log.commit()
        log.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.stat().st_size


# Replay


@dataclass(frozen=True, slots=True)
class Kept:
    """A whole journal, as a store gives it back, and what is needed to fold it."""

    protocol: Protocol[Any]
    opening: Opening
    material: dict[str, str]
    entries: list[Entry]

    def record(self) -> Record:
        return Record(self.protocol, self.opening, self.material)


def plain_journal(count: int) -> Kept:
    """Ten agents, so many rounds, replies of 480 bytes."""
    record, reply = opened(10, count), rounds.Position(Prose(rounds.SAID))
    drafts: list[tuple[str, str | None]] = [(encode_opening(record.opening, Envelope()), None)]
    while record.session.conclusion is None:
        ask = record.session.open[0]
        event, envelope = Replied(ask.id, reply), _envelope(len(drafts))
        drafts.append((encode_entry(event, envelope), ask.id))
        record.take(event, envelope)
    return Kept(record.protocol, record.opening, {"problem": rounds.PROBLEM}, chained(GENESIS, 0, drafts))


def _envelope(seq: int) -> Envelope:
    return Envelope(seq, storage.START + seq, storage.MODEL, 3_217, 571, 14_035, elapsed=8_912)


def debate_journal(count: int) -> Kept:
    """The built-in debate, replies of 2 KB."""
    run = long_debate(count)
    protocol = build(
        DebateSettings(agents=storage.ROLES, rounds=count), {f"roles/{role}": "" for role in storage.ROLES}, 7
    )
    drafts = [(run.opening, None), *((body, ask) for ask, body in run.entries)]
    opening, _ = decode_opening(run.opening)
    return Kept(protocol, opening, {"problem": storage.PROBLEM}, chained(GENESIS, 0, drafts))


def replays(times: int, count: int) -> Iterator[Figure]:
    """How fast journals are folded; the baseline reads the same rows as plain JSON and keeps them in a list."""
    for kept, what in ((plain_journal(count), "480-byte replies"), (debate_journal(count), "2 KB replies, fields")):
        number = len(kept.entries) - 1
        events = [event for event, _ in _folded(kept).events()]
        whole, folded, stepped, parsed = best(
            times,
            _timed(partial(read_record, kept.protocol, kept.entries, kept.material)),
            _timed(partial(_folded, kept)),
            _timed(partial(replay, kept.protocol, events)),
            _timed(partial(_parsed, kept.entries)),
        )
        raw, note = number / parsed, f"{number:,} events; raw: JSON alone"
        yield Figure(REPLAY, f"{what}: decode and take", number / folded, "/s", raw, PER_SECOND, note)
        yield Figure(REPLAY, f"{what}: with the hash chain checked", number / whole, "/s", raw)
        yield Figure(REPLAY, f"{what}: the engine's steps alone", number / stepped, "/s")


def _folded(kept: Kept) -> Record:
    return fold(kept.record(), kept.entries[1:])


def _parsed(entries: list[Entry]) -> list[Any]:
    return [json.loads(entry.body) for entry in entries]


def _timed(work: Callable[[], object]) -> Callable[[], float]:
    def measured() -> float:
        began = process_time()
        work()
        return process_time() - began

    return measured


# Resume


@dataclass
class Noting:
    """A participant that notes when it is first called, and then holds its peace."""

    at: float = 0.0
    name: str = "noting"
    provider: str = "noting"
    concurrency: int = 1_000
    window: int | None = None

    def most_tokens(self, prompt_tokens: int, repairs: int = 2, *, looks: bool = False) -> int:
        return prompt_tokens + 200

    def price(self, tokens_in: int, tokens_out: int) -> int | None:
        return 0

    async def reply(self, request: Request, say: Say) -> Answer | None:
        self.at = self.at or process_time()
        return None


def resume(times: int, count: int) -> Iterator[Figure]:
    """A session that was cut off before its last round, taken up by a process that knows nothing of it."""
    with tempfile.TemporaryDirectory() as folder:
        ours, raw = Path(folder) / "quorate.db", Path(folder) / "raw.db"
        asyncio.run(_cut_off(ours, count))
        _raw_cut_off(raw, count)
        took, bare = best(times, lambda: asyncio.run(_resumed(ours, count)), lambda: _raw_resumed(raw))
    note = f"{3 * (count - 1)} answers kept, all shown to the next speaker"
    yield Figure(RESUME, f"after {count - 1} rounds of 3 agents", 1e3 * took, "ms", 1e3 * bare, note=note)


async def _cut_off(path: Path, count: int) -> None:
    journal, record = SqliteJournal(path), opened(3, count)
    await create(journal, record)
    reply = rounds.Position(Prose(rounds.SAID))
    for _ in range(count - 1):
        asks: tuple[Ask, ...] = record.session.asks
        await extend("debate", record, journal, [(Replied(ask.id, reply), Envelope()) for ask in asks])
    await journal.close()


async def _resumed(path: Path, count: int) -> float:
    began = process_time()
    journal, protocol, noting = SqliteJournal(path), rounds.debate(3, count), Noting()
    entries = await journal.entries("debate")
    opening, _ = decode_opening(entries[0].body)
    material = {name: await journal.material(digest) for name, digest in opening.material.items()}
    record = read_record(protocol, entries, material)
    seats = dict.fromkeys(protocol.seats, noting)
    await Executor("debate", record, journal, seats, Purse.of(Budget(), record.envelopes), "benchmark").drive()
    await journal.close()
    return noting.at - began


def _raw_cut_off(path: Path, count: int) -> None:
    with closing(rounds.raw_log(path)) as log:
        asyncio.run(rounds.raw(log, 3, count - 1))


def _raw_resumed(path: Path) -> float:
    began = process_time()
    with closing(sqlite3.connect(path)) as log:
        said = [f"agent-{agent}: {text}" for agent, text in log.execute("SELECT agent, text FROM log ORDER BY number")]
        "\n\n".join([rounds.PROBLEM, *said, "You are agent-0."])
        return process_time() - began
