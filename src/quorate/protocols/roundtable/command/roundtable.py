"""`roundtable`: three personas and a person elaborate on a topic, and what came of it is added to documents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quorate.cli.desk import Place, desk, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err
from quorate.cli.text import count

if TYPE_CHECKING:
    from quorate.protocols.roundtable.world.roundtable import Elaborating


@click.command(
    cls=Command,
    examples=(
        'quorate roundtable "Which errors may a client see?" --docs docs/requirements/search',
        'quorate roundtable "Search" --docs docs/requirements/search --phase 01-requirements --step 01-03',
        'quorate roundtable "Search" --docs specs --personas business-analyst,system-designer --max-turns 16',
        "quorate roundtable -f topic.md --docs specs --panel panel.yaml --no-input",
    ),
)
@click.argument("topic", required=False)
@click.option("-f", "--file", type=click.Path(path_type=Path), help="Read the topic from a file; - is stdin.")
@click.option(
    "--docs",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="The documents to add to, with their meta.json.",
)
@click.option("--phase", metavar="P", help="The phase of the work, such as 01-requirements: it says who leads.")
@click.option("--step", metavar="ID", help="The finished step, such as 01-03; without it a phase ends here.")
@click.option("--personas", metavar="A,B", help="Who takes part, by role file; two to six.")
@click.option("--max-turns", type=int, metavar="N", help="Turns of one elaboration; default: meta.json's, else 10.")
@click.option("--panel", type=click.Path(path_type=Path), metavar="FILE", help="Who sits on the seats.")
@click.option("--model", metavar="M", help="The model of all personas, such as anthropic:claude-sonnet-4-5.")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Change a setting; may be repeated.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), metavar="N", help="Draw everything from this number.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Leave report and bundle there.")
@click.option("--no-input", is_flag=True, help="Never ask at the terminal; suspend instead.")
@json_option
@store_option
@click.pass_context
def roundtable(ctx: click.Context, /, **given: Any) -> int:
    """Elaborate on a topic with personas, and keep what came of it.

    At a terminal it is a conversation: a menu, then everybody speaks in turn and you write whatever you like; `/help`
    says how. Elsewhere it stops at every turn of yours and goes on with `quorate answer`. In the end insights,
    decisions, open questions and action items are added to the documents in DIR, where nothing is ever changed or
    removed, and meta.json gets one more record.
    """
    place: Place = ctx.obj
    from quorate.cli.deliberate import How, deliberate, given_text

    given["topic"] = given_text("topic", given["topic"], given["file"], "quorate roundtable")
    from quorate.cli.session_result import prepare_folder
    from quorate.protocols.roundtable.world.roundtable import open_roundtable

    with desk(place, given["sets"], "roundtable") as work:
        if given["out"] is not None:
            prepare_folder(given["out"])
        opening = open_roundtable(
            work.workspace,
            work.journal,
            given["topic"],
            given["docs"],
            phase=given["phase"],
            step=given["step"],
            personas=_names(given["personas"]),
            max_turns=given["max_turns"],
            panel=given["panel"],
            model=given["model"],
            seed=given["seed"],
        )
        opened = work.run(opening)
        _tell(opened)
        return deliberate(
            work, opened.session, How(out=given["out"], as_json=given["as_json"], no_input=given["no_input"])
        )


def _names(given: str | None) -> tuple[str, ...] | None:
    """The personas of `a,b`, in order; None where the settings decide."""
    if given is None:
        return None
    return tuple(name.strip() for name in given.split(",") if name.strip())


def _tell(opened: Elaborating) -> None:
    """Say what was read, and what is odd about it."""
    names = ", ".join(opened.documents) or "none, so nothing will be added anywhere"
    err(f"documents: {names}")
    earlier = count(opened.earlier, "earlier elaboration")
    err(f"meta.json: {'missing, it will be written' if opened.meta_missing else earlier}; {opened.max_turns} turns")
    for note in opened.notes:
        err(f"note: {note}")
    err(f"session {opened.session}")
