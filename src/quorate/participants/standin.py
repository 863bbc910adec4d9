"""Base class for participants that wrap another one and delegate everything they do not override."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from quorate.codec import reply_to_data
from quorate.core.types import Absent
from quorate.core.view import estimate_tokens
from quorate.participants.port import MOST_REPAIRS, Answer, Participant, Request, Say

LONGEST_REPLY = 40_000
"""Tokens of the longest reply that a form allows."""


@dataclass(frozen=True, slots=True)
class StandIn:
    """Delegates everything to `inner`; subclasses override what they change."""

    inner: Participant

    @property
    def behind(self) -> tuple[Participant, ...]:
        return (self.inner,)

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def provider(self) -> str:
        return self.inner.provider

    @property
    def concurrency(self) -> int:
        return self.inner.concurrency

    @property
    def window(self) -> int | None:
        return self.inner.window

    def most_tokens(self, prompt_tokens: int, repairs: int = MOST_REPAIRS, *, looks: bool = False) -> int:
        return self.inner.most_tokens(prompt_tokens, repairs, looks=looks)

    def price(self, tokens_in: int, tokens_out: int) -> int | None:
        return self.inner.price(tokens_in, tokens_out)

    async def reply(self, request: Request, say: Say) -> Answer | None:
        return await self.inner.reply(request, say)


@dataclass(frozen=True, slots=True)
class Metered(StandIn):
    """A function on a seat that reports the tokens a model would have used, so that budgets apply.

    An absence is charged for its prompt, as with a model that answers badly.
    """

    most: int = LONGEST_REPLY
    """Tokens that a reply is counted with at most, and that a call is reserved with."""

    @property
    def provider(self) -> str:
        return "simulated"

    @property
    def concurrency(self) -> int:
        return 16

    @property
    def window(self) -> int | None:
        return None

    def most_tokens(self, prompt_tokens: int, repairs: int = MOST_REPAIRS, *, looks: bool = False) -> int:
        return prompt_tokens + self.most

    def price(self, tokens_in: int, tokens_out: int) -> int | None:
        return 0

    async def reply(self, request: Request, say: Say) -> Answer | None:
        answer = await self.inner.reply(request, say)
        if answer is None:
            return None
        prompt = estimate_tokens(request.prompt.system) + estimate_tokens(request.prompt.user)
        said = 0
        if not isinstance(answer.reply, Absent):
            said = estimate_tokens(json.dumps(reply_to_data(answer.reply), ensure_ascii=False))
        return replace(answer, tokens_in=prompt, tokens_out=min(self.most, said), cost=0)
