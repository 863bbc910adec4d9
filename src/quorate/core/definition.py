"""A definition: what the catalog needs to know to build a protocol from settings, briefs and a seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from quorate.core.protocol import Protocol
from quorate.core.record import Record


@dataclass(frozen=True)
class Definition:
    """A kind of protocol, offered by an entry point of the group `quorate.protocols`."""

    name: str
    title: str
    settings: type[Any]
    build: Callable[[Any, Mapping[str, str], int], Protocol[Any]]
    """build(settings, briefs, seed): pure; `briefs` are the prompt files by name, the user's own included."""
    package: str
    """The package whose `briefs/` folder, RULES.md and report.md.j2 belong to the protocol."""
    result: Callable[[Record], Mapping[str, Any]]
    """What a session came to so far, as plain data, for programs."""
    show: Callable[[Mapping[str, Any]], str]
    """The same as Markdown, for people."""
    sample: Mapping[str, str] = field(default_factory=dict)
    """Input to start from, by file name; `quorate init` writes it."""
    profiles: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"default": {}})
    """Named settings under which `verify` proves the protocol."""
