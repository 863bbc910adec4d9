"""List sessions: one row each for every interface, and paging that stays fast with many sessions.

The status is stored beside the journal. Cost and degradation are in the journal only; they are read for the sessions
shown, and cached until something is written to them.
"""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from quorate import catalog
from quorate.api.sessions import Result
from quorate.codec import decode_opening, read_record
from quorate.codec.chain import Entry
from quorate.core.errors import InputError, QuorateError, nearest
from quorate.core.protocol import Degradation
from quorate.runtime.writer import FOR_RULING
from quorate.store.journal import Journal, Listed, UnknownSession

STATUSES = ("active", "waiting", "concluded")
MOST_SHOWN = 200
MOST_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class Row:
    """A session in a list; the same for the command line, HTTP, MCP, Python and the page."""

    id: str
    protocol: str
    title: str
    opened_at: int
    """Milliseconds since 1970 (UTC)."""
    last: int
    """The sequence of its last entry."""
    status: str
    """One of STATUSES; a session whose verdict a person still has to rule on waits."""
    phase: str
    round: int
    verdict: str | None
    ruling: str | None
    """What a person ruled on the verdict."""
    waiting: tuple[str, ...]
    """The seats whose people are waited for."""

    @property
    def waits_for_answers(self) -> bool:
        """Whether it has open asks for a person, and not only a pending ruling."""
        return self.waiting not in ((), (FOR_RULING,))

    @property
    def stands_at(self) -> str:
        """Its status in words: the verdict with the ruling, or the phase."""
        if self.verdict:
            return f"{self.verdict}, ruled {self.ruling}" if self.ruling else self.verdict
        return self.phase or "opened"

    def data(self, *, name: str = "session") -> dict[str, Any]:
        """Return it as plain data; `name` is the key to use for the id."""
        told = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: told.pop("id"), **told, "waiting": list(self.waiting)}


async def list_sessions(journal: Journal) -> list[Row]:
    """Return all sessions of the store, the newest first."""
    return [_row(each) for each in await journal.sessions()]


def _row(each: Listed) -> Row:
    status = each.status
    stands = "waiting" if status.waiting else "concluded" if status.verdict else "active"
    waiting = tuple(seat for seat in status.waiting.split(",") if seat)
    return Row(
        each.id,
        each.protocol,
        each.title,
        each.opened_at,
        each.last,
        stands,
        status.phase,
        status.round,
        status.verdict or None,
        status.ruling or None,
        waiting,
    )


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filter for sessions; None means no condition."""

    protocol: str | None = None
    status: str | None = None
    words: str = ""
    """All of these words stand in the id, the title or the name of the protocol."""
    limit: int = 50
    before: str | None = None
    """The last session of the page before this one."""


@dataclass(frozen=True, slots=True)
class Detail:
    """What a list shows of a session beside its status."""

    tokens: int = 0
    cost: int | None = 0
    """Microdollars; None where it is not known."""
    degraded: str | None = None
    exit_code: int | None = None
    """None while it is under way."""
    budget: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""
    """Why the session cannot be read."""


@dataclass
class Listing:
    """Session lists of one journal, with a cache of details."""

    journal: Journal
    _kept: OrderedDict[tuple[str, int], Detail] = field(default_factory=OrderedDict)

    async def page(self, wanted: Wanted) -> tuple[list[dict[str, Any]], bool]:
        """Return a page of sessions as plain data, the newest first, and whether there are more."""
        found = [each for each in await list_sessions(self.journal) if _is_wanted(each, wanted)]
        if wanted.before is not None:
            found = _after(found, wanted.before)
        shown = found[: wanted.limit]
        return [_told(each, await self._detail(each)) for each in shown], len(found) > len(shown)

    async def _detail(self, each: Row) -> Detail:
        key = (each.id, each.last)
        if key not in self._kept:
            self._kept[key] = await self._read(each)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return self._kept[key]

    async def _read(self, each: Row) -> Detail:
        try:
            entries = await self.journal.entries(each.id)
            opening, _ = decode_opening(entries[0].body)
            texts = {digest: await self.journal.material(digest) for digest in {*opening.material.values()}}
            texts |= {digest: await self.journal.material(digest) for digest in {*opening.briefs.values()}}
        except QuorateError as error:
            return Detail(problem=str(error))
        # Folding takes milliseconds for each session: in a thread others are answered meanwhile.
        return await asyncio.to_thread(_detail_of, entries, texts, concluded=each.verdict is not None)


def _detail_of(entries: list[Entry], texts: Mapping[str, str], *, concluded: bool) -> Detail:
    opening, _ = decode_opening(entries[0].body)
    tokens, cost, known = 0, 0, True
    degraded, exit_code, problem = None, None, ""
    for entry in entries[1:]:
        data = json.loads(entry.body)
        tokens += data.get("tokens_in", 0) + data.get("tokens_out", 0)
        known = known and data.get("cost", 0) is not None
        cost += data.get("cost", 0) or 0
    if concluded:
        try:
            degraded, exit_code = _ended(entries, texts)
        except QuorateError as error:
            problem = str(error)
    budget = dict(opening.run.get("budget", {}))
    return Detail(tokens, cost if known else None, degraded, exit_code, budget, problem)


def _ended(entries: list[Entry], texts: Mapping[str, str]) -> tuple[str | None, int]:
    """Return how a session ended: its degradation and its exit code."""
    opening, _ = decode_opening(entries[0].body)
    kept = {name: texts[digest] for name, digest in opening.briefs.items()}
    built = catalog.rebuild(opening, kept)
    material = {name: texts[digest] for name, digest in opening.material.items()}
    result = Result(opening.session, read_record(built, entries, material), entries)
    conclusion = result.record.session.conclusion
    level = conclusion.degradation if conclusion is not None else Degradation.NONE
    return None if level is Degradation.NONE else str(level.value), result.exit_code


def _is_wanted(each: Row, wanted: Wanted) -> bool:
    if wanted.protocol not in (None, each.protocol) or wanted.status not in (None, each.status):
        return False
    text = f"{each.id} {each.title} {each.protocol}".casefold()
    return all(word in text for word in wanted.words.casefold().split())


def _after(found: list[Row], before: str) -> list[Row]:
    ids = [each.id for each in found]
    if before not in ids:
        raise UnknownSession(f"there is no session {before} in this list")
    return found[ids.index(before) + 1 :]


def check_protocol(name: str, also: Collection[str] = ()) -> None:
    """Raise InputError for a name that is not an installed protocol."""
    known = dict.fromkeys((*catalog.definitions(), *also))
    if name not in known:
        expected = "one of " + ", ".join(known)
        raise InputError(
            f"there is no protocol {name[:100]!r}",
            key="protocol",
            expected=expected,
            nearest=nearest(name[:100], known),
        )


def _told(each: Row, detail: Detail) -> dict[str, Any]:
    return {
        **each.data(name="id"),
        "degraded": detail.degraded,
        "exit_code": detail.exit_code,
        "tokens": detail.tokens,
        "cost_usd": None if detail.cost is None else detail.cost / 1_000_000,
        "budget": dict(detail.budget),
        "problem": detail.problem or None,
    }
