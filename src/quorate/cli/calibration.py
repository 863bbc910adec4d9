"""`calibration`: accuracy of verdicts, seats, families and confidences in labelled sessions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

import click

from quorate.cli.completion import complete_protocol
from quorate.cli.desk import Place, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err, out, out_json
from quorate.cli.table import table
from quorate.cli.text import count

if TYPE_CHECKING:
    from quorate.api.track_record import Calibrated
    from quorate.worth.calibration import Agreeing, Calibration, OfConfidence, OfPanel, OfSeat, OfVerdict
    from quorate.worth.cases import Share

Of = TypeVar("Of", "OfVerdict", "OfSeat")
MOST_LISTED = 10
"""Labels that were left out and are named; the rest are counted."""


@click.command(
    cls=Command,
    examples=(
        "quorate calibration",
        "quorate calibration --protocol review",
        "quorate calibration --model claude --json",
    ),
)
@click.option("--protocol", metavar="P", shell_complete=complete_protocol, help="Only sessions of this protocol.")
@click.option("--model", metavar="M", help="Only seats that this model held: its name, a part of it, or its family.")
@json_option
@store_option
@click.pass_obj
def calibration(place: Place, protocol: str | None, model: str | None, as_json: bool) -> None:
    """Say how right verdicts, seats and confidences were.

    Told of the sessions that `quorate label` has labelled: how often each verdict was right, whether stated confidences
    mean what they say, how sure unanimity is, how much seats and model families err alike and what their votes are
    worth then, and whether talk made positions better or worse. Bounds are exact (Clopper-Pearson, 95 %). Advice on
    seats follows from the numbers, and is refused where there are too few.
    """
    from quorate.api import track_record
    from quorate.api.calibration_data import calibration_data
    from quorate.cli.paragraphs import fitted
    from quorate.cli.readable import reading_desk

    with reading_desk(place) as work:
        found = work.run(track_record.calibration(work.workspace, work.journal, protocol=protocol, model=model))
    if as_json:
        out_json(calibration_data(found))
    elif found.found.cases or found.findings:
        out(fitted(_told(found)))
    else:
        what = f"No session of a {protocol}" if protocol else "Nothing"
        err(f"{what} is labelled here yet; `quorate label SESSION --truth T` records what turned out to be right.")
    for each in found.left_out[:MOST_LISTED]:
        err(f"left out: the label {each.label.truth} of {each.label.session}: {each.why}")
    if len(found.left_out) > MOST_LISTED:
        err(f"and {len(found.left_out) - MOST_LISTED} more")


def _told(calibrated: Calibrated) -> Iterator[str]:
    found = calibrated.found
    labelled = count(calibrated.findings, "labelled finding")
    yield f"{count(found.cases, 'labelled session')}, {labelled}; bounds hold with 95 % confidence"
    yield from _verdicts(found)
    yield from _seats(found)
    for panel in found.panels:
        yield from _panel(panel)
    yield from _pairs("FAMILY", found.families)
    for protocol, flips in found.flips.items():
        yield ""
        yield f"{protocol}: sides that changed after others were shown"
        yield f"  from wrong to right: {_part(flips.helpful, flips.stayed_wrong)}"
        yield f"  from right to wrong: {_part(flips.harmful, flips.stayed_right)}"
    for each in found.confidences:
        yield from _confidence(each)
    yield ""
    yield from calibrated.advice or ("Nothing in these numbers calls for a change.",)


def _verdicts(found: Calibration) -> Iterator[str]:
    for protocol, verdicts in _by_protocol(found.verdicts):
        yield ""
        yield f"{protocol}: how often verdicts were right"
        rows = [(v.verdict, *_share(v.share), str(v.left_open) if v.left_open else "") for v in verdicts]
        yield table(("VERDICT", "RIGHT", "SHARE", "BOUNDS", "LEFT OPEN"), rows)


def _seats(found: Calibration) -> Iterator[str]:
    for protocol, seats in _by_protocol(found.seats):
        yield ""
        yield f"{protocol}: how often seats were right by themselves, before they were shown others"
        rows = [(str(s.seat), *_share(s.matter), _counted(s.findings), ", ".join(s.models)) for s in seats]
        yield table(("SEAT", "RIGHT", "SHARE", "BOUNDS", "ON FINDINGS", "MODEL"), rows)


def _by_protocol(found: Iterable[Of]) -> Iterator[tuple[str, list[Of]]]:
    """Group results by protocol, in order of appearance."""
    grouped: dict[str, list[Of]] = {}
    for each in found:
        grouped.setdefault(each.protocol, []).append(each)
    yield from grouped.items()


def _panel(panel: OfPanel) -> Iterator[str]:
    agreed, limit = panel.unanimity, panel.ceiling
    yield ""
    yield f"{panel.protocol} with {', '.join(panel.voters)}: {count(panel.items, 'session')}"
    yield f"  {_worth(panel)}"
    if agreed.unanimous:
        sure = f"right in {agreed.right}, with 95 % confidence in at least {_percent(agreed.precision_bound)}"
        yield f"  unanimous at first in {agreed.unanimous} of {agreed.items}: {sure}"
    if limit.items:
        most = f"is right in at most {_percent(limit.accuracy_bound)}, with 95 % confidence"
        yield f"  all wrong in {limit.all_wrong} of {limit.items}: a rule that picks one of their answers {most}"
    yield from _pairs("SEAT", panel.agreeing)


def _worth(panel: OfPanel) -> str:
    """Return a sentence on effective votes, or why they cannot be computed."""
    if not panel.whole:
        return "error correlation not known: there is no session in which all of them took a side"
    if panel.correlation is None or panel.effective is None:
        return f"error correlation not known: in {count(panel.whole, 'session')} nobody was wrong, or everybody always"
    from quorate.evidence.advice import enough

    few = "" if enough(panel) else ", too few to rely on"
    measured = f"error correlation {float(panel.correlation):.2f} in {count(panel.whole, 'session')}{few}"
    if panel.correlation < 0:
        return f"{measured}: they do not err together, so {len(panel.voters)} seats count as {len(panel.voters)} votes"
    adds = ", ".join(f"{seat} adds {float(more):.2f}" for seat, more in panel.adds.items() if more is not None)
    worth = f"{len(panel.voters)} seats are worth {float(panel.effective):.2f} independent votes"
    return f"{measured}: {worth}" + (f" ({adds})" if adds else "")


def _pairs(what: str, agreeing: Sequence[Agreeing]) -> Iterator[str]:
    """Yield a table of the pairs that took positions on the same things."""
    rows = [
        (
            each.first,
            each.second,
            f"{each.same} of {each.items}",
            str(each.pair.both_wrong),
            "" if each.pair.phi is None else f"{each.pair.phi:.2f}",
        )
        for each in agreeing
        if each.items
    ]
    if rows:
        yield ""
        yield table((what, "AND", "SAME SIDE", "BOTH WRONG", "CORRELATION"), rows)


def _confidence(each: OfConfidence) -> Iterator[str]:
    score = each.brier
    yield ""
    stated = sum(row.said * row.items for row in each.bins) / each.items
    right = Fraction(sum(row.right for row in each.bins), each.items)
    counted = count(each.items, "stated confidence")
    yield f"{each.protocol}: {counted}, {_percent(stated)} on average, right in {_percent(right)}"
    yield (
        f"  Brier score {float(score.score):.3f} (0 is best) = {float(score.reliability):.3f} reliability - "
        f"{float(score.resolution):.3f} resolution + {float(score.uncertainty):.3f} uncertainty"
    )
    yield f"  mean gap between what was said and what was right: {100 * float(each.error):.0f} points"
    rows = []
    for row in each.bins:
        low, high = row.interval()
        share = _percent(row.share)
        bounds = f"{_percent(low)} to {_percent(high)}"
        said = f"{_percent(row.low)} to {_percent(row.high)}"
        rows.append((said, _percent(row.said), f"{row.right} of {row.items}", share, bounds))
    yield table(("STATED", "MEAN", "RIGHT", "SHARE", "BOUNDS"), rows)


def _share(share: Share) -> tuple[str, str, str]:
    if not share.items:
        return "", "", ""
    low, high = share.interval
    return _counted(share), _rate(share.share), f"{_percent(low)} to {_percent(high)}"


def _counted(share: Share) -> str:
    return f"{share.right} of {share.items}" if share.items else ""


def _rate(share: Fraction | None) -> str:
    return "none" if share is None else _percent(share)


def _part(part: int, rest: int) -> str:
    """Return a share such as `2 of 7 (29 %)`, or that there were no cases."""
    return f"{part} of {part + rest} ({_percent(Fraction(part, part + rest))})" if part + rest else "there were none"


def _percent(share: float | Fraction) -> str:
    return f"{100 * float(share):.0f} %"
