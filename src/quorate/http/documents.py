"""Documents: answers as JSON, and files that a browser saves and never shows."""

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
    """What somebody sends: names that are not known and values of another kind are errors."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Given(BaseModel):
    """What we answer. These models say what answers look like; tests hold every answer against them."""

    model_config = ConfigDict(extra="forbid")


def document(data: Any, status: int = 200) -> Response:
    """Return plain data as JSON."""
    return written(json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False), status)


def written(text: str, status: int = 200) -> Response:
    """Return a text that is JSON already."""
    return Response(text.encode("utf-8", "replace"), status, media_type="application/json")


def media_type(name: str) -> str:
    """Return the media type of a file by the end of its name."""
    return next((kind for ending, kind in MEDIA_TYPES.items() if name.endswith(ending)), "text/plain")


def attachment(name: str, text: str) -> Response:
    """Return a text as a file to be saved: whatever stands in it, no browser runs it as a page of ours."""
    safe = _UNSAFE.sub("_", name).strip("._")[:120] or "file"
    headers = {"Content-Disposition": f'attachment; filename="{safe}"'}
    return Response(text.encode("utf-8", "replace"), headers=headers, media_type=media_type(name))
