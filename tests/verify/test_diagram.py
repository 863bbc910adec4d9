"""Diagrams are drawn from the table. `python -m tests.verify.test_diagram` writes the golden files anew."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from quorate import catalog
from quorate.core.protocol import When
from quorate.verify import diagram
from tests.verify.toys import poll

GOLDEN = Path(__file__).parent / "golden"
DRAWN = {"poll.mmd": diagram.mermaid, "poll.md": diagram.table, "poll.svg": diagram.svg}


@pytest.mark.parametrize("name", DRAWN)
def test_the_poll_is_drawn_as_before(name: str) -> None:
    assert DRAWN[name](poll()) == (GOLDEN / name).read_text(encoding="utf-8")


def test_every_row_and_interruption_of_the_debate_is_in_each_diagram() -> None:
    protocol = catalog.build("debate")
    drawing, chart, rows = diagram.svg(protocol), diagram.mermaid(protocol), diagram.table(protocol)
    for phase, outcomes in protocol.table.items():
        for outcome, to in outcomes.items():
            assert f"| {phase.name} | {outcome.name} | {to.name} |" in rows
            assert any(
                outcome.name in line for line in chart.splitlines() if f"{phase.name} -->" in line and to.name in line
            )
            assert outcome.name in drawing
    for reason, interrupt in protocol.interrupts.items():
        assert f"| {reason.value} | {interrupt.when.value} | {interrupt.to.name} |" in rows
        assert reason.value in chart
        assert reason.value in drawing


def test_the_drawing_is_well_formed_and_crosses_no_box() -> None:
    root = ElementTree.fromstring(diagram.svg(catalog.build("debate")))
    space = "{http://www.w3.org/2000/svg}"
    boxes = [rect for rect in root.iter(f"{space}rect") if rect.get("class") in ("box", "end", "hub")]
    assert len(boxes) == 14
    spans = sorted((float(rect.attrib["y"]), float(rect.attrib["height"])) for rect in boxes)
    assert all(top + height < below for (top, height), (below, _) in pairwise(spans))
    width = float(root.attrib["width"])
    left = float(boxes[0].attrib["x"])
    for text in root.iter(f"{space}text"):
        if text.get("class") == "label":
            x, length = float(text.attrib["x"]), len(text.text or "") * 6.4
            inside = 0 <= x - length <= left if text.get("text-anchor") == "end" else x + length <= width
            assert inside, text.text
    style = root.find(f"{space}style")
    assert style is not None
    assert "prefers-color-scheme: dark" in (style.text or "")


@pytest.mark.parametrize("name", sorted(catalog.definitions()))
def test_the_plan_holds_every_row_once_and_is_what_the_svg_shows(name: str) -> None:
    protocol = catalog.build(name)
    plan = diagram.plan(protocol)
    assert json.loads(json.dumps(plan))["initial"] == protocol.initial.name
    rows = sorted((a["source"], o, a["target"]) for a in plan["arrows"] if a["kind"] == "row" for o in a["outcomes"])
    assert rows == sorted((p.name, o.name, to.name) for p, all_ in protocol.table.items() for o, to in all_.items())
    stops = sorted(
        (o, a["target"], a["after"]) for a in plan["arrows"] if a["kind"] == "interrupt" for o in a["outcomes"]
    )
    after = {r: i.when is When.AFTER_PHASE for r, i in protocol.interrupts.items()}
    assert stops == sorted((r.value, i.to.name, after[r]) for r, i in protocol.interrupts.items())
    kinds = {box["phase"]: box["kind"] for box in plan["boxes"]}
    ends, phases = {end.name for end in protocol.verdicts}, {phase.name for phase in protocol.nodes}
    assert kinds == {**dict.fromkeys(phases, "phase"), **dict.fromkeys(ends, "end"), diagram.ANY: "any"}
    drawing = diagram.svg(protocol)
    for arrow in plan["arrows"]:
        assert f'd="{arrow["path"]}"' in drawing
        for line in arrow["label"]["lines"]:
            assert f">{line}</text>" in drawing


def test_everything_in_a_plan_stands_inside_of_it() -> None:
    plan = diagram.plan(catalog.build("debate"))
    for box in plan["boxes"]:
        assert 0 <= box["x"] <= box["x"] + box["width"] <= plan["width"]
        assert 0 <= box["y"] <= box["y"] + box["height"] <= plan["height"]
    for arrow in plan["arrows"]:
        assert 0 <= arrow["head"]["x"] <= plan["width"]
        assert 0 <= arrow["label"]["y"] <= plan["height"]


def main() -> None:
    GOLDEN.mkdir(exist_ok=True)
    for name, draw in DRAWN.items():
        (GOLDEN / name).write_text(draw(poll()), encoding="utf-8")


if __name__ == "__main__":
    main()
