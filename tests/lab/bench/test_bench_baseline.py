"""The baseline is a protocol like any other: it can be proven, and what it concludes is a vote of typed answers."""

from __future__ import annotations

from fractions import Fraction

import pytest

from quorate import catalog
from quorate.lab.bench.baseline import DEFINITION, BaselineSettings, Way, build, voted
from quorate.lab.bench.seats import Simulated
from quorate.lab.bench.task import Answer, Asked, Choice, Fault, FaultKind, Judged, Judgement, Kind, Number
from quorate.lab.bench.tasks import drawn
from quorate.verify import verify


@pytest.mark.parametrize("asked", Asked)
@pytest.mark.parametrize("way", Way)
def test_every_way_is_proven(way: Way, asked: Asked) -> None:
    settings = BaselineSettings(way, 2 if way is Way.SC and asked is Asked.NUMBER else 1, asked, ("a", "undecided"))
    built = build(settings, catalog.briefs(DEFINITION), 0)
    report = verify({"it": built}, DEFINITION.proven_with())
    assert report.ok, [result for result in report.results if result.counterexample is not None]


A, B = Fault("a.py", 1, FaultKind.SECURITY), Fault("a.py", 9, FaultKind.GAP)
BAD, GOOD = Judgement.DEFECTIVE, Judgement.SOUND


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([], None),
        ([None, None], None),
        ([Number(1), None, Number(2), Number(2)], Number(2)),
        ([Choice("b"), Choice("a")], Choice("b")),
        ([Number(None), Number(None), Number(3)], Number(None)),
        ([Judged(BAD, (A,)), Judged(GOOD), Judged(BAD, (B, A))], Judged(BAD, (A, B))),
        ([Judged(BAD, (A,)), Judged(GOOD), Judged(GOOD)], Judged(GOOD)),
    ],
)
def test_most_usable_answers_decide_and_findings_are_united(answers: list[Answer | None], said: Answer | None) -> None:
    assert voted(answers) == said


def test_simulated_seats_have_the_accuracy_and_correlation_that_they_promise() -> None:
    """Four standard errors: 10,000 pairs of answers with p = 0.7 and phi = 0.4."""
    task, pairs = drawn([Kind.KNIGHTS], 1, 1)[0], 10_000
    rows = []
    for seed in range(pairs):
        panel = Simulated(Fraction(7, 10), Fraction(2, 5), seed)
        rows.append(tuple(panel.holds(task, who) == task.truth for who in ("one", "other")))
    mean = sum(map(sum, rows)) / (2 * pairs)
    both = sum(all(row) for row in rows) / pairs
    assert abs(mean - 0.7) < 4 * (0.21 / pairs) ** 0.5
    assert abs(both - (0.7 * 0.7 + 0.4 * 0.21)) < 4 * (0.574 * 0.426 / pairs) ** 0.5
