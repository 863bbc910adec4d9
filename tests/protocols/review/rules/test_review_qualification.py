"""Of whoever has not passed the exam, words are notes: they neither block nor veto nor approve (R48, R49)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from quorate.core.errors import SettingError
from quorate.core.types import Reason, Seat
from quorate.kit.positions import MATTER
from quorate.kit.qualification import NOTED, TOLD
from quorate.protocols.review.rules.fates import fates
from quorate.protocols.review.rules.positions import positions
from quorate.protocols.review.rules.result import findings, result, show
from tests.support.committee import (
    FOUR,
    TWO,
    Committee,
    ballot,
    doubt,
    examination,
    fix,
    held,
    large,
    offer,
    review,
)

ARCHITECT, MANAGER, DRIVER, SRE = FOUR
ALL = dict.fromkeys(FOUR, "synthesis")
VETO = ballot("veto security hole 95", fix("F1 security critical"))


def noted(*seats: str, **more: Any) -> dict[str, Any]:
    return {"unqualified_seats": list(seats), **more}


def became(committee: Committee) -> dict[str, tuple[str, str]]:
    return {each.id: (each.became, each.rule) for each in fates(committee.record) if each.what != "file"}


def told(committee: Committee, name: str) -> Any:
    return result(committee.record)[name]


def test_its_veto_and_its_items_block_nothing_and_have_a_fate_of_their_own_r48() -> None:
    committee = held({**ALL, SRE: VETO}, **noted(SRE)).finish()
    assert committee.verdict == "APPROVED"
    assert became(committee) == {"I1": (NOTED, "R48"), "I2": (NOTED, "R48"), "O1": (NOTED, "R48")}
    assert committee.state.items == () == committee.state.noted
    assert {each["became"] for each in told(committee, "notes")} == {NOTED}
    assert not any(each.blocking for each in findings(committee.record))


def test_the_same_ballots_veto_where_everybody_counts_r48() -> None:
    committee = held({**ALL, SRE: VETO}).finish()
    assert committee.verdict == "REQUEST_CHANGES"


def test_its_approval_is_no_vote_r48() -> None:
    committee = held({ARCHITECT: "oppose", SRE: "synthesis"}, rounds=1, **noted(SRE)).finish()
    assert committee.facts("ballot")[1] == {"seat": SRE, "said": "synthesis", "counts": "abstain", "veto": "none"}
    (tally,) = committee.facts("tally")
    assert (tally["synthesis"], tally["opposing"], tally["abstained"]) == (0, 1, 1)
    assert committee.verdict == "INCONCLUSIVE"


def test_its_note_carries_nothing_that_others_say_r40_r48() -> None:
    loose = ballot("synthesis", fix("F1 tests high", evidence="nowhere to be found"))
    grounded = ballot("synthesis", fix("F1 tests low"))
    assert held({ARCHITECT: loose, SRE: grounded}).finish().verdict == "REQUEST_CHANGES"
    assert held({ARCHITECT: loose, SRE: grounded}, **noted(SRE)).finish().verdict == "APPROVED"


def test_what_it_makes_of_a_claim_is_not_counted_r24_r48() -> None:
    committee = Committee(*TWO, **noted(SRE)).say("checks", examination(claims=1)).say("chair")
    committee.vote("synthesis")
    for ask in committee.open:
        wanted = "fail" if ask.seat == SRE else "pass"
        committee.reply(ask, {"claims": {key: {"observed": "", "judgement": wanted} for key in ask.keys}})
    assert committee.state.unmet == ()
    assert committee.finish().verdict == "APPROVED"


def test_a_claim_that_nobody_else_judged_lacks_evidence_r24_r48() -> None:
    committee = Committee(*TWO, **noted(SRE)).say("checks", examination(claims=1)).say("chair")
    committee.vote("synthesis")
    for ask in committee.open:
        passed = {key: {"observed": "", "judgement": "pass"} for key in ask.keys}
        committee.reply(ask, {"claims": passed if ask.seat == SRE else {}})
    assert [judgement.value for _, judgement in committee.state.unmet] == ["insufficient-evidence"]
    assert committee.finish().verdict == "REQUEST_CHANGES"


def test_what_only_it_was_shown_was_read_by_nobody_r45_r48() -> None:
    cut = {"stance": "synthesis", "whole": False}
    committee = held({ARCHITECT: cut, SRE: "synthesis"}, **noted(SRE)).finish()
    assert committee.verdict == "INCONCLUSIVE"
    assert held({ARCHITECT: cut, SRE: "synthesis"}).finish().verdict == "APPROVED"


def readers(committee: Committee) -> list[str]:
    return [str(ask.seat) for ask in committee.open if ask.brief == "read"]


def test_parts_are_put_to_those_who_count_and_to_the_others_only_where_there_are_none_r44_r48() -> None:
    report = large([1], [2], sensitive=[2])
    assert readers(Committee(*FOUR, **noted(ARCHITECT, SRE)).say("checks", report)) == [MANAGER, MANAGER]
    committee = Committee(*TWO, **noted(*TWO)).say("checks", report)
    assert readers(committee) == [ARCHITECT, SRE]
    for ask in committee.open:
        committee.reply(ask, {"items": [fix(f"{ask.keys[-1]} tests high")]})
    assert readers(committee) == [SRE, ARCHITECT]
    assert [each["read"] for each in committee.facts("read")] == [False, False]
    assert [each["became"] for each in committee.facts("raised")] == [NOTED, NOTED]
    assert [each["seat"] for each in committee.facts("unqualified")] == TWO


@pytest.mark.parametrize("standing", ["refuted", "confirmed"])
def test_a_skeptic_that_failed_ends_and_confirms_nothing_r23_r48(standing: str) -> None:
    doubted = {"doubts": {"I1": doubt(standing)}}
    blocked = held({ARCHITECT: ballot("synthesis", fix()), SRE: "synthesis"}, **noted("skeptic"))
    blocked.say("skeptic", doubted)
    assert blocked.finish().verdict == "REQUEST_CHANGES"
    (fact,) = blocked.facts("item")
    assert (fact["standing"], fact["kept"]) == (standing, True)
    assert blocked.facts("unqualified") == [{"seat": "skeptic", "why": "its model has not passed the exam"}]
    (found,) = told(blocked, "findings")
    assert found["standing"] == f"{standing} by a skeptic that has not passed the exam, which ends and confirms nothing"
    withheld = held({ARCHITECT: "synthesis", SRE: ballot("veto security hole 10")}, **noted("skeptic"))
    withheld.say("skeptic", doubted)
    assert withheld.finish().verdict == "INCONCLUSIVE"


def test_a_veto_without_confidence_is_not_withheld_but_noted_r38_r48() -> None:
    committee = held({ARCHITECT: "synthesis", SRE: ballot("veto security hole 10")}, **noted(SRE)).finish()
    assert committee.verdict == "APPROVED"
    assert told(committee, "heading") == ["1 of 2 members has not passed the exam"]


def test_an_offer_of_it_is_voted_upon_as_ever_r18_r48() -> None:
    first: dict[str, Any] = {**ALL, MANAGER: ballot("veto undocumented public contract")}
    committee = held(first, ALL, **noted(DRIVER))
    assert "COMPROMISE" in committee.outcomes
    assert committee.finish(compromise={"offers": {"V1": offer()}}).verdict == "APPROVED"


# Nobody counts (R49)


def nobody(*found: str, **more: Any) -> Committee:
    return held(dict.fromkeys(TWO, "synthesis"), found=found, **noted(*TWO, **more))


@pytest.mark.parametrize(
    ("found", "verdict"),
    [((), "INCONCLUSIVE"), (("low",), "INCONCLUSIVE"), (("high",), "REQUEST_CHANGES")],
)
@pytest.mark.parametrize("stance", ["synthesis", "oppose", "veto security hole", "abstain"])
def test_where_nobody_counts_the_checks_decide_whatever_is_said_r49(
    found: Sequence[str], verdict: str, stance: str
) -> None:
    committee = held(dict.fromkeys(TWO, stance), found=found, **noted(*TWO)).finish()
    assert committee.verdict == verdict
    assert committee.outcomes[-1] == "NO_QUORUM"


def test_a_proof_is_a_veto_as_ever_r14_r49() -> None:
    committee = Committee(*TWO, **noted(*TWO)).tabled("high security hole").finish()
    assert committee.verdict == "REQUEST_CHANGES"
    assert committee.outcomes[-1] == "IRRECONCILABLE"


def test_where_the_checks_failed_it_is_inconclusive_r49() -> None:
    committee = Committee(*TWO, **noted(*TWO)).say("checks", examination(applied=False, parts=[])).say("chair")
    assert committee.vote("synthesis").finish().verdict == "INCONCLUSIVE"


@pytest.mark.parametrize(("reason", "verdict"), [(Reason.BUDGET, "REQUEST_CHANGES"), (Reason.CANCELLED, "ABORTED")])
def test_a_session_that_is_stopped_has_what_the_checks_found_r29_r49(reason: Reason, verdict: str) -> None:
    committee = Committee(*TWO, **noted(*TWO)).tabled("high")
    committee.interrupt(reason)
    assert committee.verdict == verdict


def test_heading_grounds_and_reasons_say_so_in_plain_words_r49() -> None:
    committee = nobody("high").finish()
    assert told(committee, "heading")[-1] == "no member has passed the exam"
    assert told(committee, "grounds")[-1] == (
        "REQUEST_CHANGES: no member has passed the exam, so what the checks found decides: "
        "1 fix item remains: 1 of the checks (R49)"
    )
    assert f"what {ARCHITECT}, {SRE} said is a note: its model has not passed the exam (R48)" in told(
        committee, "warnings"
    )
    assert committee.moves[-1].because[0].claim == "a member has passed the exam, or never sat it"
    assert "(said SYNTHESIS: its model has not passed the exam (R48))" in show(result(committee.record))


# What is shown


def test_it_is_told_so_and_the_others_read_its_words_under_a_title_that_says_so_r31_r48() -> None:
    committee = held({ARCHITECT: "oppose", MANAGER: "synthesis", SRE: VETO}, **noted(SRE)).say("chair")
    seen = {section.title: section.text for section in committee.view(SRE).sections}
    assert seen["How your ballot counts"] == TOLD
    titles = [section.title for section in committee.view(ARCHITECT).sections if "Round 1" in section.title]
    assert len([title for title in titles if "has not passed the exam" in title]) == 1
    assert "counts" in str(committee.view(MANAGER).sections)
    assert TOLD not in str(committee.view(MANAGER).sections)


def test_a_position_of_it_is_that_of_somebody_who_abstains_r48() -> None:
    committee = held({ARCHITECT: "synthesis", SRE: VETO}, **noted(SRE)).finish()
    holds = {each.seat: each.holds for each in positions(committee.record) if each.about == MATTER}
    assert (holds[Seat(ARCHITECT)], holds[Seat(SRE)]) == (True, None)


def test_a_seat_that_there_is_none_of_is_an_error() -> None:
    with pytest.raises(SettingError, match=r"unqualified_seats: names 'operation-sre'.*operations-sre"):
        review(members=TWO, unqualified_seats=["operation-sre"])
    assert "unqualified_seats" not in review(members=TWO).settings
