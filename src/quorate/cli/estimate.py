"""`estimate`: expected and maximum cost of a session, before it runs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import click

from quorate.cli.desk import Place, chance_option, json_option
from quorate.cli.group import Command
from quorate.cli.output import out_json
from quorate.cli.run import as_options, brought, inputs_of


@click.command(
    cls=Command,
    examples=(
        "quorate estimate debate --model anthropic:claude-sonnet-4-5",
        "quorate estimate debate -f problem.md --panel panel.yaml --set rounds=2",
        "quorate estimate council --input rfc=documents/rfcs/RFC-0042 --panel panel.yaml",
        "quorate estimate review --input base=main --json",
    ),
)
@brought
@click.option("--panel", type=click.Path(path_type=Path), metavar="FILE", help="Who would sit on the seats.")
@click.option("--model", metavar="M", help="The model of all seats, such as anthropic:claude-sonnet-4-5.")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Change a setting; may be repeated.")
@click.option("--accuracy", default="0.7", show_default=True, metavar="P", help="Of the simulated agents.")
@click.option(
    "--reply",
    type=click.IntRange(1, 1_000_000),
    default=500,
    show_default=True,
    metavar="N",
    help="Tokens that a reply is expected to have.",
)
@click.option(
    "--matter",
    type=click.IntRange(1, 10_000_000),
    default=2_000,
    show_default=True,
    metavar="N",
    help="Tokens of the material, where none is given.",
)
@click.option(
    "--samples",
    type=click.IntRange(1, 100_000),
    default=200,
    show_default=True,
    metavar="N",
    help="Sessions to simulate.",
)
@chance_option
@json_option
@click.pass_obj
def estimate(place: Place, /, **given: Any) -> None:
    """Say what a session would cost, before it runs.

    Asks, tokens and money, phase by phase: what is expected, from sessions of simulated agents, and what cannot be
    exceeded, every repair included. Nobody is asked, no key is needed, and nothing is kept. With the inputs that
    `quorate run` takes the material is measured; without any it is assumed to have --matter tokens.
    """
    from quorate.api import estimate
    from quorate.api.expected_cost import Assumed
    from quorate.api.simulations import agents_of
    from quorate.cli.estimate_report import told
    from quorate.cli.paragraphs import room
    from quorate.cli.style import show, working

    name: str = given["protocol"]
    inputs = inputs_of(name, given["text"], given["file"], given["inputs"])
    agents_of({"accuracy": given["accuracy"]})  # so that a number that is none is told at once
    assumed = Assumed(given["accuracy"], given["samples"], given["seed"], given["reply"], given["matter"])
    workspace = place.workspace(given["sets"], scope=name)
    with working(f"estimating {name}") as tell, as_options():
        estimated = estimate.estimate(
            workspace, name, inputs, panel=given["panel"], model=given["model"], assumed=assumed, begins=tell
        )
        found = asyncio.run(estimated)
    if given["as_json"]:
        out_json(estimate.estimate_data(found))
    else:
        show(told(found, room()), result=True)
