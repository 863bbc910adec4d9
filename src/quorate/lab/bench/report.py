"""Reports of a run: plain data for programs, tables as rows of words, and Markdown for people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from quorate.evidence.quotations import inline
from quorate.kit.visible_text import visible
from quorate.lab.bench.figures import EVERY, LEVEL, Comparison, FigureRow, Figures
from quorate.runtime.budget import dollars
from quorate.simulate.flips import Flips
from quorate.simulate.intervals import Interval

FORMAT = "quorate-bench-results/1"
SMOKE = (
    "a smoke test: the embedded model shows that everything works, and its figures say nothing about any method or "
    "any other model"
)
INSTRUMENT = "simulated seats of known accuracy: the figures are about the instrument, not about any model"
MOST_DETAIL = 200
"""Characters that are told of what went wrong with a call."""
Rows = tuple[tuple[str, ...], Sequence[tuple[str, ...]]]
"""Headings, and rows."""


def unfinished(found: Figures, *, within: bool) -> str:
    """Return why some cells were not run and how to resume; empty if all were."""
    return not_done([cell.detail for cell in found.unreached], within=within)


def not_done(unreached: Sequence[str], *, within: bool) -> str:
    """Return the same from the details of the cells in which nobody could be reached."""
    if not within:
        return "the tokens of the run are spent; the same command with more of them goes on"
    if not unreached:
        return ""
    detail = " ".join(visible(unreached[0]).split())[:MOST_DETAIL]
    why = f" ({detail})" if detail else ""
    count = len(unreached)
    cells = "1 cell nobody could be reached" if count == 1 else f"{count:,} cells nobody could be reached"
    return f"in {cells}{why}; the same command asks there again"


def notes_on_panel(panel: str, unreached: int) -> list[str]:
    """Return the notes that any run with this panel has."""
    said = [INSTRUMENT] if panel.startswith("simulated") else []
    if unreached:
        said.append(f"{unreached} of all cells are left out, since nobody could be reached there")
    return said


def notes(panel: str, found: Figures) -> list[str]:
    """Return the notes that precede all figures."""
    said = [SMOKE] if "local:" in panel else []
    said += notes_on_panel(panel, len(found.unreached))
    silent = sum(row.unanswered for row in found.rows if row.kind != EVERY)
    if silent:
        said.append(f"{silent} of all cells have no usable answer; they count as not right, and are shown apart")
    if found.matched is not None:
        used = percent(found.matched)
        said.append(
            f"self-consistency (sc) took as many answers as the protocol's tokens pay for, and used {used} of them"
        )
    elif any(row.method == "sc" for row in found.rows):
        said.append("no protocol ran whose tokens sc could be given, so it took five answers")
    said.append(
        f"better and worse are said only where an exact paired test (McNemar) shows it, at a level of {float(LEVEL):g} "
        "shared out over the comparisons of each kind (Holm)"
    )
    return said


# Tables


def accuracy_table(rows: Sequence[FigureRow]) -> Rows:
    """Return the table of accuracy and cost per method."""
    headings = ("METHOD", "TASKS", "RIGHT", "95 % INTERVAL", "NO ANSWER", "TOKENS/TASK", "COST/TASK", "ASKS/TASK")
    told = []
    for row in rows:
        reach = _reach(row.interval)
        cost = "unknown" if row.cost is None else dollars(row.cost // row.tasks)
        each = (f"{float(row.tokens_each):,.0f}", cost, f"{row.asks / row.tasks:.1f}")
        told.append((row.method, str(row.tasks), percent(row.accuracy), reach, str(row.unanswered), *each))
    return headings, told


def finding_table(rows: Sequence[FigureRow]) -> Rows | None:
    """Return the table of planted defects found; None if the run has no material to judge."""
    kept = [row for row in rows if row.hits + row.misses or row.sound]
    if not kept:
        return None
    headings = ("METHOD", "PLANTED", "RECALL", "CLAIMS", "PRECISION", "SOUND", "CLEARED")
    told = [
        (
            row.method,
            str(row.hits + row.misses),
            percent(row.recall, row.recall_interval),
            str(row.hits + row.false),
            percent(row.precision, row.precision_interval),
            str(row.sound),
            percent(Fraction(row.cleared, row.sound) if row.sound else None),
        )
        for row in kept
    ]
    return headings, told


def comparison_table(comparisons: Sequence[Comparison]) -> Rows:
    """Return the table of paired comparisons."""
    headings = ("METHOD", "AGAINST", "POINTS", "PER 1K TOKENS", "HELPFUL", "HARMFUL", "P", "DETECTABLE", "SO IT IS")
    told = []
    for each in comparisons:
        per = each.per_thousand
        told.append(
            (
                each.method,
                each.base,
                f"{100 * float(each.gain):+.1f}",
                "-" if per is None else f"{100 * float(per):+.2f}",
                str(each.flips.helpful),
                str(each.flips.harmful),
                f"{float(each.p):.3g}",
                "-" if each.detectable is None else f"{100 * each.detectable:.1f}",
                each.says,
            )
        )
    return headings, told


def percent(share: Fraction | None, interval: Interval | None = None) -> str:
    """Format a share in percent, with its interval in brackets if it has one."""
    if share is None:
        return "-"
    return f"{100 * float(share):.1f} %" + (f" ({_reach(interval)})" if interval is not None else "")


def _reach(interval: Interval) -> str:
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f}"


def told_again(again: Flips | None) -> str | None:
    """Return a sentence about the effect of the second look of `reask`."""
    if again is None:
        return None
    return (
        f"the second look of reask turned {again.helpful} wrong answers right and {again.harmful} right ones wrong "
        f"({again.stayed_right} stayed right, {again.stayed_wrong} wrong)"
    )


# Markdown


def markdown(title: str, plan: Mapping[str, Any], found: Figures, said: Iterable[str], why_not: str) -> str:
    """Return the whole report as Markdown."""
    lines = [f"# {title}", "", *(f"- {key}: {worded(value)}" for key, value in plan.items())]
    if why_not:
        lines.append(f"- **not finished**: {inline(why_not)}")
    lines += [
        "",
        "\n>\n".join(f"> {each[0].upper()}{each[1:]}." for each in said),
        "",
        "![Cost and quality](plot.svg)",
        "",
    ]
    for kind in dict.fromkeys(row.kind for row in found.rows):
        lines += [f"## {'All tasks' if kind == EVERY else kind.capitalize()}", ""]
        mine = [each for each in found.comparisons if each.kind == kind]
        tables = [
            accuracy_table(found.of(kind)),
            finding_table(found.of(kind)),
            comparison_table(mine) if mine else None,
        ]
        for each in tables:
            if each is not None:
                lines += [*markdown_table(each), ""]
    if (again := told_again(found.again)) is not None:
        lines += [f"{again[0].upper()}{again[1:]}.", ""]
    return "\n".join(lines)


def markdown_table(table: Rows) -> Iterator[str]:
    """Yield the lines of a table in Markdown."""
    headings, rows = table
    yield f"| {' | '.join(each.capitalize() for each in headings)} |"
    yield "|" + " --- |" * len(headings)
    yield from (f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows)


def worded(value: Any) -> str:
    """Format a part of a plan for people."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {_set(each)}" for key, each in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _set(value: Any) -> str:
    """Format the settings of one protocol as command-line options."""
    if isinstance(value, dict):
        return " ".join(f"{name}={json.dumps(each, ensure_ascii=False)}" for name, each in value.items())
    return json.dumps(value, ensure_ascii=False)


