"""A provider's model on a seat, through Pydantic AI: its settings, limits and price.

No provider SDK is imported before a model is asked. The conversation itself is in exchange.py.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from quorate.core.types import Absent, AbsentReason
from quorate.core.view import BYTES_PER_TOKEN
from quorate.participants.exchange import LOOK_TOKENS, REPAIR_TOKENS, Exchange
from quorate.participants.port import MOST_REPAIRS, Answer, Request, Say
from quorate.participants.prices import Price, listed_price
from quorate.participants.prompt import reserved
from quorate.participants.providers import PROVIDERS, ModelSpec, Unusable, connect, is_loopback
from quorate.participants.wire import Output

__all__ = ["ModelParticipant", "Output"]


@dataclass(frozen=True, slots=True)
class ModelParticipant:
    """A provider's model. Keys come from `env` only; no state is kept between asks."""

    sends_form: ClassVar[bool] = True
    """The form goes to the provider beside the prompt, and is paid for."""

    spec: ModelSpec
    temperature: float | None = None
    max_tokens: int = 4_096
    timeout: float = 120
    """Seconds for one call, from sending to the last word."""
    output: Output | None = None
    """None is the model's own JSON mode where it has one, else a tool call."""
    stream: bool = True
    retries: int = 4
    """Tries after the first, for errors of transport alone."""
    first_wait: float = 0.5
    """Seconds before the first retry; each further wait is twice as long."""
    window: int | None = None
    length: int | None = None
    """The most characters of all texts of a reply; each is told its share, and asked for again where it has more."""
    prompt_cache: bool = True
    """Whether the provider is asked to cache the start of prompts."""
    own_price: Price | None = None
    limit: int | None = None
    """The most calls to the provider at once; None is the provider's usual."""
    env: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False, compare=False)

    @property
    def name(self) -> str:
        return str(self.spec)

    @property
    def provider(self) -> str:
        return self.spec.provider if self.spec.host is None else f"{self.spec.provider}@{self.spec.host}"

    @property
    def concurrency(self) -> int:
        return PROVIDERS[self.spec.provider].concurrency if self.limit is None else self.limit

    @property
    def room(self) -> int:
        """Return the most characters of a whole reply: what `max_tokens`, or its share of the window, holds."""
        tokens = self.max_tokens if self.window is None else min(self.max_tokens, reserved(self.window))
        return tokens * BYTES_PER_TOKEN

    def most_tokens(self, prompt_tokens: int, repairs: int = MOST_REPAIRS, *, looks: bool = False) -> int:
        """Return the token bound: each repair resends the conversation, with `looks` the tool calls and results too.

        Valid for a prompt counted with its form at three bytes a token, and a model that respects `max_tokens`.
        """
        calls = 1 + repairs
        again = sum(range(calls)) * (self.max_tokens + REPAIR_TOKENS)
        seen = self.allowance(prompt_tokens) + calls * (self.max_tokens + LOOK_TOKENS) if looks else 0
        return calls * (prompt_tokens + self.max_tokens) + again + seen

    def allowance(self, prompt_tokens: int) -> int:
        """Return the tokens that may be spent before the last tool call starts."""
        return 2 * (prompt_tokens + self.max_tokens) + LOOK_TOKENS

    def price(self, tokens_in: int, tokens_out: int) -> int | None:
        """Return the most that such a call costs: what is written to a provider's cache may cost more than the rest."""
        return self.cost(tokens_in, tokens_out, tokens_written=tokens_in if self.prompt_cache else 0)

    def cost(self, tokens_in: int, tokens_out: int, *, tokens_cached: int = 0, tokens_written: int = 0) -> int | None:
        """Return the price of a call of which so many tokens were read from a cache, or written to it."""
        if self.own_price is not None:
            return self.own_price.of(tokens_in, tokens_out, tokens_cached)
        if self.spec.provider == "ollama" or (self.spec.base_url and is_loopback(self.spec.base_url)):
            return 0
        cached, written = min(tokens_cached, tokens_in), min(tokens_written, max(0, tokens_in - tokens_cached))
        spec = self.spec
        return listed_price(
            spec.provider, spec.model, tokens_in, tokens_out, tokens_cached=cached, tokens_written=written
        )

    def problem(self) -> str | None:
        """Return what is missing to call this model and how to fix it, or None."""
        return self.spec.problem(self.env)

    async def reply(self, request: Request, say: Say) -> Answer | None:
        try:
            model = connect(self.spec, self.env)
        except Unusable as problem:
            return Answer(Absent(AbsentReason.FAILED), self.name, detail=str(problem), attempts=0)
        async with model:
            exchange = Exchange(self, model, request, say)
            reply, detail = await exchange.run()
        unfit = exchange.unfit
        if (key := self.spec.key(self.env)) is not None:
            detail = detail.replace(key, "…")
            unfit = tuple(each.masked(lambda text: text.replace(key, "…")) for each in unfit)
        used, cached = exchange, min(exchange.tokens_cached, exchange.tokens_in)
        cost = self.cost(used.tokens_in, used.tokens_out, tokens_cached=cached, tokens_written=used.tokens_written)
        return Answer(reply, self.name, used.tokens_in, used.tokens_out, cost, used.calls, detail, unfit, cached)
