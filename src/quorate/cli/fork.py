"""`fork`: copy a session's past up to an entry, and continue with other settings or participants."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quorate.cli.completion import complete_session
from quorate.cli.deliberate import How, deliberate
from quorate.cli.desk import Place, desk, exam_option, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err, out, out_json

if TYPE_CHECKING:
    from quorate.cli.desk import Desk


@click.command(
    cls=Command,
    examples=(
        "quorate fork latest --at 12 --model anthropic:claude-sonnet-4-5",
        "quorate fork latest --at 5 --panel other.yaml --out result",
        "quorate fork review-20260801 --set blocking_severity=high --no-run",
    ),
)
@click.argument("session", shell_complete=complete_session)
@click.option("--at", type=int, metavar="N", help="The last entry that both have; without it, the last there is.")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Change a setting; may be repeated.")
@click.option("--panel", type=click.Path(path_type=Path), metavar="FILE", help="Seat others from there on.")
@click.option("--model", metavar="M", help="The model of all seats that the panel does not name.")
@click.option("--out", "folder", type=click.Path(path_type=Path), metavar="DIR", help="Leave report and bundle there.")
@click.option("--no-run", is_flag=True, help="Only open it; `quorate resume` goes on with it.")
@click.option("--no-input", is_flag=True, help="Never ask at the terminal; suspend instead.")
@exam_option
@json_option
@store_option
@click.pass_obj
def fork(
    place: Place,
    session: str,
    at: int | None,
    sets: tuple[str, ...],
    panel: Path | None,
    model: str | None,
    folder: Path | None,
    no_run: bool,
    no_input: bool,
    as_json: bool,
) -> int:
    """Begin anew from any event, with other settings or participants.

    SESSION is an id, the start of one, or `latest`; it stays as it is. The fork has the same past up to the entry N,
    which `quorate show` numbers: what was said is reused and no call is repeated. At the last entry other settings
    alone decide anew, without a call. A fork touches neither the ledger nor documents of the project.
    """
    from quorate import api
    from quorate.cli.session_result import prepare_folder, summarise

    with desk(place) as work:
        source = work.find(session)
        if folder is not None:
            prepare_folder(folder)
        forked = _forked(work, source, at, sets, panel, model)
        err(f"session {forked}, a fork of {source}")
        if not no_run:
            return deliberate(work, forked, How(out=folder, as_json=as_json, no_input=no_input))
        result = work.run(api.load(work.workspace, work.journal, forked))
    if as_json:
        out_json(summarise(place, result))
    else:
        out(forked)
        err(f"go on with:\n  {place.command('resume', forked)}")
    return 0


def _forked(
    work: Desk, session: str, at: int | None, sets: tuple[str, ...], panel: Path | None, model: str | None
) -> str:
    """Open the fork with the settings of `--set` only; project settings apply to new sessions."""
    from quorate.api import forks
    from quorate.codec import decode_opening
    from quorate.config import read_config
    from quorate.core.errors import SettingError

    entries = work.run(work.journal.entries(session))
    protocol = decode_opening(entries[0].body)[0].protocol
    given = read_config((), {}, sets, protocol)
    for section in given.values:
        if section not in (protocol, "budget", "panel", "model"):
            expected = f"settings of a {protocol}"
            raise SettingError("has no effect on this fork", key=f"--set {section}", expected=expected)
    opened = forks.fork(
        work.workspace,
        work.journal,
        session,
        at=len(entries) - 1 if at is None else at,
        settings=given.values.get(protocol),
        budget=given.values.get("budget"),
        panel=panel or given.panel,
        model=model or given.model,
    )
    return work.run(opened)
