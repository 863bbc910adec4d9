"""Events of a session, as a server-sent event stream or as one document with the same content."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Response
from pydantic import Field
from starlette.exceptions import HTTPException

from quorate.api.damage import DamagedSession
from quorate.api.folds import Fold
from quorate.api.stream import Ephemeral, Told
from quorate.core.errors import QuorateError
from quorate.http.desk import AtDesk, Desk, SessionId
from quorate.http.documents import Given, Prose, written
from quorate.http.problems import Answer, may_fail, of_error
from quorate.http.streams import EventStream, frame, frame_of
from quorate.http.strict import StrictRoute

router = APIRouter(prefix="/api/sessions/{session}", tags=["events"], route_class=StrictRoute)
MOST_EVENTS = 2_000
AT_ONCE = 20
"""Events that are written before others have their turn."""
MUCH = 20_000
"""Characters of an event that takes long to lay out."""
EVENT = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "description": "The sequence of an entry."},
        "event": {"enum": ["entry", "calling", "saying", "called", "end", "problem"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
        "retry": {"type": "integer"},
    },
}
STREAM: Answer = {
    "description": "Server-sent events. `entry` has the sequence of its journal entry as `id`; `calling`, `saying` "
    "and `called` have none and may be lost; `end` is the last one with `until=conclusion`; `problem` says why a "
    "stream cannot go on.",
    "content": {"text/event-stream": {"itemSchema": EVENT}},
}


class Events(Given):
    """Events in order, without gaps."""

    events: list[dict[str, Any]] = Field(description="One for each entry of the journal; see the reference.")
    last: int = Field(description="The sequence of the session's last entry.")
    more: bool


After = Annotated[int, Query(ge=-1, le=2**31, description="The sequence of the last event that is known; -1 for none.")]


@router.get("/events", summary="Follow a session", response_class=Response, responses=may_fail(404, 409, gives=STREAM))
async def follow(
    desk: AtDesk,
    session: SessionId,
    after: After = -1,
    prose: Prose = "text",
    until: Annotated[Literal["conclusion", "never"], Query(description="Where the stream ends by itself.")] = "never",
    last_event_id: Annotated[
        str | None,
        Header(
            description="What a browser sends when it comes back; goes before `after`.",
            json_schema_extra={"pattern": "^[0-9]{1,9}$"},
        ),
    ] = None,
) -> Response:
    """Every event once and in order, from the one after the last that is known; then each as it happens.

    A connection that was cut goes on with `Last-Event-ID` where it was: nothing is lost and nothing comes twice.
    """
    desk.streams.check_room()
    known = after if last_event_id is None else _sequence(last_event_id)
    fold = await desk.folds.get(session)
    _check_known(fold, known)
    return EventStream(_frames(desk, fold, known, prose, until == "conclusion"), desk.streams)


@router.get("/entries", summary="Read the events of a session", response_model=Events, responses=may_fail(404, 409))
async def entries(
    desk: AtDesk,
    session: SessionId,
    after: After = -1,
    limit: Annotated[int, Query(ge=1, le=MOST_EVENTS)] = 500,
    prose: Prose = "text",
) -> Response:
    """The same events as one document."""
    fold = await desk.folds.get(session)
    _check_known(fold, after)
    shown = fold.events[after + 1 : after + 1 + limit]
    last, more = fold.last, "true" if after + 1 + len(shown) <= fold.last else "false"
    texts = [
        text for some in range(0, len(shown), AT_ONCE) for text in await _texts(shown[some : some + AT_ONCE], prose)
    ]
    return written(f'{{"events":[{",".join(texts)}],"last":{last},"more":{more}}}')


def _sequence(text: str) -> int:
    """Parse the `Last-Event-ID` header."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise HTTPException(400, "Last-Event-ID is not the id of an event; expected a whole number")
    return int(text)


def _check_known(fold: Fold, known: int) -> None:
    if known > fold.last:
        raise HTTPException(404, f"the session has no event {known}; its last one is {fold.last}")


async def _texts(events: list[Told], prose: Prose) -> list[str]:
    """Serialise events without blocking the event loop; prose trees are laid out in a thread."""
    if prose == "tree":
        if all("shown_text" in vars(each) for each in events):
            await asyncio.sleep(0)
            return [each.shown_text for each in events]
        return await asyncio.to_thread(lambda: [each.shown_text for each in events])
    await asyncio.sleep(0)
    return [each.text for each in events]


async def _text(event: Told, prose: Prose) -> str:
    """Serialise a new event; a long prose tree is laid out in a thread."""
    if prose == "tree" and "shown_text" not in vars(event) and len(event.text) > MUCH:
        return await asyncio.to_thread(lambda: event.shown_text)
    return event.shown_text if prose == "tree" else event.text


async def _frames(desk: Desk, fold: Fold, known: int, prose: Prose, until: bool) -> AsyncIterator[bytes]:
    concluded = fold.teller.record.session.conclusion
    if fold.damage is not None:
        for some in range(known + 1, len(fold.events), AT_ONCE):
            shown = fold.events[some : some + AT_ONCE]
            for event, text in zip(shown, await _texts(shown, prose), strict=True):
                yield frame(text, "entry", event.seq)
        answer = of_error(DamagedSession(fold.damage, tuple(fold.entries)))
        yield frame(bytes(answer.body).decode(), "problem")
        return
    if until and concluded is not None:
        events = fold.events[known + 1 :]  # a ruling may be written while these are read; it is not told any more
        last = events[-1].seq if events else known
        for some in range(0, len(events), AT_ONCE):
            for event, text in zip(shown := events[some : some + AT_ONCE], await _texts(shown, prose), strict=True):
                yield frame(text, "entry", event.seq)
        yield frame_of({"last": last, "verdict": concluded.verdict.name}, "end")
        return
    try:
        async with aclosing(desk.host.watch(fold.session, known)) as watched:
            async for each in watched:
                if isinstance(each, Ephemeral):
                    yield frame_of(dict(each.data), each.kind)
                    continue
                yield frame(await _text(each, prose), "entry", each.seq)
                if until and (conclusion := each.data["conclusion"]) is not None:
                    yield frame_of({"last": each.seq, "verdict": conclusion["verdict"]}, "end")
                    return
    except QuorateError as error:
        yield frame(bytes(of_error(error).body).decode(), "problem")
