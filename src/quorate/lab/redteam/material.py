"""Material for attacks: fixed, small, with or without a planted fault. Protocols provide their own.

A matter says where a payload can stand in it, writes what a session is opened with into a folder, and names the words
by which an honest seat finds the fault. What checks prove (a secret, a cycle) needs nobody's honesty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Inputs = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Matter:
    """A piece of material, and the places in it that an attacker can write to."""

    protocol: str
    name: str
    places: tuple[str, ...]
    write: Callable[[Path, str, tuple[str, ...]], Inputs]
    """write(folder, place, lines): put the lines of a payload there, none for no attack; what a session is brought."""
    fault: str = ""
    """Words that stand where the planted fault is; empty where there is none for seats to find."""
    proven: bool = False
    """Checks prove the fault, so no panel can vote it away."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    small: Mapping[str, Any] = field(default_factory=dict)
    """Settings over these for a model that takes seconds for a reply: fewer seats and rounds."""

    @property
    def sound(self) -> bool:
        return not self.fault and not self.proven
