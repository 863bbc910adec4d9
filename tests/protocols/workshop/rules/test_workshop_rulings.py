"""A person's word: rulings are artifacts, and applied before anything closes; doubts, and going on (W22-W26)."""

from __future__ import annotations

import pytest

from quorate.core.types import Reason
from tests.support.workshops import ONE, THREE, TWO, Meeting, agenda, amend, broken, change, req, topic

BOTH = ("P1", "P2")
RETENTION = agenda(topic("retention", 1, critical=True))
THIRTY = "Thirty days, the law says so."


def ruled(**settings: object) -> Meeting:
    """Ninety days are agreed upon and disputed in one synthesis, and a person rules thirty."""
    meeting = Meeting(RETENTION, max_rounds_per_conflict=1, **settings)
    kept = req(*BOTH, title="Entries are kept ninety days")
    meeting.round(requirements=[kept], conflicts=[{"title": "Thirty or ninety"}], covered=["K1"])
    return meeting.rule("decide", THIRTY)


# A ruling


def test_a_ruling_is_an_artifact_of_the_person_and_holds_what_the_conflict_named() -> None:
    """W18, W19, W24: the case in which COMPLETE came with a requirement that the ruling contradicts."""
    meeting = ruled()
    made = meeting.made("RUL-001")
    assert (made["proposed_by"], made["fields"]["decision"], made["status"]) == ("person", THIRTY, "open")
    assert (made["about"], meeting.made("REQ-001")["agreement"]) == (["T1"], "draft")
    assert (meeting.phase, meeting.topic("T1").status.value) == ("QUESTION", "partial")
    assert broken(meeting) == []


def test_an_amendment_alone_applies_nothing() -> None:
    """W24"""
    meeting = ruled(max_rounds=3).round(changes=[amend("REQ-001", *BOTH, text="Entries are kept thirty days")])
    assert (meeting.phase, meeting.made("REQ-001")["agreement"]) == ("ESCALATION", "draft")
    meeting.finish()
    assert (meeting.verdict, meeting.made("RUL-001")["status"]) == ("INCOMPLETE", "open")
    assert "RUL-001 not applied" in " ".join(meeting.result["warnings"])
    assert broken(meeting) == []


def test_a_participant_who_was_shown_both_texts_says_that_it_is_applied() -> None:
    """W24, W26"""
    meeting = ruled().round(changes=[amend("REQ-001", *BOTH, text="Entries are kept thirty days")]).rule("go_on")
    shown = meeting.question().shown(TWO)
    assert THIRTY in shown
    assert "REQ-001 Entries are kept thirty days" in meeting.section(TWO, "What RUL-001 is about")
    meeting.respond({TWO: {"applied": ["RUL-001"]}}).synthesise()
    assert (meeting.verdict, meeting.made("REQ-001")["agreement"]) == ("COMPLETE", "consensus")
    assert meeting.made("RUL-001")["resolution"] == f"applied, says {TWO}"
    assert broken(meeting) == []


def test_a_persons_words_and_the_texts_that_wait_for_them_are_never_cut() -> None:
    """W24: as a person's they are no data."""
    sections = {each.title: each for each in ruled().question().view(ONE).sections}
    assert sections["Rulings of a person"].person
    assert (sections["Rulings of a person"].cut, sections["What RUL-001 is about"].cut) == (0, 0)


def test_the_person_may_say_so_too() -> None:
    """W24"""
    meeting = ruled().round(changes=[amend("REQ-001", *BOTH, text="Entries are kept thirty days")])
    assert "RUL-001 is not applied in its round 1 of 1" in meeting.section("person", "Why you are asked")
    assert "thirty days" in meeting.section("person", "What RUL-001 is about")
    assert meeting.rule("applied").verdict == "COMPLETE"
    assert broken(meeting) == []


