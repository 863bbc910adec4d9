"""The OpenAPI description of the API, completed with what FastAPI does not know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from quorate import api
from quorate.http.problems import Problem

ABOUT = """Sessions of every protocol can be opened, watched, answered, forked and checked. All errors are RFC 9457
problems. A program sends `Authorization: Bearer TOKEN`; a browser logs in once and has a cookie. Where the server was
started without a token it listens on its own machine alone, and neither is needed."""
ANYBODY = {("/api", "get"), ("/api/login", "post"), ("/api/logout", "post")}
PROTOCOL = (("path", "name"), ("query", "protocol"))
"""The parameters that name a protocol."""


def describe(app: FastAPI) -> None:
    """Set the OpenAPI description of an application."""

    def description() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _described(app)
        return app.openapi_schema

    app.openapi = description  # type: ignore[method-assign]


def _described(app: FastAPI) -> dict[str, Any]:
    made = get_openapi(title=app.title, version=app.version, description=ABOUT, routes=app.routes)
    parts = made["components"]
    schemas = parts["schemas"]
    schemas["Problem"] = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    for name in ("HTTPValidationError", "ValidationError"):  # ours are problems
        schemas.pop(name, None)
    names = [each.name for each in api.protocols()]
    schemas["ToOpen"]["properties"]["protocol"]["enum"] = names
    parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for path, method, operation in _operations(made):
        if (path, method) not in ANYBODY:
            operation["security"] = [{"token": []}]
        for each in operation.get("parameters", []):
            named = (each["in"], each["name"]) in PROTOCOL
            each["schema"] = {"enum": names} if named else _without_null(each["schema"])
    return made


def _operations(made: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, operations in made["paths"].items():
        for method, operation in operations.items():
            yield path, method, operation


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Remove null from a parameter's schema, since query strings and headers have no null."""
    kinds = [each for each in schema.get("anyOf", []) if each != {"type": "null"}]
    if len(kinds) != 1:
        return schema
    return {name: value for name, value in (*schema.items(), *kinds[0].items()) if name != "anyOf"}
