"""The MCP server: all tools, resources and prompts over one desk, the same for every transport."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from mcp.server import MCPServer
from mcp.types import Resource

from quorate import api
from quorate.mcp.answer_tools import answering_tools
from quorate.mcp.desk import Desk
from quorate.mcp.end_tool import ending_tools
from quorate.mcp.open_tools import opening_tools
from quorate.mcp.prompts import add_prompts
from quorate.mcp.quotations import MARKS
from quorate.mcp.read_tools import reading_tools
from quorate.mcp.resources import add_resources, newest_reports
from quorate.mcp.wait_tool import waiting_tools
from quorate.mcp.worth import worth_tools

INSTRUCTIONS = """Quorate runs deliberations: agents, people and checks reach a decision under a protocol, which code
executes and records. Open a session ({openers}), keep its
id, and call `wait` until there is a verdict or a question for a person. A session goes on when you leave;
`list_sessions` finds it again. Questions are for the person you work for: put them to that person and pass the answer
on. {marks}"""


class McpServer(MCPServer[Any]):
    """An MCP server that lists the newest reports among its resources."""

    desk: Desk

    async def list_resources(self) -> list[Resource]:
        """List the fixed resources, then the reports of the newest sessions."""
        return [*await super().list_resources(), *await newest_reports(self.desk)]


def create_server(desk: Desk) -> McpServer:
    """Return the server for a desk, to be run on a transport."""
    openers = ", ".join(f"open_{each.name}" for each in api.protocols() if each.tool)
    made = McpServer(
        "quorate",
        title="Quorate",
        description="Deliberations that are executed, proven and recorded by code.",
        instructions=" ".join(INSTRUCTIONS.format(openers=openers, marks=MARKS).split()),
        version=version("quorate"),
        tools=[
            *opening_tools(desk),
            *waiting_tools(desk),
            *reading_tools(desk),
            *answering_tools(desk),
            *ending_tools(desk),
            *worth_tools(desk),
        ],
        log_level="WARNING",
    )
    made.desk = desk
    add_resources(made, desk)
    add_prompts(made)
    return made