def test_a_vote_for_a_ruling_says_that_it_is_applied() -> None:
    """W24, W30: and it is no vote on a draft."""
    meeting = Meeting(agenda(topic("a", 9)), strategy="consensus-driven", max_rounds_per_conflict=9)
    meeting.round(requirements=[req(*BOTH), req(*BOTH)]).respond({TWO: {"contested": ["REQ-001"]}})
    meeting.interrupt(Reason.ESCALATION).synthesise().rule("decide", "Half of it.").question()
    assert [str(key) for key in meeting.ask(ONE).keys] == ["REQ-002", "RUL-001"]
    meeting.vote({ONE: {"REQ-002": "SUPPORT", "RUL-001": "SUPPORT"}, TWO: {"RUL-001": "STAND_ASIDE"}})
    assert (meeting.made("RUL-001")["status"], meeting.made("REQ-001")["agreement"]) == ("resolved", "consensus")
    assert [each["id"] for each in meeting.facts("vote")] == ["REQ-002"]
    assert broken(meeting) == []


def test_no_facilitator_confirms_moves_or_contests_a_ruling() -> None:
    """W14, W24"""
    meeting = ruled().respond({ONE: {"contested": ["RUL-001"]}})
    meeting.synthesise(changes=[change("RUL-001", "resolve", *BOTH), change("RUL-001", "withdraw", *BOTH)])
    assert meeting.made("RUL-001")["status"] == "open"
    assert [text.partition(":")[0] for text in meeting.held(2)["refused"]] == ["RUL-001"] * 3
    assert broken(meeting) == []


def test_what_replaces_an_artifact_takes_its_place_in_a_ruling() -> None:
    """W17: nobody gets rid of a ruling with a new text."""
    meeting = Meeting(agenda(topic("a", 9)), max_rounds_per_conflict=1).round(requirements=[req(*BOTH)])
    meeting.respond({TWO: {"contested": ["REQ-001"]}}).synthesise().rule("decide", "Half of it.")
    meeting.round(requirements=[req(*BOTH, supersedes=["REQ-001"])])
    assert (meeting.made("RUL-001")["about"], meeting.made("REQ-002")["agreement"]) == (["REQ-002"], "draft")
    assert broken(meeting) == []


def test_what_is_ruled_again_in_the_same_round_is_the_same_ruling() -> None:
    """W24"""
    meeting = ruled().question().interrupt(Reason.ESCALATION).respond()
    meeting.rule("decide", "Forty.").synthesise().question()
    rulings = [each for each in meeting.result["artifacts"] if each["type"] == "RUL"]
    assert [each["fields"]["decision"] for each in rulings] == [THIRTY, "Forty."]
    meeting.interrupt(Reason.ESCALATION).respond().rule("decide", "Fifty.").interrupt(Reason.ESCALATION)
    assert broken(meeting) == []


def test_no_complete_with_a_ruling_on_another_topic() -> None:
    """W21, W26: conclude_on leaves topics open, never a ruling."""
    about = agenda(topic("must", critical=True), topic("may"))
    meeting = Meeting(about, conclude_on="required", max_rounds_per_conflict=1, max_rounds=3)
    meeting.round(covered=["K1"], conflicts=[{}]).rule("decide", "So be it.")
    assert meeting.finish().verdict == "INCOMPLETE"


# Conflicts name what they are about


@pytest.mark.parametrize("about", [[], ["P1"], ["REQ-004", "K1"]])
def test_a_conflict_that_names_nothing_is_about_the_topic_and_told(about: list[str]) -> None:
    """W14, W19: the case in which COMPLETE came with a warning; it is kept, and told that it names nothing."""
    meeting = Meeting(RETENTION).round(requirements=[req(*BOTH)], conflicts=[{"about": about}], covered=["K1"])
    assert (meeting.made("CONF-001")["about"], meeting.made("REQ-001")["agreement"]) == (["T1"], "draft")
    nothing = "CONF-001: it names nothing that it is about, and so it is about all of T1"
    assert meeting.held(1)["refused"] == [*(f"{key}: {key} is no artifact in force" for key in about), nothing]
    assert (meeting.phase, meeting.topic("T1").status.value) == ("QUESTION", "partial")
    assert broken(meeting) == []


