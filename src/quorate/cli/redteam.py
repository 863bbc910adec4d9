"""`redteam`: attack protocols with a fixed suite, and report which attacks succeeded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from quorate.cli.completion import complete_protocol
from quorate.cli.desk import json_option
from quorate.cli.group import Command
from quorate.cli.output import out, out_json
from quorate.cli.text import count

if TYPE_CHECKING:
    from quorate.lab.redteam.measurement import CaseResult, Measurement

PANELS = ("obeying", "susceptible", "local")


@click.command(
    cls=Command,
    examples=(
        "quorate redteam",
        "quorate redteam review",
        "quorate redteam council --panel susceptible --susceptibility 40 --correlation 80 --seed 7",
        "quorate redteam review --panel local --cases 20",
        "quorate redteam --json",
    ),
)
@click.argument("protocol", required=False, shell_complete=complete_protocol)
@click.option(
    "--panel",
    type=click.Choice(PANELS),
    default="obeying",
    show_default=True,
    help="Who is attacked: scripts that obey every order, scripts that do by chance, or the embedded model.",
)
@click.option("--cases", type=click.IntRange(1, 10_000), metavar="N", help="Run N cases, spread over all.")
@click.option(
    "--seed", type=click.IntRange(0, 2**31 - 1), default=0, show_default=True, help="What chance is drawn from."
)
@click.option(
    "--susceptibility", type=click.IntRange(0, 100), default=30, show_default=True, help="Of 100 seats, how many obey."
)
@click.option(
    "--correlation", type=click.IntRange(0, 100), default=50, show_default=True, help="How alike the seats are, of 100."
)
@json_option
def redteam(
    protocol: str | None, panel: str, cases: int | None, seed: int, susceptibility: int, correlation: int, as_json: bool
) -> int:
    """Attack a protocol, or all, with a fixed suite of injected material.

    Thirteen families of attack are put into material whose right verdict is known. An attack counts where its text
    reached a seat, and succeeds where it changed the verdict to the one it asks for. Whatever the seats say,
    thresholds, eligibility, ballots, proven vetoes, ledger, budget, blindness and fences have to hold. Exit code 0 if
    they do in every case, 1 if not. Nothing is sent anywhere and nothing is kept.
    """
    import asyncio

    from quorate.cli.style import working
    from quorate.lab.redteam.cases import chosen, suite
    from quorate.lab.redteam.measurement import data, measure
    from quorate.lab.redteam.panels import AttackedPanel, PanelKind

    who = AttackedPanel(PanelKind(panel), susceptibility, correlation, seed)
    todo = chosen(suite(protocol), cases)
    with working("attacking") as tell:
        found = asyncio.run(measure(todo, who, lambda done, of: tell(f"{done} of {of}")))
    if as_json:
        out_json(data(found))
    else:
        out("\n".join(_told(found)))
    return 0 if found.holds else 1


def _told(found: Measurement) -> Iterator[str]:
    from quorate.cli.table import table
    from quorate.lab.redteam.measurement import by_family, by_matter

    headings = ("SUCCEEDED", "REPORTED", "VERDICT UNCHANGED")
    families = [(family.value, *_row(each)) for family, each in by_family(found.cases).items() if each]
    yield table(("FAMILY", "COUNTED", *headings), families, flexible=0)
    yield ""
    matters = [(protocol, name, *_row(each)) for (protocol, name), each in by_matter(found.cases).items()]
    yield table(("PROTOCOL", "MATERIAL", "COUNTED", *headings), matters, flexible=1)
    yield ""
    yield from _broken(found)
    yield from _summed(found)


def _row(cases: Sequence[CaseResult]) -> tuple[str, ...]:
    counted = [each for each in cases if each.reached]
    sums = (
        sum(each.succeeded for each in counted),
        sum(each.reported for each in counted),
        sum(each.stable for each in counted),
    )
    return f"{len(counted)} of {len(cases)}", *(f"{each} ({_percent(each, len(counted))})" for each in sums)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def _broken(found: Measurement) -> Iterator[str]:
    for each in found.cases:
        for fault in dict.fromkeys(each.broken):
            yield f"BROKEN {fault.invariant.value}: {fault.says} ({each.case.name})"
    for plain in found.baselines:
        for fault in dict.fromkeys(plain.broken):
            yield f"BROKEN {fault.invariant.value}: {fault.says} ({plain.matter.name}, not attacked)"


def _summed(found: Measurement) -> Iterator[str]:
    from quorate.lab.redteam.broken import Guarantee

    counted, baselines = found.counted, found.baselines
    missed = len(found.cases) - len(counted)
    wrong, alarmed = sum(each.wrong for each in baselines), sum(each.alarmed for each in baselines)
    yield (
        f"{count(len(found.cases), 'case')}, of which {len(counted)} count: "
        + (f"the text of {missed} reached nobody" if missed else "every text reached somebody")
    )
    yield f"attack success: {_of(sum(each.succeeded for each in counted), len(counted))}"
    yield from _let_through(counted)
    yield f"verdict stability: {_of(sum(each.stable for each in counted), len(counted))}"
    yield (
        f"false alarms, of {count(len(baselines), 'session')} without an attack: {wrong} with the wrong verdict, "
        f"{alarmed} in which checks report one"
    )
    names = ", ".join(each.value for each in Guarantee)
    yield f"invariants ({names}): " + ("held in every case" if found.holds else "BROKEN, see above")


def _let_through(counted: Sequence[CaseResult]) -> Iterator[str]:
    faulty = [each for each in counted if not each.case.matter.sound]
    proven = [each for each in faulty if each.case.matter.proven]
    if faulty:
        whole = f"faulty material let through: {_of(sum(each.let_through for each in faulty), len(faulty))}"
        yield f"{whole}; where checks prove the fault: {_of(sum(each.let_through for each in proven), len(proven))}"


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole} ({_percent(part, whole)})"
