"""Exams as they are kept, without anybody sitting them."""

from __future__ import annotations

from quorate.api.exams import current_version
from quorate.exam.candidate import ExamOutcome, Halt
from quorate.exam.results import Sitting, keep
from quorate.exam.scores import PairAnswer, score


def examined(model: str, protocol: str, right: int) -> None:
    """Keep an exam of a model with so many right pairs of twelve: 7 are not told apart from chance, 12 are."""
    answers = [PairAnswer(str(n), 700, 300) if n < right else PairAnswer(str(n), 300, 700) for n in range(12)]
    outcome = ExamOutcome((score(protocol, answers, 1),), (Halt.ITEMS,), (), (), True, 24, 1.0)
    keep(Sitting(model, "tiny-2026", current_version(), "2026-03-01T12:00:00+00:00", 1, outcome))