def test_a_conflict_names_what_the_same_synthesis_makes() -> None:
    """W15, W19"""
    meeting = Meeting(agenda(topic("a", 9))).round(requirements=[req(*BOTH)])
    meeting.question().respond()
    assert {"REQ-002", "REQ-005", "IDEA-001"} <= set(meeting.ask("facilitator").keys)
    assert {"REQ-006", "OQ-001", "CONF-001"}.isdisjoint(meeting.ask("facilitator").keys)
    meeting.synthesise(requirements=[req(*BOTH), req(*BOTH)], conflicts=[{"about": ["REQ-003", "REQ-001"]}])
    assert meeting.made("CONF-001")["about"] == ["REQ-003", "REQ-001"]
    assert [meeting.made(f"REQ-00{n}")["agreement"] for n in (1, 2, 3)] == ["conflict", "consensus", "conflict"]
    assert broken(meeting) == []


def test_a_conflict_is_about_the_entry_whatever_id_that_gets() -> None:
    """W15: the first entry is refused, so the second gets its id; what was refused is nothing to be about."""
    same = req(*BOTH, title="Log")
    meeting = Meeting(agenda(topic("a", 9))).round(requirements=[same])
    second, third = {"about": ["REQ-003"], "title": "Second"}, {"about": ["REQ-002"], "title": "First"}
    meeting.round(requirements=[same, req(*BOTH)], conflicts=[second, third])
    assert [meeting.made(f"CONF-00{n}")["about"] for n in (1, 2)] == [["REQ-002"], ["T1"]]
    assert broken(meeting) == []


def test_what_a_synthesis_makes_it_neither_moves_nor_replaces() -> None:
    """W15, W17"""
    meeting = Meeting(agenda(topic("a", 9)))
    new = [req(*BOTH), req(*BOTH, supersedes=["REQ-001"])]
    meeting.round(requirements=new, changes=[change("REQ-001", "withdraw", *BOTH)])
    assert [each["status"] for each in meeting.result["artifacts"]] == ["active", "active"]
    assert meeting.held(1)["refused"] == ["REQ-001: REQ-001 is no artifact that was there before"] * 2
    assert broken(meeting) == []


def test_ideas_and_risks_of_one_synthesis_may_name_each_other() -> None:
    """W15: by the ids that they come to have."""
    meeting = Meeting(agenda(topic("a", 9, "IDEA"))).round(ideas=[{"title": "Log"}])
    ideas = [{"title": "Log"}, {"title": "Two", "builds_on": ["IDEA-002", "IDEA-001"]}]
    meeting.round(ideas=ideas, risks=[{"affected_ideas": ["IDEA-003", "IDEA-004"]}])
    assert meeting.made("IDEA-002")["fields"]["builds_on"] == ["IDEA-001"]
    assert meeting.made("RISK-001")["fields"]["affected_ideas"] == ["IDEA-002"]


def test_a_conflict_about_a_closed_topic_and_one_beyond_sixty_are_kept() -> None:
    """W15, W17, W19"""
    about = agenda(topic("a", 1), topic("b", 1))
    meeting = Meeting(about, escalation=False, max_rounds=4).round(requirements=[req(*BOTH)], covered=["K1"])
    assert meeting.topic("T1").status.value == "closed"
    meeting.round(conflicts=[{"about": ["REQ-001"]}])
    assert (meeting.made("REQ-001")["agreement"], meeting.topic("T1").status.value) == ("conflict", "closed")
    assert meeting.finish().verdict == "INCOMPLETE"
    assert broken(meeting) == []
    full: dict[str, list[dict[str, object]]] = {
        name: [{}] * 8 for name in ("requirements", "exclusions", "decisions", "components")
    }
    more: dict[str, list[dict[str, object]]] = {
        name: [{}] * 8 for name in ("interfaces", "ideas", "risks", "mitigations")
    }
    meeting = Meeting(about).round(**full).round(**more, conflicts=[{}])
    assert (len(meeting.result["artifacts"]), meeting.made("CONF-001")["status"]) == (61, "open")
    assert broken(meeting) == []


