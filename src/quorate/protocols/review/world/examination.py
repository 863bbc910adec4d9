"""Examining a code change without a session: read it and run every check; no model is asked, nothing is stored."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from quorate.api.ledger import dismissed_keys, ledger_path
from quorate.api.seats import Seating
from quorate.core.errors import InputError, SettingError
from quorate.files.places import place_of
from quorate.kit import check_result
from quorate.kit.change import Change, LeftOut
from quorate.kit.debt import Dismissal
from quorate.kit.findings import Finding, stands_in
from quorate.kit.ledger import Ledger, carry
from quorate.kit.settings import read_settings
from quorate.protocols.review.rules.model import ReviewSettings
from quorate.protocols.review.world.change.read import change_of, find_sides, read_change
from quorate.protocols.review.world.change.sides import Sides
from quorate.protocols.review.world.change.source import Source
from quorate.protocols.review.world.change.trees import close
from quorate.protocols.review.world.checks import run as checks
from quorate.protocols.review.world.checks.house import house_check, rules_for
from quorate.protocols.review.world.checks.receipt import diff_of, masked
from quorate.store.ledger import read_ledger
from quorate.workspace import CONFIG_NAME, FOLDER, Workspace

RULES_NAME = "quorate.rules.yaml"
EXTRA = ("bandit", "detect_secrets", "lizard", "ruff")
"""The packages of the extra `review`: a check without its tool would pass what it never looked at."""
Progress = Callable[[str], None]


class NothingToReview(InputError):
    """Raised if the change has no file that a committee could be shown; says why."""

    blocking = 0
    """Findings of the checks that stand in the way all the same."""
    unread = False
    """Whether there is nothing because none of the files could be read: nobody has judged them."""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A file under review."""

    path: str
    status: str
    added: int
    """Lines."""
    removed: int


@dataclass(frozen=True, slots=True)
class Examined:
    """A change and its check results, with all secrets masked."""

    title: str
    base: str
    head: str
    files: tuple[Reviewed, ...]
    """What the committee is shown."""
    left_out: tuple[LeftOut, ...]
    """What it is not, and why."""
    results: tuple[check_result.CheckResult, ...]
    findings: tuple[Finding, ...]
    """Those that count, the worst first."""
    dismissed: tuple[tuple[Finding, Dismissal], ...]
    """Those that somebody answers for."""
    blocking: tuple[Finding, ...]
    """Those that stand in the way of an approval, whatever a committee says."""
    unread: bool = False
    """None of its files could be read, so that nothing was examined."""

    @property
    def added(self) -> int:
        return sum(file.added for file in self.files)

    @property
    def removed(self) -> int:
        return sum(file.removed for file in self.files)


def examine(
    workspace: Workspace,
    source: Source,
    *,
    folder: Path,
    rules: Path | None = None,
    progress: Progress = lambda _: None,
) -> Examined:
    """Read a change and run all checks on it; no model is asked and nothing is stored."""
    with at_work(workspace, source, folder, rules, progress) as work:
        return work.told()


@dataclass(frozen=True, slots=True)
class Work:
    """An opened change, with its checks, rules and ledger."""

    workspace: Workspace
    settings: ReviewSettings
    change: Change
    rules: Path | None
    ran: checks.CheckResults
    dismissed: Mapping[str, Dismissal]
    ledger: Ledger
    """What earlier runs have found, as the working tree has it."""
    deciding: tuple[str, ...]
    """The paths that take effect on this very review."""

    @property
    def standing(self) -> list[str]:
        """Return the keys of findings whose quotation is still present; not reported again does not mean fixed."""
        texts = {file.path: file.after for file in self.change.files if file.after is not None}
        entries = carry(self.ledger, self.renames).entries.values()
        known = [(each.key, each.finding) for each in entries if each.finding.path in texts]
        return sorted(key for key, finding in known if stands_in(finding.evidence, texts[finding.path]))

    @property
    def unread(self) -> bool:
        """Whether the change has files, and none of them could be read."""
        return bool(self.change.left_out) and not self.change.files

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.ran.findings if finding.key not in self.dismissed)

    @property
    def renames(self) -> dict[str, str]:
        return _renames(self.change)

    def masked(self, text: str) -> str:
        return masked(text, self.ran.masks)

    def reasons(self) -> dict[str, str]:
        return {key: self.masked(each.reason) for key, each in self.dismissed.items()}

    def told(self) -> Examined:
        """Return the masked form for display."""
        diff, blocking = diff_of(self.change, self.ran.masks), self.settings.blocking_severity
        return Examined(
            self.masked(self.change.title),
            self.change.base,
            self.change.head,
            tuple(
                Reviewed(self.masked(file.path), file.status.value, len(file.added), len(file.removed))
                for file in diff.files
            ),
            tuple(LeftOut(self.masked(each.path), each.why, self.masked(each.detail)) for each in diff.left_out),
            self.ran.results,
            self.findings,
            tuple((each, self.dismissed[each.key]) for each in self.ran.findings if each.key in self.dismissed),
            tuple(each for each in self.findings if each.veto or each.severity.at_least(blocking)),
            self.unread,
        )


