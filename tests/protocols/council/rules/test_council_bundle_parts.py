"""What a council's bundle says of findings, remediations, seats, cycles and the budget (C3, C9, C14 to C39)."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib import resources
from typing import Any

from quorate.core.record import Record
from quorate.protocols.council.rules.lenses import draw_modes, select_modes
from quorate.protocols.council.rules.model import CouncilSettings
from quorate.protocols.council.rules.modes import MODES
from quorate.protocols.council.rules.protocol import Council
from quorate.protocols.council.rules.result import files, owes, review_bundle
from quorate.protocols.council.rules.taxonomy import Subcategory, recurrence_key
from tests.support.council_words import rfc
from tests.support.councils import SEATS, Sitting
from tests.support.councils_ended import (
    approved_with_notes,
    clean,
    deserted,
    failed_fast,
    lone_blocker,
    out_of_budget,
    prosaic,
    refuted,
    rejected_by_gate,
    remediated,
    split,
    standard,
    unbound,
)

Bundle = dict[str, Any]


def schema() -> Bundle:
    text = (resources.files("quorate.protocols.council") / "rfc_review.schema.json").read_text(encoding="utf-8")
    found: Bundle = json.loads(text)
    return found


def made(sitting: Sitting) -> Bundle:
    return review_bundle(sitting.record)


def only(found: Bundle) -> Bundle:
    (finding,) = found["findings"]
    assert isinstance(finding, dict)
    return finding


# Findings


def test_a_finding_has_its_place_keys_and_source() -> None:
    """C27, C28: file, line and YAML path come from the material; the mode is the seat's own."""
    sitting = Sitting().review({"SA-2": ["MISSING_VERIFICATION T3 criteria L4"]}).finish()
    finding = only(made(sitting))
    file = "tickets/TCK-00003.yaml"
    assert finding["location"] == {
        "file": file,
        "line": 14,
        "yaml_path": "ticket.criteria",
        "type": "TICKET",
        "ticket": "TCK-00003",
        "place": "TCK-00003",
        "field": "criteria",
    }
    drawn = [mode for mode in draw_modes(7)["SA-2"] if mode not in (40, 51)]
    assert finding["source_mode"] == drawn[1]
    assert finding["source_mode_name"] == MODES[drawn[1]].name
    assert (finding["source_agent"], finding["source_cycle"], finding["origin"]) == ("SA-2", 1, "seat")
    assert finding["signature"] == recurrence_key(Subcategory.MISSING_VERIFICATION, sitting.finding("F1").place)
    assert finding["signature"] != finding["dedup_key"]


def test_the_same_defect_in_two_tickets_has_one_signature_and_two_dedup_keys() -> None:
    """C27."""
    sitting = Sitting().gates("ORPHAN_TICKET T1", "ORPHAN_TICKET T2").finish()
    first, second = made(sitting)["findings"]
    assert first["signature"] == second["signature"]
    assert first["dedup_key"] != second["dedup_key"]


def test_a_gates_finding_is_unanimous_and_names_no_seat() -> None:
    """C9: its place is the gate's own, and what mends it is the gate's action."""
    first, second = made(rejected_by_gate())["findings"]
    assert (first["origin"], first["source_agent"], first["source_mode"]) == ("gate", "gate", None)
    assert (first["agreement_status"], first["resolution"], first["in_consensus"]) == ("UNANIMOUS", "UPHELD", True)
    assert first["votes"] == {}
    assert first["dissenting_agents"] == []
    assert first["remediation"] == "Mend it."
    assert (first["location"]["file"], first["location"]["line"]) == ("tickets/R01.yaml", 7)
    assert (first["location"]["type"], second["location"]["type"]) == ("RFC", "CCP")


def test_merged_findings_keep_every_source() -> None:
    """C14: alike beyond doubt by code, the same in other words by the seats."""
    found = made(approved_with_notes())
    merged = {each["finding_id"]: each for each in found["merged_findings"]}
    assert {each["how"] for each in merged.values()} == {"alike", "agreed"}
    kept = found["findings"][1]
    assert kept["merged_from"] == sorted(merged)
    assert kept["source_agents"] == ["SA-1", "SA-2", "SA-3"]
    assert merged["FND-RFC-0042-004"]["subcategory"] == "AGENT_CONTEXT_GAP"
    assert merged["FND-RFC-0042-004"]["source_cycle"] == 2
    assert merged["FND-RFC-0042-004"]["evidence"]


