"""A real worker process that writes down its calls, one line each, before and after they are made.

Usage: workable.py STORE TEMPORAL LOG [CHANGED]. With CHANGED its debates have other rules than ours. HEARTBEAT
is after how many seconds without a sign of life it is taken for dead, LIMIT how many calls all workers make at once.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from quorate import catalog
from quorate.api import temporal
from quorate.participants.port import Answer, Request, Say
from quorate.participants.script import ScriptParticipant
from quorate.store.open import open_journal
from quorate.workspace import find_workspace

STORE, TEMPORAL, LOG = sys.argv[1:4]
_reply = ScriptParticipant.reply


def write(what: str, session: str = "-", ask: str = "-") -> None:
    """Write a line with the time; appends of one short line are whole, whoever else writes."""
    with Path(LOG).open("a") as stream:
        stream.write(f"{os.getpid()} {what} {session} {ask} {int(time.time() * 1000)}\n")


async def _logged(self: ScriptParticipant, request: Request, say: Say) -> Answer | None:
    session = str(request.seed)  # drawn from the session's seed and the ask: one for each ask of each session
    write("calling", session, str(request.ask.id))
    answer = await _reply(self, request, say)
    write("called", session, str(request.ask.id))
    return answer


async def main() -> None:
    if sys.argv[4:]:
        known = dict(catalog.definitions())
        built = known["debate"].build
        changed = replace(known["debate"], build=lambda *given: replace(built(*given), version="changed"))
        catalog.definitions = lambda: {**known, "debate": changed}  # type: ignore[assignment]
    ScriptParticipant.reply = _logged  # type: ignore[method-assign]
    workspace = find_workspace(Path(LOG).parent, {"QUORATE_TEMPORAL": TEMPORAL}, store=STORE)
    ready = asyncio.Event()
    limits = {"script": int(os.environ["LIMIT"])} if "LIMIT" in os.environ else {}
    heartbeat = float(os.environ["HEARTBEAT"])
    offered = temporal.offer(providers={"script": 16}, limits=limits, heartbeat=heartbeat, grace=0.0)
    working = asyncio.create_task(temporal.work(workspace, open_journal(STORE), offered, ready=ready))
    telling = asyncio.create_task(ready.wait())
    await asyncio.wait([working, telling], return_when=asyncio.FIRST_COMPLETED)
    if not working.done():
        write("ready")
    await working


asyncio.run(main())
