"""`wait`: wait for a session for a bounded time, with progress notifications for clients that want them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from pydantic import Field

from quorate.api.folds import Fold
from quorate.mcp.arguments import Session
from quorate.mcp.desk import Desk
from quorate.mcp.status import Standing, standing
from quorate.mcp.tool import READS, StrictTool, tool
from quorate.safety.fence import one_line

USUAL, MOST_SECONDS = 25, 50
"""Clients give up on a call after 60 seconds, many of them sooner."""
LOOK_ANYWAY = 1.0
"""Seconds after which it is looked whether the session can be driven, although nothing was written."""
LOOK_AGAIN, MOST_LEAVING = 0.05, 5.0
"""Seconds between looks whether a concluded session has left its documents, and after which nobody waits for them."""
MOST_LINES = 40
"""Of what has happened meanwhile; the report has it all."""

NOBODY = """Nothing new was written, and no server drives this session: it was opened elsewhere. If nobody runs it in a
terminal, `quorate resume {session}` goes on; tell the person you work for."""


class Waited(Standing):
    """Where a session stands after a while, and what happened meanwhile."""

    happened: Annotated[list[str], Field(description="What was written meanwhile, oldest first.")]


WAIT = f"""Wait until a session has a verdict or a question for a person, at most `seconds` (default {USUAL}), and say
where it stands. Call it again while there is neither: the session goes on whether you wait or not, and waiting costs
nothing. With `after` (the `last` of an earlier result) it returns as soon as there is any newer entry, and a question
that was open then does not end it, so that an answer given elsewhere can be waited for."""


def waiting_tools(desk: Desk) -> list[StrictTool]:
    """Return the tool that waits."""

    async def wait(
        session: Session,
        ctx: Context[Any, Any],
        seconds: Annotated[float, Field(ge=0, le=MOST_SECONDS, description="How long at most.")] = USUAL,
        after: Annotated[int | None, Field(ge=0, description="Return on entries after this one.")] = None,
    ) -> Waited:
        end = monotonic() + seconds
        fold = await desk.fold(session)
        reported = fold.last
        begun = fold.last if after is None else after
        is_stuck = await _stuck(desk, fold)
        while not (_has_come_to(fold, after) or is_stuck()) and (left := end - monotonic()) > 0:
            await desk.journal.wait(fold.session, fold.last, min(LOOK_ANYWAY, left))
            fold = await desk.folds.get(fold.session)
            for event in fold.events[reported + 1 :]:
                reported = event.seq
                await ctx.report_progress(event.seq, message=in_words(event.data))
        if fold.teller.record.session.conclusion is not None:
            await _left(desk, fold.session, min(end, monotonic() + MOST_LEAVING))
        happened = [in_words(event.data) for event in fold.events[begun + 1 :]]
        told = standing(fold.result, desk.driving.problem(fold.session)).model_dump()
        if not (happened or told["verdict"] or told["waiting"] or await desk.is_hosted(fold.session)):
            told["next"] = " ".join(NOBODY.format(session=fold.session).split())
        return Waited(**told, happened=_shortened(happened))

    return [tool(wait, "Wait for a session", WAIT, READS)]


async def _left(desk: Desk, session: str, end: float) -> None:
    """Wait until the driver of a concluded session has written its documents and findings."""
    while monotonic() < end and await desk.is_hosted(session):  # noqa: ASYNC110 - another process may do it
        await asyncio.sleep(LOOK_AGAIN)


def _has_come_to(fold: Fold, after: int | None) -> bool:
    """Return whether there is a verdict, or else an entry after `after`, or without `after` a question."""
    record = fold.teller.record
    if record.session.conclusion is not None:
        return True
    return bool(record.waits_for_people()) if after is None else fold.last > after


async def _stuck(desk: Desk, fold: Fold) -> Callable[[], bool]:
    """Ensure that the session is driven; return a function that says whether its driver has given up.

    A problem from before the new attempt does not count until it has been cleared once.
    """
    tried_anew = fold.teller.record.session.conclusion is None and await desk.driving.mind(fold.session)
    before = desk.driving.problem(fold.session) if tried_anew else ""

    def is_stuck() -> bool:
        nonlocal before
        problem = desk.driving.problem(fold.session)
        before = before if problem else ""
        return bool(problem) and problem != before

    return is_stuck


def in_words(data: Mapping[str, Any]) -> str:
    """Return one event on one line, such as `round 2, critique: security replied`, without any prose."""
    match data["kind"]:
        case "opened":
            said = "opened"
        case "replied":
            said = f"{_place(data['ask'])} replied"
        case "absent":
            said = f"{_place(data['ask'])} was absent ({data['absent']})"
        case "interrupted":
            said = f"interrupted: {data['reason']}"
        case _:
            said = f"a person ruled {data['ruling']['verdict']}"
    if data["conclusion"] is not None:
        return f"{said}; verdict {data['conclusion']['verdict']}"
    asked = [one_line(each["seat"]) for each in data["asked"] if each["person"]]
    return f"{said}; a question for {', '.join(asked)}" if asked else said


def _place(ask: Mapping[str, Any]) -> str:
    phase = ask["phase"].lower().replace("_", " ")
    where = f"round {ask['round']}, {phase}" if ask["round"] else phase
    return f"{where}: {one_line(ask['seat'])}"


def _shortened(lines: list[str]) -> list[str]:
    left_out = len(lines) - MOST_LINES
    return [f"[{left_out} earlier entries are left out here]", *lines[-MOST_LINES:]] if left_out > 0 else lines
