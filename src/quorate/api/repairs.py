"""Repair a damaged session from a bundle or another store that has the same journal; nothing is invented.

A source is trusted only if its own chain is valid, everything in it follows from it, and it contains every intact entry
of the damaged journal byte for byte. Entries that it lacks stay damaged, and are reported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from quorate.api.damage import DamageReport, Flaw, diagnose
from quorate.api.results import check, rules_of
from quorate.api.sessions import find_session, load
from quorate.codec.canonical import canonical, digest_text
from quorate.codec.chain import Entry, chain
from quorate.codec.entries import decode_opening
from quorate.codec.journal_reader import fold, read_record
from quorate.core.errors import InputError, RuleViolation, SettingError, StoreError
from quorate.core.record import Record
from quorate.core.session import Step
from quorate.core.types import Ruled
from quorate.evidence.text import MOST_CHARACTERS, from_text
from quorate.files.named_file import text_of
from quorate.runtime.writer import status_of
from quorate.store.journal import Journal, Status, UnknownSession
from quorate.store.open import open_journal, store_file
from quorate.store.salvage import Salvaged, SalvagedJournal, salvage, sound_file
from quorate.store.sqlite import SqliteJournal
from quorate.store.sqlite_repair import Rows, backup_name, mend_in_place, rebuild
from quorate.workspace import Workspace

SQLITE = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class Replica:
    """An intact copy of a session, read from a source."""

    source: str
    entries: tuple[Entry, ...]
    record: Record

    @property
    def texts(self) -> Mapping[str, str]:
        """All texts outside the journal, by digest."""
        told = (*self.record.material.values(), *self.record.protocol.briefs.values())
        return {digest_text(text): text for text in told}


@dataclass(frozen=True, slots=True)
class RepairPlan:
    """What a repair would do. Making a plan changes nothing."""

    session: str
    source: str
    damage: DamageReport | None
    """None where the store has nothing of the session any more: then it is made anew."""
    replaced: tuple[int, ...]
    added: tuple[int, ...]
    texts: tuple[str, ...]
    """What is restored beside the journal: `material problem`."""
    still: tuple[Flaw, ...]
    """What stays damaged, because the source does not reach it."""
    file: str
    """What SQLite finds wrong with the file as a whole; then a new one is made."""
    backup: Path | None
    rows: Rows
    """What is written."""

    @property
    def steps(self) -> list[str]:
        """Describe the steps of the plan."""
        told = []
        if self.file:
            told.append(f"make a new file of all that can be read, because SQLite says: {self.file}")
        if self.damage is None:
            told.append(f"make the session anew with its {len(self.rows.entries)} entries")
        else:
            told += [f"replace {_numbered(self.replaced)}"] if self.replaced else []
            told += [f"add {_numbered(self.added)}"] if self.added else []
        return told + [f"restore {each}" for each in self.texts if self.damage is not None]


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a repair did, and what is still damaged."""

    plan: RepairPlan
    damage: DamageReport | None
    """What is still wrong; None for nothing."""


def _numbered(places: tuple[int, ...]) -> str:
    named = ", ".join(map(str, places[:12])) + (f" and {len(places) - 12} more" if len(places) > 12 else "")
    return f"entry {named}" if len(places) == 1 else f"entries {named}"


# What is right


async def replica_of(workspace: Workspace, source: str, session: str) -> Replica:
    """Read a session from a bundle or another store; raise InputError or StoreError if it is invalid there."""
    path = Path(source).expanduser()
    if path.is_file() and not _is_database(path):
        return _from_bundle(path, session)
    file = store_file(source)
    if file is not None and not file.is_file():
        raise InputError("does not exist", file=source, expected="a bundle, or the URL of a store that has the session")
    if file is not None and any(file.samefile(each) for each in workspace.files if each.exists()):
        raise SettingError("is the damaged store itself", key="--from", expected="another one, or a bundle")
    other = open_journal(source)
    try:
        found = await load(workspace, other, await find_session(other, session))
    finally:
        await other.close()
    return Replica(source if file is not None else source.rpartition("@")[2], tuple(found.entries), found.record)


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE


def _from_bundle(path: Path, session: str) -> Replica:
    if problems := check(path):
        raise InputError(
            f"is not valid: {problems[0]}", file=str(path), expected="a bundle that `quorate check` passes"
        )
    data = from_text(text_of(path, MOST_CHARACTERS, "a bundle in JSON or YAML"), str(path))
    if not str(data["session"]).startswith(session) and session != "latest":
        what = f"is the bundle of session {data['session']}"
        raise InputError(what, file=str(path), expected=f"that of session {session}")
    entries = [Entry(each["seq"], canonical(each["body"]), each["hash"]) for each in data["entries"]]
    built = rules_of(data)
    material = {name: held["text"] for name, held in data["material"].items()}
    return Replica(str(path), tuple(entries), read_record(built, entries, material))


# What is to be done


