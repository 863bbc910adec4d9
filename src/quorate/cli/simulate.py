"""`simulate`: run a protocol with simulated agents of known accuracy, without model calls."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quorate.cli.completion import complete_protocol
from quorate.cli.desk import Place, chance_option, json_option
from quorate.cli.group import Command
from quorate.cli.output import err, out_json, write_file

if TYPE_CHECKING:
    from quorate.api.simulations import SimulationRequest


@click.command(
    cls=Command,
    examples=(
        "quorate simulate review",
        "quorate simulate council --accuracy 0.8 --correlation 0.5 --truth defective",
        "quorate simulate review --vary seats=4,5 --set rounds=1",
        "quorate simulate review --vary quorum=1/2,2/3,3/4 --correlation 0.3",
        "quorate simulate council --correlation 0.6 --vary families=1,2,3 --svg f.svg",
        "quorate simulate debate --conform 0.4 --fail 0.05 --json",
    ),
)
@click.argument("protocol", shell_complete=complete_protocol)
@click.option(
    "--truth", metavar="T", help="What is the case, such as defective in a review; left out, the first it has."
)
@click.option("--seats", type=click.IntRange(1, 100), metavar="N", help="Seat so many voters.")
@click.option("--accuracy", metavar="P", help="The chance that a seat judges rightly (0.7).")
@click.option("--correlation", metavar="PHI", help="How much two seats err together, from 0 (as if left out) to 1.")
@click.option("--families", metavar="N", help="Model families, dealt to the seats in turn.")
@click.option("--across", metavar="PHI", help="The correlation between seats of different families.")
@click.option("--common-mode", metavar="Q", help="The chance that something misleads everybody at once.")
@click.option("--conform", metavar="C", help="The chance that a seat adopts the majority it is shown.")
@click.option("--contrary", metavar="C", help="The chance that a seat takes the side against that majority.")
@click.option("--stubborn", metavar="H", help="The chance that it otherwise holds to its opinion (1), or judges anew.")
@click.option("--abstain", metavar="A", help="The chance that a seat abstains.")
@click.option("--fail", metavar="U", help="The chance that an ask gets no usable reply.")
@click.option("--recall", metavar="S", help="The chance that a seat finds a defect that is there.")
@click.option("--false-alarm", metavar="F", help="The chance that a seat finds one that is not.")
@click.option("--bias", metavar="B", help="The chance that a seat says sound whatever it sees; below 0 defective.")
@click.option("--malice", metavar="N", help="Seats that are always wrong.")
@click.option("--obstruct", metavar="N", help="Seats that object to everything, with a veto where they hold one.")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Change a setting; may be repeated.")
@click.option(
    "--vary",
    multiple=True,
    metavar="KEY=A,B,C",
    help="A row for each value of a setting, a number above, seats or truth.",
)
@click.option(
    "--samples",
    type=click.IntRange(1, 10_000_000),
    default=20_000,
    show_default=True,
    metavar="N",
    help="Sessions to draw, where not all can be followed.",
)
@chance_option
@click.option("--sampled", is_flag=True, help="Draw, even where the exact result could be computed.")
@click.option(
    "--matter",
    type=click.IntRange(0, 10_000_000),
    default=2_000,
    show_default=True,
    metavar="N",
    help="Tokens that every seat is shown.",
)
@click.option(
    "--reply",
    type=click.IntRange(0, 1_000_000),
    default=500,
    show_default=True,
    metavar="N",
    help="Tokens of a reply.",
)
@click.option("--svg", type=click.Path(path_type=Path), metavar="FILE", help="Draw the result into a file, too.")
@json_option
@click.pass_obj
def simulate(
    place: Place,
    /,
    protocol: str,
    truth: str | None,
    seats: int | None,
    sets: tuple[str, ...],
    vary: tuple[str, ...],
    samples: int,
    seed: int,
    sampled: bool,
    matter: int,
    reply: int,
    svg: Path | None,
    as_json: bool,
    **numbers: str | None,
) -> None:
    """Say how likely a protocol is to decide right, before it runs.

    Agents of known accuracy sit on the seats of the real protocol: the engine runs it, and no model is asked. The
    result is exact where all sessions can be followed, and otherwise drawn, with its standard error. --vary answers
    what a fifth seat, a second model family or another quorum would change. Tokens are counted as --matter for what a
    seat is shown and --reply for each reply, its own and those it is shown; `quorate estimate` counts briefs, too.
    """
    from quorate.api import simulations
    from quorate.cli.paragraphs import room
    from quorate.cli.simulation_report import drawing, told
    from quorate.cli.style import show, working

    simulations.judging_of(protocol)  # so that a name that is wrong is told before settings that belong to nobody
    asked = _asked(numbers, seats, truth, samples, seed, not sampled, matter, reply)
    workspace = place.workspace(sets, scope=protocol)
    with working(f"simulating {protocol}") as tell:
        rows = simulations.simulate(workspace, protocol, asked, vary, tell if vary else lambda _: None)
    if svg is not None:
        write_file(svg, drawing(protocol, rows))
        err(f"wrote {svg}")
    if as_json:
        out_json(simulations.simulation_data(rows))
    else:
        show(told(protocol, rows, room()), result=True)


def _asked(
    numbers: dict[str, str | None],
    seats: int | None,
    truth: str | None,
    samples: int,
    seed: int,
    exact: bool,
    matter: int,
    reply: int,
) -> SimulationRequest:
    from quorate.api.simulations import Chances, SimulationRequest
    from quorate.simulate.seats import Sizes

    given = {name: value for name, value in numbers.items() if value is not None}
    return SimulationRequest(given, seats, truth, Chances(samples, seed, Sizes(matter, reply), exact))
