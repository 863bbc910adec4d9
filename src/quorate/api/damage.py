"""Damage report: what is wrong with a session's journal, entry by entry, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from quorate.codec.chain import GENESIS, Entry, chain
from quorate.codec.entries import decode_opening
from quorate.codec.journal_reader import BadEntry
from quorate.core.errors import StoreError
from quorate.core.record import Opening
from quorate.evidence.quotations import inline
from quorate.evidence.seal import SealFault
from quorate.kit.visible_text import visible
from quorate.store.journal import Conflict, Journal, SessionBusy, UnknownMaterial, UnknownSession
from quorate.store.salvage import Salvaged, last_kept, salvage
from quorate.store.sqlite_errors import Damaged

MOST_TOLD = 5
"""Flaws named in one sentence; the list has all."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """One defect. It never mentions the location of the store, so it can be shown to anybody."""

    place: str
    """`entry 7`, `material problem` or `brief propose`."""
    what: str
    seq: int
    """The first entry that cannot be trusted because of it; what lies beside the journal belongs to its opening, 0."""
    digest: str = ""
    """Of a text beside the journal that is lost."""
    kind: str = ""
    """`material` or `brief`, for a lost text."""
    name: str = ""
    """Of the lost text."""

    def __str__(self) -> str:
        return f"{self.place}: {self.what}"


@dataclass(frozen=True, slots=True)
class DamageReport:
    """All defects of a session."""

    session: str
    flaws: tuple[Flaw, ...]
    """In order; the first one says up to where the journal is read."""
    whole: int
    """Number of valid entries from the opening on; later ones are not trusted."""
    last: int
    """Sequence of the session's last known entry."""

    @property
    def up_to(self) -> str:
        """Describe up to which entry the session can be read."""
        if not self.whole:
            return "nothing of it can be read"
        if self.whole > self.last:
            return f"all {self.whole} entries hold"
        return f"entries 0 to {self.whole - 1} of {self.last} hold" if self.whole > 1 else "only its opening holds"

    def __str__(self) -> str:
        told = "; ".join(map(str, self.flaws[:MOST_TOLD]))
        more = f"; and {len(self.flaws) - MOST_TOLD} more" if len(self.flaws) > MOST_TOLD else ""
        return f"{told}{more}; {self.up_to}"

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON data."""
        flaws = [{"place": each.place, "what": each.what, "entry": each.seq} for each in self.flaws]
        return {"says": str(self), "whole": self.whole, "last": self.last, "flaws": flaws}


class DamagedSession(StoreError):
    """Raised for a session with a damaged journal: it can be read up to the damage, but not written to."""

    def __init__(self, damage: DamageReport, entries: tuple[Entry, ...]) -> None:
        self.damage, self.entries = damage, entries
        """The entries that hold."""
        super().__init__(
            f"session {damage.session} is damaged and can only be read: {damage}. "
            f"`quorate repair {damage.session} --from BUNDLE|STORE` mends it from a bundle or another store"
        )


async def entries_of(journal: Journal, session: str) -> list[Entry]:
    """Return all entries of a session; raise BadEntry if the journal ends before its last known entry."""
    last = await last_kept(journal, session)
    entries = await journal.entries(session)
    if not entries:
        raise BadEntry(0, "the journal has no entries, not even its opening")
    if entries[-1].seq < last:
        raise BadEntry(len(entries), f"entry {entries[-1].seq + 1} is missing: the journal had entries up to {last}")
    return entries


async def damaged(journal: Journal, session: str, error: StoreError) -> StoreError:
    """Return the error to raise for a session that cannot be folded: its damage, or the original error."""
    if isinstance(error, DamagedSession | UnknownSession | Conflict | SessionBusy):
        return error
    try:
        found, entries = await diagnose(journal, session)
    except StoreError:
        return error  # the store as a whole cannot be read now
    if found is None and isinstance(error, BadEntry) and error.seq < len(entries):
        # The chain holds and yet the entry says nothing that can be understood.
        flaw = Flaw(f"entry {error.seq}", str(error), error.seq)
        found, entries = DamageReport(session, (flaw,), error.seq, entries[-1].seq), entries[: error.seq]
    return DamagedSession(found, entries) if found is not None else error


async def diagnose(journal: Journal, session: str) -> tuple[DamageReport | None, tuple[Entry, ...]]:
    """Return all damage of a session (None if there is none), and the valid entries."""
    left = await salvage(journal, session)
    flaws = list(_flaws(left))
    whole = min((flaw.seq for flaw in flaws), default=len(left.entries))
    if whole:
        try:
            opening, _ = decode_opening(left.entries[0].body)
        except StoreError as error:
            flaws, whole = [Flaw("entry 0", str(error), 0), *flaws], 0
        else:
            flaws += [each async for each in _lost_texts(journal, opening)]
    entries = left.entries[:whole]
    return (DamageReport(session, tuple(flaws), whole, left.last) if flaws else None), entries


def _flaws(left: Salvaged) -> Iterator[Flaw]:
    """Find every missing, unreadable or unchained entry; later entries are checked independently."""
    by_place = {entry.seq: entry for entry in left.entries}
    if left.last < 0:
        yield Flaw("entry 0", SealFault.EMPTY.value, 0)
    previous: str | None = GENESIS
    for seq in range(left.last + 1):
        entry = by_place.get(seq)
        if entry is None:
            yield Flaw(f"entry {seq}", left.unreadable.get(seq, "") or SealFault.MISSING.value, seq)
            previous = None
            continue
        if previous is not None and (computed := _follow(previous, entry)) != entry.hash:
            kind, previous = _changed(entry, computed, by_place.get(seq + 1))
            yield Flaw(f"entry {seq}", kind.value, seq)
            continue
        previous = entry.hash


def _changed(entry: Entry, computed: str, after: Entry | None) -> tuple[SealFault, str | None]:
    """Tell a changed body from a changed hash, using the hash that the next entry was chained to."""
    if after is not None and _follow(entry.hash, after) == after.hash:
        return SealFault.BODY, entry.hash
    if after is not None and _follow(computed, after) == after.hash:
        return SealFault.HASH, computed
    return SealFault.EITHER, None


def _follow(previous: str, entry: Entry) -> str:
    try:
        return chain(previous, entry.body)
    except UnicodeEncodeError:
        return ""


async def _lost_texts(journal: Journal, opening: Opening) -> AsyncIterator[Flaw]:
    for kind, texts in (("material", opening.material), ("brief", opening.briefs)):
        for name, digest in texts.items():
            if why := await _lost(journal, digest):
                yield Flaw(f"{kind} {name}", why, 0, digest, kind, name)


async def _lost(journal: Journal, digest: str) -> str:
    try:
        await journal.material(digest)
    except Damaged:
        return "its text is damaged"
    except UnknownMaterial:
        return "its text is missing from the store"
    except ValueError:
        return f"the opening gives it the digest {digest[:64]!r}, which is not a digest"
    return ""


def heading(damage: DamageReport) -> str:
    """Return the heading of every report on a damaged session."""
    return visible(f"DAMAGED, read-only: {damage}.")


def headed(report: str, damage: DamageReport | None) -> str:
    """Return a Markdown report with the damage below its title, if there is any."""
    if damage is None:
        return report
    title, _, rest = report.partition("\n")
    return f"{title}\n\n> **{inline(heading(damage), 2_000)}**\n{rest}"


def refuse_damaged(damage: DamageReport | None, what: str) -> None:
    """Raise StoreError if `what` requires an undamaged session and this one is damaged."""
    if damage is not None:
        raise StoreError(
            f"{what} needs the whole session, and session {damage.session} is damaged: {damage}. "
            f"Repair it first: `quorate repair {damage.session} --from BUNDLE|STORE`"
        )


def lost_names(damage: DamageReport, kind: str) -> Mapping[str, str]:
    """Return the lost texts of a kind (`material` or `brief`), with their digests."""
    return {flaw.name: flaw.digest for flaw in damage.flaws if flaw.digest and flaw.kind == kind}
