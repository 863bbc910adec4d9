"""Worker: a separate process that drives the hosted sessions of a store, and outlives its starter.

A store has at most one worker per user and machine. It locks a folder beside the store (or in the user's data for a
store on a server); the system releases the lock when the process ends, so a dead worker is never waited for. The folder
also holds its log and its failures.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO

import platformdirs

from quorate.api.host import Host, Says
from quorate.codec.canonical import digest_text
from quorate.core.errors import SettingError, StoreError
from quorate.files.lock import locked
from quorate.store.journal import Journal
from quorate.store.open import store_server
from quorate.store.process import this_process
from quorate.workspace import Workspace, find_workspace

IDLE = 60.0
"""Seconds without work after which a worker ends."""
PATIENCE = 2.0
"""Seconds for which a worker tries to get its lock: another process may just be probing it."""
LOOK_EVERY = 1.0
MOST_LOG = 1_000_000
"""Bytes of the log; a worker that finds a larger one starts it anew."""
STORE, TEMPORAL = "QUORATE_STORE", "QUORATE_TEMPORAL"
PROGRAM = "from quorate.api.worker import main; main()"
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
"""A project could ship links here that lead to files of the user."""


@dataclass(frozen=True, slots=True)
class _Started:
    """A worker started by this process."""

    process: subprocess.Popen[bytes]
    folder: Path

    def on_its_way(self, folder: Path) -> bool:
        """Whether it has yet to lock this folder, which takes seconds on a busy machine."""
        return self.folder == folder and str(self.process.pid) not in _owner(folder).split(":")


_started: list[_Started] = []
"""The workers that this process has started, so that they can be collected when they end."""


class AtWork(StoreError):
    """Another worker drives the sessions of this store."""


def _engine_of(workspace: Workspace) -> dict[str, str]:
    """Return the settings that make a worker leave driving to Temporal; empty without Temporal."""
    return {TEMPORAL: workspace.config.temporal} if workspace.config.temporal else {}


def ensure_worker(workspace: Workspace, *, idle: float = IDLE) -> bool:
    """Start a worker for a store unless a running one has its lock; True if one was started.

    Mark the session as hosted first, so that any running worker sees it.
    """
    folder = worker_folder(workspace)
    _started[:] = [each for each in _started if each.process.poll() is None]
    if _is_taken(folder) or any(each.on_its_way(folder) for each in _started):
        return False
    on_server = store_server(workspace.store) is not None
    with _log_of(folder) as stream:
        process = subprocess.Popen(  # noqa: S603 - this very Python, and a store that we have opened ourselves
            [sys.executable, "-P", "-c", PROGRAM, "" if on_server else f"sqlite:{_file(workspace)}", str(idle)],
            cwd=workspace.root or Path.cwd(),  # and -P, or Python would import from the project under review
            # A command line can be read by all users of a machine, and a URL may hold a password.
            env={**os.environ, **({STORE: workspace.store} if on_server else {}), **_engine_of(workspace)},
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            **_apart(),
        )
    _started.append(_Started(process, folder))
    return True


def _log_of(folder: Path) -> BinaryIO:
    log = folder / "log"
    try:
        if log.exists() and log.stat().st_size > MOST_LOG:
            log.unlink()
        return os.fdopen(os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_LINK, 0o600), "ab")
    except OSError as error:
        raise StoreError(f"{log} cannot be written: {error.strerror or error}") from error


def worker_folder(workspace: Workspace) -> Path:
    """Return the folder of a store's worker; SettingError if the store is in memory.

    It is beside the store's file, or in this user's data for a store on a server, because marks are per user and
    machine.
    """
    if (server := store_server(workspace.store)) is not None:
        return Path(platformdirs.user_data_dir("quorate")) / "workers" / digest_text(server.shown)[:16]
    file = _file(workspace)
    return file.with_name(f"{file.name}.worker")


def _file(workspace: Workspace) -> Path:
    if workspace.store.startswith("memory:"):
        raise SettingError("is in the memory of this process", key="store", expected="a file, for a worker to work on")
    return Path(workspace.store.removeprefix("sqlite:")).expanduser().resolve()


def _apart() -> dict[str, Any]:
    """Return the process options that keep a worker alive when its starter or its terminal ends."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def _is_taken(folder: Path) -> bool:
    try:
        with _locked(folder, 0):
            return False
    except AtWork:
        return True


