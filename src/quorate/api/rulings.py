"""Rulings: a person decides on a verdict that waits for one; the original verdict stays visible."""

from __future__ import annotations

from dataclasses import replace

from quorate.api.sessions import Result, load
from quorate.api.watchers import watched
from quorate.core.engine import check_ruling
from quorate.core.errors import RuleViolation
from quorate.core.record import PERSON, Envelope
from quorate.core.types import Ruled
from quorate.runtime.writer import append
from quorate.safety.secrets import without_secrets
from quorate.store.journal import Journal
from quorate.workspace import Workspace


def possible_rulings(result: Result) -> tuple[str, ...]:
    """Return the rulings that a person may make on a session; RuleViolation if its verdict takes none."""
    session, protocol = result.record.session, result.record.protocol
    if session.conclusion is None or session.conclusion.verdict not in protocol.rulings:
        check_ruling(protocol, session, Ruled("", "", ""))  # raises, and says why
    assert session.conclusion is not None
    return tuple(verdict.name for verdict in protocol.rulings[session.conclusion.verdict])


async def adjudicate(
    workspace: Workspace, journal: Journal, session: str, verdict: str, by: str, reason: str
) -> Result:
    """Rule on a verdict that waits for a person. The original verdict is kept, and the last ruling counts.

    `verdict` is the name of one that the protocol allows, in any case. What the rules do not allow raises RuleViolation
    and changes nothing; repeating a ruling is harmless.
    """
    result = await load(workspace, journal, session)
    by, reason = " ".join(without_secrets(by).split()), without_secrets(reason.strip())
    ruled = Ruled(verdict.strip().upper().replace("-", "_"), by, reason)
    try:
        async with watched(workspace, journal, session, result.record, drives=False) as watch:
            await append(session, result.record, journal, ruled, Envelope(model=PERSON), watch)
    except RuleViolation as error:
        raise RuleViolation(f"{session}: {error}") from error
    return replace(result, entries=await journal.entries(session))
