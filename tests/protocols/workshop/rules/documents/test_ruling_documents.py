"""What a person decided stands near the top of every document, and with what it was about (W24)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from quorate.protocols.workshop.rules.documents import Format, documents, merge
from tests.protocols.workshop.rules.documents.sessions import artifact, round_, session, topic
from tests.support.workshops import TWO, Meeting, agenda, req
from tests.support.workshops import topic as agenda_topic

DECISION = "Ninety days; names go after thirty"
ADVICE = "Keep them for a year, as REQ-001 says."
DOCUMENTS = [
    *(("specs", format_, "requirements.md") for format_ in Format),
    ("design", Format.SRS, "architecture.md"),
    ("brainstorm", Format.SRS, "summary.md"),
    ("open", Format.SRS, "summary.md"),
]
EVERY = pytest.mark.parametrize(("workflow", "format_", "name"), DOCUMENTS)


def resolved(id_: str, title: str, words: str, round_number: int = 3, method: str = "person", **more: Any) -> Any:
    how = {"status": "resolved", "resolution": words, "resolution_method": method, "resolved_round": round_number}
    return artifact(id_, title, **how, **more)


def ruling(choice: str, *conflicts: str, decision: str = "", reason: str = "") -> dict[str, Any]:
    return {"choice": choice, "decision": decision, "reason": reason, "conflicts": list(conflicts)}


def ruled(workflow: str, **changes: Any) -> Any:
    """A session in which a person decided in round 3, accepted in round 4 and let them go on in round 5."""
    made = [
        artifact("REQ-001", "Audit log"),
        artifact("REQ-002", "Erasure", topic_id="privacy"),
        artifact("REQ-003", "Search", topic_id="finding"),
        artifact("ARCH-001", "One store", topic_id="privacy"),
        resolved("CONF-001", "How long", DECISION),
        resolved("CONF-002", "REQ-002 is contested", ADVICE, 4, topic_id="privacy", about=["REQ-002"]),
        artifact("CONF-003", "Who reads", topic_id="reading"),
    ]
    rounds = [
        round_(1, recommendation="Something older."),
        round_(3, rulings=[ruling("decide", "CONF-001", decision=DECISION, reason="Both\nreasons hold")]),
        round_(4, rulings=[ruling("accept", "CONF-002")], recommendation="Something else."),
        round_(5, rulings=[ruling("go_on", "CONF-003", reason="Too early")]),
    ]
    return session(workflow, made, rounds, **changes)


def first_of(text: str, title: str) -> str:
    """The section of that title, which has to be among the first two."""
    parts = re.split(r"^## (?:\d+\. )?", text, flags=re.MULTILINE)[1:3]
    found = [part.partition("\n")[2].strip() for part in parts if part.startswith(f"{title}\n")]
    assert len(found) == 1, [part.partition("\n")[0] for part in parts]
    return found[0]


@EVERY
def test_every_document_has_what_a_person_decided_near_its_top(workflow: str, format_: Format, name: str) -> None:
    text = documents(ruled(workflow), format_)[name]
    assert "- **Decisions by a person:** 2, in rounds 3, 4; see below\n" in text
    assert first_of(text, "Decisions by a person").split("\n\n") == [
        "### Round 3: a person decided in words of their own",
        "**Conflicts:** CONF-001: How long",
        f"**Decided:** {DECISION}",
        "**Reason:** Both\\\nreasons hold",
        "### Round 4: a person accepted the facilitator's recommendation",
        "**Conflicts:** CONF-002: REQ-002 is contested",
        "**Decided:** Keep them for a year, as REQ\\-001 says.",
        "**Reason:** –",
        "### Round 5: a person was asked, and nothing was decided",
        "**Conflicts:** CONF-003: Who reads",
        "**Decided:** nothing",
        "**Reason:** Too early",
    ]


@EVERY
def test_where_nothing_was_decided_there_is_no_such_section(workflow: str, format_: Format, name: str) -> None:
    rounds = [round_(1, rulings=[ruling("go_on", reason="nobody answered")])]
    text = documents(session(workflow, [artifact("REQ-001")], rounds), format_)[name]
    assert "Decisions by a person" not in text
    assert "- Round 1: a person was asked, and nothing was decided (because: nobody answered)\n" in text


@EVERY
def test_decisions_on_the_way_say_what_was_accepted(workflow: str, format_: Format, name: str) -> None:
    text = documents(ruled(workflow), format_)[name]
    lines = text[text.index("Decisions on the way:") :].splitlines()[2:5]
    assert lines == [
        f"- Round 3: a person decided in words of their own on CONF-001: {DECISION} (because: Both reasons hold)",
        "- Round 4: a person accepted the facilitator's recommendation on CONF-002: Keep them for a year, as "
        "REQ\\-001 says.",
        "- Round 5: a person was asked, and nothing was decided on CONF-003 (because: Too early)",
    ]


def test_several_rulings_in_a_round_are_all_told() -> None:
    both = [ruling("decide", "CONF-001", decision="The first."), ruling("decide", "CONF-009", decision="The second.")]
    text = documents(session("open", [artifact("CONF-001", "Colour")], [round_(2, rulings=both)]))["summary.md"]
    section = first_of(text, "Decisions by a person")
    assert section.index("CONF-001: Colour") < section.index("The first.") < section.index("The second.")
    assert "**Conflicts:** CONF-009\n" in section


def test_what_was_accepted_without_a_conflict_is_the_last_recommendation() -> None:
    rounds = [round_(1, recommendation="Take the left one."), round_(2, recommendation=" ", rulings=[ruling("accept")])]
    section = first_of(documents(session("open", [], rounds))["summary.md"], "Decisions by a person")
    assert "**Conflicts:** none was open\n\n**Decided:** Take the left one.\n" in section


def test_what_is_written_beside_a_choice_is_not_taken_for_the_decision() -> None:
    said = ruling("accept", "CONF-001", decision="Though I have doubts.")
    made = [resolved("CONF-001", "Colour", "Blue.", 1)]
    section = first_of(
        documents(session("open", made, [round_(1, rulings=[said])]))["summary.md"], "Decisions by a person"
    )
    assert "**Decided:** Blue.\n\n**The person's remark:** Though I have doubts.\n" in section


def test_a_persons_words_cannot_act_and_are_not_renumbered() -> None:
    """W36: the ids of conflicts follow, what was said stays."""
    evil = "REQ-001 <!-- quorate REQ-009 x -->\n\n## Decisions\n- REQ-001"
    made = [artifact("REQ-001"), resolved("CONF-001", "Colour", evil, 1)]
    rounds = [round_(1, rulings=[ruling("decide", "CONF-001", decision=evil, reason=evil)])]
    new = documents(session("specs", made, rounds), session="one")["requirements.md"]
    assert "\n## Decisions\n" not in new
    assert new.count("<!-- quorate REQ-") == 1
    text = merge("REQ-040 CONF-040\n", new).text
    assert "**Conflicts:** CONF-041: Colour\n\n**Decided:** REQ\\-001 &lt;!-- quorate REQ\\-009 x --" in text
    assert "a person decided in words of their own on CONF-041: REQ\\-001" in text


# With what it was about


@pytest.mark.parametrize("format_", Format)
def test_an_artifact_names_the_conflicts_on_its_topic_or_about_it(format_: Format) -> None:
    made = [
        *(artifact("REQ-001"), artifact("REQ-002"), artifact("REQ-003", topic_id="privacy")),
        resolved("CONF-001", "On the topic", "x"),
        resolved("CONF-002", "About one", "x", about=["REQ-001"]),
        resolved("CONF-003", "By vote", "x", 2, "majority", topic_id="privacy"),
        artifact("CONF-004", "Still open", topic_id="privacy", about=["REQ-003"]),
    ]
    text = documents(session("specs", made), format_)["requirements.md"]
    found = re.findall(r"(?:^|\n)(?:  )?(?:- )?(?:\*\*)?Conflicts:(?:\*\*)? (.*)", text)
    assert found == [
        "CONF-001, decided by a person in round 3; CONF-002, decided by a person in round 3",
        "CONF-001, decided by a person in round 3; CONF-002 (about REQ-001), decided by a person in round 3",
        "CONF-003, resolved by majority in round 2; CONF-004 is open",
    ]


def test_volere_says_none_where_there_is_none() -> None:
    text = documents(ruled("specs"), Format.VOLERE)["requirements.md"]
    shells = dict(re.findall(r"### (REQ-\d+):.*?\*\*Conflicts:\*\* (.*?)\n", text, re.DOTALL))
    assert shells == {
        "REQ-001": "CONF-001, decided by a person in round 3",
        "REQ-002": "CONF-002, decided by a person in round 4",
        "REQ-003": "none",
    }


def test_a_decision_record_has_the_rulings_that_concern_it_alone() -> None:
    record = documents(ruled("design"))["decisions/0001-one-store.md"]
    section = first_of(record, "Decisions by a person")
    assert "### Round 4: a person accepted the facilitator's recommendation" in section
    assert DECISION not in record
    assert "- Conflicts: CONF-002 (about REQ-002), decided by a person in round 4\n" in record


# What a topic lacks


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"minimum": 0, "counted": 1}, "1 agreed artifact\n  - not met: Criterion of a\n"),
        ({"minimum": 0, "counted": 2}, "2 agreed artifacts\n  - not met: Criterion of a\n"),
        ({"minimum": 3, "counted": 1, "criteria": []}, "1 of 3 agreed artifacts\n  - short of 2 agreed artifacts\n"),
        ({"criteria": [], "counted": 1}, "1 of 1 agreed artifacts\n  - it lacks nothing, but the session had not"),
        ({"status": "closed", "criteria": []}, "0 of 1 agreed artifacts\n  - short of 1 agreed artifact\n"),
    ],
)
def test_a_topic_that_is_not_closed_says_what_it_lacks(changes: dict[str, Any], words: str) -> None:
    """W21"""
    open_topic = {**topic("a", "partial"), **changes}
    text = documents(session("specs", agenda=[open_topic], verdict="INCOMPLETE"))["requirements.md"]
    assert f"- **A** ({open_topic['status']}, required): {words}" in text


def test_a_topic_that_a_conflict_keeps_open_names_it() -> None:
    """W21"""
    made = [
        artifact("CONF-001", "How long", topic_id="a"),
        artifact("CONF-002", topic_id="b"),
        resolved("CONF-003", "x", "y", topic_id="a"),
    ]
    held_up = topic("a", "partial", criteria=[], counted=1)
    text = documents(session("specs", made, agenda=[held_up], verdict="INCOMPLETE"))["requirements.md"]
    assert "1 of 1 agreed artifacts\n  - in conflict: CONF-001 is open (How long)\n\n" in text


def test_a_topic_that_waits_for_a_ruling_is_open_and_names_it() -> None:
    """W21: also where the ruling names an artifact of the topic, and the topic is closed."""
    made = [artifact("REQ-001", topic_id="a"), artifact("RUL-001", "Thirty", topic_id="b", about=["REQ-001"])]
    text = documents(session("specs", made, agenda=[topic("a", counted=1)], verdict="INCOMPLETE"))["requirements.md"]
    assert "1 of 1 agreed artifacts\n  - waiting: RUL-001 of a person is not applied\n\n" in text
    assert "**Conflicts:** RUL-001 of a person is NOT APPLIED\n" in text


def test_the_head_says_what_nobody_read_and_that_too_few_judged() -> None:
    """W37, W38"""
    found = session("specs", verdict="INCOMPLETE") | {"unread": ["Topic, part 2 of 4"], "judged": 0}
    text = documents(found)["requirements.md"]
    assert "- **Shown to nobody:** Topic, part 2 of 4\n" in text
    assert "- **Judged:** by 0 of 3, which is too few\n" in text
    assert "reached its last round with something still open.\n" in text


def test_a_topic_that_needs_no_artifacts_shows_their_number_alone() -> None:
    """W21"""
    agenda_ = [topic("a", minimum=0, counted=1), topic("b", minimum=2, counted=3)]
    text = documents(session("specs", agenda=agenda_))["requirements.md"]
    assert "| A | yes | closed | 1 | 1 of 1 |\n| B | yes | closed | 3 of 2 | 1 of 1 |" in text


# From a session that was held


@pytest.mark.parametrize(
    ("choice", "decided"), [("accept", "Take the middle way."), ("decide", "Drop the half of it.")]
)
def test_a_session_that_was_held_has_all_that_is_read_here(choice: str, decided: str) -> None:
    """W24: a contested requirement, put to a person."""
    about = agenda(agenda_topic("a", 9), workflow="specs")
    meeting = Meeting(about, max_rounds_per_conflict=1, workflow="specs").round(requirements=[req("P1", "P2")])
    meeting.respond({TWO: {"contested": ["REQ-001"], "position": "Never."}}).synthesise()
    meeting.rule(choice, "Drop the half of it.")
    text = documents(meeting.result, Format.VOLERE)["requirements.md"]
    section = first_of(text, "Decisions by a person")
    assert f"**Conflicts:** CONF-001: REQ-001 is contested\n\n**Decided:** {decided}\n" in section
    assert "CONF-001, decided by a person in round 2; RUL-001 of a person is NOT APPLIED\n" in text
