"""Drawing: boxes in one column, and labelled arrows between them as an SVG, with no library.

Neighbours are joined by a straight arrow. Every other arrow leaves its box at the side, runs along a lane of its own,
downwards on the right and upwards on the left, and so crosses no box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

STYLE = """
  text { font: 12px ui-sans-serif, system-ui, "Segoe UI", sans-serif; fill: #1f2430 }
  .label { font-size: 11px; fill: #5b6472 }
  .paper { fill: #ffffff }
  .box { fill: #f4f6fa; stroke: #8a93a3 }
  .end { fill: #e3f0e8; stroke: #8a93a3 }
  .hub { fill: none; stroke: #8a93a3; stroke-dasharray: 5 4 }
  .arrow { fill: none; stroke: #8a93a3; stroke-width: 1.3 }
  .dashed { stroke-dasharray: 5 4 }
  .head { fill: #8a93a3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e8ebf1 }
    .label { fill: #aab3c2 }
    .paper { fill: #14171d }
    .box { fill: #232935 }
    .end { fill: #1f3329 }
  }
"""
BOX_WIDTH, LINE, PORT, GAP, LANE, MARGIN, CHAR = 200, 15, 20, 26, 16, 24, 6.4
RADIUS = 7


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow from one box to another, with one label to a line."""

    source: str
    target: str
    labels: tuple[str, ...]
    dashed: bool = False

    @property
    def label(self) -> str:
        return ", ".join(self.labels)


@dataclass(slots=True)
class Box:
    """A box in the column: where it stands, and the arrows that touch its sides, from the top down."""

    name: str
    row: int
    top: float = 0
    height: float = 0
    ports: dict[str, list[tuple[Arrow, bool]]] = field(default_factory=lambda: {"left": [], "right": []})

    def port(self, side: str, arrow: Arrow, leaving: bool) -> float:
        number = self.ports[side].index((arrow, leaving))
        return self.top + (number + 0.5) * self.height / len(self.ports[side])


def draw(title: str, names: Sequence[str], arrows: Sequence[Arrow], ends: Sequence[str], hub: str) -> str:
    """Draw the boxes in this order; `ends` are round, the `hub` is dashed."""
    boxes = {name: Box(name, row) for row, name in enumerate(names)}
    straight, sided = _sorted(arrows, boxes)
    for side, found in sided.items():
        for arrow in found:
            boxes[arrow.source].ports[side].append((arrow, True))
            boxes[arrow.target].ports[side].append((arrow, False))
    for box in boxes.values():
        for ports in box.ports.values():
            ports.sort(key=lambda port: _height_of_other(port, box, boxes))
    bottom = _place(boxes, straight)
    lanes = {side: _lanes(found, boxes, side) for side, found in sided.items()}
    room = {side: max((len(a.label) * CHAR for a in found), default=0) + 3 * LANE for side, found in sided.items()}
    width = {side: room[side] + (max(lanes[side].values(), default=-1) + 1) * LANE for side in lanes}
    left = MARGIN + width["left"]
    parts = [_straight(arrow, boxes, left) for arrow in straight]
    for side, found in sided.items():
        for arrow in found:
            own = len(arrow.label) * CHAR + 2 * LANE  # a loop needs no lane: it passes nobody
            loop = arrow.source == arrow.target
            out = own if loop else room[side] + lanes[side][arrow] * LANE
            parts.append(_sided(arrow, boxes, side, left, out))
    parts += [
        _box(box, left, "end" if box.name in ends else "hub" if box.name == hub else "box") for box in boxes.values()
    ]
    whole = left + BOX_WIDTH + width["right"] + MARGIN
    return _page(title, whole, bottom + MARGIN, parts)


def _sorted(arrows: Sequence[Arrow], boxes: dict[str, Box]) -> tuple[list[Arrow], dict[str, list[Arrow]]]:
    """Tell arrows between neighbours from those that run at a side."""
    straight: list[Arrow] = []
    sided: dict[str, list[Arrow]] = {"left": [], "right": []}
    for arrow in arrows:
        step = boxes[arrow.target].row - boxes[arrow.source].row
        if step == 1:
            straight.append(arrow)
        else:
            sided["right" if step >= 0 else "left"].append(arrow)
    return straight, sided


def _height_of_other(port: tuple[Arrow, bool], box: Box, boxes: dict[str, Box]) -> tuple[int, int, bool]:
    """Order ports so that arrows cross little: those from above first, the farthest outside."""
    arrow, leaving = port
    other = boxes[arrow.target if leaving else arrow.source].row
    if other == box.row:
        return (1, 0, not leaving)
    return (0, other, leaving) if other < box.row else (2, -other, leaving)


def _place(boxes: dict[str, Box], straight: Sequence[Arrow]) -> float:
    labels = {arrow.source: len(arrow.labels) for arrow in straight}
    y: float = MARGIN
    for box in boxes.values():
        box.top = y
        box.height = max(34, PORT * max(len(ports) for ports in box.ports.values()))
        y += box.height + max(GAP, LINE * labels.get(box.name, 0) + 14)
    last = list(boxes.values())[-1]
    return last.top + last.height


def _lanes(arrows: Sequence[Arrow], boxes: dict[str, Box], side: str) -> dict[Arrow, int]:
    """Give every arrow the innermost lane in which it meets no other; the short ones choose first."""
    spans = {a: sorted((boxes[a.source].port(side, a, True), boxes[a.target].port(side, a, False))) for a in arrows}
    lanes: dict[Arrow, int] = {}
    for arrow in sorted(
        (each for each in arrows if each.source != each.target), key=lambda each: spans[each][1] - spans[each][0]
    ):
        low, high = spans[arrow]
        taken = {lanes[o] for o in lanes if spans[o][0] - 4 < high and low < spans[o][1] + 4}
        lanes[arrow] = next(lane for lane in range(len(arrows)) if lane not in taken)
    return lanes


def _straight(arrow: Arrow, boxes: dict[str, Box], left: float) -> str:
    source, target = boxes[arrow.source], boxes[arrow.target]
    x, start, end = left + BOX_WIDTH / 2, source.top + source.height, target.top
    middle = (start + end) / 2 - LINE * (len(arrow.labels) - 1) / 2 + 1
    labels = [_label(x + 8, middle + LINE * number, text) for number, text in enumerate(arrow.labels)]
    return _line(f"M{x:.1f} {start:.1f}V{end - 6:.1f}", arrow) + _head(x, end, "down") + "".join(labels)


def _sided(arrow: Arrow, boxes: dict[str, Box], side: str, left: float, out: float) -> str:
    """Leave the box at its side, follow the lane, and come back to the other box."""
    sign = 1 if side == "right" else -1
    edge = left + BOX_WIDTH if side == "right" else left
    start, end = boxes[arrow.source].port(side, arrow, True), boxes[arrow.target].port(side, arrow, False)
    lane = edge + sign * out
    r, down = RADIUS * sign, RADIUS if end > start else -RADIUS
    path = (
        f"M{edge:.1f} {start:.1f}H{lane - r:.1f}Q{lane:.1f} {start:.1f} {lane:.1f} {start + down:.1f}"
        f"V{end - down:.1f}Q{lane:.1f} {end:.1f} {lane - r:.1f} {end:.1f}H{edge + sign * 6:.1f}"
    )
    anchor = "" if side == "right" else ' text-anchor="end"'
    label = _label(edge + sign * 10, start - 4, arrow.label, anchor)
    return _line(path, arrow) + _head(edge, end, "left" if side == "right" else "right") + label


def _line(path: str, arrow: Arrow) -> str:
    return f'<path class="arrow{" dashed" if arrow.dashed else ""}" d="{path}"/>\n'


def _head(x: float, y: float, way: str) -> str:
    turn = {"down": 0, "left": 90, "right": -90}[way]
    return f'<path class="head" d="M0 0L-4.5 -8L4.5 -8Z" transform="translate({x:.1f} {y:.1f}) rotate({turn})"/>\n'


def _label(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text class="label" x="{x:.1f}" y="{y + 0.5:.1f}"{more}>{escape(text)}</text>\n'


def _box(box: Box, left: float, kind: str) -> str:
    round_ = box.height / 2 if kind == "end" else 6
    middle = box.top + box.height / 2 + 4
    return (
        f'<rect class="{kind}" x="{left:.1f}" y="{box.top:.1f}" width="{BOX_WIDTH}" height="{box.height:.1f}" '
        f'rx="{min(round_, 17):.1f}"/>\n<text x="{left + BOX_WIDTH / 2:.1f}" y="{middle:.1f}" '
        f'text-anchor="middle">{escape(box.name)}</text>\n'
    )


def _page(title: str, width: float, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img">\n<title>{escape(title)}</title>\n<style>{STYLE}</style>\n'
        f'<rect class="paper" width="100%" height="100%"/>\n{"".join(parts)}</svg>\n'
    )
