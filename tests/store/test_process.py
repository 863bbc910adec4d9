"""Owners of leases: processes by name, dead or alive."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from quorate.store.journal import SessionBusy
from quorate.store.lease import Lease, take
from quorate.store.process import is_gone, this_process

NAME = "from quorate.store.process import this_process; print(this_process(), flush=True)"
linux = pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="start times are read from /proc")


def test_this_process_runs() -> None:
    assert this_process() == this_process()
    assert not is_gone(this_process())
    assert this_process("two") == f"{this_process()}:two"
    assert not is_gone(this_process("two"))


def test_a_process_is_gone_once_it_was_killed() -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", f"{NAME}; input()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    name = child.stdout.readline().strip()
    assert name != this_process()
    assert not is_gone(name)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    if os.path.exists("/proc/self/stat"):
        assert is_gone(name), "dead, though its parent has not asked how it ended"
    child.wait()
    assert is_gone(name)
    child.communicate()


@linux
def test_a_number_that_was_given_anew_is_another_process() -> None:
    host, pid, start = this_process().split(":")
    assert is_gone(f"{host}:{pid}:{int(start) - 1}")


def test_of_strangers_nothing_is_known() -> None:
    _, pid, start = this_process().split(":")
    for owner in (f"elsewhere:{pid}:{start}", "me", "", f"{this_process().split(':')[0]}:x:y", "a:b:c:d"):
        assert not is_gone(owner)


def test_a_busy_session_says_who_and_until_when() -> None:
    held = Lease("elsewhere:4711:9", 1_770_000_000_000)
    with pytest.raises(SessionBusy) as caught:
        take("s1", held, "me", 60, held.until - 1)
    assert "session s1 is being driven by elsewhere:4711:9, whose lease runs until 2026-02-0" in str(caught.value)
    assert take("s1", held, "me", 1.5, held.until) == Lease("me", held.until + 1_500)
    assert take("s1", held, "elsewhere:4711:9", 60, held.until - 9) == Lease(held.owner, held.until - 9 + 60_000)
