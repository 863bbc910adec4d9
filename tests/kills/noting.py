"""The program itself, started so that every call of a scripted participant is noted in a file before it is made."""

from __future__ import annotations

PROGRAM = r"""
import os, re
from quorate.participants.script import ScriptParticipant
reply = ScriptParticipant.reply
async def noting(self, request, say):
    text = f"{request.prompt.system} {request.prompt.user} {request.view}"
    case = re.search(r"case (\d+)", text)
    log = os.open("calls", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(log, f"{case[1] if case else '?'} {request.ask.id}\n".encode())
    os.close(log)
    return await reply(self, request, say)
ScriptParticipant.reply = noting
from quorate.cli.main import main
main()
"""

OPENING = r"""
import asyncio, sys
from pathlib import Path
from quorate import api
from quorate.workspace import find_workspace
async def opening():
    workspace = find_workspace(Path.cwd(), {})
    journal = workspace.open()
    for problem in sys.argv[1:]:
        session = await api.open_session(workspace, journal, "debate", {"problem": problem})
        await journal.host(session, True)
    await journal.close()
asyncio.run(opening())
"""
"""What a service does for sessions that a worker is to drive; in the name of the same user as the worker."""