async def plan_repair(workspace: Workspace, journal: Journal, session: str, source: str) -> RepairPlan:
    """Plan a repair. An intact session raises RuleViolation; a source that does not fit raises StoreError."""
    replica = await replica_of(workspace, source, session)
    name = replica.record.opening.session or session
    try:
        damage, _ = await diagnose(journal, name)
        left = await salvage(journal, name)
    except UnknownSession:
        damage, left = None, Salvaged((), {}, -1)
    else:
        if damage is None:
            raise RuleViolation(f"session {name} is not damaged; there is nothing to repair")
    _check_same(left, damage, replica)
    tail, still = _behind(left, replica)
    wanted = {**{entry.seq: entry for entry in replica.entries}, **{entry.seq: entry for entry in tail}}
    own = {entry.seq: entry for entry in left.entries}
    wrong = [seq for seq in sorted(wanted) if own.get(seq) != wanted[seq]]
    texts = {name: digest for name, digest in _lost(replica, damage).items() if digest in replica.texts}
    path = journal.path if isinstance(journal, SqliteJournal | SalvagedJournal) else None
    broken = sound_file(path) if path is not None else ""
    replaced = tuple(seq for seq in wrong if seq in own or seq in left.unreadable)
    if damage is not None and not wrong and not texts and not broken:
        raise StoreError(f"{replica.source} lacks what session {name} needs to be repaired: {damage}")
    written = sorted(wanted) if broken else wrong  # a new file gets all of them, whatever could be read of the old one
    record = replica.record if still else fold(replica.record, tail)
    opening = record.opening
    rows = Rows(
        session=name,
        protocol=opening.protocol,
        title=opening.title,
        opened_at=decode_opening(replica.entries[0].body)[1].at,
        entries=[(wanted[seq], _ask_of(wanted[seq])) for seq in written],
        kept=frozenset(own) - frozenset(written),
        texts={digest: replica.texts[digest] for digest in texts.values()},
        last=max(left.last, *wanted),
        status=None if still else _status(record),
    )
    stamp = f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"
    backup = backup_name(path, stamp, whole=bool(broken)) if path and (damage or broken) else None
    added = tuple(seq for seq in wrong if seq not in replaced)
    return RepairPlan(name, replica.source, damage, replaced, added, tuple(texts), still, broken, backup, rows)


def _check_same(left: Salvaged, damage: DamageReport | None, replica: Replica) -> None:
    """Raise if the source is another session, or the same one with a different history."""
    flawed = {flaw.seq for flaw in damage.flaws if not flaw.digest} if damage is not None else set()
    for entry in left.entries:
        if entry.seq in flawed or entry.seq >= len(replica.entries):
            continue
        if entry.hash != replica.entries[entry.seq].hash:
            raise StoreError(
                f"{replica.source} does not fit: its entry {entry.seq} is different, so it holds another session, or "
                "another continuation of this one; nothing was changed"
            )


def _behind(left: Salvaged, replica: Replica) -> tuple[list[Entry], tuple[Flaw, ...]]:
    """Return the entries after the source's last one that are still chained to it, and those beyond repair."""
    own = {entry.seq: entry for entry in left.entries}
    previous = replica.entries[-1].hash
    tail: list[Entry] = []
    for seq in range(len(replica.entries), left.last + 1):
        entry = own.get(seq)
        if entry is None or chain(previous, entry.body) != entry.hash:
            what = f"the source ends at entry {len(replica.entries) - 1} and does not have it"
            return tail, (Flaw(f"entry {seq}", what, seq),)
        tail.append(entry)
        previous = entry.hash
    return tail, ()


def _lost(replica: Replica, damage: DamageReport | None) -> dict[str, str]:
    """Return the texts to restore, by name: those known to be lost, or all if the opening itself was lost."""
    if damage is not None and damage.whole:
        return {flaw.place: flaw.digest for flaw in damage.flaws if flaw.digest}
    opening = replica.record.opening
    material = {f"material {name}": digest for name, digest in opening.material.items()}
    return material | {f"brief {name}": digest for name, digest in opening.briefs.items()}


def _ask_of(entry: Entry) -> str | None:
    ask = json.loads(entry.body).get("ask")
    return ask if isinstance(ask, str) else None


def _status(record: Record) -> Status:
    ruling = record.ruling
    ruled = Ruled(ruling.verdict.name, ruling.by, ruling.reason) if ruling is not None else None
    return status_of(record, Step(record.session), ruled)


# Doing it


async def repair(workspace: Workspace, journal: Journal, plan: RepairPlan) -> Repaired:
    """Carry out a plan: back up the damaged rows, write the right ones, and check the result.

    This closes the journal if its file is repaired, so open the store again afterwards.
    """
    if isinstance(journal, SqliteJournal | SalvagedJournal) and plan.backup is not None:
        await journal.close()
        (rebuild if plan.file else mend_in_place)(journal.path, plan.rows, plan.backup)
    elif plan.damage is None:
        await _make_anew(journal, plan.rows)
    else:
        raise SettingError(
            "only sessions in a SQLite file are repaired in place",
            key="store",
            expected="the server's own backup, or another store: `quorate repair SESSION --from SOURCE --store URL`",
        )
    again = workspace.open()
    try:
        damage, _ = await diagnose(again, plan.session)
    finally:
        await again.close()
    return Repaired(plan, damage)


async def _make_anew(journal: Journal, rows: Rows) -> None:
    """Create the whole session in a store that does not have it."""
    (first, _), *rest = rows.entries
    past = [(entry.body, ask) for entry, ask in rest]
    assert rows.status is not None  # a session that the store has nothing of is as whole as its source
    await journal.create(
        rows.session, rows.protocol, rows.title, rows.opened_at, first.body, rows.texts, rows.status, past
    )
