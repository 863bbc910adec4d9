"""Results of a bench, as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quorate.cli.table import table

if TYPE_CHECKING:
    from quorate.lab.bench.decisions import BenchRun
    from quorate.lab.bench.redecision import Redecision
    from quorate.lab.bench.report import Rows
    from quorate.lab.bench.review_run import ReviewRun


def table_of(rows: Rows) -> str:
    """Return a table of a report."""
    headings, cells = rows
    return table(headings, cells, flexible=0)


def told_decisions(found: BenchRun) -> Iterator[str]:
    """Return the lines of a run: notes, the full table of all tasks, and a short table for each kind."""
    figures = found.figures
    for note in found.notes:
        yield f"note: {note}"
    yield ""
    if figures.rows:
        yield from _tables(found)
    else:
        yield "nothing was decided"
    if not found.finished:
        yield ""
        yield f"not finished: {found.unfinished}"


def _tables(found: BenchRun) -> Iterator[str]:
    from quorate.lab.bench.figures import EVERY
    from quorate.lab.bench.report import accuracy_table, comparison_table, finding_table, told_again

    figures = found.figures
    whole = EVERY if figures.of(EVERY) else figures.rows[0].kind
    yield table_of(accuracy_table(figures.of(whole)))
    if (findings := finding_table(figures.of(whole))) is not None:
        yield ""
        yield table_of(findings)
    if compared := [each for each in figures.comparisons if each.kind == whole]:
        yield ""
        yield table_of(comparison_table(compared))
    if whole == EVERY:
        yield ""
        yield from _by_kind(found)
    if (again := told_again(figures.again)) is not None:
        yield ""
        yield again


def _by_kind(found: BenchRun) -> Iterator[str]:
    from quorate.lab.bench.figures import EVERY
    from quorate.lab.bench.report import percent

    rows = [row for row in found.figures.rows if row.kind != EVERY]
    kinds = list(dict.fromkeys(row.kind for row in rows))
    by = {(row.method, row.kind): percent(row.accuracy) for row in rows}
    methods = list(dict.fromkeys(row.method for row in found.figures.of(EVERY)))
    cells = [(method, *(by.get((method, kind), "-") for kind in kinds)) for method in methods]
    yield table(("RIGHT", *kinds), cells, flexible=0)


def told_redecision(found: Redecision) -> Iterator[str]:
    """Return the lines of how each rule decides the recorded ballots, with accuracy where the truth is known."""
    from quorate.lab.bench.redecision_report import facts, rule_table

    yield from facts(found)
    if found.labelled:
        yield ""
        yield table_of(rule_table(found))


def told_reviews(found: ReviewRun) -> Iterator[str]:
    """Return the lines of a run over changes: notes, and all tables."""
    from quorate.lab.bench.review_report import tables

    for note in found.notes:
        yield f"note: {note}"
    if not found.figures.rows:
        yield from ("", "nothing was reviewed")
    for _, rows in tables(found.figures) if found.figures.rows else ():
        yield ""
        yield table_of(rows)
    if not found.finished:
        yield ""
        yield f"not finished: {found.unfinished}"
