"""Self-contained SVG of a layout, which follows the reader's light or dark scheme."""

from __future__ import annotations

from html import escape

from quorate.verify.layout import BOX_WIDTH, LINE, Drawn, Placed, Plan

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
CLASSES = {"phase": "box", "end": "end", "any": "hub"}


def write(title: str, plan: Plan) -> str:
    """Return the layout as SVG text."""
    parts = [*(_arrow(arrow) for arrow in plan.arrows), *(_box(box) for box in plan.boxes)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {plan.width:.0f} {plan.height:.0f}" '
        f'width="{plan.width:.0f}" height="{plan.height:.0f}" role="img">\n<title>{escape(title)}</title>\n'
        f'<style>{STYLE}</style>\n<rect class="paper" width="100%" height="100%"/>\n{"".join(parts)}</svg>\n'
    )


def _arrow(arrow: Drawn) -> str:
    dashed, head, label = " dashed" if arrow.kind == "interrupt" else "", arrow.head, arrow.label
    anchor = ' text-anchor="end"' if label.anchor == "end" else ""
    lines = [
        f'<text class="label" x="{label.x:.1f}" y="{label.y + LINE * number:.1f}"{anchor}>{escape(text)}</text>\n'
        for number, text in enumerate(label.lines)
    ]
    return (
        f'<path class="arrow{dashed}" d="{arrow.path}"/>\n'
        f'<path class="head" d="M0 0L-4.5 -8L4.5 -8Z" transform="translate({head.x:.1f} {head.y:.1f}) '
        f'rotate({head.turn})"/>\n{"".join(lines)}'
    )


def _box(box: Placed) -> str:
    return (
        f'<rect class="{CLASSES[box.kind]}" x="{box.x:.1f}" y="{box.y:.1f}" width="{BOX_WIDTH}" '
        f'height="{box.height:.1f}" rx="{box.radius:.1f}"/>\n<text x="{box.x + box.width / 2:.1f}" '
        f'y="{box.y + box.height / 2 + 4:.1f}" text-anchor="middle">{escape(box.phase)}</text>\n'
    )
