"""Tool calls of one ask into the context folder, bounded in number and in bytes.

Everything that tool calls add to a prompt, the tool descriptions included, is at most `LOOK_TOKENS`, counted as budgets
count. Results are measured in bytes after neutralising, fence included.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from quorate.core.view import BYTES_PER_TOKEN
from quorate.participants.port import Request, Tools
from quorate.participants.tools import look
from quorate.safety.fence import fenced, neutralise

if TYPE_CHECKING:
    from pydantic_ai.messages import ToolCallPart, ToolReturnPart

LOOKS = 10
"""Looks into the context folder for one ask."""
LOOK_TOKENS = 16_000
"""What looks may add to a prompt, in tokens; a look that would show more is cut."""
TOOL_TOKENS = 400
"""Of those, what the description of the tools takes."""
MOST_CALLS = 2 * LOOKS
"""Calls of tools in one reply; a reply with more of them is malformed."""
_TITLE = "context folder"
_REFUSED = f"refused: only {LOOKS} looks are allowed; answer with what you know"
_NOTE = "\n[the rest is left out: no more can be shown]"
_MARKER = re.compile(r"<<data (\S+)")


class Looks:
    """The tool calls of one ask: how many were made, and how many bytes may still be shown."""

    def __init__(self, request: Request) -> None:
        self.tools: Tools | None = request.tools
        marker = _MARKER.search(request.prompt.system)
        self.nonce = marker[1] if marker else f"{request.seed:016x}"
        self.taken = 0
        frame = len(fenced(_TITLE, _NOTE, self.nonce).encode()) + 2 * BYTES_PER_TOKEN
        # The last reply that may look can ask for more looks than are left; each is answered, if only with a refusal.
        self.room = (LOOK_TOKENS - TOOL_TOKENS) * BYTES_PER_TOKEN - (LOOKS - 1 + MOST_CALLS) * frame

    @property
    def left(self) -> int:
        return 0 if self.tools is None else max(0, LOOKS - self.taken)

    async def take(self, calls: list[ToolCallPart]) -> list[ToolReturnPart]:
        """Answer every tool call, with the data fenced by this session's markers. Failures are results too."""
        from pydantic_ai.messages import ToolReturnPart

        assert self.tools is not None
        parts = []
        for call in calls:
            text = _REFUSED
            if self.left:
                text = await asyncio.to_thread(look, self.tools, call.tool_name, call.args or {})
            self.taken += 1
            parts.append(ToolReturnPart(call.tool_name, self._shown(text), call.tool_call_id))
        return parts

    def _shown(self, text: str) -> str:
        """Return a text fenced and cut to the bytes left. Neutralising comes first, as it may lengthen the text."""
        harmless = neutralise(text)[0].replace(self.nonce, "[marker]")
        size = len(harmless.encode())
        if size > self.room:
            harmless = beginning(harmless, self.room) + _NOTE
        self.room -= min(self.room, size)
        return fenced(_TITLE, harmless, self.nonce)


def beginning(text: str, size: int) -> str:
    """Return the longest prefix of a text that fits the bytes, without splitting a character."""
    return text.encode(errors="replace")[: max(0, size)].decode(errors="ignore")
