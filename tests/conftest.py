"""Tests never reach the network: every call to another machine is refused before it is made.

Nor do they touch what the user keeps: they have a data folder of their own.

Tests of a browser stay together in one process, because they share it.
"""

from __future__ import annotations

import os
import tempfile

import pytest

os.environ["QUORATE_OFFLINE"] = "1"
_DATA = tempfile.TemporaryDirectory(prefix="quorate-tests-")
os.environ["XDG_DATA_HOME"] = _DATA.name


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of a file that drives a browser together: they share one browser and one server."""
    for item in items:
        if item.get_closest_marker("browser") is not None:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
