"""The ledger: findings across runs, identified by what they say, not by line or run. No finding just disappears.

A run is merged into it once. What the run reported is new, still open, dismissed or regressed; what it looked at and
did not find any more is fixed; what it did not look at stays as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from quorate.core.errors import RuleViolation, SettingError, nearest
from quorate.core.values import replace
from quorate.kit.debt import Dismissal, Pressure, pressure
from quorate.kit.findings import Finding, quotation
from quorate.kit.lifecycle import Lifecycle, advance

MOST_TEXT = 2_000
"""Characters of each text of a finding that the ledger keeps."""


class FindingStatus(Enum):
    UNSEEN = "unseen"
    """Not in the ledger."""
    NEW = "new"
    OPEN = "open"
    FIXED = "fixed"
    DISMISSED = "dismissed"
    REGRESSED = "regressed"


class Happened(Enum):
    REPORTED = "reported"
    WORSENED = "worsened"
    """Reported again, and worse than what was dismissed."""
    GONE = "gone"
    DISMISSED = "dismissed"


_LIVE = {
    Happened.REPORTED: FindingStatus.OPEN,
    Happened.GONE: FindingStatus.FIXED,
    Happened.DISMISSED: FindingStatus.DISMISSED,
}
FINDING = Lifecycle(
    name="finding",
    initial=FindingStatus.UNSEEN,
    table={
        FindingStatus.UNSEEN: {Happened.REPORTED: FindingStatus.NEW},
        FindingStatus.NEW: _LIVE,
        FindingStatus.OPEN: _LIVE,
        FindingStatus.REGRESSED: _LIVE,
        FindingStatus.FIXED: {Happened.REPORTED: FindingStatus.REGRESSED, Happened.GONE: FindingStatus.FIXED},
        FindingStatus.DISMISSED: {
            Happened.REPORTED: FindingStatus.DISMISSED,
            Happened.WORSENED: FindingStatus.REGRESSED,
            Happened.GONE: FindingStatus.FIXED,  # and its debt is paid
            Happened.DISMISSED: FindingStatus.DISMISSED,  # for a better reason
        },
    },
)
LIVE = frozenset({FindingStatus.NEW, FindingStatus.OPEN, FindingStatus.REGRESSED})
"""Somebody has still to deal with these."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One finding and its status."""

    finding: Finding
    """In the words in which it was first reported, without its line, which is another in every run."""
    status: FindingStatus
    first_seen: str
    """The run that reported it first."""
    since: str
    """The run that brought it where it stands; a run that changes nothing leaves no trace."""
    dismissal: Dismissal | None = None
    """Set exactly where it is dismissed."""

    @property
    def key(self) -> str:
        return self.finding.key

    @property
    def weight(self) -> int:
        """The weight of its debt; 0 unless it is dismissed."""
        return self.dismissal.weight if self.dismissal is not None else 0

    def excuses(self, finding: Finding) -> bool:
        """Whether its dismissal covers what is reported now: nothing worse, and no veto except a false positive."""
        if self.dismissal is None or finding.severity.rank < self.finding.severity.rank:
            return False
        return not finding.veto or self.dismissal.false_positive


