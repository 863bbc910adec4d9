"""Identity for host marks: a random id of this user on this machine, which nobody else knows.

A store may come with a project that somebody else wrote. Hosted sessions run by themselves with this user's keys and
agents, so only marks of this user count.
"""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path

import platformdirs

from quorate.core.errors import StoreError

NAME = "marker"
_ID = re.compile(r"[0-9a-f]{32}")


def this_user() -> str:
    """Return the id, created on first use; StoreError if it can neither be read nor written."""
    file = Path(platformdirs.user_data_dir("quorate")) / NAME
    try:
        if not file.exists():
            _make(file)
        found = file.read_text(encoding="ascii", errors="replace").strip()
    except OSError as error:
        raise StoreError(
            f"cannot write {file}: {error.strerror or error}; sessions cannot be hosted without it"
        ) from error
    if not _ID.fullmatch(found):
        raise StoreError(f"{file} is damaged; delete it, then resume the sessions that were hosted")
    return found


def _make(file: Path) -> None:
    """Create the file atomically, unless another process was faster."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f"{NAME}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            stream.write(secrets.token_hex(16) + "\n")
        with suppress(FileExistsError):
            os.link(draft, file)
    finally:
        draft.unlink()
