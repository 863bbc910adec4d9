"""What differs from run to run: pinned while sessions are recorded, or taken out of what is compared.

Pinned, for callers in the program alone, so that the event loop and other libraries keep their own time:

- the clock: it stands still within a command and goes on by a minute with each one;
- what is drawn: ids of sessions and seeds follow from the scene and from how often something was drawn;
- the folder that sessions are held in (`FOLDER`): journals name it, and a seal cannot be changed afterwards;
- the environment: time zone, width, home, and who commits when.

Taken out by `comparable`: the version of the program, and the code of the page in an HTML report.
"""

from __future__ import annotations

import datetime as calendar
import hashlib
import os
import re
import secrets
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

FOLDER = Path("/tmp/quorate-recorded")
"""Where sessions are held while they are recorded; it is emptied before and removed afterwards."""
BEGAN = 1_785_585_600
"""2026-08-01 12:00:00 UTC."""
OURS = ("quorate", "quorate_verifier")
_CODE = re.compile(r"(<style[^>]*>|<script type=\"importmap\"[^>]*>).*?(</style>|</script>)", re.DOTALL)
_NONCE = re.compile(r"nonce(=\"|-)[\w+/=]+")


def comparable(text: str) -> str:
    """Return a text without what may differ although nothing has changed: the one place where anything is left out."""
    if text.startswith("<!doctype html>"):
        text = _NONCE.sub("nonce", _CODE.sub(r"\1\2", text))
    number = re.escape(version("quorate"))
    return re.sub(rf'("version": ?"|quorate ){number}\b', r"\1VERSION", text)


def environment(home: Path) -> dict[str, str]:
    """Return the variables that a command sees: nothing of this user's."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LD_LIBRARY_PATH") if name in os.environ}
    people = {f"GIT_{role}_{field}": value for role in ("AUTHOR", "COMMITTER") for field, value in _ADA.items()}
    folders = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
    plain = {"COLUMNS": "100", "TZ": "UTC", "LANG": "C.UTF-8", "NO_COLOR": "1"}
    return {**kept, **people, **folders, **plain, "TMPDIR": tempfile.gettempdir(), "GIT_CONFIG_NOSYSTEM": "1"}


_ADA = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": "2026-08-01T12:00:00+0000"}


class Pins:
    """A clock that stands still and numbers that are drawn alike each time; `put` before the program is imported."""

    def __init__(self) -> None:
        self.now = float(BEGAN)
        self._drawing, self._drawn = "", 0

    def begin(self, scene: str, hour: int) -> None:
        """Begin a scene: it has an hour of its own, and draws numbers of its own."""
        self.now, self._drawing, self._drawn = float(BEGAN + 3600 * hour), scene, 0

    def tick(self) -> None:
        """Let a minute pass."""
        self.now += 60

    def put(self) -> None:
        """Pin clock and draws for every module of the program, all of which are yet to be imported."""
        assert not any(name.partition(".")[0] in OURS for name in sys.modules), "the program is imported already"
        pins = self

        class Moment(calendar.datetime):
            @classmethod
            def now(cls, tz: calendar.tzinfo | None = None) -> Any:
                return cls.fromtimestamp(pins.now, tz) if _asked_by_the_program() else super().now(tz)

        self._pin(time, "time", lambda: self.now)
        self._pin(time, "time_ns", lambda: int(self.now) * 1_000_000_000)
        self._pin(time, "monotonic", lambda: self.now)
        self._pin(secrets, "token_hex", lambda size=32: self._digest(size))
        self._pin(secrets, "randbelow", lambda limit: int(self._digest(8), 16) % limit)
        calendar.datetime = Moment  # type: ignore[misc]

    def _pin(self, module: Any, name: str, pinned: Callable[..., Any]) -> None:
        real = getattr(module, name)
        setattr(module, name, lambda *given: (pinned if _asked_by_the_program() else real)(*given))

    def _digest(self, size: int) -> str:
        self._drawn += 1
        return hashlib.sha256(f"{self._drawing} {self._drawn}".encode()).hexdigest()[: 2 * size]


def _asked_by_the_program() -> bool:
    return str(sys._getframe(2).f_globals.get("__name__", "")).partition(".")[0] in OURS
