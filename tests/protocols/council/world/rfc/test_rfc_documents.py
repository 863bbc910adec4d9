"""What the documents of an RFC say: of itself, of requirements, decisions, evidence and justifications."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorate.protocols.council.rules.taxonomy import Field
from quorate.protocols.council.world.rfc.model import (
    DesignDecision,
    Justification,
    Place,
    Reference,
    Requirement,
    Version,
)
from quorate.protocols.council.world.rfc.read import read_rfc
from tests.protocols.council.world.rfc.written import META, SHAPE_A, Written, told

JUSTIFICATION = """\
cousin_justifications:
  - ticket_id: TCK-00100
    file_path: tools/odd.py
    existing_component: COMP-CORE
    capability_gap: "It has no tools"
    evidence_artifact: EVID-0421
    decision: CREATE_NEW
    decision_rationale: "There is no other place"
"""
MADE = Justification(
    ticket_id="TCK-00100",
    file_path="tools/odd.py",
    existing_component="COMP-CORE",
    capability_gap="It has no tools",
    evidence_artifact="EVID-0421",
    decision="CREATE_NEW",
    decision_rationale="There is no other place",
    at=Place("00_meta.yaml", 13, "rfc_meta.cousin_justifications[0]"),
)


def below(text: str, depth: int = 2) -> str:
    return "".join(" " * depth + line + "\n" for line in text.rstrip("\n").split("\n"))


def test_what_an_rfc_says_of_itself(alone: Written) -> None:
    rfc = read_rfc(alone.rfc)
    assert (rfc.id, rfc.title, rfc.prd_id) == ("RFC-0042", "Parcels are tracked", "PRD-0007")
    assert (rfc.version, rfc.version_written) == (Version.V2, "v2")
    assert rfc.allowed_new_files == ("tools/track.py", "tools/lost.py")
    assert [document.key for document in rfc.documents] == [f"R{number:02}" for number in range(10)]
    assert rfc.documents[0].text == META
    assert rfc.documents[0].fields[Field.TITLE] == Place("00_meta.yaml", 4, "rfc_meta.rfc.title")
    where = Place("01_problem_and_imports.yaml", 3, "rfc_problem_and_imports.imported_requirements")
    assert rfc.documents[1].fields[Field.REQUIREMENTS] == where


@pytest.mark.parametrize(
    ("written", "version", "kept"),
    [
        ("version: v0", Version.V0, "v0"),
        ("version: V4", Version.V4, "V4"),
        ('version: "0.1.0"', Version.V4, "0.1.0"),
        ("version: 2", Version.V4, "2"),
        ("version: v3", Version.V4, "v3"),
        ("other: v2", Version.V4, ""),
    ],
)
def test_an_unknown_version_is_read_as_v4_and_kept(alone: Written, written: str, version: Version, kept: str) -> None:
    """C1: the record says what was written."""
    alone.document(0).write_text(META.replace("version: v2", written))
    rfc = read_rfc(alone.rfc)
    assert (rfc.version, rfc.version_written) == (version, kept)
    assert told(rfc) == []


def test_the_version_may_stand_below_rfc(alone: Written) -> None:
    alone.document(0).write_text(META.replace("  version: v2\n", "").replace("status: DRAFT", "version: v0"))
    assert read_rfc(alone.rfc).version is Version.V0


def test_without_a_usable_meta_file_the_folder_says_the_id(tree: Written) -> None:
    tree.document(0).write_text("rfc_meta: [")
    rfc = read_rfc(tree.rfc)
    assert (rfc.id, rfc.title, rfc.prd_id) == ("RFC-0042", "", "")
    assert [ticket.id for ticket in rfc.tickets] == ["TCK-00100", "TCK-00101", "TCK-00102", "TCK-00103"]


@pytest.mark.parametrize("name", ["../x", "RFC 42", "a" * 200, "RFC-0042\\nT1"])
def test_an_id_that_could_do_harm_is_not_taken(alone: Written, name: str) -> None:
    alone.document(0).write_text(META.replace("id: RFC-0042", f'id: "{name}"'))
    rfc = read_rfc(alone.rfc)
    assert rfc.id == ""
    assert [flaw[0] for flaw in told(rfc)] == ["WRONG_VALUE"]
    assert len(rfc.tickets) == 4


def test_requirements_are_joined_with_what_the_prd_says(alone: Written) -> None:
    first, second, third = read_rfc(alone.rfc).requirements
    evidence = Place("prd/requirements/REQ-0001.yaml", 11, "prd_requirement.evidence.evidence_ids[0]")
    assert first == Requirement(
        "REQ-0001",
        "Kept",
        "Every scan MUST be kept.",
        Place("01_problem_and_imports.yaml", 4, "rfc_problem_and_imports.imported_requirements[0]"),
        imported=True,
        evidence=(Reference("EVID-0701", evidence),),
        acceptance=("It is kept.",),
    )
    assert (second.id, second.imported) == ("REQ-0002", True)
    assert (third.id, third.imported, third.at.file) == ("REQ-0003", False, "prd/requirements/REQ-0003.yaml")


def test_the_other_ways_to_bind(alone: Written) -> None:
    alone.document(1).write_text("""\