def test_votes_and_positions_say_who_held_what() -> None:
    """C22: SUPPORT, OPPOSE and ABSTAIN, and the dissenters' words."""
    finding = only(made(split()))
    assert finding["votes"] == {"SA-1": "SUPPORT", "SA-2": "OPPOSE", "SA-3": "ABSTAIN"}
    assert (finding["supporting_agents"], finding["dissenting_agents"]) == (["SA-1"], ["SA-2"])
    assert finding["dissent_rationale"] == {"SA-2": "I oppose it."}
    assert finding["in_consensus"] is None


def test_a_vote_that_is_missing_is_an_abstention() -> None:
    """C22."""
    sitting = Sitting().review({"SA-1": ["AMBIGUOUS_SCOPE T1"]}).respond({"SA-2": "DISPUTE"})
    finding = only(made(sitting.vote({"SA-2": {}, "SA-3": {}}).finish()))
    assert finding["votes"] == {"SA-1": "SUPPORT", "SA-2": "ABSTAIN", "SA-3": "ABSTAIN"}
    assert finding["agreement_status"] == "DEADLOCKED"


def test_a_lone_blocker_is_dismissed_only_with_a_quotation() -> None:
    """C23."""
    kept, gone = only(made(lone_blocker())), only(made(refuted()))
    assert (kept["agreement_status"], kept["refuted"]) == ("DEADLOCKED", False)
    assert (gone["agreement_status"], gone["refuted"], gone["in_consensus"]) == ("QUORUM_OPPOSE", True, False)
    assert gone["resolution"] == "DISMISSED"


def test_a_severity_that_is_not_the_default_has_a_reason() -> None:
    """C17: the worst that anybody holds right, until a vote lowers it."""
    sitting = Sitting().review({"SA-1": ["INCOMPLETE_PLAN T1"]})
    sitting.respond({"SA-2": "SEVERITY MINOR", "SA-3": "SEVERITY MINOR"}).vote("OPPOSE").finish()
    finding = only(made(sitting))
    assert (finding["severity"], finding["default_severity"]) == ("MINOR", "BLOCKER")
    assert finding["severity_reason"] == (
        "lowered by a vote (C17): SA-1 raised it as BLOCKER, SA-2 holds MINOR right, SA-3 holds MINOR right"
    )
    assert finding["severity_votes"] == {"SA-1": "OPPOSE", "SA-2": "OPPOSE"}
    assert made(sitting)["consensus_findings"] == [finding["finding_id"]]
    assert only(made(split()))["severity_reason"] == ""


def test_an_id_of_the_rfc_that_is_odd_makes_no_odd_ids() -> None:
    sitting = Sitting(about=rfc(id="RFC 1\n# forged\u202e/..")).gates("SCOPE_GAP R01").finish()
    found = made(sitting)
    assert only(found)["finding_id"] == "FND-RFC-1-forged-..-001"
    assert found["rfc_id"] == "RFC 1\n# forged\u202e/.."
    ids = re.compile(schema()["$defs"]["finding_id"]["pattern"])
    assert ids.match(only(found)["finding_id"])


# Remediation


def test_a_remediation_is_agreed_by_a_quorum() -> None:
    """C25: one proposal that has it is enough, and is the finding's remediation."""
    sitting = Sitting().review({"SA-1": ["AMBIGUOUS_SCOPE T1"], "SA-2": ["AMBIGUOUS_SCOPE T1"]}).respond("CONFIRM fix")
    found = made(sitting.vote({seat: {"P1": "OPPOSE", "P2": "SUPPORT", "P3": "ABSTAIN"} for seat in SEATS}).finish())
    assert [(each["remediation_id"], each["proposed_by"], each["agreed"]) for each in found["remediations"]] == [
        ("P1", "SA-1", False),
        ("P2", "SA-2", True),
        ("P3", "SA-3", False),
    ]
    assert only(found)["resolution"] == "REMEDIATION_AGREED"
    assert only(found)["remediation"] == "Write the missing steps into the ticket."


