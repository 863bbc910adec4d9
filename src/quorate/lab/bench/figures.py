"""Figures: the accuracy and cost of each method, and which differences are statistically shown.

A method is called better or worse than another only where an exact paired test on the same tasks says so, with its
level shared out over all comparisons of the table (Holm); everything else is a difference that was not shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from quorate.lab.bench.cells import Cell
from quorate.lab.bench.methods import PLAIN, shown_order
from quorate.lab.bench.task import Kind
from quorate.simulate.flips import Flips
from quorate.simulate.intervals import Interval, clopper_pearson
from quorate.simulate.pairs import Paired, mcnemar, minimum_detectable_effect

LEVEL = Fraction(1, 20)
"""The chance, over all comparisons of a table, of calling anything better or worse that is not."""
EVERY = "all"
ABOUT = 5
"""Less than a fifth more is about the same."""
AGAINST_PROTOCOLS = ("single", "cot", "sc", "reask")
FINDING = (Kind.CODE, Kind.RFC, Kind.INJECTED, Kind.SOUND)
"""Kinds whose answers name defects."""


@dataclass(frozen=True, slots=True)
class FigureRow:
    """One method on the tasks of one kind, or of all."""

    method: str
    kind: str
    tasks: int
    right: int
    unanswered: int
    hits: int
    misses: int
    false: int
    sound: int
    """Tasks with nothing to find."""
    cleared: int
    """Those of them that were judged rightly."""
    tokens: int
    cost: int | None
    """Millionths of a US dollar; None where a price is not known."""
    asks: int
    absent: int

    @property
    def accuracy(self) -> Fraction:
        return Fraction(self.right, self.tasks)

    @property
    def interval(self) -> Interval:
        """The exact 95 % interval of the accuracy."""
        return clopper_pearson(self.right, self.tasks)

    @property
    def recall(self) -> Fraction | None:
        """The share of planted defects that were found; None where none were planted."""
        return _share(self.hits, self.hits + self.misses)

    @property
    def precision(self) -> Fraction | None:
        """The share of claims that were planted defects; None where nothing was claimed."""
        return _share(self.hits, self.hits + self.false)

    @property
    def recall_interval(self) -> Interval | None:
        """The exact 95 % interval of the recall."""
        planted = self.hits + self.misses
        return clopper_pearson(self.hits, planted) if planted else None

    @property
    def precision_interval(self) -> Interval | None:
        """The exact 95 % interval of the precision, with every claim taken as one of its own."""
        claims = self.hits + self.false
        return clopper_pearson(self.hits, claims) if claims else None

    @property
    def tokens_each(self) -> Fraction:
        return Fraction(self.tokens, self.tasks)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two methods on the same tasks."""

    kind: str
    base: str
    method: str
    paired: Paired
    p: Fraction
    """The exact two-sided p-value (McNemar)."""
    shown: bool
    """Whether the test shows a difference, after Holm."""
    extra: Fraction
    """Tokens that the method costs more on a task."""
    before: Fraction
    """Tokens that the other costs on a task."""
    level: Fraction = LEVEL
    """The strictest level that Holm may ask of it."""

    @property
    def gain(self) -> Fraction:
        return self.paired.gain or Fraction(0)

    @property
    def per_thousand(self) -> Fraction | None:
        """The accuracy gained per thousand further tokens; None if the method costs about the same or less."""
        return self.gain / self.extra * 1000 if self.extra * ABOUT > self.before else None

    @property
    def flips(self) -> Flips:
        """Changes from the other method's answers: right to wrong is harmful, wrong to right helpful."""
        each = self.paired
        return Flips(each.both, each.first_only, each.second_only, each.neither)

    @property
    def detectable(self) -> float | None:
        """The smallest difference that so many tasks can be expected to show, four times in five; None for none at all.

        Methods that differ by d points differ on d points of the tasks or more, so where those on which they have
        differed are too few for any difference to show, it is the one that shows itself: d = reach^2 / tasks.
        """
        share, alpha = float(self.paired.discordance or 0), float(self.level)
        smallest = minimum_detectable_effect(self.paired.items, share, alpha)
        if smallest > share or not share:
            smallest = minimum_detectable_effect(self.paired.items, 1.0, alpha) ** 2
        return smallest if smallest <= 1 else None

    @property
    def says(self) -> str:
        """ "Better" or "worse" if the test shows it, else that no difference was shown."""
        if self.shown:
            return f"{'better' if self.gain > 0 else 'worse'} than {self.base}"
        return f"no difference to {self.base} shown"


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a run."""

    rows: tuple[FigureRow, ...]
    """All tasks first, then kind by kind."""
    comparisons: tuple[Comparison, ...]
    again: Flips | None
    """What the second look of `reask` did to its own first answers."""
    matched: Fraction | None
    """The share of the protocols' tokens that `sc` used; None where it was given none to match."""
    unreached: tuple[Cell, ...] = ()
    """Cells in which nobody could be reached: they say nothing of the method, and are left out."""

    def of(self, kind: str) -> tuple[FigureRow, ...]:
        return tuple(row for row in self.rows if row.kind == kind)


