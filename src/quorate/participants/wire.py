"""Convert an ask into a Pydantic AI request, and a model's response into plain text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from quorate.core.types import Ask
from quorate.core.view import BYTES_PER_TOKEN, estimate_tokens

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse, ModelResponsePart, ToolCallPart
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

REPLY_TOOL = "reply"
FORM_FRAME = 80
"""Tokens around a form where it is sent: the name of it or of its tool, and words that say what to do with it."""

_WORDS = ("description", "maxLength", "minLength")


class Output(Enum):
    """How a model is asked for the form: native JSON mode, a tool call, or instructions in the prompt."""

    NATIVE = "native"
    TOOL = "tool"
    PROMPTED = "prompted"


def request_parameters(schema: dict[str, Any], form: str, mode: Output, *, tools: bool) -> ModelRequestParameters:
    """Return the request parameters for a reply of this schema, with tools if there is a context folder."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    looks = _look_tools() if tools else []
    if mode is Output.TOOL:
        says = f"Give your reply: a {form}."
        reply = ToolDefinition(name=REPLY_TOOL, parameters_json_schema=schema, description=says, kind="output")
        return ModelRequestParameters(
            function_tools=looks, output_mode="tool", output_tools=[reply], allow_text_output=False
        )
    return ModelRequestParameters(
        function_tools=looks,
        output_mode="native" if mode is Output.NATIVE else "prompted",
        output_object=OutputObjectDefinition(schema, form),
    )


def sent_schema(ask: Ask, schema: Mapping[str, Any], length: int | None) -> dict[str, Any]:
    """Return what is sent of a form: its structure, with the bounds of lists of a reply of this length."""
    if length is None:
        return structure(schema)
    from quorate.participants.brevity import narrowed  # few seats have a length

    return structure(narrowed(schema, ask.form, ask.keys, length))


def structure(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema without what is told in words: the meaning of fields, and the length of texts."""
    found = {name: each for name, each in schema.items() if name not in _WORDS}
    if "properties" in found:
        found["properties"] = {name: structure(each) for name, each in found["properties"].items()}
    if "items" in found:
        found["items"] = structure(found["items"])
    return found


def form_tokens(schema: Mapping[str, Any]) -> int:
    """Return an upper estimate of the tokens that a form adds to every prompt."""
    return estimate_tokens(json.dumps(structure(schema), ensure_ascii=False)) + FORM_FRAME


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


def content(response: ModelResponse) -> str:
    """Return the expected JSON: the reply tool's arguments, or else the text without its code fence."""
    for call in response.tool_calls:
        if call.tool_name == REPLY_TOOL:
            return call.args if isinstance(call.args, str) else json.dumps(call.args or {}, ensure_ascii=False)
    text = response.text or ""
    fenced = _FENCED.fullmatch(text)
    return fenced[1] if fenced else text


def written_tokens(response: ModelResponse) -> int:
    """Return an upper estimate of the tokens a model wrote: texts, thoughts and tool calls."""
    from pydantic_ai.messages import ToolCallPart

    found = 0
    for part in response.parts:
        if isinstance(part, ToolCallPart):
            given = part.args if isinstance(part.args, str) else part.args_as_json_str()
            found += _tokens(part.tool_name) + _tokens(given)
        else:
            found += _tokens(str(getattr(part, "content", None) or ""))
    return found


def _tokens(text: str) -> int:
    """Like `estimate_tokens`, for unvalidated texts that may contain lone surrogates."""
    return -(-len(text.encode(errors="surrogatepass")) // BYTES_PER_TOKEN)


def to_send_again(response: ModelResponse, most: int) -> ModelResponse:
    """Return the response with at most `most` tool calls, none of which gets longer when it is resent."""
    from pydantic_ai.messages import ToolCallPart

    parts: list[ModelResponsePart] = []
    left = most
    for part in response.parts:
        if not isinstance(part, ToolCallPart):
            parts.append(part)
        elif left:
            parts.append(_no_longer(part))
            left -= 1
    return replace(response, parts=parts)


def _no_longer(call: ToolCallPart) -> ToolCallPart:
    """Shorten arguments that are not JSON: they are quoted when resent, and would otherwise grow."""
    if not isinstance(call.args, str):
        return call
    most, sent = max(1, _tokens(call.args)), call
    while isinstance(sent.args, str) and sent.args and _tokens(sent.args_as_json_str()) > most:
        sent = replace(sent, args=sent.args[: len(sent.args) * 3 // 4])
    return sent


def refusal(response: ModelResponse) -> str:
    """Return the refusal message of a model or its provider."""
    details = response.provider_details or {}
    said = details.get("refusal") or response.text or details.get("finish_reason") or "the provider's filter"
    return str(said)[:500]


def words_of(event: object) -> str:
    """Return the text that a stream event adds to the reply."""
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
