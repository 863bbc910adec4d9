"""`adjudicate`: record a person's ruling, with name and reason, where a session could not decide."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from quorate.cli.completion import complete_session
from quorate.cli.desk import Place, desk, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err, out, out_json

if TYPE_CHECKING:
    from quorate.api import Result


@click.command(
    cls=Command,
    examples=(
        "quorate adjudicate latest",
        'quorate adjudicate latest --verdict approved --reason "The risk is known and accepted"',
        'quorate adjudicate council-2026 --verdict rejected --reason "F3 is true: nothing verifies the export"',
        'quorate adjudicate review-2026 --verdict request_changes --by "Ann" --reason "The tests are missing"',
    ),
)
@click.argument("session", shell_complete=complete_session)
@click.option("--verdict", metavar="VERDICT", help="What you rule, such as approved, request_changes or rejected.")
@click.option("--reason", metavar="TEXT", help="Why, for the record.")
@click.option("--by", metavar="NAME", help="Who rules; your name in git, or your login, where it is not given.")
@json_option
@store_option
@click.pass_obj
def adjudicate(
    place: Place, session: str, verdict: str | None, reason: str | None, by: str | None, as_json: bool
) -> None:
    """Rule where a session could not decide.

    An INCONCLUSIVE review and a council that NEEDS_ADJUDICATION wait for a person. What was concluded stays as it was;
    your ruling stands beside it, and from now on `resume` and `watch` end with its exit code. The last ruling counts,
    and all stay visible.
    """
    from quorate import api
    from quorate.cli.session_result import summarise, verdict_line

    with desk(place) as work:
        found = work.find(session)
        result = work.run(api.load(work.workspace, work.journal, found))
        possible = api.possible_rulings(result)
        if verdict is None or reason is None:
            verdict, reason = _ask(place, result, possible, verdict, reason)
        name = by if by is not None else api.signature(Path())
        after = work.run(api.adjudicate(work.workspace, work.journal, found, verdict, name, reason))
    if as_json:
        out_json(summarise(place, after))
    else:
        out(verdict_line(after))
        err(f"report: {place.command('report', found)}")


def _ask(
    place: Place, result: Result, possible: tuple[str, ...], verdict: str | None, reason: str | None
) -> tuple[str, str]:
    """Show the conclusion and prompt for the missing options."""
    from quorate import api
    from quorate.cli.ask import Stop, can_ask, read
    from quorate.cli.session_result import verdict_line

    names = [name.lower() for name in possible]
    if not can_ask():
        exact = place.command("adjudicate", result.session)
        raise click.UsageError(
            f'There is no terminal to ask at; give both:\n  {exact} --verdict {names[0]} --reason "…"\n'
            f"The verdict may be {' or '.join(names)}."
        )
    err(f"{result.session}\n{result.record.opening.title}\n\n{api.solution(result)}\n\n{verdict_line(result)}\n")
    try:
        while verdict is None:
            said = read(f"verdict ({' / '.join(names)})> ").strip().lower().replace("-", "_")
            fitting = [name for name in names if said and name.startswith(said)]
            verdict = fitting[0] if len(fitting) == 1 else None
            if verdict is None:
                err("Enter one of " + ", ".join(names) + ".")
        while not reason:
            reason = read("reason> ").strip()
            if not reason:
                err("A ruling needs a reason.")
    except Stop as stopped:
        raise click.Abort from stopped
    return verdict, reason