def test_what_a_conflict_names_is_in_conflict_and_what_it_names_beside_is_told() -> None:
    """W18, W19"""
    meeting = Meeting(agenda(topic("a", 9))).round(requirements=[req(*BOTH), req(*BOTH)])
    meeting.round(conflicts=[{"about": ["REQ-002", "P2"]}])
    assert [meeting.made(f"REQ-00{n}")["agreement"] for n in (1, 2)] == ["consensus", "conflict"]
    assert meeting.held(2)["refused"] == ["P2: P2 is no artifact in force"]
    assert broken(meeting) == []


# Doubts, and going on


def unsure(**settings: object) -> Meeting:
    meeting = Meeting(RETENTION, **settings).respond({TWO: {"confidence": 20, "position": "I never saw the law."}})
    return meeting.synthesise(requirements=[req(*BOTH, title="Ninety days")], covered=["K1"])


def test_a_doubt_is_put_with_who_how_sure_about_what_and_their_words() -> None:
    """W23, W24"""
    meeting = unsure()
    assert f"{TWO} is 20 sure, under 50" in meeting.section("person", "Why you are asked")
    assert "I never saw the law." in meeting.section("person", f"What {TWO} says, 20 sure, on T1")
    assert "REQ-001 Ninety days" in meeting.section("person", f"What {TWO} is unsure about")
    assert meeting.facts("escalated") == [{"overdue": "none", "unsure": f"{TWO} 20"}]


@pytest.mark.parametrize("choice", ["go_on", "absent"])
def test_going_on_goes_on_although_everything_is_closed(choice: str) -> None:
    """W22, W24: the case in which it concluded at once."""
    meeting = unsure().rule(choice)
    assert (meeting.phase, meeting.state.round) == ("QUESTION", 2)
    assert meeting.respond().synthesise().verdict == "COMPLETE"
    assert broken(meeting) == []


def test_in_the_last_round_it_says_that_nobody_was_asked() -> None:
    """W22"""
    meeting = unsure(max_rounds=1)
    assert (meeting.verdict, meeting.held(1)["not_put"]) == (
        "COMPLETE",
        [f"unsure: {TWO} 20, because it was the last round"],
    )
    told = f"round 1: not put to a person: unsure: {TWO} 20, because it was the last round"
    assert told in meeting.result["warnings"]
    assert broken(meeting) == []


def test_a_ruling_on_a_doubt_is_about_the_topic() -> None:
    """W24"""
    meeting = unsure().rule("decide", "Ask the lawyer first.")
    assert (meeting.made("RUL-001")["about"], meeting.made("REQ-001")["agreement"]) == (["T1"], "draft")
    assert meeting.phase == "QUESTION"


def test_as_the_seed_reads_closed_topics_go_before_escalation() -> None:
    """W22"""
    assert unsure(reading="seed").verdict == "COMPLETE"
    assert unsure().phase == "ESCALATION"


# Round a block


def test_a_blocked_draft_that_is_superseded_in_the_same_synthesis_is_refined_all_the_same() -> None:
    """W17, W31: the case in which the topic closed with a draft that nobody had voted upon."""
    about = agenda(topic("a", 1))
    meeting = Meeting(about, strategy="consensus-driven").round(requirements=[req(*BOTH), req(*BOTH)], covered=["K1"])
    meeting.round().vote({ONE: "SUPPORT", TWO: {"REQ-001": "BLOCK", "REQ-002": "SUPPORT"}})
    meeting.synthesise(requirements=[req(*BOTH, supersedes=["REQ-001"])])
    assert (meeting.question().stages[-1], meeting.topic("T1").status.value) == ("refinement", "partial")
    assert broken(meeting) == []


def test_no_topic_closes_over_a_draft_that_nobody_voted_upon() -> None:
    """W21, W30: nor by withdrawing the draft and making another."""
    about = agenda(topic("a", 1))
    meeting = Meeting(about, strategy="consensus-driven").round(requirements=[req(*BOTH), req(*BOTH)], covered=["K1"])
    meeting.round().vote({ONE: "SUPPORT", TWO: {"REQ-001": "BLOCK", "REQ-002": "SUPPORT"}})
    meeting.synthesise(requirements=[req(*BOTH)], changes=[change("REQ-001", "withdraw")])
    assert meeting.topic("T1").status.value == "partial"
    assert "REQ-003 not voted upon" in " ".join(meeting.finish().result["warnings"]) or meeting.verdict == "COMPLETE"
    assert broken(meeting) == []


