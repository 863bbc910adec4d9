"""`workers`: list the workers of a Temporal server, its running sessions, and what is waiting or stuck."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from quorate.cli.desk import Place, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err, out, out_json
from quorate.cli.worker import temporal_options

if TYPE_CHECKING:
    from quorate.api.temporal import Overview

MOST_SHOWN = 20
UNDRIVEN = 1


@click.command(cls=Command, examples=("quorate workers", "quorate workers --temporal temporal:7233 --json"))
@temporal_options
@json_option
@store_option
@click.pass_context
def workers(ctx: click.Context, namespace: str | None, as_json: bool) -> int:
    """Show who works for a Temporal server, and what waits.

    By queue: the workers that poll it and the tasks that wait in it; then the sessions that run, and those that nobody
    can drive because no worker has their rules. The exit code is 1 where something waits in vain. A worker that was
    killed is named for some minutes more.
    """
    import asyncio

    from quorate.api import temporal

    place: Place = ctx.obj
    found = asyncio.run(temporal.overview(place.workspace(), namespace=namespace))
    if as_json:
        out_json(_plain(found))
    else:
        _show(found)
    return UNDRIVEN if found.undriven or found.unasked else 0


def _plain(found: Overview) -> dict[str, Any]:
    return {
        "temporal": found.address,
        "queues": [
            {
                "queue": each.name,
                "kind": "asks" if each.asks else "sessions",
                "workers": list(each.workers),
                "backlog": each.backlog,
            }
            for each in found.queues
        ],
        "running": [{"session": each.session, "queue": each.queue} for each in found.running],
        "undriven": [{"session": each.session, "queue": each.queue} for each in found.undriven],
        "unasked": [each.name for each in found.unasked],
    }


def _show(found: Overview) -> None:
    names = sorted({name for each in found.queues for name in each.workers})
    out(f"{_count(len(names), 'worker')} at {found.address}: {', '.join(names) or 'start one with `quorate worker`'}")
    width = max((len(each.name) for each in found.queues), default=0)
    for each in found.queues:
        if each.workers or each.backlog:
            waits = f", {each.backlog} waiting" if each.backlog else ""
            out(f"  {each.name.ljust(width)}  {_count(len(each.workers), 'worker')}{waits}")
    out(f"{_count(len(found.running), 'session')} running")
    for session in found.running[:MOST_SHOWN]:
        out(f"  {session.session}")
    if len(found.running) > MOST_SHOWN:
        out(f"  and {len(found.running) - MOST_SHOWN} more; --json lists all")
    for session in found.undriven:
        err(f"no worker can drive {session.session}: none has its rules ({session.queue})")
    for queue in found.unasked:
        err(f"no worker makes the {_count(queue.backlog, 'call')} that wait in {queue.name}")


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
