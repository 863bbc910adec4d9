"""Looks: what one ask may see of the context folder, so many times and so much, whatever it is written in.

All that looks add to a prompt, the description of the tools included, is at most `LOOK_TOKENS`, counted as budgets
count: what is shown is measured in bytes, after it was made harmless and with its fence.
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
    """The looks of one ask: how many were taken, and how many bytes may still be shown."""

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
        """Answer every call with data between this session's markers; failures are results too."""
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
        """Fence a text, cut to the room that is left; what makes it harmless may make it longer, and comes first."""
        harmless = neutralise(text)[0].replace(self.nonce, "[marker]")
        size = len(harmless.encode())
        if size > self.room:
            harmless = beginning(harmless, self.room) + _NOTE
        self.room -= min(self.room, size)
        return fenced(_TITLE, harmless, self.nonce)


def beginning(text: str, size: int) -> str:
    """Return as much of the beginning of a text as has so many bytes, in whole characters."""
    return text.encode(errors="replace")[: max(0, size)].decode(errors="ignore")
