"""Protocols are found whoever else in the process looks for entry points."""

from __future__ import annotations

import subprocess
import sys


def test_protocols_load_where_another_library_has_replaced_the_finder_of_entry_points() -> None:
    # importlib_metadata, which OpenTelemetry imports, makes entry points of a class of its own.
    code = (
        "import importlib_metadata\n"
        "from importlib.metadata import entry_points\n"
        "from quorate import catalog\n"
        "[point] = entry_points(group=catalog.GROUP, name='debate')\n"
        "print(type(point).__module__, catalog.definition('debate').package)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("importlib_metadata quorate.protocols.debate\n", "")
