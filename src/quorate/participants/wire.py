"""How an ask and its reply look on the wire: the form as Pydantic AI wants it, and what came back as plain text."""

from __future__ import annotations

import json
import re
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

REPLY_TOOL = "reply"


class Output(Enum):
    """How a model is asked for the form: by its own JSON mode, as a tool call, or in words."""

    NATIVE = "native"
    TOOL = "tool"
    PROMPTED = "prompted"


def request_parameters(schema: dict[str, Any], form: str, mode: Output, *, tools: bool) -> ModelRequestParameters:
    """Return the request for a reply of this schema, with the looks into the context folder where there is one."""
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
    """Return what should be the JSON of the form: the reply tool's arguments, or else the text, out of its fence."""
    for call in response.tool_calls:
        if call.tool_name == REPLY_TOOL:
            return call.args if isinstance(call.args, str) else json.dumps(call.args or {}, ensure_ascii=False)
    text = response.text or ""
    fenced = _FENCED.fullmatch(text)
    return fenced[1] if fenced else text


def refusal(response: ModelResponse) -> str:
    """Return the words with which a model or its provider refused."""
    details = response.provider_details or {}
    said = details.get("refusal") or response.text or details.get("finish_reason") or "the provider's filter"
    return str(said)[:500]


def words_of(event: object) -> str:
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
