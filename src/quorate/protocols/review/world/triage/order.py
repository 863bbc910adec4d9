"""What measured answers come to: how much worse each snippet looks than before, the order, and the flags. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from quorate.exam.clean_changes import CleanSample
from quorate.protocols.review.world.triage.snippets import Snippet

UNDECIDED = 500
"""What a new function's answer is held against where nothing is known of clean ones."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Beyond which difference a function is flagged; None where there are too few clean changes."""

    changed: int | None
    new: int | None
    usual: int
    """What the model says of a clean function in the middle of the field."""
    clean: int
    """How many clean changes they are from."""

    @classmethod
    def of(cls, sample: CleanSample) -> Thresholds:
        return cls(sample.worst_change(), sample.worst_new(), sample.usual, len(sample.changes))


@dataclass(frozen=True, slots=True)
class Answered:
    """A snippet with the measured answers to it: of 1,000 in favour of its text."""

    snippet: Snippet
    before: int | None
    after: int
    speaks: bool = False
    """Whether text in it is made for a model to read, so that its answers mean nothing."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A snippet in its place."""

    answered: Answered
    difference: int
    """How far its answer has fallen; of a new one, how far it is below the usual one."""
    flagged: bool | None
    """None where nothing is known of clean changes like it: no exam, or no function."""


def ranked(answers: Iterable[Answered], thresholds: Thresholds | None) -> list[Ranked]:
    """Return the snippets in the order in which to look at them: what speaks to its reader, then what fell furthest."""
    found = [_placed(each, thresholds) for each in answers]
    return sorted(found, key=lambda each: (not each.answered.speaks, -each.difference))


def _placed(each: Answered, thresholds: Thresholds | None) -> Ranked:
    usual = UNDECIDED if thresholds is None else thresholds.usual
    difference = (usual if each.before is None else each.before) - each.after
    worst = None
    if thresholds is not None and each.snippet.name and not each.speaks:
        worst = thresholds.new if each.before is None else thresholds.changed
    return Ranked(each, difference, None if worst is None else difference > worst)
