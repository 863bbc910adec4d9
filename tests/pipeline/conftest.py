from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipeline.jobs import Job


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)
