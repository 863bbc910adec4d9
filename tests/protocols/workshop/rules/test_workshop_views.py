"""Who sees what: blind answers, the sight of every stage, and the facilitator's own context (W9, W24, W27, W33)."""

from __future__ import annotations

import json

import pytest

from quorate.core.form_values import Unfit
from quorate.core.types import Replied
from tests.support.filling import fill
from tests.support.workshops import ONE, TWO, Meeting, agenda, amend, change, req, topic

BOTH = ("P1", "P2")
SIGHT = {
    "standard": {"discussion": "syntheses"},
    "disney": {"dreamer": "syntheses", "realist": "everything", "critic": "everything"},
    "debate": {"opening": "nothing", "rebuttal": "everything", "closing": "everything"},
    "consensus-driven": {"proposal": "syntheses", "refinement": "everything", "convergence": "everything"},
    "six-hats": {
        "blue-open": "everything",
        "white": "syntheses",
        "red": "syntheses",
        "black": "everything",
        "yellow": "everything",
        "green": "everything",
        "blue-close": "everything",
    },
}
STAGES = [(name, stage) for name, stages in SIGHT.items() for stage in stages]


def spoken(meeting: Meeting, text: str) -> Meeting:
    """A round in which everybody says something that can be found again."""
    meeting.question().respond({seat: {"position": f"{seat} {text}"} for seat in (ONE, TWO)})
    return meeting.synthesise(synthesis=f"Synthesis {text}.", requirements=[req(*BOTH, title=f"Title {text}")])


@pytest.mark.parametrize("strategy", SIGHT)
def test_nobody_sees_an_answer_of_the_same_round(strategy: str) -> None:
    """W9: not in the prompt of one who answers later, in whatever stage."""
    meeting = Meeting(agenda(topic("a", 20)), strategy=strategy, max_rounds=9)
    for _ in SIGHT[strategy]:
        before = meeting.reach("respond vote").shown(TWO)
        secret = f"A secret answer of round {meeting.state.round}."
        meeting.reply(ONE, {"position": secret})
        assert meeting.shown(TWO) == before
        assert secret not in before
        meeting.reply(TWO, {"position": "Another."})
        assert secret in meeting.shown("facilitator")
        meeting.synthesise(requirements=[req(*BOTH)])


@pytest.mark.parametrize(("strategy", "stage"), STAGES)
def test_a_stage_sees_of_earlier_rounds_what_it_may(strategy: str, stage: str) -> None:
    """W27"""
    meeting = spoken(Meeting(agenda(topic("a", 20)), strategy=strategy, max_rounds=30, escalation=False), "before")
    while meeting.reach("respond vote").stages[-1] != stage:
        quiet = {seat: {"position": f"{seat} before"} for seat in (ONE, TWO)}
        meeting.respond(quiet).synthesise(synthesis="Synthesis before.", requirements=[req(*BOTH)])
    sight = SIGHT[strategy][stage]
    assert ("Synthesis before." in meeting.shown(ONE)) is (sight != "nothing")
    assert (f"{TWO} before" in meeting.shown(ONE)) is (sight == "everything")


def test_the_dreamer_is_not_shown_conflicts() -> None:
    """W27"""
    meeting = Meeting(agenda(topic("a", 20)), strategy="disney", max_rounds=30, escalation=False)
    meeting.round(requirements=[req(*BOTH, title="Glass roof")]).respond({TWO: {"contested": ["REQ-001"]}})
    meeting.synthesise(conflicts=[{"title": "About glass"}], covered=["K1"])
    assert "About glass" in meeting.question().shown(ONE)
    assert meeting.stages[-1] == "critic"
    meeting.respond().synthesise(requirements=[req(*BOTH)]).question()
    assert meeting.stages[-1] == "dreamer"
    shown = meeting.shown(ONE)
    assert "Glass roof" in shown
    for hidden in ("About glass", "contested", "conflict", "CONF-"):
        assert hidden not in shown


