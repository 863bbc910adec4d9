"""`review`: checks examine a code change, a committee deliberates on it, and code decides."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quorate.cli.desk import Place, desk, exam_option, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err, out_json
from quorate.protocols.review.command.change_options import refuse_two_changes, source_of

if TYPE_CHECKING:
    from quorate.protocols.review.world.change.source import Source

UNREAD = 2
"""The exit code where none of the files could be read: nobody has judged them, and a person has to."""
ONLY_WITH_A_COMMITTEE = ("members", "solo", "claims", "panel", "model", "seed", "out", "comment", "no_ledger")
"""Options that mean nothing to `--checks-only`; giving one is a mistake, and said to be."""


@click.command(
    cls=Command,
    examples=(
        "quorate review",
        "quorate review --base main --panel panel.yaml --out result",
        "quorate review --staged --checks-only",
        "quorate review --commit HEAD~1 --members engineering-architect,operations-sre",
        "git diff main | quorate review --diff - --solo --json --no-input > result.json",
    ),
)
@click.argument("paths", nargs=-1)
@click.option("--base", metavar="REF", help="Review what this branch brings that REF lacks (default).")
@click.option("--diff", metavar="FILE", help="Review a unified diff; - is stdin.")
@click.option("--staged", is_flag=True, help="Review what `git commit` would commit.")
@click.option("--commit", metavar="SHA", help="Review one commit.")
@click.option("--members", metavar="A,B", help="The committee by name, instead of the election.")
@click.option("--solo", is_flag=True, help="The adjudicator alone.")
@click.option("--claims", type=click.Path(path_type=Path), metavar="FILE", help="Acceptance claims to judge.")
@click.option("--rules", type=click.Path(path_type=Path), metavar="FILE", help="House rules to check.")
@click.option("--panel", type=click.Path(path_type=Path), metavar="FILE", help="Who sits on the seats.")
@click.option("--model", metavar="M", help="The model of all seats, such as anthropic:claude-sonnet-4-5.")
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Change a setting; may be repeated.")
@click.option("--seed", type=click.IntRange(0, 2**31 - 1), metavar="N", help="Draw everything from this number.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Leave reports, findings and bundle there.")
@click.option("--comment", is_flag=True, help="Print one pull-request comment instead of the result.")
@click.option("--checks-only", is_flag=True, help="Run the checks alone: no model, no session.")
@click.option("--allow-empty", is_flag=True, help="Nothing to review is no error.")
@click.option("--no-ledger", is_flag=True, help="Leave .quorate/ledger.json as it is.")
@click.option("--no-input", is_flag=True, help="Never ask at the terminal; suspend instead.")
@exam_option
@json_option
@store_option
@click.pass_context
def review(ctx: click.Context, /, **given: Any) -> int:
    """Let a committee with vetoes review a code change.

    Deterministic checks run first; what they prove no vote can lift. Then the committee that the size of the change
    elects ballots, and the verdict follows by rule: APPROVED (0), REQUEST_CHANGES (1) or INCONCLUSIVE (2). Without
    options the change is what this branch brings. PATHS narrow it; PATHS alone review whole files as they stand.
    """
    place: Place = ctx.obj
    _check_options(ctx, given)
    source = source_of(given)
    from quorate.protocols.review.world.examination import NothingToReview

    try:
        return _checks_only(place, source, given) if given["checks_only"] else _committee(place, source, given)
    except NothingToReview as nothing:
        if not given["allow_empty"] and not given["checks_only"]:
            raise
        code = 1 if nothing.blocking else UNREAD if nothing.unread else 0
        err(f"nothing to review: {nothing}")
        if given["as_json"]:
            out_json({"verdict": None, "nothing": str(nothing), "exit_code": code})
        return code


def _check_options(ctx: click.Context, given: dict[str, Any]) -> None:
    """Raise UsageError for options that conflict or would be silently ignored."""
    refuse_two_changes(given)
    if given["solo"] and given["members"]:
        raise click.UsageError("--solo and --members name two committees; give one.")
    if given["comment"] and given["as_json"]:
        raise click.UsageError("--comment and --json both print to stdout; give one.")
    for name in ONLY_WITH_A_COMMITTEE if given["checks_only"] else ():
        if given[name] not in (None, False):
            raise click.UsageError(
                f"--{name.replace('_', '-')} cannot go with --checks-only, which asks no committee; leave it out."
            )


def _checks_only(place: Place, source: Source, given: dict[str, Any]) -> int:
    """Run the checks and print what they found; return 1 if something blocks, 2 if nothing could be read."""
    from quorate.cli.style import show, working
    from quorate.protocols.review.command.preview import (
        checks_as_data,
        exit_code_of,
        tell_blocking,
        tell_change,
        tell_checks,
    )
    from quorate.protocols.review.world.examination import examine

    workspace = place.workspace(given["sets"], "review")
    with working("examining") as progress:
        examined = examine(workspace, source, folder=Path.cwd(), rules=given["rules"], progress=progress)
    if given["as_json"]:
        out_json(checks_as_data(examined))
    else:
        show((*tell_change(examined), *tell_checks(examined), *tell_blocking(examined)), result=True)
    return exit_code_of(examined)


def _committee(place: Place, source: Source, given: dict[str, Any]) -> int:
    """Examine the change, open a session on it and run it to its verdict."""
    from quorate.cli.deliberate import How, deliberate
    from quorate.cli.session_result import prepare_folder
    from quorate.cli.style import show, working
    from quorate.protocols.review.command.preview import tell_change, tell_checks, tell_committee
    from quorate.protocols.review.world.review import open_review

    members = tuple(name.strip() for name in (given["members"] or "").split(",") if name.strip())
    with desk(place, given["sets"], "review") as work:
        if given["out"] is not None:
            prepare_folder(given["out"])
        with working("examining") as progress:
            opening = open_review(
                work.workspace,
                work.journal,
                source,
                folder=Path.cwd(),
                members=members,
                solo=given["solo"],
                rules=given["rules"],
                claims=given["claims"],
                panel=given["panel"],
                model=given["model"],
                seed=given["seed"],
                keep_ledger=not given["no_ledger"],
                progress=progress,
            )
            opened = work.run(opening)
        show((*tell_change(opened.examined), *tell_checks(opened.examined), *tell_committee(opened)))
        err(f"session {opened.session}")
        how = How(out=given["out"], as_json=given["as_json"], no_input=given["no_input"], comment=given["comment"])
        return deliberate(work, opened.session, how)
