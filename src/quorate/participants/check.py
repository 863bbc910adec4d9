"""Check: a deterministic function on a seat. Its typed result counts like any other reply."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from quorate.codec import reply_to_data
from quorate.core.engine import check_reply
from quorate.core.errors import QuorateError
from quorate.core.form_values import with_marks
from quorate.core.forms import Reply
from quorate.core.types import Absent, AbsentReason
from quorate.participants.port import MOST_REPAIRS, Answer, Request, Say


@dataclass(frozen=True, slots=True)
class Check:
    """Replies with the function's return value. If the function raises, the seat is absent (failed) with the error.

    The function runs in a worker thread, so a slow one does not block the event loop. It may be called again for the
    same ask after a crash, so its side effects must be idempotent.
    """

    function: Callable[[Request], Reply | Absent]
    name: str = "check"
    provider: str = "check"
    concurrency: int = 4
    window: int | None = None
    silence: str = "the check says so"
    """What the record says of an absence that the function returns."""

    def most_tokens(self, prompt_tokens: int, repairs: int = MOST_REPAIRS, *, looks: bool = False) -> int:
        return 0

    def price(self, tokens_in: int, tokens_out: int) -> int | None:
        return 0

    async def reply(self, request: Request, say: Say) -> Answer | None:
        try:
            reply = await asyncio.to_thread(self.function, request)
        except Exception as error:
            return self._absent(AbsentReason.FAILED, f"{type(error).__name__}: {error}")
        if isinstance(reply, Absent):
            return self._absent(reply.reason, self.silence)
        form = request.ask.form
        if type(reply) is not form:
            return self._absent(AbsentReason.MALFORMED, f"returned {type(reply).__name__}, expected {form.__name__}")
        try:
            # The border is the same as everybody's: marks are computed here, keys and bounds are checked.
            reply = with_marks(reply)
            check_reply(request.ask, reply)
            reply_to_data(reply)
        except QuorateError as error:
            return self._absent(AbsentReason.MALFORMED, str(error))
        return Answer(reply, model=self.name)

    def _absent(self, reason: AbsentReason, detail: str) -> Answer:
        return Answer(Absent(reason), model=self.name, detail=detail)
