"""What a process of its own costs: to start the program, and to prove a protocol."""

from __future__ import annotations

import math
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from time import process_time
from typing import Any

from figures import Figure, Goal, best, fresh

from quorate import catalog
from quorate.core.protocol import Protocol
from quorate.verify import verify

START = "Start, CPU of a new process from its start to its end"
PROOF = "verify, CPU, by protocol and number of seats (the first profile that has so many)"
HELP = Goal(most=200)
"""What `tests/cli/bench_help.py` promises, in milliseconds."""


def starts(times: int) -> Iterator[Figure]:
    """The import and the help text; the baseline is a Python that does nothing."""
    program = "from quorate.cli.main import main; main()"
    nothing, imported, helped = best(
        times,
        lambda: child_seconds("-c", "pass"),
        lambda: child_seconds("-c", "import quorate"),
        lambda: child_seconds("-c", program, "--help"),
    )
    note = "raw: a Python that does nothing"
    yield Figure(START, "import quorate", 1e3 * imported, "ms", 1e3 * nothing, note=note)
    yield Figure(START, "quorate --help", 1e3 * helped, "ms", 1e3 * nothing, HELP, note)


def child_seconds(*words: str) -> float:
    """Return the CPU time of a Python with these arguments; its modules are compiled once, as they are for users."""
    told = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL, env=told)  # noqa: S603
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def proofs(seconds: int, names: tuple[str, ...] = ()) -> Iterator[Figure]:
    """How long each proof takes, and how many states it walks; one that takes longer than `seconds` is left there."""
    for name in names or tuple(catalog.definitions()):
        for seats, profile in _profiles(name).items():
            title = f"{name}, {seats} seats"
            try:
                took, states = fresh(proved, name, profile, seconds)
            except BrokenProcessPool:
                yield Figure(PROOF, title, None, "s", note=f"{profile}: not done after {seconds} s")
                continue
            yield Figure(PROOF, title, took, "s", note=f"{profile}: {states:,} states, {states / took:,.0f}/s")


def _profiles(name: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for profile, built in catalog.profiles(name).items():
        found.setdefault(len(built.seats), profile)
    return dict(sorted(found.items()))


def proved(name: str, profile: str, seconds: int) -> tuple[float, int]:
    """Prove one profile in this process, which the system ends after so many seconds of CPU."""
    built: Protocol[Any] = catalog.build(name, catalog.definition(name).profiles[profile])
    material = catalog.definition(name).proven_with()
    began = process_time()
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(began) + seconds, hard))
    report = verify({profile: built}, material)
    return process_time() - began, report.profiles[profile].states
