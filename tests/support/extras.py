"""The program as it is where an extra is not installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from quorate.safety.formats import plugged


@contextmanager
def without_detect_secrets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As where the extra `review` is not installed."""
    plugged.cache_clear()
    with monkeypatch.context() as patched:
        for name in [name for name in sys.modules if name.startswith("detect_secrets.plugins.")]:
            patched.delitem(sys.modules, name)
        patched.setitem(sys.modules, "detect_secrets", None)
        patched.setitem(sys.modules, "detect_secrets.plugins", None)
        yield
    plugged.cache_clear()
