"""Routes for the web page and its files, with a content security policy that lets nothing else run."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Response
from starlette.exceptions import HTTPException

from quorate.web.page import asset, index

router = APIRouter(include_in_schema=False)


def policy(script_hash: str) -> str:
    """Return the content security policy of the page; it allows one inline script, the import map, by hash."""
    return (
        f"default-src 'none'; script-src 'self' '{script_hash}'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


@router.get("/")
async def page() -> Response:
    """The page itself; open to everybody, and empty until somebody has logged in."""
    made = index()
    headers = {"Content-Security-Policy": policy(made.script_hash), "Cache-Control": "no-cache"}
    return Response(made.html, media_type="text/html", headers=headers)


@router.get("/static/{path:path}")
async def static(path: str, if_none_match: Annotated[str | None, Header()] = None) -> Response:
    """A file of the page, by its name below `static`."""
    found = asset(path)
    if found is None:
        raise HTTPException(404)
    headers = {"ETag": found.etag, "Cache-Control": "no-cache"}
    if if_none_match is not None and found.etag in [each.strip() for each in if_none_match.split(",")]:
        return Response(status_code=304, headers=headers)
    return Response(found.content, media_type=found.media_type, headers=headers)


@router.get("/favicon.ico")
async def icon() -> Response:
    """Browsers ask for it; the page brings its own."""
    return Response(status_code=204)
