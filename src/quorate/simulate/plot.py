"""Bar plots of simulations as self-contained SVG, which follows the reader's light or dark scheme."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

LEFT, BAR, RIGHT, LINE, TOP = 260, 480, 150, 34, 64
LETTER, MOST_LETTERS = 7.5, 80
"""How wide a letter of a name is at most, on average, and how many are drawn; the whole name is told on pointing."""
NOTE_LETTER, NOTE_LINE = 6, 15
"""How wide a letter of the note is at most, on average, and how far below each other its lines are."""
STYLE = """
  text { font: 13px ui-sans-serif, system-ui, "Segoe UI", sans-serif; fill: #1f2430 }
  .title { font-size: 15px; font-weight: 600 }
  .note { font-size: 11px; fill: #5b6472 }
  .paper { fill: #ffffff }
  .right { fill: #2f8f5b }
  .undecided { fill: #c9ced8 }
  .wrong { fill: #c8483f }
  .plain { fill: #5b7fc7 }
  .axis { stroke: #8a93a3; stroke-width: 0.6; stroke-dasharray: 3 4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e8ebf1 }
    .note { fill: #aab3c2 }
    .paper { fill: #14171d }
    .undecided { fill: #4a5261 }
  }
"""


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment of a bar: its share of the whole, and its style."""

    share: float
    style: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One row: its name, its segments from left to right, and the text after it."""

    name: str
    parts: tuple[Segment, ...]
    says: str


def svg(title: str, note: str, bars: Sequence[Bar], legend: Sequence[str] = ()) -> str:
    """Return the bars as SVG, on a scale from 0 to 100 %."""
    longest = max((len(_cut(bar.name)) for bar in bars), default=0)
    left = max(LEFT, round(longest * LETTER) + 20)
    width = left + BAR + RIGHT
    noted = wrap(note, (width - 32) // NOTE_LETTER)
    below = NOTE_LINE * max(len(noted) - 1, 0)
    height = TOP + LINE * len(bars) + 46
    lines = [_axis(left, percent, len(bars)) for percent in (0, 25, 50, 75, 100)]
    lines += [_bar(left, number, bar) for number, bar in enumerate(bars)]
    lines += [_key(left, number, name, height) for number, name in enumerate(legend)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + below}" '
        f'width="{width}" height="{height + below}" '
        f'role="img">\n<title>{escape(title)}</title>\n<style>{STYLE}</style>\n'
        f'<rect class="paper" width="100%" height="100%"/>\n<text class="title" x="16" y="24">{escape(title)}</text>\n'
        f'{"".join(map(_noted, range(len(noted)), noted))}<g transform="translate(0 {below})">\n{"".join(lines)}</g>\n'
        "</svg>\n"
    )


def _noted(number: int, line: str) -> str:
    return f'<text class="note" x="16" y="{42 + NOTE_LINE * number}">{escape(line)}</text>\n'


def _axis(left: int, percent: int, bars: int) -> str:
    x, bottom = left + BAR * percent / 100, TOP + LINE * bars
    return (
        f'<path class="axis" d="M{x:.1f} {TOP - 6}V{bottom}"/>\n'
        f'<text class="note" x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{percent} %</text>\n'
    )


def _bar(left: int, number: int, bar: Bar) -> str:
    y, x, drawn = TOP + LINE * number, float(left), []
    for part in bar.parts:
        drawn.append(f'<rect class="{part.style}" x="{x:.1f}" y="{y}" width="{BAR * part.share:.1f}" height="20"/>\n')
        x += BAR * part.share
    return (
        f'<text x="{left - 10}" y="{y + 15}" text-anchor="end"><title>{escape(bar.name)}</title>'
        f"{escape(_cut(bar.name))}</text>\n{''.join(drawn)}"
        f'<text x="{left + BAR + 10}" y="{y + 15}">{escape(bar.says)}</text>\n'
    )


def _key(left: int, number: int, name: str, height: int) -> str:
    x = left + 110 * number
    return (
        f'<rect class="{escape(name)}" x="{x}" y="{height - 20}" width="12" height="12"/>\n'
        f'<text class="note" x="{x + 18}" y="{height - 10}">{escape(name)}</text>\n'
    )


def _cut(name: str) -> str:
    half = MOST_LETTERS // 2
    return name if len(name) <= MOST_LETTERS else f"{name[: half - 1]}…{name[-half:]}"
