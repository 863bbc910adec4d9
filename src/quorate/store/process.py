"""Process identity for leases: names this process, and tells whether another still runs."""

from __future__ import annotations

import os
import secrets
import socket
from pathlib import Path


def this_process(part: str = "") -> str:
    """Return the owner id of this process: `host:pid:start`, plus a part if several of its parts drive sessions."""
    pid = os.getpid()
    return ":".join((_host(), str(pid), _started(pid) or "-", *([part] if part else [])))


def a_driver() -> str:
    """Return a lease owner id, unique per driver even within one process."""
    return this_process(secrets.token_hex(4))


def is_gone(owner: str) -> bool:
    """Whether the owner is a process of this host that no longer runs; False if unknown."""
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
    """Return an id of this running host.

    It includes boot and pid namespace: containers and machines of the same name may use the same process ids.
    """
    try:
        space = os.readlink("/proc/self/ns/pid").strip("pid:[]")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")[:8]
    except OSError:
        return socket.gethostname()
    return f"{socket.gethostname()}/{boot}-{space}"


def _started(pid: int) -> str | None:
    """Return the start time of a running process in kernel ticks; None if it does not run or is unknown."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()  # the command's name stands in brackets and may hold anything
    return None if fields[0] in "ZX" else fields[19]
