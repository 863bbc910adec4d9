"""Diagram layout: boxes in one column and labelled arrows between them, as plain data.

Neighbours are joined by a straight arrow. Every other arrow leaves its box at the side, runs along a lane of its own,
downwards on the right and upwards on the left, and so crosses no box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

BOX_WIDTH, LINE, PORT, GAP, LANE, MARGIN, CHAR = 200, 15, 20, 26, 16, 24, 6.4
RADIUS = 7


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow to draw, for outcomes or for the reasons of an interruption."""

    source: str
    target: str
    outcomes: tuple[str, ...]
    interrupt: bool = False
    after: bool = False
    """An interruption that acts after the phase."""

    @property
    def label(self) -> str:
        return ", ".join(self.outcomes) + (", after the phase" if self.after else "")


@dataclass(frozen=True, slots=True)
class Placed:
    """A box with its position; its kind is phase, end or any."""

    phase: str
    x: float
    y: float
    width: float
    height: float
    radius: float
    kind: str


@dataclass(frozen=True, slots=True)
class ArrowLabel:
    """Lines of text, 15 apart, positioned by the baseline of the first."""

    x: float
    y: float
    anchor: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Head:
    """The tip of an arrow, and its rotation from pointing down, in degrees."""

    x: float
    y: float
    turn: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """An arrow with its position; its kind is row or interrupt, its path an SVG path."""

    source: str
    target: str
    outcomes: tuple[str, ...]
    kind: str
    after: bool
    path: str
    head: Head
    label: ArrowLabel


@dataclass(frozen=True, slots=True)
class Drawing:
    """A whole drawing."""

    width: float
    height: float
    boxes: tuple[Placed, ...]
    arrows: tuple[Drawn, ...]


@dataclass(slots=True)
class Box:
    """A box in the column: its position, and the arrows at its sides, from the top down."""

    name: str
    row: int
    top: float = 0
    height: float = 0
    ports: dict[str, list[tuple[Arrow, bool]]] = field(default_factory=lambda: {"left": [], "right": []})

    def port(self, side: str, arrow: Arrow, leaving: bool) -> float:
        number = self.ports[side].index((arrow, leaving))
        return self.top + (number + 0.5) * self.height / len(self.ports[side])


def draw(names: Sequence[str], arrows: Sequence[Arrow], ends: Sequence[str], hub: str) -> Drawing:
    """Lay out the boxes in this order, and the arrows so that they cross no box."""
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
    drawn = [_straight(arrow, boxes, left) for arrow in straight]
    for side, found in sided.items():
        for arrow in found:
            own = len(arrow.label) * CHAR + 2 * LANE  # a loop needs no lane: it passes nobody
            loop = arrow.source == arrow.target
            out = own if loop else room[side] + lanes[side][arrow] * LANE
            drawn.append(_sided(arrow, boxes, side, left, out))
    placed = (
        _box(box, left, "end" if box.name in ends else "any" if box.name == hub else "phase") for box in boxes.values()
    )
    whole = left + BOX_WIDTH + width["right"] + MARGIN
    return Drawing(_rounded(whole), _rounded(bottom + MARGIN), tuple(placed), tuple(drawn))


def _sorted(arrows: Sequence[Arrow], boxes: dict[str, Box]) -> tuple[list[Arrow], dict[str, list[Arrow]]]:
    """Separate arrows between neighbours from those that run at a side."""
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
    labels = {arrow.source: len(arrow.outcomes) for arrow in straight}
    y: float = MARGIN
    for box in boxes.values():
        box.top = y
        box.height = max(34, PORT * max(len(ports) for ports in box.ports.values()))
        y += box.height + max(GAP, LINE * labels.get(box.name, 0) + 14)
    last = list(boxes.values())[-1]
    return last.top + last.height


def _lanes(arrows: Sequence[Arrow], boxes: dict[str, Box], side: str) -> dict[Arrow, int]:
    """Give every arrow the innermost free lane, the shortest arrows first."""
    spans = {a: sorted((boxes[a.source].port(side, a, True), boxes[a.target].port(side, a, False))) for a in arrows}
    lanes: dict[Arrow, int] = {}
    for arrow in sorted(
        (each for each in arrows if each.source != each.target), key=lambda each: spans[each][1] - spans[each][0]
    ):
        low, high = spans[arrow]
        taken = {lanes[o] for o in lanes if spans[o][0] - 4 < high and low < spans[o][1] + 4}
        lanes[arrow] = next(lane for lane in range(len(arrows)) if lane not in taken)
    return lanes


def _straight(arrow: Arrow, boxes: dict[str, Box], left: float) -> Drawn:
    source, target = boxes[arrow.source], boxes[arrow.target]
    x, start, end = left + BOX_WIDTH / 2, source.top + source.height, target.top
    lines = (arrow.label,) if arrow.interrupt else arrow.outcomes
    first = (start + end) / 2 - LINE * (len(lines) - 1) / 2 + 1
    path = f"M{x:.1f} {start:.1f}V{end - 6:.1f}"
    return _drawn(arrow, path, Head(_rounded(x), _rounded(end), 0), ArrowLabel(x + 8, first, "start", lines))


def _sided(arrow: Arrow, boxes: dict[str, Box], side: str, left: float, out: float) -> Drawn:
    """Draw an arrow that leaves its box at the side, follows a lane and enters the other box."""
    sign = 1 if side == "right" else -1
    edge = left + BOX_WIDTH if side == "right" else left
    start, end = boxes[arrow.source].port(side, arrow, True), boxes[arrow.target].port(side, arrow, False)
    lane = edge + sign * out
    r, down = RADIUS * sign, RADIUS if end > start else -RADIUS
    path = (
        f"M{edge:.1f} {start:.1f}H{lane - r:.1f}Q{lane:.1f} {start:.1f} {lane:.1f} {start + down:.1f}"
        f"V{end - down:.1f}Q{lane:.1f} {end:.1f} {lane - r:.1f} {end:.1f}H{edge + sign * 6:.1f}"
    )
    label = ArrowLabel(edge + sign * 10, start - 4, "start" if side == "right" else "end", (arrow.label,))
    return _drawn(arrow, path, Head(_rounded(edge), _rounded(end), 90 * sign), label)


def _drawn(arrow: Arrow, path: str, head: Head, label: ArrowLabel) -> Drawn:
    placed = ArrowLabel(_rounded(label.x), _rounded(label.y + 0.5), label.anchor, label.lines)
    kind = "interrupt" if arrow.interrupt else "row"
    return Drawn(arrow.source, arrow.target, arrow.outcomes, kind, arrow.after, path, head, placed)


def _box(box: Box, left: float, kind: str) -> Placed:
    radius = min(box.height / 2 if kind == "end" else 6, 17)
    return Placed(box.name, _rounded(left), _rounded(box.top), BOX_WIDTH, _rounded(box.height), radius, kind)


def _rounded(number: float) -> float:
    return round(number, 1)
