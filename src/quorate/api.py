"""The use cases, one function each. Every interface translates to these and decides nothing itself."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import Any

from quorate import catalog
from quorate.core.errors import InputError, RuleViolation, nearest
from quorate.core.record import Envelope, Opening, Record
from quorate.core.settings import plain
from quorate.core.types import Absent, AbsentReason, Ask, Degradation, Interrupted, Protocol, Reason, Replied, Seat
from quorate.core.view import View
from quorate.participants.panel import Panel, load_panel
from quorate.participants.tools import ContextFolder
from quorate.runtime.budget import Budget, Purse
from quorate.runtime.executor import Executor, append, status_of
from quorate.runtime.happenings import Happening, Watcher, nobody_watches
from quorate.store.codec import decode_opening, digest_text, encode_opening, parse_reply, protocol_digest, read_record
from quorate.store.journal import Entry, Journal, Listed, UnknownSession
from quorate.store.process import this_process
from quorate.workspace import Workspace

EXIT_WAITING = 4
EXIT_DEGRADED = 5
MOST_MATERIAL = 1_000_000
"""Characters of one text that is deliberated about."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a session stands, for whoever started or resumed it."""

    session: str
    record: Record
    entries: list[Entry]

    @property
    def waiting(self) -> tuple[Ask, ...]:
        """The asks that only people can answer."""
        return tuple(ask for ask in self.record.session.open if ask.seat in self.record.protocol.uncounted)

    @property
    def exit_code(self) -> int:
        """What a program gets to know: the verdict's code, 4 while it waits, 5 where it is too degraded to count."""
        conclusion = self.record.session.conclusion
        if conclusion is None:
            return EXIT_WAITING
        code = self.record.protocol.exit_codes[conclusion.verdict]
        concluded = code in (0, 1, 2)
        return EXIT_DEGRADED if concluded and conclusion.degradation is Degradation.BELOW_SETTINGS else code


# Opening a session


async def open_session(
    workspace: Workspace,
    journal: Journal,
    protocol: str,
    material: Mapping[str, str],
    *,
    panel: Path | None = None,
    model: str | None = None,
    seed: int | None = None,
    context: Path | None = None,
) -> str:
    """Open a session under the workspace's settings and return its id; nothing is asked yet."""
    seed = secrets.randbelow(2**31) if seed is None else seed
    _check_material(material)
    texts = dict(material)
    if context is not None:
        texts["context"] = ContextFolder(context).listing()
    built = _build(workspace, protocol, workspace.config.protocol(protocol), seed)
    source = panel or workspace.config.panel
    table = load_panel(source, built.seats, model=model or workspace.config.model)
    table.check_budget(workspace.config.budget)
    opening = Opening(
        protocol=built.name,
        version=built.version,
        digest=protocol_digest(built),
        title=_title(texts),
        seed=seed,
        settings=dict(built.settings),
        panel=table.describe(),
        material={name: digest_text(text) for name, text in texts.items()},
        run={
            "budget": plain(workspace.config.budget),
            "context": str(context.resolve()) if context is not None else "",
            "panel": table.source(),
        },
    )
    now = int(time() * 1000)
    session = f"{built.name}-{datetime.fromtimestamp(now / 1000, UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    await journal.create(
        session,
        built.name,
        opening.title,
        now,
        encode_opening(opening, Envelope(at=now)),
        {digest_text(text): text for text in texts.values()},
    )
    return session
