"""The rules of the gates (C7 to C12), as the council keeps them; what the gates find is tested with the gates."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.protocols.council import DEFINITION
from quorate.protocols.council.rules.fates import fates
from quorate.protocols.council.rules.forms import Ballots
from quorate.protocols.council.rules.model import CouncilSettings, Profile
from quorate.protocols.council.rules.result import review_bundle
from quorate.protocols.council.rules.taxonomy import BY_CODE, NINE, SEVEN, Gate, GateType, gate_type
from tests.support.council_words import rfc
from tests.support.councils import Sitting

GAP, OVERLAP = "SCOPE_GAP R01", "SCOPE_OVERLAP T1"


def test_c7_seven_gates_by_default_and_nine_in_their_fixed_order() -> None:
    """a13."""
    assert len(SEVEN) == 7
    assert tuple(Gate) == NINE
    assert [gate for gate in NINE if gate in SEVEN] == list(SEVEN)
    assert set(NINE) - set(SEVEN) == {Gate.SECURITY, Gate.FIDELITY}
    assert CouncilSettings().profile == SEVEN
    assert CouncilSettings(gates=Profile.NINE).profile == NINE


@pytest.mark.parametrize(("gates", "judged"), [("seven", 3), ("nine", 5)])
def test_c7_cycle_2_judges_what_code_cannot(gates: str, judged: int) -> None:
    """a14: the four that code runs are not put to the seats."""
    sitting = Sitting(gates=gates).reach("assess")
    (shown,) = [each.text for each in sitting.view("SA-1").sections if each.title == "The gates to assess"]
    assert len(shown.splitlines()) == judged
    assert all(gate.value not in shown for gate in BY_CODE)
    assert {gate_type(gate) for gate in BY_CODE} == {GateType.TRUSTED, GateType.DETERMINISTIC}


def test_c8_the_gates_run_once_and_before_anybody_else() -> None:
    sitting = Sitting()
    assert sitting.asked() == ["gates examine"]
    sitting.finish()
    assert sitting.outcomes.count("EXAMINED") == 1


def test_c8_what_code_counted_is_shown_to_those_who_judge() -> None:
    """a26."""
    fact = {"ticket": "T1", "files": 12, "components": ["A", "B", "C"], "steps": 4, "criteria": 2, "tests": 0}
    sitting = Sitting().gates(facts=[fact]).reach("assess")
    assert "T1: 12 files, 3 components, 4 steps, 2 criteria, 0 tests" in sitting.view("SA-2").text()


def test_c9_what_a_gate_found_is_unanimous_and_upheld_from_the_beginning() -> None:
    """a15."""
    found = Sitting().gates(GAP).finding("F1")
    assert (found.agreement.value, found.resolution.value, found.proven) == ("UNANIMOUS", "UPHELD", True)


def test_c9_no_dispute_and_no_vote_takes_it_away() -> None:
    """a15: it is answered, for a remediation is wanted, and no answer counts against it."""
    sitting = Sitting().gates(GAP).respond("DISPUTE fix").reach("vote")
    assert sitting.ask("SA-1").keys == ("P1", "P2", "P3")
    sitting.vote("OPPOSE")
    assert sitting.finding("F1").resolution.value == "UPHELD"
    assert sitting.facts("answer") == [
        {"key": "F1", "by": seat, "said": "DISPUTE", "counts": "ABSTAIN"} for seat in ("SA-1", "SA-2", "SA-3")
    ]
    told = [each for each in fates(sitting.record) if each.what == "answer"]
    assert [(each.id, each.said, each.became, each.rule) for each in told] == [
        (f"F1, answer of {seat}", "Because of DISPUTE fix.", "counted as an abstention", "C9")
        for seat in ("SA-1", "SA-2", "SA-3")
    ]
    assert sitting.verdict == "REJECTED"


def test_c9_it_is_never_among_the_items_of_a_vote() -> None:
    sitting = Sitting().gates(GAP, OVERLAP).review({"SA-1": ["AMBIGUOUS_SCOPE T1 scope"]}).respond("DISPUTE")
    sitting.reach("vote")
    keys = [ask.keys for ask in sitting.open if ask.form is Ballots]
    assert keys == [("F3",)] * 3


def test_c9_a_seat_that_finds_the_same_changes_nothing_of_it() -> None:
    sitting = Sitting().gates(OVERLAP).review({seat: [f"{OVERLAP} BLOCKER"] for seat in ("SA-1", "SA-2", "SA-3")})
    found = sitting.finding("F1")
    assert (found.severity.value, found.agreement.value) == ("MINOR", "UNANIMOUS")
    sitting.reach("respond")
    assert [each.severity.value for each in sitting.state.findings] == ["MINOR", "BLOCKER"]
    assert (sitting.state.raised, len(sitting.state.joined)) == (4, 2)


def test_c10_every_seat_assesses() -> None:
    """a16."""
    assert Sitting().reach("assess").asked() == ["SA-1 assess", "SA-2 assess", "SA-3 assess"]


def test_c10_what_a_seat_says_of_a_gate_decides_nothing_by_itself() -> None:
    """a17: only an upheld BLOCKER fails a gate; one that seats fail without a finding leaves them in doubt (C32)."""
    failed = {seat: ["ATOMICITY", "IMPLEMENTABILITY"] for seat in ("SA-1", "SA-2", "SA-3")}
    sitting = Sitting().assess({}, failed=failed).finish()
    assert sitting.verdict == "NEEDS_ADJUDICATION"
    assert {each["status"] for each in review_bundle(sitting.record)["gates"]} <= {"PASSED", "NOT_APPLICABLE"}
    one = {"SA-1": ["ATOMICITY"]}
    assert Sitting().assess({}, failed=one).finish().verdict == "APPROVED"
    found = {"SA-1": ["SCOPE_TOO_LARGE T1 steps MINOR"]}
    assert Sitting().assess(found, failed={seat: ["ATOMICITY"] for seat in failed}).finish().verdict == "APPROVED"


def test_c32_the_only_seat_in_doubt_is_enough() -> None:
    """C32, C37."""
    assert Sitting(depth="STANDARD").assess({}, low=["SA-1"]).finish().verdict == "NEEDS_ADJUDICATION"
    assert Sitting(depth="STANDARD").assess({}).finish().verdict == "APPROVED"


def test_c10_a_gate_that_the_version_does_not_allow_is_told_with_its_reason() -> None:
    """a18: which gates a version has is tested with the gates' report."""
    runs = {"CCP_MAPPING": ("NOT_APPLICABLE", "the RFC is v0"), "ATOMICITY": ("NOT_APPLICABLE", "the RFC is v0")}
    found = DEFINITION.result(Sitting().gates(runs=runs).finish().record)["gates"]
    skipped = {each["gate_id"]: each["reason"] for each in found if each["status"] == "NOT_APPLICABLE"}
    assert skipped == dict.fromkeys((Gate.CCP_MAPPING.value, Gate.ATOMICITY.value), "the RFC is v0")


