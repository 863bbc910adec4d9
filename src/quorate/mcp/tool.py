"""Strict MCP tools: unknown arguments are refused, and errors say what would be valid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import ConfigDict, ValidationError

from quorate.core.errors import QuorateError, nearest
from quorate.mcp.quotations import refusal

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
"""Changes nothing and asks nobody."""
OPENS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True)
"""Makes something new, and models may be called."""
ANSWERS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True)
"""The first time counts, every other time changes nothing."""
KEEPS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
"""Adds a line to what is kept, and asks nobody."""
ENDS = ToolAnnotations(read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False)
"""What it ends does not go on."""
MOST_PROBLEMS = 8


class StrictTool(Tool):
    """A tool that accepts exactly its declared arguments."""

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        """Run the tool. Invalid arguments and Quorate's own errors raise ToolError with what would be valid."""
        try:
            return await super().run(arguments, context, convert_result)
        except ToolError as error:
            match error.__cause__:
                case ValidationError() as wrong:
                    raise ToolError(refusal(self._misfits(wrong))) from wrong
                case QuorateError() as refused:
                    raise ToolError(refusal(refused)) from refused
                case _:
                    raise

    def _misfits(self, wrong: ValidationError) -> str:
        known = list(self.parameters.get("properties", {}))
        said = [_misfit(known, dict(each)) for each in wrong.errors(include_url=False)[:MOST_PROBLEMS]]
        return f"{self.name}: " + "; ".join(dict.fromkeys(said))


def _misfit(known: list[str], problem: dict[str, Any]) -> str:
    path = [str(part)[:60] for part in problem["loc"]]
    match problem["type"]:
        case "extra_forbidden":
            near = nearest(path[-1], known) if len(path) == 1 else None
            hint = f"; did you mean {near!r}?" if near else f"; expected one of {', '.join(known)}"
            return f"there is no argument {'.'.join(path)!r}{hint}"
        case "missing":
            return f"{'.'.join(path)} is missing"
        case _:
            return f"{'.'.join(path)}: {problem['msg']}"


def tool(work: Callable[..., Any], title: str, says: str, hints: ToolAnnotations) -> StrictTool:
    """Return a function as a tool with the same name; `says` is its description for the assistant."""
    made = StrictTool.from_function(work, title=title, description=" ".join(says.split()), annotations=hints)
    assert isinstance(made, StrictTool)
    meta = made.fn_metadata

    class Strict(meta.arg_model):  # type: ignore[name-defined,misc]
        model_config = ConfigDict(extra="forbid")

    meta.arg_model = Strict
    made.parameters = _terse(Strict.model_json_schema(by_alias=True))
    return made


def _terse(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema without redundant parts, since it costs tokens in every conversation."""
    properties = {
        name: {key: value for key, value in each.items() if key != "title" and (key, value) != ("default", None)}
        for name, each in schema.get("properties", {}).items()
    }
    return {key: value for key, value in schema.items() if key != "title"} | {"properties": properties}
