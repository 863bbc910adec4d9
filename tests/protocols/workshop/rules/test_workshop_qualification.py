"""Of whoever has not passed the exam, words are notes: nothing is agreed, blocked or doubted by them (W40, W41)."""

from __future__ import annotations

from importlib import resources
from typing import Any

import pytest

from quorate.core.errors import SettingError
from quorate.core.types import Reason
from quorate.evidence.report import markdown
from quorate.kit.qualification import NOTED, TOLD
from quorate.protocols.workshop import DEFINITION
from quorate.protocols.workshop.rules.fates import fates
from quorate.protocols.workshop.rules.positions import positions
from quorate.protocols.workshop.rules.qualification import LEADS
from quorate.protocols.workshop.rules.taxonomy import Agreement
from tests.support.workshops import ONE, THREE, TWO, Meeting, agenda, amend, broken, change, req, topic, workshop

BOTH = ("P1", "P2")
WHOLE = {"requirements": [req(*BOTH)], "covered": ["K1"]}
LONG = agenda(topic("a", 9))
NOTE = " (a note: it has not passed the exam, and counts for nothing)"


def meeting(*notes: str, about: Any = None, **settings: Any) -> Meeting:
    given = {"max_rounds": 3, **settings}
    return Meeting(about or agenda(topic("a", 1)), unqualified_seats=notes, **given)


def voting(*notes: str, **settings: Any) -> Meeting:
    """A meeting in which a draft is put to the vote next."""
    return meeting(*notes, strategy="consensus-driven", max_rounds=6, **settings).round(**WHOLE).round()


def became(held: Meeting) -> dict[str, tuple[str, str]]:
    return {each.id: (each.became, each.rule) for each in fates(held.record)}


def verdict(held: Meeting) -> str:
    conclusion = held.finish().record.session.conclusion
    assert conclusion is not None
    return conclusion.verdict.name


# Participants


def test_its_support_agrees_to_nothing_w18_w40() -> None:
    alone: dict[str, Any] = {"requirements": [req("P2")]}
    assert meeting().respond({ONE: 10}).synthesise(**alone).artifact("REQ-001").agreed
    held = meeting(TWO).respond({ONE: 10}).synthesise(**alone)
    assert held.artifact("REQ-001").agreement is Agreement.DRAFT
    assert held.made("REQ-001")["supported_by"] == []


def test_its_confidence_is_not_weighed_against_others_w18_w40() -> None:
    of_one: dict[str, Any] = {"requirements": [req("P1", against=["P2"])]}
    assert not meeting().respond({ONE: 60, TWO: 90}).synthesise(**of_one).artifact("REQ-001").agreed
    held = meeting(TWO).respond({ONE: 60, TWO: 90}).synthesise(**of_one)
    assert held.artifact("REQ-001").agreed
    assert held.made("REQ-001")["opposed_by"] == []


def test_what_it_contests_stays_agreed_upon_w11_w40() -> None:
    contested = {TWO: {"contested": ["REQ-001"]}}
    assert meeting().round(requirements=[req(*BOTH)]).respond(contested).artifact("REQ-001").agreed is False
    held = meeting(TWO).round(requirements=[req(*BOTH)]).respond(contested)
    assert held.artifact("REQ-001").agreed
    assert held.state.conflicts == ()
    assert became(held)[f"contest-2.{TWO}.REQ-001"] == (NOTED, "W40")
    assert became(held)[f"position-2.{TWO}"] == (NOTED, "W40")
    assert became(held)[f"position-2.{ONE}"] == ("heard", "W10")
    assert held.made("REQ-001")["contested_by"] == []


def test_its_block_stops_nothing_and_its_support_carries_nothing_w30_w31_w40() -> None:
    held = voting(TWO).vote({ONE: "SUPPORT", TWO: "BLOCK"})
    assert held.artifact("REQ-001").agreed
    assert held.artifact("REQ-001").blocked == 0
    assert became(held)[f"block-3.{TWO}.REQ-001"] == (NOTED, "W40")
    assert held.facts("vote")[0] | {"id": ""} == {"id": "", "support": 1, "block": 0, "groundless": 0, "cast": 1}
    held = voting(TWO).vote({ONE: "STAND_ASIDE", TWO: "SUPPORT"})
    assert held.artifact("REQ-001").agreement is Agreement.DRAFT


def test_its_doubt_is_put_to_nobody_w23_w40() -> None:
    assert meeting().respond({TWO: 20}).synthesise().facts("escalated")
    held = meeting(TWO).respond({TWO: 20}).synthesise()
    assert not held.facts("escalated")


