"""Reports of reviews: tables as rows of words, Markdown for people, and plain data for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from quorate.evidence.quotations import inline
from quorate.lab.bench.report import Rows, as_float, comparison_table, markdown_table, notes_on_panel, percent, worded
from quorate.lab.bench.review_figures import CountedShare, Mean, ReviewFigures, ReviewRow
from quorate.runtime.budget import dollars

REVIEW_FORMAT = "quorate-bench-review/1"
RULES = (
    "found: a finding in the fault's file at most two lines from it; or named: one that names its file or none, its "
    "function and a word of its kind; stopped: found by a finding that blocks",
    "every blocking finding on a clean change is a false alarm; on the faulty ones other findings are not judged",
    "intervals are of 95 %: exact ones of shares, of means and ratios from drawing the changes again",
)
"""What the words of the tables mean."""


def review_notes(panel: str, found: ReviewFigures) -> list[str]:
    """Return the notes that precede all figures."""
    return [*notes_on_panel(panel, len(found.unreached)), *RULES]


# Tables


def found_table(rows: Sequence[ReviewRow]) -> Rows:
    """Return the table of faults found and false alarms."""
    headings = ("METHOD", "FAULTY", "FOUND", "OR NAMED", "STOPPED", "CLEAN", "ALARMED", "ALARMS/CHANGE", "BY CHECKS")
    told = [
        (
            row.method,
            str(row.strict.whole),
            _share(row.strict),
            _share(row.lenient),
            _share(row.stopped),
            str(row.alarmed.whole),
            _share(row.alarmed),
            _mean(row.alarms, 2),
            str(row.alarms_by_checks),
        )
        for row in rows
    ]
    return headings, told


def cost_table(rows: Sequence[ReviewRow]) -> Rows:
    """Return the table of what the methods cost."""
    headings = ("METHOD", "CHANGES", "TOKENS/CHANGE", "SECONDS/CHANGE", "COST/CHANGE", "FAULTS PER 10K TOKENS")
    told = []
    for row in rows:
        cost = "unknown" if row.cost is None else dollars(row.cost // row.changes)
        means = (_mean(row.tokens, 0), _mean(row.seconds, 1), cost, _mean(row.per_tokens, 2))
        told.append((row.method, str(row.changes), *means))
    return headings, told


def reply_table(rows: Sequence[ReviewRow]) -> Rows:
    """Return the table of how replies were made."""
    headings = (
        "METHOD",
        "REPLIES",
        "FIT AT ONCE",
        "OR REPAIRED",
        "ABSENT",
        "TEXTS",
        "CUT",
        "LOOPS",
        "QUOTED",
        "INVENTED",
    )
    told = [
        (
            row.method,
            str(row.fitting.whole),
            _share(row.at_once),
            _share(row.fitting),
            str(row.absent),
            str(row.cut.whole),
            _share(row.cut),
            _share(row.loops),
            str(row.invented.whole),
            _share(row.invented),
        )
        for row in rows
    ]
    return headings, told


def verdict_table(rows: Sequence[ReviewRow]) -> Rows:
    """Return the table of verdicts."""
    told = [(row.method, name, str(faulty), str(clean)) for row in rows for name, faulty, clean in row.verdicts]
    return ("METHOD", "VERDICT", "FAULTY", "CLEAN"), told


def kind_table(found: ReviewFigures) -> Rows:
    """Return the table of faults found, by kind and by language."""
    methods = [row.method for row in found.rows]
    by = {(name, method): share for name, method, share in found.kinds}
    names = dict.fromkeys(name for name, _, _ in found.kinds)
    told = [(name, *(_of(by.get((name, method))) for method in methods)) for name in names]
    return ("FOUND", *methods), told


def tables(found: ReviewFigures) -> Iterator[tuple[str, Rows]]:
    """Yield all tables, each with its heading."""
    yield "Faults and false alarms", found_table(found.rows)
    yield "Cost", cost_table(found.rows)
    yield "Replies", reply_table(found.rows)
    yield "Verdicts", verdict_table(found.rows)
    yield "Faults found by kind and language", kind_table(found)
    if found.comparisons:
        yield (
            "Compared: right is a fault found, or a clean change without a false alarm",
            comparison_table(found.comparisons),
        )


def _share(share: CountedShare) -> str:
    return percent(share.value, share.interval)


def _of(share: CountedShare | None) -> str:
    return "-" if share is None else f"{share.part} of {share.whole}"


def _mean(value: Mean | None, digits: int) -> str:
    if value is None:
        return "-"
    if value.interval is None:
        return f"{value.value:,.{digits}f}"
    low, high = value.interval
    return f"{value.value:,.{digits}f} ({low:,.{digits}f} to {high:,.{digits}f})"


# Files


def review_markdown(
    title: str, plan: Mapping[str, Any], found: ReviewFigures, said: Sequence[str], why_not: str, *, level: int = 1
) -> str:
    """Return the whole report as Markdown, with headings from a level on."""
    mark = "#" * level
    lines = [f"{mark} {title}", "", *(f"- {key}: {worded(value)}" for key, value in plan.items())]
    if why_not:
        lines.append(f"- **not finished**: {inline(why_not)}")
    lines += ["", "\n>\n".join(f"> {each[0].upper()}{each[1:]}." for each in said), ""]
    for heading, table in tables(found) if found.rows else ():
        lines += [f"{mark}# {heading}", "", *markdown_table(table), ""]
    return "\n".join(lines)


def review_data(plan: Mapping[str, Any], found: ReviewFigures, said: Sequence[str], why_not: str) -> dict[str, Any]:
    """Return the results as plain data."""
    return {
        "format": REVIEW_FORMAT,
        "plan": dict(plan),
        "finished": not why_not,
        "unfinished": why_not or None,
        "notes": list(said),
        "rows": [_row(row) for row in found.rows],
        "kinds": [{"name": name, "method": method, **_plain(share)} for name, method, share in found.kinds],
        "comparisons": [
            {
                "base": each.base,
                "method": each.method,
                "changes": each.paired.items,
                "gain": float(each.gain),
                "p": float(each.p),
                "shown": each.shown,
                "says": each.says,
            }
            for each in found.comparisons
        ],
        "unreached": len(found.unreached),
    }


def _row(row: ReviewRow) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for name in row.__slots__:
        value = getattr(row, name)
        told[name] = (
            _plain(value) if isinstance(value, CountedShare) else asdict(value) if isinstance(value, Mean) else value
        )
    verdicts = [{"verdict": name, "faulty": faulty, "clean": clean} for name, faulty, clean in row.verdicts]
    return {**told, "verdicts": verdicts}


def _plain(share: CountedShare) -> dict[str, Any]:
    interval = None if share.interval is None else list(share.interval)
    return {"part": share.part, "of": share.whole, "share": as_float(share.value), "interval": interval}
