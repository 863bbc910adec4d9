"""`compare`: sessions or bundles of one protocol side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from quorate.cli.completion import complete_session
from quorate.cli.desk import Place, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import out, out_json

if TYPE_CHECKING:
    from quorate.api.comparison import Compared, Difference
    from quorate.api.sessions import Result
    from quorate.evidence.divergence import Parting
    from quorate.kit.findings import Finding

MOST_LISTED = 10
"""Findings and differences of a kind that are named; the rest are counted."""


@click.command(
    cls=Command,
    examples=(
        "quorate compare latest review-20260801-101500-3f9a",
        "quorate compare before/bundle.json after/bundle.json",
        "quorate compare review-2026080 latest --json",
    ),
)
@click.argument("sessions", nargs=-1, required=True, metavar="A B ...", shell_complete=complete_session)
@json_option
@store_option
@click.pass_obj
def compare(place: Place, sessions: tuple[str, ...], as_json: bool) -> None:
    """Compare sessions: where they part, what they found and cost.

    They are of one protocol. Each of A B ... is a session's id, the start of one, `latest`, or a bundle's file. Told
    are what they began with, the first ask, reply or decision in which each differs from A (typed fields, not prose),
    verdicts, findings, and what each cost.
    """
    from quorate.api import comparison
    from quorate.cli.paragraphs import fitted, room
    from quorate.cli.readable import reading_desk

    with reading_desk(place) as work:
        found = work.run(comparison.compare(work.workspace, work.journal, sessions))
    if as_json:
        out_json(comparison.comparison_data(found))
    else:
        out(fitted(_told(found, room())))


def _told(found: Compared, room: int) -> Iterator[str]:
    letters = [_letter(index) for index in range(len(found.results))]
    for letter, name, result in zip(letters, found.names, found.results, strict=True):
        damaged = "" if result.damage is None else " (damaged: up to the entry that does not hold)"
        yield f"{letter}  {name}{damaged}"
    yield ""
    yield from beside(dict(zip(letters, map(_numbers, found.results), strict=True)), room)
    for letter, each in zip(letters[1:], found.differences, strict=True):
        yield ""
        yield from _difference(letter, each)


def beside(numbers: Mapping[str, Mapping[str, str]], room: int) -> Iterator[str]:
    """Return a table of all sessions side by side, split into several tables if it is too wide."""
    from quorate.cli.table import GAP, table

    def side_by_side(letters: Sequence[str]) -> str:
        return table(("", *letters), [(name, *(numbers[each][name] for each in letters)) for name in names])

    names = tuple(numbers["A"])
    shown: list[str] = []
    taken = first = max(map(len, names))
    for letter, column in numbers.items():
        wide = len(GAP) + max(map(len, (letter, *column.values())))
        if shown and taken + wide > room:
            yield side_by_side(shown)
            yield ""
            shown, taken = [], first
        shown.append(letter)
        taken += wide
    yield side_by_side(shown)


def _letter(index: int) -> str:
    """Return the label of a session: A, B, ... Z, A1, B1, ..."""
    return chr(ord("A") + index % 26) + (str(index // 26) if index >= 26 else "")


def _numbers(result: Result) -> dict[str, str]:
    from quorate.api.comparison import findings_of, seconds, spent
    from quorate.worth.totals import duration

    conclusion, cost, found = result.record.session.conclusion, spent(result), findings_of(result)
    blocking = 0 if found is None else sum(each.blocking for each in found)
    return {
        "verdict": conclusion.verdict.name if conclusion else "not concluded",
        "exit code": str(result.exit_code),
        **({} if found is None else {"findings": f"{len(found)}, {blocking} blocking"}),
        "asks": f"{cost.asks:,}",
        "absent": f"{cost.absent:,}",
        "tokens in": f"{cost.tokens_in:,}",
        "tokens out": f"{cost.tokens_out:,}",
        "money": cost.money,
        "time": duration(round(seconds(result) * 1000)),
    }


def _difference(letter: str, each: Difference) -> Iterator[str]:
    if each.began:
        yield f"A and {letter} began differently:"
        shown = list(each.began.items())[:MOST_LISTED]
        yield from (f"  {name}: {_value(one)} | {_value(two)}" for name, (one, two) in shown)
        if len(each.began) > MOST_LISTED:
            yield f"  and {len(each.began) - MOST_LISTED} more"
    parting = each.parting
    if parting is None:
        yield f"A and {letter} do not part: everything typed that was asked, said and decided is the same."
    elif parting.kind != "decision" or each.decision is None:
        yield from _parting(letter, parting)
    if each.decision is not None:
        one, two = each.decision
        told = one or two
        assert told is not None
        at_once = parting is not None and parting.kind == "decision"
        yield f"{f'A and {letter} part' if at_once else 'They decide otherwise'} in {told.phase}, round {told.round}:"
        for name, move in (("A", one), (letter, two)):
            yield f"  {name}  {'no further move' if move is None else f'{move.outcome} by {move.because}'}"
    if each.findings is not None:
        yield f"Findings in both: {len(each.findings.same)}"
        yield from _findings("A", each.findings.only_first)
        yield from _findings(letter, each.findings.only_other)


def _parting(letter: str, parting: Parting) -> Iterator[str]:
    who = f", {parting.seat} ({parting.brief}, ask {parting.ask})" if parting.seat else ""
    entry = f", entry {parting.entry} of A" if parting.entry is not None else ""
    yield f"A and {letter} part in {parting.phase}, round {parting.round}{who}{entry}:"
    if not parting.fields:
        yield f"  {parting.what}"
    yield from (
        f"  {each.path.removeprefix('/').replace('/', '.') or 'reply'}: {_value(each.first)} | {_value(each.other)}"
        for each in parting.fields
    )


def _findings(letter: str, found: Sequence[Finding]) -> Iterator[str]:
    if found:
        yield f"Only in {letter}: {len(found)}"
        for each in found[:MOST_LISTED]:
            place = f"{each.path}:{each.line}" if each.line else each.path or "as a whole"
            yield f"  {each.key} {each.severity.value} {each.rule} {place}"
        if len(found) > MOST_LISTED:
            yield f"  and {len(found) - MOST_LISTED} more"


def _value(value: Any) -> str:
    from quorate.cli.text import one_line

    if isinstance(value, dict | list):
        return f"{len(value)} entries"
    return "nothing" if value is None else one_line(str(value), 80)
