"""`init`, `doctor` and `completion`: set up a project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quorate.cli.completion import complete_protocol
from quorate.cli.desk import Place, desk, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err, out, out_json

if TYPE_CHECKING:
    from quorate.api import Checkup

SHELLS = {
    "bash": 'eval "$(quorate completion bash)"   # in ~/.bashrc',
    "zsh": 'eval "$(quorate completion zsh)"    # in ~/.zshrc, after compinit',
    "fish": "quorate completion fish > ~/.config/fish/completions/quorate.fish",
}


@click.command(
    cls=Command,
    examples=("quorate init", "quorate init debate", "quorate init debate my-project", "quorate init council my-rfc"),
)
@click.argument("protocol", required=False, shell_complete=complete_protocol)
@click.argument("directory", required=False, type=click.Path(file_okay=False, path_type=Path))
@json_option
def init(protocol: str | None, directory: Path | None, as_json: bool) -> None:
    """Write a commented quorate.yaml and a panel.

    With a PROTOCOL sample input is written too: a problem for `debate`, an RFC with tickets for `council`. In a folder
    of a project that has a quorate.yaml the input comes alone. Nothing that exists is touched.
    """
    from quorate import api

    folder = directory or Path()
    written = api.init(folder, protocol)
    if as_json:
        out_json([str(path) for path in written])
        return
    out("\n".join(str(path) for path in written))
    err(f"next: {_next(folder, protocol, written)}")


def _next(folder: Path, protocol: str | None, written: list[Path]) -> str:
    """Return what to do next with the written files."""
    from quorate.cli.commands import after_init

    return after_init(protocol, folder, written) or "`quorate doctor` tries the panel"


@click.command(cls=Command, examples=("quorate doctor", "quorate doctor --panel panel.yaml"))
@click.option("--panel", type=click.Path(path_type=Path), metavar="FILE", help="Try this panel.")
@click.option("--exam", is_flag=True, help="Let each model that has not sat the exam sit it: two minutes or 60 calls.")
@json_option
@store_option
@click.pass_obj
def doctor(place: Place, panel: Path | None, exam: bool, as_json: bool) -> int:
    """Check settings, store and panel with real calls.

    Everybody at the table gets one short question. Exit code 0 if all is well, 1 if something is to be done.
    """
    from quorate import api

    found: list[Checkup] = []

    async def examine(work: Any) -> None:
        async for checkup in api.doctor(work.workspace, work.journal, panel, exam=exam):
            found.append(checkup)
            if not as_json:
                out(_line(checkup))

    with desk(place) as work:
        work.run(examine(work))
    well = all(each.ok is not False for each in found)
    if as_json:
        checkups = [{"name": each.name, "ok": each.ok, "says": each.says, "todo": each.todo} for each in found]
        out_json({"well": well, "checkups": checkups})
    return 0 if well else 1


def _line(checkup: Checkup) -> str:
    sign = {True: "ok    ", False: "FAILED", None: "-     "}[checkup.ok]
    todo = f"\n        {checkup.todo}" if checkup.todo and checkup.ok is False else ""
    return f"{sign}  {checkup.name}: {checkup.says}{todo}"


@click.command(cls=Command, examples=tuple(SHELLS.values()))
@click.argument("shell", type=click.Choice(tuple(SHELLS)))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script of your shell.

    Commands, options, session ids and protocols complete with Tab.
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(ctx.find_root().command, {}, "quorate", "_QUORATE_COMPLETE").source(), nl=False)
