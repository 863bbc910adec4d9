"""Panels given by a program: a path, or a mapping whose values may be functions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quorate.api.seats import Seating

Panel = str | Path | Mapping[str, Any]
"""The path of a panel file, or the same as a mapping. In a mapping a function may hold a seat."""


def as_seating(panel: Panel | None) -> Seating | None:
    """Convert a panel for `quorate.api`."""
    return Path(panel).expanduser() if isinstance(panel, str) else panel


def held_here(panel: Seating | None, model: str | None) -> Seating | None:
    """Return the panel if it contains functions, so that only this program can seat it; otherwise None."""
    seats = panel.get("seats") if isinstance(panel, Mapping) else None
    if not isinstance(panel, Mapping) or not isinstance(seats, Mapping) or not any(map(callable, seats.values())):
        return None
    return panel if model is None else {**panel, "default": model}
