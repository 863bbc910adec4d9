"""One ask to a model: the request, tool calls into the context folder, and at most two repairs of a malformed reply.

Replies are validated as strictly as everybody else's; a malformed one is sent back with the list of its problems.
Transport errors are retried; all other errors end the exchange with an absence.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from quorate.codec import Malformed
from quorate.core.form_values import Unfit
from quorate.core.forms import Reply
from quorate.core.types import Absent, AbsentReason
from quorate.core.view import BYTES_PER_TOKEN, estimate_tokens
from quorate.participants.faults import explain, wait_before_retry
from quorate.participants.looks import LOOK_TOKENS, LOOKS, MOST_CALLS, TOOL_TOKENS, Looks, beginning
from quorate.participants.port import Request, Say
from quorate.participants.prompt import reserved
from quorate.participants.wire import (
    REPLY_TOOL,
    Output,
    content,
    form_tokens,
    refusal,
    request_parameters,
    sent_schema,
    to_send_again,
    words_of,
    written_tokens,
)
from quorate.safety.secrets import without_secrets

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

    from quorate.participants.model import ModelParticipant

__all__ = ["LOOKS", "LOOK_TOKENS", "REPAIR_TOKENS", "Exchange"]

REPAIR_TOKENS = 400
"""What a list of problems takes of the next prompt, at most."""
_AGAIN = "\nGive the whole reply again, and mend this."
_ABOVE = "See above."
_LATE = "the reply was cut off, for it was not whole after"


class _Late(Exception):
    """Raised where the time of a call was over while its reply was coming in."""

    def __init__(self, heard: ModelResponse, detail: str) -> None:
        self.heard, self.detail = heard, detail


class _Stop(Exception):
    """Raised to end the exchange without a reply."""

    def __init__(self, reason: AbsentReason, detail: str) -> None:
        # A provider's words may quote the key that it was sent.
        self.reason, self.detail = reason, without_secrets(detail)


class Exchange:
    """One ask: the conversation with the model, and what it has cost so far."""

    def __init__(self, who: ModelParticipant, model: Model[Any], request: Request, say: Say) -> None:
        self.who, self.model, self.request, self.say = who, model, request, say
        self.mode = who.output or self._usual_mode()
        prompt = request.prompt
        self.prompt_tokens = estimate_tokens(prompt.system) + estimate_tokens(prompt.user) + form_tokens(request.schema)
        self.sent = self.prompt_tokens + (TOOL_TOKENS if request.tools is not None else 0)
        """A cautious count of what the next call sends."""
        self.messages: list[ModelMessage] = [self._beginning()]
        self.tokens_in = self.tokens_out = self.tokens_cached = self.tokens_written = self.calls = 0
        self.looks, self.words_of_looks = Looks(request), 0
        self.schema = sent_schema(request.ask, request.schema, who.length)
        """What is sent of the form: its structure alone. What fields mean, and how long they are, is in the prompt."""
        self.heard: Callable[[], ModelResponse] | None = None
        """Returns what of the reply has come in so far."""
        self.limit = who.max_tokens
        """Tokens of the next reply: fewer than `max_tokens` where the window has no room for them."""
        self.notes: list[str] = []
        self.unfit: tuple[Unfit, ...] = ()
        """What of the reply did not fit its form."""

    def _usual_mode(self) -> Output:
        profile = self.model.profile
        both = profile.get("google_supports_tool_combination", self.who.spec.provider != "google")
        if profile.get("supports_json_schema_output", False) and (both or self.request.tools is None):
            return Output.NATIVE
        return Output.TOOL if profile.get("supports_tools", True) else Output.PROMPTED

    async def run(self) -> tuple[Reply | Absent, str]:
        """Return the reply or the absence, with usage, cost and remarks."""
        try:
            reply = await self._converse()
        except _Stop as stop:
            return Absent(stop.reason), "; ".join([stop.detail, *self.notes])
        return reply, "; ".join(self.notes)

    async def _converse(self) -> Reply:
        repairs = 0
        while True:
            try:
                response = await self._send()
            except _Late as late:
                # What was said before the time was over stands in the conversation, and the reply goes on from there.
                if repairs == self.request.repairs:
                    raise _Stop(AbsentReason.TIMED_OUT, late.detail) from None
                repairs += 1
                self.notes.append(late.detail)
                kept = to_send_again(late.heard, MOST_CALLS)
                self._remember(kept, written_tokens(late.heard))
                self._ask_again(kept, f"{_LATE} {self.who.timeout:g} seconds")
                continue
            kept = to_send_again(response, MOST_CALLS)
            self._remember(kept, written_tokens(response))
            if response.finish_reason == "content_filter":
                raise _Stop(AbsentReason.REFUSED, f"{self.who.spec} refused: {refusal(response)}")
            calls = response.tool_calls
            wants_look = 0 < len(calls) <= MOST_CALLS and all(call.tool_name != REPLY_TOOL for call in calls)
            if wants_look and self._may_look(response):
                self._tell(await self.looks.take(calls))
                continue
            try:
                reply = self._read(response, last=repairs == self.request.repairs)
            except Malformed as malformed:
                problem = self._problem(response, malformed, wants_look)
                if repairs == self.request.repairs:
                    raise _Stop(AbsentReason.MALFORMED, f"after {repairs} repairs: {problem}") from malformed
                repairs += 1
                self._ask_again(kept, problem)
                continue
            if repairs:
                self.notes.append(f"repaired {repairs} time{'s' if repairs > 1 else ''}")
            return reply

    def _read(self, response: ModelResponse, *, last: bool) -> Reply:
        """Return the reply, and remember what the record has to say of it; raises Malformed."""
        from quorate.participants.reply_check import read_reply  # no process that only opens a session needs it

        found = read_reply(self.request.ask, response, self.who.length, last=last)
        self.unfit = found.unfit
        self.notes += found.notes
        return found.reply

    def _problem(self, response: ModelResponse, malformed: Malformed, wants_look: bool) -> str:
        if response.finish_reason == "length":
            limit = (
                f"the limit of {self.limit} tokens (`{'window' if self.limit < self.who.max_tokens else 'max_tokens'}`)"
            )
            if response.thinking and not content(response).strip():
                return f"{limit} was used up by thinking before the reply began; think less, and answer"
            return f"the reply was cut off at {limit}; write less"
        if wants_look:
            return "no more looks into the folder are allowed; answer with what you know"
        return str(malformed)

    # Sending

    async def _send(self) -> ModelResponse:
        """Call the model. Transport errors are retried; all others raise _Stop."""
        import pydantic_ai.direct  # noqa: F401  (its import takes long, and is no part of the call's time)
        from pydantic_ai.exceptions import ContentFilterError, ModelAPIError

        spec, tried = self.who.spec, 0
        while True:
            self.calls += 1
            try:
                async with asyncio.timeout(self.who.timeout):
                    return await self._call()
            except TimeoutError:
                heard = self.heard() if self.heard is not None else None
                # It was sent, and may be charged for.
                self._count(self.sent, written_tokens(heard) if heard is not None else 0)
                late = f"{spec}: no {{}}reply within {self.who.timeout:g} seconds (`timeout` in the panel)"
                if heard is not None and content(heard).strip():
                    raise _Late(heard, late.format("whole ")) from None
                raise _Stop(AbsentReason.TIMED_OUT, late.format("")) from None
            except ModelAPIError as error:
                wait = wait_before_retry(error, tried, self.who.first_wait, self.request.seed)
                if wait is None or tried == self.who.retries:
                    again = f"after {tried + 1} tries, " if tried else ""
                    raise _Stop(AbsentReason.FAILED, again + explain(error, spec)) from error
            except ContentFilterError as error:
                raise _Stop(AbsentReason.REFUSED, f"{spec} refused: {error.message}") from error
            except Exception as error:  # a client that fails in any other way is one absent seat, not a lost session
                raise _Stop(AbsentReason.FAILED, f"{spec}: {type(error).__name__}: {error}") from error
            tried += 1
            await asyncio.sleep(wait)

    async def _call(self) -> ModelResponse:
        from pydantic_ai.direct import model_request, model_request_stream

        from quorate.participants.prompt_cache import cache_settings

        settings = self._settings() | cache_settings(self.who, self.request)
        form, tools = self.request.ask.form.__name__, self.request.tools is not None
        parameters = request_parameters(self.schema, form, self.mode, tools=tools)
        self.heard = None
        if self.who.stream:
            async with model_request_stream(
                self.model, self.messages, model_settings=settings, model_request_parameters=parameters
            ) as stream:
                self.heard = stream.get
                async for event in stream:
                    if words := words_of(event):
                        self.say(words)
                response = stream.get()
        else:
            response = await model_request(
                self.model, self.messages, model_settings=settings, model_request_parameters=parameters
            )
            self.say(content(response))
        usage = response.usage
        self._count(usage.input_tokens or self.sent, usage.output_tokens or written_tokens(response))
        self.tokens_cached += usage.cache_read_tokens
        self.tokens_written += usage.cache_write_tokens
        return response

    def _count(self, tokens_in: int, tokens_out: int) -> None:
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out

    def _settings(self) -> ModelSettings:
        who = self.who
        if who.window is not None:
            self.limit = min(who.max_tokens, max(reserved(who.window), who.window - self.sent))
        settings: ModelSettings = {
            "max_tokens": self.limit,
            "seed": self.request.seed % 2**31,
            "timeout": who.timeout + 5,  # ours comes first, and knows what it means
            "max_retries": 0,  # ours count
        }
        if who.temperature is not None:
            settings["temperature"] = who.temperature
        return settings

    def _beginning(self, more: str = "") -> ModelRequest:
        """Return the first turn of the conversation: the prompt, and what is to be said below it."""
        from quorate.participants.prompt_cache import marked

        return self._turn([marked(self.who, self.request.prompt, more, self.model.profile)])

    def _turn(self, parts: list[Any]) -> ModelRequest:
        from pydantic_ai.messages import ModelRequest

        return ModelRequest(parts, instructions=self.request.prompt.system)

    def _remember(self, message: ModelMessage, tokens: int) -> None:
        self.messages.append(message)
        self.sent += tokens

    def _tell(self, parts: list[Any]) -> None:
        self._remember(self._turn(parts), sum(estimate_tokens(part.content) for part in parts))

    def _ask_again(self, response: ModelResponse, problem: str) -> None:
        """Ask for a repair. Every tool call in the reply needs a result, but only one of them states the problem."""
        from pydantic_ai.messages import ToolReturnPart, UserPromptPart

        calls = response.tool_calls
        if not self._fits(response):
            return self._ask_afresh(problem)
        room = REPAIR_TOKENS * BYTES_PER_TOKEN - len(_AGAIN) - (len(calls) + 1) * (len(_ABOVE) + 2 * BYTES_PER_TOKEN)
        words = beginning(problem, room) + _AGAIN
        if not calls:
            return self._tell([UserPromptPart(words)])
        told = [words, *[_ABOVE] * (len(calls) - 1)]
        return self._tell(
            [ToolReturnPart(call.tool_name, text, call.tool_call_id) for call, text in zip(calls, told, strict=True)]
        )

    def _fits(self, response: ModelResponse) -> bool:
        """Return whether the conversation can go on behind this reply: it has words, and the window has room."""
        if not response.tool_calls and not (response.text or "").strip():
            return False  # providers refuse an empty turn, and thoughts alone would be read again
        window = self.who.window
        return window is None or self.sent + REPAIR_TOKENS + reserved(window) <= window

    def _ask_afresh(self, problem: str) -> None:
        """Begin the conversation anew, with what was wrong below the prompt."""
        words = beginning(f"\n\nYour last reply did not do: {problem}", REPAIR_TOKENS * BYTES_PER_TOKEN)
        self.messages = [self._beginning(words)]
        self.sent = self.prompt_tokens + estimate_tokens(words)
        self.sent += TOOL_TOKENS if self.request.tools is not None else 0

    def _may_look(self, response: ModelResponse) -> bool:
        """Return whether tool calls and tokens are left; text beside tool calls is resent with every later request."""
        self.words_of_looks += max(response.usage.output_tokens, written_tokens(response))
        spent = self.tokens_in + self.tokens_out
        return (
            self.looks.left > 0
            and self.words_of_looks <= self.who.max_tokens
            and spent <= self.who.allowance(self.prompt_tokens)
        )
