"""Every test gets a project of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.shell import Shell, script


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path).write(script())
