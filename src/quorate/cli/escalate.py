"""`escalate`: request that a running session puts its open conflicts to a person."""

from __future__ import annotations

import click

from quorate.cli.completion import complete_session
from quorate.cli.desk import Place, desk, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err, out, out_json


@click.command(
    cls=Command, examples=("quorate escalate latest", 'quorate escalate latest --why "This one is for the board"')
)
@click.argument("session", shell_complete=complete_session)
@click.option("--why", default="", help="The reason, for the record.")
@json_option
@store_option
@click.pass_obj
def escalate(place: Place, session: str, why: str, as_json: bool) -> None:
    """Have a session put its open conflicts to you.

    After the phase under way a workshop puts its open conflicts to you; when you have answered, the round goes on where
    it was. Whoever runs the session notices within a second.
    """
    from quorate import api
    from quorate.cli.session_result import summarise, tell_waiting
    from quorate.core.errors import RuleViolation
    from quorate.core.types import Reason

    with desk(place) as work:
        found = work.find(session)
        before = work.run(api.load(work.workspace, work.journal, found))
        protocol = before.record.protocol
        if Reason.ESCALATION not in protocol.interrupts:
            raise RuleViolation(
                f"a {protocol.name} cannot be escalated to a person; "
                f"`quorate conclude {found}` asks for a wrap-up instead"
            )
        asks_already = before.record.session.phase is protocol.interrupts[Reason.ESCALATION].to
        result = before
        if not asks_already:
            wish = api.interrupt(work.workspace, work.journal, found, Reason.ESCALATION, why)
            result = work.run(wish)
    if as_json:
        out_json(summarise(place, result))
    elif asks_already:
        out(f"{found} asks you already")
        tell_waiting(place, result)
    elif result.record.session.pending not in (None, Reason.ESCALATION):
        out(f"{found} will wrap up after {result.record.session.phase.name}; it asks nothing more")
    else:
        out(f"{found} will ask you after {result.record.session.phase.name}")
        err(f"if nobody runs it now:\n  {place.command('resume', found)}")
