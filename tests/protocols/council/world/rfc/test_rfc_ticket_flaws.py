"""What a ticket lacks is a flaw with file, line, place in the file, key and field; the rest is read."""

from __future__ import annotations

import pytest

from quorate.protocols.council.world.rfc.model import Defect, Place
from quorate.protocols.council.world.rfc.read import read_rfc
from tests.protocols.council.world.rfc.written import PLAN, SHAPE_A, SHAPE_B, SHAPE_C, Written, only, told

A, B, C = (f"tickets/TCK-0010{digit}.yaml" for digit in "012")
D = "06_ticket_decomposition.yaml"


def changed(alone: Written, name: str, text: str, old: str, new: str) -> None:
    assert text.count(old) >= 1
    alone.ticket(name, text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "flaw"),
    [
        ("  id: TCK-00100\n", "", ("MISSING_FIELD", A, 1, "ticket", "T4", "ID")),
        ("id: TCK-00100", "id: ''", ("MISSING_FIELD", A, 2, "ticket.id", "T4", "ID")),
        ("id: TCK-00100", "id: 100", ("WRONG_SHAPE", A, 2, "ticket.id", "T4", "ID")),
        ("id: TCK-00100", "id: TCK-0100", ("WRONG_VALUE", A, 2, "ticket.id", "T4", "ID")),
        ("id: TCK-00100", 'id: "TCK-00100\\n5"', ("WRONG_VALUE", A, 2, "ticket.id", "T1", "ID")),
        ('  title: "Scan a parcel"\n', "", ("MISSING_FIELD", A, 1, "ticket", "T1", "TITLE")),
        ('"Scan a parcel"', "[a]", ("WRONG_SHAPE", A, 3, "ticket.title", "T1", "TITLE")),
        ("  status: READY\n", "", ("MISSING_FIELD", A, 1, "ticket", "T1", "STATUS")),
        ("status: READY", "status:", ("MISSING_FIELD", A, 1, "ticket", "T1", "STATUS")),
        ("status: READY", "status: ALMOST", ("WRONG_VALUE", A, 4, "ticket.status", "T1", "STATUS")),
        ("status: READY", "status: true", ("WRONG_SHAPE", A, 4, "ticket.status", "T1", "STATUS")),
        ("  rfc_id: RFC-0042\n", "", ("MISSING_FIELD", A, 1, "ticket", "T1", "RFC")),
        ("rfc_id: RFC-0042", "rfc_id: 42", ("WRONG_SHAPE", A, 5, "ticket.rfc_id", "T1", "RFC")),
        ("depends_on: []", "depends_on: x", ("WRONG_SHAPE", A, 8, "ticket.depends_on", "T1", "DEPENDENCIES")),
        ("depends_on: []", "depends_on: [7]", ("WRONG_SHAPE", A, 8, "ticket.depends_on[0]", "T1", "DEPENDENCIES")),
        ("- REQ-0001", "- {ref: x}", ("MISSING_FIELD", A, 7, "ticket.requirement_ids[0]", "T1", "REQUIREMENTS")),
        (
            "path: core/scan.py",
            "p: x",
            ("MISSING_FIELD", A, 14, "implementation.files_to_modify[0]", "T1", "FILES_TO_MODIFY"),
        ),
        (
            "path: core/log.py",
            "path: 1",
            ("WRONG_SHAPE", A, 17, "implementation.files_to_create[0].path", "T1", "FILES_TO_CREATE"),
        ),
        (
            'action: "Write the scan"',
            "act: x",
            ("WRONG_SHAPE", A, 23, "implementation.implementation_steps[1]", "T1", "STEPS"),
        ),
        (
            'criterion: "A scan is kept"',
            "criterion: [a]",
            ("WRONG_SHAPE", A, 31, "acceptance_criteria[0].criterion", "T1", "CRITERIA"),
        ),
        (
            "acceptance_criteria:\n  - criterion",
            "acceptance_criteria:\n    criterion",
            ("WRONG_SHAPE", A, 30, "acceptance_criteria", "T1", "CRITERIA"),
        ),
        (
            "test_requirements:\n",
            "test_requirements:\n  -\n",
            ("WRONG_SHAPE", A, 35, "test_requirements[0]", "T1", "TESTS"),
        ),
    ],
)
def test_what_a_ticket_may_lack(alone: Written, old: str, new: str, flaw: tuple[str, str, int, str, str, str]) -> None:
    changed(alone, "TCK-00100", SHAPE_A, old, new)
    rfc = read_rfc(alone.rfc)
    assert told(rfc) == [flaw]
    assert len(rfc.tickets) == 4


