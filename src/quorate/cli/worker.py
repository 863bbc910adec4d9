"""`worker`: run a worker that drives sessions for a Temporal server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import click

from quorate.cli.desk import Place, desk, store_option
from quorate.cli.group import Command
from quorate.cli.service import endpoint, metrics_option, service
from quorate.exit_codes import SUSPENDED

N = TypeVar("N", int, float)


def temporal_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Also accept `--temporal` after the command, and add an option for the namespace."""

    def take(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
        if value is not None and isinstance(ctx.obj, Place):
            ctx.obj = replace(ctx.obj, temporal=value)

    where = click.option(
        "--temporal", metavar="HOST:PORT", expose_value=False, callback=take, help="The Temporal server."
    )
    space = click.option("--namespace", metavar="NAME", help="The namespace there; `default` if left out.")
    return where(space(command))


def _numbers(given: tuple[str, ...], option: str, kind: Callable[[str], N], least: float) -> dict[str, N]:
    """Parse NAME=NUMBER options; each name may appear once."""
    found: dict[str, N] = {}
    for each in given:
        name, equals, text = each.partition("=")
        try:
            number = kind(text)
        except ValueError:
            number = kind("0")
        if not equals or not name.strip() or not least <= number <= 100_000 or name in found:
            raise click.BadParameter(f"{each!r} is not PROVIDER=NUMBER, or names a provider twice.", param_hint=option)
        found[name.strip()] = number
    return found


@click.command(
    cls=Command,
    examples=(
        "quorate worker --temporal temporal:7233 --store postgresql://quorate@db/quorate",
        "quorate worker --temporal localhost:7233 --provider anthropic=8 --provider check=2",
        "quorate worker --temporal localhost:7233 --rate openai=2.5 --limit openai=10 --metrics 9090",
    ),
)
@temporal_options
@click.option(
    "--provider",
    "providers",
    multiple=True,
    metavar="NAME[=N]",
    help="Make calls to this provider alone, N at a time; may be repeated. Default: all that have their key here.",
)
@click.option(
    "--rate",
    "rates",
    multiple=True,
    metavar="NAME=PER_SECOND",
    help="The most calls a second to a provider, from all workers together; give all of them the same.",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=N",
    help="The most calls at a time to a provider, from all workers together; give all of them the same.",
)
@click.option(
    "--heartbeat",
    type=click.FloatRange(1, 3600),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Without a sign of life for this long, another worker makes the call.",
)
@click.option(
    "--grace",
    type=click.FloatRange(0, 3600),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="For calls under way when the worker is told to end.",
)
@metrics_option
@store_option
@click.pass_context
def worker(
    ctx: click.Context,
    namespace: str | None,
    providers: tuple[str, ...],
    rates: tuple[str, ...],
    limits: tuple[str, ...],
    heartbeat: float,
    grace: float,
    metrics: str | None,
) -> int:
    """Drive sessions for a Temporal server, on as many machines as you like.

    Whatever is opened with the setting `temporal` is driven by these workers; start as many as you like, on machines
    that all reach the store. One that dies is replaced by the others, and finished work is not repeated. `quorate work`
    is for one machine: it drives what services have opened in a store, and needs no Temporal. Ctrl-C ends it.
    """
    import asyncio

    from quorate.api import temporal
    from quorate.cli.deliberate import Unseen
    from quorate.cli.drive import Watched, until_stopped

    known = temporal.reachable()
    chosen = _numbers(
        tuple(each if "=" in each else f"{each}={known.get(each, 4)}" for each in providers), "--provider", int, 1
    )
    offered = temporal.offer(
        providers=chosen or None,
        rates=_numbers(rates, "--rate", float, 0.001),
        limits=_numbers(limits, "--limit", int, 1),
        heartbeat=heartbeat,
        grace=grace,
    )

    async def worked() -> bool:
        ready = asyncio.Event()

        async def tell() -> None:
            await ready.wait()
            at_work.tells(f"works for {at.workspace.config.temporal} with calls to {', '.join(offered.providers)}")

        async def reached() -> None:
            await temporal.check_server(at.workspace, namespace=namespace)

        async with asyncio.TaskGroup() as tasks, endpoint(at_work, at.journal, metrics, temporal=reached):
            telling = tasks.create_task(tell())
            try:
                await temporal.work(at_work.workspace, at.journal, offered, namespace=namespace, ready=ready)
            finally:
                telling.cancel()
        return True

    with desk(ctx.obj) as at:
        at_work = service(at.workspace, metrics=metrics is not None)
        farewell = "ending; calls under way get their grace, and others go on with the rest"
        try:
            done = at.run(until_stopped(worked(), Watched(Unseen()), farewell, at_work.tells))
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from group
    return 0 if done else SUSPENDED
