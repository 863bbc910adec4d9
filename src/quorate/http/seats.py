"""Routes for participants: the available models, and the panel files inside the roots."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Response
from pydantic import Field

from quorate import api
from quorate.api.panels import find_panels
from quorate.http.desk import AtDesk
from quorate.http.documents import Given, document
from quorate.http.problems import may_fail
from quorate.http.strict import StrictRoute

router = APIRouter(prefix="/api", tags=["seats"], route_class=StrictRoute)


class Model(Given):
    name: str = Field(description="How a panel or a request names it.")
    says: str
    ready: bool
    todo: str = Field(description="What to do before it can answer; empty for nothing.")


class Panel(Given):
    path: str = Field(description="How a request names it.")
    seats: list[str] = Field(description="The seats that it names somebody for.")


@router.get("/models", summary="List what can sit on a seat", response_model=list[Model], responses=may_fail())
async def models() -> Response:
    """Models, people and scripts, and what each still needs."""
    return document(
        [{"name": each.name, "says": each.says, "ready": each.ready, "todo": each.todo} for each in api.models()]
    )


@router.get("/panels", summary="List the panel files", response_model=list[Panel], responses=may_fail())
async def panels(desk: AtDesk) -> Response:
    """The files inside the roots that are panels."""
    return document(await asyncio.to_thread(find_panels, desk.roots))
