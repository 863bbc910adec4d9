"""Strict routes: unknown parameters and fields are errors that name them, and are never ignored."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine
from email.message import Message
from typing import Any

from fastapi import Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from quorate.core.errors import InputError, nearest
from quorate.http.problems import problem

MOST_DEPTH = 100
"""How deep lists and objects of a body may stand in each other."""
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


class StrictRequest(Request):
    """A request with a strict JSON body: no NaN, duplicate names or lone surrogates."""

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            self._json = read_json(await self.body())
        return self._json


def read_json(body: bytes) -> Any:
    """Parse a body. Raises JSONDecodeError for invalid JSON, and HTTPException for text that is not allowed."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise HTTPException(400, f"the body is not UTF-8 at byte {error.start}") from error
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
        _check(value, MOST_DEPTH)
    except json.JSONDecodeError:
        raise
    except RecursionError as error:
        raise HTTPException(400, f"the body is nested more than {MOST_DEPTH} deep") from error
    except ValueError as error:
        raise HTTPException(400, str(error)) from error
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:  # once through, because anybody may send a body with very many names
        if name in found:
            raise ValueError(f"the body has the name {name[:100]!r} twice")
        found[name] = value
    return found


def _no_number(word: str) -> Any:
    raise ValueError(f"the body has {word}, which is not JSON")


def _check(value: Any, depth: int) -> None:
    """Raise ValueError for text with NUL or a lone surrogate, and RecursionError for data nested too deep."""
    if depth < 0:
        raise RecursionError
    if isinstance(value, str):
        if _NO_TEXT.search(value):
            raise ValueError("the body has a text with NUL or half a surrogate pair in it")
    elif isinstance(value, dict):
        for name, each in value.items():
            _check(name, depth)
            _check(each, depth - 1)
    elif isinstance(value, list):
        for each in value:
            _check(each, depth - 1)


class StrictRoute(APIRoute):
    """A route that rejects unknown query parameters, and bodies that are not JSON."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        known, takes_body = query_names(self.dependant), self.body_field is not None

        async def strict(request: Request) -> Response:
            _check_query(request, known)
            asked = StrictRequest(request.scope, request.receive)
            if await asked.body() if takes_body else b"":
                if not _is_json(request.headers.get("content-type", "")):
                    return problem(415, "the Content-Type of the body is not JSON", expected="application/json")
            return await handle(asked)

        return strict


def query_names(dependant: Dependant) -> tuple[str, ...]:
    """Return the names of all query parameters of a route."""
    own = tuple(field.alias for field in dependant.query_params)
    return (*own, *(name for each in dependant.dependencies for name in query_names(each)))


def _check_query(request: Request, known: tuple[str, ...]) -> None:
    seen: set[str] = set()
    for name, value in request.query_params.multi_items():
        if name not in known:
            expected = "one of " + ", ".join(known) if known else "no parameters"
            raise InputError("unknown parameter", key=name[:100], expected=expected, nearest=nearest(name[:100], known))
        if name in seen:
            raise InputError("is given twice", key=name, expected="one value")
        if _NO_TEXT.search(value) or "\ufffd" in value:
            raise InputError("is not valid UTF-8", key=name, expected="text in UTF-8")
        seen.add(name)


def _is_json(content_type: str) -> bool:
    told = Message()
    told["content-type"] = content_type
    return told.get_content_type() == "application/json" if content_type else False
