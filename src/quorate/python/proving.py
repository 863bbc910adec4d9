"""Proving a protocol from a program, installed or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quorate import catalog
from quorate.core.brought import Kind
from quorate.core.definition import Definition
from quorate.core.protocol import Protocol
from quorate.core.settings import read_settings

if TYPE_CHECKING:
    from quorate.verify import Report

MATTER = "the matter in question"
TEXTS = (Kind.TEXT, Kind.LINE, Kind.FILE)


def prove(what: str | Definition | Protocol[Any]) -> Report:
    """Prove a protocol: the name of an installed one, a definition under all its profiles, or a single value.

    The report has nine `results`, is `ok` where none has failed, and tells all of it in words as `text()`.
    """
    from quorate.verify import verify
    from quorate.verify.sight import MATERIAL

    if isinstance(what, Protocol):
        return verify({"default": what})
    found = catalog.definition(what) if isinstance(what, str) else what
    briefs = catalog.briefs(found)
    built = {
        name: found.build(read_settings(found.settings, values), briefs, 0) for name, values in found.profiles.items()
    }
    return verify(built, {**MATERIAL, **{each.name: MATTER for each in found.brings if each.kind in TEXTS}})
