"""The journal of the use cases' tests."""

from __future__ import annotations

from tests.api.conftest import journal

__all__ = ["journal"]