def test_participants_see_the_question_the_topic_and_its_artifacts_in_full() -> None:
    """W9, W33"""
    meeting = Meeting(agenda(topic("first", 9, critical=True, criteria=2), topic("second", critical=True)))
    meeting.question("T1").respond().synthesise(requirements=[req(*BOTH, title="Own", description="In full.")])
    meeting.question("T2").respond().synthesise(requirements=[req(*BOTH, title="Elsewhere", description="Not here.")])
    meeting.question("T2")
    assert "What about it, in round 3?" in meeting.section(ONE, "The question")
    assert "second criterion 1 (not met yet)" in meeting.section(ONE, "The topic in focus")
    assert "Not here." in meeting.section(ONE, "Artifacts of this topic")
    assert "Own" in meeting.section(ONE, "Artifacts of other topics")
    assert "In full." not in meeting.shown(ONE)


def test_at_the_vote_the_drafts_are_shown_in_full() -> None:
    """W30"""
    meeting = Meeting(agenda(topic("a", 1)), strategy="consensus-driven")
    meeting.round(requirements=[req(*BOTH, title="Log it", description="Every change.")]).round().reach("vote")
    assert "Every change." in meeting.section(ONE, "REQ-001 Log it")


def test_what_a_person_has_decided_is_shown_to_all_from_then_on() -> None:
    """W24: even to an opening that sees nothing else."""
    meeting = Meeting(agenda(topic("a", 9)), strategy="debate", max_rounds_per_conflict=1, max_rounds=30)
    meeting.round(conflicts=[{}]).rule("decide", "Blue it is.").round().round().question()
    assert meeting.stages[-1] == "opening"
    assert "Blue it is." in meeting.section(ONE, "Rulings of a person")
    assert "Synthesis" not in meeting.section(ONE, "Earlier rounds")


# The facilitator


def reconciled(meeting: Meeting) -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(meeting.section("facilitator", "context_reconciliation"))
    return found


def test_the_facilitator_goes_on_with_its_context_and_participants_are_fresh() -> None:
    """W33"""
    meeting = Meeting(agenda(topic("a", 9)))
    meeting.question().respond({ONE: {"position": "I said this before."}}).synthesise(synthesis="All of it.")
    mine = meeting.reach("question").section("facilitator", "Your rounds so far")
    assert "What about it, in round 1?" in mine
    assert "All of it." in mine
    meeting.question()
    assert "I said this before." not in meeting.shown(ONE)
    assert "Your rounds so far" not in meeting.shown(ONE)


def test_context_reconciliation_is_sent_to_the_facilitator_and_to_nobody_else() -> None:
    """W33"""
    meeting = Meeting(agenda(topic("a", 1, critical=True), topic("b"))).reach("question")
    assert meeting.section("facilitator", "context_reconciliation") == ""
    meeting.round(requirements=[req(*BOTH)], questions=[{}], covered=["K1"], changes=[]).reach("question")
    found = reconciled(meeting)
    assert found["artifacts_updated"] == [
        "REQ-001 made for T1, consensus",
        "OQ-001 made for T1, draft",
        "T1: 1 of 1 criteria met",
    ]
    assert found["topics"] == ["T1 is closed"]
    assert "The current context is authoritative" in found["instruction"]
    meeting.question()
    assert "context_reconciliation" not in meeting.shown(ONE)
    meeting.respond({TWO: {"contested": ["REQ-001"]}})
    assert reconciled(meeting)["artifacts_updated"] == ["REQ-001 contested, see CONF-001"]


