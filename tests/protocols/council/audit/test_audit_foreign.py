"""`audit` on bundles by others: with the seed's fields alone, in other forms, and written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from quorate.protocols.council.audit import Kind, audit
from quorate.protocols.council.audit.keys import is_raised
from quorate.protocols.council.rules.taxonomy import Subcategory
from quorate.protocols.council.world.bundle_audit import audit_file
from tests.protocols.council.audit.breaks import SEEDS_EXAMPLE, finding, named, seeds_example

BUNDLES = Path(__file__).parents[4] / "examples" / "bundles"


def test_the_seeds_own_example_is_rejected_for_its_modes() -> None:
    """a10: none of its sets holds both anchors of its seat."""
    found = audit(SEEDS_EXAMPLE)
    places = {f"council_metadata.subagents[{number}].selected_modes" for number in range(3)}
    assert {place for rule, place in named(found) if rule == "C3"} == places
    assert ("C43", "council_metadata.findings_after_dedup") in named(found)
    assert ("C7", "gates") in named(found)


def test_what_a_foreign_bundle_lacks_is_not_recorded_and_not_broken() -> None:
    found = audit(SEEDS_EXAMPLE)
    missing = named(found, Kind.MISSING)
    assert ("C43", "seal") in missing
    assert ("C5", "council_metadata.session_seed") in missing
    assert ("C25", "merged_findings") in missing
    assert not {place for _, place in missing} & {place for _, place in named(found)}


@pytest.mark.parametrize(
    ("findings", "verdict", "holds"),
    [
        ([finding(1, severity="BLOCKER")], "APPROVED_WITH_REMEDIATION", False),
        ([finding(1, severity="BLOCKER", status="REMEDIATED")], "APPROVED", True),
        ([finding(1, severity="BLOCKER", status="RESOLVED_PROVISIONAL")], "APPROVED", True),
        ([finding(1, severity="BLOCKER", status="ACCEPTED")], "APPROVED", False),
        ([finding(1, severity="BLOCKER", in_consensus=False)], "APPROVED", True),
        ([finding(1)], "APPROVED_WITH_REMEDIATION", False),
        ([finding(1, remediation="Name the callers.")], "APPROVED_WITH_REMEDIATION", True),
        ([finding(1, remediation="Name the callers.")], "REJECTED", True),
        ([finding(number, remediation="Mend it.") for number in range(4)], "APPROVED_WITH_REMEDIATION", False),
        ([finding(number, remediation="Mend it.") for number in range(4)], "REJECTED", True),
        ([finding(1, severity="MINOR")], "REJECTED", False),
    ],
)
def test_findings_without_a_resolution_remain_unless_they_say_otherwise(
    findings: list[Any], verdict: str, holds: bool
) -> None:
    """C31, facts a40 and a41."""
    found = named(audit(seeds_example(findings=findings, verdict=verdict)))
    assert (("C31", "verdict") not in found) is holds


def test_a_failed_gate_rejects() -> None:
    """C31: whatever the findings are."""
    gates = [{"gate_id": "GATE-TCK-SCHEMA", "status": "FAILED"}]
    found = audit(seeds_example(gates=gates))
    assert any(each.rule == "C31" and "GATE-TCK-SCHEMA" in each.says for each in found)
    assert ("C8", "gates[0].status") in named(found)


def test_votes_in_other_forms_are_read() -> None:
    """C22: a list of votes, or their numbers."""
    listed = [{"agent": "SA-1", "vote": "SUPPORT"}, {"agent": "SA-2 (Feasibility)", "vote": "oppose"}]
    findings = [
        finding(1, agreement_status="QUORUM_SUPPORT", quorum_vote={"SUPPORT": 2, "OPPOSE": 1}),
        finding(2, agreement_status="QUORUM_SUPPORT", votes=listed),
        finding(3, agreement_status="QUORUM_OPPOSE", vote_count={"SUPPORT": 2, "OPPOSE": 1}),
    ]
    found = named(audit(seeds_example(findings=findings)))
    assert {place for rule, place in found if rule == "C22" and place.endswith("status")} == {
        "findings[1].agreement_status",
        "findings[2].agreement_status",
    }
    assert ("C22", "findings[1].votes[1].vote") in found


def test_a_bundle_below_a_single_name_is_read_there() -> None:
    found = audit({"rfc_review": seeds_example(verdict="PASSED")})
    assert ("C31", "rfc_review.verdict") in named(found)


def test_totals_of_a_seat_add_up() -> None:
    """C43: seven findings cannot be nine by their severities."""
    bundle = seeds_example()
    bundle["council_metadata"]["subagents"][1] |= {
        "total_findings": 7,
        "findings_by_severity": {"BLOCKER": 2, "MAJOR": 4, "MINOR": 3},
    }
    assert ("C43", "council_metadata.subagents[1].total_findings") in named(audit(bundle))


def test_overlap_beyond_three_is_named() -> None:
    """C4: counted pair by pair, as in the draw of seed 62."""
    bundle = seeds_example()
    sets = ([16, 36, 44, 69, 70], [36, 40, 51, 61, 76], [11, 16, 36, 53, 79])
    for seat, modes in zip(bundle["council_metadata"]["subagents"], sets, strict=True):
        seat["selected_modes"] = modes
    found = audit(bundle)
    assert ("C4", "council_metadata.subagents") in named(found)
    assert any("share 4 modes" in each.says for each in found)


# Signatures


def test_a_signature_with_every_digit_raised_is_told_from_a_computed_one() -> None:
    """C27: none of those recorded by models was computed."""
    assert is_raised("a1b2c3d4e5f60718", "b2c3d4e5f6071829")
    assert is_raised("a1b2c3d4e5f6a7b8", "b2c3d4e5f6a7b8c9")
    assert not is_raised("a1b2c3d4e5f60718", "c9a786d1d0ff418c")


def test_signatures_of_an_unknown_algorithm_are_held_against_each_other() -> None:
    """C27: one kind has one signature; that of two kinds is none."""
    findings = [
        finding(1, signature="61c9ef0b2a7d4835"),
        finding(2, signature="07d1f2ab9c3e5586"),
        finding(3, signature="61c9ef0b2a7d4835", subcategory="INCOMPLETE_PLAN"),
    ]
    found = audit(seeds_example(findings=findings))
    assert ("C27", "findings[0].signature") in named(found, Kind.MISSING)
    assert {("C27", "findings[1].signature"), ("C27", "findings[2].signature")} <= named(found)


def test_every_subcategory_has_a_right_answer() -> None:
    """C27: what would be right is the category of the subcategory."""
    for kind in Subcategory:
        wrong = next(each.category for each in Subcategory if each.category is not kind.category)
        found = audit(seeds_example(findings=[finding(1, subcategory=kind.name, category=wrong.name)]))
        right = {each.right for each in found if each.place == "findings[0].category"}
        assert right == {kind.category.name}


# The examples of the repository


def test_the_kept_example_keeps_the_rules() -> None:
    found = audit_file(BUNDLES / "kept.yaml")
    assert found.holds
    assert found.found.missing
    assert {each.kind for each in found.found.deviations} == {Kind.MISSING}


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("approved-with-blockers.yaml", "C3 C10 C15 C17 C21 C22 C27 C31 C34 C35 C43"),
        ("examples-for-modes.yaml", "C2 C3 C6 C7 C18 C22 C31 C43"),
        ("invented-signatures.json", "C3 C22 C25 C26 C27 C30 C43"),
    ],
)
def test_the_broken_examples_break_these_rules(name: str, rules: str) -> None:
    found = audit_file(BUNDLES / name).found.deviations
    assert {rule for rule, _ in named(found)} == set(rules.split())
    assert all(each.line for each in found)
