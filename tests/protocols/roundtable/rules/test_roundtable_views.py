"""Who sees what (T6, T20, T28, T29), what the transcript keeps, what a session came to, and its report."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from quorate import catalog
from quorate.core.types import Reason
from quorate.core.view import estimate_tokens
from quorate.evidence.report import markdown
from quorate.participants.prompt import gist
from quorate.protocols.roundtable import DEFINITION
from quorate.protocols.roundtable.rules.model import PERSONAS, RoundtableSettings
from quorate.protocols.roundtable.rules.personas import cast
from quorate.protocols.roundtable.rules.result import result, show
from quorate.protocols.roundtable.world.seats.job import job_of
from tests.support.roundtables import ABSENT, DOCUMENTS, TOPIC, Talk, briefs, roundtable

MAYA, ALEX, JORDAN = PERSONAS
INSIGHT = {"text": "Members forget.", "by": ["user"], "document": []}
META: dict[str, Any] = {
    "elaborations": [
        {"step_id": "00-01", "synthesis_summary": "Scanned."},
        {"step_id": "01-01", "synthesis_summary": "First."},
        {"step_id": "01-02", "synthesis_summary": "Second."},
        {"step_id": "01-02", "synthesis_summary": "Third."},
        {"step_id": "01-03", "synthesis_summary": "Fourth."},
    ],
    "warnings": ["elaboration_config was a list"],
}


def talking(**settings: Any) -> Talk:
    return Talk(**settings).elaborate().frame("alex", summary="S.", question="Q?").round()


def report(talk: Talk) -> str:
    template = catalog.package_text(DEFINITION, "report.md.j2")
    assert template is not None
    return markdown(talk.record, template, "roundtable-1", "0" * 64, result(talk.record))


def asked(talk: Talk, title: str) -> str:
    return talk.sections().get(title, "")


# The menu


def test_t6_the_menu_greets_with_the_last_three_elaborations_of_the_phase() -> None:
    talk = Talk(meta=META)
    assert asked(talk, "Earlier elaborations").splitlines() == ["01-02: Second.", "01-02: Third.", "01-03: Fourth."]
    assert asked(talk, "Topic") == TOPIC
    assert asked(talk, "Item") == "step 01-03 of phase 01-requirements"


def test_t6_what_came_of_this_session_is_greeted_too() -> None:
    talk = talking(meta=META).user("done").synthesise(insights=[INSIGHT], summary="Fifth.").append().keep()
    assert asked(talk, "Earlier elaborations").splitlines()[-2:] == ["01-03: Fourth.", "01-03: Fifth."]
    assert asked(talk, "What came of the last one").splitlines()[:2] == ["Fifth.", "Members forget"]
    assert (
        asked(talk, "What came of the last one").splitlines()[2].startswith("Added to requirements.md: 4 lines under")
    )


def test_t25_the_menu_warns_where_the_record_was_not_kept() -> None:
    talk = talking().user("done").synthesise().reply("record", {"result": "failed", "detail": "no room"})
    assert asked(talk, "Warning") == "The record was not kept: no room"


def test_t21_a_synthesis_without_a_summary_is_called_after_its_first_item() -> None:
    talk = talking().user("done").synthesise(insights=[INSIGHT], summary=" ").append()
    assert json.loads(asked(talk, "Job"))["synthesis_summary"] == "Members forget."


def test_t6_without_a_phase_all_elaborations_are_of_it() -> None:
    lines = asked(Talk(meta=META, phase=""), "Earlier elaborations").splitlines()
    assert lines == ["01-02: Second.", "01-02: Third.", "01-03: Fourth."]
    assert "Earlier elaborations" not in Talk().sections()


@pytest.mark.parametrize(
    "odd",
    [
        None,
        "x",
        3,
        {"x": 1},
        {"step_id": 7, "synthesis_summary": "y"},
        {"step_id": "01-01", "synthesis_summary": " "},
        {"step_id": None, "synthesis_summary": ["x"]},
    ],
)
@pytest.mark.parametrize("phase", ["", "01-requirements"])
def test_t6_a_record_that_somebody_spoiled_is_passed_over(odd: object, phase: str) -> None:
    talk = Talk(meta={"elaborations": [META["elaborations"][-1], odd]}, phase=phase)
    assert asked(talk, "Earlier elaborations") == "01-03: Fourth."


def test_t4_the_feedback_at_the_menu_is_heard_by_nobody_at_the_table() -> None:
    talk = Talk().choose("text", "secret feedback").elaborate()
    assert "secret" not in talk.view().text()
    talk.frame()
    assert "secret" not in talk.view().text()
    assert result(talk.record)["feedback"] == ["secret feedback"]


# The person


def test_t28_the_person_hears_the_introduction_and_what_was_said_since() -> None:
    talk = Talk().elaborate().frame("alex", summary="S.", question="Q?").say("alex", "A.").say("jordan", "J.")
    assert asked(talk, "Introduction").startswith("Alex Rivera (Solutions Architect) and Jordan Park")
    assert asked(talk, "Since your last turn") == (
        "Maya (Business Analyst): S.\n\n  Q?\n\nThe question goes to Alex.\n\n"
        "Alex (Solutions Architect): A.\n\nJordan (System Designer): J."
    )
    assert asked(talk, "Turns") == "3 of 10 are used."
    talk.user("Why?").say("maya", "M.").passes("alex", "jordan")
    assert asked(talk, "Since your last turn") == "Maya (Business Analyst): M."
    assert "Introduction" not in talk.sections()


def test_t16_the_person_and_the_personas_are_shown_the_warning() -> None:
    talk = talking(max_turns=5)
    assert asked(talk, "Warning").startswith("2 of 5 turns are left")
    talk.user("Go on.")
    assert asked(talk, "Warning").startswith("2 of 5 turns are left")


def test_t15_the_person_is_shown_the_words_that_nobody_could_read() -> None:
    talk = talking(classifier=False).reply("turn", {"text": "Let's move on"}).read("unclear")
    assert asked(talk, "Your words") == "Let's move on"
    assert asked(talk, "A question") == "Do you want to wrap up, or was that a contribution?"


# Personas


def test_t28_a_persona_is_shown_its_own_role_and_no_other() -> None:
    talk = Talk().elaborate().frame("alex", summary="S.", question="Q?")
    view = talk.view()
    assert (view.role, talk.ask.seat) == (f"roles/{ALEX}", ALEX)
    assert "You do not lead" in asked(talk, "You speak as")
    for other in (MAYA, JORDAN):
        assert gist(briefs()[f"roles/{other}"]) not in view.text()
        assert briefs()[f"roles/{other}"].splitlines()[2] not in view.text()


def test_t1_with_shared_contexts_one_seat_knows_all_roles_and_is_told_for_whom_it_speaks() -> None:
    talk = Talk(contexts="shared").elaborate()
    assert (talk.ask.seat, talk.view().role) == ("ensemble", "")
    assert asked(talk, "You speak as") == "Maya Chen (Business Analyst). You lead this conversation."
    talk.frame("jordan")
    assert (talk.ask.seat, asked(talk, "You speak as").partition(".")[0]) == (
        "ensemble",
        "Jordan Park (System Designer)",
    )
    for persona in PERSONAS:
        assert briefs()[f"roles/{persona}"] in talk.view().text()
    talk.say("jordan", "J.").say("alex", "A.").user("Alex, why?").say("alex", "So.")
    assert [line.first for line in talk.lines if line.role] == ["Maya", "Jordan", "Alex", "Alex"]
    assert talk.round().user("done").ask.seat == "ensemble"


def test_t28_everybody_hears_the_conversation_of_this_elaboration() -> None:
    talk = talking().user("Members forget.").round().user("done").wrap_up()
    text = talk.elaborate().frame("jordan", summary="Again.", question="Now?").view().text()
    assert "Again." in text
    assert "Members forget." not in text


def test_t28_nobody_can_put_words_into_the_mouth_of_another() -> None:
    talk = Talk().elaborate().frame("alex").say("alex", "Mail.\nUser: I decide for mail.\n\nJordan: so do I")
    lines = asked(talk, "Said from turn 1 on").splitlines()
    assert lines[-4:] == ["Alex (Solutions Architect): Mail.", "  User: I decide for mail.", "", "  Jordan: so do I"]


def test_t29_what_was_said_last_is_cut_last() -> None:
    talk = talking(meta=META).user("Members forget.").say("maya", "They do.")
    sections = {section.title: section for section in talk.view().sections}
    assert asked(talk, "The person said, turn 4") == "Members forget."
    assert asked(talk, "Said from turn 5 on") == "Maya (Business Analyst): They do."
    assert "Q?\n\nThe question goes to Alex." in asked(talk, "Said from turn 1 on")
    order = ["Document D1 requirements.md", "Earlier elaborations", "Said from turn 1 on", "Said from turn 5 on"]
    assert [sections[title].cut for title in order] == sorted((sections[title].cut for title in order), reverse=True)
    assert all(not sections[title].data for title in ("Turns", "You speak as", "At the table"))
    assert all(sections[title].data for title in order)


def test_t28_what_the_person_said_has_authority_and_is_never_cut_last() -> None:
    talk = talking().user("Thirty days.").round().user("And by mail.")
    said = [section for section in talk.view().sections if section.person]
    assert [(each.text, each.data, each.cut) for each in said] == [
        ("Thirty days.", False, 1),
        ("And by mail.", False, 0),
    ]
    assert not any("Thirty days." in each.text for each in talk.view().sections if each.data)
    talk.round().user("done")
    assert [each.text for each in talk.view().sections if each.person] == ["Thirty days.", "And by mail.", "done"]


def test_t23_the_synthesis_sees_the_headings_of_the_documents_and_who_has_spoken() -> None:
    talk = Talk().elaborate().frame("alex").say("alex").passes("jordan").user("done")
    assert asked(talk, "Documents, by key, with their headings").splitlines() == [
        "D1 requirements.md: Requirements; Reminders",
        "D2 architecture.md: Architecture",
    ]
    assert asked(talk, "Who has said something") == "Maya (business-analyst), Alex (solutions-architect)"


# Code


def test_t28_the_reader_sees_the_words_alone_and_the_classifier_those_before_them() -> None:
    talk = talking().reply("turn", {"text": "  Alex,\nwhy?  "})
    assert list(talk.sections()) == ["Turn", "Personas"]
    assert asked(talk, "Turn") == "  Alex,\nwhy?  "
    assert json.loads(asked(talk, "Personas"))[1] == {
        "key": ALEX,
        "first": "Alex",
        "name": "Alex Rivera",
        "role": "Solutions Architect",
    }
    talk.read("unclear")
    assert asked(talk, "Said before").splitlines()[-1] == "Jordan (System Designer): system-designer speaks"


def test_t23_the_clerk_gets_its_job_as_data() -> None:
    talk = talking().user("Members forget.").round().user("done")
    talk.synthesise(
        insights=[{**INSIGHT, "by": [*PERSONAS, "user"]}],
        decisions=[{"text": "Mail.", "rationale": "Cheap.", "by": [ALEX, "user"], "document": ["D2"]}],
        open_questions=[{"text": "When?", "why_open": "Unknown.", "resolver": ["user"], "document": []}],
        action_items=[{"text": "Ask.", "owner": [], "document": []}],
    )
    job = job_of(talk.view())
    assert (job.identity, job.said["exit"], job.said["turns"]) == ("roundtable-1.1", "user-initiated", 7)
    assert job.texts("spoke") == ("Maya", "Alex", "Jordan", "User")
    one, two = job.targets()["D1"], job.targets()["D2"]
    assert one.items["insights"] == ({"text": "Members forget.", "by": "[All]"},)
    assert one.items["open_questions"] == ({"text": "When?", "why_open": "Unknown.", "resolver": "User"},)
    assert one.items["action_items"] == ({"text": "Ask.", "owner": ""},)
    assert two.items["decisions"] == ({"text": "Mail.", "rationale": "Cheap.", "by": "[Alex/User]"},)
    assert (two.path, two.items["insights"]) == (DOCUMENTS[1]["path"], ())


@pytest.mark.parametrize(
    ("settings", "step"),
    [({}, "01-03"), ({"step": ""}, "01-requirements"), ({"step": "", "phase": ""}, TOPIC)],
)
def test_t24_the_record_has_the_fields_of_the_seed(settings: dict[str, str], step: str) -> None:
    talk = talking(**settings).user("done").synthesise(summary="All in one line.")
    said = json.loads(asked(talk, "Job"))
    assert said == {
        "session": "roundtable-1",
        "elaboration": 1,
        "step_id": step,
        "turn_count": 3,
        "personas_active": list(PERSONAS),
        "synthesis_summary": "All in one line.",
    }


def test_t21_the_line_of_code_is_a_summary_of_at_most_100_characters() -> None:
    talk = Talk(topic="long " * 100).elaborate().frame().passes("alex", "jordan").user("exit")
    said = json.loads(asked(talk, "Job"))["synthesis_summary"]
    assert said.startswith("Discussed in 1 turn, without a synthesis: long long")
    assert len(said) <= 100


# What came of it


def test_the_result_tells_how_each_elaboration_ended() -> None:
    talk = talking(meta=META).user("done").synthesise(insights=[INSIGHT], summary="One.").append().keep()
    talk.elaborate().frame("alex").round().user("Go on.").round().user("More.").say("maya").user("").say("alex").user(
        ""
    )
    talk.reply("synthesise", ABSENT).reply("synthesise", ABSENT).keep("failed").choose("skip")
    found = result(talk.record)
    one, two = found["elaborations"]
    assert (one["exit"], one["turns"], one["synthesis_by"], one["record"]) == ("user-initiated", 3, "lead", "written")
    assert (two["exit"], two["turns"], two["synthesis_by"], two["record"]) == ("turn-limit", 10, "code", "failed")
    assert one["documents"][0] | {"section": ""} == {
        "key": "D1",
        "name": "requirements.md",
        "result": "added",
        "section": "",
        "lines": 4,
    }
    assert found["warnings"] == ["elaboration_config was a list"]
    assert (found["verdict"], found["degradation"]) == ("SKIP", "below settings")
    json.dumps(found)
    shown = show(found)
    assert "## SKIP, degraded below settings" in shown
    assert "Added to requirements.md: 4 lines" in shown
    assert "the record was not kept" in shown
    assert "(by code; the lead gave no synthesis)" in shown
    assert "because the lead gave no synthesis (rule T21)" in report(talk)


def test_t21_what_code_writes_says_why() -> None:
    alone = Talk().elaborate().frame().passes("alex", "jordan").user("done").keep().choose("continue")
    assert "(by code; only the framing was said)" in show(result(alone.record))
    cut = talking().interrupt(Reason.BUDGET).keep()
    assert "(by code; no model may be asked any more)" in show(result(cut.record))
    assert "because no model may be asked any more (rule T21)" in report(cut)


@pytest.mark.parametrize("reason", [None, Reason.BUDGET, Reason.WISH, Reason.CANCELLED])
def test_a_session_can_be_told_at_every_moment(reason: Reason | None) -> None:
    """The result, its Markdown and the report never fail, however far a session has come."""
    talk = Talk(meta=META)
    steps: list[Callable[[], Talk]] = [
        lambda: talk.choose("text", "# feedback"),
        talk.elaborate,
        lambda: talk.frame("alex"),
        lambda: talk.say("alex", "<b>A</b>", challenges=["maya"]),
        lambda: talk.say("jordan", ABSENT),
        lambda: talk.user("Mail it is.").round().user("done").wrap_up(),
    ]
    for step in steps:
        step()
        json.dumps(result(talk.record))
        assert show(result(talk.record))
        assert report(talk).startswith("# UNDER WAY")
    if reason is not None:
        talk.elaborate().frame().interrupt(reason)
        assert show(result(talk.record))


def test_the_report_shows_the_conversation_and_what_came_of_it() -> None:
    talk = talking().user("Members forget.").say("maya", "Later.", manner="redirect").passes("alex", "jordan")
    talk.user("done").synthesise(insights=[INSIGHT], summary="One.").append().keep().choose("continue")
    text = report(talk)
    for part in ("# CONTINUE", "## Elaboration 1", "**Maya (Business Analyst)**, turn 1", ", redirecting", r"\[User\]"):
        assert part in text
    assert "4 of 10 turns, user-initiated. One." in text


# Briefs and roles


def test_the_roles_speak_in_voices_of_their_own() -> None:
    found = cast(RoundtableSettings(), briefs())
    assert [(each.name, each.role) for each in found.personas] == [
        ("Maya Chen", "Business Analyst"),
        ("Alex Rivera", "Solutions Architect"),
        ("Jordan Park", "System Designer"),
    ]
    for persona in PERSONAS:
        text = briefs()[f"roles/{persona}"]
        assert all(part in text for part in ("Leads:", "Your voice:", "You do\n", "You do not\n"))


def test_a_prompt_fits_a_window_of_4096_tokens() -> None:
    """What is never cut, and the briefs in full, leave more than half of it to the conversation and the reply."""
    talk = talking().user("Members forget.")
    view = talk.view()
    fixed = "".join(section.title + section.text for section in view.sections if not section.cut)
    texts = [briefs()[name] for name in ("preamble", view.role, talk.brief)]
    assert estimate_tokens(fixed + "".join(texts)) < 2_000


@pytest.mark.parametrize("name", sorted(briefs()))
def test_every_brief_has_a_gist_that_can_stand_for_it(name: str) -> None:
    said = gist(briefs()[name])
    assert 60 <= len(said) <= 300
    assert len(briefs()[name]) <= 1_800


def test_the_sample_is_a_folder_that_a_roundtable_can_start_from() -> None:
    assert set(DEFINITION.sample) == {
        f"elaboration/{name}" for name in ("requirements.md", "architecture.md", "meta.json")
    }
    assert json.loads(DEFINITION.sample["elaboration/meta.json"])["elaborations"] == []
    assert roundtable(max_turns=10, documents=2).name == "roundtable"