@dataclass(frozen=True, slots=True)
class Ledger:
    """All entries by key. Immutable: every operation returns a new ledger."""

    entries: Mapping[str, LedgerEntry] = field(default_factory=dict)

    @property
    def debt(self) -> int:
        """The total weight of dismissed findings."""
        return sum(entry.weight for entry in self.entries.values())

    @property
    def pressure(self) -> Pressure:
        return pressure(self.debt)

    def find(self, start: str) -> LedgerEntry:
        """Return the entry with this key or unique key prefix; SettingError if none or several match."""
        matching = [key for key in self.entries if start and key.startswith(start.lower())]
        if len(matching) == 1:
            return self.entries[matching[0]]
        if matching:
            some = ", ".join(sorted(matching)[:5])
            raise SettingError(
                f"{start!r} matches {len(matching)} findings: {some}", expected="more characters of the key"
            )
        raise SettingError(
            f"there is no finding {start!r} in the ledger",
            expected="a key as `quorate findings --all` shows them",
            nearest=nearest(start.lower(), self.entries),
        )


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes that one run makes to the ledger."""

    new: tuple[LedgerEntry, ...] = ()
    open: tuple[LedgerEntry, ...] = ()
    """Reported before, and still there."""
    regressed: tuple[LedgerEntry, ...] = ()
    fixed: tuple[LedgerEntry, ...] = ()
    dismissed: tuple[LedgerEntry, ...] = ()
    """Reported, and excused."""


Covered = Callable[[LedgerEntry], bool]
"""Whether a run looked at what an entry is about, so that not reporting it means that it is gone."""


def merge(ledger: Ledger, findings: Iterable[Finding], covered: Covered, run: str) -> tuple[Ledger, Changes]:
    """Merge the findings of a run. Idempotent: the same run again changes nothing and returns the same changes."""
    reported: dict[str, Finding] = {}
    for finding in findings:
        known = reported.get(finding.key)
        if known is None or finding.severity.rank < known.severity.rank:
            reported[finding.key] = finding
    entries = dict(ledger.entries)
    for key, finding in reported.items():
        entries[key] = _reported(entries.get(key), finding, run)
    for key, entry in ledger.entries.items():
        if key not in reported and entry.since != run and covered(entry):
            status = advance(FINDING, entry.status, Happened.GONE)
            entries[key] = entry if status is entry.status else replace(entry, status=status, since=run, dismissal=None)
    return Ledger(entries), _changes(entries, reported, run)


def _reported(entry: LedgerEntry | None, finding: Finding, run: str) -> LedgerEntry:
    if entry is None:
        return LedgerEntry(_kept(finding), advance(FINDING, FindingStatus.UNSEEN, Happened.REPORTED), run, run)
    if entry.since == run:
        return entry
    worse = entry.status is FindingStatus.DISMISSED and not entry.excuses(finding)
    status = advance(FINDING, entry.status, Happened.WORSENED if worse else Happened.REPORTED)
    if status is FindingStatus.DISMISSED:
        return entry
    now = replace(entry.finding, severity=finding.severity, veto=finding.veto, blocking=finding.blocking)
    return LedgerEntry(now, status, entry.first_seen, entry.since if status is entry.status else run)


def _kept(finding: Finding) -> Finding:
    """Return the finding as the ledger keeps it: texts shortened to their bounds, without a line."""
    texts = {name: getattr(finding, name)[:MOST_TEXT] for name in ("message", "consequence", "action")}
    return replace(finding, **texts, evidence=quotation(finding.evidence), line=0)


def _changes(entries: Mapping[str, LedgerEntry], reported: Mapping[str, Finding], run: str) -> Changes:
    now: dict[FindingStatus, list[LedgerEntry]] = {status: [] for status in FindingStatus}
    for key, entry in entries.items():
        if key in reported or (entry.status is FindingStatus.FIXED and entry.since == run):
            now[entry.status].append(entry)
    return Changes(
        new=tuple(now[FindingStatus.NEW]),
        open=tuple(now[FindingStatus.OPEN]),
        regressed=tuple(now[FindingStatus.REGRESSED]),
        fixed=tuple(now[FindingStatus.FIXED]),
        dismissed=tuple(now[FindingStatus.DISMISSED]),
    )


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a run looked at: a `Covered`."""

    paths: frozenset[str]
    """What the checks read: all that the change has touched."""
    shown: frozenset[str]
    """What the committee was shown, or is deleted by the change."""
    checks: frozenset[str]
    """The checks that ran; a skipped one has not looked."""
    committee: bool
    """It came to a verdict of its own."""

    def __call__(self, entry: LedgerEntry) -> bool:
        finding = entry.finding
        by_check = finding.source == "check"
        if finding.path and finding.path not in (self.paths if by_check else self.shown):
            return False
        return bool(self.checks & set(finding.raised_by)) if by_check else self.committee


def carry(ledger: Ledger, renames: Mapping[str, str]) -> Ledger:
    """Move entries to the new paths of renamed files: `renames` maps old paths to new ones."""
    targets = set(renames.values())
    moves = {old: new for old, new in renames.items() if old not in targets}  # a swap cannot be followed
    entries = {key: entry for key, entry in ledger.entries.items() if entry.finding.path not in moves}
    for entry in ledger.entries.values():
        if entry.finding.path in moves:
            moved = replace(entry, finding=replace(entry.finding, path=moves[entry.finding.path]))
            there = entries.get(moved.key)
            if there is None or there.status is FindingStatus.FIXED:
                entries[moved.key] = moved
    return Ledger(entries)


def touch(ledger: Ledger, paths: Iterable[str], commit: str) -> Ledger:
    """Increase the weight of debt on the paths that a commit changed, once per commit."""
    changed = frozenset(paths)
    return Ledger(
        {
            key: replace(entry, dismissal=entry.dismissal.touched(commit))
            if entry.dismissal is not None and entry.finding.path in changed
            else entry
            for key, entry in ledger.entries.items()
        }
    )


def dismiss(ledger: Ledger, key: str, dismissal: Dismissal) -> Ledger:
    """Dismiss an entry; RuleViolation if the rules do not allow it. A second dismissal keeps the weight."""
    entry = ledger.entries[key]
    status = advance(FINDING, entry.status, Happened.DISMISSED)
    if not dismissal.reason.strip() or not dismissal.by.strip():
        raise RuleViolation("a dismissal needs a reason, and the name of the person who is responsible for it")
    if entry.finding.veto and not dismissal.false_positive:
        raise RuleViolation(
            f"{key} is a {entry.finding.veto}, which can neither be voted away nor deferred; "
            "it can only be dismissed as a false positive"
        )
    if entry.dismissal is not None:
        dismissal = replace(dismissal, touches=entry.dismissal.touches, commit=entry.dismissal.commit)
    return Ledger({**ledger.entries, key: replace(entry, status=status, dismissal=dismissal)})


def dismissed_keys(
    at_base: Ledger, in_tree: Ledger, findings: Iterable[Finding], renames: Mapping[str, str] | None = None
) -> dict[str, Dismissal]:
    """Return which findings of a run count as dismissed, by key, with the dismissal.

    For a finding that proves a veto only a dismissal in the ledger at the base commit counts, so that no change can
    dismiss its own secret; for all others the ledger in the working tree counts.
    """
    base, tree = carry(at_base, renames or {}), carry(in_tree, renames or {})
    found: dict[str, Dismissal] = {}
    open_: set[str] = set()
    for finding in findings:
        entry = (base if finding.veto else tree).entries.get(finding.key)
        if entry is not None and entry.dismissal is not None and entry.excuses(finding):
            found[finding.key] = entry.dismissal
        else:
            open_.add(finding.key)
    return {key: dismissal for key, dismissal in found.items() if key not in open_}
