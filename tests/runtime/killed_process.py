"""A real process that drives a session and, at a given moment, kills itself as `kill -9` would.

Usage: killed_process.py STORE SESSION LOG [KILL_AT]. Every moment (a call or a journal write, before and after) is
written to LOG, one line each; at moment number KILL_AT the process ends at once.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

from quorate import api
from quorate.runtime.happenings import Called, Calling, Happening, Writing, Wrote
from quorate.store.open import open_journal
from quorate.workspace import find_workspace


class Killer:
    """Counts the moments at which a process could die, and dies at one of them."""

    def __init__(self, log: Path, kill_at: int | None) -> None:
        self.log, self.kill_at, self.count = log, kill_at, 0

    def __call__(self, happening: Happening) -> None:
        match happening:
            case Calling(ask=ask):
                self._moment(f"calling {ask.id}")
            case Called(ask=ask):
                self._moment(f"called {ask.id}")
            case Writing(seq=seq):
                self._moment(f"writing {seq}")
            case Wrote(event=event):
                self._moment(f"wrote {getattr(event, 'ask', '-')}")
            case _:
                pass

    def _moment(self, line: str) -> None:
        with self.log.open("a") as stream:
            stream.write(line + "\n")
        self.count += 1
        if self.count == self.kill_at:
            os.kill(os.getpid(), signal.SIGKILL)


async def main(store: str, session: str, log: Path, kill_at: int | None) -> None:
    workspace = find_workspace(log.parent, {}, store=store)
    journal = open_journal(store)
    await api.run(workspace, journal, session, watch=Killer(log, kill_at))
    await journal.close()


if __name__ == "__main__":
    at = int(sys.argv[4]) if len(sys.argv) > 4 else None
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), at))
