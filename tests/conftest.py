"""Tests never reach the network: every call to another machine is refused before it is made.

Nor do they touch what the user keeps: they have a data folder of their own. No exam is kept there, so an embedded model
would sit its first one, for up to two minutes, in every test that seats it: none does unless a test turns that on.

Values refuse assignments at run time here, which nobody pays for elsewhere: see `quorate.core.values`.

Tests of a browser stay together in one process, because they share it; so do those of one `xdist_group`.

Property tests draw the same examples every time; `HYPOTHESIS_PROFILE=search` draws new ones, as `make fuzz` does.

There are half as many processes again as processors: many tests wait for a program, a browser or a moment.
"""

from __future__ import annotations

import os
import tempfile

import pytest
from hypothesis import settings

from quorate.core import values

values.HELD = True
# A busy machine is no defect, so no example has a deadline.
settings.register_profile("quorate", deadline=None, derandomize=True, database=None)
settings.register_profile("search", deadline=None, derandomize=False, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or "quorate")
os.environ["QUORATE_OFFLINE"] = "1"
os.environ["QUORATE_EXAMINE_LOCAL"] = "false"
_DATA = tempfile.TemporaryDirectory(prefix="quorate-tests-")
os.environ["XDG_DATA_HOME"] = _DATA.name


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep tests together that share a browser and a server, or are of one group: the end of their ids says so.

    Since pytest 9.2 the ids that xdist 3.8 writes have no effect, and every group fell apart without a word
    (pytest-xdist issue 1386).
    """
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    for item in items:
        marker = item.get_closest_marker("xdist_group")
        group = marker.args[0] if marker else item.path.stem if item.get_closest_marker("browser") else None
        if group is not None and not item.nodeid.endswith(f"@{group}"):
            item._id = type(item.id)(path=item.id.path, names=(f"{item.id.rest}@{group}",))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Say how many processes `-n auto` is: three on two processors, which are then busy all the time."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return int(os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS") or processors + processors // 2)
