"""A small RFC in each of the two layouts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.protocols.council.world.rfc.written import Written


@pytest.fixture
def tree(tmp_path: Path) -> Written:
    return Written(tmp_path / "project", in_tree=True)


@pytest.fixture
def alone(tmp_path: Path) -> Written:
    return Written(tmp_path / "parcels", in_tree=False)
