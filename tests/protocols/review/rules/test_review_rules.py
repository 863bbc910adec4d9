"""The rules of table, ballot and veto (R1 to R19), one by one, where a transcript does not show them well."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.core.errors import RuleViolation, SettingError
from quorate.core.record import Said
from quorate.core.types import Absent, AbsentReason, Reason, Ruled
from quorate.protocols.review.rules.model import Checked, Phase
from tests.support.committee import (
    FOUR,
    SIX,
    TWO,
    Committee,
    ballot,
    examination,
    held,
    offer,
    review,
)

AYES = dict.fromkeys(FOUR, "synthesis")
VETO = AYES | {"operations-sre": "veto rule violation"}


# Table and order


def test_r1_offices_are_no_members() -> None:
    assert review(members=TWO).seats == (*TWO, "chair", "skeptic", "proposer", "checks")
    with pytest.raises(SettingError, match="that seat has no vote"):
        review(members=[*TWO, "chair"])
    with pytest.raises(SettingError, match="different members"):
        review(members=["design-hci", "design-hci"])


def test_r3_the_order_of_arrival_changes_nothing() -> None:
    one, other = Committee(*FOUR).tabled(), Committee(*FOUR).tabled()
    said = VETO | {"business-driver": "abstain"}
    for seat in FOUR:
        one.reply(one.ask(seat), ballot(said[seat]))
    for seat in reversed(FOUR):
        other.reply(other.ask(seat), ballot(said[seat]))
    assert one.state == other.state
    assert [move.facts for move in one.moves] == [move.facts for move in other.moves]


def test_r3_a_second_ballot_of_a_member_is_refused() -> None:
    committee = Committee(*TWO).tabled()
    ask = committee.ask("operations-sre")
    committee.reply(ask, ballot("oppose"))
    before = committee.record.session
    with pytest.raises(RuleViolation, match="already has a reply"):
        committee.reply(ask, ballot("synthesis"))
    assert committee.record.session is before


def test_r4_the_checks_report_before_anybody_is_asked_anything_else() -> None:
    committee = Committee(*TWO)
    assert committee.asked() == ["checks examine"]
    committee.say("checks", examination())
    assert committee.asked() == ["chair table"]


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_r5_there_are_at_most_so_many_ballots(rounds: int) -> None:
    committee = Committee(*TWO, rounds=rounds).tabled()
    asked = 0
    while committee.conclusion is None:
        asked += committee.phase is Phase.DEBATE
        committee.vote("oppose") if committee.phase is Phase.DEBATE else committee.say("chair")
    assert (asked, committee.verdict) == (rounds, "INCONCLUSIVE")


# Ballot


def test_r7_the_threshold_of_confidence_is_a_setting_and_low_items_still_count() -> None:
    unsure: dict[str, Any] = {"stance": "synthesis 30", "items": ["F1 tests high"]}
    committee = held({"engineering-architect": unsure, "operations-sre": "synthesis"}, abstain_below=30)
    assert committee.outcomes[-1] == "CONSENSUS"
    committee = held({"engineering-architect": unsure, "operations-sre": "synthesis"}, abstain_below=31)
    assert committee.facts("ballot")[0] == {
        "seat": "engineering-architect",
        "said": "synthesis",
        "counts": "abstain",
        "veto": "none",
    }
    assert [item.rule.value for item in committee.state.items] == ["tests"]  # R22: whatever the stance


def test_r8_who_holds_a_veto_is_a_setting_and_the_adjudicator_sits_for_all() -> None:
    said = {"design-hci": "veto rule violation", "operations-sre": "synthesis"}
    assert held(said).facts("ballot")[0]["counts"] == "oppose"
    assert held(said, veto_holders=["design-hci"]).outcomes[-1] == "CRITICAL_FLAW"
    assert held({"adjudicator": "veto security hole"}).outcomes[-1] == "CRITICAL_FLAW"


@pytest.mark.parametrize(
    "said",
    [{"stance": "veto"}, {"stance": "veto rule violation", "veto_evidence": " \n"}],
    ids=["without a class", "without evidence"],
)
def test_r8_a_veto_names_its_class_and_its_evidence(said: dict[str, Any]) -> None:
    committee = held({"operations-sre": said, "design-hci": "synthesis", "engineering-architect": "synthesis"})
    assert committee.facts("ballot")[0]["counts"] == "oppose"
    assert committee.outcomes[-1] == "CONSENSUS"
    assert [(item.path, item.severity.value) for item in committee.state.items] == [("F0", "critical")]


def test_r9_why_a_member_is_absent_stays_in_the_record() -> None:
    committee = Committee(*FOUR).tabled()
    for seat, reason in zip(FOUR, AbsentReason, strict=False):
        committee.absent(seat, reason)
    said = [line.reply for line in committee.record.log if isinstance(line, Said) and line.ask.brief == "ballot"]
    assert said == [Absent(reason) for reason in list(AbsentReason)[:4]]
    tally = committee.facts("tally")[0]
    assert (tally["abstained"], tally["absent"]) == (0, 4)


@pytest.mark.parametrize(
    ("quorum", "ayes", "noes", "met"),
    [("2/3", 2, 1, True), ("2/3", 3, 2, False), ("1/2", 2, 2, True), ("1/1", 3, 1, False), ("3/4", 3, 1, True)],
)
def test_r10_the_quorum_is_a_setting_and_counted_in_integers(quorum: str, ayes: int, noes: int, met: bool) -> None:
    members = SIX[: ayes + noes]
    stances = ["synthesis"] * ayes + ["oppose"] * noes
    committee = held(dict(zip(members, stances, strict=True)), quorum=quorum)
    assert committee.state.quorate is met
    assert committee.outcomes[-1] == ("CONSENSUS" if met else "ABSTENTION")


@pytest.mark.parametrize(("attendance", "met"), [("1/2", True), ("2/3", False), ("1/1", False)])
def test_r12_too_few_ballots_are_no_quorum_whatever_they_say(attendance: str, met: bool) -> None:
    said = {"engineering-architect": "synthesis", "operations-sre": "abstain"}
    committee = held(said, members=FOUR, attendance=attendance)
    assert committee.state.quorate is met
    committee.finish()
    assert (committee.verdict, committee.degradation) == (
        ("APPROVED", "within settings") if met else ("INCONCLUSIVE", "below settings")
    )


# Veto


@pytest.mark.parametrize("later", ["abstain", "absent", "synthesis 10"])
def test_r13_abstaining_or_being_absent_lifts_no_veto(later: str) -> None:
    committee = held(VETO, AYES | {"operations-sre": later})
    assert committee.outcomes[-1] == "CRITICAL_FLAW"
    assert committee.finish().verdict == "REQUEST_CHANGES"


@pytest.mark.parametrize("later", ["synthesis", "oppose"])
def test_r13_its_members_vote_lifts_a_veto(later: str) -> None:
    committee = held(VETO, AYES | {"operations-sre": later})
    assert committee.outcomes[-1] == "CONSENSUS"
    assert committee.finish().verdict == "APPROVED"


def test_r14_a_proven_veto_outlasts_every_vote_every_item_and_a_wish() -> None:
    committee = Committee(*FOUR).tabled("low hard-coded secret")
    assert (committee.outcomes[-1], committee.asked()) == ("CRITICAL_FLAW", ["proposer amend"])
    assert committee.finish().verdict == "REQUEST_CHANGES"
    wished = Committee(*FOUR).tabled("low circular dependency").interrupt(Reason.WISH).say("proposer", patch="")
    assert wished.verdict == "REQUEST_CHANGES"


def test_r14_no_ruling_lifts_a_proven_veto() -> None:
    committee = Committee(*FOUR).tabled("low hard-coded secret").finish()
    with pytest.raises(RuleViolation):
        committee.take(Ruled("APPROVED", "Ann", "I know better."))


def test_r16_the_proposer_comes_first_and_nobody_when_the_rounds_are_used_up() -> None:
    assert held(VETO).asked() == ["proposer amend"]
    assert held(VETO, rounds=1).verdict == "REQUEST_CHANGES"


def test_r17_after_an_amendment_claims_are_judged_and_compromises_offered_again() -> None:
    committee = Committee(*FOUR).tabled(claims=1).vote(VETO)
    for ask in committee.open:
        committee.reply(ask, {"claims": {"C1": {"judgement": "fail"}}})
    assert committee.state.unmet != ()
    committee.say("proposer", patch="").say("business-driver", offers={"V1": offer()}).say("chair").vote(VETO)
    committee.say("proposer", patch="a patch").say("checks", examination(claims=1))  # the offer was refused
    assert (committee.state.judged, committee.state.unmet, committee.state.round) == (False, (), 3)
    committee.say("chair")
    assert sum(ask.brief == "judge" for ask in committee.open) == 4
    for ask in committee.open:
        committee.reply(ask, ballot(VETO[ask.seat]) if ask.brief == "ballot" else None)
    committee.say("proposer", patch="")
    assert committee.asked() == ["business-driver compromise", "chair mediate"]


def test_r17_an_amended_change_may_have_other_files_and_new_findings() -> None:
    committee = held(VETO).say("proposer", patch="a patch")
    committee.say("checks", examination("high", paths=["a.py", "b.py", "c.py"])).say("chair")
    assert committee.ask("operations-sre").keys == ("F0", "F1", "F2", "F3")
    assert committee.state.checked is Checked.BLOCKING


def test_r18_a_new_veto_of_another_member_gets_a_compromise_of_its_own() -> None:
    other = AYES | {"knowledge-manager": "veto undocumented public contract"}
    committee = held(VETO, other).say("proposer", patch="")
    assert committee.asked() == ["business-driver compromise", "chair mediate"]
    assert committee.ask("business-driver").keys == ("V1",)


def test_r18_an_offer_on_a_veto_that_nobody_cast_is_malformed() -> None:
    committee = held(VETO).say("proposer", patch="")
    with pytest.raises(RuleViolation, match="unknown key 'V2'"):
        committee.say("business-driver", offers={"V1": offer(), "V2": offer()})