rfc_problem_and_imports:
  requirement_binding:
    bound_requirement_ids:
      - REQ-0003
      - REQ-0077
    added_rfc_only_requirements:
      local_requirements:
        - requirement_id: REQ-HEF-0001
""")
    alone.write(alone.rfc / "requirements/REQ-HEF-0001.yaml", "rfc_requirement: {id: REQ-HEF-0001, statement: S}")
    alone.write(alone.rfc / "requirements/REQ-HEF-0002.yaml", "rfc_requirement: {id: REQ-HEF-0002, title: T}")
    rfc = read_rfc(alone.rfc)
    assert [(each.id, each.title, each.statement[:1], each.imported) for each in rfc.requirements] == [
        ("REQ-0001", "Kept", "E", False),
        ("REQ-0002", "Noticed", "E", False),
        ("REQ-0003", "Of another RFC", "E", True),
        ("REQ-0077", "", "", True),
        ("REQ-HEF-0001", "", "S", True),
        ("REQ-HEF-0002", "T", "", True),
    ]
    path = "rfc_problem_and_imports.requirement_binding.bound_requirement_ids[1]"
    assert told(rfc) == [("MISSING", "01_problem_and_imports.yaml", 5, path, "RFC", "REQUIREMENTS")]


def test_decisions_are_found_wherever_they_stand_in_lists(alone: Written) -> None:
    file = "02_design_decisions.yaml"
    assert read_rfc(alone.rfc).decisions == (
        DesignDecision(
            "AD-001", "Scans are appended", Place(file, 3, "rfc_design_decisions.architecture_decisions[0]")
        ),
        DesignDecision("DEC-0002", "One clock", Place(file, 8, "rfc_design_decisions.decisions[0]")),
    )


def test_evidence_that_exists(alone: Written) -> None:
    alone.write(alone.prd / "evidence_artifacts/EVID-0702.yaml", "artifact: {id: EVID-0703}")
    alone.write(alone.prd / "evidence_artifacts/EVID-0704.yaml", "[")
    alone.write(alone.prd / "evidence_artifacts/notes.txt", "x")
    assert read_rfc(alone.rfc).evidence == {
        "EVID-0421", "EVID-0422", "EVID-0423", "EVID-0701", "EVID-0703", "EVID-0704",
    }  # fmt: skip


def test_evidence_behind_a_link_out_does_not_exist(alone: Written, tmp_path: Path) -> None:
    outside = alone.write(tmp_path / "EVID-0800.log", "x")
    (alone.rfc / "evidence_artifacts/EVID-0800.log").symlink_to(outside)
    assert "EVID-0800" not in read_rfc(alone.rfc).evidence


def test_justifications_stand_in_any_document_or_in_a_ticket(alone: Written) -> None:
    alone.document(0).write_text(META + below(JUSTIFICATION))
    alone.document(9).write_text("rfc_governance_and_gates:\n  gates: []\n" + JUSTIFICATION)
    own = JUSTIFICATION.replace("  - ticket_id: TCK-00100\n    file", "  - file")
    alone.ticket("TCK-00100", SHAPE_A + own)
    rfc = read_rfc(alone.rfc)
    assert told(rfc) == []
    first, second, third = rfc.justifications
    assert first == MADE
    assert second.at == Place("09_governance_and_gates.yaml", 4, "cousin_justifications[0]")
    assert (third.ticket_id, third.at) == ("TCK-00100", Place("tickets/TCK-00100.yaml", 41, "cousin_justifications[0]"))


def test_a_justification_that_lacks_something_is_for_the_gate_to_judge(alone: Written) -> None:
    alone.document(9).write_text(
        "rfc_governance_and_gates:\n  cousin_justifications:\n    - file_path: a.py\n    - x\n"
    )
    rfc = read_rfc(alone.rfc)
    (made,) = rfc.justifications
    assert (made.ticket_id, made.file_path, made.decision) == ("", "a.py", "")
    where = "rfc_governance_and_gates.cousin_justifications[1]"
    assert told(rfc) == [("WRONG_SHAPE", "09_governance_and_gates.yaml", 4, where, "R09", "NOTES")]