def test_context_reconciliation_tells_what_was_resolved_refused_and_decided() -> None:
    """W33"""
    meeting = Meeting(agenda(topic("a", 9)), max_rounds_per_conflict=1).round(questions=[{}], conflicts=[{}])
    meeting.rule("decide", "Blue.").reach("question")
    found = reconciled(meeting)
    assert found["artifacts_resolved"] == ["CONF-001"]
    assert "decide" in found["a_person_decided"][0]
    meeting.round(changes=[{"artifact": "OQ-001", "becomes": "resolve"}, amend("OQ-001")]).reach("question")
    found = reconciled(meeting)
    assert found["artifacts_resolved"] == ["OQ-001"]
    assert "OQ-001" in found["refused"][0]


def test_what_of_its_last_words_did_not_fit_is_told_to_the_facilitator() -> None:
    """W14, W33"""
    meeting = Meeting(agenda(topic("a", 9))).reach("synthesise")
    ask = meeting.ask("facilitator")
    said = meeting.record.marked(ask, fill(ask, {"synthesis": "All of it."}))
    gone = Unfit("changes[0]", "refused", "artifact: is 'REQ-777'", "artifact: REQ-777")
    meeting.take(Replied(ask.id, said), unfit=(gone,))
    meeting.reach("question")
    assert reconciled(meeting)["refused"] == ["changes[0]: refused: artifact: REQ-777"]
    assert reconciled(meeting.round().reach("question"))["refused"] == []


def test_what_says_nearly_the_same_is_asked_about() -> None:
    """W15: nothing is refused for it, and everybody who writes and answers is shown the pair."""
    titles = ("Entries are kept for ninety days", "Entries are kept 90 days", "Nobody deletes an entry by hand")
    entries = [req(*BOTH, title=title, description=f"Number {place}.") for place, title in enumerate(titles)]
    meeting = Meeting(agenda(topic("a", 9))).round(requirements=entries)
    assert meeting.question().section(ONE, "Perhaps the same").startswith("REQ-001 and REQ-002. ")
    assert meeting.respond().section("facilitator", "Perhaps the same").startswith("REQ-001 and REQ-002. ")
    meeting.synthesise(changes=[change("REQ-002", "withdraw", *BOTH)])
    assert meeting.question().section(ONE, "Perhaps the same") == ""


def test_a_person_is_shown_everything_of_the_topic_that_a_conflict_is_about() -> None:
    """W19, W24"""
    meeting = Meeting(agenda(topic("a", 9)), max_rounds_per_conflict=1)
    meeting.round(requirements=[req(*BOTH, description="Every change.")], conflicts=[{"about": ["T1"]}])
    assert "Every change." in meeting.section("person", "What it is about: REQ-001")


def test_what_it_was_told_and_did_not_answer_is_told_again() -> None:
    """W33"""
    meeting = Meeting(agenda(topic("a", 9))).round(requirements=[req(*BOTH)]).respond({TWO: {"contested": ["REQ-001"]}})
    meeting.synthesise(lost=True).reach("question")
    assert "REQ-001 contested, see CONF-001" in reconciled(meeting)["artifacts_updated"]


def test_votes_are_told_to_the_facilitator() -> None:
    """W30, W33"""
    meeting = Meeting(agenda(topic("a", 1)), strategy="consensus-driven").round(requirements=[req(*BOTH)]).round()
    meeting.vote({ONE: "SUPPORT", TWO: "BLOCK"})
    assert reconciled(meeting)["votes"] == ["REQ-001: 1 support, 1 block"]


def test_the_clerk_is_shown_the_words_and_the_responses() -> None:
    """W23"""
    meeting = Meeting().respond({ONE: {"position": "A matter of security."}})
    assert "security" in meeting.section("clerk", "Critical words")
    assert json.loads(meeting.section("clerk", "Responses"))["P1"].startswith("A matter of security.")


def test_at_a_pause_the_person_is_shown_the_round_and_the_agenda() -> None:
    """W25"""
    meeting = Meeting(interactive=True).round(requirements=[req(*BOTH)], synthesis="We agree.")
    assert "We agree." in meeting.shown("person")
    assert meeting.section("person", "Made in this round") == "REQ-001"
