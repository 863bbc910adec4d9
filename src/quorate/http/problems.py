"""Problems: every error as RFC 9457 problem details (`application/problem+json`)."""

from __future__ import annotations

import json
import secrets
import sys
import traceback
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.responses import Response

from quorate.api.damage import DamagedSession
from quorate.codec import Malformed
from quorate.core.errors import InputError, QuorateError, RulesChanged, RuleViolation, StoreError
from quorate.safety.secrets import without_secrets
from quorate.store.journal import Conflict, SessionBusy, UnknownSession

MEDIA_TYPE = "application/problem+json"
Answer = dict[str, Any]
"""An answer as OpenAPI describes it."""
KINDS = "urn:quorate:problem:"
MOST_DETAIL = 2_000
"""Characters of a detail; what somebody sent is never quoted back at length."""


class Problem(BaseModel):
    """What went wrong, whose fault it is, and what would be right."""

    model_config = ConfigDict(extra="forbid")

    type: str = Field(description="Which kind of problem it is; `about:blank` where the status says it all.")
    title: str
    status: int
    detail: str
    key: str | None = Field(None, description="The input, setting or parameter that is wrong.")
    expected: str | None = Field(None, description="What would be right.")
    nearest: str | None = Field(None, description="The known name that looks most like the one given.")
    file: str | None = None
    line: int | None = None
    reference: str | None = Field(
        None, description="Of an internal error: what its entry in the server's log is called."
    )


class ProblemResponse(Response):
    """A problem as a response."""

    media_type = MEDIA_TYPE

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")


def problem(
    status: int, detail: str, *, kind: str = "", headers: Mapping[str, str] | None = None, **more: Any
) -> Response:
    """Return a problem response, with secrets masked; `more` are further members, of which None is left out."""
    detail = without_secrets(detail[: 2 * MOST_DETAIL])
    told = {
        "type": f"{KINDS}{kind}" if kind else "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail if len(detail) <= MOST_DETAIL else detail[: MOST_DETAIL - 1] + "…",
        **{name: value for name, value in more.items() if value is not None},
    }
    return ProblemResponse(told, status, headers)


def of_error(error: QuorateError) -> Response:
    """Map a QuorateError to a problem; the status depends on who can fix it."""
    match error:
        case Malformed() if error.problems:
            first = error.problems[0]
            return problem(422, str(error), kind="input", key=first.key, expected=first.expected, nearest=first.nearest)
        case InputError():
            more = {name: getattr(error, name) for name in ("key", "expected", "nearest", "file", "line")}
            return problem(422, error.what if error.key or error.file else str(error), kind="input", **more)
        case UnknownSession():
            return problem(404, error.what, kind="unknown-session")
        case SessionBusy():
            return problem(409, str(error), kind="busy")
        case RuleViolation():
            return problem(409, str(error), kind="rule")
        case RulesChanged():
            return problem(409, str(error), kind="rules-changed")
        case Conflict():
            return problem(409, str(error), kind="conflict")
        case DamagedSession():
            return problem(409, str(error), kind="damaged")
        case StoreError():
            tell_log(error)
            return problem(503, "the store cannot be read or written; the server's log says why", kind="store")
        case _:
            return internal(error)


def internal(error: BaseException) -> Response:
    """Log an unexpected error, and return a problem that only refers to the log entry."""
    reference = secrets.token_hex(4)
    tell_log(error, reference)
    detail = f"something went wrong on our side; the server's log has it under {reference}"
    return problem(500, detail, kind="internal", reference=reference)


def tell_log(error: BaseException, reference: str = "") -> None:
    """Write an error with its traceback to stderr, with secrets masked."""
    told = without_secrets("".join(traceback.format_exception(error)))
    print(f"quorate: error {reference}\n{told}", file=sys.stderr, flush=True)  # noqa: T201 - this is the log


# What FastAPI and Starlette raise by themselves


async def on_quorate_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, QuorateError)
    return of_error(error)


async def on_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail, headers = str(error.detail), {str(name): str(value) for name, value in (error.headers or {}).items()}
    if error.status_code == 404 and detail == HTTPStatus.NOT_FOUND.phrase:
        detail = f"there is nothing at {request.url.path[:200]!r}"
    elif error.status_code == 405:
        headers["Allow"] = allowed = ", ".join(_methods(request)) or headers.get("Allow", "")
        detail = f"{request.method} is not possible here; possible: {allowed}"
    return problem(error.status_code, detail, headers=headers)


def _methods(request: Request) -> list[str]:
    """Return all methods allowed at a path, over all its routes."""
    routes: list[APIRoute] = request.app.state.routes
    return sorted(
        {each for route in routes if route.path_regex.match(request.url.path) for each in route.methods or ()}
    )


async def on_invalid(_: Request, error: Exception) -> Response:
    """Return a problem for the first validation error of a request; the others may only follow from it."""
    assert isinstance(error, RequestValidationError)
    errors = error.errors()
    first: Any = errors[0] if errors else {"type": "", "loc": (), "msg": "the request is not valid"}
    if first["type"] == "json_invalid":
        why = first.get("ctx", {}).get("error", "")
        return problem(400, f"the body is not JSON: {why} at character {first['loc'][-1]}", kind="json")
    where, *place = [str(part) for part in first["loc"]] or [""]
    key = ".".join(place) or None
    if first["type"] == "extra_forbidden":
        return problem(422, "unknown field", kind="input", key=key)
    if first["type"] == "missing":
        return problem(422, "is missing", kind="input", key=key or where)
    expected = str(first["msg"]).removeprefix("Input should be ")
    return problem(422, "has the wrong type or value", kind="input", key=key or where, expected=expected)


RESPONSES: dict[int | str, Answer] = {
    status: {"description": says, "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    for status, says in {
        400: "The request cannot be read.",
        401: "Nobody has said who they are, or the token is not known.",
        403: "This may not be done: by this token, from this site, or under this name.",
        404: "There is no such thing.",
        409: "The rules or the state of the session do not allow it; nothing was changed.",
        413: "The body is too large.",
        415: "The body is not JSON.",
        422: "An input, setting or parameter is wrong; says which and what would be right.",
        429: "Too many requests; `Retry-After` says when to try again.",
        500: "An internal error; its reference stands in the server's log.",
        503: "The store cannot be used, or too many event streams are open.",
    }.items()
}
"""By status: what an operation may answer besides its result."""


def may_fail(*statuses: int, gives: Answer | None = None) -> dict[int | str, Answer]:
    """Return the OpenAPI responses of an operation: its result, the common errors and these."""
    told: dict[int | str, Answer] = {
        status: RESPONSES[status] for status in sorted({400, 401, 403, 422, 429, 500, 503, *statuses})
    }
    return {200: gives, **told} if gives is not None else told
