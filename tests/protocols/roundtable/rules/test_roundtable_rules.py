"""The rules of the roundtable (T1 to T27), one by one, on the real protocol with the real reader."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.core.errors import SettingError
from quorate.core.protocol import Degradation
from quorate.core.types import Reason
from quorate.kit.settings import read_settings
from quorate.protocols.roundtable.definition import DEFINITION
from quorate.protocols.roundtable.rules.fates import fates
from quorate.protocols.roundtable.rules.model import PERSONAS, RoundtableSettings, turn_limit
from quorate.protocols.roundtable.rules.protocol import EXIT_CODES
from tests.support.roundtables import ABSENT, Talk, roundtable

MAYA, ALEX, JORDAN = PERSONAS
INSIGHT = {"text": "It matters.", "by": [], "document": []}


def talking(**settings: Any) -> Talk:
    """The first round is over and the person has the word: turn 3 of ten."""
    return Talk(**settings).elaborate().frame("alex").round()


# Table and order


def test_t1_the_seats_are_those_of_the_settings() -> None:
    assert roundtable().seats == (*PERSONAS, "classifier", "person", "reader", "clerk")
    assert roundtable(classifier=False, contexts="shared").seats == ("ensemble", "person", "reader", "clerk")
    assert roundtable().people == {"person"}
    assert roundtable().checks == {"reader", "clerk"}


OWN = {
    "roles/tester": "# Noor Haddad, Tester\n\nYou look for what breaks.\n\nLeads: 07\n",
    "roles/writer": "# Émile O'Hara, Writer\n\nYou look for words.\n",
}


def test_t1_a_user_brings_personas_of_their_own() -> None:
    talk = Talk(own=OWN, personas=["writer", "tester"], phase="07-hardening").elaborate()
    assert talk.ask.seat == "tester"
    assert talk.facts("lead unknown") == []
    talk.frame().round().user("Émile, is that a word?")
    assert (talk.speaker, talk.brief) == ("writer", "answer")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Noor the tester", "does not begin with the persona's name"),
        ("# Noor Haddad", "does not begin with the persona's name"),
        ("# 7 of 9, Tester", "does not begin with the persona's name"),
        (f"# {'N' * 70} Haddad, Tester", "does not begin with the persona's name"),
        ("# User Haddad, Tester", "gives the persona the reserved first name 'User'"),
        ("# maya Haddad, Tester", "who are both called maya"),
    ],
)
def test_t1_a_role_file_that_names_nobody_is_refused(text: str, says: str) -> None:
    with pytest.raises(SettingError, match=says):
        roundtable({"roles/tester": text}, personas=[MAYA, "tester"])


@pytest.mark.parametrize(
    "personas", [[MAYA], [MAYA, MAYA], [MAYA, "person"], [MAYA, "user"], [MAYA, "D1"], [MAYA, "nobody-here"], ["a"] * 7]
)
def test_t1_a_table_that_cannot_be_seated_is_refused(personas: list[str]) -> None:
    with pytest.raises(SettingError, match="personas"):
        roundtable(personas=personas)


def test_t2_the_phases_follow_one_another_and_come_back_to_the_menu() -> None:
    talk = talking().user("done").wrap_up()
    assert [move.phase.name for move in talk.moves if move.to is not move.phase] == [
        "MENU",
        "ENTRY",
        "TOPIC_FRAMING",
        "DISCUSSION_LOOP",
        "SYNTHESIS",
        "STATE_PERSIST",
    ]
    assert (talk.phase, talk.brief) == ("MENU", "menu")


def test_t2_a_session_may_begin_with_an_elaboration() -> None:
    talk = Talk(start="entry")
    assert (talk.phase, talk.brief, talk.state.elaborations) == ("TOPIC_FRAMING", "frame", 1)


@pytest.mark.parametrize(
    ("phase", "lead", "known"),
    [
        ("00-quick-scan", MAYA, True),
        ("01", MAYA, True),
        ("02-impact-analysis", ALEX, True),
        ("03-architecture", ALEX, True),
        ("04-design", JORDAN, True),
        ("", MAYA, False),
        ("05-build", MAYA, False),
        ("011", MAYA, False),
    ],
)
def test_t3_the_phase_says_who_leads(phase: str, lead: str, known: bool) -> None:
    talk = Talk(phase=phase).elaborate()
    assert talk.ask.seat == lead
    assert bool(talk.facts("lead unknown")) is not known
    assert any("leads, because" in line.text for line in talk.kinds("notice")) is not known


def test_t3_where_the_lead_of_the_phase_has_no_seat_the_first_persona_leads() -> None:
    talk = Talk(phase="04-design", personas=[ALEX, MAYA]).elaborate()
    assert talk.ask.seat == ALEX
    assert talk.facts("lead unknown") == [{"phase": "04-design", "lead": ALEX}]


@pytest.mark.parametrize("name", ["phase", "step"])
@pytest.mark.parametrize("written", ["x" * 81, "01\nYou must", "01\x1b[2J"])
def test_t3_a_phase_or_step_is_one_short_line(name: str, written: str) -> None:
    with pytest.raises(SettingError, match=name):
        roundtable(None, **{name: written})


@pytest.mark.parametrize(
    ("written", "limit"),
    [(None, 10), (2, 10), (0, 10), (-1, 10), (3, 3), (25, 25), (True, 10), ("7", 10), (7.0, 10), (10**9, 10)],
)
def test_t3_fewer_than_three_turns_are_ten(written: object, limit: int) -> None:
    assert turn_limit(written) == limit
    if written is None or (type(written) is int and 0 <= written <= 1_000):
        assert read_settings(RoundtableSettings, {"max_turns": written}).turns == limit


def test_t3_many_turns_hold_with_advice() -> None:
    talk = Talk(max_turns=21).elaborate()
    assert talk.facts("many turns") == [{"limit": 21, "advised": 20}]
    assert Talk(max_turns=20).elaborate().facts("many turns") == []


# The menu


def test_t4_the_person_continues_or_skips() -> None:
    assert Talk().choose("continue").verdict == "CONTINUE"
    assert Talk().choose("skip").verdict == "SKIP"
    assert Talk().choose(ABSENT).verdict == "CONTINUE"
    assert {verdict.name: code for verdict, code in EXIT_CODES.items()} == {"CONTINUE": 0, "SKIP": 0, "ABORTED": 3}


def test_t4_at_the_end_of_a_phase_there_is_nothing_to_skip() -> None:
    talk = Talk(step="").choose("skip", "skip it")
    assert (talk.phase, talk.outcomes) == ("MENU", ["FEEDBACK"])
    assert "skip" not in talk.sections()["Choices"]
    assert "skip" in Talk().sections()["Choices"]


def test_t4_e_is_offered_as_often_as_the_settings_say() -> None:
    talk = talking(max_elaborations=1).user("done").wrap_up()
    assert "elaborate" not in talk.sections()["Choices"]
    assert talk.choose("elaborate").verdict == "CONTINUE"
    assert talk.facts("elaborations used up") == [{"most": 1}]


def test_t5_a_text_is_feedback_and_the_menu_comes_again_three_times() -> None:
    talk = Talk()
    for number in (1, 2, 3):
        talk.choose("text", f"feedback {number}")
        assert (talk.phase, talk.state.texts) == ("MENU", number)
    assert talk.choose("text", "and more").verdict == "CONTINUE"
    assert len(talk.facts("feedback")) == 4


def test_t5_texts_count_in_a_row() -> None:
    talk = Talk().choose("text", "one").elaborate().frame().round().user("done").wrap_up()
    assert talk.state.texts == 0


# Turns


def test_t7_the_introduction_names_everything_that_one_needs_to_know() -> None:
    (said,) = Talk().elaborate().kinds("introduction")
    for element in (
        "Alex Rivera (Solutions Architect) and Jordan Park (System Designer) join Maya Chen (Business Analyst)",
        "When is a member reminded of a borrowed book? (step 01-03 of phase 01-requirements)",
        "10 turns",
        '"done"',
    ):
        assert element in said.text
    assert (said.turn, said.speaker) == (0, "")


def test_t8_the_lead_frames_with_one_question_to_one_of_the_others() -> None:
    talk = Talk().elaborate()
    assert (talk.ask.seat, talk.ask.keys) == (MAYA, (ALEX, JORDAN))
    talk.frame("jordan", summary="Books are borrowed.", question="What is late?")
    (framing,) = talk.kinds("framing")
    assert framing.text == "Books are borrowed.\n\nWhat is late?", "not a word that the lead did not say"
    assert [(line.text, line.speaker) for line in talk.kinds("addressed")] == [("The question goes to Jordan.", "")]
    assert (framing.turn, framing.prefix) == (1, "Maya (Business Analyst)")


def test_t8_without_a_lead_code_frames_and_it_costs_the_turn() -> None:
    talk = Talk().elaborate().frame(ABSENT)
    (framing,) = talk.kinds("framing")
    assert (talk.state.turn, talk.speaker, framing.speaker, framing.turn) == (1, ALEX, "", 1)
    assert talk.facts("framing by code") == [{"lead": MAYA}]
    assert talk.state.spoken == ()


def test_t9_every_utterance_is_one_turn_and_the_limit_stops() -> None:
    """Warning exactly at 8, the last word at 10."""
    talk = Talk().elaborate().frame("alex").say("alex").say("jordan")
    assert talk.state.turn == 3
    talk.user("Members forget.").round()
    assert (talk.state.turn, talk.brief) == (7, "turn")
    assert talk.facts("turn warning") == []
    talk.user("So what?")
    assert (talk.state.turn, talk.facts("turn warning")) == (8, [{"turn": 8, "limit": 10}])
    talk.say("maya").user("").say("alex")
    assert (talk.phase, talk.outcomes[-1], talk.state.turn) == ("DISCUSSION_LOOP", "LAST_WORD", 10)
    assert [line.turn for line in talk.lines if line.speaker] == list(range(1, 11))


def test_t9_the_person_can_have_the_last_turn() -> None:
    talk = Talk(max_turns=4).elaborate().frame().round().user("One more thing.")
    assert (talk.outcomes[-1], talk.state.turn, talk.brief) == ("LAST_WORD", 4, "turn")


LAST = "The limit of 4 turns is reached. The last word is yours: say it, or leave it empty. Nobody answers it; "
LAST += "then Maya sums up what came of the talk, and it is added to the documents."


@pytest.mark.parametrize("words", ["Thirty days it is.", "", "done", ABSENT])
def test_t9_before_anything_is_written_the_person_is_asked(words: str) -> None:
    talk = Talk(max_turns=4).elaborate().frame().round().user("One more thing.")
    assert talk.sections()["The last word"] == talk.kinds("question back")[-1].text == LAST
    talk.reply("turn", words if words == ABSENT else {"text": words})
    assert (talk.phase, talk.outcomes[-1], talk.state.turn, talk.brief) == (
        "SYNTHESIS",
        "LIMIT_REACHED",
        4,
        "synthesise",
    )
    heard = [line.text for line in talk.kinds("user")]
    assert heard == ["One more thing.", *([words] if words in ("Thirty days it is.", "done") else [])]


def test_t9_the_last_word_settles_what_is_disputed_and_counts() -> None:
    talk = Talk(max_turns=3).elaborate().frame("alex").say("alex", "Mail.").user("")
    talk.say("jordan", "Mail gets lost.", challenges=["alex"])
    assert (talk.brief, talk.state.disputed, len(talk.kinds("disagreement"))) == ("turn", True, 1)
    talk.reply("turn", {"text": "By mail."})
    assert (talk.state.disputed, "user" in talk.state.spoken) == (False, True)
    assert [each.became for each in fates(talk.record) if each.what == "remark"] == ["the last word"]


def test_t31_an_unknown_command_is_no_last_word() -> None:
    talk = Talk(max_turns=4, free_moves=1).elaborate().frame().round().user("One more thing.").user("/foo bar")
    assert (talk.outcomes[-1], talk.brief, talk.state.free) == ("NO_COMMAND", "turn", 1)
    talk.user("/foo bar")
    assert (talk.outcomes[-1], talk.phase) == ("LIMIT_REACHED", "SYNTHESIS")


def test_t9_the_sentence_that_ends_the_talk_costs_nothing() -> None:
    talk = talking().user("Thanks, let's wrap up")
    assert (talk.outcomes[-1], talk.state.turn) == ("EXIT_REQUESTED", 3)


def test_t10_the_first_round_begins_with_whom_the_framing_addressed() -> None:
    talk = Talk().elaborate().frame("jordan")
    assert (talk.state.queue, talk.brief) == ((JORDAN, ALEX), "answer")
    talk.say("jordan")
    assert (talk.speaker, talk.brief) == (ALEX, "speak")
    talk.say("alex")
    assert talk.brief == "turn"


def test_t11_who_is_addressed_answers_first() -> None:
    talk = talking().user("Alex, what would it cost?")
    assert (talk.state.queue, talk.brief) == ((ALEX, MAYA, JORDAN), "answer")
    talk.say("alex")
    assert talk.brief == "speak"
    talk.passes("maya", "jordan")
    assert talk.brief == "turn"
    assert talk.facts("nothing to add") == [], "who was not asked passes without a word"


@pytest.mark.parametrize("how", [{"manner": "pass"}, {"text": "  "}])
def test_t11_whoever_was_asked_and_passes_is_said_to_have_nothing_to_add(how: dict[str, str]) -> None:
    talk = talking().user("Alex, what would it cost?").say("alex", **how).passes("maya", "jordan")
    assert talk.facts("nothing to add") == [{"persona": ALEX}]
    assert talk.sections()["Since your last turn"] == "Alex has nothing to add."


@pytest.mark.parametrize("text", ["What do you all think?", "Everyone, please", "What do all of you make of it?"])
def test_t12_a_group_gets_an_answer_from_each(text: str) -> None:
    talk = talking().user(text)
    briefs = []
    for who in ("maya", "alex", "jordan"):
        briefs.append(talk.brief)
        talk.say(who)
    assert (briefs, talk.brief) == (["answer"] * 3, "turn")


def test_t12_of_a_group_everybody_who_passes_is_told() -> None:
    talk = talking().user("What do you all think?").passes("maya").say("alex").passes("jordan")
    assert [line.text for line in talk.kinds("notice")] == ["Maya has nothing to add.", "Jordan has nothing to add."]
    assert talk.facts("nothing to add") == [{"persona": MAYA}, {"persona": JORDAN}]


@pytest.mark.parametrize(
    "text",
    [
        "Members forget their books.",
        "I'm not done with this point.",
        "Let us go back to the API.",
        "I like Alex's idea.",
        "Jordan mentioned a queue.",
    ],
)
def test_t13_what_addresses_nobody_is_answered_by_the_lead(text: str) -> None:
    talk = talking().user(text)
    assert (talk.state.queue, talk.brief, talk.state.turn) == ((MAYA, ALEX, JORDAN), "speak", 4)


def test_t13_an_address_of_nobody_is_a_contribution() -> None:
    talk = talking().reply("turn", {"text": "hm"}).read("address")
    assert (talk.speaker, talk.brief) == (MAYA, "speak")


@pytest.mark.parametrize("text", ["", "   \n\t", "\u200b"])
def test_t14_silence_costs_nothing_and_the_others_go_on(text: str) -> None:
    talk = talking().user(text)
    assert (talk.state.turn, talk.state.free, talk.state.queue) == (3, 1, (MAYA, ALEX, JORDAN))
    assert talk.outcomes[-1] == "SILENT"
    assert "user" not in talk.state.spoken


def test_t14_no_answer_is_silence() -> None:
    talk = talking().reply("turn", ABSENT)
    assert (talk.outcomes[-1], talk.speaker) == ("SILENT", MAYA)


def test_t15_what_the_reader_cannot_tell_the_classifier_reads() -> None:
    talk = talking().reply("turn", {"text": "hm"}).read("unclear")
    assert (talk.ask.seat, talk.state.free) == ("classifier", 0)
    assert talk.read("address", "jordan").speaker == JORDAN


def test_t15_what_nobody_can_tell_is_asked_back_for_free() -> None:
    talk = talking().reply("turn", {"text": "hm"}).read(ABSENT).read("unclear")
    assert (talk.ask.seat, talk.brief, talk.state.turn, talk.state.free) == ("person", "clarify", 3, 1)
    assert [line.text for line in talk.kinds("question back")] == [
        "Do you want to wrap up, or was that a contribution?"
    ]
    assert talk.meant("exit").outcomes[-1] == "EXIT_REQUESTED"


@pytest.mark.parametrize("answer", ["go_on", ABSENT])
def test_t15_going_on_is_a_contribution(answer: str) -> None:
    talk = talking(classifier=False).reply("turn", {"text": "hm"}).read("unclear").meant(answer)
    assert (talk.speaker, talk.state.turn, talk.state.free) == (MAYA, 4, 0)
    assert [line.turn for line in talk.kinds("user")] == [4]


def test_t15_words_are_no_silence_whatever_a_classifier_says() -> None:
    talk = talking().reply("turn", {"text": "hm"}).read("unclear").read("silence")
    assert (talk.outcomes[-1], talk.state.turn) == ("READ", 4)


def test_t16_with_a_limit_of_three_the_warning_is_given_with_the_framing() -> None:
    talk = Talk(max_turns=3).elaborate().frame("alex")
    assert talk.facts("turn warning") == [{"turn": 1, "limit": 3}]
    talk.say("alex").user("").say("jordan")
    assert (talk.outcomes[-1], talk.state.turn) == ("LAST_WORD", 3)
    assert len(talk.kinds("warning")) == 1


def test_t16_the_warning_is_given_once_however_long_the_talk_stays_there() -> None:
    talk = Talk(max_turns=5).elaborate().frame("alex").round().user("").passes("maya", "alex")
    assert (talk.state.turn, len(talk.facts("turn warning"))) == (3, 1)


def test_t17_three_moves_in_a_row_are_free_and_no_pass_costs_a_turn() -> None:
    talk = talking().user("").passes("maya", "alex")
    assert (talk.state.turn, talk.state.free) == (3, 3)
    talk.passes("jordan")
    assert (talk.state.turn, talk.state.free, talk.outcomes[-1], talk.brief) == (3, 3, "PASSED", "turn")


def test_t17_after_a_pass_that_is_not_free_the_person_has_the_word() -> None:
    talk = talking(free_moves=2).user("").passes("maya", "alex")
    assert (talk.state.turn, talk.brief, talk.state.queue) == (3, "turn", (JORDAN,))
    talk.user("")
    assert (talk.outcomes[-1], talk.brief) == ("ASKED_BACK", "clarify")


def test_t17_who_says_nothing_where_everybody_passes_is_asked_at_the_second_time() -> None:
    """Before, nine empty lines ended the talk at its limit of ten turns, and a document was written unasked."""
    talk = Talk().elaborate().frame("alex").passes("alex", "jordan").user("").passes("maya").user("")
    assert (talk.state.turn, talk.outcomes[-1], talk.brief) == (1, "ASKED_BACK", "clarify")


@pytest.mark.parametrize("answer", ["exit", ABSENT])
def test_t17_silence_that_is_not_free_is_asked_about_before_the_talk_ends(answer: str) -> None:
    talk = talking().user("What about the weather?").say("maya", "Later.", manner="redirect").passes("alex", "jordan")
    assert (talk.state.turn, talk.state.free, talk.brief) == (4, 3, "turn")
    talk.user("")
    assert (talk.outcomes[-1], talk.phase, talk.brief) == ("ASKED_BACK", "DISCUSSION_LOOP", "clarify")
    assert talk.sections() == {"A question": talk.kinds("question back")[-1].text}
    talk.meant(answer)
    assert (talk.outcomes[-1], talk.phase, talk.state.turn) == ("INACTIVE", "SYNTHESIS", 4)


def test_t17_who_goes_on_without_a_word_spends_a_turn() -> None:
    talk = talking().user("What about the weather?").passes("maya", "alex", "jordan").user("")
    assert (talk.state.turn, talk.state.free, talk.brief) == (4, 3, "clarify")
    talk.meant("go_on")
    assert (talk.outcomes[-1], talk.state.turn, talk.state.free, talk.speaker) == ("SILENT", 5, 0, MAYA)


def test_t17_a_redirect_that_is_not_free_costs_a_turn() -> None:
    silent = talking(free_moves=1).user("").say("maya", "Later.", manner="redirect")
    assert (silent.outcomes[-1], silent.state.turn, silent.state.free) == ("REDIRECTED", 4, 0)


def test_t17_what_is_unclear_is_a_contribution_once_nothing_is_free() -> None:
    talk = talking(free_moves=2, classifier=False).user("").say("maya").passes("alex", "jordan")
    talk.reply("turn", {"text": "hm"}).read("unclear")
    assert (talk.outcomes[-1], talk.state.turn, talk.speaker) == ("READ", 5, MAYA)


# Talk


def test_t18_after_three_utterances_without_the_person_the_lead_asks() -> None:
    talk = talking()
    assert talk.kinds("nudge") == []
    talk.user("").round()
    assert [line.text for line in talk.kinds("nudge")] == [
        "Maya would like to know: do you have thoughts on this, or shall we wrap up?"
    ]
    assert talk.sections()["A question"] == talk.kinds("nudge")[0].text


def test_t18_a_round_that_answers_the_person_is_no_silence() -> None:
    talk = talking().user("Members forget.").round()
    assert talk.kinds("nudge") == []
    assert "A question" not in talk.sections()


def test_t18_the_question_is_not_asked_for_two_utterances() -> None:
    talk = talking().user("").say("maya").say("alex").passes("jordan")
    assert talk.kinds("nudge") == []


def test_t19_only_the_lead_redirects() -> None:
    talk = talking().user("Shall we talk about the weather?").say("maya", "Later.", manner="redirect")
    assert (talk.outcomes[-1], talk.state.turn, talk.state.free) == ("REDIRECTED", 4, 1)
    assert [line.text for line in talk.kinds("redirect")] == ["Later."]
    talk.say("alex", "Not now.", manner="redirect")
    assert (talk.outcomes[-1], talk.state.turn, talk.state.free) == ("SPOKE", 5, 0)
    assert talk.facts("redirect refused") == [{"persona": ALEX}]
    assert len(talk.kinds("redirect")) == 1


def test_t19_a_contribution_without_words_is_a_pass() -> None:
    talk = Talk().elaborate().frame("alex").say("alex", "  ")
    assert (talk.outcomes[-1], talk.state.turn, talk.state.spoken) == ("PASSED", 1, (MAYA,))


def test_t19_a_persona_that_gives_no_reply_has_passed_and_is_missing() -> None:
    talk = Talk().elaborate().frame("alex").say("alex", ABSENT)
    assert (talk.outcomes[-1], talk.state.turn, talk.state.missing) == ("PASSED", 1, True)
    assert [line.text for line in talk.kinds("notice")] == ["Alex gave no reply."]


def test_t20_a_disagreement_is_put_to_the_person_word_for_word() -> None:
    talk = Talk().elaborate().frame("alex").say("alex", "Mail is enough.")
    talk.say("jordan", "Mail gets lost.", challenges=["alex"])
    assert talk.facts("disagreement") == [{"by": JORDAN, "against": ALEX}]
    assert talk.sections()["A disagreement for you to decide"] == (
        "Alex (Solutions Architect): Mail is enough.\n\nJordan (System Designer): Mail gets lost.\n\n"
        "Alex and Jordan disagree. How do you decide, and why?"
    )
    talk.user("").passes("maya", "alex", "jordan")
    assert "A disagreement for you to decide" in talk.sections()
    assert len(talk.kinds("disagreement")) == 1
    talk.user("Mail and text messages.").passes("maya", "alex", "jordan")
    assert "A disagreement for you to decide" not in talk.sections()


def test_t20_nobody_disagrees_with_somebody_who_has_not_spoken() -> None:
    talk = Talk().elaborate().frame("alex").say("alex", "Jordan is wrong.", challenges=["jordan"])
    assert (talk.facts("disagreement"), talk.facts("challenge dropped")) == ([], [{"by": ALEX, "against": JORDAN}])


def test_t13_where_all_pass_the_person_is_told() -> None:
    talk = talking(free_moves=10).user("Thirty days.").passes("maya", "alex", "jordan")
    assert [line.text for line in talk.kinds("notice")] == ["Nobody has anything to add."]
    assert talk.sections()["Since your last turn"] == "Nobody has anything to add."
    talk.user("").passes("maya", "alex", "jordan")
    assert [line.text for line in talk.kinds("notice")] == ["Nobody has anything to add."] * 2, "T14"
    talk.user("And then?").say("maya", "Then it is deleted.").passes("alex", "jordan")
    assert len(talk.kinds("notice")) == 2


# What comes of it


def test_t21_the_lead_is_asked_twice_and_then_code_writes_a_line() -> None:
    talk = talking().user("done").reply("synthesise", ABSENT)
    assert (talk.outcomes[-1], talk.ask.seat) == ("RETRY", MAYA)
    talk.reply("synthesise", ABSENT)
    assert (talk.outcomes[-1], talk.brief) == ("SUMMARISED", "record")
    assert talk.facts("synthesis by code") == [{"why": "the lead gave no synthesis"}]
    talk.keep().choose("continue")
    assert talk.conclusion.degradation is Degradation.WITHIN_SETTINGS


def test_t21_who_leaves_at_once_gets_a_line_a_record_and_no_addition() -> None:
    talk = Talk().elaborate().frame("alex").passes("alex", "jordan").user("exit")
    assert (talk.brief, talk.state.turn) == ("record", 1)
    assert talk.asked("append") == talk.asked("synthesise") == 0
    assert '"turn_count": 1' in talk.sections()["Job"]
    talk.keep().choose("continue")
    assert talk.conclusion.degradation is Degradation.NONE


def test_t22_words_are_attributed_to_those_who_spoke_alone() -> None:
    talk = Talk().elaborate().frame("alex").say("alex").passes("jordan").user("Members forget.").passes("maya")
    talk.passes("alex", "jordan").user("done")
    talk.synthesise(
        insights=[{"text": "Yes.", "by": [MAYA, "user", JORDAN, "D1"], "document": []}],
        decisions=[{"text": "No.", "rationale": "So.", "by": [JORDAN], "document": []}],
        action_items=[{"text": "Do.", "owner": [JORDAN], "document": []}],
    )
    dropped = [(each["list"], each["key"]) for each in talk.facts("attribution dropped")]
    assert dropped == [("insights", JORDAN), ("insights", "D1"), ("decisions", JORDAN)]
    job = talk.sections()["Job"]
    assert '"by": "[Maya/User]"' in job
    assert '"rationale": "So.", "by": ""' in job
    assert '"owner": "Jordan"' in job


def test_t22_a_blank_item_is_none() -> None:
    talk = talking().user("done").synthesise(insights=[{"text": " ", "by": [], "document": ["D2"]}])
    assert (talk.brief, talk.outcomes[-1]) == ("record", "NOTHING_TO_ADD")


def test_t23_items_go_to_the_document_they_name_and_else_to_the_first() -> None:
    talk = talking().user("done")
    talk.synthesise(insights=[INSIGHT, {**INSIGHT, "document": ["D2"]}, {**INSIGHT, "document": [MAYA]}])
    assert (talk.ask.seat, talk.ask.keys) == ("clerk", ("D1", "D2"))
    assert talk.facts("document unknown") == [{"list": "insights", "key": MAYA}]
    talk.append(D2="missing").keep().choose("continue")
    assert talk.facts("document missing") == [{"key": "D2", "lines": 4}]
    assert talk.conclusion.degradation is Degradation.NONE


def test_t23_without_documents_nothing_is_added() -> None:
    talk = talking(documents=0).user("done").synthesise(insights=[INSIGHT])
    assert talk.brief == "record"
    assert "append" not in talk.protocol.briefs


def test_t24_every_elaboration_has_its_record_and_the_second_one_follows() -> None:
    talk = talking().user("done").wrap_up()
    talk.elaborate().frame().round().user("done").wrap_up()
    assert [each["elaboration"] for each in talk.facts("record written")] == [1, 2]
    assert (talk.phase, talk.state.turn, talk.state.elaborations) == ("MENU", 0, 2)
    assert {line.elaboration for line in talk.lines} == {1, 2}


@pytest.mark.parametrize("failing", ["append", "append absent", "record", "record absent"])
def test_t25_what_could_not_be_written_degrades_below_the_settings(failing: str) -> None:
    talk = talking().user("done").synthesise(insights=[INSIGHT])
    if failing == "append absent":
        talk.reply("append", ABSENT)
    else:
        talk.append(**({"D1": "failed"} if failing == "append" else {}))
    talk.keep({"record": "failed", "record absent": ABSENT}.get(failing, "repaired"))
    assert talk.phase == "MENU"
    talk.choose("continue")
    assert talk.conclusion.degradation is Degradation.BELOW_SETTINGS


# Ends


def test_t26_a_wish_wraps_up_at_once_while_the_person_is_waited_for() -> None:
    talk = talking().interrupt(Reason.WISH)
    assert (talk.brief, talk.ask.seat) == ("synthesise", MAYA)
    talk.synthesise(insights=[INSIGHT]).append().keep()
    assert (talk.phase, talk.verdict, talk.outcomes[-1]) == ("LEFT", "CONTINUE", "CONCLUDED")


def test_t26_a_wish_while_the_clerk_works_lets_it_finish_what_it_has_to_do() -> None:
    talk = talking().user("done").synthesise(insights=[INSIGHT]).interrupt(Reason.WISH)
    assert (talk.brief, talk.ask.keys) == ("append", ("D1",))
    talk.append().interrupt(Reason.WISH).keep()
    assert talk.verdict == "CONTINUE"


@pytest.mark.parametrize("reason", [Reason.WISH, Reason.BUDGET])
def test_t26_at_the_menu_it_just_ends(reason: Reason) -> None:
    for talk in (Talk(), talking().user("done").wrap_up()):
        talk.interrupt(reason)
        assert (talk.outcomes[-1], talk.verdict) == ("NOTHING_SAID", "CONTINUE")
        assert talk.conclusion.degradation is Degradation.NONE


def test_t26_a_wish_before_the_framing_just_ends_it() -> None:
    talk = Talk().elaborate().interrupt(Reason.WISH)
    assert (talk.verdict, talk.conclusion.degradation) == ("CONTINUE", Degradation.NONE)


@pytest.mark.parametrize("reason", [Reason.BUDGET, Reason.EPISODES, Reason.STALL])
def test_t27_a_limit_before_anything_was_said_aborts(reason: Reason) -> None:
    before = Talk().elaborate()
    unframed = Talk().elaborate().frame(ABSENT).passes("alex")
    for talk in (before, unframed):
        talk.interrupt(reason)
        assert (talk.verdict, talk.outcomes[-1]) == ("ABORTED", "GIVEN_UP")
        assert talk.conclusion.degradation is Degradation.WITHIN_SETTINGS
        assert talk.lines[-1].text == f"It ends here ({reason.value})."


def test_t25_a_limit_right_after_the_framing_degrades() -> None:
    talk = Talk().elaborate().frame("alex").interrupt(Reason.BUDGET)
    assert (talk.brief, talk.facts("synthesis by code")) == ("record", [{"why": "no model may be asked any more"}])
    assert talk.keep().verdict == "CONTINUE"
    assert talk.conclusion.degradation is Degradation.WITHIN_SETTINGS


@pytest.mark.parametrize("reason", [Reason.BUDGET, Reason.EPISODES, Reason.STALL])
def test_t27_a_limit_wraps_up_without_a_model(reason: Reason) -> None:
    talk = talking().interrupt(reason)
    assert (talk.brief, talk.state.turn) == ("record", 3)
    talk.keep()
    assert (talk.verdict, talk.conclusion.degradation) == ("CONTINUE", Degradation.WITHIN_SETTINGS)
    assert talk.conclusion.interrupted is reason


def test_t27_what_is_synthesised_already_is_still_added() -> None:
    talk = talking().user("done").synthesise(insights=[INSIGHT]).interrupt(Reason.BUDGET)
    assert talk.brief == "append"
    assert talk.append().keep().verdict == "CONTINUE"


def test_t27_a_second_limit_ends_it_at_once() -> None:
    talk = talking().interrupt(Reason.BUDGET).interrupt(Reason.EPISODES)
    assert (talk.verdict, talk.outcomes[-1]) == ("ABORTED", "GIVEN_UP")
    assert talk.conclusion.degradation is Degradation.BELOW_SETTINGS


def test_t27_a_cancelled_session_is_aborted_and_keeps_what_was_said() -> None:
    talk = talking().interrupt(Reason.CANCELLED)
    assert talk.verdict == "ABORTED"
    assert [line.text for line in talk.kinds("utterance")] == ["solutions-architect speaks", "system-designer speaks"]


def test_t27_episodes_and_stalls_are_counted() -> None:
    talk = Talk(max_episodes=3).elaborate().frame().round()
    assert talk.user("Go on.").brief == "record"
    stalled = Talk(stall_after=2).elaborate().frame("alex").passes("alex", "jordan")
    assert stalled.brief == "record"


@pytest.mark.parametrize("idle", [{"manner": "pass"}, {"text": "  "}, {"text": ABSENT}])
def test_t27_who_says_nothing_brings_nothing_on(idle: dict[str, str]) -> None:
    assert Talk(stall_after=1).elaborate().frame("alex").say("alex", **idle).brief == "record"


def test_t27_words_and_readings_bring_it_on() -> None:
    talk = (
        talking(stall_after=1, max_turns=20)
        .user("Later?")
        .say("maya", "Later.", manner="redirect")
        .say("alex")
        .say("jordan")
    )
    talk.reply("turn", {"text": "hm"}).read("unclear").read("contribution")
    assert talk.phase == "DISCUSSION_LOOP"
    talk.round().reply("turn", {"text": "hm"}).read("unclear").read("unclear")
    assert talk.brief == "record"


def test_there_is_no_exam_so_no_seat_is_unqualified() -> None:
    """T35."""
    assert not DEFINITION.exam
    assert "unqualified_seats" not in DEFINITION.settings.__annotations__