def test_c10_a_gate_is_failed_by_an_upheld_blocker_alone() -> None:
    """a17."""
    plan = {seat: ["INCOMPLETE_PLAN T2 steps"] for seat in ("SA-1", "SA-2", "SA-3")}
    found = DEFINITION.result(Sitting().review(plan).respond("CONFIRM fix").finish().record)["gates"]
    statuses = {each["gate_id"]: each["status"] for each in found}
    assert [gate for gate, status in statuses.items() if status == "FAILED"] == [Gate.IMPLEMENTABILITY.value]


def test_c11_a_blocker_of_a_gate_does_not_stop_a_council() -> None:
    """a19."""
    assert Sitting().gates(GAP).asked() == ["SA-1 score", "SA-2 mock-run", "SA-3 assure"]


@pytest.mark.parametrize("settings", [{"fail_fast": True}, {"depth": "STANDARD"}])
def test_c11_with_fail_fast_or_one_seat_it_ends_without_a_model_call(settings: dict[str, Any]) -> None:
    """a19."""
    sitting = Sitting(**settings).gates(OVERLAP, GAP)
    assert (sitting.phase, sitting.verdict) == ("CONVERGED", "REJECTED")
    assert sitting.record.session.episodes == 0
    assert len(sitting.state.findings) == 2


@pytest.mark.parametrize("settings", [{"fail_fast": True}, {"depth": "STANDARD"}])
def test_c11_what_is_less_than_a_blocker_stops_nobody(settings: dict[str, Any]) -> None:
    assert Sitting(**settings).gates("ORPHAN_TICKET T1", OVERLAP).open


def test_c12_without_a_report_of_the_gates_nothing_is_approved() -> None:
    sitting = Sitting().absent("gates")
    assert (sitting.phase, sitting.verdict, sitting.outcomes[-1]) == ("ABORTED", "ABORTED", "NO_GATES")
    assert sitting.record.session.episodes == 0


def test_c8_the_places_that_a_finding_may_name_are_those_of_the_report() -> None:
    sitting = Sitting(about=rfc(2)).gates()
    keys = sitting.ask("SA-1").keys
    assert keys == ("RFC", *(f"R{number:02}" for number in range(10)), "T1", "T2")
