"""`debate`: open a debate on a problem and lead it to its verdict."""

from __future__ import annotations

from pathlib import Path

import click

from quorate.cli.deliberate import How, deliberate, given_text
from quorate.cli.desk import Place, desk, exam_option, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err


@click.command(
    cls=Command,
    examples=(
        'quorate debate "How should we store audit logs?"',
        "quorate debate -f problem.md --panel panel.yaml --out result",
        "quorate debate -f problem.md --context src --clarify",
        "quorate debate -f problem.md --set rounds=2 --set termination_condition.type=convergence",
        "git diff | quorate debate -f - --json --no-input > result.json",
    ),
)
@click.argument("problem", required=False)
@click.option("-f", "--file", type=click.Path(path_type=Path), help="Read the problem from a file; - is stdin.")
@click.option(
    "--context",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A folder that agents may read.",
)
@click.option("--clarify", is_flag=True, help="Let agents ask you questions before round 1.")
@click.option("--panel", type=click.Path(path_type=Path), metavar="FILE", help="Who sits on the seats.")
@click.option("--model", metavar="M", help="The model of all seats, such as anthropic:claude-sonnet-4-5.")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Change a setting; may be repeated.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), metavar="N", help="Draw everything from this number.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Leave report and bundle there.")
@click.option("--no-input", is_flag=True, help="Never ask at the terminal; suspend instead.")
@exam_option
@json_option
@store_option
@click.pass_obj
def debate(
    place: Place,
    problem: str | None,
    file: Path | None,
    context: Path | None,
    clarify: bool,
    panel: Path | None,
    model: str | None,
    sets: tuple[str, ...],
    seed: int | None,
    out: Path | None,
    no_input: bool,
    as_json: bool,
) -> int:
    """Let agents debate a problem and a judge synthesise.

    PROBLEM is the text itself, or use -f. Agents propose, criticise and refine in rounds; the judge's synthesis goes
    to stdout, its last line is the verdict. `quorate protocols debate` lists the settings.
    """
    text = given_text("problem", problem, file, "quorate debate")
    from quorate import api
    from quorate.cli.session_result import prepare_folder

    if clarify:
        sets = (*sets, "interactive_clarifications=true")
    with desk(place, sets, "debate") as work:
        if out is not None:
            prepare_folder(out)
        opening = api.open_session(
            work.workspace,
            work.journal,
            "debate",
            {"problem": text},
            panel=panel,
            model=model,
            seed=seed,
            context=context,
        )
        session = work.run(opening)
        err(f"session {session}")
        return deliberate(work, session, How(out=out, as_json=as_json, no_input=no_input))