def figures(cells: Iterable[Cell]) -> Figures:
    """Compute the figures of a run; cells in which no model was reachable are left out."""
    every = tuple(cells)
    counted = [cell for cell in every if not cell.failed]
    kinds = [kind.value for kind in Kind if any(cell.kind is kind for cell in counted)]
    methods = shown_order(list(dict.fromkeys(cell.method for cell in counted)))
    groups = [EVERY, *kinds] if len(kinds) > 1 else kinds
    rows = []
    found: list[Comparison] = []
    for group in groups:
        mine = [cell for cell in counted if group in (EVERY, cell.kind.value)]
        rows += [row(method, group, each) for method in methods if (each := [c for c in mine if c.method == method])]
        found += compared(group, mine, methods)
    looks = [(cell.first_right, cell.right) for cell in counted if cell.first_right is not None]
    again = Flips.of([(bool(before), after) for before, after in looks]) if looks else None
    fitted = [cell for cell in counted if cell.matched]
    matched = _share(sum(cell.tokens for cell in fitted), sum(cell.matched or 0 for cell in fitted))
    return Figures(tuple(rows), tuple(found), again, matched, tuple(cell for cell in every if cell.failed))


def row(method: str, kind: str, cells: Sequence[Cell]) -> FigureRow:
    """Sum up the cells of one method."""
    sound = [cell for cell in cells if cell.kind in FINDING and not cell.grade.hits + cell.grade.misses]
    costs = [cell.cost for cell in cells]
    return FigureRow(
        method=method,
        kind=kind,
        tasks=len(cells),
        right=sum(cell.right for cell in cells),
        unanswered=sum(cell.answer is None for cell in cells),
        hits=sum(cell.grade.hits for cell in cells),
        misses=sum(cell.grade.misses for cell in cells),
        false=sum(cell.grade.false for cell in cells),
        sound=len(sound),
        cleared=sum(cell.right for cell in sound),
        tokens=sum(cell.tokens for cell in cells),
        cost=None if None in costs else sum(each or 0 for each in costs),
        asks=sum(cell.asks for cell in cells),
        absent=sum(cell.absent for cell in cells),
    )


def compared(kind: str, cells: Sequence[Cell], methods: Sequence[str]) -> list[Comparison]:
    """Compare every method with a single call, and protocols with every plain method, on their common tasks."""
    by = {(cell.method, cell.task): cell for cell in cells}
    pairs = [("single", method) for method in methods if method != "single" and "single" in methods]
    protocols = [method for method in methods if method not in PLAIN]
    pairs += [(base, each) for each in protocols for base in AGAINST_PROTOCOLS[1:] if base in methods]
    found = []
    for base, method in pairs:
        both = [(by[base, t], by[method, t]) for m, t in by if m == method and (base, t) in by]
        if not both:
            continue
        paired = Paired.of((first.right, second.right) for first, second in both)
        extra = Fraction(sum(second.tokens - first.tokens for first, second in both), len(both))
        before = Fraction(sum(first.tokens for first, _ in both), len(both))
        found.append(Comparison(kind, base, method, paired, mcnemar(paired), False, extra, before))
    shown = holm([each.p for each in found])
    level = LEVEL / max(1, len(found))
    return [replace(each, shown=counts, level=level) for each, counts in zip(found, shown, strict=True)]


def holm(values: Sequence[Fraction], level: Fraction = LEVEL) -> list[bool]:
    """Return which p-values are significant with a family-wise error of at most `level` (Holm)."""
    counts = [False] * len(values)
    for rank, index in enumerate(sorted(range(len(values)), key=lambda i: values[i])):
        if values[index] > level / (len(values) - rank):
            break
        counts[index] = True
    return counts


def _share(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None
