"""The ledger of a project: read it, dismiss a finding, and merge the findings of a run."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from quorate.core.errors import InputError, SettingError
from quorate.files.git import executable
from quorate.kit import ledger
from quorate.kit.debt import Dismissal
from quorate.kit.findings import Finding
from quorate.kit.ledger import Changes, Coverage, Covered, Ledger, LedgerEntry, dismissed_keys
from quorate.safety.secrets import without_secrets
from quorate.store.ledger import LEDGER_NAME, read_ledger, update
from quorate.workspace import FOLDER, Workspace, keep_from_git

__all__ = ["Changes", "Coverage", "Ledger", "dismiss", "dismissed_keys", "findings", "ledger_path", "settle"]

GIT_SECONDS = 10
MOST_REASON = 2_000
MOST_NAME = 200


def ledger_path(root: Path) -> Path:
    """Return the path of a project's ledger."""
    return root / FOLDER / LEDGER_NAME


def findings(workspace: Workspace) -> Ledger:
    """Return the project's ledger; empty if there is none yet."""
    return read_ledger(ledger_path(_root(workspace)))


@dataclass(frozen=True, slots=True)
class Dismissed:
    """A finding after its dismissal."""

    entry: LedgerEntry
    path: Path
    """The ledger, to be committed."""
    ignored: bool
    """Git would not commit it."""


def dismiss(workspace: Workspace, start: str, reason: str, by: str, false_positive: bool = False) -> Dismissed:
    """Dismiss the finding named by a key or a prefix: deferred as debt, or as a false positive.

    A finding that proves a veto can only be a false positive. What the rules do not allow raises RuleViolation, and
    nothing is written.
    """
    root = _root(workspace)
    reason, by = without_secrets(reason.strip()), " ".join(without_secrets(by).split())
    for option, text, most in (("--reason", reason, MOST_REASON), ("--by", by, MOST_NAME)):
        if not text or len(text) > most:
            raise SettingError(f"has {len(text):,} characters", key=option, expected=f"a text of 1 to {most:,}")
    dismissal = Dismissal(reason, by, false_positive, commit=_git(root, "rev-parse", "--verify", "-q", "HEAD"))
    found: list[LedgerEntry] = []

    def change(now: Ledger) -> Ledger:
        key = now.find(start.strip()).key
        after = ledger.dismiss(now, key, dismissal)
        found.append(after.entries[key])
        return after

    path = ledger_path(root)
    _write(path, change)
    ignored = _git(root, "check-ignore", "--", str(path)) != ""
    return Dismissed(found[-1], path, ignored)


def settle(
    root: Path,
    findings: Iterable[Finding],
    covered: Covered,
    run: str,
    commit: str,
    changed_paths: Iterable[str],
    renames: Mapping[str, str],
) -> Changes:
    """Merge the findings of a run into the project's ledger and return what changed.

    Entries follow renamed files (`renames`: old path -> new path), findings that the run covered and did not find are
    fixed, and debt on the paths that `commit` changed gets heavier; an uncommitted change (`""`) touches no debt.
    Idempotent: settling a run twice changes nothing, and a run that changes nothing leaves the file alone.
    """
    told: list[Changes] = []
    reported, paths = tuple(findings), tuple(changed_paths)

    def change(now: Ledger) -> Ledger:
        after, changes = ledger.merge(ledger.carry(now, renames), reported, covered, run)
        told.append(changes)
        return ledger.touch(after, paths, commit)

    _write(ledger_path(root), change)
    return told[-1]


def _write(path: Path, change: Callable[[Ledger], Ledger]) -> None:
    update(path, change)
    if path.exists():
        keep_from_git(path.parent)


def _root(workspace: Workspace) -> Path:
    if workspace.root is None:
        raise SettingError(
            "there is no project here, so there is no ledger", expected="a folder with .git or quorate.yaml"
        )
    return workspace.root


def _git(root: Path, *words: str) -> str:
    """Return the output of a git command; empty without git, a repository or an answer."""
    try:
        ran = subprocess.run(  # noqa: S603 - fixed words and a path of ours
            [executable(), *words],
            cwd=root,
            capture_output=True,
            timeout=GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError, InputError):
        return ""
    return ran.stdout.decode("utf-8", "replace").strip() if ran.returncode == 0 else ""
