"""`exam`: examine whether a model can judge, before it votes on anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from quorate.cli.desk import chance_option, json_option
from quorate.cli.group import Command
from quorate.cli.output import out, out_json
from quorate.cli.text import count, seconds

if TYPE_CHECKING:
    from quorate.exam.results import Sitting
    from quorate.exam.scores import FormRate, PaperScore, PerMille


@click.command(
    cls=Command,
    examples=(
        "quorate exam local:smollm2",
        "quorate exam local:/models/qwen.gguf --protocol review --seconds 300",
        "quorate exam openai:gpt-5 --calls 120 --seed 7",
        "quorate exam --list",
    ),
)
@click.argument("model", required=False)
@click.option("--list", "listed", is_flag=True, help="Show the exams that were sat, the latest first.")
@click.option("--protocol", "protocols", multiple=True, metavar="NAME", help="Only this protocol's paper; repeatable.")
@click.option("--seconds", "most_seconds", type=click.IntRange(1, 86_400), metavar="N", help="Draw for so long.")
@click.option("--calls", type=click.IntRange(1, 100_000), metavar="N", help="Make at most so many calls.")
@click.option(
    "--samples",
    type=click.IntRange(1, 20),
    default=1,
    show_default=True,
    metavar="N",
    help="Answers that stand for one where a provider gives no probabilities.",
)
@click.option("--flags", is_flag=True, help="Ask about all clean changes too, by which later ones can be flagged.")
@chance_option
@json_option
def exam(
    model: str | None,
    listed: bool,
    protocols: tuple[str, ...],
    most_seconds: int | None,
    calls: int | None,
    samples: int,
    flags: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Examine whether a model can judge, before it votes on anything.

    The model is asked about pairs of texts, such as a faulty function and its mended twin, one text at a time, and
    answers with one word. What counts is how likely each word was, where the engine or provider says so. Questions are
    drawn until the 95 % interval of the share of right pairs leaves chance, or until the limit: two minutes for a local
    model, 60 calls for a remote one. With --flags some minutes or about a thousand short calls more, without a limit.
    The result is kept in your data folder.
    """
    from quorate.exam.results import kept, to_data

    if listed:
        if model is not None:
            raise click.UsageError("--list takes no model.")
        found = kept()
        out_json([to_data(each) for each in found]) if as_json else out(_list(found))
        return
    if model is None:
        raise click.UsageError("Say which model, such as `quorate exam local:smollm2`, or give --list.")
    sitting = _sit(model, seed, protocols, most_seconds, calls, samples, flags)
    out_json(to_data(sitting)) if as_json else out("\n".join(_told(sitting)))


def _sit(
    model: str,
    seed: int,
    protocols: tuple[str, ...],
    most_seconds: int | None,
    calls: int | None,
    samples: int,
    flags: bool,
) -> Sitting:
    import asyncio

    from quorate.api.exams import examine
    from quorate.cli.style import working

    with working("examining") as tell:
        return asyncio.run(
            examine(
                model,
                seed=seed,
                protocols=protocols,
                seconds=most_seconds,
                calls=calls,
                samples=samples,
                flags=flags,
                tell=tell,
            )
        )


def _list(found: list[Sitting]) -> str:
    from quorate.api.exams import summary
    from quorate.cli.table import table

    if not found:
        return "No model has sat the exam yet: quorate exam MODEL"
    return table(("WHEN", "MODEL", "RESULT"), [(each.at[:16], each.model, summary(each)) for each in found])


def _told(sitting: Sitting) -> Iterator[str]:
    from quorate.cli.table import table

    found = sitting.outcome
    how = "measured by token probabilities" if found.measured else "estimated by what it said"
    yield f"{sitting.model}, exam {sitting.exam}, seed {sitting.seed}: {how}"
    if sitting.version:
        yield f"version {sitting.version}"
    yield f"{count(found.calls, 'call')} in {seconds(found.seconds)}; intervals hold with 95 % confidence"
    if found.scores:
        yield ""
        headings = (
            "PAPER",
            "RIGHT PAIRS",
            "ACCURACY",
            "DISCRIMINATION",
            "SAYS YES",
            "BRIER",
            "ECE",
            "ON ANSWERS",
            "ASKED",
        )
        yield table(headings, [_row(each) for each in found.scores])
    yield ""
    yield table(("FORM", "DONE AS ASKED", "SHARE"), [_rate(each) for each in found.rates])
    yield ""
    for each, halt in zip(found.scores, found.halts, strict=True):
        yield f"{_sentence(each)} Drawing ended because {halt.value}."
    for sample in sitting.clean:
        yield f"{sample.protocol}: {count(len(sample.changes), 'clean change')} measured, by which others are flagged."
    for name in found.unasked:
        yield f"{name}: nothing was asked within the limit; give more --seconds or --calls."


def _row(each: PaperScore) -> tuple[str, ...]:
    lots = f" ({count(each.ties, 'tie')} by lot)" if each.ties else ""
    return (
        each.protocol,
        f"{each.right} of {each.pairs}{lots}",
        _percent(each.accuracy),
        _decimal(each.discrimination),
        _percent(each.yes),
        _decimal(each.brier),
        f"{each.calibration_error / 1000:.2f}",
        f"{each.seen / 10:.0f} %",
        f"{count(each.askings, 'way')}",
    )


def _rate(each: FormRate) -> tuple[str, ...]:
    return each.name, f"{each.passed} of {each.tasks}", _percent(each.figure) if each.tasks else "not asked"


def _percent(figure: PerMille) -> str:
    return f"{figure.value / 10:.0f} % ({figure.low / 10:.0f} to {figure.high / 10:.0f})"


def _decimal(figure: PerMille) -> str:
    return f"{figure.value / 1000:.2f} ({figure.low / 1000:.2f} to {figure.high / 1000:.2f})"


def _sentence(each: PaperScore) -> str:
    from quorate.exam.scores import Competence

    low, high = f"{each.accuracy.low / 10:.0f} %", f"{each.accuracy.high / 10:.0f} %"
    told = f"{each.right} of {count(each.pairs, 'pair')} right, and between {low} and {high} of all"
    match each.competence:
        case Competence.QUALIFIED:
            return f"{each.protocol}: qualified: it tells good from bad better than a coin ({told})."
        case Competence.WORSE:
            return f"{each.protocol}: worse than chance: it prefers the bad one ({told})."
        case Competence.UNDECIDED:
            return f"{each.protocol}: not told apart from chance: it may be guessing ({told})."
