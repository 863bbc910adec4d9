"""`mcp`: run the MCP server for coding assistants."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quorate.cli.desk import Place, store_option, tell_shared
from quorate.cli.group import Command
from quorate.cli.output import err, is_terminal

if TYPE_CHECKING:
    from quorate.api.roots import Roots
    from quorate.workspace import Workspace

PORT = 8421


@click.command(
    cls=Command,
    examples=(
        "quorate mcp",
        "quorate mcp --root ~/shop --root ~/documents",
        "quorate mcp --http --port 8421",
        "quorate mcp --http --host 0.0.0.0 --token-file ~/.quorate-token",
    ),
)
@click.option("--http", is_flag=True, help="Serve streamable HTTP at /mcp; without it, stdin and stdout.")
@click.option(
    "--host", default="127.0.0.1", metavar="ADDRESS", help="Where to listen; other than loopback, a token is needed."
)
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0 takes a free one.")
@click.option("--token-file", type=click.Path(path_type=Path), metavar="FILE", help="The token; else QUORATE_TOKEN.")
@click.option(
    "--root",
    "folders",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    metavar="DIR",
    help="Paths may lie in here; may be repeated. Default: the project.",
)
@store_option
@click.pass_context
def mcp(
    ctx: click.Context, http: bool, host: str, port: int, token_file: Path | None, folders: tuple[Path, ...]
) -> None:
    """Serve coding assistants by the Model Context Protocol.

    Tools open sessions, wait for them, pass answers on and read reports. Over stdio a session is driven by a process of
    its own, so it goes on when assistant and server end; over HTTP the server drives it, and goes on with it after a
    restart. docs/how-to/mcp.md says how an assistant is told of it.
    """
    place: Place = ctx.obj
    _check_options(ctx, http)
    _check_installed()
    workspace = place.workspace()
    tell_shared(workspace)
    roots = _roots(workspace, folders)
    from quorate.mcp.service import PATH, bound, serve_http, serve_stdio

    if not http:
        if is_terminal(sys.stdin):
            err("serving on stdin and stdout, for an assistant that starts this itself; Ctrl-C ends it")
        serve_stdio(workspace, roots)
        return
    from quorate.http.access import Scope, read_access

    access = read_access(os.environ, token_file)
    access.check_address(host)

    def allows(authorization: str | None) -> bool:
        return access.of_request(authorization, None).allows(Scope.WRITE)

    with bound(host, port) as listening:
        number = listening.getsockname()[1]
        name = f"[{host}]" if ":" in host else host
        told = f"serving http://{name}:{number}{PATH}"
        serve_http(workspace, roots, listening, allows if access.asks else None, lambda: err(told))


def _check_options(ctx: click.Context, http: bool) -> None:
    """Refuse options that would have no effect."""
    for name in () if http else ("host", "port", "token_file"):
        if ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            raise click.UsageError(f"--{name.replace('_', '-')} has no effect without --http.")


def _check_installed() -> None:
    missing = [name for name in ("mcp", "uvicorn", "starlette") if find_spec(name) is None]
    if missing:
        raise click.UsageError(f"{', '.join(missing)} is not installed; get it with: pip install 'quorate[serve]'")


def _roots(workspace: Workspace, folders: tuple[Path, ...]) -> Roots:
    from quorate.api.roots import Roots

    return Roots(folders or (workspace.root or Path.cwd(),), workspace.files)
