"""Tickets in all four shapes become one kind of ticket, and every field knows where it stands (C8)."""

from __future__ import annotations

import pytest

from quorate.protocols.council.rules.taxonomy import Field
from quorate.protocols.council.world.rfc import model
from quorate.protocols.council.world.rfc.model import CodeExample, Criterion, FilePath, Place, Reference, Shape, Ticket
from quorate.protocols.council.world.rfc.read import read_rfc
from tests.protocols.council.world.rfc.written import SHAPE_A, SHAPE_C, Written, told

A, B, C = (f"tickets/TCK-0010{digit}.yaml" for digit in "012")
D = "06_ticket_decomposition.yaml"


@pytest.fixture
def tickets(alone: Written) -> dict[str, Ticket]:
    return {ticket.key: ticket for ticket in read_rfc(alone.rfc).tickets}


def test_tickets_have_keys_in_the_order_of_their_ids(tickets: dict[str, Ticket]) -> None:
    assert [(key, ticket.id, ticket.shape) for key, ticket in tickets.items()] == [
        ("T1", "TCK-00100", Shape.A),
        ("T2", "TCK-00101", Shape.B),
        ("T3", "TCK-00102", Shape.C),
        ("T4", "TCK-00103", Shape.D),
    ]
    assert {ticket.rfc_id for ticket in tickets.values()} == {"RFC-0042"}


def test_shape_a(tickets: dict[str, Ticket]) -> None:
    ticket = tickets["T1"]
    assert (ticket.title, ticket.status) == ("Scan a parcel", "READY")
    assert ticket.at == Place(A, 1, "ticket")
    assert ticket.requirements == (Reference("REQ-0001", Place(A, 7, "ticket.requirement_ids[0]")),)
    assert ticket.depends_on == ()
    assert ticket.modifies == (
        FilePath("core/scan.py", "Write the scan", Place(A, 14, "implementation.files_to_modify[0].path")),
    )
    assert ticket.creates == (
        FilePath("core/log.py", "Keeps scans", Place(A, 17, "implementation.files_to_create[0].path")),
    )
    assert ticket.summary == "A scanner writes what it sees."
    assert ticket.steps == ("Open the log\nAppend only.", "Write the scan")
    assert ticket.examples == (
        CodeExample("How a scan looks", "scan(parcel)", Place(A, 26, "implementation.code_examples[0]")),
    )
    assert ticket.criteria == (
        Criterion("A scan is kept", "pytest tests/scan", Place(A, 31, "acceptance_criteria[0]")),
    )
    assert ticket.tests == (
        model.TestCase("UT-100-01", "A scan is kept", "pytest tests/scan", Place(A, 35, "test_requirements[0]")),
    )
    assert ticket.notes == "Mind the clock."
    assert ticket.text == SHAPE_A


def test_every_field_knows_its_place(tickets: dict[str, Ticket]) -> None:
    assert tickets["T1"].fields == {
        Field.WHOLE: Place(A, 1, "ticket"),
        Field.ID: Place(A, 2, "ticket.id"),
        Field.TITLE: Place(A, 3, "ticket.title"),
        Field.STATUS: Place(A, 4, "ticket.status"),
        Field.RFC: Place(A, 5, "ticket.rfc_id"),
        Field.REQUIREMENTS: Place(A, 6, "ticket.requirement_ids"),
        Field.DEPENDENCIES: Place(A, 8, "ticket.depends_on"),
        Field.SUMMARY: Place(A, 11, "implementation.summary"),
        Field.FILES_TO_MODIFY: Place(A, 13, "implementation.files_to_modify"),
        Field.FILES_TO_CREATE: Place(A, 16, "implementation.files_to_create"),
        Field.STEPS: Place(A, 19, "implementation.implementation_steps"),
        Field.EXAMPLES: Place(A, 25, "implementation.code_examples"),
        Field.CRITERIA: Place(A, 30, "acceptance_criteria"),
        Field.TESTS: Place(A, 34, "test_requirements"),
        Field.NOTES: Place(A, 39, "notes"),
    }
    assert tickets["T2"].place_of(Field.TESTS) == tickets["T2"].at
    assert tickets["T3"].fields[Field.SCOPE] == Place(C, 15, "ticket_meta.scope")


def test_shape_b(tickets: dict[str, Ticket]) -> None:
    ticket = tickets["T2"]
    assert ticket.at == Place(B, 1, "ticket_meta")
    where = "ticket_meta.binds.requirements[0].requirement_id"
    assert ticket.requirements == (Reference("REQ-0001", Place(B, 9, where)),)
    assert ticket.depends_on == (Reference("TCK-00100", Place(B, 15, "dependencies.tickets[0].ticket_id")),)
    assert [each.id for each in ticket.evidence] == ["EVID-0421"]
    assert [each.path for each in ticket.modifies] == ["core/log.py"]
    assert ticket.steps == ("Keep them",)


def test_shape_c(tickets: dict[str, Ticket]) -> None:
    ticket = tickets["T3"]
    assert [each.id for each in ticket.requirements] == ["REQ-0002"]
    where = "ticket_meta.dependencies.tickets[0].ticket_id"
    assert ticket.depends_on == (Reference("TCK-00101", Place(C, 13, where)),)
    assert ticket.summary == "In scope: Scans of last year\nOut of scope: Scans of today"
    assert ticket.steps == ("Find them.", "Delete them.")
    assert ticket.criteria == (
        Criterion("None is left", "", Place(C, 28, "ticket_meta.definition_of_done.criteria[0]")),
    )
    assert [each.id for each in ticket.evidence] == ["EVID-0422"]
    assert ticket.notes == "security: Deleting is logged.\nverification: pytest tests/forget"
    assert ticket.commands == ("pytest tests/forget",)


