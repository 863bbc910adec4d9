"""Routes for sessions: list them, open one, and read its status."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import ConfigDict, Field

from quorate import api
from quorate.api.opening import open_named
from quorate.api.order import MOST_SEED
from quorate.api.session_list import MOST_SHOWN, Wanted, check_protocol
from quorate.core.errors import RuleViolation
from quorate.http.desk import AtDesk, Desk, SessionId
from quorate.http.documents import Given, Strict, document
from quorate.http.problems import may_fail
from quorate.http.strict import StrictRoute

router = APIRouter(prefix="/api/sessions", tags=["sessions"], route_class=StrictRoute)


class ListedSession(Given):
    """A session in a list."""

    id: str
    protocol: str
    title: str
    opened_at: int = Field(description="Milliseconds since 1970 (UTC).")
    last: int = Field(description="The sequence of its last entry.")
    status: Literal["active", "waiting", "concluded"]
    phase: str
    round: int
    verdict: str | None
    ruling: str | None = Field(description="What a person ruled on the verdict.")
    degraded: str | None = Field(description="How much of the table was missing at the end; null for nothing.")
    exit_code: int | None = Field(description="What a program gets to know; null while it is under way.")
    waiting: list[str] = Field(description="The seats whose people are waited for.")
    running: bool = Field(description="Whether it is driven now.")
    elsewhere: bool = Field(description="Whether another process drives it: a command, a worker, another server.")
    failure: str | None = Field(description="Why it cannot be driven on.")
    tokens: int
    cost_usd: float | None = Field(description="Null where a price is not known.")
    budget: dict[str, Any]
    problem: str | None = Field(description="Why its journal cannot be read under the rules of today.")


class SessionList(Given):
    sessions: list[ListedSession]
    more: bool


class ToOpen(Strict):
    """What a session is opened with."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"protocol": "debate", "inputs": {"problem": "Where should a small shop keep its audit log?"}}]
        }
    )

    protocol: str = Field(max_length=80)
    inputs: dict[str, Any] = Field({}, description="As the protocol's `inputs` schema has them.")
    settings: dict[str, Any] | None = Field(None, description="Settings over those of the project.")
    budget: dict[str, Any] | None = Field(None, description="Limits over those of the project.")
    panel: str | None = Field(None, min_length=1, max_length=4096, description="A panel file inside the roots.")
    model: str | None = Field(
        None, min_length=1, max_length=500, description="Who sits on every seat that the panel does not name."
    )
    seed: int | None = Field(None, ge=0, le=MOST_SEED)
    start: bool = Field(True, description="Begin at once.")


class Opened(Given):
    session: str
    says: list[str] = Field(description="What is legal and should be known.")


class Opening(Given):
    """The first entry of the journal."""

    session: str
    protocol: str
    version: str
    digest: str
    title: str
    seed: int
    settings: dict[str, Any]
    panel: dict[str, str]
    material: dict[str, str] = Field(description="Digest by name.")
    fork: dict[str, Any] | None


class Flaw(Given):
    place: str = Field(description="`entry 7`, `material problem` or `brief propose`.")
    what: str
    entry: int = Field(description="The first entry that cannot be trusted because of it.")


class Damaged(Given):
    """What is wrong with a journal, entry by entry."""

    says: str
    whole: int = Field(description="How many entries hold, from the opening on.")
    last: int = Field(description="The sequence of the last entry that it ever had.")
    flaws: list[Flaw]


