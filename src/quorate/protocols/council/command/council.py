"""`council`: gates examine an RFC and its tickets, three reviewers deliberate on it, and code decides."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quorate.cli.desk import Place, desk, exam_option, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err, out, out_json

if TYPE_CHECKING:
    from quorate.protocols.council.world.gate_passage import Sources

ONLY_WITH_SEATS = ("depth", "remediate", "panel", "model", "seed", "out", "no_input")
"""Options that mean nothing to `--gates-only`; giving one is a mistake, and said to be."""
FOLDER = click.Path(path_type=Path)


@click.command(
    cls=Command,
    examples=(
        "quorate council documents/rfcs/RFC-0042",
        "quorate council my-rfc --gates-only",
        "quorate council my-rfc --depth council --panel panel.yaml --out result",
        "quorate council my-rfc --remediate --out result",
        "quorate council my-rfc --repo ../app --set budget.tokens=400000 --json --no-input > result.json",
    ),
)
@click.argument("rfc", metavar="RFC_DIR", type=FOLDER)
@click.option("--tickets", type=FOLDER, metavar="DIR", help="Where the tickets lie.")
@click.option("--prd", type=FOLDER, metavar="DIR", help="Where the PRD lies.")
@click.option("--ccp", type=FOLDER, metavar="DIR", help="Where the index of the code lies.")
@click.option("--repo", type=FOLDER, metavar="DIR", help="The repository; its tree stands in for a missing index.")
@click.option(
    "--depth",
    type=click.Choice(("standard", "council"), case_sensitive=False),
    help="One seat without votes, or three; else the size decides.",
)
@click.option("--gates", type=click.Choice(("seven", "nine")), help="The profile of gates; default: seven.")
@click.option("--gates-only", is_flag=True, help="Run the gates alone: no model, no session.")
@click.option("--remediate", is_flag=True, help="Ask for edits too, try them in a copy, and show the diff.")
@click.option("--panel", type=click.Path(path_type=Path), metavar="FILE", help="Who sits on the seats.")
@click.option("--model", metavar="M", help="The model of all seats, such as anthropic:claude-sonnet-4-5.")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Change a setting; may be repeated.")
@click.option("--seed", metavar="N|TEXT", help="Draw the lenses from this; default: from the RFC itself.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", help="Leave reports, findings and bundles there."
)
@click.option("--no-input", is_flag=True, help="Never ask at the terminal; suspend instead.")
@exam_option
@click.option("--quiet", is_flag=True, help="Print DONE alone, and no progress.")
@json_option
@store_option
@click.pass_context
def council(ctx: click.Context, /, **given: Any) -> int:
    """Let three reviewers with drawn lenses decide on an RFC.

    Gates run first; what they prove no vote can lift. Then the seats review, answer one another's findings and vote,
    and the verdict follows by rule: APPROVED or APPROVED_WITH_REMEDIATION (0), REJECTED (1), NEEDS_ADJUDICATION (2),
    ABORTED (3). RFC_DIR has the ten files of an RFC; `quorate init council DIR` writes one to start from. Nothing in it
    is changed. A council may spend 135,000 tokens (150,000, of which 15,000 are kept back), unless budget.tokens is
    set.
    """
    place: Place = ctx.obj
    _check_options(given)
    from quorate.protocols.council.world.gate_passage import Sources

    sources = Sources(given["rfc"], given["tickets"], given["prd"], given["ccp"], given["repo"])
    return _gates_only(place, sources, given) if given["gates_only"] else _seated(place, sources, given)


def _check_options(given: dict[str, Any]) -> None:
    """Raise UsageError for options that conflict or would be silently ignored."""
    if given["quiet"] and given["as_json"]:
        raise click.UsageError("--quiet and --json both say what stdout is: give only one of them.")
    for name in ONLY_WITH_SEATS if given["gates_only"] else ():
        if given[name] not in (None, False):
            raise click.UsageError(
                f"--{name.replace('_', '-')} cannot go with --gates-only, which opens no session; leave it out."
            )


def _gates_only(place: Place, sources: Sources, given: dict[str, Any]) -> int:
    """Run the gates and print what they found; return 1 if there is a BLOCKER."""
    from quorate.cli.style import show, working
    from quorate.protocols.council.command.preview import gates_as_data, tell_gates, tell_result, tell_rfc
    from quorate.protocols.council.world.gate_passage import pass_gates

    workspace = place.workspace(given["sets"], "council")
    with working("at the gates") as progress:
        gated = pass_gates(workspace, sources, gates=given["gates"], progress=progress)
    if given["as_json"]:
        out_json(gates_as_data(gated))
    elif given["quiet"]:
        out("DONE")
    else:
        show((*tell_rfc(gated), *tell_gates(gated), *tell_result(gated)), result=True)
    return 1 if gated.blocking else 0


def _seated(place: Place, sources: Sources, given: dict[str, Any]) -> int:
    """Run the gates, open a session on the RFC and run it to its verdict."""
    from quorate.cli.deliberate import How, deliberate
    from quorate.cli.session_result import prepare_folder
    from quorate.cli.style import show, working
    from quorate.protocols.council.command.preview import tell_council, tell_gates, tell_rfc
    from quorate.protocols.council.world.council import open_council

    with desk(place, given["sets"], "council", quiet=given["quiet"]) as work:
        if given["out"] is not None:
            prepare_folder(given["out"])
        with working("at the gates") as progress:
            opening = open_council(
                work.workspace,
                work.journal,
                sources,
                depth=given["depth"].upper() if given["depth"] else None,
                gates=given["gates"],
                remediate=given["remediate"],
                seed=given["seed"],
                panel=given["panel"],
                model=given["model"],
                progress=progress,
            )
            convened = work.run(opening)
        if not given["quiet"]:
            show((*tell_rfc(convened.gated), *tell_gates(convened.gated), *tell_council(convened)))
            err(f"session {convened.session}")
        how = How(out=given["out"], as_json=given["as_json"], no_input=given["no_input"], quiet=given["quiet"])
        return deliberate(work, convened.session, how)
