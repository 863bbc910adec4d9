"""The reference of the HTTP interface, written from its own description, so that it cannot grow old."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from fastapi import FastAPI

from quorate.http.app import add_routes

SECTIONS = {
    "access": "What this server is, and who may come in",
    "sessions": "Sessions",
    "events": "Events",
    "questions": "Questions to people",
    "acts": "What a person may do to a session",
    "evidence": "Evidence",
    "protocols": "Protocols",
    "seats": "Who can sit on a seat",
}


def http_operations() -> str:
    """Return all operations as Markdown tables, by what they are about."""
    parts = []
    for tag, title in SECTIONS.items():
        rows = [_operation(*each) for each in _operations() if each[2]["tags"] == [tag]]
        parts.append(f"### {title}\n\n" + _table(("request", "what it does", "parameters", "sends", "gives"), rows))
    return "\n\n".join(parts)


def http_models() -> str:
    """Return the documents that are sent and given, field by field."""
    models = _description()["components"]["schemas"]
    used = dict.fromkeys(name for _, _, each in _operations() for name in (_sent(each), _given(each)[1]) if name)
    nested = dict.fromkeys(name for model in used for name in _refs(models[model]))
    parts = []
    for name in (*used, *(each for each in nested if each not in used), "Problem"):
        rows = [(f"`{key}`", _kind(each), each.get("description", "")) for key, each in _fields(models[name])]
        says = models[name].get("description", "").split("\n")[0]
        parts.append(f"### {name}\n\n" + (f"{says}\n\n" if says else "") + _table(("field", "takes", "is"), rows))
    return "\n\n".join(parts)


@cache
def _description() -> dict[str, Any]:
    app = FastAPI(title="Quorate", openapi_url=None)
    add_routes(app)
    return app.openapi()


def _operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, operations in _description()["paths"].items():
        for method, operation in operations.items():
            yield path, method, operation


def _operation(path: str, method: str, operation: dict[str, Any]) -> tuple[str, ...]:
    asked = [each["name"] for each in operation.get("parameters", []) if each["in"] != "path"]
    says = operation.get("description", "").split("\n\n")[0].replace("\n", " ")
    what = operation["summary"] + (f". {says}" if says else "")
    sent, (given, _) = _sent(operation), _given(operation)
    return (
        f"`{method.upper()} {path}`",
        what,
        ", ".join(f"`{name}`" for name in asked),
        f"{sent}" if sent else "",
        given,
    )


def _sent(operation: dict[str, Any]) -> str | None:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    return next(iter(_refs(body)), None)


def _given(operation: dict[str, Any]) -> tuple[str, str | None]:
    """What comes back, in words, and the model that it is, if it is one."""
    status = next(each for each in operation["responses"] if each.startswith("2"))
    content = operation["responses"][status].get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    name = next(iter(_refs(schema)), None)
    many = "a list of " if schema.get("type") == "array" else ""
    words = f"{many}{name}" if name else ", ".join(f"`{kind}`" if kind != "*/*" else "a file" for kind in content)
    return f"{status}" + (f" {words}" if words else ""), name


def _refs(schema: Any) -> Iterator[str]:
    """The models that a schema names, in order."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].rpartition("/")[2]
        for each in schema.values():
            yield from _refs(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from _refs(each)


def _fields(model: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from model.get("properties", {}).items()


def _kind(schema: dict[str, Any]) -> str:
    """What a field holds, in words."""
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " or ".join(_kind(each) for each in schema["anyOf"])
    if "enum" in schema:
        return "one of " + ", ".join(f"`{each}`" for each in schema["enum"])
    if "const" in schema:
        return f"`{str(schema['const']).lower()}`"
    if schema.get("type") == "array":
        inner = _kind(schema.get("items", {}))
        return f"list of {inner}" if inner else "list"
    names = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
    return names.get(schema.get("type", ""), str(schema.get("type", "")))


def _table(headings: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [headings, tuple("---" for _ in headings), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
