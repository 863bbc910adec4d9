"""Host: drives marked sessions in a long-running process, and lets clients watch them.

The mark is stored in the journal and survives restarts: any host of the store continues the session. The lease keeps
two hosts from driving one session at the same time.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import partial
from math import inf
from time import monotonic
from typing import Self

from quorate.api.broadcast import Broadcast, Calls
from quorate.api.session_end import LONG_ENOUGH, finish, leased
from quorate.api.sessions import Result, load, run
from quorate.api.stream import Ephemeral, Told
from quorate.core.errors import QuorateError, StoreError
from quorate.runtime.executor import LEASE_SECONDS, LOOK_EVERY
from quorate.runtime.happenings import Happening
from quorate.store.journal import Hosted, Journal, SessionBusy, UnknownSession
from quorate.store.process import a_driver
from quorate.store.sqlite_errors import Damaged
from quorate.workspace import Workspace

TRY_AGAIN = 2.0
"""Seconds until a session that another process drives, or that failed on a store error, is tried again."""
MOST_PAUSE = 60.0
"""Maximum seconds between retries after repeated store errors."""
ENOUGH_TRIES = 8
"""Store errors after which nobody waits for a session; it is still retried."""
KEEP_BROADCAST = 10.0
"""Seconds for which an unwatched broadcast is kept, for watchers who reconnect."""

Says = Callable[[str, str], None]
"""Called with a session and a message about it."""


@dataclass(frozen=True, slots=True)
class _Rest:
    """Why a session is not driven now: it waits for people, it failed, or another process drives it."""

    last: int | None
    """Its last entry then; a newer one is a reason to continue. None if new entries are no reason."""
    mark: int
    """Its mark then; a new mark is a request to drive it again."""
    until: float = inf
    tries: int = 0
    """Number of store errors in a row."""


def pause_after(tries: int) -> float:
    """Return the delay in seconds before the next attempt, after this many store failures in a row."""
    return min(TRY_AGAIN * 2.0 ** min(tries, ENOUGH_TRIES), MOST_PAUSE)


class Host:
    """Drives the hosted sessions of a store while entered; on exit they are suspended and stay marked."""

    def __init__(self, workspace: Workspace, journal: Journal, *, says: Says | None = None) -> None:
        self.workspace, self.journal = workspace, journal
        self.failures: dict[str, str] = {}
        """What kept a session from being driven, or from leaving what it leaves; gone when it is started again."""
        self._says: Says = says or (lambda _session, _words: None)
        self._owner = a_driver()
        self._drives: dict[str, asyncio.Task[None]] = {}
        self._rests: dict[str, _Rest] = {}
        self._calls: dict[str, Calls] = {}
        self._broadcasts: dict[str, Broadcast] = {}
        self._slots: dict[str, asyncio.Semaphore] = {}
        self._wake = asyncio.Event()
        self._minder: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self._go_round()
        self._minder = asyncio.create_task(self._mind())
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks = [*self._drives.values(), *([self._minder] if self._minder else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for broadcast in self._broadcasts.values():
            broadcast.close()
        self._broadcasts.clear()

    # What others ask of it

    async def start(self, session: str) -> None:
        """Mark a session as hosted and drive it in the background; no effect if it is running or has concluded."""
        await self.journal.host(session, True)
        listed = next((each for each in await self.journal.hosted() if each.id == session), None)
        if listed is not None and listed.status.verdict and session not in self.failures:
            await self.journal.host(session, False)  # there is nothing left to do
            return
        self.failures.pop(session, None)
        self._rests.pop(session, None)
        await self._go_round()

    async def suspend(self, session: str) -> None:
        """Remove the mark and stop driving: here at once, in other processes within a second. Nothing is lost."""
        await self.journal.host(session, False)
        if (task := self._drives.get(session)) is not None:
            task.cancel()
            await asyncio.wait([task])
        if self.workspace.config.temporal is not None:  # and only now: the task may have been about to start it
            from quorate.api.temporal import rest  # few need it

            await rest(self.workspace, session)

    async def look(self, session: str) -> None:
        """Notify that a session was written to: watchers are updated at once, and a hosted session is driven on."""
        if (broadcast := self._broadcasts.get(session)) is not None:
            with suppress(QuorateError):  # those who watch are told
                await broadcast.look()
        if session not in await self._go_round():
            await self.journal.entries(session, sys.maxsize - 1)  # an unknown one raises

    async def watch(
        self, session: str, after: int = -1, *, ephemeral: bool = True
    ) -> AsyncGenerator[Told | Ephemeral, None]:
        """Yield every entry after a sequence once and in order, whoever writes it; ends only when the host exits.

        With `ephemeral`, events that are not journaled are included while this host drives the session. Raises for an
        unknown session, changed rules or a damaged journal.
        """
        broadcast = self._broadcasts.get(session)
        if broadcast is None or broadcast.broken:
            broadcast = self._broadcasts[session] = Broadcast(self.workspace, self.journal, session)
        async with aclosing(broadcast.follow(after, self._calls.get(session), ephemeral=ephemeral)) as following:
            async for event in following:
                yield event

    def running(self) -> set[str]:
        """Return the sessions that this host drives now."""
        return set(self._drives)

    @property
    def minding(self) -> bool:
        """Whether the host is entered and its background task is alive."""
        return self._minder is not None and not self._minder.done()

    async def at_rest(self) -> bool:
        """Check all hosted sessions, and return whether none can continue: all wait for people, or have failed."""
        await self._go_round()
        rests = self._rests.values()
        return not self._drives and all(rest.until == inf or rest.tries >= ENOUGH_TRIES for rest in rests)

    # Looking after sessions

    async def _mind(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_EVERY):  # not `wait_for`, which may swallow being cancelled
                    await self._wake.wait()
            self._wake.clear()
            try:
                await self._go_round()
            except QuorateError as error:  # a store that is busy or full may be well again next time
                self._says("", str(error))

    async def _go_round(self) -> set[str]:
        """Drive what can continue, drop what is no longer hosted, and return the hosted sessions."""
        driven = set(self._drives)  # before the list is read: what is started meanwhile is not on it
        hosted = {each.id: each for each in await self.journal.hosted()}
        for session in (driven & self._drives.keys()) - hosted.keys():
            self._drives[session].cancel()
        for session in self._rests.keys() - hosted.keys():
            del self._rests[session]
        for session, listed in reversed(hosted.items()):  # the oldest first
            if session not in self._drives and self._can_go_on(listed):
                self._drives[session] = task = asyncio.create_task(self._drive(listed))
                task.add_done_callback(partial(self._ended, session))
        for session, broadcast in list(self._broadcasts.items()):
            if broadcast.unwatched > KEEP_BROADCAST:
                broadcast.close()
                del self._broadcasts[session]
        return set(hosted)

    def _can_go_on(self, listed: Hosted) -> bool:
        rest = self._rests.get(listed.id)
        if rest is None or monotonic() >= rest.until or rest.mark != listed.mark:
            return True
        return rest.last not in (None, listed.last)

    async def _drive(self, listed: Hosted) -> None:
        """Drive a session as far as it goes; errors are recorded and do not stop the host."""
        session, before = listed.id, self._rests.pop(listed.id, None)
        try:
            if self.workspace.config.temporal is not None:  # whose workers hold the lease
                await self._go_on(listed)
                return
            async with leased(self.journal, session, self._owner, LEASE_SECONDS):
                await self._go_on(listed)
        except SessionBusy:
            self._rests[session] = _Rest(None, listed.mark, monotonic() + TRY_AGAIN)
        except (Damaged, UnknownSession) as error:
            self._give_up(listed, str(error))
        except StoreError as error:  # a store that is busy or full may be well again next time
            tries = before.tries if before is not None else 0
            self._rests[session] = _Rest(None, listed.mark, monotonic() + pause_after(tries), tries + 1)
            self._fail(session, str(error))
        except Exception as error:
            self._give_up(listed, str(error) if isinstance(error, QuorateError) else repr(error))

    async def _go_on(self, listed: Hosted) -> None:
        """Drive a session whose lease this host holds, here or on Temporal, and finish it once concluded."""
        session = listed.id
        now = next((each for each in await self.journal.hosted() if each.id == session), None)
        if now is None:  # somebody has finished it, or suspended it, while we waited for the lease
            return
        if now.status.verdict:  # it ended where nobody could leave what it leaves
            result = await load(self.workspace, self.journal, session)
        else:
            self.failures.pop(session, None)
            self._says(session, "is driven")
            watch = self._watcher(session)
            result = await run(
                self.workspace, self.journal, session, watch=watch, slots=self._slots, holder=self._owner
            )
        if result.record.session.conclusion is not None:
            async with leased(self.journal, session, self._owner, LONG_ENOUGH):
                if any(each.id == session for each in await self.journal.hosted()):  # nobody else has meanwhile
                    await self._finish(result)
        else:
            self._rests[session] = _Rest(len(result.record.envelopes), listed.mark)
            self._says(session, "waits for " + ", ".join(sorted({ask.seat for ask in result.waiting})))

    def _ended(self, session: str, _: asyncio.Task[None]) -> None:
        self._drives.pop(session, None)
        calls, broadcast = self._calls.pop(session, None), self._broadcasts.get(session)
        if calls is not None and broadcast is not None:
            for passing in calls.ended():
                broadcast.pass_by(passing)
        self._wake.set()

    async def _finish(self, result: Result) -> None:
        """Finish a concluded session (write its files and findings) and remove its mark."""
        left = await asyncio.to_thread(finish, self.workspace, result)
        if left.problems:
            self._fail(result.session, "; ".join(left.problems))
        conclusion = result.record.session.conclusion
        self._says(result.session, f"has concluded: {conclusion.verdict.name if conclusion else '-'}")
        await self.journal.host(result.session, False)

    def _give_up(self, listed: Hosted, words: str) -> None:
        """Stop driving a session until it is written to, or marked again."""
        self._rests[listed.id] = _Rest(listed.last, listed.mark)
        self._fail(listed.id, words)

    def _fail(self, session: str, words: str) -> None:
        self.failures[session] = words
        self._says(session, f"failed: {words}")

    # Those who watch

    def _watcher(self, session: str) -> Callable[[Happening], None]:
        calls = self._calls[session] = Calls()

        def watch(happening: Happening) -> None:
            calls.take(happening)
            if (broadcast := self._broadcasts.get(session)) is not None:
                broadcast.tell(happening)

        return watch
