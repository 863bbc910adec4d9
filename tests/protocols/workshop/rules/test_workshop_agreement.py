"""Agreement: weights, judgement, votes, contests and conflicts; nobody's words are invented (W11, W12, W18-W31)."""

from __future__ import annotations

import pytest

from tests.support.workshops import ONE, THREE, TWO, Meeting, agenda, broken, change, req, topic

BOTH = ("P1", "P2")
OPEN = agenda(topic("a", 9))
VOTING = {"strategy": "consensus-driven"}


def agreement(meeting: Meeting, key: str = "REQ-001") -> str:
    return meeting.artifact(key).agreement.value


# Weights


@pytest.mark.parametrize(
    ("own", "other", "expected"),
    [(60, 40, "consensus"), (59, 41, "draft"), (1, 0, "consensus"), (0, 0, "draft")],
)
def test_sixty_percent_of_the_confidence_are_enough(own: int, other: int, expected: str) -> None:
    """W18"""
    meeting = Meeting(OPEN, escalation=False).respond({ONE: own, TWO: other}).synthesise(requirements=[req("P1")])
    assert agreement(meeting) == expected


def test_without_support_there_is_no_consensus() -> None:
    """W18"""
    assert agreement(Meeting(OPEN).round(requirements=[req()])) == "draft"


def test_whoever_opposes_and_supports_opposes() -> None:
    """W18"""
    meeting = Meeting(OPEN).round(requirements=[req(*BOTH, against=["P2"])])
    assert agreement(meeting) == "draft"
    assert (meeting.made("REQ-001")["supported_by"], meeting.made("REQ-001")["opposed_by"]) == ([ONE], [TWO])


def test_the_facilitators_view_counts_for_nothing_under_weighted_majority() -> None:
    """W18, W29"""
    meeting = Meeting(OPEN).round(requirements=[req(agreement="consensus"), req(*BOTH, agreement="draft")])
    assert [agreement(meeting, key) for key in ("REQ-001", "REQ-002")] == ["draft", "consensus"]


@pytest.mark.parametrize("strategy", ["debate", "six-hats"])
def test_under_the_facilitators_judgement_it_is_what_the_facilitator_says(strategy: str) -> None:
    """W18, W29: and somebody who answered supports it."""
    meeting = Meeting(OPEN, strategy=strategy).round(requirements=[req("P1"), req(*BOTH, agreement="draft"), req()])
    assert [agreement(meeting, f"REQ-00{n}") for n in (1, 2, 3)] == ["consensus", "draft", "draft"]


def test_an_amendment_is_agreed_upon_anew_and_a_draft_can_be_endorsed() -> None:
    """W18"""
    edits = [{"field": "title", "text": "New", "kind": "changed"}]
    meeting = Meeting(OPEN).round(requirements=[req(*BOTH)]).round(changes=[change("REQ-001", "amend", edits=edits)])
    assert agreement(meeting) == "draft"
    assert agreement(meeting.round(changes=[change("REQ-001", "endorse", *BOTH)])) == "consensus"


# Nobody's words are invented


def test_support_of_somebody_who_did_not_answer_counts_for_nothing() -> None:
    """W12"""
    meeting = Meeting(OPEN, participants=[ONE, TWO, THREE]).respond({TWO: "absent"})
    meeting.synthesise(
        requirements=[req("P2"), req("P1", "P3", "P2", proposed_by=["P2"])],
        conflicts=[{"parties": ["P1", "P2"], "about": ["P1", "T1"]}],
    )
    backing = [meeting.artifact(key).backing.value for key in ("REQ-001", "REQ-002")]
    assert backing == ["draft", "consensus"]
    assert (meeting.made("REQ-002")["supported_by"], meeting.made("REQ-002")["proposed_by"]) == ([ONE, THREE], "")
    assert [each["participant"] for each in meeting.made("CONF-001")["fields"]["positions"]] == [ONE]


