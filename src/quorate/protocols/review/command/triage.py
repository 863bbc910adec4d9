"""`triage`: a model's measured answers about each changed function, before and after; nothing is decided."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quorate.cli.desk import json_option
from quorate.cli.group import Command
from quorate.cli.output import out, out_json
from quorate.cli.text import count
from quorate.protocols.review.command.change_options import refuse_two_changes, source_of

if TYPE_CHECKING:
    from quorate.cli.style import Styled
    from quorate.protocols.review.world.triage.order import Ranked, Thresholds
    from quorate.protocols.review.world.triage.survey import Survey

MOST_TOLD = 10
"""Lines about what was not asked about; `--json` has all of them."""


@click.command(
    cls=Command,
    examples=(
        "quorate triage --model local:qwen2.5-coder-1.5b",
        "quorate triage --model openai:gpt-5-mini --base main",
        "quorate triage --model local:qwen2.5-coder-0.5b --staged --json",
        "git diff main | quorate triage --model local:qwen2.5-coder-1.5b --diff -",
    ),
)
@click.argument("paths", nargs=-1)
@click.option("--model", metavar="M", help="Whom to ask, such as local:qwen2.5-coder-1.5b.")
@click.option("--base", metavar="REF", help="What this branch brings that REF lacks (default).")
@click.option("--diff", metavar="FILE", help="A unified diff; - is stdin.")
@click.option("--staged", is_flag=True, help="What `git commit` would commit.")
@click.option("--commit", metavar="SHA", help="One commit.")
@json_option
def triage(paths: tuple[str, ...], model: str | None, as_json: bool, **given: Any) -> None:
    """Say which changed functions to look at first.

    A model answers short questions about every changed function, as it was and as it is now: is it correct, would you
    merge it? What counts is how likely each one-word answer was. The function whose answers have fallen furthest comes
    first. It is flagged where a clean change looks as bad in at most 5 % of cases, by what `quorate exam MODEL --flags`
    has measured. Nothing is decided, and nothing is stored. PATHS narrow the change; PATHS alone are whole files.
    """
    given["paths"] = paths
    refuse_two_changes(given)
    if model is None:
        raise click.UsageError("Say which model, such as --model local:qwen2.5-coder-1.5b.")
    from quorate.protocols.review.world.triage.order import ranked
    from quorate.protocols.review.world.triage.thresholds import thresholds_of

    thresholds = thresholds_of(model)
    found = _ask(model, given)
    places = ranked(found.answers, thresholds)
    if as_json:
        out_json(_data(model, found, thresholds, places))
        return
    from quorate.cli.style import show

    show(_head(model, found, thresholds))
    if places:
        out(_table(places))


def _ask(model: str, given: dict[str, Any]) -> Survey:
    import asyncio

    from quorate.api.exams import candidate
    from quorate.cli.style import working
    from quorate.protocols.review.world.change.read import read_change
    from quorate.protocols.review.world.change.trees import close
    from quorate.protocols.review.world.triage.survey import survey
    from quorate.protocols.review.world.triage.thresholds import paper

    who = candidate(model)
    with working("reading the change") as tell:
        change = read_change(source_of(given), Path.cwd())
        try:
            return asyncio.run(survey(change, who, paper(), tell))
        finally:
            close(change)


def _head(model: str, found: Survey, thresholds: Thresholds | None) -> Iterator[Styled]:
    """Yield what was asked, what was not, and what a flag means."""
    how = "" if found.measured else "; without probabilities, so by what it said"
    yield (("triage  ", "dim"), (found.title, "bold"))
    yield (
        "        ",
        f"{count(len(found.answers), 'changed function')}, asked of {model} in {found.calls:,} calls{how}",
    )
    for each in found.unasked[:MOST_TOLD]:
        place = f"{each.path}:{each.line}" if each.line else each.path
        yield ("        ", (f"not asked about: {place}, {each.why}", "dim"))
    if (more := len(found.unasked) - MOST_TOLD) > 0:
        yield ("        ", (f"and {more:,} more; --json lists them", "dim"))
    if thresholds is None:
        yield (
            ("flags   ", "dim"),
            f"none: first measure clean changes, quorate exam {model} --protocol review --flags",
        )
    elif thresholds.changed is None:
        yield (("flags   ", "dim"), f"none: {thresholds.clean} clean changes are too few")
    else:
        yield (
            ("flags   ", "dim"),
            f"at 5 % of {thresholds.clean} clean changes: more than {thresholds.changed} worse than before; "
            f"of a new function, more than {thresholds.new} below the usual {thresholds.usual}",
        )


def _table(places: list[Ranked]) -> str:
    from quorate.cli.table import table

    rows = []
    for each in places:
        answered, snippet = each.answered, each.answered.snippet
        before = "new" if answered.before is None else str(answered.before)
        note = (
            "flagged at 5 %" if each.flagged else "speaks to its reader: not to be trusted" if answered.speaks else ""
        )
        place, name = f"{snippet.path}:{snippet.line}", snippet.name or "lines outside of functions"
        rows.append((place, name, before, str(answered.after), f"{each.difference:+}", note))
    return table(("WHERE", "FUNCTION", "BEFORE", "AFTER", "WORSE BY", "FLAG"), rows, flexible=1)


def _data(model: str, found: Survey, thresholds: Thresholds | None, places: list[Ranked]) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "title": found.title,
        "model": model,
        "measured": found.measured,
        "calls": found.calls,
        "rate": 5,
        "thresholds": None if thresholds is None else asdict(thresholds),
        "functions": [
            {
                "path": each.answered.snippet.path,
                "line": each.answered.snippet.line,
                "function": each.answered.snippet.name,
                "before": each.answered.before,
                "after": each.answered.after,
                "worse_by": each.difference,
                "flagged": each.flagged,
                "speaks": each.answered.speaks,
            }
            for each in places
        ],
        "not_asked": [asdict(each) for each in found.unasked],
    }
