"""Routes for questions about past sessions: redecide, compare, label and calibrate.

The worth of a session is part of its summary. Nothing here calls a model, and only labels are stored.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import ConfigDict, Field

from quorate.api.comparison import MOST_SESSIONS
from quorate.api.session_list import check_protocol
from quorate.api.session_queries import calibrated, compared, labelled, labels_of, redecided
from quorate.http.desk import AtDesk, SessionId
from quorate.http.documents import Given, Strict, document
from quorate.http.problems import may_fail
from quorate.http.strict import StrictRoute
from quorate.store.labels import MOST_NOTE

router = APIRouter(prefix="/api", tags=["evidence"], route_class=StrictRoute)
ID = "[A-Za-z0-9][A-Za-z0-9._-]{0,119}"


class ToRedecide(Strict):
    model_config = ConfigDict(json_schema_extra={"examples": [{"settings": {}}]})

    settings: dict[str, Any] = Field(description="Settings over those that the session had.")


class Redecision(Given):
    """A session as it was decided, and as other settings would have decided it on the same answers."""

    session: str
    protocol: str
    settings: dict[str, list[Any]] = Field(description="Those that are other: as they were, and as they are.")
    recorded: dict[str, Any]
    redecided: dict[str, Any] | None = Field(description="Null where an answer is missing.")
    same: bool = Field(description="Whether nothing changes: the same moves, verdict and findings.")
    divergence: list[dict[str, Any] | None] | None = Field(description="The first move that is other, of both.")
    followed: list[dict[str, Any]]
    not_recorded: list[dict[str, Any]] = Field(description="What would have been asked and nobody has answered.")
    reused: int
    shown_otherwise: list[str] = Field(description="Asks that would have shown other words than were answered.")
    interruptions: list[str]
    findings: dict[str, list[dict[str, Any]]] | None
    exit_code: int = Field(description="Of the new verdict; 6 where an answer is missing.")


class Comparison(Given):
    """Sessions side by side; each difference is one to the first."""

    protocol: str
    sessions: list[dict[str, Any]]
    differences: list[dict[str, Any]]


class ToLabel(Strict):
    """What turned out to be the case."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"truth": "right"}]})

    truth: str = Field(min_length=1, max_length=200, description="One of `truths`; of a finding `right` or `wrong`.")
    finding: str = Field("", max_length=200, description="The id of a finding, or the start of it.")
    note: str = Field("", max_length=MOST_NOTE, description="How that became known.")


class Label(Given):
    at: int = Field(description="Milliseconds since 1970 (UTC).")
    session: str
    protocol: str
    verdict: str
    seq: int = Field(description="The last entry that was there to be judged.")
    head: str = Field(description="Its hash.")
    truth: str
    finding: str = Field(description="Empty for the session as a whole.")
    note: str


class NewLabel(Label):
    before: list[str] = Field(description="Earlier labels of the same; they stay, and count no more.")


class Labels(Given):
    session: str
    labels: list[Label] = Field(description="In order; the last one counts.")
    truths: dict[str, str] = Field(description="What the truth may be; nothing before the end of the session.")


class Calibration(Given):
    """How right verdicts, seats and confidences were in labelled sessions; counts beside every share."""

    sessions: int
    findings: int
    confidence: float = Field(description="With which the bounds hold.")
    verdicts: list[dict[str, Any]]
    seats: list[dict[str, Any]]
    confidences: list[dict[str, Any]]
    panels: list[dict[str, Any]]
    families: list[dict[str, Any]]
    flips: dict[str, Any]
    advice: list[str]
    left_out: list[dict[str, Any]] = Field(description="Labels that could not be counted, and why.")


@router.post(
    "/sessions/{session}/redecide",
    summary="Decide a session anew",
    response_model=Redecision,
    responses=may_fail(404, 409, 413, 415),
)
async def redecide(desk: AtDesk, session: SessionId, body: ToRedecide) -> Response:
    """What other settings make of the recorded answers: nobody is asked, and nothing is written."""
    return document(await redecided(desk.workspace, desk.journal, session, body.settings))


@router.get(
    "/sessions/{session}/comparison",
    summary="Compare sessions",
    response_model=Comparison,
    responses=may_fail(404, 409),
)
async def comparison(
    desk: AtDesk,
    session: SessionId,
    others: Annotated[
        str,
        Query(
            alias="with",
            pattern=f"^{ID}(,{ID}){{0,{MOST_SESSIONS - 2}}}$",
            max_length=7_000,
            description="The ids of other sessions of the same protocol, with commas between them.",
        ),
    ],
) -> Response:
    """Where each first parts from this one, what each concluded and found, and what each cost."""
    return document(await compared(desk.workspace, desk.journal, [session, *others.split(",")]))


@router.get(
    "/sessions/{session}/labels",
    summary="Read the labels of a session",
    response_model=Labels,
    responses=may_fail(404, 409),
)
async def labels(desk: AtDesk, session: SessionId) -> Response:
    """What turned out to be right about it, and what could be said."""
    return document(await labels_of(desk.workspace, desk.journal, session))


@router.post(
    "/sessions/{session}/labels",
    summary="Label a session",
    status_code=201,
    response_model=NewLabel,
    responses=may_fail(404, 409, 413, 415),
)
async def label(desk: AtDesk, session: SessionId, body: ToLabel) -> Response:
    """Record what turned out to be right about it or one of its findings. Labels are added, and never changed."""
    made = await labelled(desk.workspace, desk.journal, session, body.truth, finding=body.finding, note=body.note)
    return document(made, 201)


@router.get(
    "/calibration",
    summary="Read how right sessions were",
    response_model=Calibration,
    responses=may_fail(404),
)
async def calibration(
    desk: AtDesk,
    protocol: Annotated[str | None, Query(max_length=80)] = None,
    model: Annotated[str | None, Query(min_length=1, max_length=200, description="A name, a part, a family.")] = None,
) -> Response:
    """What all labelled sessions tell: of verdicts, seats, confidences, and how far seats err together."""
    if protocol is not None:
        check_protocol(protocol)
    return document(await calibrated(desk.workspace, desk.journal, protocol=protocol, model=model))
