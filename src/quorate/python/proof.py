"""Prove a protocol from a program, whether it is installed or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quorate import api
from quorate.core.protocol import Protocol
from quorate.kit.definition import Definition

if TYPE_CHECKING:
    from quorate.verify import Report


def prove(what: str | Definition | Protocol[Any]) -> Report:
    """Prove a protocol: an installed one by name, a definition under all its profiles, or a single protocol value.

    The report has nine `results`, is `ok` if none has failed, and renders as text with `text()`.
    """
    from quorate.verify import verify

    return verify({"default": what}) if isinstance(what, Protocol) else api.verify(what)
