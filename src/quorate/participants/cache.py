"""Reply cache: a folder of plain JSON files, one per model request.

A file is named after the digest of the whole request and is signed with a secret of this user, so a cache folder that
ships with somebody else's project cannot forge replies. Files that are damaged, too large or signed by somebody else
are ignored and replaced.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from quorate.codec.canonical import dump
from quorate.core.errors import SettingError
from quorate.kit.strict_json import strict_json
from quorate.store.marker import this_user

FORMAT = 1
SECRET = "QUORATE_CACHE_SECRET"  # noqa: S105  (the name of one)
"""Names a secret that several users or machines share, in place of this user's own."""
SHORTEST_SECRET = 16
MOST_BYTES = 1_000_000
"""Of one file."""
MOST_FILES = 20_000
"""In one folder; a full one is read and not added to."""
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_FIELDS = frozenset({"format", "key", "at", "model", "form", "tokens_in", "tokens_out", "cost", "reply"})
MEASURED = "measured"
"""A field that only a file of a measured reply has."""


@dataclass(frozen=True, slots=True)
class CachedReply:
    """A cached reply: its content as plain data, when it was given, and what it cost."""

    model: str
    form: str
    reply: Mapping[str, Any]
    tokens_in: int
    tokens_out: int
    cost: int | None
    at: str = ""
    """The day, in UTC; given when it is kept."""
    measured: tuple[Mapping[str, Any], ...] = ()
    """Which closed fields of the reply were measured, as plain data."""


class Unreadable(Exception):
    """A cache file that cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class ReplyCache:
    """A folder of cached replies. A file that cannot be read raises Unreadable; a failed write returns the reason."""

    folder: Path
    secret: bytes

    @classmethod
    def at(cls, folder: Path, environment: Mapping[str, str] | None = None) -> ReplyCache:
        """Open the cache in a folder, with the secret from the environment or else this user's own."""
        given = (os.environ if environment is None else environment).get(SECRET, "").strip()
        if given and len(given) < SHORTEST_SECRET:
            raise SettingError("is too short", key=SECRET, expected=f"at least {SHORTEST_SECRET} characters")
        return cls(folder, (given or this_user()).encode())

    def check(self) -> None:
        """Create the folder if needed; raise SettingError if that is not possible."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            what = f"{self.folder} cannot be used: {error.strerror or error}"
            raise SettingError(what, key="cache", expected="a folder") from error

    def seed(self, *parts: str) -> int:
        """Derive a seed from the texts: deterministic for this user, unpredictable to whoever wrote the texts."""
        found = hmac.digest(self.secret, dump(["seed", *parts]).encode(), "sha256")
        return int.from_bytes(found[:4]) // 2

    def find(self, key: str) -> CachedReply | None:
        """Return the cached reply for a key, or None. Raises Unreadable for a file that cannot be used."""
        try:
            with os.fdopen(os.open(self._file(key), _READ), "rb") as stream:
                about = os.fstat(stream.fileno())
                if not stat.S_ISREG(about.st_mode) or about.st_size > MOST_BYTES:
                    raise Unreadable("it is not a cache file")
                text = stream.read(MOST_BYTES + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Unreadable(error.strerror or type(error).__name__) from error
        return self._read(key, text)

    def _read(self, key: str, text: bytes) -> CachedReply:
        try:
            data = strict_json(text)
        except (ValueError, RecursionError) as error:
            raise Unreadable("it is damaged") from error
        if (
            not isinstance(data, dict)
            or set(data) - {MEASURED} != _FIELDS | {"seal"}
            or not isinstance(data["seal"], str)
        ):
            raise Unreadable("it has another format")
        seal = data.pop("seal")
        if not hmac.compare_digest(seal.encode("utf-8", "replace"), self._seal(data).encode()):
            raise Unreadable("it was written by another user, or was changed")
        if data["format"] != FORMAT or data["key"] != key:
            raise Unreadable("it is the reply to another request")
        told = {name: data[name] for name in _FIELDS - {"format", "key"}}
        return CachedReply(**told, measured=tuple(data.get(MEASURED, ())))

    def keep(self, key: str, kept: CachedReply) -> str:
        """Store a reply atomically. Return why it could not be stored, or an empty string."""
        data = {
            "format": FORMAT,
            "key": key,
            "at": f"{datetime.now(UTC):%Y-%m-%d}",
            "model": kept.model,
            "form": kept.form,
            "tokens_in": kept.tokens_in,
            "tokens_out": kept.tokens_out,
            "cost": kept.cost,
            "reply": dict(kept.reply),
            **({MEASURED: list(kept.measured)} if kept.measured else {}),
        }
        text = dump({**data, "seal": self._seal(data)}).encode()
        if len(text) > MOST_BYTES:
            return f"it has more than {MOST_BYTES:,} bytes"
        file = self._file(key)
        draft = file.with_name(f".{key[:16]}.{secrets.token_hex(8)}.draft")
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not file.exists() and sum(1 for _ in self.folder.iterdir()) >= MOST_FILES:
                return f"the cache is full ({MOST_FILES:,} files); delete what is old"
            with os.fdopen(os.open(draft, _NEW, 0o600), "wb") as stream:
                stream.write(text)
            draft.replace(file)
        except OSError as error:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
            return error.strerror or type(error).__name__
        return ""

    def _file(self, key: str) -> Path:
        return self.folder / f"{key}.json"

    def _seal(self, data: Mapping[str, Any]) -> str:
        return hmac.digest(self.secret, dump(data).encode(), "sha256").hex()


def key_of(asked: Mapping[str, Any]) -> str:
    """Return the digest of the whole request; equal keys mean the same request to the same model."""
    return sha256(dump({"format": FORMAT, **asked}).encode()).hexdigest()
