"""AI agents, people and checks deliberate under a protocol that is executed, proven and recorded by code.

`Quorate` and `AsyncQuorate` open sessions, each returned as a `Deliberation`; `draft` and `define` make a protocol of
your own, and `prove` proves it. Names are imported on first use, so importing this package is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quorate.core.decisions import Decision, choose, compare, otherwise
    from quorate.core.errors import InputError, QuorateError, RuleViolation
    from quorate.core.forms import Prose, Reply
    from quorate.core.protocol import Node, Protocol
    from quorate.core.types import Question, Replies, Seat
    from quorate.kit.drafts import define, draft
    from quorate.kit.inputs import Input
    from quorate.participants.port import Request
    from quorate.python.deliberation import AsyncDeliberation
    from quorate.python.place import AsyncQuorate
    from quorate.python.proof import prove
    from quorate.python.question import OpenQuestion
    from quorate.python.sync import Deliberation, Quorate

__all__ = [
    "AsyncDeliberation",
    "AsyncQuorate",
    "Decision",
    "Deliberation",
    "Input",
    "InputError",
    "Node",
    "OpenQuestion",
    "Prose",
    "Protocol",
    "Question",
    "Quorate",
    "QuorateError",
    "Replies",
    "Reply",
    "Request",
    "RuleViolation",
    "Seat",
    "choose",
    "compare",
    "define",
    "draft",
    "otherwise",
    "prove",
]

_ROOMS = {
    "kit.inputs": ("Input",),
    "core.decisions": ("Decision", "choose", "compare", "otherwise"),
    "kit.drafts": ("define", "draft"),
    "core.errors": ("InputError", "QuorateError", "RuleViolation"),
    "core.forms": ("Prose", "Reply"),
    "core.protocol": ("Node", "Protocol"),
    "core.types": ("Question", "Replies", "Seat"),
    "participants.port": ("Request",),
    "python.deliberation": ("AsyncDeliberation",),
    "python.place": ("AsyncQuorate",),
    "python.proof": ("prove",),
    "python.question": ("OpenQuestion",),
    "python.sync": ("Deliberation", "Quorate"),
}
"""The module of each name."""

if not TYPE_CHECKING:  # so that a name which is not there stays an error for a type checker

    def __getattr__(name: str) -> object:
        from importlib import import_module

        for room, names in _ROOMS.items():
            if name in names:
                found = getattr(import_module(f"quorate.{room}"), name)
                globals()[name] = found
                return found
        raise AttributeError(
            f"module 'quorate' has no attribute {name!r}; for authors of protocols, see quorate.authoring"
        )

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