def test_edits_that_hold_are_a_patch_that_is_owed() -> None:
    """C38, C40: what is approved is the RFC as edited."""
    sitting = remediated()
    found = made(sitting)
    patch = found["remediation_patch"]
    assert patch["holds"] is True
    assert patch["results"] == {"FND-RFC-0042-001": "APPLIED", "FND-RFC-0042-002": "APPLIED"}
    assert {each["resolution"] for each in found["findings"]} == {"REMEDIATED"}
    assert files(sitting.record) == {"remediation.patch": patch["diff"]}
    assert "remediation.patch" in owes(sitting.record)


def test_edits_that_are_prose_alone_leave_no_patch() -> None:
    """C39: twice prose alone goes to a person."""
    sitting = prosaic()
    found = made(sitting)
    assert found["remediation_patch"] == {"holds": False, "diff": "", "results": {"FND-RFC-0042-001": "PROSE_ONLY"}}
    assert (only(found)["agreement_status"], only(found)["resolution"]) == ("UNANIMOUS", "DEADLOCKED")
    assert (files(sitting.record), owes(sitting.record)) == ({}, "")


def test_nothing_is_owed_where_nothing_is_approved_or_nothing_was_edited() -> None:
    assert owes(clean().record) == ""
    sitting = Sitting(remediate=True).gates("SCOPE_GAP R01", "BROKEN_REF T1").respond("CONFIRM fix").vote().patch()
    rejected = sitting.apply({"F1": "APPLIED"}).finish()
    assert rejected.verdict == "REJECTED"
    assert owes(rejected.record) == ""
    assert list(files(rejected.record)) == ["remediation.patch"]


# Seats, cycles, budget


def test_the_metadata_tells_the_draw() -> None:
    """C3, C4: five modes for each seat, two of them its anchors, and the seed that they were drawn from."""
    meta = made(clean())["council_metadata"]
    assert meta["session_seed"] == 7
    assert {each["agent_id"]: tuple(each["selected_modes"]) for each in meta["subagents"]} == draw_modes(7)
    for each in meta["subagents"]:
        assert sorted((*each["anchor_modes"], *each["random_modes"])) == each["selected_modes"]
        assert each["mode_names"] == {str(mode): MODES[mode].name for mode in each["selected_modes"]}
    assert [each["emergent_role"] for each in meta["subagents"]] == [
        *("Structural Rigorist", "Implementation Feasibility", "Anti-Cousin Guardian"),
    ]
    checked = meta["mode_selection_validation"]
    assert (checked["total_overlap"], checked["surplus"], checked["validation_passed"]) == (1, 1, True)
    assert meta["session_id"] == checked["session_id"] == "COUNCIL-RFC-0042-20260101-120001"
    assert meta["journal_session"] == "council-20260101-120000-abcd"
    assert made(Sitting(session_seed="a text").finish())["council_metadata"]["session_seed"] == "a text"


def test_counters_are_derived() -> None:
    """C43: a split vote resolves nothing; a quorum either way does."""
    assert made(split())["council_metadata"]["contested_items_resolved"] == 0
    meta = made(refuted())["council_metadata"]
    assert (meta["contested_items_resolved"], meta["quorum_achieved"], meta["quorum"]) == (1, True, 2)
    assert meta["episodes_consumed"] == 14
    assert meta["tokens_consumed"] == 14_000
    assert meta["cycles_completed"] == 3


def test_a_cycle_has_the_notes_that_it_led_to() -> None:
    """C19: made by code from the findings and the gates."""
    first, second, third = made(split())["cycles"]
    assert [each["cycle_name"] for each in (first, second, third)] == ["STRUCTURAL", "FEASIBILITY", "CONVERGE"]
    assert first["onboarding_notes"]["contested_items"] == [], "nobody has disputed anything yet"
    assert second["onboarding_notes"]["convergence_targets"] == ["F1 AMBIGUOUS_SCOPE in TCK-00003 (MAJOR)"]
    assert third["onboarding_notes"] is None
    assert [each["completed"] for each in made(out_of_budget())["cycles"]] == [True, False]


