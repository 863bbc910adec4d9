"""`work`: drive the hosted sessions of a store; the MCP server starts this worker by itself."""

from __future__ import annotations

import click

from quorate.cli.desk import Place, desk, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err, out_json
from quorate.cli.service import endpoint, metrics_option, service
from quorate.exit_codes import SUSPENDED


@click.command(cls=Command, examples=("quorate work", "quorate work --stay", "quorate work --idle 600"))
@click.option("--stay", is_flag=True, help="Stay when there is nothing to do, until Ctrl-C.")
@click.option(
    "--idle",
    type=click.FloatRange(0.1, 86_400),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="End when nothing could go on for this long.",
)
@metrics_option
@json_option
@store_option
@click.pass_obj
def work(place: Place, stay: bool, idle: float, metrics: str | None, as_json: bool) -> int:
    """Drive the sessions that services have opened.

    What the page or an assistant has started is hosted: whoever works on the store goes on with it, and finished work
    is not repeated. Ctrl-C suspends it; nothing is lost. A store has one worker at a time. It says what it drives on
    stderr, and with --json at the end what became of each. For sessions on many machines there is `quorate worker`.
    """
    from quorate.api import worker
    from quorate.cli.deliberate import Unseen
    from quorate.cli.drive import Watched, until_stopped

    last: dict[str, str] = {}

    def say(session: str, words: str) -> None:
        at_work.says(session, words)
        if session:
            last[session] = words

    async def worked() -> bool:
        async with endpoint(at_work, at.journal, metrics):
            await worker.work(at_work.workspace, at.journal, idle=idle, stay=stay, says=say)
        return True

    with desk(place) as at:
        at_work = service(at.workspace, metrics=metrics is not None)
        try:
            farewell = "suspending; what was said is kept"
            done = at.run(until_stopped(worked(), Watched(Unseen()), farewell, at_work.tells))
        except worker.AtWork as error:
            err(f"nothing to do here: {error}")
            done = True
    if as_json:
        out_json([{"session": session, "says": words} for session, words in last.items()])
    return 0 if done else SUSPENDED