def test_the_weight_of_the_absent_is_not_in_the_balance() -> None:
    """W12, W18: of those who answered one alone is all of them."""
    meeting = Meeting(OPEN, escalation=False).respond({ONE: 10, TWO: "absent"}).synthesise(requirements=[req("P1")])
    assert agreement(meeting) == "consensus"


def test_parties_to_a_conflict_speak_in_their_own_words() -> None:
    """W12"""
    meeting = Meeting(OPEN).respond(
        {ONE: {"position": "Keep it all.", "rationale": ["Law."]}, TWO: {"position": "Less."}}
    )
    meeting.synthesise(conflicts=[{"parties": ["P1", "P2"], "description": "How long?"}])
    assert meeting.made("CONF-001")["fields"]["positions"] == [
        {"participant": ONE, "stance": "Keep it all.", "rationale": "Law."},
        {"participant": TWO, "stance": "Less.", "rationale": ""},
    ]


@pytest.mark.parametrize(
    ("text", "misquoted"),
    [
        ('They say "we keep every change for ten years" and mean it.', False),
        ('They say "We  keep every change FOR ten years" and mean it.', False),
        ('They say "we delete every change at midnight" and mean it.', True),
        ('They say "no" and mean it.', False),
    ],
)
def test_a_quotation_that_stands_in_no_response_is_reported(text: str, misquoted: bool) -> None:
    """W12"""
    meeting = Meeting(OPEN).respond({ONE: {"position": "Surely we keep every change for ten years, at least."}})
    meeting.synthesise(synthesis=text)
    assert meeting.held(1)["misquoted"] is misquoted
    assert any("quotes words that nobody said" in each for each in meeting.result["warnings"]) is misquoted


# Contests and conflicts


def contested() -> Meeting:
    meeting = Meeting(OPEN).round(requirements=[req(*BOTH)])
    return meeting.respond({TWO: {"contested": ["REQ-001"], "position": "I never said so."}})


def test_what_a_participant_contests_is_a_conflict_at_once() -> None:
    """W11"""
    meeting = contested()
    assert (agreement(meeting), meeting.artifact("CONF-001").about) == ("conflict", ("REQ-001",))
    assert meeting.made("REQ-001")["contested_by"] == [TWO]
    positions = meeting.made("CONF-001")["fields"]["positions"]
    assert [(each["participant"], each["stance"]) for each in positions] == [(TWO, "I never said so.")]


def test_two_who_contest_the_same_open_one_conflict_and_it_is_not_contested_again() -> None:
    """W11"""
    both = {seat: {"contested": ["REQ-001"]} for seat in (ONE, TWO)}
    meeting = Meeting(OPEN).round(requirements=[req(*BOTH)]).respond(both).synthesise().reach("respond")
    assert [str(each.id) for each in meeting.state.artifacts] == ["REQ-001", "CONF-001"]
    assert meeting.ask(ONE).keys == ()
    assert meeting.made("REQ-001")["contested_by"] == [ONE, TWO]


def test_no_facilitator_passes_over_an_objection() -> None:
    """W11, W19"""
    moves = [
        change("CONF-001", "resolve", *BOTH, method="facilitator_decision"),
        change("CONF-001", "resolve", "P1", method="majority"),
        change("CONF-001", "resolve", "P1", method="consensus"),
        change("REQ-001", "endorse", *BOTH),
    ]
    meeting = contested().synthesise(changes=moves)
    assert (agreement(meeting), meeting.artifact("CONF-001").status.value) == ("conflict", "open")
    assert len(meeting.held(2)["refused"]) == 3
    assert broken(meeting) == []


