"""Processes by name: who this one is, and whether another one still runs, so that a dead owner is not waited for."""

from __future__ import annotations

import os
import secrets
import socket
from pathlib import Path


def this_process(part: str = "") -> str:
    """Name this process as an owner: `host:pid:start`, and the part of it that drives, if there are several."""
    pid = os.getpid()
    return ":".join((_host(), str(pid), _started(pid) or "-", *([part] if part else [])))


def a_driver() -> str:
    """Name one who drives a session in this process as an owner, other than all who do so beside it."""
    return this_process(secrets.token_hex(4))


def is_gone(owner: str) -> bool:
    """Tell whether the owner is a process of this host that no longer runs; False where that cannot be known."""
    host, _, rest = owner.partition(":")
    number, _, rest = rest.partition(":")
    started = rest.partition(":")[0]
    if host != _host() or not (number.isascii() and number.isdecimal()) or os.name != "posix":
        return False
    now = _started(int(number))
    if now is not None:
        return now != started
    try:
        os.kill(int(number), 0)  # signal 0 is sent to nobody: it only asks whether somebody is there
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        return False
    return Path("/proc/self/stat").exists()  # it runs no more: it only waits to be collected


def _host() -> str:
    """Name this host as it runs now: containers and machines that share its name count as others, for their processes
    have the same numbers."""
    try:
        space = os.readlink("/proc/self/ns/pid").strip("pid:[]")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")[:8]
    except OSError:
        return socket.gethostname()
    return f"{socket.gethostname()}/{boot}-{space}"


def _started(pid: int) -> str | None:
    """Return when a running process started, in the kernel's own count; None where it does not run or is unknown."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the command's name stands in brackets and may hold anything
    return None if fields[0] in "ZX" else fields[19]
