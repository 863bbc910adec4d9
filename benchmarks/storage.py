"""How large a store grows: the database file after a checkpoint, against the UTF-8 bytes of what was said.

    python benchmarks/storage.py [ROUNDS ...]

The debate is a real one, run through the engine with three agents and replies of 2 KB; only the words are drawn, and
how long a reply is: all alike, or 2 KB on average. What an entry leaves free on its last page is lost, so replies that
are all alike can be lucky or not, and cost between 1.20 and 1.32 times their prose; real ones differ.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, assert_never

from quorate.codec import digest_text, encode_entry, encode_opening, parse_reply, protocol_digest
from quorate.core.record import Envelope, Opening, Record
from quorate.core.shapes import Choice, Flag, Group, Many, Number, OneKey, PerKey, Shape, Text, shape_of
from quorate.core.types import Ask, Replied
from quorate.protocols.debate import build
from quorate.protocols.debate.rules.model import DebateSettings
from quorate.store.journal import Status
from quorate.store.sqlite import SqliteJournal

REPLY = 2_048
"""UTF-8 bytes of prose in a reply, as nearly as its fields allow."""
SPREAD = 0.4
"""How much longer or shorter a reply may be where replies differ."""
PROBLEM = "Choose how the orders of a shop reach its warehouse. It must survive a restart of every part.\n" * 10
SESSION, MODEL, START = "2026-01-31-orders-7f3a", "openai:gpt-5.2", 1_770_000_000_000
ENTRIES = 2
"""Entries of every list."""
ROLES = ("architect", "performance", "simplicity")
TEXT = (
    "the a queue order restart must writes reads once idempotent “at least once” latency größer because, that would "
    "lose messages; and if a node fails: retry budget consumer offset partition snapshot cost simple table outbox "
    'polling index lock "exactly once" is not what we need – the ledger decides. Therefore\nI propose\n\n- first'
)
WORDS = TEXT.split(" ")


@dataclass(frozen=True, slots=True)
class Run:
    """A whole debate as the journal keeps it."""

    opening: str
    entries: tuple[tuple[str, str], ...]
    """Ask and body of each entry after the opening."""
    prose: int
    """UTF-8 bytes of all prose in the replies."""


class Speaker:
    """Fills in any form with words, so that a whole reply has about `REPLY` bytes of prose."""

    def __init__(self, spread: float) -> None:
        self.random = random.Random(7)  # noqa: S311 - words, not secrets
        self.spread, self.prose = spread, 0

    def reply(self, ask: Ask) -> Any:
        shape = shape_of(ask.form)
        size = REPLY * self.random.uniform(1 - self.spread, 1 + self.spread)
        return self._fill(shape, ask, round(size / max(1, _texts(shape, len(ask.keys)))))

    def _fill(self, shape: Shape, ask: Ask, size: int) -> Any:
        match shape:
            case Text(most):
                return self._words(min(size, most))
            case Flag():
                return self.random.random() < 0.5
            case Choice(enum):
                return self.random.choice(list(enum)).value
            case Number(low, high):
                return self.random.randint(low, high)
            case OneKey():
                return self.random.choice(ask.keys)
            case Many(item):
                return [self._fill(item, ask, size) for _ in range(ENTRIES)]
            case PerKey(item):
                return {key: self._fill(item, ask, size) for key in ask.keys}
            case Group(fields=fields):
                return {each.name: self._fill(each.shape, ask, size) for each in fields if each.mark is None}
        assert_never(shape)

    def _words(self, size: int) -> str:
        said = " ".join(self.random.choices(WORDS, k=size // 2))
        cut = said.encode()[:size].decode(errors="ignore")
        self.prose += len(cut.encode())
        return cut


def _texts(shape: Shape, keys: int) -> int:
    """Count the texts that `Speaker` writes into a form."""
    match shape:
        case Text():
            return 1
        case Many(item):
            return ENTRIES * _texts(item, keys)
        case PerKey(item):
            return keys * _texts(item, keys)
        case Group(fields=fields):
            return sum(_texts(each.shape, keys) for each in fields if each.mark is None)
        case _:
            return 0


def run_debate(rounds: int, spread: float) -> Run:
    """Run a debate of so many rounds to its end."""
    settings = DebateSettings(agents=ROLES, rounds=rounds)
    protocol = build(settings, {f"roles/{role}": "" for role in ROLES}, 7)
    opening = Opening(
        protocol="debate",
        version=protocol.version,
        digest=protocol_digest(protocol),
        title="How orders reach the warehouse",
        seed=7,
        settings=protocol.settings,
        panel={seat: MODEL for seat in protocol.seats},
        material={"problem": digest_text(PROBLEM)},
    )
    record = Record(protocol, opening, {"problem": PROBLEM})
    speaker, entries = Speaker(spread), list[tuple[str, str]]()
    while record.session.open:
        ask = record.session.open[0]
        event = Replied(ask.id, parse_reply(ask, speaker.reply(ask)))
        seq = len(entries) + 1
        envelope = Envelope(seq, START + 9_137 * seq, MODEL, 3_217 + seq, 571, 14_035, elapsed=8_912)
        record.take(event, envelope)
        entries.append((ask.id, encode_entry(event, envelope)))
    return Run(encode_opening(opening, Envelope(at=START)), tuple(entries), speaker.prose)


async def keep(run: Run, path: Path) -> int:
    """Write a run into a new store and return the bytes of its file after closing, which checkpoints it."""
    journal = SqliteJournal(path)
    await journal.create(SESSION, "debate", "Orders", START, run.opening, {digest_text(PROBLEM): PROBLEM})
    for seq, (ask, body) in enumerate(run.entries, start=1):
        await journal.append(SESSION, seq, body, ask, Status("REFINEMENT", seq // 6, "", ""))
    await journal.close()
    return path.stat().st_size


def main(rounds: list[int]) -> None:
    for count, spread in product(rounds, (0.0, SPREAD)):
        run = run_debate(count, spread)
        bodies = sum(len(body.encode()) for _, body in run.entries)
        with tempfile.TemporaryDirectory() as folder:
            size = asyncio.run(keep(run, Path(folder) / "quorate.db"))
        sys.stdout.write(
            f"{count} rounds, {len(run.entries)} replies of {REPLY} bytes {'on average' if spread else 'each'}: "
            f"{run.prose} bytes of prose, {bodies} of entries, {size} on disk: factor {size / run.prose:.3f}\n"
        )


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or [50, 200])
