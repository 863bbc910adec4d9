"""Routes for evidence of a session: board, explanation, reports, bundle, seal and material. Files are downloads."""

from __future__ import annotations

import asyncio
import json
from functools import lru_cache
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from starlette.exceptions import HTTPException

from quorate import api
from quorate.api import results, seals
from quorate.api.damage import DamagedSession, entries_of
from quorate.api.folds import again
from quorate.core.errors import RulesChanged, StoreError, nearest
from quorate.evidence.prose import MOST_OF_REPORT, tree
from quorate.http import documents
from quorate.http.desk import AtDesk, Desk, SessionId
from quorate.http.documents import Given, Prose, attachment, document, media_type
from quorate.http.problems import Answer, may_fail
from quorate.http.strict import StrictRoute
from quorate.store.journal import UnknownSession

router = APIRouter(prefix="/api/sessions/{session}", tags=["evidence"], route_class=StrictRoute)
FileName = Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$", description="The name of a file.")]
MOST_TREES = 8
"""Reports that are kept as nodes."""
FILE: Answer = {"description": "The file, to be saved.", "content": {"*/*": {}}}
TEXT: Answer = {"description": "Every step.", "content": {"text/plain": {}}}


class Shown(Given):
    seq: int
    board: dict[str, Any]


class Report(Given):
    name: str
    media_type: str
    bytes: int


class Fault(Given):
    place: str
    what: str
    expected: str


class Seal(Given):
    """Whether the journal holds, and everything that is said of it follows from it."""

    ok: bool
    entries: int
    head: str
    problems: list[Fault]


@router.get("/board", summary="Read the board of a session", response_model=Shown, responses=may_fail(404, 409))
async def board(
    desk: AtDesk,
    session: SessionId,
    at: Annotated[int | None, Query(ge=0, le=2**31, description="As of this entry; the last one if left out.")] = None,
    prose: Prose = "text",
) -> Response:
    """Findings, topics, artifacts and conversation, as of any entry."""
    fold = await desk.folds.get(session)
    seq = fold.last if at is None else at
    if seq > fold.last:
        raise HTTPException(404, f"the session has no entry {seq}; its last one is {fold.last}")
    return document({"seq": seq, "board": await desk.boards.at(fold, seq, trees=prose == "tree")})


@router.get(
    "/explanation",
    summary="Explain a verdict",
    response_class=Response,
    responses=may_fail(404, 409, gives=TEXT),
)
async def explanation(desk: AtDesk, session: SessionId) -> Response:
    """How the verdict follows: every step, its tests, the rows not taken and why."""
    folded = again(await desk.folds.get(session))
    text = await asyncio.to_thread(lambda: api.explain(folded()))
    return Response(text.encode("utf-8", "replace"), media_type="text/plain")


@router.get(
    "/reports", summary="List the files of a session", response_model=list[Report], responses=may_fail(404, 409)
)
async def reports(desk: AtDesk, session: SessionId) -> Response:
    """Everything that a session leaves for people and auditors."""
    written = await _written(desk, session)
    return document(
        [
            {"name": name, "media_type": media_type(name), "bytes": len(text.encode("utf-8", "replace"))}
            for name, text in written.items()
        ]
    )


@router.get(
    "/reports/{file}",
    summary="Save a file of a session",
    response_class=Response,
    responses=may_fail(404, 409, gives=FILE),
)
async def report(
    desk: AtDesk,
    session: SessionId,
    file: FileName,
    prose: Annotated[Prose | None, Query(description="`tree`: a Markdown report as nodes, in JSON.")] = None,
) -> Response:
    """A report, the findings for a pipeline, or a document, as it would be written into a folder."""
    written = await _written(desk, session)
    if file not in written:
        near = nearest(file, written)
        raise HTTPException(404, f"the session leaves no file {file!r}" + (f"; did you mean {near!r}?" if near else ""))
    if prose != "tree":
        return attachment(file, written[file])
    if media_type(file) != "text/markdown":
        raise HTTPException(404, f"{file} is not Markdown, so it has no tree")
    return documents.written(await asyncio.to_thread(_as_tree, file, written[file]))


@router.get(
    "/bundle", summary="Save the evidence bundle", response_class=Response, responses=may_fail(404, 409, gives=FILE)
)
async def bundle(desk: AtDesk, session: SessionId) -> Response:
    """Everything in one document with its hash chain; `quorate check` checks it. The same journal has the same one."""
    fold = await desk.folds.get(session)
    if fold.damage is not None:
        raise DamagedSession(fold.damage, tuple(fold.entries))
    folded = again(fold)
    text = await asyncio.to_thread(lambda: api.report(folded(), "json"))
    return attachment(f"{session}.bundle.json", text)


@router.get("/seal", summary="Check the seal of a session", response_model=Seal, responses=may_fail(404))
async def seal(desk: AtDesk, session: SessionId) -> Response:
    """Follow the hash chain, and derive everything again from the entries."""
    try:
        entries = await entries_of(desk.journal, session)  # as they stand on disk now, not as they were once read
        told = seals.seal(entries, None)
    except UnknownSession:
        raise
    except StoreError:
        told = {"ok": False}
    if not told["ok"]:
        desk.folds.forget(session)
        fold = await desk.folds.get(session)
        return document(seals.seal(fold.entries, fold.result))
    try:
        fold = await desk.folds.get(session)
        if fold.entries[: len(entries)] != entries:  # rewritten as a whole: its own chain holds
            desk.folds.forget(session)
            fold = await desk.folds.get(session)
    except (StoreError, RulesChanged) as error:
        problems = [{"place": "", "what": str(error), "expected": "a journal that can be folded"}]
        return document({**told, "ok": False, "problems": problems})
    folded = again(fold, entries[-1].seq)
    return document(await asyncio.to_thread(lambda: seals.seal(entries, folded())))


@router.get(
    "/material/{file}",
    summary="Save what is deliberated about",
    response_class=Response,
    responses=may_fail(404, 409, gives=FILE),
)
async def material(desk: AtDesk, session: SessionId, file: FileName) -> Response:
    """A text that the session was opened with, secrets masked where its protocol masks them."""
    texts = (await desk.folds.get(session)).teller.record.material
    if file not in texts:
        raise HTTPException(404, f"the session has no material {file!r}; it has {', '.join(texts) or 'none'}")
    return attachment(f"{file}.txt", texts[file])


@lru_cache(MOST_TREES)
def _as_tree(name: str, text: str) -> str:
    """Return a report as a JSON tree. Long reports take seconds, so call it in a thread."""
    told = {"name": name, "media_type": media_type(name), "tree": tree(text, MOST_OF_REPORT)}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


async def _written(desk: Desk, session: str) -> dict[str, str]:
    fold = await desk.folds.get(session)
    key, learnt = (session, fold.last), fold.learnt
    if fold.damage is None and (kept := desk.reports.get(key, learnt)) is not None:
        return kept
    folded = again(fold)
    written = await asyncio.to_thread(lambda: results.reports(folded()))
    if fold.damage is None:
        desk.reports.keep(key, learnt, written)
    return written
