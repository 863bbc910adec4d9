"""The council's bundle: it fits its schema however a council ends, adds up, and survives JSON and YAML (C43)."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from quorate.evidence.text import from_text, to_json, to_yaml
from quorate.protocols.council.audit import audit
from quorate.protocols.council.rules.forms import Applied, Fix
from quorate.protocols.council.rules.model import Agreement, Resolution, Verdict
from quorate.protocols.council.rules.result import documents, review_bundle
from quorate.protocols.council.rules.result.bundle import digest
from quorate.protocols.council.rules.taxonomy import Category, Gate, GateType, Severity, Subcategory
from tests.support.councils import Sitting
from tests.support.councils_ended import (
    ENDED,
    approved_with_notes,
    cancelled,
    clean,
    degraded,
    deserted,
    failed_fast,
    in_doubt,
    lesser_split,
    out_of_budget,
    rejected_by_blocker,
    rejected_by_gate,
    remediated,
    ruled,
    split,
    stranded,
    unbound,
    ungated,
    wished,
    with_remediation,
)

Bundle = dict[str, Any]


@cache
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


@pytest.fixture(params=ENDED)
def ended(request: pytest.FixtureRequest) -> Sitting:
    return ENDED[request.param]()


# Every bundle


def test_the_schema_is_a_schema_and_knows_every_word() -> None:
    Draft202012Validator.check_schema(schema())
    finding = schema()["$defs"]["finding"]["properties"]

    def words(field: Any) -> set[str]:
        return set(field["enum"])

    assert words(finding["category"]) == {each.value for each in Category}
    assert words(finding["subcategory"]) == {each.value for each in Subcategory}
    assert words(finding["severity"]) == {each.value for each in Severity}
    assert words(finding["agreement_status"]) == {each.value for each in Agreement}
    assert words(finding["resolution"]) == {each.value for each in Resolution} - {"MERGED"}
    assert words(schema()["properties"]["verdict"]) == {each.name for each in Verdict}
    gate = schema()["$defs"]["gate"]["properties"]
    assert words(gate["gate_id"]) == {each.value for each in Gate}
    assert words(gate["type"]) == {each.value for each in GateType}
    kinds = words(schema()["$defs"]["remediation"]["properties"]["kind"])
    assert kinds == {each.value for each in Fix} - {"NONE"}
    edits = schema()["properties"]["remediation_patch"]["anyOf"][1]["properties"]["results"]
    assert words(edits["additionalProperties"]) == {each.name for each in Applied}


def test_every_bundle_fits_the_schema(ended: Sitting) -> None:
    assert [
        f"{each.json_path}: {each.message}" for each in Draft202012Validator(schema()).iter_errors(made(ended))
    ] == []


def test_the_audit_accepts_every_bundle(ended: Sitting) -> None:
    assert [str(each) for each in audit(made(ended))] == []


def test_raised_is_the_sum_over_the_resolutions(ended: Sitting) -> None:
    """C25: findings raised are at all times the sum over the resolutions, MERGED included."""
    found = made(ended)
    meta = found["council_metadata"]
    assert sum(meta["resolutions"].values()) == meta["total_findings_generated"]
    assert len(found["findings"]) + len(found["merged_findings"]) == meta["total_findings_generated"]
    assert sum(each["findings_raised"] for each in found["cycles"]) == meta["total_findings_generated"]
    assert sum(meta["findings_by_severity"].values()) == meta["findings_after_dedup"] == len(found["findings"])


def test_a_bundle_keeps_its_seal_through_json_and_yaml(ended: Sitting) -> None:
    found = made(ended)
    for text in (to_json(found), to_yaml(found)):
        again = from_text(text)
        assert again == found
        assert digest(again) == again["seal"]["digest"]
    assert digest({**found, "verdict": "SOMETHING"}) != found["seal"]["digest"]


def test_a_bundle_says_the_same_twice(ended: Sitting) -> None:
    assert made(ended) == made(ended)


def test_the_files_are_there_once_the_council_has_concluded(ended: Sitting) -> None:
    assert documents(ended.record) == {"rfc_review": made(ended)}
    assert documents(Sitting().record) == {}
    assert documents(Sitting().gates("SCOPE_GAP R01").record) == {}


# How it ends


@pytest.mark.parametrize(
    ("play", "state", "verdict", "reason"),
    [
        (clean, "CONVERGED", "APPROVED", "Neither a BLOCKER nor a MAJOR is left (C31): 0 BLOCKER, 0 MAJOR"),
        (approved_with_notes, "CONVERGED", "APPROVED", "0 BLOCKER, 0 MAJOR, 2 MINOR, 0 INFO"),
        (
            with_remediation,
            "CONVERGED",
            "APPROVED_WITH_REMEDIATION",
            "at most 3 are bearable (C31): 0 BLOCKER, 1 MAJOR",
        ),
        (rejected_by_gate, "CONVERGED", "REJECTED", "2 BLOCKER are left (C31)"),
        (failed_fast, "CONVERGED", "REJECTED", "after the gates, BLOCKER findings of gates 1 >= 1 (C11)"),
        (rejected_by_blocker, "CONVERGED", "REJECTED", "1 BLOCKER is left (C31)"),
        (in_doubt, "CONVERGED", "NEEDS_ADJUDICATION", "2 seats are in doubt"),
        (split, "DEADLOCKED", "NEEDS_ADJUDICATION", "1 finding found no quorum (C30)"),
        (stranded, "DEADLOCKED", "NEEDS_ADJUDICATION", "1 BLOCKER is upheld, and no quorum backs a remediation (C30)"),
        (deserted, "ABORTED", "ABORTED", "aborted in CYCLE_2: fewer seats are left than the quorum (C33)"),
    ],
)
def test_the_end_and_its_reason(play: Any, state: str, verdict: str, reason: str) -> None:
    """C30 to C33: terminal state and verdict are two fields, and one sentence says why."""
    found = made(play())
    assert (found["terminal_state"], found["verdict"]) == (state, verdict)
    assert reason in found["verdict_reason"]


@pytest.mark.parametrize(
    ("name", "reason", "cycles"),
    [
        ("out_of_budget", "BUDGET_EXHAUSTED", 1),
        ("out_of_episodes", "EPISODE_LIMIT", 1),
        ("stalled", "STALL_DETECTED", 1),
        ("deserted", "INSUFFICIENT_AGENTS", 1),
        ("ungated", "NO_GATES", 0),
        ("cancelled", "CANCELLED", 2),
        ("wished", "CONCLUDED_EARLY", 0),
    ],
)
def test_an_abort_says_why_and_keeps_everything(name: str, reason: str, cycles: int) -> None:
    """C33: all findings so far, and the cycles completed."""
    found = made(ENDED[name]())
    assert (found["verdict"], found["abort_reason"], found["cycles_completed"]) == ("ABORTED", reason, cycles)
    assert found["partial_findings"] == [each["finding_id"] for each in found["findings"]]
    assert found["council_metadata"]["quorum_achieved"] is False


def test_only_an_abort_has_partial_findings_and_only_a_deadlock_a_target() -> None:
    converged, stuck = made(rejected_by_gate()), made(split())
    assert (converged["partial_findings"], converged["abort_reason"], converged["escalation_target"]) == (
        [],
        None,
        None,
    )
    assert stuck["escalation_target"] == "Human review required"
    assert stuck["deadlocked_findings"] == stuck["escalated_findings"] == ["FND-RFC-0042-001"]
    assert stuck["consensus_findings"] == []


def test_what_was_raised_in_a_phase_that_was_cut_short_is_listed() -> None:
    """C33: two seats had raised the same when the budget ended; nobody decided upon it."""
    found = made(out_of_budget())
    first, second, third = found["findings"]
    assert (second["subcategory"], second["source_cycle"], second["resolution"]) == ("MERGE_UNSAFE", 2, "OPEN")
    assert (second["source_agents"], third["source_agents"]) == (["SA-1"], ["SA-2"])
    assert second["in_consensus"] is None
    assert found["merged_findings"] == []
    assert first["source_cycle"] == 1
    assert found["council_metadata"]["total_findings_generated"] == 3
    assert "CYCLE_2 was cut short; the replies in it decided nothing: 2 (C33)" in found["warnings"]


def test_votes_that_were_cut_short_do_not_count() -> None:
    """C33: one seat had voted when somebody cancelled."""
    found = made(cancelled())
    assert (only(found)["agreement_status"], only(found)["votes"]) == ("CONTESTED", {})
    assert "votes that were cast in it were not counted" in found["warnings"]


def test_a_phase_that_was_asked_to_end_is_heard_first() -> None:
    assert [each["resolution"] for each in made(wished())["findings"]] == ["OPEN"]


def test_a_blocker_without_a_remedy_is_escalated_but_has_its_quorum() -> None:
    """C30: it is no deadlock of votes, and yet a person has to rule."""
    found = made(stranded())
    assert found["deadlocked_findings"] == []
    assert found["escalated_findings"] == ["FND-RFC-0042-001"]
    assert found["consensus_findings"] == ["FND-RFC-0042-001"]


def test_a_lesser_deadlock_is_listed_and_decides_nothing() -> None:
    found = made(lesser_split())
    assert (found["terminal_state"], found["verdict"]) == ("CONVERGED", "APPROVED")
    assert found["deadlocked_findings"] == ["FND-RFC-0042-001"]
    assert found["escalation_target"] is None
    assert found["council_metadata"]["quorum_achieved"] is False


def test_a_ruling_stands_beside_the_verdict() -> None:
    found = made(ruled())
    assert found["verdict"] == "NEEDS_ADJUDICATION"
    (ruling,) = found["rulings"]
    assert ruling["verdict"] == "REJECTED"
    assert (ruling["by"], ruling["reason"]) == ("Ann", "The scope must be said.")
    assert found["review_timestamp"] < ruling["at"]


def test_a_lost_seat_is_said_with_its_reason_and_the_quorum() -> None:
    """C36: the threshold stays what it is."""
    found = made(degraded())
    assert found["degraded"] is True
    assert found["degraded_reason"] == (
        "SA-3 was lost in CYCLE_2 (timed_out); 2 of 3 seats are left, and the quorum stays 2 (C36)"
    )
    assert [each["lost"] for each in found["council_metadata"]["subagents"]] == [False, False, True]
    assert only(found)["source_agents"] == ["SA-3"]
    assert only(found)["agreement_status"] == "MAJORITY"
    assert (made(clean())["degraded"], made(clean())["degraded_reason"]) == (False, "")


# Gates


def test_gates_stand_in_their_order_with_what_seats_said_of_them() -> None:
    """C7, C10: only gates that need judgement have votes of agents."""
    gates = made(in_doubt())["gates"]
    assert [each["gate_id"].removeprefix("GATE-TCK-") for each in gates] == [
        *("SCHEMA", "DEPENDENCY-ACYCLICITY", "SCOPE-COVERAGE", "CCP-MAPPING"),
        *("ATOMICITY", "IMPLEMENTABILITY", "ANTI-COUSIN"),
    ]
    assert [each["type"] for each in gates] == ["TRUSTED", *["DETERMINISTIC"] * 3, *["LLM-ASSISTED"] * 3]
    assert ["agent_votes" in each for each in gates] == [False] * 4 + [True] * 3
    assert gates[4]["agent_votes"] == {"SA-1": "FAILED", "SA-2": "PASSED", "SA-3": "PASSED"}
    assert (gates[4]["status"], gates[4]["reason"]) == (
        "PASSED",
        "no BLOCKER of it is upheld; SA-1 would not pass it",
    )
    assert gates[4]["evidence"]["assessments"]["SA-1"] == "I looked at ATOMICITY."
    assert gates[0]["evidence"] == {"findings": 0, "by_code": True}
    assert len(made(unbound())["gates"]) == 9


def test_a_gate_fails_by_a_blocker_that_is_left() -> None:
    """C10: upheld and not remediated; a remediation that is only agreed upon mends nothing."""

    def status(play: Any, gate: str) -> str:
        return next(str(each["status"]) for each in made(play())["gates"] if each["gate_id"] == f"GATE-TCK-{gate}")

    assert status(rejected_by_gate, "SCOPE-COVERAGE") == "FAILED"
    assert status(rejected_by_blocker, "IMPLEMENTABILITY") == "FAILED"
    assert status(stranded, "IMPLEMENTABILITY") == "FAILED"
    assert status(remediated, "SCOPE-COVERAGE") == "PASSED"
    assert status(clean, "ATOMICITY") == "PASSED"


def test_what_nobody_looked_at_is_not_passed() -> None:
    assert {each["status"] for each in made(ungated())["gates"]} == {"NOT_APPLICABLE"}
    assert made(ungated())["council_metadata"]["gates_executed"] == []
    stati = {each["type"]: each["status"] for each in made(failed_fast())["gates"]}
    assert stati["LLM-ASSISTED"] == "NOT_APPLICABLE"
    assert {each["status"] for each in made(out_of_budget())["gates"][4:]} == {"NOT_APPLICABLE"}


def test_a_gate_that_the_version_does_not_allow_says_so() -> None:
    sitting = Sitting().gates(runs={"ATOMICITY": ("NOT_APPLICABLE", "v0 has no tickets yet")}).finish()
    gate = made(sitting)["gates"][4]
    assert (gate["status"], gate["reason"]) == ("NOT_APPLICABLE", "v0 has no tickets yet")