# Nothing twice, and nothing lost


def test_what_says_the_same_is_refused() -> None:
    """W15: the case in which five equal components met minimums."""
    same = req(*BOTH, title="The log is whole", description="Every change of an order leaves an entry in the log.")
    other = {**same, "title": "No change is lost"}
    meeting = Meeting(agenda(topic("a", 9))).round(requirements=[same, {**same, "title": "A log is  WHOLE!"}])
    meeting.round(requirements=[same, other, req(*BOTH, title="Another", description="Something else.")])
    assert [each["title"] for each in meeting.result["artifacts"]] == ["The log is whole", "Another"]
    assert len(meeting.held(2)["refused"]) == 2
    assert broken(meeting) == []


def test_what_was_withdrawn_may_be_said_again_and_other_types_are_others() -> None:
    """W15"""
    meeting = Meeting(agenda(topic("a", 9))).round(requirements=[req(*BOTH, title="Log")])
    meeting.round(changes=[change("REQ-001", "withdraw", *BOTH)])
    meeting.round(requirements=[req(*BOTH, title="Log")], exclusions=[{"title": "Log"}])
    assert [each["id"] for each in meeting.result["artifacts"]] == ["REQ-001", "REQ-002", "EX-001"]


# Nobody judged, and what nobody read


def test_where_too_few_have_judged_it_is_never_complete() -> None:
    """W37"""
    meeting = Meeting(agenda(topic("a")), participants=[ONE, TWO, THREE], escalation=False, max_rounds=3)
    meeting.respond({ONE: 80, TWO: 0, THREE: "absent"}).synthesise(covered=["K1"])
    assert meeting.phase == "QUESTION"
    meeting.respond({ONE: 80, TWO: 0, THREE: "absent"}).synthesise()
    meeting.respond({ONE: 80, TWO: 0, THREE: "absent"}).synthesise()
    assert (meeting.verdict, "1 of 3 participants have judged anything" in meeting.result["warnings"]) == (
        "INCOMPLETE",
        True,
    )
    assert broken(meeting) == []


def test_half_of_them_are_enough_and_a_vote_for_or_against_judges() -> None:
    """W37"""
    meeting = Meeting(agenda(topic("a")), escalation=False).respond({ONE: 1, TWO: 0}).synthesise(covered=["K1"])
    assert meeting.verdict == "COMPLETE"


def long(**settings: object) -> Meeting:
    """A meeting whose topic is divided into four parts."""
    meeting = Meeting(agenda(topic("a")), document_tokens=500, **settings)
    meeting.material |= {"topic": "\n".join(f"Line {n} of a long topic" for n in range(120))}
    return meeting


def test_documents_that_are_too_long_are_shared_out_and_read_before_anything_is_complete() -> None:
    """W38"""
    meeting = long().question()
    titles = [[each.title for each in meeting.view(seat).sections if "Topic" in each.title] for seat in (ONE, TWO)]
    assert titles[0][0] == titles[1][0] == "Topic, part 1 of 4"
    assert titles[0][1] != titles[1][1]
    meeting.respond().synthesise(covered=["K1"])
    assert (meeting.phase, meeting.state.read) == ("QUESTION", (1, 3, 4))
    assert meeting.respond().synthesise().verdict == "COMPLETE"
    assert broken(meeting) == []


def test_what_nobody_read_is_listed_and_it_is_not_complete() -> None:
    """W38"""
    meeting = long(max_rounds=1).round(covered=["K1"])
    assert (meeting.verdict, meeting.result["unread"]) == ("INCOMPLETE", ["Topic, part 2 of 4"])
    assert "shown to nobody who answered: Topic, part 2 of 4" in meeting.result["warnings"]
    assert broken(meeting) == []
