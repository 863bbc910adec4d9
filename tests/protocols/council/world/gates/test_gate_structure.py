"""The gates SCHEMA and DEPENDENCY-ACYCLICITY: flaws, references that lead nowhere, cycles, wrong order (C8, C9)."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate.protocols.council.rules.taxonomy import Field, Gate, GateStatus
from quorate.protocols.council.world.gates.run import run_gates
from quorate.protocols.council.world.rfc.model import Defect, Flaw, Place, Rfc
from tests.protocols.council.world.gates.rfcs import (
    all_told,
    clean_tickets,
    make_rfc,
    make_ticket,
    replacing,
    req,
    tck,
)


def run_of(rfc: Rfc, gate: Gate) -> tuple[GateStatus, dict[str, object]]:
    run = next(run for run in run_gates(rfc).gates if run.gate is gate)
    return run.status, json.loads(run.evidence.text)


def test_c8_a_clean_rfc_has_no_finding_and_passes_every_gate() -> None:
    report = run_gates(make_rfc())
    assert report.findings == ()
    assert [run.status for run in report.gates] == [GateStatus.PASSED] * 7
    assert report.tickets == 5


# SCHEMA


def test_a_flaw_is_a_finding_where_it_stands() -> None:
    flaw = Flaw(
        Defect.MISSING_FIELD,
        "`title` is missing",
        Place("documents/work/tickets/TCK-00002.yaml", 2, "ticket_meta.ticket"),
        "T2",
        Field.TITLE,
        "a text.",
    )
    report = run_gates(make_rfc(flaws=(flaw,)))
    assert all_told(report) == [("SCHEMA_VIOLATION", "BLOCKER", "T2", "title", "TCK-00002.yaml", 2)]
    assert report.findings[0].message.text == "`title` is missing. Expected: a text."
    assert report.findings[0].yaml_path.text == "ticket_meta.ticket"
    assert report.gates[0].status is GateStatus.FAILED


def test_a_flaw_of_a_file_is_told_with_its_name() -> None:
    flaw = Flaw(Defect.TAB, "has a tab", Place("tickets/TCK-00001.yaml", 7), "T1", expected="spaces")
    assert run_gates(make_rfc(flaws=(flaw,))).findings[0].message.text == "TCK-00001.yaml has a tab. Expected: spaces."


def test_a_warning_is_told_and_fails_nothing() -> None:
    flaw = Flaw(Defect.WRONG_VALUE, "the status 'OPEN' is not of the standard", Place("x.yaml", 5), "T1", warns=True)
    report = run_gates(make_rfc(flaws=(flaw,)))
    assert [finding.severity.value for finding in report.findings] == ["INFO"]
    assert report.gates[0].status is GateStatus.PASSED


def test_a_flaw_with_a_place_that_is_none_is_told_of_the_rfc() -> None:
    flaw = Flaw(Defect.WRONG_SHAPE, "the file is a list", Place("x.yaml"), "T99")
    assert run_gates(make_rfc(flaws=(flaw,))).findings[0].place == "RFC"


def test_a_ticket_that_the_decomposition_names_and_nobody_wrote_is_a_broken_reference() -> None:
    at = Place("documents/rfcs/RFC-0042/06_ticket_decomposition.yaml", 9)
    flaw = Flaw(Defect.MISSING, "TCK-00009 is named here, but has no file", at, "R06", Field.DEPENDENCIES)
    expected = ("BROKEN_REF", "BLOCKER", "R06", "dependencies", "06_ticket_decomposition.yaml", 9)
    assert all_told(run_gates(make_rfc(flaws=(flaw,)))) == [expected]


def test_a23_a_dependency_on_a_ticket_that_does_not_exist() -> None:
    tickets = replacing(2, requirements=[req(1), req(2)], needs=[tck(1), tck(77)], modifies=["src/core/ledger.py"])
    report = run_gates(make_rfc(tickets))
    assert all_told(report) == [("BROKEN_REF", "BLOCKER", "T2", "dependencies", "TCK-00002.yaml", 12)]
    assert "TCK-00077" in report.findings[0].message.text
    assert {run.gate: run.status for run in report.gates}[Gate.SCHEMA] is GateStatus.FAILED
    assert {run.gate: run.status for run in report.gates}[Gate.ACYCLICITY] is GateStatus.PASSED


def test_a23_a_ticket_of_another_rfc_may_be_depended_on() -> None:
    tickets = replacing(2, requirements=[req(1), req(2)], needs=[tck(1), tck(77)], modifies=["src/core/ledger.py"])
    rfc = make_rfc(tickets, elsewhere=frozenset({tck(77)}))
    assert run_gates(rfc).findings == ()
    assert run_of(rfc, Gate.ACYCLICITY)[1]["external_edge_count"] == 1


def test_a_requirement_that_does_not_exist_with_the_one_that_was_meant() -> None:
    report = run_gates(make_rfc(replacing(4, requirements=[req(4), "REQ-0404"], needs=[tck(2)])))
    assert all_told(report) == [("BROKEN_REF", "BLOCKER", "T4", "requirements", "TCK-00004.yaml", 9)]
    assert "Did it mean REQ-0004?" in report.findings[0].message.text


def test_a_component_that_is_named_by_an_unknown_id_and_one_told_in_words() -> None:
    changed = replace(clean_tickets()[0], component="COMP-0099", extension_point="the place where stores plug in")
    report = run_gates(make_rfc((changed, *clean_tickets()[1:])))
    assert [(finding.subcategory.value, finding.field) for finding in report.findings] == [
        ("BROKEN_REF", Field.COMPONENT)
    ]


def test_references_into_a_file_that_could_not_be_read_are_not_called_broken() -> None:
    unread = Flaw(Defect.NOT_YAML, "cannot be read: a mapping", Place("documents/work/tickets/TCK-00001.yaml", 3))
    report = run_gates(make_rfc(clean_tickets()[1:], flaws=(unread,)))
    assert [finding.subcategory.value for finding in report.findings] == ["SCHEMA_VIOLATION"]


# Cycles


def chained(*needs: tuple[int, ...]) -> Rfc:
    """Return an RFC whose ticket N depends on the N-th of the given."""
    tickets = [
        make_ticket(number, requirements=[req(number)], needs=[tck(other) for other in others])
        for number, others in enumerate(needs, start=1)
    ]
    return make_rfc(tickets, requirements=len(tickets))


def test_a_cycle_is_named_and_located_at_the_dependency_against_the_order() -> None:
    report = run_gates(chained((), (1,), (5,), (3,), (4, 2)))
    assert all_told(report) == [("DEPENDENCY_CYCLE", "BLOCKER", "T3", "dependencies", "TCK-00003.yaml", 10)]
    assert report.findings[0].evidence.text == "TCK-00003 -> TCK-00005 -> TCK-00004 -> TCK-00003"
    assert "3 tickets wait for each other" in report.findings[0].message.text


def test_a_ticket_that_depends_on_itself() -> None:
    report = run_gates(chained((), (1, 2)))
    assert all_told(report) == [("DEPENDENCY_CYCLE", "BLOCKER", "T2", "dependencies", "TCK-00002.yaml", 11)]
    assert report.findings[0].message.text == "TCK-00002 depends on itself."


def test_each_knot_is_told_once_with_its_shortest_cycle() -> None:
    report = run_gates(chained((2,), (1, 3), (1,), (5,), (4,)))
    assert [finding.evidence.text for finding in report.findings] == [
        "TCK-00001 -> TCK-00002 -> TCK-00001",
        "TCK-00004 -> TCK-00005 -> TCK-00004",
    ]
    assert "a knot of 3 tickets" in report.findings[0].message.text
    status, evidence = run_of(chained((2,), (1, 3), (1,), (5,), (4,)), Gate.ACYCLICITY)
    assert (status, evidence["cycle_count"], evidence["topological_sort_success"]) == (GateStatus.FAILED, 2, False)
    assert evidence["max_dependency_depth"] is None


def test_what_was_counted_of_the_dependencies() -> None:
    _, evidence = run_of(make_rfc(), Gate.ACYCLICITY)
    assert evidence == {
        "cycle_count": 0,
        "topological_sort_success": True,
        "max_dependency_depth": 3,
        "ticket_count": 5,
        "edge_count": 5,
        "external_edge_count": 0,
    }


def test_tickets_without_any_dependency_pass_and_the_reason_says_how() -> None:
    report = run_gates(chained((), (), (), ()))
    assert report.findings == ()
    reason = next(run for run in report.gates if run.gate is Gate.ACYCLICITY).reason.text
    assert "None of the 4 tickets depends on another" in reason
    assert "lost" in reason


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 7), st.integers(1, 7)), max_size=14))
def test_a_cycle_is_found_if_and_only_if_the_tickets_have_no_order(edges: list[tuple[int, int]]) -> None:
    """Against a second, dumb way: take out what waits for nothing until nothing is left or nothing moves."""
    needs = {number: {other for one, other in edges if one == number} for number in range(1, 8)}
    left = dict(needs)
    while ready := [number for number in left if not needs[number] & set(left)]:
        for number in ready:
            del left[number]
    found = [
        finding
        for finding in run_gates(chained(*(tuple(sorted(needs[number])) for number in range(1, 8)))).findings
        if finding.subcategory.value == "DEPENDENCY_CYCLE"
    ]
    assert bool(found) == bool(left)
    for finding in found:
        way = [int(name[4:]) for name in finding.evidence.text.split(" -> ")]
        assert way[0] == way[-1] == min(way)
        assert all(later in needs[earlier] for earlier, later in pairwise(way))


# Order


@pytest.mark.parametrize(("needs", "why"), [((), "does not depend"), ((3,), "does not depend")])
def test_a25_a_file_that_only_a_ticket_creates_on_which_nothing_depends(needs: tuple[int, ...], why: str) -> None:
    tickets = (
        *clean_tickets()[:3],
        make_ticket(4, requirements=[req(4)], needs=[tck(each) for each in needs], modifies=["src/cli/council.py"]),
        make_ticket(5, requirements=[req(5)], needs=[tck(3)], creates=["src/cli/council.py"]),
    )
    report = run_gates(make_rfc(tickets))
    line = 11 + len(needs)
    assert all_told(report) == [("PHASE_MISORDERING", "MAJOR", "T4", "files_to_modify", "TCK-00004.yaml", line + 1)]
    assert why in report.findings[0].message.text
    assert {run.gate: run.status for run in report.gates}[Gate.ACYCLICITY] is GateStatus.PASSED


def test_a25_a_file_that_a_ticket_creates_which_waits_for_the_one_that_changes_it() -> None:
    tickets = replacing(2, requirements=[req(1), req(2)], needs=[tck(1)], modifies=["src/cli/council.py"])
    report = run_gates(make_rfc(tickets))
    assert [finding.subcategory.value for finding in report.findings] == ["PHASE_MISORDERING"]
    assert "which waits for TCK-00002 itself" in report.findings[0].message.text


def test_a25_a_file_that_the_ticket_itself_or_one_far_before_it_creates_is_in_order() -> None:
    tickets = (
        *clean_tickets()[:4],
        make_ticket(
            5,
            requirements=[req(5)],
            needs=[tck(3), tck(4)],
            modifies=["src/core/ledger.py", "./src\\cli//council.py"],
            creates=["src/cli/council.py"],
        ),
    )
    assert run_gates(make_rfc(tickets)).findings == ()


def test_two_tickets_that_create_the_same_file() -> None:
    tickets = replacing(5, requirements=[req(5)], needs=[tck(3), tck(4)], creates=["src/core/ledger.py"])
    report = run_gates(make_rfc(tickets))
    assert all_told(report) == [("PHASE_MISORDERING", "MAJOR", "T5", "files_to_create", "TCK-00005.yaml", 15)]
    assert "TCK-00001" in report.findings[0].message.text


def test_a_cancelled_ticket_creates_nothing() -> None:
    tickets = (
        make_ticket(1, requirements=[req(1)], creates=["src/core/ledger.py"], status="CANCELLED"),
        make_ticket(2, requirements=[req(1)], creates=["src/core/ledger.py"]),
    )
    assert run_gates(make_rfc(tickets, requirements=1)).findings == ()


def test_a_ticket_that_waits_for_a_cancelled_one() -> None:
    tickets = (
        make_ticket(1, requirements=[req(1)], status="CANCELLED"),
        make_ticket(2, requirements=[req(1)], needs=[tck(1)]),
        make_ticket(3, requirements=[req(1)], needs=[tck(1)], status="CANCELLED"),
    )
    report = run_gates(make_rfc(tickets, requirements=1))
    assert all_told(report) == [("PHASE_MISORDERING", "MAJOR", "T2", "dependencies", "TCK-00002.yaml", 10)]
    assert report.findings[0].message.text == "TCK-00002 depends on TCK-00001, which is cancelled."
