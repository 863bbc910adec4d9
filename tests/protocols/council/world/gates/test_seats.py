"""The seats held by code: the gates report and try edits out, the matcher names what is the same (C8, C14, C38)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quorate.core.forms import Key
from quorate.core.types import Absent, AbsentReason
from quorate.core.view import Section
from quorate.protocols.council.rules.forms import Application, Coverage, GateReport, Matches, Pair
from quorate.protocols.council.rules.taxonomy import SEVEN, place_keys
from quorate.protocols.council.world.gates.material import material_of
from quorate.protocols.council.world.gates.run import run_gates
from quorate.protocols.council.world.gates.seats import gatekeeper, matcher, reading_digest
from quorate.protocols.council.world.rfc.read import read_rfc
from tests.protocols.council.world.gates import small_rfc
from tests.protocols.council.world.gates.small_rfc import ask, change

EXPORTER = "tickets/TCK-00001.yaml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small_rfc.write(tmp_path / "RFC-0001")


# The brief `examine`


async def test_examine_gives_back_exactly_what_the_gates_reported(folder: Path) -> None:
    """C8: no file is needed, so that a replay says the same."""
    change(folder / EXPORTER, "depends_on: []", "depends_on: [TCK-00002]")
    rfc = read_rfc(folder)
    report = run_gates(rfc)
    keys = tuple(str(key) for key in place_keys(len(rfc.tickets)))
    gates = material_of(rfc, report)["gates"]
    found = await ask(gatekeeper({}), "examine", GateReport, keys, Section("Gates", gates))
    assert found.reply == report
    assert [finding.subcategory.name for finding in report.findings] == ["DEPENDENCY_CYCLE"]


@pytest.mark.parametrize("texts", [[], ["{}", "{}"], ["{}"], ["no json"], ['{"receipt": ""}']])
async def test_examine_fails_where_the_view_holds_no_report(texts: list[str]) -> None:
    found = await ask(gatekeeper({}), "examine", GateReport, (), *(Section("Gates", text) for text in texts))
    assert found.reply == Absent(AbsentReason.FAILED)
    assert "Gates" in found.detail or "does not fit the form" in found.detail


async def test_a_seat_is_asked_for_what_it_does_and_nothing_else() -> None:
    for seat in (gatekeeper({}), matcher()):
        found = await ask(seat, "vote", Matches, ())
        assert found.reply == Absent(AbsentReason.FAILED)
        assert "'vote'" in found.detail


# The brief `apply`: what becomes of edits is tested in test_trial.py


def run_of(folder: Path) -> dict[str, Any]:
    return {"folder": str(folder), "gates": "seven", "digest": reading_digest(read_rfc(folder))}


@pytest.mark.parametrize(
    ("run", "says"),
    [
        ({}, "run.council.folder"),
        ({"folder": "x", "gates": "seven"}, "run.council.digest"),
        ({"folder": "x", "digest": "y"}, "run.council.gates"),
        ({"folder": "x", "digest": "y", "gates": "eight"}, "seven or nine"),
        ({"folder": "x", "digest": "y", "gates": "nine", "color": "red"}, "run.council.color"),
    ],
)
async def test_a_run_that_is_not_told_whole_is_refused(run: dict[str, Any], says: str) -> None:
    found = await ask(gatekeeper(run), "apply", Application, (), Section("Findings", "{}"))
    assert found.reply == Absent(AbsentReason.FAILED)
    assert says in found.detail


@pytest.mark.parametrize(
    "sections",
    [
        [],
        [Section("Findings", "[]")],
        [Section("Findings", '{"F1": 1}')],
        [Section("Findings", "{}"), Section("Patch 2", '{"reason": "", "edits": []}')],
        [Section("Findings", "{}"), Section("Patch 1", "{}")],
        [Section("Findings", "{}"), Section("Patch 1", '{"reason": "", "edits": [{"find": "x"}]}')],
    ],
)
async def test_a_view_that_cannot_be_read_is_an_absence(folder: Path, sections: list[Section]) -> None:
    found = await ask(gatekeeper(run_of(folder)), "apply", Application, ("F1",), *sections)
    assert found.reply == Absent(AbsentReason.FAILED)


# The brief `match`


def row(description: str, **more: str) -> dict[str, str]:
    found = {"gate": SEVEN[5].value, "subcategory": "MISSING_VERIFICATION", "place": "T1", "field": "criteria"}
    return found | {"origin": "seat", "description": description, "evidence": ""} | more


SAME = "Criterion 2 has no verification command."


async def test_the_matcher_names_pairs_of_the_findings_it_is_asked_for() -> None:
    """C14: alike beyond doubt, of one kind, place and field."""
    rows = {"F1": row(SAME), "F2": row(f"{SAME} "), "F3": row(SAME, place="T2"), "F4": row(SAME), "F5": row("Other.")}
    view = Section("Findings", json.dumps(rows))
    found = await ask(matcher(), "match", Matches, ("F1", "F2", "F3", "F5"), view)
    assert found.reply == Matches((Pair(Key("F1"), Key("F2")),))
    rows["F1"]["origin"] = "gate"
    view = Section("Findings", json.dumps(rows))
    found = await ask(matcher(), "match", Matches, ("F1", "F2", "F3", "F4"), view)
    assert found.reply == Matches((Pair(Key("F1"), Key("F2")), Pair(Key("F1"), Key("F4"))))


async def test_the_gates_name_what_nobody_was_shown() -> None:
    """C28, C42: of the tickets and files that there are, the RFC as a whole being none; and how much was refused."""
    shown = Section("Shown", json.dumps({"T1": ["SA-1"], "T2": [], "R00": []}))
    refused = Section("Refused", "2")
    found = await ask(gatekeeper({}), "cover", Coverage, ("RFC", "R00", "R01", "T1", "T2"), shown, refused)
    assert found.reply == Coverage((Key("R00"), Key("T2")), 2)
    for broken in ((Section("Shown", "[]"), refused), (shown, Section("Refused", "some"))):
        assert (await ask(gatekeeper({}), "cover", Coverage, ("T1",), *broken)).reply == Absent(AbsentReason.FAILED)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ({}, "does not list F1"),
        ({"F1": row("x", origin="judge")}, "gate or seat"),
        ({"F1": row("x", subcategory="NONSENSE")}, "Subcategory"),
        ({"F1": {"gate": 1}}, "is not a text"),
    ],
)
async def test_findings_that_cannot_be_read_are_an_absence(rows: dict[str, Any], says: str) -> None:
    found = await ask(matcher(), "match", Matches, ("F1",), Section("Findings", json.dumps(rows)))
    assert found.reply == Absent(AbsentReason.FAILED)
    assert says in found.detail
