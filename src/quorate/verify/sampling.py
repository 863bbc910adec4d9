"""Deterministic sampling: all of the first cases of a kind, and a few of the later ones."""

from __future__ import annotations

from collections.abc import Hashable

ALL_OF_THE_FIRST = 12
"""Of each kind so many are all taken; of the later ones every sixteenth is."""
EVERY = 16


class Sample:
    """Decides which cases of a kind are taken."""

    def __init__(self) -> None:
        self._seen: dict[Hashable, int] = {}

    def takes(self, kind: Hashable) -> bool:
        """Whether the next of this kind is taken."""
        number = self._seen[kind] = self._seen.get(kind, 0) + 1
        return number <= ALL_OF_THE_FIRST or number % EVERY == 0
