"""Sessions on a real PostgreSQL survive its restart, a cut line and the death of their worker."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.faults.kinds import REAL, Kind
from tests.faults.real import run_one
from tests.support.postgres import ON_POSTGRES, Postgres, shared_postgres

pytestmark = [ON_POSTGRES, pytest.mark.slow]
postgres = pytest.fixture(scope="session")(shared_postgres)


@pytest.mark.parametrize("kind", REAL, ids=lambda kind: kind.name.lower())
@pytest.mark.parametrize("number", range(3))
def test_a_session_ends_as_undisturbed(kind: Kind, number: int, postgres: Postgres) -> None:
    fired: Counter[Kind] = Counter()
    assert run_one(kind, number, postgres, fired) == []
    assert fired[kind] >= 1
