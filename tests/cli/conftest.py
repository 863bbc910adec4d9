"""Every test gets a project of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.shell import Shell, script
from tests.support.reviewing import Project


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path).write(script())


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A git repository to review, with a panel beside it."""
    return Project(tmp_path)
