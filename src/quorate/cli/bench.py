"""`bench`: measure accuracy and cost of deliberation, on tasks of known truth and on recorded data of others."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quorate.cli.bench_report import told_decisions, told_redecision
from quorate.cli.desk import Place, json_option
from quorate.cli.group import Command
from quorate.cli.output import err, out, out_json, write_file

if TYPE_CHECKING:
    from quorate.lab.bench.ballots import Recorded
    from quorate.lab.bench.seats import Simulated

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
    from quorate.lab.bench.task import Kind

    known = {
        "tasks": [kind.value for kind in Kind],
        "methods": [*PLAIN, PROTOCOL, *catalog.definitions()],
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
@click.option(
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    default=1,
    show_default=True,
    metavar="N",
    help="What tasks are drawn from.",
)
@click.option(
    "--methods", default="single,cot,sc,reask,protocol", show_default=True, metavar="A,B", help="Who answers."
)
@click.option(
    "--panel", "panels", multiple=True, metavar="[METHOD=]FILE", help="Who sits on the seats; may be repeated."
)
@click.option("--model", metavar="M", help="The model of all seats, such as openai:gpt-5.")
@click.option("--accuracy", metavar="P", help="Simulated seats instead, each right with this chance.")
@click.option("--correlation", metavar="PHI", help="How much simulated seats err together, from 0 to 1.")
@click.option("--tokens", type=click.IntRange(1, 10**12), metavar="N", help="The most tokens of the whole run.")
@click.option(
    "--at-once", type=click.IntRange(1, 100), default=4, show_default=True, metavar="N", help="Tasks at the same time."
)
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Change a setting, such as debate.rounds=1.")
@click.option(
    "--out", "folder", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Keep it all there."
)
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
    import asyncio

    from quorate.cli.style import working
    from quorate.lab.bench.decisions import Order, measure
    from quorate.lab.bench.methods import read_methods
    from quorate.lab.bench.tasks import read_kinds

    order = Order(
        kinds=read_kinds(kinds),
        count=count,
        methods=read_methods(methods),
        folder=folder,
        seed=seed,
        panels=_panels(panels),
        model=model,
        simulated=_simulated(accuracy, correlation, seed, named=bool(panels or model)),
        tokens=tokens,
        at_once=at_once,
    )
    with working("deciding") as tell:
        work = measure(place.workspace(sets), order, lambda done, of, what: tell(f"{done} of {of}: {what}"))
        try:
            found = asyncio.run(work)
        except KeyboardInterrupt:
            err(f"what is finished is kept in {folder}; the same command goes on")
            raise
    if as_json:
        out_json(found.data())
    else:
        out("\n".join(told_decisions(found)))
        err(f"cells, sessions, results.json, report.md and plot.svg are in {folder}")
    return 0 if found.finished else UNFINISHED


def _panels(given: tuple[str, ...]) -> dict[str, Path]:
    """Parse `FILE` and `METHOD=FILE`."""
    from quorate import catalog
    from quorate.core.errors import SettingError
    from quorate.lab.bench.methods import PLAIN, PROTOCOL

    known = {*PLAIN, "read", PROTOCOL, *catalog.definitions()}
    found: dict[str, Path] = {}
    for text in given:
        method, equals, rest = text.partition("=")
        name, file = (method, rest) if equals and method in known else ("", text)
        if name in found:
            raise SettingError(f"is given twice for {name or 'everybody'}", key="panel", expected="one file for each")
        found[name] = Path(file)
    return found


def _simulated(accuracy: str | None, correlation: str | None, seed: int, *, named: bool) -> Simulated | None:
    from quorate.core.errors import SettingError
    from quorate.lab.bench.seats import Simulated

    if accuracy is None:
        if correlation is not None:
            raise SettingError("is for simulated seats", key="correlation", expected="--accuracy with it")
        return None
    if named:
        raise SettingError("is for simulated seats", key="accuracy", expected="no --panel and no --model with it")
    return Simulated(_chance("accuracy", accuracy), _chance("correlation", correlation or "0"), seed)


def _chance(key: str, text: str) -> Fraction:
    """Parse 0.7 or 7/10. Exponents are refused, since a huge one would make a huge number."""
    from quorate.core.errors import SettingError

    wrong = SettingError(f"is {text[:40]!r}", key=key, expected="a number from 0 to 1, such as 0.7 or 7/10")
    if len(text) > 40 or "e" in text.lower():
        raise wrong
    try:
        chance = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise wrong from None
    if not 0 <= chance <= 1:
        raise wrong
    return chance


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
        raise SettingError(f"is not for {format_}, which has its own truths", key="truth", expected="no --truth")
    return read_mallm(file) if format_ == "mallm" else read_lines(file)