# Data


def data(plan: Mapping[str, Any], found: Figures, said: Sequence[str], why_not: str) -> dict[str, Any]:
    """Return the results as plain data."""
    return {
        "format": FORMAT,
        "plan": dict(plan),
        "finished": not why_not,
        "unfinished": why_not or None,
        "notes": list(said),
        "rows": [_row(row) for row in found.rows],
        "comparisons": [_comparison(each) for each in found.comparisons],
        "sc_of_protocol_tokens": as_float(found.matched),
        "unreached": len(found.unreached),
        "reask": None if found.again is None else _flips(found.again),
    }


def _row(row: FigureRow) -> dict[str, Any]:
    names = ("method", "kind", "tasks", "right", "unanswered", "hits", "misses", "false", "sound", "cleared")
    return {
        **{name: getattr(row, name) for name in names},
        "accuracy": float(row.accuracy),
        "interval": list(row.interval),
        "recall": as_float(row.recall),
        "recall_interval": None if row.recall_interval is None else list(row.recall_interval),
        "precision": as_float(row.precision),
        "precision_interval": None if row.precision_interval is None else list(row.precision_interval),
        "tokens": row.tokens,
        "tokens_each": float(row.tokens_each),
        "cost": row.cost,
        "asks": row.asks,
        "absent": row.absent,
    }


def _comparison(each: Comparison) -> dict[str, Any]:
    return {
        "kind": each.kind,
        "base": each.base,
        "method": each.method,
        "tasks": each.paired.items,
        "gain": float(each.gain),
        "p": float(each.p),
        "shown": each.shown,
        "says": each.says,
        "detectable": each.detectable,
        "gain_per_1k_tokens": as_float(each.per_thousand),
        "flips": _flips(each.flips),
    }


def _flips(flips: Flips) -> dict[str, Any]:
    return {
        "helpful": flips.helpful,
        "harmful": flips.harmful,
        "stayed_right": flips.stayed_right,
        "stayed_wrong": flips.stayed_wrong,
    }


def as_float(value: Fraction | None) -> float | None:
    """Return a fraction as plain data; None stays None."""
    return None if value is None else float(value)
