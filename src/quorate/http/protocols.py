"""Routes for protocols: the installed ones, their rules and diagrams, proofs, and cost estimates."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import ConfigDict, Field
from starlette.exceptions import HTTPException

from quorate import api
from quorate.api.expected_cost import Assumed
from quorate.api.proofs import ProofState
from quorate.api.protocol_data import describe_protocol, describe_protocols
from quorate.core.errors import nearest
from quorate.http.desk import AtDesk, Desk, ProtocolName
from quorate.http.documents import Given, Strict, document
from quorate.http.problems import may_fail
from quorate.http.strict import StrictRoute

router = APIRouter(prefix="/api/protocols", tags=["protocols"], route_class=StrictRoute)
Tree = list[Any]
"""Prose as nodes: a text, or [tag, attributes or null, …children]."""
USUAL = Assumed()
DRAWN = {"svg": "image/svg+xml", "mermaid": "text/vnd.mermaid", "md": "text/markdown", "plan": "application/json"}


class ShortProtocol(Given):
    name: str
    title: str
    seats: list[str]
    phases: list[str]


class Row(Given):
    phase: str
    outcome: str
    to: str


class Interruption(Given):
    reason: str
    to: str
    when: str


class Table(Given):
    title: str
    tree: Tree


class WholeProtocol(ShortProtocol):
    """A protocol under its default settings."""

    version: str
    digest: str
    initial: str
    ends: list[str]
    table: list[Row]
    interrupts: list[Interruption]
    exit_codes: dict[str, int]
    rulings: dict[str, list[str]] = Field(description="By verdict: what a person may rule on it.")
    inputs: dict[str, Any] = Field(description="A JSON Schema of `inputs` when a session is opened.")
    settings: dict[str, Any] = Field(description="A JSON Schema of the settings.")
    defaults: dict[str, Any]
    rules: Tree
    tables: list[Table]
    diagram: dict[str, Any] = Field(description="Boxes and arrows with their places.")


class ProofStanding(Given):
    """State of a proof."""

    status: Literal["unknown", "running", "done", "failed"]
    report: dict[str, Any] | None = Field(description="As `quorate verify --json` has it, once it is done.")
    detail: str = Field(description="Why it failed; empty otherwise.")


class ToEstimate(Strict):
    """A session to estimate, and what is assumed of it."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"model": "anthropic:claude-sonnet-4-5", "settings": {}}]}
    )

    inputs: dict[str, Any] | None = Field(None, description="As when it is opened; without them `matter` is assumed.")
    settings: dict[str, Any] | None = Field(None, description="Settings over those of the project.")
    budget: dict[str, Any] | None = Field(None, description="Limits over those of the project.")
    panel: str | None = Field(None, min_length=1, max_length=4096, description="A panel file inside the roots.")
    model: str | None = Field(
        None, min_length=1, max_length=500, description="Who sits on every seat that the panel does not name."
    )
    accuracy: str = Field(
        USUAL.accuracy, pattern=r"^(0\.[0-9]{1,4}|1)$", description="Of the simulated agents, as `0.7`."
    )
    reply: int = Field(USUAL.reply, ge=1, le=1_000_000, description="Tokens that a reply is expected to have.")
    matter: int = Field(USUAL.matter, ge=1, le=10_000_000, description="Tokens of the material, where none is brought.")


class Estimated(Given):
    """Asks, tokens and US dollars; a price that is not known is null, and never zero."""

    protocol: str
    panel: dict[str, str]
    relayed: list[str] = Field(description="Seats with two models, of which each ask goes to one.")
    several_calls: list[str] = Field(
        description="Seats where an ask takes several calls, all counted: samples, or a draft and its confirmation."
    )
    material: dict[str, Any] = Field(description="Its tokens, and whether they were measured.")
    worst: dict[str, Any] = Field(description="What cannot be exceeded, every repair included.")
    worst_without_repairs: dict[str, Any]
    expected: dict[str, Any] | None = Field(description="The mean of simulated sessions; null where none can be.")
    assumed: dict[str, Any]
    phases: dict[str, dict[str, Any]]
    single_call: dict[str, Any] | None = Field(description="One call about the same; null where no model sits there.")
    budget: dict[str, Any] = Field(description="The limits, and whether the worst case fits.")


@router.get("", summary="List the protocols", response_model=list[ShortProtocol], responses=may_fail())
async def protocols() -> Response:
    return document(describe_protocols())


@router.get("/{name}", summary="Describe a protocol", response_model=WholeProtocol, responses=may_fail(404))
async def protocol(desk: AtDesk, name: ProtocolName) -> Response:
    """Its table, rules, settings, inputs and drawing, for people and for forms."""
    _check(name)
    return document(describe_protocol(name, desk.workspace))


@router.get(
    "/{name}/diagram",
    summary="Draw a protocol",
    response_class=Response,
    responses=may_fail(404, gives={"description": "The drawing.", "content": {each: {} for each in DRAWN.values()}}),
)
async def diagram(
    name: ProtocolName,
    format_: Annotated[Literal["svg", "mermaid", "md", "plan"], Query(alias="format")] = "svg",
) -> Response:
    """As SVG, as Mermaid, as tables in Markdown, or as boxes and arrows with their places (`plan`)."""
    _check(name)
    if format_ == "plan":
        return document(describe_protocol(name)["diagram"])
    return Response(api.graph(name, format_), media_type=DRAWN[format_])


@router.get("/{name}/proof", summary="Read a proof", response_model=ProofStanding, responses=may_fail(404))
async def proof(desk: AtDesk, name: ProtocolName) -> Response:
    """What was proven about a protocol, if anybody has asked for it since its code was last changed."""
    _check(name)
    return await _standing(desk, name, desk.proofs.get(name), 200)


@router.post(
    "/{name}/proof", summary="Prove a protocol", status_code=202, response_model=ProofStanding, responses=may_fail(404)
)
async def prove(desk: AtDesk, name: ProtocolName) -> Response:
    """Begin to prove a protocol in a process of its own, one at a time; what is proven already stays proven."""
    _check(name)
    return await _standing(desk, name, desk.proofs.start(name), 202)


@router.post(
    "/{name}/estimate",
    summary="Estimate what a session costs",
    response_model=Estimated,
    responses=may_fail(404, 409, 413, 415),
)
async def estimate(desk: AtDesk, name: ProtocolName, body: ToEstimate) -> Response:
    """At worst and as expected, in asks, tokens and money. Nobody is asked, and nothing is kept."""
    _check(name)
    assumed = Assumed(accuracy=body.accuracy, reply=body.reply, matter=body.matter)
    given = body.model_dump(include={"settings", "budget", "panel", "model"})
    return document(await desk.estimates.make(name, body.inputs, assumed=assumed, **given))


async def _standing(desk: Desk, name: str, found: ProofState, status: int) -> Response:
    """Return a proof's status; a finished one includes the worst-case cost with the default panel."""
    report = found.report
    if report is not None:
        asks = {profile: each.get("asks_by_seat", {}) for profile, each in report["profiles"].items()}
        costs = await asyncio.to_thread(api.worst_costs, desk.host.workspace, name, asks)
        report = api.with_costs(report, costs)
    return document({"status": found.status, "report": report, "detail": found.detail}, status)


def _check(name: str) -> None:
    known = [each.name for each in api.protocols()]
    if name not in known:
        near = nearest(name, known)
        hint = f"; did you mean {near!r}?" if near else f"; there are {', '.join(known)}"
        raise HTTPException(404, f"there is no protocol {name!r}{hint}")