class Summary(Given):
    """Status and result of a session."""

    session: str
    protocol: str
    title: str
    phase: str
    round: int
    verdict: str | None
    ruling: dict[str, Any] | None
    owes: str
    exit_code: int
    degradation: str | None
    interrupted: str | None
    absences: list[dict[str, Any]]
    waiting: list[dict[str, Any]]
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    result: dict[str, Any] = Field(description="What it came to so far, as its protocol has it.")
    fates: list[dict[str, Any]] | None = Field(
        default=None,
        description="What became of each thing that was said or brought (`id`, `what`, `by`, `said`, `became`, "
        "`rule`); left out for a protocol that does not say.",
    )
    tolerance: dict[str, Any] | None = Field(
        description="How many dishonest votes the verdict tolerates, among which voters of which model families; null "
        "where nobody voted."
    )
    worth: dict[str, Any] | None = Field(
        description="What it bought and what it cost: effective votes, changes of position, what the first round alone "
        "would have concluded, tokens and money per phase and finding, cacheable prompts, and what labels and earlier "
        "sessions teach of it; null before its end."
    )
    running: bool
    elsewhere: bool
    failure: str | None
    last: int
    head: str = Field(description="The hash of the last entry.")
    fork: dict[str, Any] | None
    budget: dict[str, Any]
    rulings: list[str] = Field(description="What a person may rule on the verdict now.")
    opening: Opening
    damage: Damaged | None = Field(
        description="What is wrong with its journal. Then all else is told as of the last entry that holds, and "
        "nothing can be done to the session before it is repaired."
    )


@router.get("", summary="List sessions", response_model=SessionList, responses=may_fail(404))
async def sessions(
    desk: AtDesk,
    protocol: Annotated[str | None, Query(max_length=80)] = None,
    status: Annotated[Literal["active", "waiting", "concluded"] | None, Query()] = None,
    q: Annotated[str, Query(max_length=200, description="Words that stand in the id, title or protocol.")] = "",
    limit: Annotated[int, Query(ge=1, le=MOST_SHOWN)] = 50,
    before: Annotated[str | None, Query(max_length=120, description="The last session of the page before.")] = None,
) -> Response:
    """The newest first, a page at a time."""
    if protocol is not None:
        check_protocol(protocol, [each.protocol for each in await api.list_sessions(desk.journal)])
    shown, more = await desk.listing.page(Wanted(protocol, status, q, limit, before))
    failures = desk.host.failures
    told = [{**each, **await desk.driven(each["id"]), "failure": failures.get(each["id"])} for each in shown]
    return document({"sessions": told, "more": more})


@router.post(
    "", summary="Open a session", status_code=201, response_model=Opened, responses=may_fail(404, 409, 413, 415)
)
async def open_session(desk: AtDesk, body: ToOpen) -> Response:
    """Open a session of any protocol and, unless `start` is false, begin it. It continues if the client disconnects."""
    check_protocol(body.protocol)
    opened = await open_named(
        desk.workspace,
        desk.journal,
        body.protocol,
        body.inputs,
        settings=body.settings,
        budget=body.budget,
        panel=Path(body.panel) if body.panel is not None else None,
        model=body.model,
        seed=body.seed,
        roots=desk.roots,
    )
    if body.start:
        await desk.host.start(opened.session)
    return document({"session": opened.session, "says": list(opened.says)}, 201)


@router.get("/{session}", summary="Read how a session stands", response_model=Summary, responses=may_fail(404, 409))
async def summary(desk: AtDesk, session: SessionId) -> Response:
    """Where it is, who is waited for, what it cost, what it came to, and what a person may do now."""
    fold = await desk.folds.get(session)
    result = fold.result
    opening = dict(fold.events[0].data["opening"])
    told = {
        **api.summary(result),
        **await desk.driven(session),
        "failure": desk.host.failures.get(session),
        "last": fold.last,
        "head": fold.entries[-1].hash,
        "fork": opening["fork"],
        "budget": dict(result.record.opening.run.get("budget", {})),
        "rulings": [] if result.damage else _rulings(result),
        "opening": opening,
    }
    return document(told)


def _rulings(result: api.Result) -> list[str]:
    try:
        return list(api.possible_rulings(result))
    except RuleViolation:
        return []


async def standing(desk: Desk, session: str, status: int = 200) -> Response:
    """Return the short status of a session after an action."""
    record = (await desk.folds.get(session)).teller.record
    conclusion = record.session.conclusion
    told = {
        "session": session,
        "phase": record.session.phase.name,
        "round": record.protocol.round(record.session.state),
        "verdict": conclusion.verdict.name if conclusion else None,
        **await desk.driven(session),
    }
    return document(told, status)


class Standing(Given):
    """Where a session stands, in short."""

    session: str
    phase: str
    round: int
    verdict: str | None
    running: bool
    elsewhere: bool