def test_one_seat_sits_alone_without_votes() -> None:
    """C37: what it takes back is dismissed, and its own remediation counts as agreed."""
    found = made(standard())
    assert found["review_depth"] == "STANDARD"
    assert [each["agent_id"] for each in found["council_metadata"]["subagents"]] == ["SA-1"]
    assert [each["resolution"] for each in found["findings"]] == ["REMEDIATION_AGREED", "DISMISSED"]
    assert [each["agreed"] for each in found["remediations"]] == [True]
    assert all(each["votes"] == {} for each in (*found["findings"], *found["remediations"]))
    meta = found["council_metadata"]
    assert (meta["quorum"], meta["quorum_achieved"]) == (None, False)
    assert list(found["artifacts"]) == ["SA-1"]


def test_artifacts_name_modes_and_not_lenses() -> None:
    """C13."""
    made_by = made(clean())["artifacts"]
    assert [each["kind"] for each in made_by.values()] == [
        *("Scoring Evidence Table", "Mock Implementation Run Receipt", "Claim-Argument-Evidence Tree"),
    ]
    assert [row["mode"] for row in made_by["SA-1"]["rows"][:2]] == [70, 44]
    assert (made_by["SA-1"]["weighted"], made_by["SA-1"]["threshold"]) == ({"DEC-0001": 4.0}, 3.5)
    assert {row["ticket"] for row in made_by["SA-2"]["rows"]} == {"TCK-00001"}
    assert list(made(deserted())["artifacts"]) == ["SA-1", "SA-2", "SA-3"]
    assert made(failed_fast())["artifacts"] == {}


def test_a_share_that_is_overrun_is_a_warning_and_no_end() -> None:
    """C35: what is left of a share carries over."""
    found = made(unbound())
    assert found["budget"]["spent"]["CYCLE_1"] == 48_000
    assert found["budget"]["overruns"] == [
        {"phase": "CYCLE_1", "allowed": 45_000, "spent": 48_000},
        {"phase": "CYCLE_2", "allowed": 50_000, "spent": 96_000},
    ]
    assert "CYCLE_1 spent 48,000 tokens of a share of 45,000 (C35)" in found["warnings"]
    assert made(clean())["budget"]["overruns"] == []


def test_warnings_name_unbound_modes_an_odd_version_and_masked_secrets() -> None:
    """C1, C6, C29."""
    found = made(unbound())
    text = "\n".join(found["warnings"])
    lost = found["council_metadata"]["subagents"][0]["unbound_modes"]
    assert len(lost) == 2
    assert f"SA-1 bound these modes to nothing, in spite of the repair request: {lost[0]} {MODES[lost[0]].name}" in text
    assert "the version '0.1.0' is none of v0, v2, v4; it is read as v4 (C1)" in text
    assert "2 secrets were masked" in text
    assert made(clean())["warnings"] == []


def test_a_merge_that_was_refused_is_a_warning() -> None:
    """C14: never across tickets."""
    sitting = Sitting().review({"SA-1": ["AMBIGUOUS_SCOPE T1", "AMBIGUOUS_SCOPE T2"]}).match(("F1", "F2")).finish()
    assert made(sitting)["warnings"] == [
        "refused merges of what is not of one kind, place and field, or of what a gate found: 1 (C14)"
    ]


def test_lenses_that_were_drawn_without_regard_are_a_warning() -> None:
    """C4: where a demand had to be given up, the validation record says which."""
    council, sitting = Council(CouncilSettings(), select_modes(7, least=6)), Sitting()
    sitting.record = Record(replace(sitting.protocol, nodes=council.nodes()), sitting.opening, sitting.material)
    found = made(sitting.finish())
    checked = found["council_metadata"]["mode_selection_validation"]
    assert (checked["validation_passed"], checked["relaxed"]) == (False, ["overlap", "categories"])
    assert set(checked["attempts"].values()) == {64}
    assert "the lenses were drawn without regard to overlap, categories (C4)" in found["warnings"]
