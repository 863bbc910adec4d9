"""How many examples a property is tried on: few enough to stay fast. The profile says which ones (conftest.py)."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

modest = settings(max_examples=100)
few = settings(modest, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
