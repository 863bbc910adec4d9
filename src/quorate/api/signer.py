"""Identity of the person who signs: git's user name, or else the login."""

from __future__ import annotations

import getpass
import os
import subprocess
from pathlib import Path

SECONDS = 10


def signature(folder: Path) -> str:
    """Return `Name <address>` as git would sign a commit in this folder, or the login; one line, never empty."""
    name, address = (_configured(folder, key) for key in ("user.name", "user.email"))
    if name and address:
        return f"{name} <{address}>"
    return name or address or _login()


def _configured(folder: Path, key: str) -> str:
    try:
        ran = subprocess.run(  # noqa: S603 - a fixed command, whose only input is a name of ours
            ["git", "config", "--get", key],  # noqa: S607 - whichever git the person uses
            cwd=folder,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return _line(ran.stdout.decode("utf-8", "replace"))


def _login() -> str:
    try:
        return _line(getpass.getuser()) or "somebody"
    except (OSError, KeyError, ImportError):  # nobody by that number
        return f"user {os.getuid()}" if hasattr(os, "getuid") else "somebody"


def _line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:90]
