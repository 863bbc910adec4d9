"""Inputs: what a session is opened with, described once for every surface."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """The kind of an input."""

    TEXT = "text"
    """Several lines: what is deliberated about."""
    LINE = "line"
    CHOICE = "choice"
    FLAG = "flag"
    NUMBER = "number"
    NAMES = "names"
    """A list of names."""
    FILE = "file"
    FOLDER = "folder"


TEXTS = (Kind.TEXT, Kind.LINE, Kind.FILE)
"""What becomes material of its name, unless the protocol has a way of its own."""


@dataclass(frozen=True, slots=True)
class Input:
    """One thing that a session is opened with."""

    name: str
    says: str
    kind: Kind = Kind.TEXT
    required: bool = False
    choices: tuple[str, ...] = ()
    title: str = ""
    """How people write its name, where that is not the name with a capital."""


QUESTION = Input("question", "what is to be deliberated about", Kind.TEXT, required=True)
"""What a protocol asks for that names nothing else."""