@contextmanager
def _locked(folder: Path, patience: float) -> Iterator[None]:
    """Hold the lock of a worker; AtWork if another one has it."""
    with ExitStack() as held:
        try:
            held.enter_context(locked(folder, patience))
        except StoreError as error:
            if not folder.is_dir():
                raise
            raise AtWork(f"{_owner(folder)} drives the hosted sessions of this store already") from error
        yield


def _owner(folder: Path) -> str:
    try:
        return f"the worker {(folder / 'owner').read_text(encoding='utf-8')[:200]}"
    except OSError:
        return "another worker"


def failure_of(workspace: Workspace, session: str) -> str:
    """Return why the store's last worker could not drive a session; empty for no failure."""
    try:
        kept = json.loads((worker_folder(workspace) / "failures.json").read_text(encoding="utf-8"))
        return str(kept.get(session, ""))
    except (OSError, ValueError, AttributeError):  # there was no worker yet, or somebody has written there by hand
        return ""


def _keep_failures(folder: Path, failures: Mapping[str, str]) -> None:
    """Write the failures file; errors are ignored, because it is only for people to read."""
    with suppress(OSError):
        _write(folder / "failures.json", json.dumps(failures, ensure_ascii=False))


def _write(file: Path, text: str) -> None:
    """Replace a file atomically, never writing through a link."""
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
    draft.replace(file)


# At work


async def work(
    workspace: Workspace, journal: Journal, *, idle: float = IDLE, stay: bool = False, says: Says | None = None
) -> None:
    """Drive the hosted sessions of a store until none can continue for `idle` seconds, or for ever with `stay`.

    Raises AtWork if the store has another worker.
    """
    folder = worker_folder(workspace)

    def tell(session: str, words: str) -> None:
        _keep_failures(folder, host.failures)
        if says is not None:
            says(session, words)

    seen: set[tuple[str, int, int]] | None = None
    while seen is None or seen != await _standing(journal):
        try:
            with _locked(folder, PATIENCE):
                _write(folder / "owner", this_process())
                host = Host(workspace, journal, says=tell)
                _keep_failures(folder, {})
                async with host:
                    seen = await _until_idle(host, idle, stay=stay)
        except AtWork:
            if seen is None:
                raise
            return  # somebody else goes on with what was marked while we were about to leave


async def _until_idle(host: Host, idle: float, *, stay: bool) -> set[tuple[str, int, int]]:
    """Wait until nothing can continue, and return the status of the hosted sessions.

    A session marked after that either finds the lock released, or is found by the last check.
    """
    since = monotonic()
    while True:
        standing = await _standing(host.journal)
        if not await host.at_rest():
            since = monotonic()
        elif not stay and monotonic() - since >= idle:
            return standing
        await asyncio.sleep(min(LOOK_EVERY, max(idle / 4, 0.05)))


async def _standing(journal: Journal) -> set[tuple[str, int, int]]:
    return {(each.id, each.last, each.mark) for each in await journal.hosted()}


def main() -> None:
    """Entry point of the process that `ensure_worker` starts, with the given store and idle time."""
    store = sys.argv[1] or os.environ.pop(STORE)  # what the seats start has no need to know it
    workspace = find_workspace(Path.cwd(), os.environ, store=store)
    with suppress(AtWork, asyncio.CancelledError):  # two may be started at once, and one is enough
        asyncio.run(_work_until_told(workspace, float(sys.argv[2])))


async def _work_until_told(workspace: Workspace, idle: float) -> None:
    """Work until nothing is left to do; a signal suspends all sessions."""
    task = asyncio.current_task()
    for name in ("SIGTERM", "SIGINT"):
        with suppress(NotImplementedError):  # Windows
            if task is not None:
                asyncio.get_running_loop().add_signal_handler(getattr(signal, name), task.cancel)
    journal = workspace.open()
    try:
        await work(workspace, journal, idle=idle, says=_log)
    finally:
        await journal.close()


def _log(session: str, words: str) -> None:
    sys.stdout.write(f"{datetime.now().isoformat(' ', 'seconds')} {session or 'the store'} {words}\n")
    sys.stdout.flush()
