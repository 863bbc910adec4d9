"""Seeded shuffling: the same seed and label give the same order on every machine and Python version."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T", bound=str)


def shuffled(items: Iterable[T], seed: int, *label: str | int) -> tuple[T, ...]:
    """Return the items in an order drawn from the seed and the label."""
    return _drawn(tuple(items), "\0".join(map(str, (seed, *label))))


@lru_cache(maxsize=4096)
def _drawn(items: tuple[T, ...], prefix: str) -> tuple[T, ...]:
    return tuple(sorted(items, key=lambda item: sha256(f"{prefix}\0{item}".encode()).digest()))