@contextmanager
def at_work(
    workspace: Workspace,
    source: Source,
    folder: Path,
    rules: Path | None,
    progress: Progress,
    panel: Seating | None = None,
    *,
    remote: bool = False,
) -> Iterator[Work]:
    """Read a change and run the checks; its resources are released at the end."""
    if missing := [name for name in EXTRA if find_spec(name) is None]:
        raise SettingError(
            f"the checks need {', '.join(missing)}, which is not installed", expected="pip install 'quorate[review]'"
        )
    with workspace.config.placing("review"):
        settings = read_settings(ReviewSettings, workspace.config.protocol("review"))
    progress("reading the change")
    change = _read(source, folder)
    try:
        path = rules if rules is not None else own_file(workspace, change, folder, RULES_NAME)
        house = house_check(rules_for(change, path, remote=remote)) if path is not None else None
        deciding = _deciding(workspace, change, panel)
        ran = checks.run_checks(change, house, progress, deciding=deciding)
        at_base, in_tree = _ledgers(workspace, change)
        dismissed = dismissed_keys(at_base, in_tree, ran.findings, _renames(change))
        yield Work(workspace, settings, change, path, ran, dismissed, in_tree, tuple(deciding))
    finally:
        close(change)


def _deciding(workspace: Workspace, change: Change, panel: Seating | None) -> list[str]:
    """Return the paths, as the change names them, that affect this review: settings, our own folder, the panel."""
    places = [panel if isinstance(panel, Path) else None if panel else workspace.config.panel]
    if workspace.root is not None:
        places += [workspace.root / CONFIG_NAME, workspace.root / FOLDER / "briefs"]
    found = [at(path) for path in places if path is not None for at in (partial(place_of, change), _lexically(change))]
    named = dict.fromkeys(path for path in found if path is not None)
    return [f"{path}/" if path.endswith(f"{FOLDER}/briefs") else path for path in named]


def _lexically(change: Change) -> Callable[[Path], str | None]:
    """Return a function that locates a path without resolving links, since a link matters as much as its target."""

    def at(path: Path) -> str | None:
        try:
            return Path(os.path.abspath(path)).relative_to(change.root).as_posix() if change.root else None
        except ValueError:
            return None

    return at


def _read(source: Source, folder: Path) -> Change:
    sides = find_sides(source, folder)
    if not isinstance(sides, Sides):
        return read_change(source, folder)
    try:
        return change_of(sides)
    except InputError as error:
        sides.bench.close()
        if error is not sides.nothing:
            raise
        raise NothingToReview(error.what, file=error.file, key=error.key, expected=error.expected) from error


def own_file(workspace: Workspace, change: Change, folder: Path, name: str) -> Path | None:
    """Return the project's own file of that name if it exists now or did before the change."""
    path = (workspace.root or (Path(change.root) if change.root else folder)) / name
    if path.is_file():
        return path
    inside = place_of(change, path)
    if inside is not None and inside in change.disputed:
        return path
    judged = change.judged_by
    return path if inside is not None and judged is not None and judged.read(inside) is not None else None


def _ledgers(workspace: Workspace, change: Change) -> tuple[Ledger, Ledger]:
    """Return the ledger before the change, and that of the working tree unless the change alters it.

    So no change can dismiss its own findings, and a secret is dismissed only by a merged ledger.
    """
    if workspace.root is None:
        return Ledger(), Ledger()
    path = ledger_path(workspace.root)
    inside = place_of(change, path)
    judged = change.judged_by
    before = judged.read(inside) if inside is not None and judged is not None else None
    at_base = read_ledger(before, f"{path} before the change") if before else Ledger()
    touched = {path for file in change.files for path in (file.path, file.old_path)}
    altered = inside in touched | {each.path for each in change.left_out} | change.disputed
    return at_base, at_base if altered else read_ledger(path)


def _renames(change: Change) -> dict[str, str]:
    return {file.old_path: file.path for file in change.files if file.old_path}
