"""The rules of remediation (C38 to C40), one by one; what the gates make of an edit is tested with the gates."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.protocols.council import DEFINITION
from quorate.protocols.council.rules.forms import Applied
from tests.support.councils import SEATS, Sitting

SCOPE, TESTS = "AMBIGUOUS_SCOPE T1 scope", "MISSING_VERIFICATION T2 tests"
REFUSED = [each.name for each in Applied if each is not Applied.APPLIED]


def agreed(*findings: str, **settings: Any) -> Sitting:
    """Remediations for these are agreed upon, and edits are asked for."""
    sitting = Sitting(remediate=True, **settings).review({seat: list(findings) for seat in SEATS})
    return sitting.respond("CONFIRM fix").vote("SUPPORT")


def test_c38_edits_are_asked_from_the_active_seats_in_turn() -> None:
    four = [f"AMBIGUOUS_SCOPE T1 {field}" for field in ("scope", "steps", "tests", "notes")]
    asks = {ask.seat: [key for key in ask.keys if key.startswith("F")] for ask in agreed(*four).open}
    keys = [key for own in asks.values() for key in own]
    assert [len(own) for own in asks.values()] == [2, 1, 1]
    assert len(set(keys)) == 4


def test_c38_a_lost_seat_is_asked_for_no_edit() -> None:
    sitting = Sitting(remediate=True).review({"SA-1": [SCOPE], "SA-2": "absent", "SA-3": [SCOPE]})
    sitting.respond("CONFIRM fix").vote("SUPPORT")
    assert sitting.asked() == ["SA-1 patch"]


def test_c38_without_the_setting_nobody_is_asked() -> None:
    sitting = Sitting().review({seat: [SCOPE] for seat in SEATS}).respond("CONFIRM fix").vote("SUPPORT")
    assert sitting.verdict == "APPROVED_WITH_REMEDIATION"


def test_c38_an_edit_that_holds_remediates() -> None:
    """a37: agreed is one thing, applied another."""
    sitting = agreed(SCOPE, TESTS).patch().apply("APPLIED")
    assert {each.resolution.value for each in sitting.state.findings} == {"REMEDIATED"}
    assert (sitting.phase, sitting.verdict) == ("CONVERGED", "APPROVED")


@pytest.mark.parametrize("result", REFUSED)
def test_c38_what_is_refused_is_not_remediated(result: str) -> None:
    sitting = agreed(SCOPE).patch().apply(result)
    assert sitting.finding("F1").resolution.value == "REMEDIATION_AGREED"
    assert sitting.asked() == ["SA-1 patch"]


def test_c38_a_finding_without_a_result_is_not_remediated() -> None:
    sitting = agreed(SCOPE, TESTS).patch().apply({"F1": "APPLIED"})
    left = {each.key: each.resolution.value for each in sitting.state.findings}
    assert sorted(left.values()) == ["REMEDIATED", "REMEDIATION_AGREED"]


def test_c38_without_an_answer_of_the_gates_nothing_holds() -> None:
    sitting = agreed(SCOPE).patch().absent("gates")
    assert sitting.finding("F1").resolution.value == "REMEDIATION_AGREED"
    assert sitting.verdict == "APPROVED_WITH_REMEDIATION"


def test_c38_what_a_gate_found_goes_away_by_an_edit_alone() -> None:
    """a15."""
    sitting = Sitting(remediate=True).gates("SCOPE_GAP R01").respond("CONFIRM fix").vote("SUPPORT").patch()
    assert sitting.finding("F1").resolution.value == "REMEDIATION_AGREED"
    sitting.apply("APPLIED")
    assert sitting.finding("F1").resolution.value == "REMEDIATED"
    assert sitting.verdict == "APPROVED"


def test_c38_where_nobody_offers_an_edit_the_council_ends_as_agreed() -> None:
    sitting = agreed(SCOPE)
    sitting.reply("SA-1", {"edits": []})
    assert (sitting.outcomes[-2:], sitting.verdict) == (["PATCHED", "CONSENSUS"], "APPROVED_WITH_REMEDIATION")


def test_c39_what_is_refused_is_asked_for_once_more_and_no_more() -> None:
    sitting = agreed(SCOPE).patch().apply("REGRESSED").patch().apply("REGRESSED")
    assert (sitting.finding("F1").resolution.value, sitting.verdict) == (
        "REMEDIATION_AGREED",
        "APPROVED_WITH_REMEDIATION",
    )


def test_c39_prose_twice_goes_to_a_person() -> None:
    sitting = agreed(SCOPE).patch().apply("PROSE_ONLY").patch().apply("PROSE_ONLY")
    assert sitting.finding("F1").resolution.value == "DEADLOCKED"
    assert (sitting.phase, sitting.verdict) == ("DEADLOCKED", "NEEDS_ADJUDICATION")


@pytest.mark.parametrize(("first", "second"), [("PROSE_ONLY", "REGRESSED"), ("NOT_APPLIED", "PROSE_ONLY")])
def test_c39_prose_once_does_not(first: str, second: str) -> None:
    sitting = agreed(SCOPE).patch().apply(first).patch().apply(second)
    assert (sitting.phase, sitting.finding("F1").resolution.value) == ("CONVERGED", "REMEDIATION_AGREED")


def test_c39_the_seat_is_told_why_its_edit_was_refused() -> None:
    sitting = agreed(SCOPE).patch().reach("apply")
    sitting.reply("gates", {"notes": "F1: nothing changes but prose", "results": {"F1": Applied.PROSE_ONLY}})
    assert "F1: nothing changes but prose" in sitting.view("SA-1").text()


def test_c40_what_is_approved_after_edits_is_still_owed() -> None:
    assert DEFINITION.owes is not None
    assert DEFINITION.owes(agreed(SCOPE).patch().apply("APPLIED").record)
    assert not DEFINITION.owes(Sitting().finish().record)
