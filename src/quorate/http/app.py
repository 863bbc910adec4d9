"""The ASGI application: all routes behind one gate, over one host."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Route
from starlette.types import ASGIApp

from quorate.api.estimate_queue import Estimates
from quorate.api.folds import Folds
from quorate.api.host import Host
from quorate.api.proofs import Proofs
from quorate.api.roots import Roots
from quorate.api.session_list import Listing
from quorate.core.errors import QuorateError
from quorate.http import about, acts, events, evidence, health, page, protocols, questions, seats, sessions, worth
from quorate.http.access import Access
from quorate.http.description import describe
from quorate.http.desk import Desk
from quorate.http.gate import RequestGate
from quorate.http.headers import Guarded
from quorate.http.limits import RequestLimits
from quorate.http.problems import on_http_error, on_invalid, on_quorate_error
from quorate.http.streams import Streams


@dataclass(frozen=True)
class Mounted:
    """Another ASGI application mounted on the same server, behind the same gate."""

    path: str
    app: ASGIApp
    life: AbstractAsyncContextManager[object]
    """Entered after the host and left before it."""


def create_app(
    host: Host,
    access: Access,
    roots: Roots,
    *,
    limits: RequestLimits | None = None,
    proofs: Proofs | None = None,
    mounted: Mounted | None = None,
) -> FastAPI:
    """Create the application. Its lifespan enters the host, which resumes the sessions that were running."""
    limits = limits or RequestLimits()
    desk = Desk(
        host=host,
        access=access,
        roots=roots,
        limits=limits,
        folds=Folds(host.workspace, host.journal),
        listing=Listing(host.journal),
        proofs=proofs or Proofs(),
        estimates=Estimates(host.workspace, roots),
        streams=Streams(limits.streams, limits.streams_of_one),
    )

    @asynccontextmanager
    async def life(made: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(host)
            except QuorateError as error:
                made.state.failed = error  # for whoever started the server: it has no other way to know why
                raise
            stack.push_async_callback(desk.proofs.close)
            if mounted is not None:
                await stack.enter_async_context(mounted.life)
            desk.streams.begin()
            stack.callback(desk.streams.end)
            yield

    app = FastAPI(
        title="Quorate",
        version=version("quorate"),
        lifespan=life,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        middleware=[Middleware(Guarded), Middleware(RequestGate, access=access, limits=limits)],
        exception_handlers={
            QuorateError: on_quorate_error,
            HTTPException: on_http_error,
            RequestValidationError: on_invalid,
        },
    )
    app.state.desk = desk
    app.state.readiness = health.readiness_of(host)
    add_routes(app)
    if mounted is not None:
        app.router.routes.append(Route(mounted.path, endpoint=mounted.app))
    return app


def add_routes(app: FastAPI) -> None:
    """Add all routes and their OpenAPI description to an application."""
    rooms = (about, protocols, sessions, events, questions, acts, evidence, worth, seats, page, health)
    routers = [each.router for each in rooms]
    for router in routers:
        app.include_router(router)
    app.state.routes = [route for router in routers for route in router.routes]
    describe(app)
