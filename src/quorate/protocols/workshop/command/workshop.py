"""`workshop`: a facilitator leads participants through an agenda, and documents come of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from quorate.cli.desk import Place, desk, exam_option, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err
from quorate.cli.style import Styled, show
from quorate.cli.text import count

if TYPE_CHECKING:
    from quorate.cli.desk import Desk
    from quorate.protocols.workshop.world.workshop import OpenedWorkshop

FOLDER = click.Path(path_type=Path)
PASSED = (
    *("agenda", "strategy", "participants", "pro", "con", "interactive", "format_"),
    *("panel", "model", "seed", "context", "merge", "export"),
)
"""Options that go to the use case as they are."""
MARGIN = "          "
WIDTH = 66
"""Columns of a text that goes over several lines, beside the margin."""


@click.command(
    cls=Command,
    examples=(
        'quorate workshop specs "An audit log for the shop" --documents docs',
        'quorate workshop design "How orders are stored" --pro software-architect --con security-champion',
        'quorate workshop brainstorm "Onboarding" --participants +ux-researcher --interactive',
        "quorate workshop agenda.yaml -f topic.md --strategy debate --panel panel.yaml",
        'quorate workshop specs "An audit log" --documents docs --merge --export sessions --no-input',
    ),
)
@click.argument("kind")
@click.argument("topic", required=False)
@click.option("-f", "--file", type=FOLDER, help="Read the topic from a file; - is stdin.")
@click.option("--agenda", type=FOLDER, metavar="FILE", help="Another agenda for specs, design or brainstorm.")
@click.option("--strategy", metavar="S", help="standard, disney, debate, consensus-driven or six-hats.")
@click.option("--participants", metavar="A,B", help="Who takes part, by role; +NAME adds to those of the workflow.")
@click.option("--pro", metavar="A,B", help="Who argues for it, in a debate.")
@click.option("--con", metavar="A,B", help="Who argues against it, in a debate.")
@click.option("--interactive", is_flag=True, help="Ask you after every round: go on, conclude, or escalate.")
@click.option("--format", "format_", type=click.Choice(("srs", "volere", "simple")), help="Of requirements.md.")
@click.option("--documents", type=FOLDER, metavar="DIR", help="Leave the documents there; default: in --out.")
@click.option("--merge", is_flag=True, help="Add to documents that are there; ids go on from theirs.")
@click.option("--export", type=FOLDER, metavar="DIR", help="Leave the session as a YAML file with its rounds there.")
@click.option(
    "--context",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A folder that participants may read.",
)
@click.option("--panel", type=FOLDER, metavar="FILE", help="Who sits on the seats.")
@click.option("--model", metavar="M", help="The model of all seats, such as anthropic:claude-sonnet-4-5.")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Change a setting; may be repeated.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), metavar="N", help="Draw everything from this number.")
@click.option("--out", type=FOLDER, metavar="DIR", help="Leave report and bundle there.")
@click.option("--no-input", is_flag=True, help="Never ask at the terminal; suspend instead.")
@exam_option
@click.option("--quiet", is_flag=True, help="Print DONE alone, and no progress.")
@json_option
@store_option
@click.pass_context
def workshop(ctx: click.Context, /, **given: Any) -> int:
    """Work out a specification, a design or ideas with a facilitator.

    KIND is specs, design or brainstorm, or the file of your own agenda. In every round the facilitator asks one
    question, participants answer blind and in parallel, and requirements, decisions or ideas are written down, with
    ids, states and agreement kept by code. What does not get settled is put to you. COMPLETE ends with 0, INCOMPLETE
    (max_rounds) and CLOSED (by you) with 1, ABORTED with 3; documents come of it in every case.
    """
    place: Place = ctx.obj
    if given["quiet"] and given["as_json"]:
        raise click.UsageError("--quiet and --json both say what stdout is; give one.")
    from quorate.cli.deliberate import How, deliberate, given_text

    given["topic"] = given_text("topic", given["topic"], given["file"], f"quorate workshop {given['kind']}")
    from quorate.cli.session_result import prepare_folder

    with desk(place, given["sets"], "workshop") as work:
        if given["out"] is not None:
            prepare_folder(given["out"])
        held = _open(work, given)
        if not given["quiet"]:
            show(tell_workshop(held))
            err(f"session {held.session}")
        how = How(out=given["out"], as_json=given["as_json"], no_input=given["no_input"], quiet=given["quiet"])
        return deliberate(work, held.session, how)


def _open(work: Desk, given: dict[str, Any]) -> OpenedWorkshop:
    from quorate.protocols.workshop.world.workshop import open_workshop

    opening = open_workshop(
        work.workspace,
        work.journal,
        given["kind"],
        given["topic"],
        documents=given["documents"] or given["out"],
        **{name: given[name] for name in PASSED},
    )
    return work.run(opening)


def tell_workshop(held: OpenedWorkshop) -> Iterator[Styled]:
    """Say what the workshop is for, how it goes and why, who takes part, and what is on the agenda."""
    yield (("workshop  ", "dim"), (held.workflow, "bold"))
    yield (("strategy  ", "dim"), f"{held.strategy}: ", (held.why_strategy, "dim"))
    if len(held.stages) > 1:
        for line in wrap(", ".join(held.stages), WIDTH, break_on_hyphens=False):
            yield (MARGIN, (line, "dim"))
    width = max(len(each.seat) for each in held.participants)
    for place, each in enumerate(held.participants):
        yield (("seats     " if place == 0 else MARGIN, "dim"), each.seat.ljust(width), (f"  {each.side}", "dim"))
    yield (("agenda    ", "dim"), held.agenda)
    for place, topic in enumerate(held.topics, start=1):
        mark = ("required  ", "bold") if topic.required else ("          ", "")
        needs = f"{count(topic.criteria, 'criterion', 'criteria')}, at least {count(topic.minimum, 'artifact')}"
        if not topic.minimum:
            needs = count(topic.criteria, "criterion", "criteria")
        yield (MARGIN, f"{place:2} ", mark, topic.name, (f"  {needs}", "dim"))
    yield (("rounds    ", "dim"), f"{held.min_rounds} to {held.max_rounds}")
    for warning in held.warnings:
        for place, line in enumerate(wrap(warning, WIDTH, break_on_hyphens=False)):
            yield (("note      " if place == 0 else MARGIN, "dim"), (line, "yellow"))
