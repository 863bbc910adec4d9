"""A hundred worlds and all that have ever failed: each ends as the undisturbed run does, and every fault fires."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from quorate.codec.chain import Drafts, Entry, chained
from quorate.store.memory import MemoryJournal
from quorate.store.sqlite import SqliteJournal
from tests.faults import many
from tests.faults.kinds import SIMULATED, Kind
from tests.faults.simulation import simulate
from tests.faults.tables import TABLES, undisturbed
from tests.faults.world import World

QUICK = 110
"""Five rounds of all kinds."""
PARTS = 10
SLOW = 2_000


@pytest.mark.parametrize("seed", many.known_seeds())
def test_worlds_that_have_failed_before(seed: int) -> None:
    assert simulate(seed).problems == []


@pytest.mark.parametrize("part", range(PARTS))
def test_worlds_end_as_the_undisturbed_run(part: int) -> None:
    for seed in range(part, QUICK, PARTS):
        world = simulate(seed)
        assert world.problems == [], f"python -m tests.faults --seed {seed}"


def test_a_few_dozen_worlds_have_every_kind_of_fault() -> None:
    drawn = Counter(kind for seed in range(2 * len(SIMULATED)) for kind in World.of(seed).kinds)
    assert all(drawn[kind] >= 2 for kind in SIMULATED)


@pytest.mark.parametrize("seed", [36, 97, 131, 1032])
def test_a_seed_replays_exactly(seed: int) -> None:
    first, second = simulate(seed), simulate(seed)
    assert len(first.trace) > 5
    assert first.trace == second.trace


def test_the_undisturbed_runs_are_worth_disturbing() -> None:
    """All five protocols, many verdicts, and sessions of some length."""
    ends: set[tuple[str, str]] = set()
    longest: Counter[str] = Counter()
    for table, each in enumerate(TABLES):
        for seed in range(10):
            record = undisturbed(table, seed, lambda _: None)
            assert record.session.conclusion is not None
            ends.add((each.name, record.session.conclusion.verdict.name))
            longest[each.name] = max(longest[each.name], len(record.envelopes))
    assert {name for name, _ in ends} == {"debate", "review", "council", "workshop", "roundtable"}
    assert len(ends) >= 10
    assert min(longest.values()) >= 10


# The oracle finds what it is there for: planted defects, each in worlds that have the fault which shows it


def _found(kinds: set[Kind], first: int, *, on_disk: bool) -> str:
    """Return what is wrong with the first world that goes wrong, of those from a seed on with one of these kinds."""
    for seed in range(first, first + 100):
        drawn = World.of(seed)
        if drawn.kinds & kinds and drawn.on_disk is on_disk and (problems := simulate(seed).problems):
            return "; ".join(problems)
    return ""


def test_a_store_that_says_too_early_that_it_keeps_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    extend = SqliteJournal.extend

    async def early(self: Any, session: str, expected: int, drafts: Drafts, status: Any) -> list[Entry]:
        if expected % 4:
            return await extend(self, session, expected, drafts, status)
        last = (await self.entries(session))[-1]
        return chained(last.hash, expected, drafts)

    monkeypatch.setattr(SqliteJournal, "extend", early)
    assert _found({Kind.CRASH_AFTER_WRITE, Kind.CRASH_DURING_CALL}, 12, on_disk=True)


def test_a_store_that_takes_a_second_reply_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    extend = MemoryJournal.extend

    async def twice(self: Any, session: str, expected: int, drafts: Drafts, status: Any) -> list[Entry]:
        self._find(session).asks.clear()
        return await extend(self, session, expected, drafts, status)

    monkeypatch.setattr(MemoryJournal, "extend", twice)
    assert "second reply" in _found({Kind.DUPLICATE}, 8, on_disk=False)


def test_a_store_that_forgets_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = SqliteJournal.entries

    async def forgetful(self: Any, session: str, after: int = -1) -> list[Entry]:
        found = await entries(self, session, after)
        return found[:-1] if found and found[-1].seq == 3 else found

    monkeypatch.setattr(SqliteJournal, "entries", forgetful)
    assert _found({Kind.CRASH_BEFORE_WRITE, Kind.CRASH_AFTER_WRITE, Kind.FULL_DISK}, 40, on_disk=True)


@pytest.mark.slow
def test_many_worlds() -> None:
    fired: Counter[Kind] = Counter()
    failed = {}
    for seed, problems, found, _ in many.run_all(range(SLOW), jobs=2):
        fired.update(found)
        if problems:
            failed[seed] = problems
    print("\n".join(["", *many.table(fired, SIMULATED)]))
    assert failed == {}
    assert [kind for kind in SIMULATED if not fired[kind]] == []
