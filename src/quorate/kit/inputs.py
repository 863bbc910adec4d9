"""Inputs: what a session is opened with, described once for every surface."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    sets: str = ""
    """The setting that it sets, where that has another name: a form shows one field for the two."""


QUESTION = Input("question", "what is to be deliberated about", Kind.TEXT, required=True)
"""What a protocol asks for that names nothing else."""


@dataclass(frozen=True, slots=True)
class Shortcut:
    """An entry in a coding assistant's menu: a person picks it, and the assistant opens a session of the protocol.

    Each is an MCP prompt. How to follow a session to its verdict is said for all of them, between `words` and `after`.
    """

    name: str
    title: str
    says: str
    asks: tuple[Input, ...]
    """What the person fills in; only lines and texts."""
    words: Callable[[Mapping[str, str]], tuple[str, ...]]
    """What the assistant is to do, in paragraphs, from what was filled in by name; what was left out is empty."""
    after: str = ""
    """What it is to do with the verdict."""
