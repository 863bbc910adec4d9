"""Responses: JSON documents, and files that a browser downloads and never renders."""

from __future__ import annotations

import json
import re
from typing import Any, Literal

from fastapi import Response
from pydantic import BaseModel, ConfigDict

Prose = Literal["text", "tree"]
"""How texts are given: as they were written, or as a tree of nodes that a page can build safely."""
MEDIA_TYPES = {
    ".md": "text/markdown",
    ".html": "text/html",
    ".json": "application/json",
    ".yaml": "application/yaml",
    ".sarif": "application/sarif+json",
    ".xml": "application/xml",
}
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class Strict(BaseModel):
    """Base of request models: unknown fields and wrong types are errors."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Given(BaseModel):
    """Base of response models. They document the responses; tests validate every response against them."""

    model_config = ConfigDict(extra="forbid")


def document(data: Any, status: int = 200) -> Response:
    """Return plain data as a JSON response."""
    return written(json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False), status)


def written(text: str, status: int = 200) -> Response:
    """Return a text that is already JSON as a response."""
    return Response(text.encode("utf-8", "replace"), status, media_type="application/json")


def media_type(name: str) -> str:
    """Return the media type of a file by its extension."""
    return next((kind for ending, kind in MEDIA_TYPES.items() if name.endswith(ending)), "text/plain")


def attachment(name: str, text: str) -> Response:
    """Return a text as a download, so that no browser renders its content as a page of this server."""
    safe = _UNSAFE.sub("_", name).strip("._")[:120] or "file"
    headers = {"Content-Disposition": f'attachment; filename="{safe}"'}
    return Response(text.encode("utf-8", "replace"), headers=headers, media_type=media_type(name))
