"""A real server for browsers: `quorate serve` in a process of its own, on a free port of this machine."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

PATIENCE = 60
"""Seconds that a server has to end."""


@contextmanager
def served(
    folder: Path, store: str, environment: Mapping[str, str] | None = None, python: str = sys.executable
) -> Iterator[str]:
    """Serve a folder and yield the address, without a slash at its end; the server ends with the block."""
    command = [python, "-c", "from quorate.cli.main import main; main()", "serve", "--port", "0"]
    with TemporaryFile("w+") as complaints:
        process = subprocess.Popen(
            [*command, "--store", store],
            cwd=folder,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "HOME": str(folder), **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
        )
        try:
            assert process.stdout is not None
            said = process.stdout.readline()  # it says where it serves once it does
            found = re.search(r"http://\S+", said)
            if found is None:
                complaints.seek(0)
                raise RuntimeError(f"the server did not start: {said}{complaints.read()}")
            yield found.group().rstrip("/")
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()
