"""Where the review's questions come from, and what a model's exam says about when to flag."""

from __future__ import annotations

from quorate.api.exams import clean_sample, paper_of
from quorate.exam.paper import Paper
from quorate.protocols.review.world.triage.order import Thresholds

PROTOCOL = "review"


def paper() -> Paper:
    """Return the review's paper: how items of the exam and changed functions are asked about."""
    return paper_of(PROTOCOL)


def thresholds_of(model: str) -> Thresholds | None:
    """Return when to flag for a model; None where its exam has not measured clean changes in this way of asking.

    Raises SettingError for anything but one model.
    """
    sample = clean_sample(model, PROTOCOL)
    return None if sample is None else Thresholds.of(sample)
