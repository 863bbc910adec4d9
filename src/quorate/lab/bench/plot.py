"""The plot of accuracy against cost: a point per method, with its interval, as self-contained SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import log10
from textwrap import wrap

from quorate.lab.bench.figures import FigureRow
from quorate.simulate.plot import STYLE

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 440, 70, 40, 84, 76
LETTER, LINE = 7, 14
"""The room that a name takes: for each of its letters, and in height."""
LONGEST = 40
"""Letters of a name that are shown: so many have room on one side of any point."""
POINT = 5
ROOM = 1.15
"""How far the scale reaches beyond the cheapest and the dearest method."""
MOST_NOTE = 125
"""Characters of a note in one line."""
KEY = "bars: 95 % intervals; dashed: methods that no other beats both in tokens and in accuracy"
MARKS = """
  .point { fill: #5b7fc7 }
  .reach { stroke: #5b7fc7; stroke-width: 1.2 }
  .front { fill: none; stroke: #2f8f5b; stroke-width: 1.2; stroke-dasharray: 6 4 }
"""
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def front(rows: Sequence[FigureRow]) -> list[FigureRow]:
    """Return the Pareto front: the methods that no other beats in both tokens and accuracy, cheapest first."""
    kept: list[FigureRow] = []
    for row in sorted(rows, key=lambda row: (row.tokens_each, -row.accuracy)):
        if not kept or row.accuracy > kept[-1].accuracy:
            kept.append(row)
    return kept


def svg(title: str, note: str, rows: Sequence[FigureRow]) -> str:
    """Return a plot of accuracy against tokens per task; tokens are on a logarithmic scale."""
    ticks = _ticks([max(1.0, float(row.tokens_each)) for row in rows])
    low, high = log10(ticks[0]), log10(ticks[-1])

    def across(tokens: float) -> float:
        return LEFT + (log10(max(1.0, tokens)) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(share: float) -> float:
        return TOP + (1 - share) * (HEIGHT - TOP - BOTTOM)

    at = {row.method: (across(float(row.tokens_each)), y(float(row.accuracy))) for row in rows}
    drawn = [_across(y(percent / 100), f"{percent} %") for percent in (0, 25, 50, 75, 100)]
    drawn += [_down(across(tick), f"{tick:,}") for tick in ticks]
    path = " ".join(f"{'L' if i else 'M'}{x:.1f} {h:.1f}" for i, (x, h) in enumerate(at[r.method] for r in front(rows)))
    drawn.append(f'<path class="front" d="{path}"/>\n')
    for row in rows:
        x, height = at[row.method]
        drawn.append(f'<path class="reach" d="M{x:.1f} {y(row.interval.low):.1f}V{y(row.interval.high):.1f}"/>\n')
        drawn.append(f'<circle class="point" cx="{x:.1f}" cy="{height:.1f}" r="{POINT}"/>\n')
    taken = [(x - POINT, height - POINT, x + POINT, height + POINT) for x, height in at.values()]
    for name, point in sorted(at.items(), key=lambda each: each[1]):
        shown = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
        taken.append(_free(taken, point, len(shown) * LETTER))
        drawn.append(f'<text x="{taken[-1][0]:.1f}" y="{taken[-1][3] - 3:.1f}">{escape(shown)}</text>\n')
    said = "".join(
        f'<text class="note" x="16" y="{42 + LINE * number}">{escape(line)}</text>\n'
        for number, line in enumerate(wrap(note, MOST_NOTE)[:2])
    )
    middle = LEFT + (WIDTH - LEFT - RIGHT) / 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img">\n<title>{escape(title)}</title>\n<style>{STYLE}{MARKS}</style>\n'
        f'<rect class="paper" width="100%" height="100%"/>\n<text class="title" x="16" y="24">{escape(title)}</text>\n'
        f'{said}<text class="note" x="16" y="{TOP - 12}">right</text>\n{"".join(drawn)}'
        f'<text class="note" x="{middle:.0f}" y="{HEIGHT - 38}" text-anchor="middle">tokens on a task</text>\n'
        f'<text class="note" x="{middle:.0f}" y="{HEIGHT - 16}" text-anchor="middle">{KEY}</text>\n</svg>\n'
    )


def _free(taken: Sequence[Box], point: tuple[float, float], width: float) -> Box:
    """Return a position for a label near its point that covers no point and no other label."""
    for box in _places(point, width):
        inside = box[0] >= LEFT and box[2] <= WIDTH
        if inside and not any(_meet(box, other) for other in taken):
            return box
    raise AssertionError("there is always room further up")


def _places(point: tuple[float, float], width: float) -> Iterator[Box]:
    """Yield label positions from near to far: right and left, above and below, then ever higher."""
    x, y = point
    for away in range(1_000):
        for left in (x + 9, x - 9 - width):
            for bottom in (y - 3 - away * LINE, y + 3 + (away + 1) * LINE):
                yield left, bottom - LINE, left + width, bottom


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _ticks(tokens: Sequence[float]) -> list[int]:
    """Return the ticks of a scale that spans all of these: 1, 2 and 5 in every power of ten."""
    marks = [step * 10**power for power in range(14) for step in (1, 2, 5)]
    least, most = (min(tokens) / ROOM, max(tokens) * ROOM) if tokens else (1.0, 10.0)
    first = max((n for n, mark in enumerate(marks) if mark <= least), default=0)
    last = next(n for n, mark in enumerate(marks) if mark >= most)
    return marks[first : max(last, first + 1) + 1]


def _across(y: float, words: str) -> str:
    return (
        f'<path class="axis" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>\n'
        f'<text class="note" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{words}</text>\n'
    )


def _down(x: float, words: str) -> str:
    return (
        f'<path class="axis" d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}"/>\n'
        f'<text class="note" x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{words}</text>\n'
    )
