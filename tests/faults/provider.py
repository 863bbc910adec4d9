"""A simulated provider of models: the real exchange with repairs, retries and time-outs, and trouble on its wire."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import NoReturn

from pydantic_ai.exceptions import ModelConnectionError, ModelHTTPError, ModelRateLimitError, ModelServerError
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from quorate.core.forms import Reply
from quorate.core.types import Ask
from quorate.participants.exchange import Exchange
from quorate.participants.model import ModelParticipant
from quorate.participants.port import MOST_REPAIRS, Answer, Request, Say
from quorate.participants.providers import ModelSpec
from tests.faults.kinds import Kind
from tests.faults.tables import Replying, written
from tests.faults.world import Called, Trouble, World

BAD = ("I would rather talk about it.", '{"strange": 1}', "[1, 2", "null", '{"a": NaN}', "```json\n{]\n```")
"""What no form can be read from."""
MODEL = "simulated"


@dataclass
class Simulated:
    """A participant of a world: as a model of a provider, but for the wire."""

    world: World
    process: str
    replying: Replying
    crash: Callable[[], NoReturn]
    provider: str = MODEL
    concurrency: int = 16
    window: int | None = None

    @cached_property
    def who(self) -> ModelParticipant:
        return ModelParticipant(ModelSpec("openai", MODEL), stream=False, retries=4, env={})

    @property
    def name(self) -> str:
        return MODEL

    def most_tokens(self, prompt_tokens: int, repairs: int = MOST_REPAIRS, *, looks: bool = False) -> int:
        return self.who.most_tokens(prompt_tokens, repairs)

    def price(self, tokens_in: int, tokens_out: int) -> int:
        return tokens_in + 4 * tokens_out

    async def reply(self, request: Request, say: Say) -> Answer | None:
        ask, trouble = request.ask, self.world.trouble(request.ask)
        if trouble is not None and trouble.kind is Kind.BROKEN_PARTICIPANT:
            self._begin(ask)
            self.world.fire(trouble.kind, self.process, str(ask.id))
            raise RuntimeError("this participant is broken")
        wire = Wire(self.world, self.process, ask, self.replying(ask), trouble, self.crash)
        exchange = Exchange(self.who, FunctionModel(wire.answer, model_name=MODEL), request, say)
        self._begin(ask)
        reply, detail = await exchange.run()
        cost = self.price(exchange.tokens_in, exchange.tokens_out)
        return Answer(reply, self.name, exchange.tokens_in, exchange.tokens_out, cost, exchange.calls, detail)

    def _begin(self, ask: Ask) -> None:
        self.world.calls.append(Called(self.world.clock.now, self.process, str(ask.id)))
        self.world.note(self.process, f"calls {ask.id} {ask.seat} {ask.brief}")


@dataclass
class Wire:
    """What comes back for one ask, try by try."""

    world: World
    process: str
    ask: Ask
    reply: Reply
    trouble: Trouble | None
    crash: Callable[[], NoReturn]
    tried: int = 0

    async def answer(self, _: list[ModelMessage], __: AgentInfo) -> ModelResponse:
        self.tried += 1
        seconds = self.world.latency(self.ask)
        if seconds > 30:
            self.world.fire(Kind.LATE, self.process, f"{self.ask.id} takes {seconds:.0f} s")
        if self.world.strikes(Kind.CRASH_DURING_CALL, 0.1):
            await asyncio.sleep(seconds * self.world.chance.random())
            self.world.fire(Kind.CRASH_DURING_CALL, self.process, str(self.ask.id))
            self.crash()
        await asyncio.sleep(seconds / self.tried)
        good = json.dumps(written(self.reply))
        if self.trouble is None or self.tried > self.trouble.times:
            return _response(good)
        return await self._spoilt(self.trouble.kind, good)

    async def _spoilt(self, kind: Kind, good: str) -> ModelResponse:
        self.world.fire(kind, self.process, f"{self.ask.id}, try {self.tried}")
        drawn = hash_of(self.world.seed, self.ask.id, self.tried)
        match kind:
            case Kind.SILENCE:
                await asyncio.sleep(100_000)
            case Kind.REFUSED:
                return _response("I cannot help with that.", "content_filter")
            case Kind.MALFORMED:
                return _response(BAD[drawn % len(BAD)])
            case Kind.TRUNCATED:
                return _response(good[: drawn % max(1, len(good) - 1)], "length")
            case Kind.RATE_LIMIT:
                # One that does not pass asks for more patience than anybody has.
                wait = 3_600.0 if self.trouble is not None and self.trouble.lasts else (None, 1.0, 20.0)[drawn % 3]
                raise _error(ModelRateLimitError, 429, "slow down", wait)
            case Kind.PROVIDER_ERROR if drawn % 2:
                raise ModelConnectionError(MODEL, "the connection was reset")
            case Kind.PROVIDER_ERROR:
                raise _error(ModelServerError, 500, "it broke", None)
            case _:
                pass
        raise AssertionError(f"{kind} is no trouble of a wire")


def _error(
    category: type[ModelRateLimitError | ModelServerError], status: int, words: str, wait: float | None
) -> ModelHTTPError:
    return ModelHTTPError.for_category(
        category, status_code=status, model_name=MODEL, body={"message": words}, retry_after=wait
    )


def hash_of(*parts: object) -> int:
    """Return a number that is the same in every process."""
    return int.from_bytes(sha256(repr(parts).encode()).digest()[:6])


def _response(text: str, end: str = "stop") -> ModelResponse:
    usage = RequestUsage(input_tokens=100, output_tokens=len(text) // 4 + 1)
    return ModelResponse([TextPart(text)], usage=usage, finish_reason=end)  # type: ignore[arg-type]
