"""A git repository to review, with a panel beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.reviewing import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)
