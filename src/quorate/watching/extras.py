"""Turn a missing optional library into an error that names the extra to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from quorate.core.errors import SettingError

EXTRA = "pip install 'quorate[watch]'"


@contextmanager
def needed(key: str) -> Iterator[None]:
    """Context manager: an ImportError in its body becomes a SettingError that says what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("quorate"):
            raise
        raise SettingError(f"needs {error.name}, which is not installed", key=key, expected=EXTRA) from error
