"""Figures of reviews: recall, false alarms, replies and cost of each method, all with their intervals.

Intervals of shares are exact (Clopper-Pearson). Those of means and of ratios come from drawing the changes again, with
replacement and always alike (percentiles of 2,000 samples): a figure of a few changes has a wide one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from quorate.lab.bench.figures import LEVEL, Comparison, holm
from quorate.lab.bench.review_bench import ReviewCell
from quorate.simulate.intervals import Interval, clopper_pearson
from quorate.simulate.pairs import Paired, mcnemar

SAMPLES = 2_000
PER_TOKENS = 10_000
REVIEWS = "reviews"
"""What comparisons are about."""


@dataclass(frozen=True, slots=True)
class CountedShare:
    """So many of so many."""

    part: int
    whole: int

    @property
    def value(self) -> Fraction | None:
        return Fraction(self.part, self.whole) if self.whole else None

    @property
    def interval(self) -> Interval | None:
        """The exact 95 % interval; None of nothing."""
        return clopper_pearson(self.part, self.whole) if self.whole else None


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean or a ratio over changes, with what other changes might have given."""

    value: float
    interval: Interval | None
    """None where nothing was counted at all: drawing nothing again says nothing."""


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """The figures of one method on some changes."""

    method: str
    changes: int
    strict: CountedShare
    """Faulty twins whose fault was found by its place."""
    lenient: CountedShare
    stopped: CountedShare
    """Faulty twins whose fault was found by its place, by a finding that blocks."""
    alarmed: CountedShare
    """Clean twins with at least one false alarm."""
    alarms: Mean | None
    """False alarms per clean twin."""
    alarms_by_checks: int
    verdicts: tuple[tuple[str, int, int], ...]
    """Every verdict, with how many faulty and how many clean twins it was given."""
    at_once: CountedShare
    fitting: CountedShare
    """Replies that fitted at first or after a repair."""
    absent: int
    cut: CountedShare
    loops: CountedShare
    invented: CountedShare
    tokens: Mean | None
    """Per change."""
    seconds: Mean | None
    cost: int | None
    """Millionths of a US dollar in all; None where a price is not known."""
    per_tokens: Mean | None
    """True faults per 10,000 tokens spent on the faulty twins and the clean ones; None where tokens cost nothing."""


@dataclass(frozen=True, slots=True)
class ReviewFigures:
    """The figures of a run."""

    rows: tuple[ReviewRow, ...]
    kinds: tuple[tuple[str, str, CountedShare], ...]
    """Of each kind and language and method: faulty twins whose fault was found by its place."""
    comparisons: tuple[Comparison, ...]
    unreached: tuple[str, ...]
    """Why nobody could be reached in some cells, which are left out."""


def review_figures(cells: Iterable[ReviewCell]) -> ReviewFigures:
    """Compute the figures of a run; cells in which nobody was reachable are left out."""
    every = tuple(cells)
    counted = [cell for cell in every if not cell.failed]
    methods = list(dict.fromkeys(cell.method for cell in counted))
    rows = tuple(review_row(method, [cell for cell in counted if cell.method == method]) for method in methods)
    unreached = tuple(cell.detail for cell in every if cell.failed)
    return ReviewFigures(rows, tuple(_by_kind(counted)), _compared(counted, methods), unreached)