@pytest.mark.parametrize("method", ["consensus", "majority"])
def test_those_who_answered_resolve_it(method: str) -> None:
    """W19"""
    moved = change("CONF-001", "resolve", *BOTH, method=method, summary="It stays.")
    meeting = contested().synthesise().round(changes=[moved])
    made = meeting.made("CONF-001")
    assert (made["status"], made["resolution"], made["resolution_method"]) == ("resolved", "It stays.", method)
    assert (made["resolved_round"], agreement(meeting)) == (3, "consensus")


def test_it_is_not_resolved_in_the_round_that_raised_it() -> None:
    """W19: those who raised it have to be heard."""
    meeting = contested().synthesise(changes=[change("CONF-001", "resolve", *BOTH)])
    assert meeting.artifact("CONF-001").status.value == "open"
    assert "raised in this round" in meeting.held(2)["refused"][0]


def test_it_is_not_resolved_without_a_reason() -> None:
    """W19"""
    meeting = contested().synthesise().round(changes=[change("CONF-001", "resolve", *BOTH, summary=" ")])
    assert "needs a reason" in meeting.held(3)["refused"][0]


def test_a_conflict_follows_what_replaces_its_artifact() -> None:
    """W17: nobody gets rid of an objection with a new text."""
    meeting = contested().synthesise(requirements=[req(*BOTH, supersedes=["REQ-001"])])
    assert (meeting.artifact("CONF-001").about, agreement(meeting, "REQ-002")) == (("REQ-002",), "conflict")
    assert broken(meeting) == []


def test_a_draft_that_was_blocked_twice_is_a_persons_alone() -> None:
    """W19, W31"""
    meeting = voting().vote("BLOCK").synthesise().round().vote("BLOCK").synthesise().rule("go_on")
    meeting.round(changes=[change("CONF-001", "resolve", *BOTH)])
    assert "a person has to settle that" in meeting.held(6)["refused"][0]


def test_an_amendment_under_judgement_leaves_the_agreement_as_it_was() -> None:
    """W18"""
    edits = [{"field": "title", "text": "New", "kind": "changed"}]
    meeting = Meeting(OPEN, strategy="six-hats").round(requirements=[req(agreement="draft"), req("P2")])
    meeting.round(changes=[change(key, "amend", edits=edits) for key in ("REQ-001", "REQ-002")])
    assert [agreement(meeting, key) for key in ("REQ-001", "REQ-002")] == ["draft", "consensus"]
    assert agreement(meeting.round(changes=[change("REQ-001", "endorse", "P1")])) == "consensus"


def test_a_majority_of_heads_without_the_weight_resolves_it_and_leaves_a_draft() -> None:
    """W18, W19"""
    meeting = Meeting(OPEN, participants=[ONE, TWO, THREE], escalation=False).round(
        requirements=[req("P1", "P2", "P3")]
    )
    meeting.respond({THREE: {"contested": ["REQ-001"], "confidence": 100}}, confidence=20)
    meeting.synthesise().respond({THREE: 100}, confidence=20)
    meeting.synthesise(changes=[change("CONF-001", "resolve", "P1", "P2", method="majority")])
    assert (meeting.artifact("CONF-001").status.value, agreement(meeting)) == ("resolved", "draft")


def test_the_facilitators_own_conflict_is_the_facilitators_to_decide() -> None:
    """W19"""
    meeting = (
        Meeting(OPEN)
        .round(conflicts=[{}])
        .round(changes=[change("CONF-001", "resolve", method="facilitator_decision")])
    )
    assert meeting.artifact("CONF-001").status.value == "resolved"


# Votes


def voting(*drafts: str) -> Meeting:
    """At convergence, with these drafts."""
    meeting = Meeting(agenda(topic("a", 1)), **VOTING, max_rounds=12)
    return meeting.round(requirements=[req(*BOTH, title=each) for each in drafts or ("One",)]).round().reach("vote")


def test_under_consent_it_is_a_draft_until_a_vote() -> None:
    """W18, W30"""
    meeting = voting()
    assert (agreement(meeting), meeting.stages[-1]) == ("draft", "convergence")
    assert agreement(meeting.vote("SUPPORT")) == "consensus"


