"""One ask to a model: it is asked for the form, may look into the folder, and is told what to mend, at most twice.

What comes back is read by the same strict reader as everybody's reply; a reply that does not fit is sent back with
the list of its problems. Errors of transport are tried again; all others end the exchange with an absence.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

from quorate.core.forms import Reply
from quorate.core.types import Absent, AbsentReason
from quorate.core.view import BYTES_PER_TOKEN, estimate_tokens
from quorate.participants.brevity import shorten
from quorate.participants.checks.secrets import without_secrets
from quorate.participants.faults import explain, wait_before_retry
from quorate.participants.fence import fence
from quorate.participants.port import Request, Say
from quorate.participants.tools import look
from quorate.participants.wire import REPLY_TOOL, Output, content, refusal, request_parameters, words_of
from quorate.store.codec import Malformed, parse_reply

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

    from quorate.participants.model import ModelParticipant

REPAIR_TOKENS = 400
"""What a list of problems takes of the next prompt, at most."""
LOOKS = 10
"""Looks into the context folder for one ask."""
LOOK_TOKENS = 16_000
"""What all looks for one ask may show, in tokens; a look that would show more is cut."""
MOST_ENTRIES = 6
"""Entries of a list in a reply of limited length."""
_MARKER = re.compile(r"<<data (\S+)")


class _Stop(Exception):
    """The exchange is over without a reply."""

    def __init__(self, reason: AbsentReason, detail: str) -> None:
        # A provider's words may quote the key that it was sent.
        self.reason, self.detail = reason, without_secrets(detail)


class Exchange:
    """One ask: the conversation with the model, and what it has cost so far."""

    def __init__(self, who: ModelParticipant, model: Model[Any], request: Request, say: Say) -> None:
        from pydantic_ai.messages import UserPromptPart

        self.who, self.model, self.request, self.say = who, model, request, say
        self.mode = who.output or self._usual_mode()
        self.prompt_tokens = estimate_tokens(request.prompt.system) + estimate_tokens(request.prompt.user)
        self.messages: list[ModelMessage] = [self._turn([UserPromptPart(request.prompt.user)])]
        self.tokens_in = self.tokens_out = self.calls = self.looks = 0
        self.schema = dict(request.schema)
        if who.length is not None:
            self.schema = shorten(request.schema, who.length, MOST_ENTRIES)
        self.room = LOOK_TOKENS * BYTES_PER_TOKEN
        self.notes: list[str] = []

    def _usual_mode(self) -> Output:
        profile = self.model.profile
        both = profile.get("google_supports_tool_combination", self.who.spec.provider != "google")
        if profile.get("supports_json_schema_output", False) and (both or self.request.tools is None):
            return Output.NATIVE
        return Output.TOOL if profile.get("supports_tools", True) else Output.PROMPTED

    async def run(self) -> tuple[Reply | Absent, str]:
        """Return the reply or the absence, and what people should know about it."""
        try:
            reply = await self._converse()
        except _Stop as stop:
            return Absent(stop.reason), "; ".join([stop.detail, *self.notes])
        return reply, "; ".join(self.notes)

    async def _converse(self) -> Reply:
        repairs = 0
        while True:
            response = await self._send()
            self.messages.append(response)
            if response.finish_reason == "content_filter":
                raise _Stop(AbsentReason.REFUSED, f"{self.who.spec} refused: {refusal(response)}")
            calls = response.tool_calls
            wants_look = bool(calls) and all(call.tool_name != REPLY_TOOL for call in calls)
            if wants_look and self._may_look():
                self.messages.append(await self._look(calls))
                continue
            try:
                reply = self._read(response, last=repairs == self.request.repairs)
            except Malformed as malformed:
                problem = self._problem(response, malformed, wants_look)
                if repairs == self.request.repairs:
                    raise _Stop(AbsentReason.MALFORMED, f"after {repairs} repairs: {problem}") from malformed
                repairs += 1
                self.messages.append(self._repair(response, problem))
                continue
            if repairs:
                self.notes.append(f"repaired {repairs} time{'s' if repairs > 1 else ''}")
            return reply

    def _read(self, response: ModelResponse, *, last: bool) -> Reply:
        """Read the reply; a text that is still too long in the last attempt is cut, and the record says so."""
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
        """Call the model; errors of transport are tried again, the others end the exchange."""
        import pydantic_ai.direct  # noqa: F401  (its import takes long, and is no part of the call's time)
        from pydantic_ai.exceptions import ContentFilterError, ModelAPIError

        spec, tried = self.who.spec, 0
        while True:
            self.calls += 1
            try:
                async with asyncio.timeout(self.who.timeout):
                    return await self._call()
            except TimeoutError:
                self._count(self.prompt_tokens, 0)  # it was sent, and may be charged for
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
        self._count(usage.input_tokens or self.prompt_tokens, usage.output_tokens or estimate_tokens(content(response)))
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

    def _repair(self, response: ModelResponse, problem: str) -> ModelRequest:
        from pydantic_ai.messages import ToolReturnPart, UserPromptPart

        words = f"{problem[: REPAIR_TOKENS * BYTES_PER_TOKEN]}\nGive the whole reply again, and mend this."
        if not response.tool_calls:
            return self._turn([UserPromptPart(words)])
        return self._turn([ToolReturnPart(call.tool_name, words, call.tool_call_id) for call in response.tool_calls])

    # Looking into the context folder

    def _may_look(self) -> bool:
        spent = self.tokens_in + self.tokens_out
        return self.request.tools is not None and self.looks < LOOKS and spent <= self.who.allowance(self.prompt_tokens)

    async def _look(self, calls: list[ToolCallPart]) -> ModelRequest:
        """Answer every call with data between this session's markers; failures are results too."""
        from pydantic_ai.messages import ToolReturnPart

        tools = self.request.tools
        assert tools is not None
        marker = _MARKER.search(self.request.prompt.system)
        nonce = marker[1] if marker else f"{self.request.seed:x}"
        parts = []
        for call in calls:
            self.looks += 1
            if self.looks > LOOKS:
                text = f"refused: only {LOOKS} looks are allowed; answer with what you know"
            else:
                text = await asyncio.to_thread(look, tools, call.tool_name, call.args or {})
            if len(text) > self.room:
                text = f"{text[: self.room]}\n[the rest is left out: no more can be shown]"
            self.room -= min(self.room, len(text))
            parts.append(ToolReturnPart(call.tool_name, fence("context folder", text, nonce), call.tool_call_id))
        return self._turn(parts)
