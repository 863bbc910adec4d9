"""What a person is told around a workshop: beforehand how it goes and who sits there, at the end what was written."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING

from quorate.cli.output import err
from quorate.cli.styled import Styled
from quorate.cli.text import count

if TYPE_CHECKING:
    from pathlib import Path

    from quorate.api import Held, Result, Written
    from quorate.cli.desk import Place

HOW = {"written": "wrote", "merged": "merged into", "already there": "there already:"}
MARGIN = "          "
WIDTH = 66
"""Columns of a text that goes over several lines, beside the margin."""


def tell_workshop(held: Held) -> Iterator[Styled]:
    """Say what the workshop is for, how it goes and why, who takes part, and what is on the agenda."""
    yield (("workshop  ", "dim"), (held.workflow, "bold"))
    yield (("strategy  ", "dim"), f"{held.strategy}: ", (held.why_strategy, "dim"))
    if len(held.stages) > 1:
        for line in wrap(", ".join(held.stages), WIDTH, break_on_hyphens=False):
            yield (MARGIN, (line, "dim"))
    width = max(len(each.seat) for each in held.participants)
    for place, each in enumerate(held.participants):
        yield (("seats     " if place == 0 else MARGIN, "dim"), each.seat.ljust(width), (f"  {each.side}", "dim"))
    yield (("agenda    ", "dim"), held.agenda)
    for place, topic in enumerate(held.topics, start=1):
        mark = ("required  ", "bold") if topic.required else ("          ", "")
        needs = f"{count(topic.criteria, 'criterion', 'criteria')}, at least {count(topic.minimum, 'artifact')}"
        if not topic.minimum:
            needs = count(topic.criteria, "criterion", "criteria")
        yield (MARGIN, f"{place:2} ", mark, topic.name, (f"  {needs}", "dim"))
    yield (("rounds    ", "dim"), f"{held.min_rounds} to {held.max_rounds}")
    for warning in held.warnings:
        for place, line in enumerate(wrap(warning, WIDTH, break_on_hyphens=False)):
            yield (("note      " if place == 0 else MARGIN, "dim"), (line, "yellow"))


def leave_behind(place: Place, result: Result, folder: Path | None, *, quiet: bool = False) -> int:
    """Write what a workshop leaves and say so; 0, or an exit code where something is in the way.

    Sessions of other protocols leave nothing here, nor does one that goes on.
    """
    from quorate import api
    from quorate.cli.exits import code_of
    from quorate.core.errors import QuorateError

    if result.record.opening.protocol != "workshop":
        return 0
    try:
        written = api.leave(result, folder)
    except QuorateError as error:
        again = place.command("resume", result.session)
        err(f"quorate: not everything was written: {error}\nclear the way, then:\n  {again}")
        return code_of(error)
    for line in () if quiet else tell_written(written):
        err(line)
    return 0


def tell_written(written: list[Written]) -> Iterator[str]:
    """Say which files were left, and what became of ids that were taken."""
    dumps = [each for each in written if each.path.parent.name == "rounds"]
    renamed: dict[str, str] = {}
    for each in written:
        if each not in dumps:
            yield f"{HOW[each.how]} {_shown(each.path)}"
        renamed |= each.ids
    if dumps:
        yield f"wrote {_shown(dumps[0].path.parent)} ({count(len(dumps), 'file')})"
    for old, new in renamed.items():
        yield f"  {old} is {new} there"


def _shown(path: Path) -> str:
    """The path as the person would write it here."""
    from pathlib import Path

    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
