"""`cancel` and `conclude`: end a session at once, or with a wrap-up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from quorate.cli.completion import complete_session
from quorate.cli.desk import Place, desk, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err, out, out_json

if TYPE_CHECKING:
    from quorate.core.types import Reason


@click.command(cls=Command, examples=("quorate cancel latest", 'quorate cancel debate-2026 --why "Solved otherwise"'))
@click.argument("session", shell_complete=complete_session)
@click.option("--why", default="", help="The reason, for the record.")
@json_option
@store_option
@click.pass_obj
def cancel(place: Place, session: str, why: str, as_json: bool) -> None:
    """End a session now; what was said is kept.

    Whoever runs it notices within a second. `quorate conclude` asks for a wrap-up instead.
    """
    from quorate.core.types import Reason

    _interrupt(place, session, Reason.CANCELLED, why, as_json=as_json)


@click.command(cls=Command, examples=("quorate conclude latest", 'quorate conclude latest --why "Good enough"'))
@click.argument("session", shell_complete=complete_session)
@click.option("--why", default="", help="The reason, for the record.")
@json_option
@store_option
@click.pass_obj
def conclude(place: Place, session: str, why: str, as_json: bool) -> None:
    """Ask a session to wrap up after its current phase.

    A debate then goes to the judge's synthesis with what has been said so far.
    """
    from quorate.core.types import Reason

    _interrupt(place, session, Reason.WISH, why, as_json=as_json)


def _interrupt(place: Place, session: str, reason: Reason, why: str, *, as_json: bool) -> None:
    from quorate import api
    from quorate.cli.left_files import tell_left
    from quorate.cli.session_result import summarise, verdict_line

    with desk(place) as work:
        found = work.find(session)
        result = work.run(api.interrupt(work.workspace, work.journal, found, reason, why, finishes=False))
        left = work.run(api.finish_ended(work.workspace, work.journal, result, settle=False))
    if left is not None:
        tell_left(place, result, left, quiet=as_json)
    if as_json:
        out_json(summarise(place, result))
    elif result.record.session.conclusion is not None:
        out(verdict_line(result))
        err(f"report: {place.command('report', found)}")
    else:
        out(f"{found} will wrap up after {result.record.session.phase.name}")
        err(f"if nobody runs it now:\n  {place.command('resume', found)}")
