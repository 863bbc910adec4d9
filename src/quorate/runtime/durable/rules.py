"""Rules of this process: how a workflow builds a session's protocol, and which task queues these rules serve.

A workflow queue is named by a protocol and a digest of its rules, without the settings and prompts that a session
brings along. So a worker with changed rules never gets an old session, and an old session waits for a worker that has
its rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from quorate.codec import protocol_digest
from quorate.core.errors import DefinitionError
from quorate.core.protocol import Protocol
from quorate.runtime.durable.messages import Begun

Build = Callable[[Begun], Protocol[Any]]
PREFIX = "quorate-"
ASKS = f"{PREFIX}ask-"
_BUILDERS: list[Build] = []
"""How protocols are built in this process: no function can be passed to a workflow."""


def use(build: Build) -> None:
    """Set how protocols are built in this process; the same for all its workers."""
    _BUILDERS[:] = [build]


def built(begun: Begun) -> Protocol[Any]:
    """Build a session's protocol: a pure function of its opening."""
    if not _BUILDERS:
        raise DefinitionError("this process cannot build protocols yet; call `use` first")
    return _BUILDERS[0](begun)


def workflow_queue(default: Protocol[Any]) -> str:
    """Return the task queue of a protocol's sessions, given the protocol under its default settings."""
    digest = protocol_digest(replace(default, briefs={}))
    return f"{PREFIX}{_plain(default.name)}-{digest[:12]}"


def ask_queue(provider: str) -> str:
    """Return the task queue for asks to a provider; a provider with several addresses has one queue."""
    return f"{ASKS}{_plain(provider.partition('@')[0])}"


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)
