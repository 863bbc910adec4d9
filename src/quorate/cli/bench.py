"""`bench`: measure accuracy and cost of deliberation, on tasks and changes of known truth and on data of others."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from quorate.cli.bench_options import panel_options, read_panels, read_simulated, run_options, seed_option
from quorate.cli.bench_report import told_decisions, told_redecision, told_reviews
from quorate.cli.desk import Place, json_option
from quorate.cli.group import Command
from quorate.cli.output import err, out, out_json, write_file

if TYPE_CHECKING:
    from quorate.lab.bench.ballots import Recorded
    from quorate.lab.bench.bench import Progress

R = TypeVar("R")
FORMATS = ("ballots", "mallm", "dylan")
UNFINISHED = 3
"""The exit code of a run that its budget has ended, or that did not reach everybody."""


class Benches(Command, click.Group):
    """A command group whose help ends with examples."""


@click.group(
    cls=Benches,
    invoke_without_command=True,
    examples=(
        "quorate bench decisions --accuracy 0.7 --out bench",
        "quorate bench decisions --tasks arithmetic,knights --n 50 --panel panel.yaml --out bench",
        "quorate bench import dylan records.json",
        "quorate bench --json",
    ),
)
@json_option
@click.pass_context
def bench(ctx: click.Context, as_json: bool) -> None:
    """Measure what deliberation buys and what it costs.

    Without a command it lists the kinds of tasks and the methods there are.
    """
    if ctx.invoked_subcommand is not None:
        return
    from quorate import catalog
    from quorate.lab.bench.methods import PLAIN, PROTOCOL
    from quorate.lab.bench.review_bench import STANDARD_REVIEWS
    from quorate.lab.bench.task import Kind

    known = {
        "tasks": [kind.value for kind in Kind],
        "methods": [*PLAIN, PROTOCOL, *catalog.definitions()],
        "reviews": list(STANDARD_REVIEWS),
        "formats": list(FORMATS),
    }
    if as_json:
        out_json(known)
    else:
        out("\n".join(f"{name}: {', '.join(each)}" for name, each in known.items()))


@bench.command(
    cls=Command,
    examples=(
        "quorate bench decisions --accuracy 0.7 --correlation 0.3 --out bench",
        "quorate bench decisions --tasks code,sound --methods single,sc,review --panel panel.yaml --out bench",
        "quorate bench decisions --tasks all --n 100 --model openai:gpt-5 --tokens 5000000 --out bench",
        "quorate bench decisions --tasks arithmetic --n 2 --methods single,reask --model local:smollm2 --out smoke",
    ),
)
@click.option("--tasks", "kinds", default="arithmetic,knights", show_default=True, metavar="A,B", help="Kinds, or all.")
@click.option(
    "--n",
    "count",
    type=click.IntRange(1, 10_000),
    default=20,
    show_default=True,
    metavar="N",
    help="Tasks of each kind.",
)
@seed_option
@click.option(
    "--methods", default="single,cot,sc,reask,protocol", show_default=True, metavar="A,B", help="Who answers."
)
@panel_options
@run_options
@json_option
@click.pass_obj
def decisions(
    place: Place,
    /,
    kinds: str,
    count: int,
    seed: int,
    methods: str,
    panels: tuple[str, ...],
    model: str | None,
    accuracy: str | None,
    correlation: str | None,
    tokens: int | None,
    at_once: int,
    sets: tuple[str, ...],
    folder: Path,
    as_json: bool,
) -> int:
    """Compare protocols with plain methods on tasks of known truth.

    Tasks are drawn from the seed: the same for everybody, and as many as you like. A single call, a chain of thought,
    self-consistency with the tokens of the protocol and a plain re-ask answer the same tasks as the protocol does. What
    is finished is never run again: the same command goes on where a run has stopped. Cells, sessions, results.json,
    report.md and plot.svg lie in --out. Exit code 0 if every cell was run, 3 if --tokens ended it or nobody could be
    reached in some.
    """
    from quorate.lab.bench.decisions import BenchOrder, measure
    from quorate.lab.bench.methods import read_methods
    from quorate.lab.bench.tasks import read_kinds

    order = BenchOrder(
        kinds=read_kinds(kinds),
        count=count,
        methods=read_methods(methods),
        folder=folder,
        seed=seed,
        panels=read_panels(panels),
        model=model,
        simulated=read_simulated(accuracy, correlation, seed, named=bool(panels or model)),
        tokens=tokens,
        at_once=at_once,
    )
    found = _measured("deciding", folder, lambda tell: measure(place.workspace(sets), order, tell))
    if as_json:
        out_json(found.data())
    else:
        out("\n".join(told_decisions(found)))
        err(f"cells, sessions, results.json, report.md and plot.svg are in {folder}")
    return 0 if found.finished else UNFINISHED


@bench.command(
    cls=Command,
    examples=(
        "quorate bench review --model openai:gpt-5 --items 24 --out reviews",
        "quorate bench review --panel panel.yaml --methods protocol,plain --tokens 2000000 --out reviews",
        "quorate bench review --accuracy 0.7 --items 12 --out reviews",
    ),
)
@click.option(
    "--items", type=click.IntRange(1, 10_000), metavar="N", help="So many of the changes, evenly chosen; default: all."
)
@seed_option
@click.option("--methods", default="protocol,plain,plain3", show_default=True, metavar="A,B", help="Who reviews.")
@panel_options
@run_options
@json_option
@click.pass_obj
def review(
    place: Place,
    /,
    items: int | None,
    seed: int,
    methods: str,
    panels: tuple[str, ...],
    model: str | None,
    accuracy: str | None,
    correlation: str | None,
    tokens: int | None,
    at_once: int,
    sets: tuple[str, ...],
    folder: Path,
    as_json: bool,
) -> int:
    """Compare a protocol with plain calls on small changes, one of each two with a planted fault.

    The changes come with the program: Python, TypeScript, Go and SQL, twelve kinds of faults, and of each change a twin
    without one. A protocol, one plain call and three plain calls with a vote review the same changes. What is finished
    is never run again: the same command goes on where a run has stopped, also with more --items or --methods. Cells,
    sessions, results.json and report.md lie in --out. Exit code 0 if every cell was run, 3 if --tokens ended it or
    nobody could be reached in some.
    """
    from quorate.lab.bench.decisions import BenchOrder
    from quorate.lab.bench.review_bench import read_review_methods
    from quorate.lab.bench.review_run import measure_reviews
    from quorate.lab.bench.task import Kind

    order = BenchOrder(
        kinds=(Kind.CODE,),
        count=1,
        methods=read_review_methods(methods),
        folder=folder,
        seed=seed,
        panels=read_panels(panels),
        model=model,
        simulated=read_simulated(accuracy, correlation, seed, named=bool(panels or model)),
        tokens=tokens,
        at_once=at_once,
    )
    found = _measured("reviewing", folder, lambda tell: measure_reviews(place.workspace(sets), order, items, tell))
    if as_json:
        out_json(found.data())
    else:
        out("\n".join(told_reviews(found)))
        err(f"cells, sessions, results.json and report.md are in {folder}")
    return 0 if found.finished else UNFINISHED


def _measured(doing: str, folder: Path, work: Callable[[Progress], Coroutine[Any, Any, R]]) -> R:
    """Run a bench, with its progress on the terminal; an interrupt says how to go on."""
    import asyncio

    from quorate.cli.style import working

    with working(doing) as tell:
        try:
            return asyncio.run(work(lambda done, of, what: tell(f"{done} of {of}: {what}")))
        except KeyboardInterrupt:
            err(f"what is finished is kept in {folder}; run the same command to continue")
            raise


@bench.command(
    "import",
    cls=Command,
    examples=(
        "quorate bench import mallm output.json",
        "quorate bench import dylan records.json --quorum 2/3 --quorum 4/5 --out ballots.jsonl",
        "quorate bench import dylan completions.json --truth questions.csv",
        "quorate bench import ballots ballots.jsonl --json",
    ),
)
@click.argument("format_", metavar="FORMAT", type=click.Choice(FORMATS))
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--quorum", "quorums", multiple=True, metavar="K/N", help="A share to try; may be repeated (2/3, 3/4).")
@click.option(
    "--truth", type=click.Path(path_type=Path), metavar="FILE", help="What is right, for completions of DyLAN (CSV)."
)
@click.option(
    "--out", "target", type=click.Path(path_type=Path), metavar="FILE", help="Write the ballots as JSON lines."
)
@json_option
def import_(
    format_: str, file: Path, quorums: tuple[str, ...], truth: Path | None, target: Path | None, as_json: bool
) -> None:
    """Decide again what others have recorded, under our rules.

    FORMAT is mallm (the output of MALLM), dylan (the records of DyLAN) or ballots (JSON lines: item, truth, and ballots
    with voter, round and answer). Nobody is asked anything. It tells what majority, quorum, unanimity, weights by
    calibration and a curtailed count would have decided, how much the voters err together, what unanimity is worth, and
    whom the talk turned. What the records do not hold is said first.
    """
    from quorate.lab.bench.ballots import lines_of
    from quorate.lab.bench.redecision import STANDARD, redecide
    from quorate.lab.bench.redecision_report import data

    recorded = _recorded(format_, file, truth)
    found = redecide(recorded.items, quorums or STANDARD)
    if target is not None:
        write_file(target, lines_of(recorded.items))
        err(f"wrote {target}")
    if as_json:
        out_json({**data(found), "missing": list(recorded.missing)})
    else:
        out("\n".join([*(f"note: {each}" for each in recorded.missing), *told_redecision(found)]))


def _recorded(format_: str, file: Path, truth: Path | None) -> Recorded:
    from quorate.core.errors import SettingError
    from quorate.lab.bench.ballots import read_lines
    from quorate.lab.bench.dylan import read_dylan
    from quorate.lab.bench.mallm import read_mallm

    if format_ == "dylan":
        return read_dylan(file, truth)
    if truth is not None:
        raise SettingError(
            f"has no effect on the format {format_}, which says what is true itself", key="truth", expected="no --truth"
        )
    return read_mallm(file) if format_ == "mallm" else read_lines(file)
