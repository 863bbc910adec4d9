"""One ask to a model: the request, tool calls into the context folder, and at most two repairs of a malformed reply.

Replies are validated as strictly as everybody else's; a malformed one is sent back with the list of its problems.
Transport errors are retried; all other errors end the exchange with an absence.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from quorate.codec import Malformed, parse_reply
from quorate.core.errors import InputError
from quorate.core.forms import Reply
from quorate.core.types import Absent, AbsentReason
from quorate.core.view import BYTES_PER_TOKEN, estimate_tokens
from quorate.participants.brevity import shorten
from quorate.participants.faults import explain, wait_before_retry
from quorate.participants.looks import LOOK_TOKENS, LOOKS, MOST_CALLS, TOOL_TOKENS, Looks, beginning
from quorate.participants.port import Request, Say
from quorate.participants.wire import (
    REPLY_TOOL,
    Output,
    content,
    form_tokens,
    refusal,
    request_parameters,
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
MOST_ENTRIES = 6
"""Entries of a list in a reply of limited length."""
_AGAIN = "\nGive the whole reply again, and mend this."
_ABOVE = "See above."


class _Stop(Exception):
    """Raised to end the exchange without a reply."""

    def __init__(self, reason: AbsentReason, detail: str) -> None:
        # A provider's words may quote the key that it was sent.
        self.reason, self.detail = reason, without_secrets(detail)


class Exchange:
    """One ask: the conversation with the model, and what it has cost so far."""

    def __init__(self, who: ModelParticipant, model: Model[Any], request: Request, say: Say) -> None:
        from pydantic_ai.messages import UserPromptPart

        self.who, self.model, self.request, self.say = who, model, request, say
        self.mode = who.output or self._usual_mode()
        prompt = request.prompt
        self.prompt_tokens = estimate_tokens(prompt.system) + estimate_tokens(prompt.user) + form_tokens(request.schema)
        self.sent = self.prompt_tokens + (TOOL_TOKENS if request.tools is not None else 0)
        """A cautious count of what the next call sends."""
        self.messages: list[ModelMessage] = [self._turn([UserPromptPart(prompt.user)])]
        self.tokens_in = self.tokens_out = self.calls = 0
        self.looks, self.words_of_looks = Looks(request), 0
        self.schema = dict(request.schema)
        if who.length is not None:
            self.schema = shorten(request.schema, who.length, MOST_ENTRIES)
        self.notes: list[str] = []

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
            response = await self._send()
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
        """Parse the reply. In the last attempt texts that are too long are cut, and the record says so."""
        if (calls := len(response.tool_calls)) > MOST_CALLS:
            raise Malformed([InputError(f"it makes {calls:,} calls of tools", expected=f"at most {MOST_CALLS}")])
        try:
            return parse_reply(self.request.ask, content(response))
        except Malformed:
            if not last:
                raise
            reply = parse_reply(self.request.ask, content(response), clip=True)
        self.notes.append("texts longer than the form allows were cut")
        return reply

    def _problem(self, response: ModelResponse, malformed: Malformed, wants_look: bool) -> str:
        if response.finish_reason == "length":
            return f"the reply was cut off at the limit of {self.who.max_tokens} tokens (`max_tokens`); write less"
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
                self._count(self.sent, 0)  # it was sent, and may be charged for
                raise _Stop(AbsentReason.TIMED_OUT, f"{spec}: no reply within {self.who.timeout:g} seconds") from None
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

        settings = self._settings()
        form, tools = self.request.ask.form.__name__, self.request.tools is not None
        parameters = request_parameters(self.schema, form, self.mode, tools=tools)
        if self.who.stream:
            async with model_request_stream(
                self.model, self.messages, model_settings=settings, model_request_parameters=parameters
            ) as stream:
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
        return response

    def _count(self, tokens_in: int, tokens_out: int) -> None:
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out

    def _settings(self) -> ModelSettings:
        who = self.who
        settings: ModelSettings = {
            "max_tokens": who.max_tokens,
            "seed": self.request.seed % 2**31,
            "timeout": who.timeout + 5,  # ours comes first, and knows what it means
            "max_retries": 0,  # ours count
        }
        if who.temperature is not None:
            settings["temperature"] = who.temperature
        return settings

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
        room = REPAIR_TOKENS * BYTES_PER_TOKEN - len(_AGAIN) - (len(calls) + 1) * (len(_ABOVE) + 2 * BYTES_PER_TOKEN)
        words = beginning(problem, room) + _AGAIN
        if not calls:
            return self._tell([UserPromptPart(words)])
        told = [words, *[_ABOVE] * (len(calls) - 1)]
        return self._tell(
            [ToolReturnPart(call.tool_name, text, call.tool_call_id) for call, text in zip(calls, told, strict=True)]
        )

    def _may_look(self, response: ModelResponse) -> bool:
        """Return whether tool calls and tokens are left; text beside tool calls is resent with every later request."""
        self.words_of_looks += max(response.usage.output_tokens, written_tokens(response))
        spent = self.tokens_in + self.tokens_out
        return (
            self.looks.left > 0
            and self.words_of_looks <= self.who.max_tokens
            and spent <= self.who.allowance(self.prompt_tokens)
        )