@pytest.mark.parametrize(("who", "status"), [(ONE, "resolved"), (TWO, "open")])
def test_it_says_of_no_ruling_that_it_is_applied_w24_w40(who: str, status: str) -> None:
    held = meeting(TWO, max_rounds_per_conflict=1).round(conflicts=[{}]).rule("decide")
    held.respond({who: {"applied": ["RUL-001"]}})
    assert held.artifact("RUL-001").status.value == status


def test_its_silence_keeps_no_conflict_open_and_ends_none_w19_w40() -> None:
    def settled(by: str, method: str) -> str:
        held = meeting(TWO).round(conflicts=[{}])
        held.round(changes=[change("CONF-001", "resolve", by, method=method)])
        return held.artifact("CONF-001").status.value

    assert settled("P1", "consensus") == "resolved"
    assert settled("P2", "majority") == "open"
    nobody = meeting(ONE, TWO).round(conflicts=[{}])
    nobody.round(changes=[change("CONF-001", "resolve", *BOTH, method="consensus")])
    assert nobody.artifact("CONF-001").open


def test_it_takes_nothing_away_and_keeps_nobody_from_it_w17_w40() -> None:
    gone = voting(TWO, about=LONG).vote("SUPPORT").synthesise()
    gone.respond().synthesise(changes=[change("REQ-001", "withdraw", "P2")])
    assert gone.artifact("REQ-001").live
    gone.respond().synthesise(changes=[change("REQ-001", "withdraw", "P1")])
    assert not gone.artifact("REQ-001").live


def test_most_of_a_table_that_did_not_pass_completes_nothing_w37_w40() -> None:
    three = {"participants": [ONE, TWO, THREE], "max_rounds": 1}
    whole = {**WHOLE, "requirements": [req(*BOTH, "P3")]}
    assert verdict(meeting(TWO, **three).round(**whole)) == "COMPLETE"
    assert verdict(meeting(TWO, THREE, **three).round(**whole)) == "INCOMPLETE"


def test_where_nobody_counts_rounds_go_on_and_a_person_alone_agrees_w13_w40() -> None:
    held = meeting(ONE, TWO, max_rounds_per_conflict=1).round(**WHOLE)
    assert held.state.complete == 1
    assert held.artifact("REQ-001").agreement is Agreement.DRAFT
    held.interrupt(Reason.ESCALATION)
    held.rule("decide").interrupt(Reason.ESCALATION)
    held.respond().rule("applied")
    assert held.artifact("RUL-001").status.value == "resolved"
    assert verdict(held) == "INCOMPLETE"


def test_it_is_not_missing_w35_w40() -> None:
    held = meeting(TWO, max_rounds=1).round(**WHOLE)
    conclusion = held.finish().record.session.conclusion
    assert conclusion is not None
    assert (conclusion.verdict.name, conclusion.degradation.value) == ("COMPLETE", "none")


def test_its_answer_makes_nothing_read_and_takes_no_turn_w38_w40() -> None:
    def read(*notes: str) -> tuple[int, ...]:
        held = meeting(*notes, participants=[ONE, TWO, THREE], document_tokens=500, about=agenda(topic("a")))
        held.material["topic"] = "line of a long document\n" * 240
        return held.reach("synthesise").state.read

    assert len(read()) == 4
    assert len(read(ONE)) == 3
    assert read(ONE, TWO, THREE) == ()


# The facilitator


def test_what_it_says_of_support_and_criteria_is_passed_over_w41() -> None:
    held = meeting("facilitator").round(**WHOLE)
    assert held.artifact("REQ-001").agreement is Agreement.DRAFT
    assert held.topic("T1").met == ()
    assert held.made("REQ-001")["supported_by"] == []


def test_it_opens_and_resolves_no_conflict_and_no_question_w41() -> None:
    held = meeting("facilitator").round(conflicts=[{}], questions=[{"title": "Why?"}])
    assert [each.id for each in held.state.artifacts] == ["OQ-001"]
    held.round(changes=[change("OQ-001", "resolve", *BOTH)])
    assert held.artifact("OQ-001").open
    assert [each["why"] for each in held.facts("refused")] == [
        "the facilitator has not passed the exam, and opens no conflict",
        "the facilitator has not passed the exam, and cannot resolve anything",
    ]


def test_participants_agree_by_their_votes_and_it_moves_nothing_of_that_w41() -> None:
    held = voting("facilitator").vote("SUPPORT")
    assert held.artifact("REQ-001").agreed
    moves = (amend("REQ-001"), change("REQ-001", "withdraw", *BOTH), change("REQ-001", "endorse", *BOTH))
    held.synthesise(changes=list(moves), requirements=[req(*BOTH, supersedes=["REQ-001"])])
    assert held.artifact("REQ-001").agreed
    assert len(held.facts("refused")) == 4
    assert held.artifact("REQ-002").agreement is Agreement.DRAFT


