"""What a person is told before a workshop: how it goes, who sits there, and what is on the agenda."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING

from quorate.cli.style import Styled
from quorate.cli.text import count

if TYPE_CHECKING:
    from quorate.protocols.workshop.world.workshop import Held

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