@pytest.mark.parametrize(
    ("old", "new", "flaw"),
    [
        ("    rfc_id: RFC-0042\n", "", ("MISSING_FIELD", B, 6, "ticket_meta.binds", "T2", "RFC")),
        ("    status: IN_PROGRESS\n", "", ("MISSING_FIELD", B, 2, "ticket_meta.ticket", "T2", "STATUS")),
        (
            "dependencies:\n  tickets:\n    - ticket_id: TCK-00100\n",
            "dependencies: later\nx:\n  y:\n    - a: 1\n",
            ("WRONG_SHAPE", B, 13, "dependencies", "T2", "DEPENDENCIES"),
        ),
        (
            "implementation:\n  summary",
            "implementation: [a]\nx:\n  summary",
            ("WRONG_SHAPE", B, 17, "implementation", "T2", "STEPS"),
        ),
    ],
)
def test_what_a_ticket_of_shape_b_may_lack(
    alone: Written, old: str, new: str, flaw: tuple[str, str, int, str, str, str]
) -> None:
    changed(alone, "TCK-00101", SHAPE_B, old, new)
    assert told(read_rfc(alone.rfc)) == [flaw]


def test_lists_of_shape_c_must_be_lists(alone: Written) -> None:
    changed(alone, "TCK-00102", SHAPE_C, '      - "Scans of last year"\n', '      first: "Scans of last year"\n')
    assert told(read_rfc(alone.rfc)) == [("WRONG_SHAPE", C, 16, "ticket_meta.scope.in_scope", "T3", "SCOPE")]


def test_an_entry_of_the_plan_has_its_flaws_at_its_own_key(alone: Written) -> None:
    text = PLAN.replace("    - ticket_id: TCK-00103\n      title", "    - title").replace(
        "        - TCK-00101\n", "        - []\n"
    )
    alone.document(6).write_text(text)
    entry = "rfc_ticket_decomposition.tickets[0]"
    assert told(read_rfc(alone.rfc)) == [
        ("MISSING_FIELD", D, 4, entry, "T4", "ID"),
        ("WRONG_SHAPE", D, 21, f"{entry}.blocked_by[0]", "T4", "DEPENDENCIES"),
    ]
    alone.document(6).write_text("rfc_ticket_decomposition:\n  tickets:\n    - 5\n    - words\n  ticket_plan: 1\n")
    assert told(read_rfc(alone.rfc)) == [
        ("WRONG_SHAPE", D, 5, "rfc_ticket_decomposition.ticket_plan", "R06", "WHOLE"),
        ("WRONG_SHAPE", D, 3, "rfc_ticket_decomposition.tickets[0]", "R06", "WHOLE"),
        ("WRONG_SHAPE", D, 4, "rfc_ticket_decomposition.tickets[1]", "R06", "WHOLE"),
    ]


@pytest.mark.parametrize("status", ["COMPLETED", "OPEN", "CLOSED"])
def test_a_status_outside_of_the_standard_is_a_warning(alone: Written, status: str) -> None:
    (alone.tickets / "TCK-00102.yaml").unlink()
    changed(alone, "TCK-00100", SHAPE_A, "READY", status)
    (flaw,) = read_rfc(alone.rfc).flaws
    assert (flaw.warns, flaw.defect, flaw.at) == (True, Defect.WRONG_VALUE, Place(A, 4, "ticket.status"))
    assert flaw.expected == "one of DRAFT, READY, IN_PROGRESS, BLOCKED, DONE, CANCELLED"


def test_a_misspelt_status_names_the_nearest(alone: Written) -> None:
    changed(alone, "TCK-00100", SHAPE_A, "READY", "IN-PROGRESS")
    assert "did you mean IN_PROGRESS?" in only(read_rfc(alone.rfc)).what


@pytest.mark.parametrize("name", ["TCK-00100", "TCK-PEND-003", "TCK-AB-12345"])
def test_ids_that_are_right(alone: Written, name: str) -> None:
    (alone.tickets / "TCK-00100.yaml").unlink()
    changed(alone, name, SHAPE_A, "TCK-00100", name)
    rfc = read_rfc(alone.rfc)
    assert name in [ticket.id for ticket in rfc.tickets]
    assert told(rfc) == []


def test_the_same_id_twice_is_a_flaw_of_the_second(alone: Written) -> None:
    alone.ticket("TCK-00150", SHAPE_A)
    rfc = read_rfc(alone.rfc)
    assert [(ticket.key, ticket.id, ticket.at.file) for ticket in rfc.tickets[:2]] == [
        ("T1", "TCK-00100", A),
        ("T2", "TCK-00100", "tickets/TCK-00150.yaml"),
    ]
    assert told(rfc) == [("DUPLICATE", "tickets/TCK-00150.yaml", 2, "ticket.id", "T2", "ID")]
    assert A in only(rfc).what


def test_unknown_keys_are_no_flaw(alone: Written) -> None:
    changed(alone, "TCK-00100", SHAPE_A, "ticket:\n", "schema_version: 1\nticket:\n  owner: me\n")
    alone.document(5).write_text("rfc_rollout_and_ops:\n  anything: {goes: here}\nmore: 1\n")
    assert told(read_rfc(alone.rfc)) == []
