"""What the keys of a synthesis mean: what was there before it, and what its own entries have come to (W15)."""

from __future__ import annotations

from collections import Counter

from quorate.core.forms import Key
from quorate.protocols.workshop.rules.holds import numbered
from quorate.protocols.workshop.rules.model import State
from quorate.protocols.workshop.rules.taxonomy import ArtifactType


class Refused(Exception):
    """A change by the facilitator that the rules do not allow; the rest of the synthesis still counts."""


class Names:
    """The keys of one synthesis; its entries count on from the ids of their types, refused ones too."""

    def __init__(self, before: State) -> None:
        self._before = before
        self._last = Counter(each.type for each in before.artifacts)
        self._own: dict[Key, Key] = {}

    def count(self, kind: ArtifactType, made: Key | None) -> None:
        """Note the next entry of this type, and what was made of it; None where it was refused."""
        self._last[kind] += 1
        if made is not None:
            self._own[numbered(kind, self._last[kind])] = made

    def old(self, key: Key) -> Key:
        """Return the key of something that was there before, or raise Refused."""
        if self._before.artifact(key) is None:
            raise Refused(f"{key} is no artifact that was there before")
        return key

    def meant(self, key: Key) -> Key | None:
        """Return what a conflict means by this key: something that was there, or an earlier entry."""
        return self._own.get(key) if self._before.artifact(key) is None else key
