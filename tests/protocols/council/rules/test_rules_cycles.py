"""The rules of the table and of the cycles (C1, C2, C13 to C19), one by one."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.core.errors import RuleViolation
from quorate.core.types import Absent, AbsentReason, Replied
from quorate.protocols.council.rules.excerpts import FOCUS
from quorate.protocols.council.rules.model import HELD_BY_CODE, REVIEWERS, ROLES, Phase
from quorate.protocols.council.rules.protocol import TABLE
from tests.support.council_words import rfc
from tests.support.councils import SEATS, Sitting, council

PLAN, SCOPE = "INCOMPLETE_PLAN T2 steps", "AMBIGUOUS_SCOPE T1 scope"


def by_all(*findings: str) -> dict[str, Any]:
    return {key: list(findings) for key in SEATS}


# Table and order


def test_c1_three_seats_and_two_that_code_holds() -> None:
    assert council().seats == (*REVIEWERS, *HELD_BY_CODE) == ("SA-1", "SA-2", "SA-3", "gates", "matcher")
    assert council(depth="STANDARD").seats == ("SA-1", "gates", "matcher")
    assert list(ROLES.values()) == ["Structural Rigorist", "Implementation Feasibility", "Anti-Cousin Guardian"]


@pytest.mark.parametrize(
    ("version", "read"), [("v0", "v0"), ("v2", "v2"), ("v4", "v4"), ("0.1.0", "v4"), ("", "v4"), (None, "v4")]
)
def test_c1_a_seat_looks_at_what_its_version_asks_for(version: str | None, read: str) -> None:
    """a46: an unknown version is read as v4."""
    for seat in SEATS:
        sitting = Sitting(about=rfc(version=version)).gates()
        assert FOCUS[seat][read] in sitting.view(seat).text()  # type: ignore[index]


def test_c1_each_version_has_a_focus_of_its_own() -> None:
    focus = [text for own in FOCUS.values() for text in own.values()]
    assert len(set(focus)) == len(focus) == 9


def test_c2_no_row_leads_back() -> None:
    order = list(Phase)
    for phase, rows in TABLE.items():
        assert all(order.index(to) >= order.index(phase) for to in rows.values())
    assert " ".join(phase.name for phase in order) == "INIT CYCLE_1 CYCLE_2 CYCLE_3 CONVERGED DEADLOCKED ABORTED"


def test_c2_the_order_of_arrival_changes_nothing() -> None:
    ways = []
    for order in (SEATS, SEATS[::-1]):
        sitting = Sitting().gates()
        for seat in order:
            kind = {"SA-1": PLAN, "SA-2": SCOPE, "SA-3": PLAN}[seat]
            sitting.reply(seat, {"findings": [found(kind)]})
        ways.append((sitting.state, [move.facts for move in sitting.moves]))
    assert ways[0] == ways[1]


def found(text: str) -> dict[str, Any]:
    kind, place, field = text.split()
    return {"subcategory": kind, "place": place, "field": field, "severity": "MAJOR", "lens": "L1"}


def test_c2_a_second_reply_is_refused() -> None:
    sitting = Sitting().gates()
    ask = sitting.ask("SA-2")
    sitting.reply("SA-2")
    with pytest.raises(RuleViolation, match="already has a reply"):
        sitting.take(Replied(ask.id, Absent(AbsentReason.FAILED)))


# Cycles


def test_c13_each_seat_makes_its_artifact_and_code_comes_first() -> None:
    sitting = Sitting().gates()
    assert sitting.asked() == ["SA-1 score", "SA-2 mock-run", "SA-3 assure"]
    assert [ask.form.__name__ for ask in sitting.open] == ["ScoringTable", "MockRun", "AssuranceTree"]


def test_c13_there_is_no_least_number_of_findings() -> None:
    assert Sitting().review().state.raised == 0


def test_c13_all_that_the_form_holds_are_taken() -> None:
    many = [f"AMBIGUOUS_SCOPE T1 {field}" for field in ("scope", "steps", "tests", "title", "notes", "id", "summary")]
    assert Sitting().review(by_all(*many)).state.raised == 21


def test_c14_an_equal_signature_makes_a_group_whose_members_stay_apart() -> None:
    """A departure from a27: subcategory, place and field alone make nothing one."""
    sitting = Sitting().review({"SA-1": [PLAN], "SA-3": [f"{PLAN} MINOR"]}).reach("assess")
    assert [(each.key, each.severity.value) for each in sitting.state.findings] == [("F1", "BLOCKER"), ("F2", "MINOR")]
    assert {each.agreement.value for each in sitting.state.findings} == {"MAJORITY"}
    assert not sitting.state.joined


def test_c14_a_blocker_is_not_lost_in_two_unrelated_minors_of_its_signature() -> None:
    """Three unrelated findings of one kind, ticket and field; everybody confirms the first, nobody the others."""

    def lost(description: str, severity: str) -> dict[str, str]:
        where = {"subcategory": "INCOMPLETE_PLAN", "place": "T1", "field": "steps", "lens": "L1"}
        return {**where, "severity": severity, "description": description, "evidence": description}

    sitting = Sitting().review(
        {
            "SA-1": [lost("Every stored page is lost at the first start.", "BLOCKER")],
            "SA-2": [lost("The second step has no number.", "MINOR")],
            "SA-3": [lost("A step names its file twice.", "MINOR")],
        }
    )
    sitting.respond({seat: {"F1": "CONFIRM"} for seat in SEATS}).finish()
    assert sitting.finding("F1").severity.value == "BLOCKER"
    assert [each.resolution.value for each in sitting.state.findings] == ["UPHELD", "UPHELD", "UPHELD"]
    assert sitting.verdict == "NEEDS_ADJUDICATION"


@pytest.mark.parametrize(
    ("answers", "joined"),
    [
        ({"SA-1": "same", "SA-2": "same", "SA-3": "different"}, True),
        ({"SA-1": "same", "SA-2": "different", "SA-3": "same"}, False),
        ({"SA-1": "different", "SA-2": "same", "SA-3": "same"}, False),
        ({"SA-1": "same", "SA-2": "same", "SA-3": "same"}, True),
        ({"SA-1": "same", "SA-2": "absent", "SA-3": "same"}, True),
    ],
)
def test_c14_two_of_three_join_what_they_call_the_same_and_never_against_who_raised_it(
    answers: dict[str, str], joined: bool
) -> None:
    said = {"same": {"F1": "CONFIRM same F2", "F2": "CONFIRM"}, "different": {"*": "CONFIRM"}, "absent": "absent"}
    sitting = Sitting().review({"SA-1": [PLAN], "SA-2": ["AGENT_CONTEXT_GAP T2 notes"]})
    sitting.respond({seat: said[each] for seat, each in answers.items()})
    assert [(each.gone, each.into) for each in sitting.state.joined] == ([("F2", "F1")] if joined else [])
    assert len(sitting.facts("kept_apart")) == (0 if joined else 1)


def test_c14_what_a_seat_calls_the_same_as_one_thing_it_calls_the_same_as_each_other() -> None:
    sitting = Sitting().review({"SA-1": [PLAN, "INCOMPLETE_PLAN T2 tests", "INCOMPLETE_PLAN T2 notes"]})
    same = {"F1": "CONFIRM", "F2": "CONFIRM same F1", "F3": "CONFIRM same F1"}
    sitting.respond({"SA-1": same, "SA-2": same, "SA-3": "CONFIRM"})
    assert [(each.gone, each.into) for each in sitting.state.joined] == [("F2", "F1"), ("F3", "F1")]


def test_c14_seats_join_across_places_and_against_whoever_raised_one_nothing_is() -> None:
    given = {"SA-1": [PLAN], "SA-2": ["INCOMPLETE_PLAN T1 tests"]}
    sitting = Sitting().review(given)
    sitting.respond({seat: {"F1": "CONFIRM same F2", "F2": "CONFIRM"} for seat in SEATS})
    assert len(sitting.state.findings) == 1
    apart = Sitting().review(given)
    apart.respond({seat: {"F1": "CONFIRM same F2", "F2": "CONFIRM"} for seat in ("SA-1", "SA-3")})
    assert len(apart.state.findings) == 2, "SA-2 raised one of them and does not call them the same"


def test_c14_the_matcher_joins_within_one_signature_alone() -> None:
    sitting = Sitting().review({"SA-1": [PLAN], "SA-2": [f"{PLAN} MINOR", "AGENT_CONTEXT_GAP T2 tests"]})
    sitting.match(("F1", "F2"), ("F2", "F3"), ("F2", "F2"))
    assert sitting.facts("merge_refused") == [{"key": "F2", "into": "F1"}, {"key": "F2", "into": "F2"}]
    assert [(each.gone, each.into) for each in sitting.state.joined] == [("F3", "F2")]
    assert sitting.finding("F2").severity.value == "BLOCKER"


def test_c14_a_gates_finding_takes_others_in_and_goes_into_none() -> None:
    gate = "MISSING_VERIFICATION T1 tests"
    sitting = Sitting().gates(gate).review({"SA-1": [gate]}).match(("F2", "F1"), ("F1", "F2"))
    assert [each.key for each in sitting.state.findings] == ["F1"]
    assert sitting.facts("merge_refused") == [{"key": "F1", "into": "F2"}]


def test_c14_what_is_worse_does_not_go_into_a_gates_finding() -> None:
    gate = "MISSING_VERIFICATION T1 tests"
    sitting = Sitting().gates(f"{gate} MAJOR").review({"SA-1": [f"{gate} BLOCKER"]}).match(("F1", "F2"))
    assert [each.severity.value for each in sitting.state.findings] == ["MAJOR", "BLOCKER"]


def test_c14_the_matcher_is_asked_only_where_there_could_be_a_match() -> None:
    assert Sitting().review({"SA-1": [PLAN]}).asked()[0] == "SA-1 assess"
    assert Sitting().gates("SCOPE_GAP R01", "SCOPE_GAP R02").review().asked()[0] == "SA-1 assess"
    assert Sitting().review({"SA-1": [PLAN, SCOPE]}).asked() == ["matcher match"]


def test_c14_without_the_matcher_the_council_goes_on() -> None:
    sitting = Sitting().review({"SA-1": [PLAN, SCOPE]}).absent("matcher")
    assert sitting.phase == "CYCLE_2"
    assert not any(each.lost for each in sitting.state.seats)


def test_c15_the_cycle_assesses_merges_and_answers() -> None:
    sitting = Sitting().assess({"SA-1": [PLAN], "SA-2": [SCOPE]})
    assert sitting.asked() == ["matcher match", "gates cover"]
    sitting.reach("respond")
    assert [ask.keys for ask in sitting.open] == [("F1", "F2")] * 3


def test_c15_nobody_answers_for_a_clean_rfc() -> None:
    sitting = Sitting().finish()
    assert sitting.outcomes == [
        "MODES_DRAWN",
        "EXAMINED",
        "REVIEWED",
        "MERGED",
        "ASSESSED",
        "MERGED",
        "RESPONDED",
        "BOUND",
        "PROPOSED",
        "VOTED",
        "CONSENSUS",
    ]
    assert sitting.record.session.episodes == 6


def test_c15_what_a_gate_found_is_answered_where_a_remediation_is_wanted() -> None:
    sitting = Sitting().gates("SCOPE_OVERLAP T1", "ORPHAN_TICKET T2").reach("respond")
    assert sitting.ask("SA-1").keys == ("F2",)


@pytest.mark.parametrize(
    ("answer", "agreement"), [("CONFIRM", "UNANIMOUS"), ("ABSTAIN", "CONTESTED"), ("DISPUTE", "CONTESTED")]
)
def test_c16_who_raised_a_finding_backs_it_until_it_disputes_it(answer: str, agreement: str) -> None:
    """a31."""
    sitting = Sitting().review({"SA-1": [SCOPE]}).respond({"SA-1": "ABSTAIN", "SA-2": answer, "SA-3": answer})
    assert sitting.finding("F1").agreement.value == agreement


def test_c16_a_dispute_without_a_reason_is_an_abstention() -> None:
    def answered(reason: str) -> Sitting:
        sitting = Sitting().review(by_all(SCOPE)).reach("respond")
        for seat in SEATS:
            said = {"reason": reason if seat == "SA-3" else "I looked.", "response": "CONFIRM", "severity": "MINOR"}
            sitting.reply(seat, {"answers": {"F1": {**said, "response": "DISPUTE" if seat == "SA-3" else "CONFIRM"}}})
        return sitting

    assert answered(" \n").finding("F1").agreement.value == "UNANIMOUS"
    assert answered("It is in the notes.").finding("F1").agreement.value == "CONTESTED"
    assert answered(" ").facts("answer")[-1] == {"key": "F1", "by": "SA-3", "said": "DISPUTE", "counts": "ABSTAIN"}


def test_c16_no_answer_is_an_abstention() -> None:
    sitting = (
        Sitting().review({"SA-1": [SCOPE], "SA-2": [SCOPE]}).respond({"SA-1": {}, "SA-2": {}, "SA-3": {"*": "CONFIRM"}})
    )
    assert sitting.finding("F1").agreement.value == "UNANIMOUS"


@pytest.mark.parametrize(
    ("raised", "answers", "severity", "lower"),
    [
        ("BLOCKER", {"SA-2": "SEVERITY MINOR", "SA-3": "SEVERITY INFO"}, "BLOCKER", "MINOR"),
        ("BLOCKER", {"SA-1": "SEVERITY MAJOR", "SA-2": "SEVERITY MAJOR", "SA-3": "SEVERITY MAJOR"}, "BLOCKER", "MAJOR"),
        ("MINOR", {"SA-2": "SEVERITY BLOCKER"}, "BLOCKER", "MINOR"),
        ("MAJOR", {"SA-2": "SEVERITY INFO"}, "MAJOR", "INFO"),
        ("MINOR", {"SA-2": "SEVERITY INFO"}, "MINOR", None),
        ("MINOR", {}, "MINOR", None),
    ],
)
def test_c17_the_worst_severity_stands_and_a_grave_one_that_others_hold_less_is_contested(
    raised: str, answers: dict[str, str], severity: str, lower: str | None
) -> None:
    """A departure from a36: no median lowers a severity."""
    found = Sitting().review({"SA-1": [f"{SCOPE} {raised}"]}).respond(answers).finding("F1")
    assert (found.severity.value, found.lower and found.lower.value, found.doubted) == (severity, lower, False)


@pytest.mark.parametrize(
    ("votes", "severity", "agreement", "resolution"),
    [
        ("OPPOSE OPPOSE SUPPORT", "MINOR", "QUORUM_OPPOSE", "UPHELD"),
        ("SUPPORT SUPPORT OPPOSE", "BLOCKER", "QUORUM_SUPPORT", "UPHELD"),
        ("SUPPORT OPPOSE ABSTAIN", "BLOCKER", "DEADLOCKED", "DEADLOCKED"),
    ],
)
def test_c17_two_opposed_lower_a_severity_to_what_the_others_hold_and_dismiss_nothing(
    votes: str, severity: str, agreement: str, resolution: str
) -> None:
    sitting = Sitting().review({"SA-1": [f"{SCOPE} BLOCKER"]})
    sitting.respond({"SA-2": "SEVERITY MINOR", "SA-3": "SEVERITY INFO"}).reach("vote")
    assert sitting.ask("SA-1").keys == ("S1",)
    found = sitting.vote(dict(zip(SEATS, votes.split(), strict=True))).finding("F1")
    assert (found.severity.value, found.agreement.value, found.resolution.value) == (severity, agreement, resolution)


def test_c22_where_truth_and_severity_are_contested_the_truth_is_decided_first() -> None:
    sitting = Sitting().review({"SA-1": [f"{SCOPE} BLOCKER"]})
    sitting.respond({"SA-2": "SEVERITY MINOR", "SA-3": "DISPUTE"}).reach("vote")
    assert sitting.ask("SA-1").keys == ("F1", "S1")
    found = sitting.vote({seat: {"F1": "OPPOSE", "S1": "SUPPORT"} for seat in SEATS}).finding("F1")
    assert (found.severity.value, found.resolution.value) == ("BLOCKER", "DISMISSED")


def test_c37_in_standard_depth_the_authors_own_answer_counts_as_the_vote() -> None:
    sitting = Sitting(depth="STANDARD").review({"SA-1": [f"{SCOPE} BLOCKER"]}).respond("SEVERITY MINOR").finish()
    assert (sitting.finding("F1").severity.value, sitting.verdict) == ("MINOR", "APPROVED")


def test_c18_a_final_attempt_is_made_for_each_blocker_without_a_remediation() -> None:
    sitting = (
        Sitting()
        .gates("SCOPE_GAP R01")
        .review(by_all(PLAN, SCOPE))
        .respond({"SA-1": {"F1": "CONFIRM fix", "*": "CONFIRM"}})
    )
    sitting.reach("remediate")
    blockers = [each.key for each in sitting.state.findings if each.severity.value == "BLOCKER"]
    assert len(blockers) == 2
    assert [ask.keys for ask in sitting.open] == [(blockers[1],)] * 3


def test_c18_contested_findings_come_before_the_remediations_of_grave_ones() -> None:
    sitting = (
        Sitting().review({"SA-1": [PLAN, "SCOPE_OVERLAP T3"]}).respond({"SA-1": "CONFIRM fix", "SA-2": "DISPUTE fix"})
    )
    assert sitting.reach("vote").ask("SA-1").keys == ("F1", "F2", "P1", "P2")


def test_c18_a_remediation_counts_only_in_words_and_of_a_kind() -> None:
    sitting = Sitting().review(by_all(SCOPE)).reach("respond")
    fixes = {"SA-1": ("Split it.", "SPLIT_TICKET"), "SA-2": (" ", "SPLIT_TICKET"), "SA-3": ("Split it.", "NONE")}
    for seat, (words, kind) in fixes.items():
        proposal = {"remediation": words, "fix": kind}
        sitting.reply(seat, {"answers": {"F1": {"reason": "So.", "proposal": proposal, "response": "CONFIRM"}}})
    assert sitting.finding("F1").proposals == 1


def test_c18_with_nothing_to_vote_on_cycle_3_costs_no_call() -> None:
    """a43."""
    sitting = Sitting().review(by_all("SCOPE_OVERLAP T1")).respond("CONFIRM")
    assert sitting.verdict == "APPROVED"
    assert sitting.finding("F1").resolution.value == "UPHELD"


def test_c19_notes_come_from_the_findings_and_gates_and_are_shown_to_all() -> None:
    """a43: no call is spent on them."""
    sitting = Sitting().gates("SCOPE_GAP R01").review({"SA-1": [PLAN]}).reach("assess")
    for seat in SEATS:
        text = sitting.view(seat).text()
        assert "Onboarding notes after cycle 1" in text
        assert "Structural blockers found" in text
        assert "gate_id GATE-TCK-SCOPE-COVERAGE, status FAILED, finding_count 1" in text


def test_c19_thesis_and_antithesis_are_put_before_the_vote() -> None:
    sitting = Sitting().review({"SA-1": [SCOPE]}).respond({"SA-1": "CONFIRM", "SA-2": "DISPUTE", "SA-3": "ABSTAIN"})
    text = sitting.reach("vote").view("SA-3").text()
    assert "For: Because of CONFIRM." in text
    assert "Against: Because of DISPUTE." in text
    assert "Items requiring a vote: F1" in text
    assert "Because of ABSTAIN." not in text
