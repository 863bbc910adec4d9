"""How many examples a property is tried on: the same ones every time, and few enough to stay fast."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

modest = settings(derandomize=True, max_examples=100, deadline=None, database=None)
few = settings(modest, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
