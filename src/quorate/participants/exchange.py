"""One ask to a model: it is asked for the form, may look into the folder, and is told what to mend, at most twice.

What comes back is read by the same strict reader as everybody's reply; a reply that does not fit is sent back with
the list of its problems. Errors of transport are tried again; all others end the exchange with an absence.
"""

from __future__ import annotations

import asyncio
import json
import re
from enum import Enum
from typing import TYPE_CHECKING, Any

from quorate.core.forms import Reply
from quorate.core.types import Absent, AbsentReason
from quorate.core.view import estimate_tokens
from quorate.participants.faults import explain, wait_before_retry
from quorate.participants.fence import fence
from quorate.participants.port import Request, Say
from quorate.participants.tools import look
from quorate.store.codec import Malformed, parse_reply

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.settings import ModelSettings
    from pydantic_ai.tools import ToolDefinition

    from quorate.participants.model import ModelParticipant

REPAIRS = 2
REPAIR_TOKENS = 400
"""What a list of problems takes of the next prompt, at most."""
LOOKS = 10
"""Looks into the context folder for one ask."""
LOOK_TOKENS = 16_000
"""What the looks may add to the prompts of one ask, beside the prompt itself."""
LOOK_LENGTH = 24_000
"""Characters of one look that a model is shown."""
REPLY_TOOL = "reply"


class Output(Enum):
    """How a model is asked for the form: by its own JSON mode, as a tool call, or in words."""

    NATIVE = "native"
    TOOL = "tool"
    PROMPTED = "prompted"


class _Stop(Exception):
    """The exchange is over without a reply."""

    def __init__(self, reason: AbsentReason, detail: str) -> None:
        self.reason, self.detail = reason, detail


class Exchange:
    """One ask: the conversation with the model, and what it has cost so far."""

    def __init__(self, who: ModelParticipant, model: Model[Any], request: Request, say: Say) -> None:
        from pydantic_ai.messages import UserPromptPart

        self.who, self.model, self.request, self.say = who, model, request, say
        self.mode = who.output or self._usual_mode()
        self.prompt_tokens = estimate_tokens(request.prompt.system) + estimate_tokens(request.prompt.user)
        self.messages: list[ModelMessage] = [self._turn([UserPromptPart(request.prompt.user)])]
        self.tokens_in = self.tokens_out = self.calls = self.looks = 0
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
                raise _Stop(AbsentReason.REFUSED, f"{self.who.spec} refused: {_refusal(response)}")
            looks = [call for call in response.tool_calls if call.tool_name != REPLY_TOOL]
            if looks and self._may_look():
                self.messages.append(await self._look(looks))
                continue
            last = repairs == REPAIRS
            try:
                reply = parse_reply(self.request.ask, _content(response), clip=last)
            except Malformed as malformed:
                problem = self._problem(response, malformed, bool(looks))
                if last:
                    raise _Stop(AbsentReason.MALFORMED, f"after {repairs} repairs: {problem}") from malformed
                repairs += 1
                self.messages.append(self._repair(response, problem))
                continue
            if repairs:
                self.notes.append(f"repaired {repairs} time{'s' if repairs > 1 else ''}")
            return reply

    def _problem(self, response: ModelResponse, malformed: Malformed, looked: bool) -> str:
        if response.finish_reason == "length":
            return f"the reply was cut off at the limit of {self.who.max_tokens} tokens (`max_tokens`)"
        if looked:
            return "no more looks into the folder are allowed; answer with what you know"
        return str(malformed)

    # Sending

    async def _send(self) -> ModelResponse:
        """Call the model; errors of transport are tried again, the others end the exchange."""
        from pydantic_ai.exceptions import ContentFilterError, ModelAPIError, UnexpectedModelBehavior, UserError

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
            except (UnexpectedModelBehavior, UserError) as error:
                raise _Stop(AbsentReason.FAILED, f"{spec}: {error.message}") from error
            tried += 1
            await asyncio.sleep(wait)

    async def _call(self) -> ModelResponse:
        from pydantic_ai.direct import model_request, model_request_stream

        settings, parameters = self._settings(), self._parameters()
        if self.who.stream:
            async with model_request_stream(
                self.model, self.messages, model_settings=settings, model_request_parameters=parameters
            ) as stream:
                async for event in stream:
                    if words := _words_of(event):
                        self.say(words)
                response = stream.get()
        else:
            response = await model_request(
                self.model, self.messages, model_settings=settings, model_request_parameters=parameters
            )
            self.say(_content(response))
        usage = response.usage
        self._count(
            usage.input_tokens or self.prompt_tokens, usage.output_tokens or estimate_tokens(_content(response))
        )
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

    def _parameters(self) -> ModelRequestParameters:
        from pydantic_ai.models import ModelRequestParameters
        from pydantic_ai.output import OutputObjectDefinition
        from pydantic_ai.tools import ToolDefinition

        schema, name = dict(self.request.schema), self.request.ask.form.__name__
        tools = [] if self.request.tools is None else _look_tools()
        if self.mode is Output.TOOL:
            reply = ToolDefinition(
                name=REPLY_TOOL, parameters_json_schema=schema, description=f"Give your reply: a {name}.", kind="output"
            )
            return ModelRequestParameters(
                function_tools=tools, output_mode="tool", output_tools=[reply], allow_text_output=False
            )
        return ModelRequestParameters(
            function_tools=tools,
            output_mode="native" if self.mode is Output.NATIVE else "prompted",
            output_object=OutputObjectDefinition(schema, name),
        )

    def _turn(self, parts: list[Any]) -> ModelRequest:
        from pydantic_ai.messages import ModelRequest

        return ModelRequest(parts, instructions=self.request.prompt.system)

    def _repair(self, response: ModelResponse, problem: str) -> ModelRequest:
        from pydantic_ai.messages import ToolReturnPart, UserPromptPart

        words = f"{problem[: REPAIR_TOKENS * 3]}\nGive the whole reply again, and mend this."
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
            if len(text) > LOOK_LENGTH:
                text = f"{text[:LOOK_LENGTH]}\n[the rest is left out]"
            parts.append(ToolReturnPart(call.tool_name, fence("context folder", text, nonce), call.tool_call_id))
        return self._turn(parts)


