"""Routes that describe the server and log browsers in and out."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import version

from fastapi import APIRouter, Request, Response
from pydantic import Field

from quorate import api
from quorate.http.access import Scope
from quorate.http.desk import AtDesk
from quorate.http.documents import Given, Strict, document
from quorate.http.gate import ALLOWED, HOST, LOGIN_ID
from quorate.http.logins import LIFE_SECONDS, cookie_name
from quorate.http.problems import may_fail, problem
from quorate.http.strict import StrictRoute

router = APIRouter(prefix="/api", tags=["access"], route_class=StrictRoute)


class About(Given):
    """What the server tells a client, depending on its permission."""

    name: str
    version: str = Field(description="Empty for somebody who may not read.")
    root: str = Field(description="The folder of the project; empty for somebody who may not read.")
    read: bool = Field(description="Whether whoever asks may read.")
    write: bool
    login: bool = Field(description="Whether a token is needed at all.")
    protocols: list[str]
    budget: dict[str, int | None] = Field(description="The project's limits, which a session may change; null is none.")


class Login(Strict):
    token: str = Field(min_length=1, max_length=512)


class LoggedIn(Given):
    read: bool
    write: bool


@router.get("", summary="Describe this server", response_model=About, responses=may_fail())
async def about(desk: AtDesk, request: Request) -> Response:
    """Open to everybody; it says what the client may do."""
    allowed: Scope = request.scope[ALLOWED]
    reads = allowed.allows(Scope.READ)
    told = {
        "name": "quorate",
        "version": version("quorate") if reads else "",
        "root": str(desk.workspace.root or "") if reads else "",
        "read": reads,
        "write": allowed.allows(Scope.WRITE),
        "login": desk.access.asks,
        "protocols": [each.name for each in api.protocols()] if reads else [],
        "budget": asdict(desk.workspace.config.budget) if reads else {},
    }
    return document(told)


@router.post("/login", summary="Log a browser in", response_model=LoggedIn, responses=may_fail(413, 415))
async def login(desk: AtDesk, request: Request, body: Login) -> Response:
    """Exchange a token for a login cookie, which does not contain the token."""
    scope = desk.access.of_token(body.token) if desk.access.asks else Scope.WRITE
    if scope is Scope.NONE:
        how = {"WWW-Authenticate": 'Bearer realm="quorate"'}
        return problem(401, "this is not a token of this server", kind="token", key="token", headers=how)
    answer = document({"read": scope.allows(Scope.READ), "write": scope.allows(Scope.WRITE)})
    if desk.access.asks:
        _end(desk, request)
        answer.set_cookie(
            cookie_name(request.scope[HOST]),
            desk.access.logins.begin(scope.name),
            max_age=LIFE_SECONDS,
            httponly=True,
            samesite="strict",
            secure=_is_secure(request),
        )
    return answer


@router.post("/logout", summary="Log a browser out", status_code=204, responses=may_fail())
async def logout(desk: AtDesk, request: Request) -> Response:
    """Forget the login of this browser; without one nothing happens."""
    _end(desk, request)
    answer = Response(status_code=204)
    answer.delete_cookie(cookie_name(request.scope[HOST]), httponly=True, samesite="strict", secure=_is_secure(request))
    return answer


def _end(desk: AtDesk, request: Request) -> None:
    if request.scope[LOGIN_ID]:
        desk.access.logins.end(request.scope[LOGIN_ID])


def _is_secure(request: Request) -> bool:
    """Return whether the browser uses https, judging by our connection or the request's origin."""
    return request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://")
