"""The gate SCOPE-COVERAGE: requirements, tickets and evidence belong together (C8, C10)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from quorate.protocols.council.rules.forms import GateRun
from quorate.protocols.council.rules.taxonomy import Gate, GateStatus
from quorate.protocols.council.world.gates.run import run_gates
from quorate.protocols.council.world.rfc.model import Defect, Flaw, Place, Rfc, Version
from tests.protocols.council.world.gates.rfcs import all_told, clean_tickets, make_rfc, make_ticket, replacing, req, tck


def coverage(rfc: Rfc) -> GateRun:
    return next(run for run in run_gates(rfc).gates if run.gate is Gate.COVERAGE)


def test_a_requirement_without_a_ticket_is_told_where_it_is_imported() -> None:
    report = run_gates(make_rfc(requirements=6))
    # The first requirement has a line of evidence, so the sixth stands in line 9.
    assert all_told(report) == [("SCOPE_GAP", "BLOCKER", "R01", "requirements", "01_problem_and_imports.yaml", 9)]
    assert report.findings[0].message.text == "No ticket covers REQ-0006 (Need 6)."
    assert report.findings[0].yaml_path.text == "imported_requirements[5]"
    assert coverage(make_rfc(requirements=6)).status is GateStatus.FAILED


def test_what_was_counted_of_the_requirements() -> None:
    evidence = json.loads(coverage(make_rfc(requirements=6)).evidence.text)
    assert (evidence["requirements_count"], evidence["covered_count"]) == (6, 5)
    assert evidence["uncovered"] == [req(6)]
    assert evidence["coverage_matrix"][req(1)] == [tck(1), tck(2), tck(3)]
    assert evidence["coverage_matrix"][req(6)] == []


def test_a_requirement_that_the_rfc_does_not_import_is_not_its_own_to_cover() -> None:
    rfc = make_rfc(requirements=6)
    last = replace(rfc.requirements[-1], imported=False)
    assert run_gates(replace(rfc, requirements=(*rfc.requirements[:-1], last))).findings == ()


def test_a_cancelled_ticket_covers_nothing() -> None:
    report = run_gates(make_rfc(replacing(4, requirements=[req(4)], needs=[tck(2)], status="CANCELLED")))
    assert [finding.subcategory.value for finding in report.findings] == ["PHASE_MISORDERING", "SCOPE_GAP"]
    assert "TCK-00005 depends on TCK-00004, which is cancelled" in report.findings[0].message.text
    assert "TCK-00004 covers it and is cancelled" in report.findings[1].message.text


def test_a_ticket_without_a_requirement() -> None:
    tickets = (*clean_tickets(), make_ticket(6, needs=[tck(5)]))
    report = run_gates(make_rfc(tickets))
    assert all_told(report) == [("ORPHAN_TICKET", "MAJOR", "T6", "requirements", "TCK-00006.yaml", 7)]
    assert coverage(make_rfc(tickets)).status is GateStatus.PASSED
    assert json.loads(coverage(make_rfc(tickets)).evidence.text)["orphan_tickets"] == [tck(6)]


def test_a_ticket_that_names_an_unknown_requirement_alone_has_one_finding_for_it() -> None:
    tickets = (*clean_tickets(), make_ticket(6, requirements=["REQ-9999"], needs=[tck(5)]))
    assert [finding.subcategory.value for finding in run_gates(make_rfc(tickets)).findings] == ["BROKEN_REF"]


# Double coverage


def doubled(text: str = "", **more: Any) -> Rfc:
    """Return an RFC in which TCK-00003 and TCK-00004, both after TCK-00002, cover REQ-0004."""
    tickets = (
        *clean_tickets()[:2],
        make_ticket(3, requirements=[req(3), req(4)], needs=[tck(2)], notes=text),
        make_ticket(4, requirements=[req(4)], needs=[tck(2)]),
        make_ticket(5, requirements=[req(5)], needs=[tck(3), tck(4)]),
    )
    return make_rfc(tickets, **more)


def test_two_tickets_that_cover_the_same_without_knowing_it() -> None:
    report = run_gates(doubled())
    assert all_told(report) == [("SCOPE_OVERLAP", "MINOR", "T3", "requirements", "TCK-00003.yaml", 9)]
    assert "TCK-00003 covers REQ-0004, and so does TCK-00004" in report.findings[0].message.text


def test_one_that_names_the_other_knows_of_it() -> None:
    assert run_gates(doubled("The page of it is TCK-00004.")).findings == ()


def test_a_third_ticket_of_the_same_requirement_that_waits_for_both_brings_them_together() -> None:
    rfc = doubled()
    last = make_ticket(5, requirements=[req(4), req(5)], needs=[tck(3), tck(4)])
    assert run_gates(replace(rfc, tickets=(*rfc.tickets[:4], last))).findings == ()


def test_many_tickets_of_one_requirement_are_one_finding() -> None:
    tickets = [make_ticket(number, requirements=[req(1)]) for number in range(1, 9)]
    report = run_gates(make_rfc(tickets, requirements=1))
    assert all_told(report) == [("SCOPE_OVERLAP", "MINOR", "T8", "requirements", "TCK-00008.yaml", 8)]
    assert "TCK-00001, TCK-00002" in report.findings[0].message.text


# Evidence


def test_evidence_that_exists_nowhere() -> None:
    tickets = replacing(1, requirements=[req(1)], creates=["src/core/ledger.py"], evidence=["EVID-0001", "EVID-0404"])
    report = run_gates(make_rfc(tickets, requirement_evidence={2: "EVID-0405"}))
    assert all_told(report) == [
        ("EVIDENCE_GAP", "MAJOR", "R01", "evidence", "01_problem_and_imports.yaml", 5),
        ("EVIDENCE_GAP", "MAJOR", "T1", "evidence", "TCK-00001.yaml", 12),
    ]


def test_what_is_no_id_of_evidence_is_not_looked_up() -> None:
    tickets = replacing(1, requirements=[req(1)], creates=["src/core/ledger.py"], evidence=["the unit tests"])
    assert run_gates(make_rfc(tickets)).findings == ()


# Where nothing can be said


def test_c10_a_v0_without_tickets_is_not_held_against_it() -> None:
    run = coverage(make_rfc((), version=Version.V0))
    assert run.status is GateStatus.NOT_APPLICABLE
    assert "no tickets" in run.reason.text


def test_a_v4_without_tickets_covers_nothing() -> None:
    assert [finding.subcategory.value for finding in run_gates(make_rfc(())).findings] == ["SCOPE_GAP"] * 5


def test_an_rfc_that_imports_nothing_does_not_pass_trivially() -> None:
    report = run_gates(make_rfc(requirements=0, requirement_evidence={}))
    assert all_told(report) == [("SCOPE_GAP", "BLOCKER", "R01", "requirements", "01_problem_and_imports.yaml", 2)]


def test_requirements_that_could_not_be_read_are_one_finding() -> None:
    rfc = make_rfc(requirements=0, requirement_evidence={})
    unread = Flaw(Defect.NOT_YAML, "a mapping has no end", Place("documents/rfcs/RFC-0042/01.yaml", 4), "R01")
    report = run_gates(replace(rfc, flaws=(unread,)))
    assert [finding.subcategory.value for finding in report.findings] == ["SCHEMA_VIOLATION"]
    assert {run.gate: run.status for run in report.gates}[Gate.COVERAGE] is GateStatus.NOT_APPLICABLE


def test_a_ticket_that_could_not_be_read_may_cover_what_nothing_else_does() -> None:
    unread = Flaw(Defect.BINARY, "is a binary file", Place("documents/work/tickets/TCK-00004.yaml"))
    tickets = tuple(each for each in clean_tickets() if each.key != "T4")
    report = run_gates(make_rfc(tickets, flaws=(unread,)))
    assert [finding.subcategory.value for finding in report.findings] == ["SCHEMA_VIOLATION"]
    run = next(run for run in report.gates if run.gate is Gate.COVERAGE)
    assert run.status is GateStatus.NOT_APPLICABLE
    assert "REQ-0004" in run.reason.text
    assert "TCK-00004.yaml" in run.reason.text


def test_a_file_of_the_prd_that_could_not_be_read_excuses_no_gap() -> None:
    unread = Flaw(Defect.BINARY, "is a binary file", Place("documents/prds/PRD-0007/requirements/REQ-0009.yaml"))
    report = run_gates(make_rfc(requirements=6, flaws=(unread,)))
    assert [finding.subcategory.value for finding in report.findings] == ["SCHEMA_VIOLATION", "SCOPE_GAP"]
