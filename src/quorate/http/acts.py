"""Routes that act on a session: cancel, conclude, escalate, suspend, resume, fork and rule."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response
from pydantic import ConfigDict, Field

from quorate import api
from quorate.api import forks
from quorate.api.damage import DamagedSession
from quorate.api.order import checked_model, checked_panel
from quorate.core.errors import RulesChanged, RuleViolation
from quorate.core.types import Reason
from quorate.http.desk import AtDesk, Desk, SessionId
from quorate.http.documents import Strict, document
from quorate.http.problems import may_fail
from quorate.http.sessions import Opened, Standing, standing
from quorate.http.strict import StrictRoute

router = APIRouter(prefix="/api/sessions/{session}", tags=["acts"], route_class=StrictRoute)
CHANGED = may_fail(404, 409, 413, 415)


class Why(Strict):
    why: str = Field("", max_length=2_000, description="The reason, for the record.")


class ToFork(Strict):
    """Where a fork begins, and what changes from there on."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"at": 0, "start": False}]})

    at: int = Field(ge=0, le=2**31, description="The last entry that both have.")
    settings: dict[str, Any] | None = Field(None, description="Settings over those of the other session.")
    budget: dict[str, Any] | None = Field(None, description="Limits over those of the other session.")
    panel: str | None = Field(None, min_length=1, max_length=4096, description="A panel file inside the roots.")
    model: str | None = Field(None, min_length=1, max_length=500)
    title: str | None = Field(None, min_length=1, max_length=200)
    start: bool = True


class ToRule(Strict):
    verdict: str = Field(min_length=1, max_length=100)
    by: str = Field(min_length=1, max_length=200, description="Who rules.")
    reason: str = Field(min_length=1, max_length=10_000)


@router.post("/cancel", summary="End a session now", response_model=Standing, responses=CHANGED)
async def cancel(desk: AtDesk, session: SessionId, body: Why | None = None) -> Response:
    """What was said is kept."""
    return await _interrupt(desk, session, Reason.CANCELLED, body)


@router.post("/conclude", summary="Ask a session to wrap up", response_model=Standing, responses=CHANGED)
async def conclude(desk: AtDesk, session: SessionId, body: Why | None = None) -> Response:
    """It ends properly after the phase under way."""
    return await _interrupt(desk, session, Reason.WISH, body)


@router.post("/escalate", summary="Put the open conflicts to a person", response_model=Standing, responses=CHANGED)
async def escalate(desk: AtDesk, session: SessionId, body: Why | None = None) -> Response:
    """Only protocols that can do so take this."""
    return await _interrupt(desk, session, Reason.ESCALATION, body)


@router.post("/resume", summary="Go on with a session", response_model=Standing, responses=CHANGED)
async def resume(desk: AtDesk, session: SessionId) -> Response:
    """This server drives it from now on, also after a restart."""
    fold = await desk.folds.get(session)
    if fold.damage is not None:
        raise DamagedSession(fold.damage, tuple(fold.entries))
    if fold.teller.record.session.conclusion is not None:
        raise RuleViolation(f"session {session} has concluded and cannot be resumed")
    if told := api.outdated(fold.teller.record):
        raise RulesChanged(told)
    await desk.host.start(session)
    return await standing(desk, session)


@router.post("/suspend", summary="Stop driving a session", response_model=Standing, responses=CHANGED)
async def suspend(desk: AtDesk, session: SessionId) -> Response:
    """Nothing is lost; it goes on from here when somebody resumes it."""
    await desk.folds.get(session)
    await desk.host.suspend(session)
    return await standing(desk, session)


@router.post("/fork", summary="Fork a session", status_code=201, response_model=Opened, responses=CHANGED)
async def fork(desk: AtDesk, session: SessionId, body: ToFork) -> Response:
    """Open a session with the same past up to an entry, and other settings or another panel from there on."""
    await desk.folds.get(session)
    made = await forks.fork(
        desk.workspace,
        desk.journal,
        session,
        at=body.at,
        settings=body.settings,
        panel=checked_panel(body.panel, desk.roots),
        model=checked_model(body.model, desk.roots),
        budget=body.budget,
        title=body.title,
        roots=desk.roots,
    )
    if body.start:
        await desk.host.start(made)
    return document({"session": made, "says": []}, 201)


@router.post("/ruling", summary="Rule on a verdict", response_model=Standing, responses=CHANGED)
async def rule(desk: AtDesk, session: SessionId, body: ToRule) -> Response:
    """Decide where a session could not; what it concluded stays visible, and the last ruling counts."""
    await desk.folds.get(session)
    await api.adjudicate(desk.workspace, desk.journal, session, body.verdict, body.by, body.reason)
    await desk.host.look(session)
    return await standing(desk, session)


async def _interrupt(desk: Desk, session: str, reason: Reason, body: Why | None) -> Response:
    await desk.folds.get(session)
    await api.interrupt(desk.workspace, desk.journal, session, reason, body.why if body is not None else "")
    await desk.host.look(session)
    return await standing(desk, session)
