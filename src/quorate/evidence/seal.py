"""The seal: a hash chain over all entries. `check_chain` says whether it is intact, and where it breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from quorate.codec.chain import GENESIS, Entry, chain

ALGORITHM = "sha256(previous hash + newline + canonical JSON of the body), in hexadecimal, from 64 zeros"


class SealFault(Enum):
    """What is wrong with an entry, or with the end of the chain."""

    BODY = "its body was changed, or an entry before it was taken out"
    HASH = "its hash was changed"
    EITHER = "its body or its hash was changed"
    MISSING = "it is missing"
    ORDER = "it is out of order"
    CUT = "the chain was cut here"
    HEAD = "the chain does not end in the hash that it was sealed with"
    EMPTY = "there is no entry, not even the opening"


@dataclass(frozen=True, slots=True)
class Break:
    """The first break of the chain: the sequence of the entry, and what is there instead."""

    seq: int
    damage: SealFault
    expected: str
    found: str

    def __str__(self) -> str:
        return f"entry {self.seq}: {self.damage.value}; expected {self.expected}, found {self.found}"


@dataclass(frozen=True, slots=True)
class Seal:
    """The state of a chain: how many entries were checked, its last hash, and where it breaks, if it does."""

    entries: int
    head: str
    broken: Break | None = None

    @property
    def ok(self) -> bool:
        return self.broken is None


def check_chain(entries: Sequence[Entry], head: str | None = None, count: int | None = None) -> Seal:
    """Check the chain from its first entry; `head` and `count` are the expected last hash and length, if known."""
    end = entries[-1].hash if entries else GENESIS
    return Seal(len(entries), end, _first_break(entries, head) or _wrong_end(entries, head, count))


def _first_break(entries: Sequence[Entry], head: str | None) -> Break | None:
    previous = GENESIS
    for place, entry in enumerate(entries):
        if entry.seq != place:
            return _misplaced(entries, place)
        computed = _follow(previous, entry)
        if computed != entry.hash:
            return _mismatch(entries, place, previous, computed, head)
        previous = entry.hash
    return None


def _follow(previous: str, entry: Entry) -> str:
    """Return the hash that the entry should have; a text with lone surrogates has none."""
    try:
        return chain(previous, entry.body)
    except UnicodeEncodeError:
        return "none, because its body is not text"


def _misplaced(entries: Sequence[Entry], place: int) -> Break:
    elsewhere = any(entry.seq == place for entry in entries[place:])
    damage = SealFault.ORDER if elsewhere or entries[place].seq < place else SealFault.MISSING
    return Break(place, damage, f"entry {place}", f"entry {entries[place].seq}")


def _mismatch(entries: Sequence[Entry], place: int, previous: str, computed: str, head: str | None) -> Break:
    """Tell a changed body from a changed hash by what the rest of the chain builds on."""
    entry = entries[place]
    for other in entries[place + 1 :]:
        if _follow(previous, other) == other.hash:
            return Break(place, SealFault.ORDER, f"the same as entry {other.seq}", f"another entry as {place}")
    if place + 1 < len(entries):
        after = entries[place + 1]
        builds_on_hash = _follow(entry.hash, after) == after.hash
        builds_on_body = _follow(computed, after) == after.hash
    else:
        builds_on_hash, builds_on_body = head == entry.hash, head == computed
    damage = SealFault.BODY if builds_on_hash else SealFault.HASH if builds_on_body else SealFault.EITHER
    return Break(place, damage, f"the hash {computed}", entry.hash)


def _wrong_end(entries: Sequence[Entry], head: str | None, count: int | None) -> Break | None:
    if not entries:
        return Break(0, SealFault.EMPTY, "an opening", "nothing")
    if count is not None and len(entries) < count:
        return Break(len(entries), SealFault.CUT, f"{count} entries", f"{len(entries)} entries")
    if head is not None and entries[-1].hash != head:
        return Break(len(entries) - 1, SealFault.HEAD, f"the hash {head}", entries[-1].hash)
    if count is not None and len(entries) > count:
        return Break(count, SealFault.HEAD, f"{count} entries", f"{len(entries)} entries")
    return None
