"""Killing one kind of process again and again at random moments, and what has to be true each time it lies dead."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from quorate import api
from quorate.codec.chain import Entry
from tests.kills.processes import PATIENCE, Kind

EARLY = 0.2
"""The share of kills that come while the process is still starting."""
STARTING = 1.2
WORKING = 0.9
"""Seconds within which a kill comes, after the start, and after the first call of a process."""
MOST_SECONDS = 240.0
"""How long the last process has to bring everything to its end."""


@dataclass
class Tally:
    """What came of the kills of one kind."""

    kind: str
    kills: int = 0
    early: int = 0
    """Before the process had made a call."""
    in_flight: int = 0
    """Calls whose reply was not yet kept when their process was killed."""
    calls: int = 0
    replies: int = 0
    sessions: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


@dataclass
class Watch:
    """The journals and the calls as they were when a process was last found dead."""

    kind: Kind
    tally: Tally
    entries: dict[str, list[Entry]] = field(default_factory=dict)
    answered: set[tuple[str, str]] = field(default_factory=set)
    """Case and ask of every reply that is kept."""
    read: int = 0
    """Calls that were looked at."""

    @property
    def calls(self) -> list[tuple[str, str]]:
        log = self.kind.folder / "calls"
        lines = log.read_text().splitlines() if log.exists() else []
        return [(case, ask) for case, ask in (line.split() for line in lines)]

    def look(self) -> None:
        """Compare what is kept and what was called since with what was kept before; nothing runs meanwhile."""
        say = self.tally.problems.append
        made = self.calls[self.read :]
        self.read += len(made)
        say_of = f"{self.kind.name}, kill {self.tally.kills}"
        for call in made:
            if call in self.answered:
                say(f"{say_of}: case {call[0]}, ask {call[1]} was called again although its reply was kept")
            if "?" in call:
                say(f"{say_of}: a call that belongs to no case")
        for call, times in Counter(made).items():
            if times > 1:
                say(f"{say_of}: case {call[0]}, ask {call[1]} was called {times} times by one process")
        now = asyncio.run(self._entries())
        for session, before in self.entries.items():
            if now.get(session, [])[: len(before)] != before:
                say(f"{say_of}: session {session} has lost or changed entries")
        self.entries = now
        self.answered = {(case, ask) for entries in now.values() for case in [_case(entries)] for ask in _asks(entries)}
        self.tally.in_flight += sum(call not in self.answered for call in made)

    async def _entries(self) -> dict[str, list[Entry]]:
        journal = self.kind.workspace.open()
        try:
            return {each.id: await journal.entries(each.id) for each in await journal.sessions()}
        finally:
            await journal.close()


def _case(entries: list[Entry]) -> str:
    found = re.search(r"case (\d+)", entries[0].body)
    return found[1] if found else "?"


def _asks(entries: list[Entry]) -> list[str]:
    return [found[1] for entry in entries[1:] if (found := re.search(r'"ask":"([0-9.]+)"', entry.body))]


def kill_again_and_again(kind: Kind, kills: int, random: Random, tell: Callable[[Tally], object] = id) -> Tally:
    """Kill a kind of process so often, then let it come to its end, and return what came of it."""
    tally = Tally(kind.name)
    watch = Watch(kind, tally)
    try:
        while tally.kills < kills:
            kind.start(new=True)
            _wait(kind, watch, tally, random)
            tally.kills += _runs(kind)  # one that has come to its end by itself cannot be killed any more
            kind.end()
            watch.look()
            tell(tally)
        _finish(kind, watch)
    finally:
        kind.end()
    tally.calls, tally.sessions = watch.read, len(watch.entries)
    tally.replies = len(watch.answered)
    asyncio.run(_concluded(kind, tally))
    return tally


def _wait(kind: Kind, watch: Watch, tally: Tally, random: Random) -> None:
    """Wait for a random moment: while the process starts, or at its work."""
    known = len(watch.calls)
    if random.random() < EARLY:
        time.sleep(random.uniform(0, STARTING))
    else:
        end = time.monotonic() + PATIENCE
        while len(watch.calls) == known and time.monotonic() < end and _runs(kind):
            time.sleep(0.005)
        time.sleep(random.uniform(0, WORKING))
    tally.early += len(watch.calls) == known


def _runs(kind: Kind) -> bool:
    return kind.process is not None and kind.process.poll() is None


def _finish(kind: Kind, watch: Watch) -> None:
    """Let processes run without being killed until every session has its verdict."""
    end = time.monotonic() + MOST_SECONDS
    while kind.under_way() and time.monotonic() < end:
        kind.start(new=False)
        while kind.under_way() and _runs(kind) and time.monotonic() < end:
            time.sleep(0.3)
        if kind.under_way() and time.monotonic() > end:
            watch.tally.problems.append(f"{kind.name}: {len(kind.under_way())} sessions did not end")
        kind.end()
        watch.look()


async def _concluded(kind: Kind, tally: Tally) -> None:
    """Fold every session anew: chain, material and rules hold, and there is one verdict."""
    journal = kind.workspace.open()
    try:
        for each in await journal.sessions():
            result = await api.load(kind.workspace, journal, each.id)
            conclusion = result.record.session.conclusion
            tally.verdicts[conclusion.verdict.name if conclusion else "none"] += 1
            if conclusion is None or result.exit_code != 0:
                tally.problems.append(f"{kind.name}: session {each.id} ended with {result.exit_code}")
    finally:
        await journal.close()


def table(tallies: list[Tally]) -> str:
    """Return what came of all kills, for people."""
    head = ("process", "kills", "while starting", "calls in flight", "calls", "replies", "sessions", "verdicts")
    rows = [
        (
            each.kind,
            str(each.kills),
            str(each.early),
            str(each.in_flight),
            str(each.calls),
            str(each.replies),
            str(each.sessions),
            ", ".join(f"{name} {count}" for name, count in each.verdicts.items()),
        )
        for each in tallies
    ]
    widths = [max(len(row[place]) for row in (head, *rows)) for place in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in (head, *rows)
    )


def share(kills: int, kinds: int) -> list[int]:
    """Split a number of kills among kinds, as evenly as it goes."""
    return [kills // kinds + (place < kills % kinds) for place in range(kinds)]


def folder_of(root: Path, kind: type[Kind]) -> Path:
    return root / kind.name