def test_standing_aside_lets_it_pass() -> None:
    """W30"""
    assert agreement(voting().vote({ONE: "SUPPORT", TWO: "STAND_ASIDE"})) == "consensus"
    assert agreement(voting().vote("STAND_ASIDE")) == "draft"


def test_a_block_without_the_least_change_is_a_stand_aside() -> None:
    """W30"""
    assert agreement(voting().vote({ONE: "SUPPORT", TWO: "BARE"})) == "consensus"
    assert agreement(voting().vote("BARE")) == "draft"


def test_silence_is_neither() -> None:
    """W30"""
    assert agreement(voting().vote({ONE: "SUPPORT", TWO: "absent"})) == "consensus"
    assert agreement(voting().vote({ONE: {}, TWO: {}})) == "draft"


def test_every_draft_is_counted_by_itself() -> None:
    """W30"""
    meeting = voting("One", "Two").vote({ONE: "SUPPORT", TWO: {"REQ-001": "BLOCK", "REQ-002": "SUPPORT"}})
    assert [agreement(meeting, key) for key in ("REQ-001", "REQ-002")] == ["draft", "consensus"]
    assert meeting.facts("vote")[0] == {"id": "REQ-001", "support": 1, "block": 1, "groundless": 0, "cast": 2}


def test_a_blocked_draft_goes_back_to_refinement_once_and_then_escalates() -> None:
    """W31: block loops at most twice."""
    meeting = voting().vote({ONE: "SUPPORT", TWO: "BLOCK"}).synthesise()
    assert meeting.question().stages[-1] == "refinement"
    assert "Less of it." in meeting.shown(ONE)
    meeting.respond().synthesise().vote({ONE: "SUPPORT", TWO: "BLOCK"}).synthesise()
    assert (meeting.phase, agreement(meeting), meeting.artifact("CONF-001").about) == (
        "ESCALATION",
        "conflict",
        ("REQ-001",),
    )
    positions = meeting.made("CONF-001")["fields"]["positions"]
    assert [each["participant"] for each in positions] == [TWO]
    assert "Less of it." in positions[0]["rationale"]
    assert broken(meeting) == []


def test_silence_after_a_block_does_not_send_it_back_again() -> None:
    """W31: back once."""
    meeting = voting().vote("BLOCK").synthesise().round().vote({ONE: {}, TWO: {}}).synthesise().question()
    assert meeting.stages == ["proposal", "refinement", "convergence", "refinement", "convergence", "proposal"]


def test_a_replacement_inherits_the_block() -> None:
    """W17, W31: a new text does not begin the count anew."""
    meeting = voting().vote("BLOCK").synthesise()
    meeting.round(requirements=[req(*BOTH, supersedes=["REQ-001"])]).vote("BLOCK").synthesise()
    assert (meeting.phase, meeting.artifact("CONF-001").about) == ("ESCALATION", ("REQ-002",))


def test_what_a_person_has_decided_on_is_agreed_upon_once_somebody_says_that_it_is_applied() -> None:
    """W24, W30: a draft that was blocked twice before is not voted upon, and a ruling that is applied agrees on it."""
    meeting = voting().vote("BLOCK").synthesise().round().vote("BLOCK").synthesise().rule("decide")
    assert agreement(meeting) == "draft"
    meeting.round().round().question().respond({TWO: {"applied": ["RUL-001"]}})
    assert agreement(meeting) == "consensus"
    assert broken(meeting) == []


def test_no_facilitator_agrees_in_place_of_a_vote() -> None:
    """W18, W30"""
    meeting = (
        Meeting(OPEN, **VOTING).round(requirements=[req(*BOTH)]).round(changes=[change("REQ-001", "endorse", *BOTH)])
    )
    assert agreement(meeting) == "draft"
    assert "by a vote" in meeting.held(2)["refused"][0]
