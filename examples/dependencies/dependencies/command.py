"""The command `quorate dependencies`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from quorate import authoring as q

FILE = click.Path(path_type=Path)


@click.command(
    cls=q.Command,
    examples=(
        "quorate dependencies requirements.txt --before old/requirements.txt --panel panel.yaml",
        'quorate dependencies pyproject.toml --why "We parse feeds now." --set denied=[left-pad] --no-input',
    ),
)
@click.argument("after", type=FILE)
@click.option("--before", type=FILE, metavar="FILE", help="The same file as it was; without it everything is new.")
@click.option("--why", metavar="TEXT", help="What the new dependencies are for.")
@click.option("--docs", type=FILE, metavar="DIR", help="The folder of DEPENDENCIES.md; default: that of AFTER.")
@q.session_options
@click.pass_context
def dependencies(ctx: click.Context, /, **given: Any) -> int:
    """Approve new third-party dependencies of a project.

    AFTER is a requirements file or a pyproject.toml as it is to be. Code screens what is new: what is not pinned, does
    not come from the index, is denied or looks like a known name is refused, whoever votes for it. Then two reviewers
    vote blind, and the owner decides where they differ: APPROVED (0), REFUSED (1) or UNDECIDED (2).
    """
    inputs = {name: given[name] for name in ("after", "before", "why", "docs")}
    return q.run_session(ctx, "dependencies", inputs, given)
