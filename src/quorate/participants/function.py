"""A user's own function on a seat; it returns a filled-in form or the same as plain data.

It may be called again for the same ask after a crash, and its result is validated like any reply. A plain function
runs in a worker thread, so a slow one does not block the event loop; a coroutine function is awaited.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from quorate.codec import Malformed, parse_reply
from quorate.core.forms import Reply
from quorate.core.types import Absent, AbsentReason
from quorate.core.values import replace
from quorate.participants.check import Check
from quorate.participants.port import MOST_REPAIRS, Answer, Request, Say

Said = Reply | Absent | Mapping[str, Any] | None
Function = Callable[[Request], Said] | Callable[[Request], Awaitable[Said]]
"""Takes the ask with its view, prompt and schema; None is silence."""


@dataclass(frozen=True, slots=True)
class FunctionParticipant:
    """Replies with the function's return value. If the function raises, the seat is absent (failed) with the error."""

    function: Function
    provider: str = "function"
    concurrency: int = 16
    window: int | None = None

    @property
    def name(self) -> str:
        """Module and qualified name of the function, as the record shows it."""
        of = self.function if hasattr(self.function, "__qualname__") else type(self.function)
        return f"function:{of.__module__}.{of.__qualname__}"

    def most_tokens(self, prompt_tokens: int, repairs: int = MOST_REPAIRS, *, looks: bool = False) -> int:
        return 0

    def price(self, tokens_in: int, tokens_out: int) -> int | None:
        return 0

    async def reply(self, request: Request, say: Say) -> Answer | None:
        own = replace(request, schema=deepcopy(request.schema))  # the one that all asks share stays as it is
        try:
            said = await self._said(own)
            reply = parse_reply(request.ask, said) if isinstance(said, Mapping) else said
        except Malformed as error:
            return Answer(Absent(AbsentReason.MALFORMED), self.name, detail=str(error))
        except Exception as error:
            return Answer(Absent(AbsentReason.FAILED), self.name, detail=f"{type(error).__name__}: {error}")
        if reply is None:
            return Answer(Absent(AbsentReason.SILENT), self.name, detail="the function returned nothing")
        return await Check(lambda _: reply, self.name, silence="the function says so").reply(request, say)

    async def _said(self, request: Request) -> Said:
        if inspect.iscoroutinefunction(self.function):
            said: Any = await self.function(request)
        else:
            said = await asyncio.to_thread(self.function, request)
        return said  # type: ignore[no-any-return]  # whatever it is, the border looks at it
