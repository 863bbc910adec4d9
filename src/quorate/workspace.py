"""Workspace: the project's root, its settings, and the store of its sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import platformdirs

from quorate.config import Config, read_config
from quorate.core.errors import SettingError
from quorate.store.journal import Journal
from quorate.store.open import open_journal, shown_store, store_file

CONFIG_NAME = "quorate.yaml"
FOLDER = ".quorate"
STORE_NAME = "quorate.db"
OURS = (STORE_NAME, "briefs", "ledger.json", ".ledger.json.", "labels.jsonl", ".labels.jsonl.", ".lock", ".gitignore")
"""Prefixes of the names of files that we write or trust in that folder."""
MARKS = (CONFIG_NAME, FOLDER, ".git")
"""Files and folders that mark a project's root, searched upwards as git does."""


IGNORE = """\
# Sessions stay on this machine. The ledger, labels, and prompts of your own are for everybody: commit them.
quorate.db*
.ledger.json.*
.labels.jsonl.*
.lock
"""


def keep_from_git(folder: Path) -> None:
    """Add a .gitignore for the store unless there is one; failures are ignored."""
    ignore = folder / ".gitignore"
    with suppress(OSError):
        if folder.is_dir() and not ignore.exists():
            ignore.write_text(IGNORE, encoding="utf-8")


def find_root(start: Path) -> Path | None:
    """Return the nearest project root, from `start` upwards."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if any((folder / mark).exists() for mark in MARKS):
            return folder
    return None


def user_config_file() -> Path:
    return Path(platformdirs.user_config_dir("quorate")) / CONFIG_NAME


def default_store(root: Path | None) -> str:
    """Return the URL of the default store: in the project, or in the user's data folder without one."""
    folder = root / FOLDER if root is not None else Path(platformdirs.user_data_dir("quorate"))
    return f"sqlite:{folder / STORE_NAME}"


@dataclass(frozen=True)
class Workspace:
    """A workspace: settings read, store known but not yet open."""

    root: Path | None
    config: Config
    store: str = field(repr=False)
    """The store's URL, which may contain a password; display `shown` instead."""
    folder: Path | None = None
    """The folder that is worked in, where no project is and no store was named: the store is the user's own then, and
    all such folders share it. None elsewhere."""
    tell: Callable[[str], None] = field(default=lambda _: None, repr=False, compare=False)
    """Told what takes long while a session is opened, a sentence at a time, in whatever thread opens it."""

    @property
    def briefs(self) -> Path | None:
        """The folder of the user's own briefs and roles."""
        return self.root / FOLDER / "briefs" if self.root is not None else None

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of the store; none if it is in memory or on a server."""
        file = store_file(self.store)
        return () if file is None else (file,)

    @property
    def shown(self) -> str:
        """The store's URL without a password, for display."""
        return shown_store(self.store)

    def with_settings(
        self, protocol: str, settings: Mapping[str, Any] | None = None, budget: Mapping[str, Any] | None = None
    ) -> Workspace:
        """Return the workspace with its settings and limits overridden by those of a request."""
        if settings is None and budget is None:
            return self
        return replace(self, config=self.config.with_settings(protocol, settings, budget))

    def open(self) -> Journal:
        """Open the store; the caller closes it. A project's store is hidden from git."""
        journal = open_journal(self.store)
        if self.root is not None and self.store == default_store(self.root):
            keep_from_git(self.root / FOLDER)
        return journal


def _refuse_links(folder: Path) -> None:
    """Raise if the store's folder or a file of ours in it is a link, which could lead outside the project."""
    ours = [folder]
    if not folder.is_symlink():
        ours += [place for place in _inside(folder) if place.name.startswith(OURS)]
        ours += _inside(folder / f"{STORE_NAME}.worker")
    for place in ours:
        if place.is_symlink():
            raise SettingError(f"{place} is a link", expected="a folder or file of the project's own")


def _inside(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir()) if not folder.is_symlink() else []
    except OSError:  # whoever needs it says what is wrong
        return []


def find_workspace(
    start: Path,
    environment: Mapping[str, str],
    *,
    store: str | None = None,
    sets: tuple[str, ...] = (),
    scope: str = "",
) -> Workspace:
    """Read all settings that apply in a folder; `scope` is the protocol that plain `--set` keys belong to."""
    root = find_root(start)
    if root is not None:
        _refuse_links(root / FOLDER)
    files = [user_config_file(), *([root / CONFIG_NAME] if root is not None else [])]
    config = read_config(files, environment, sets, scope)
    named = store or config.store
    shared = start.resolve() if root is None and not named else None
    return Workspace(root, config, named or default_store(root), shared)
