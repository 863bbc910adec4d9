"""`serve`: run the web page and the HTTP API, for this machine or, with a token, for others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quorate.cli.desk import Place, store_option
from quorate.cli.group import Command
from quorate.cli.output import out
from quorate.cli.service import service

if TYPE_CHECKING:
    from quorate.http.access import Access

EXTRA = "pip install 'quorate[serve]'"
ENDED = "ended; what was running goes on when a server is started again"


@click.command(
    cls=Command,
    examples=(
        "quorate serve --open",
        "quorate serve --port 9000 --root ~/projects/shop",
        "QUORATE_TOKEN=$(openssl rand -hex 24) quorate serve --host 0.0.0.0",
    ),
)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Where to listen.")
@click.option("--port", type=click.IntRange(0, 65535), default=8420, show_default=True, help="0 takes a free one.")
@click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A folder that requests may name files in; the project's own if left out. May be repeated.",
)
@click.option(
    "--token-file", type=click.Path(path_type=Path), metavar="FILE", help="The token, in a file's first line."
)
@click.option("--open", "opens", is_flag=True, help="Open the page in a browser.")
@click.option("--metrics", is_flag=True, help="Count for Prometheus, at /metrics.")
@store_option
@click.pass_obj
def serve(
    place: Place, host: str, port: int, roots: tuple[Path, ...], token_file: Path | None, opens: bool, metrics: bool
) -> int:
    """Serve the page and the HTTP interface.

    It goes on with every session that it was driving when it last ended. Without a token it serves this machine alone;
    QUORATE_TOKEN (read and write) and QUORATE_READ_TOKEN, or --token-file, say who else may come in. An MCP server is
    at /mcp. /healthz and /readyz say whether it lives and is ready. Ctrl-C ends it; nothing is lost.
    """
    import os

    try:
        from quorate.http.access import read_access
        from quorate.http.server import BindAddress, run, url_of
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("quorate"):
            raise
        raise click.UsageError(f"`quorate serve` needs {error.name}, which is not installed: {EXTRA}") from error
    server = service(place.workspace(), metrics=metrics)
    workspace = server.workspace
    access = read_access(os.environ, token_file)
    folders = tuple(path.resolve() for path in roots) or (workspace.root or Path.cwd(),)
    bound = BindAddress(host, port).bind(access)
    address = url_of(bound)

    def ready() -> None:
        out(f"Quorate serves {workspace.root or Path.cwd()} at {address}")
        if workspace.folder is not None:
            server.tells(
                "no project is here, so it shows the sessions of all folders without one; `quorate init` makes one"
            )
        server.tells(_who(access))
        if opens:
            _open(address)

    run(workspace, access, folders, bound, ready, server.says)
    gone = workspace.store.startswith("memory:")
    server.tells("ended; its sessions were in memory and are gone" if gone else ENDED)
    return 0


def _who(access: Access) -> str:
    if not access.asks:
        return "everybody on this machine may read and write; QUORATE_TOKEN sets a token; Ctrl-C ends it"
    readers = "; another token may read alone" if access.read_token is not None and access.token is not None else ""
    return f"a token is asked for{readers}; Ctrl-C ends it"


def _open(address: str) -> None:
    """Open a browser without waiting for it."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