def test_shape_d(tickets: dict[str, Ticket]) -> None:
    ticket = tickets["T4"]
    entry = "rfc_ticket_decomposition.tickets[0]"
    assert ticket.at == Place(D, 4, entry)
    assert (ticket.title, ticket.status) == ("Report lost parcels", "")
    assert ticket.requirements == (Reference("REQ-0002", Place(D, 8, f"{entry}.requirement_ids[0]")),)
    assert ticket.depends_on == (Reference("TCK-00101", Place(D, 22, f"{entry}.blocked_by[0]")),)
    assert ticket.creates == (FilePath("core/lost.py", "", Place(D, 14, f"{entry}.files_to_create[0]")),)
    assert ticket.summary == "Looks every night for parcels without a scan."
    assert (ticket.component, ticket.extension_point) == ("COMP-CORE", "EXT-CORE-1")
    assert ticket.commands == ("pytest tests/lost",)
    assert [each.text for each in ticket.criteria] == ["A parcel without a scan for a day is reported"]
    assert ticket.text.startswith("    - ticket_id: TCK-00103\n")
    assert ticket.text.endswith("        - TCK-00101\n")


def test_the_older_entries_of_a_plan(alone: Written) -> None:
    text = """\
rfc_ticket_decomposition:
  ticket_plan:
    tickets:
    # Phase 1
    - ticket_id: TCK-00110
      title: "First"
      scope:
        in_scope: ["a"]
      binds:
        requirement_ids: [REQ-0001]
        evidence_ids: [EVID-0421]
      dependencies: []
# a comment at the margin
      definition_of_done:
        criteria: ["It works"]

    # Phase 2
    - ticket_id: TCK-00111
      title: "Second"
      dependencies:
      - TCK-00110
  summary: "two"
"""
    alone.document(6).write_text(text)
    rfc = read_rfc(alone.rfc)
    first, second = rfc.tickets[-2:]
    assert [each.id for each in first.requirements] == ["REQ-0001"]
    assert [each.id for each in first.evidence] == ["EVID-0421"]
    assert [each.text for each in first.criteria] == ["It works"]
    assert first.text.split("\n")[0] == "    - ticket_id: TCK-00110"
    assert first.text.split("\n")[-2] == '        criteria: ["It works"]'
    assert [each.id for each in second.depends_on] == ["TCK-00110"]
    assert second.text == '    - ticket_id: TCK-00111\n      title: "Second"\n      dependencies:\n      - TCK-00110\n'
    assert told(rfc) == []


def test_a_file_is_the_ticket_and_the_entry_only_its_plan(alone: Written) -> None:
    alone.ticket("TCK-00103", SHAPE_A.replace("TCK-00100", "TCK-00103"))
    rfc = read_rfc(alone.rfc)
    assert [ticket.id for ticket in rfc.tickets] == ["TCK-00100", "TCK-00101", "TCK-00102", "TCK-00103"]
    ticket = rfc.tickets[3]
    assert ticket.shape is Shape.A
    assert ticket.summary == "A scanner writes what it sees."
    assert (ticket.component, ticket.extension_point) == ("COMP-CORE", "EXT-CORE-1")
    assert ticket.fields[Field.COMPONENT] == Place(D, 11, "rfc_ticket_decomposition.tickets[0].ccp_component")


@pytest.mark.parametrize("text", ["ticket: [", "ticket:\n  title: no id\n  rfc_id: RFC-0042\n"])
def test_an_entry_never_stands_in_for_a_file_that_is_amiss(alone: Written, text: str) -> None:
    alone.ticket("TCK-00103", text)
    rfc = read_rfc(alone.rfc)
    assert "TCK-00103" not in [ticket.id for ticket in rfc.tickets]
    assert {flaw.at.file for flaw in rfc.flaws if not flaw.warns} == {"tickets/TCK-00103.yaml"}


def test_a_plan_may_name_tickets_by_their_ids(alone: Written) -> None:
    alone.document(6).write_text("rfc_ticket_decomposition:\n  tickets:\n    - TCK-00100\n    - TCK-00777\n")
    rfc = read_rfc(alone.rfc)
    assert [ticket.id for ticket in rfc.tickets] == ["TCK-00100", "TCK-00101", "TCK-00102"]
    assert told(rfc) == [("MISSING", D, 4, "rfc_ticket_decomposition.tickets[1]", "R06", "DEPENDENCIES")]


def test_the_same_id_twice_in_a_list_is_one_reference(alone: Written) -> None:
    alone.ticket(
        "TCK-00102", SHAPE_C.replace("      - requirement_id: REQ-0002\n", "      - REQ-0002\n      - REQ-0002\n")
    )
    assert [each.id for each in read_rfc(alone.rfc).tickets[2].requirements] == ["REQ-0002"]


def test_ids_are_read_from_the_structure_and_not_from_the_text(alone: Written) -> None:
    alone.ticket("TCK-00100", SHAPE_A.replace("Mind the clock.", "See REQ-0009, DCS-REQ-0001 and TCK-00999."))
    ticket = read_rfc(alone.rfc).tickets[0]
    assert [each.id for each in ticket.requirements] == ["REQ-0001"]
    alone.ticket("TCK-00100", SHAPE_A.replace("- REQ-0001", "- REQ-COORD-0001"))
    assert [each.id for each in read_rfc(alone.rfc).tickets[0].requirements] == ["REQ-COORD-0001"]
