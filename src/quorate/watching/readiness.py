"""Readiness checks of a service."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

from quorate.core.errors import QuorateError
from quorate.safety.secrets import without_secrets
from quorate.store.journal import Journal

Check = Callable[[], Awaitable[object]]
"""Returns where all is well, and raises QuorateError with words where it is not."""
SECONDS = 5.0
"""For which a check may last; a store that takes longer is not there."""
FRESH = 1.0
"""Seconds for which an answer is good, so that whoever asks often does not load the store."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Results of the checks by name; an empty text means the check passed."""

    found: Mapping[str, str]

    @property
    def ready(self) -> bool:
        return not any(self.found.values())

    def data(self, *, why: bool) -> dict[str, Any]:
        """Return plain data for JSON. Without `why` the reasons are left out."""
        told: dict[str, Any] = {"ready": self.ready}
        if why:
            told["checks"] = {name: words or "ok" for name, words in self.found.items()}
        return told


class Readiness:
    """Runs all checks concurrently; concurrent callers share one run."""

    def __init__(self, checks: Mapping[str, Check], *, seconds: float = SECONDS) -> None:
        self._checks, self._seconds = checks, seconds
        self._known: tuple[float, Standing] | None = None
        self._asking = asyncio.Lock()

    async def look(self) -> Standing:
        """Run the checks and return their results; never raises."""
        async with self._asking:
            if self._known is not None and monotonic() - self._known[0] < FRESH:
                return self._known[1]
            found = await asyncio.gather(*(self._try(check) for check in self._checks.values()))
            standing = Standing(dict(zip(self._checks, found, strict=True)))
            self._known = (monotonic(), standing)
            return standing

    async def _try(self, check: Check) -> str:
        try:
            async with asyncio.timeout(self._seconds):
                await check()
        except TimeoutError:
            return f"did not answer within {self._seconds:g} seconds"
        except QuorateError as error:
            return without_secrets(str(error))
        except Exception as error:  # whatever it is, the service is not ready, and the probe gets its answer
            return type(error).__name__
        return ""


def store_answers(journal: Journal) -> Check:
    """Return a check that the store can be reached and has a known schema, by reading the hosted sessions."""

    async def look() -> None:
        await journal.hosted()

    return look