_MARKER = re.compile(r"<<data (\S+)")
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*", re.DOTALL)


def _look_tools() -> list[ToolDefinition]:
    from pydantic_ai.tools import ToolDefinition

    def tool(name: str, says: str, argument: str, what: str) -> ToolDefinition:
        properties = {argument: {"type": "string", "description": what}}
        schema = {"type": "object", "properties": properties, "required": [argument], "additionalProperties": False}
        return ToolDefinition(name=name, parameters_json_schema=schema, description=says)

    return [
        tool("list", "List the files of a folder of the context.", "path", "the folder; . for the whole context"),
        tool("read", "Read a file of the context.", "path", "the file, as a list or a search names it"),
        tool("search", "Find a text in the files of the context.", "term", "the text to find, whatever its case"),
    ]


def _content(response: ModelResponse) -> str:
    """Return what should be the JSON of the form: the reply tool's arguments, or else the text, out of its fence."""
    for call in response.tool_calls:
        if call.tool_name == REPLY_TOOL:
            return call.args if isinstance(call.args, str) else json.dumps(call.args or {}, ensure_ascii=False)
    text = response.text or ""
    fenced = _FENCED.fullmatch(text)
    return fenced[1] if fenced else text


def _refusal(response: ModelResponse) -> str:
    details = response.provider_details or {}
    said = details.get("refusal") or response.text or details.get("finish_reason") or "the provider's filter"
    return str(said)[:500]


def _words_of(event: object) -> str:
    """Return the text that an event of a stream adds to the reply."""
    from pydantic_ai.messages import (
        PartDeltaEvent,
        PartStartEvent,
        TextPart,
        TextPartDelta,
        ToolCallPart,
        ToolCallPartDelta,
    )

    match event:
        case PartStartEvent(part=TextPart(content=text)) | PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
            return text
        case PartStartEvent(part=ToolCallPart(tool_name="reply", args=str(text))):
            return text
        case PartDeltaEvent(delta=ToolCallPartDelta(args_delta=str(text))):
            return text
        case _:
            return ""
