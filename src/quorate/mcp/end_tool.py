"""The tool that ends a session."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from quorate import api
from quorate.core.types import Reason
from quorate.mcp.arguments import Session
from quorate.mcp.desk import Desk
from quorate.mcp.status import Standing, standing
from quorate.mcp.tool import ENDS, StrictTool, tool

CANCEL = """End a session now. Calls under way are withdrawn, nothing more is spent, and everything that was said stays
in its record; the verdict is that it was aborted. It cannot be taken back: only cancel what the person you work for
wants ended."""


def ending_tools(desk: Desk) -> list[StrictTool]:
    """Return the tool that ends a session."""

    async def cancel(
        session: Session,
        why: Annotated[str, Field(max_length=2000, description="Kept in the record.")] = "",
    ) -> Standing:
        found = await desk.find(session)
        await api.interrupt(desk.workspace, desk.journal, found, Reason.CANCELLED, why)
        await desk.driving.look(found)
        return standing(await desk.load(found))

    return [tool(cancel, "Cancel a session", CANCEL, ENDS)]
