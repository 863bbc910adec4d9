"""Diagrams of a protocol, drawn from its table: Mermaid, a Markdown table, a plan (layout.py) and an SVG of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from enum import Enum
from html import escape
from typing import Any

from quorate.core.protocol import Protocol, When
from quorate.verify.layout import BOX_WIDTH, LINE, Arrow, Drawing, Drawn, Placed, draw

ANY = "any phase"
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


def mermaid(protocol: Protocol[Any]) -> str:
    """Return the protocol as a Mermaid flowchart; interruptions are dashed."""
    lines = ["flowchart TD", f'    opening(("opening")) --> {_id(protocol.initial.name)}']
    lines += [f'    {_id(phase.name)}["{phase.name}"]' for phase in protocol.nodes]
    lines += [f'    {_id(phase.name)}(["{phase.name}"])' for phase in protocol.verdicts]
    for (source, target), outcomes in _rows(protocol).items():
        lines.append(f'    {_id(source)} -->|"{", ".join(outcomes)}"| {_id(target)}')
    lines.append(f'    interrupted{{{{"{ANY}"}}}}')
    for (target, when), reasons in _interrupts(protocol).items():
        after = ", after the phase" if when is When.AFTER_PHASE else ""
        lines.append(f'    interrupted -.->|"{", ".join(reasons)}{after}"| {_id(target)}')
    return "\n".join(lines) + "\n"


def table(protocol: Protocol[Any]) -> str:
    """Return all transitions, interruptions and ends as Markdown tables."""
    lines = ["| phase | outcome | next phase |", "| --- | --- | --- |"]
    for phase, outcomes in protocol.table.items():
        lines += [f"| {phase.name} | {outcome.name} | {to.name} |" for outcome, to in outcomes.items()]
    lines += ["", "| interruption | acts | next phase |", "| --- | --- | --- |"]
    lines += [f"| {r.value} | {each.when.value} | {each.to.name} |" for r, each in protocol.interrupts.items()]
    lines += ["", f"The session begins in {protocol.initial.name}. It ends in {_listed(list(protocol.verdicts))}."]
    return "\n".join(lines) + "\n"


def svg(protocol: Protocol[Any]) -> str:
    """Return the protocol as a self-contained SVG that follows the reader's light or dark scheme."""
    return _written(f"{protocol.name}: phases and outcomes", _plan(protocol))


def plan(protocol: Protocol[Any]) -> dict[str, Any]:
    """Return the same drawing as plain data: the positions of boxes, arrows and labels."""
    return {"initial": protocol.initial.name, **asdict(_plan(protocol))}


def _plan(protocol: Protocol[Any]) -> Drawing:
    arrows = [Arrow(source, target, tuple(outcomes)) for (source, target), outcomes in _rows(protocol).items()]
    arrows += [
        Arrow(ANY, target, reasons, interrupt=True, after=when is When.AFTER_PHASE)
        for (target, when), reasons in _interrupts(protocol).items()
    ]
    return draw(_ordered(protocol), arrows, ends=[phase.name for phase in protocol.verdicts], hub=ANY)


def _rows(protocol: Protocol[Any]) -> Mapping[tuple[str, str], list[str]]:
    """Return the outcomes that lead from one phase to another, grouped."""
    found: dict[tuple[str, str], list[str]] = {}
    for phase, outcomes in protocol.table.items():
        for outcome, to in outcomes.items():
            found.setdefault((phase.name, to.name), []).append(outcome.name)
    return found


def _interrupts(protocol: Protocol[Any]) -> Mapping[tuple[str, When], tuple[str, ...]]:
    """Return where interruptions lead; immediate ones are kept apart from those that wait for the phase."""
    found: dict[tuple[str, When], tuple[str, ...]] = {}
    for reason, interrupt in protocol.interrupts.items():
        key = (interrupt.to.name, interrupt.when)
        found[key] = (*found.get(key, ()), reason.value)
    return found


def _ordered(protocol: Protocol[Any]) -> list[str]:
    """Return the phases in order, each after those that lead to it; then the ends, and the hub last."""
    forward: dict[Enum, list[Enum]] = {phase: [] for phase in protocol.nodes}
    done: set[Enum] = set()
    order: list[Enum] = []

    def visit(phase: Enum, above: tuple[Enum, ...]) -> None:
        done.add(phase)
        for to in protocol.table[phase].values():
            if to in forward and to not in done and to not in above:
                visit(to, (*above, phase))
        order.append(phase)

    visit(protocol.initial, ())
    for phase in protocol.nodes:
        if phase not in done:
            visit(phase, ())
    first = order.index(protocol.initial)
    top = [phase.name for phase in order[first::-1]]
    return [*top, *(phase.name for phase in order[first + 1 :]), *(end.name for end in protocol.verdicts), ANY]


def _id(name: str) -> str:
    """Return a valid Mermaid node name; `end` is a reserved word there."""
    return f"{name}_" if name.lower() in ("end", "interrupted", "opening") else name


def _listed(phases: list[Enum]) -> str:
    names = [phase.name for phase in phases]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _written(title: str, plan: Drawing) -> str:
    """Return a layout as SVG text."""
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
