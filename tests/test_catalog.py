"""Protocols are found whoever else in the process looks for entry points."""

from __future__ import annotations

import subprocess
import sys

import pytest

from quorate import catalog


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


@pytest.mark.parametrize("name", catalog.definitions())
def test_every_protocol_lists_the_seats_that_a_panel_may_name(name: str) -> None:
    """They are known without loading it; write this list into its seats.txt if it differs."""
    assert catalog.listed_seats(name) == catalog.seats_of(name)


def test_a_protocol_that_is_not_installed_or_brings_no_list_lists_no_seats() -> None:
    assert catalog.listed_seats("nothing") is None
    assert catalog.listed_seats("baseline") is None