def review_row(method: str, cells: Sequence[ReviewCell]) -> ReviewRow:
    """Sum up the cells of one method."""
    faulty, clean = [cell for cell in cells if cell.faulty], [cell for cell in cells if not cell.faulty]
    replies = [cell.replies for cell in cells]
    came = sum(each.replies for each in replies)
    at_once = sum(each.at_once for each in replies)
    texts = sum(each.texts for each in replies)
    costs = [cell.cost for cell in cells]
    verdicts = Counter((cell.verdict, cell.faulty) for cell in cells)
    names = dict.fromkeys(verdict for (verdict, _), _ in verdicts.most_common())
    return ReviewRow(
        method=method,
        changes=len(cells),
        strict=CountedShare(sum(cell.score.strict for cell in faulty), len(faulty)),
        lenient=CountedShare(sum(cell.score.lenient for cell in faulty), len(faulty)),
        stopped=CountedShare(sum(cell.score.stopped for cell in faulty), len(faulty)),
        alarmed=CountedShare(sum(cell.score.blocking > 0 for cell in clean), len(clean)),
        alarms=mean(clean, lambda cell: cell.score.blocking),
        alarms_by_checks=sum(cell.score.by_checks for cell in clean),
        verdicts=tuple((name, verdicts[name, True], verdicts[name, False]) for name in names),
        at_once=CountedShare(at_once, came),
        fitting=CountedShare(at_once + sum(each.repaired for each in replies), came),
        absent=sum(each.absent for each in replies),
        cut=CountedShare(sum(each.cut for each in replies), texts),
        loops=CountedShare(sum(each.loops for each in replies), texts),
        invented=CountedShare(sum(each.invented for each in replies), sum(each.quotations for each in replies)),
        tokens=mean(cells, lambda cell: cell.tokens),
        seconds=mean(cells, lambda cell: cell.milliseconds / 1_000),
        cost=None if None in costs else sum(each or 0 for each in costs),
        per_tokens=ratio(cells, lambda cell: PER_TOKENS * cell.score.strict, lambda cell: cell.tokens),
    )


def mean(cells: Sequence[ReviewCell], of: Callable[[ReviewCell], float]) -> Mean | None:
    """Return the mean over changes; None without any."""
    return ratio(cells, of, lambda _: 1)


def ratio(
    cells: Sequence[ReviewCell], part: Callable[[ReviewCell], float], whole: Callable[[ReviewCell], float]
) -> Mean | None:
    """Return the sum of one thing over the sum of another; None where the other is nothing."""
    pairs = [(part(cell), whole(cell)) for cell in cells]
    if not sum(below for _, below in pairs):
        return None
    if not any(above for above, _ in pairs):
        return Mean(0.0, None)
    draw = Random(f"changes {len(pairs)}")  # noqa: S311 - the same cells have to give the same interval
    drawn = (draw.choices(pairs, k=len(pairs)) for _ in range(SAMPLES))
    values = sorted(_over(each) for each in drawn if any(below for _, below in each))
    return Mean(_over(pairs), Interval(values[len(values) // 40], values[-1 - len(values) // 40]))


def _over(pairs: Sequence[tuple[float, float]]) -> float:
    return sum(above for above, _ in pairs) / sum(below for _, below in pairs)


def _by_kind(cells: Sequence[ReviewCell]) -> Iterable[tuple[str, str, CountedShare]]:
    faulty = [cell for cell in cells if cell.faulty]
    of_kind = ((cell.kind.value, cell) for cell in faulty)
    of_language = ((cell.language.value, cell) for cell in faulty)
    groups: dict[tuple[str, str], list[ReviewCell]] = {}
    for name, cell in (*sorted(of_kind, key=lambda each: each[0]), *sorted(of_language, key=lambda each: each[0])):
        groups.setdefault((name, cell.method), []).append(cell)
    for (name, method), mine in groups.items():
        yield name, method, CountedShare(sum(cell.score.strict for cell in mine), len(mine))


def is_right(cell: ReviewCell) -> bool:
    """Whether the fault was found by its place, or a clean twin raised no false alarm."""
    return cell.score.strict if cell.faulty else not cell.score.blocking


def _compared(cells: Sequence[ReviewCell], methods: Sequence[str]) -> tuple[Comparison, ...]:
    """Compare every method with each before it, on the changes that both have reviewed."""
    by = {(cell.method, cell.task): cell for cell in cells}
    found: list[Comparison] = []
    for place, method in enumerate(methods):
        for base in methods[place + 1 :]:
            both = [
                (by[base, task], cell) for (name, task), cell in by.items() if name == method and (base, task) in by
            ]
            if both:
                found.append(_comparison(base, method, both))
    shown = holm([each.p for each in found])
    level = LEVEL / max(1, len(found))
    return tuple(replace(each, shown=counts, level=level) for each, counts in zip(found, shown, strict=True))


def _comparison(base: str, method: str, both: Sequence[tuple[ReviewCell, ReviewCell]]) -> Comparison:
    paired = Paired.of((is_right(first), is_right(second)) for first, second in both)
    extra = Fraction(sum(second.tokens - first.tokens for first, second in both), len(both))
    before = Fraction(sum(first.tokens for first, _ in both), len(both))
    return Comparison(REVIEWS, base, method, paired, mcnemar(paired), False, extra, before)