def test_drafts_it_writes_on_w41() -> None:
    held = meeting("facilitator").round(requirements=[req()]).round(changes=[amend("REQ-001")])
    assert held.artifact("REQ-001").amended == 1
    assert held.round(changes=[change("REQ-001", "withdraw")]).artifact("REQ-001").live is False


def test_a_person_rules_all_the_same_and_participants_contest_w41() -> None:
    held = meeting("facilitator", max_rounds_per_conflict=1).round(requirements=[req(*BOTH)])
    held.respond({TWO: {"contested": ["REQ-001"]}}).synthesise().rule("accept")
    assert held.artifact("CONF-001").open is False
    held.respond({TWO: {"applied": ["RUL-001"]}})
    assert held.artifact("REQ-001").agreed
    assert verdict(held) == "INCOMPLETE"


def test_an_unqualified_model_is_no_person_w41() -> None:
    held = meeting("person", interactive=True, max_rounds_per_conflict=1).round(conflicts=[{}])
    held.rule("decide")
    assert held.artifact("CONF-001").open
    assert held.facts("ruling")[0]["choice"] == "go_on"
    assert held.respond().synthesise().rule("accept").asked() == ["facilitator question"]
    assert held.state.closed_by is None


# What is shown and told


def test_others_read_it_under_a_title_that_says_so_w40() -> None:
    held = meeting(TWO, strategy="debate").respond({TWO: {"position": "I propose this."}})
    titles = [section.title for section in held.reach("synthesise").view("facilitator").sections]
    assert f"P2 {TWO}, con, confidence 80{NOTE}" in titles
    assert f"P1 {ONE}, pro, confidence 80" in titles
    held.synthesise(requirements=[req(*BOTH, proposed_by=["P2"])]).reach("respond")
    assert f"proposed_by: {TWO}{NOTE}" in held.shown(ONE)
    assert f"Round 1, {TWO}{NOTE}" in [section.title for section in held.view(ONE).sections]
    assert held.section(TWO, "How your word counts") == TOLD
    assert held.section(ONE, "How your word counts") == ""


def test_an_unqualified_facilitator_is_told_and_its_advice_is_a_note_w41() -> None:
    held = meeting("facilitator", max_rounds_per_conflict=1)
    assert held.reach("question").section("facilitator", "How your word counts") == LEADS
    held.round(requirements=[req(*BOTH)]).respond({TWO: {"contested": ["REQ-001"]}}).synthesise()
    assert f"The facilitator recommends on CONF-001{NOTE}" in held.shown("person")


def test_the_record_says_whose_word_was_not_counted_w40() -> None:
    held = meeting(TWO, "facilitator").round()
    assert held.facts("unqualified") == [
        {"seat": TWO, "why": "its model has not passed the exam"},
        {"seat": "facilitator", "why": "its model has not passed the exam"},
    ]
    assert meeting().round().facts("unqualified") == []


def test_what_it_votes_is_no_position_of_the_session_w40() -> None:
    held = voting(TWO).vote("SUPPORT").synthesise()
    assert {each.seat for each in positions(held.record)} == {ONE}


def report_of(held: Meeting) -> str:
    template = (resources.files("quorate.protocols.workshop") / "report.md.j2").read_text(encoding="utf-8")
    return markdown(held.record, template, "workshop-1", "0" * 64, held.result, fates=fates(held.record))


def test_report_and_heading_say_so_w40() -> None:
    held = meeting(TWO, "facilitator", max_rounds=1).round(**WHOLE).finish()
    words = "1 of 2 participants has not passed the exam, facilitator has not passed the exam"
    assert report_of(held).splitlines()[0].startswith(f"# INCOMPLETE, {words}")
    assert words in DEFINITION.show(held.result).splitlines()[0]
    assert any(f"what {TWO}, facilitator said is a note" in each for each in held.result["warnings"])
    plain = meeting(max_rounds=1).round(**WHOLE).finish()
    assert "exam" not in report_of(plain).splitlines()[0]
    assert "heading" not in plain.result


def test_a_seat_that_does_not_sit_there_is_an_error_w40() -> None:
    with pytest.raises(SettingError, match=r"unqualified_seats: names 'qa-lead'"):
        workshop(participants=[ONE, TWO], unqualified_seats=[THREE])
    assert "unqualified_seats" not in workshop().settings


@pytest.mark.parametrize("notes", [(TWO,), ("facilitator",), (ONE, TWO), ("facilitator", ONE, TWO, "person")])
@pytest.mark.parametrize("strategy", ["standard", "debate", "consensus-driven"])
def test_every_promise_holds_w40_w41(notes: tuple[str, ...], strategy: str) -> None:
    held = meeting(*notes, about=LONG, strategy=strategy, max_rounds=5, max_rounds_per_conflict=1)
    held.round(**WHOLE).round(conflicts=[{}], changes=[amend("REQ-001")])
    held.finish()
    assert broken(held) == []
