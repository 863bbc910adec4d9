"""The specification in its three formats: every artifact is there, with where it comes from and what became of it."""

from __future__ import annotations

import re
from typing import Any

import pytest

from quorate.protocols.workshop.rules.documents import Format, documents
from quorate.protocols.workshop.rules.documents.marks import anchored
from tests.protocols.workshop.rules.documents.sessions import amendment, artifact, eventful, round_, session, topic

NAME = "workshop-20260301-120000-ab12"


def written(format_: Format, **changes: Any) -> str:
    rounds = [round_(1, artifacts_created=[each["id"] for each in eventful()]), round_(2), round_(3)]
    made = documents(session("specs", eventful(), rounds, **changes), format_, session=NAME)
    assert list(made) == ["requirements.md"]
    return made["requirements.md"]


def section(text: str, title: str) -> str:
    """What stands below a heading, up to the next of its level or above."""
    found = re.search(rf"^(#+) (?:\d+\. )?{re.escape(title)}.*$", text, re.MULTILINE)
    assert found, title
    rest = text[found.end() :]
    end = re.search(rf"^#{{1,{len(found[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


@pytest.mark.parametrize("format_", Format)
def test_every_artifact_has_one_anchor_and_is_traced(format_: Format) -> None:
    text = written(format_)
    ids = {each["id"] for each in eventful()}
    assert set(anchored(text, NAME)) == ids
    assert text.count(f"{NAME} -->") == len(ids)
    traced = section(text, "Traceability")
    assert all(f"| {id_} |" in traced for id_ in ids)
    assert "| 1 | User workflows | discussion | Who pays, and when? |" in traced


@pytest.mark.parametrize("format_", Format)
def test_what_is_gone_stands_in_the_appendix_with_why(format_: Format) -> None:
    text = written(format_)
    gone = section(text, "Appendix")
    assert "### REQ-002: Pay by cheque (superseded)" in gone
    assert "- Superseded by REQ-003" in gone
    assert "- Withdrawn because: Nobody has one." in gone
    before = text[: text.index("Appendix")]
    assert "REQ-002: Pay by cheque" not in before
    assert "REQ-004: Pay by fax" not in before


@pytest.mark.parametrize("format_", Format)
def test_amendments_are_shown_field_by_field(format_: Format) -> None:
    text = written(format_)
    assert "- Round 2, proposed by ux-researcher, supported by qa-lead: Made it clearer" in text
    assert "- Priority: changed from “should” to “must”" in text
    assert "- Acceptance criteria: added It is refused" in text
    assert "- Round 3, proposed by ux-researcher, supported by qa-lead (REVERTED, no longer in force)" in text
    assert "| 3 (reverted) |" in text


@pytest.mark.parametrize("format_", Format)
def test_origin_names_round_proposer_supporters_and_opponents(format_: Format) -> None:
    text = written(format_)
    assert "round 1 (topic User workflows), proposed by product-manager; supported by qa-lead; agreed" in text
    assert "supported by qa-lead; opposed by qa-lead; NOT AGREED, a draft" in text
    assert "contested by ux-researcher; NOT AGREED, in conflict" in text
    assert "with no proposer on record" in text


def test_srs_has_its_sections_in_order() -> None:
    text = written(Format.SRS)
    titles = re.findall(r"^## \d+\. (.*)$", text, re.MULTILINE)
    assert titles == [
        "Introduction",
        "Scope",
        "Users and workflows",
        "Functional requirements",
        "Business rules",
        "Non-functional requirements",
        "Exclusions",
        "Open questions",
        "Conflicts",
        "Traceability",
        "Appendix: superseded and withdrawn",
    ]
    functional = section(text, "Functional requirements")
    groups = re.findall(r"^#{3,4} (.*)$", functional, re.MULTILINE)
    assert groups == [
        "Must have",
        "REQ-001: Pay by card",
        "REQ-007: Receipts",
        "Should have",
        "REQ-003: Pay by transfer",
        "Could have",
        "REQ-005: Pay later (NOT AGREED, a draft)",
        "Will not have now",
        "REQ-006: Refunds (NOT AGREED, in conflict)",
    ]
    assert "- A valid card is charged" in functional
    qualities = section(text, "Non-functional requirements")
    assert "| NFR-001 | performance | Pages are fast. | 200 ms | 500 ms | 95th percentile of a load test |" in qualities
    assert "- REQ-001: Pay by card" in section(text, "Users and workflows")
    questions = section(text, "Open questions")
    assert "### OQ-001: Currencies (open)" in questions
    assert "Resolved by facilitator decision in round 2: By country." in questions
    assert "- qa-lead: against (because: Cannot be tested.)\n- ux-researcher: for (" in section(text, "Conflicts")


def test_volere_has_a_shell_for_each() -> None:
    text = written(Format.VOLERE)
    shell = section(text, "REQ-001: Pay by card")
    labels = re.findall(r"^- \*\*(.*?):\*\*", shell, re.MULTILINE)
    assert labels == [
        *("Requirement", "Type", "Description", "Rationale", "Originator", "Fit criterion", "Priority", "Agreement"),
        *("Supporters", "Conflicts", "History"),
    ]
    assert "**Rationale:** from product-manager's answer in round 1: Customers ask for it; Others have it" in shell
    assert "**Fit criterion:** A valid card is charged" in shell
    assert "**Conflicts:** CONF-001 is open on the same topic" in shell
    quality = section(text, "NFR-001: Speed")
    assert "target: 200 ms; minimum: 500 ms; measurement: 95th percentile of a load test" in quality
    assert "**Type:** non-functional requirement (performance)" in quality


def test_the_rationale_is_the_proposers_own_from_the_round_that_made_it() -> None:
    """W12: nobody's words are put into another's mouth."""
    first = round_(1)["positions"][0]
    others = [{**first, "participant": "qa-lead", "rationale": ["I doubt it"]}, first]
    later = [{**first, "rationale": ["Said later"]}]
    rounds = [round_(1, positions=others), round_(2, positions=later)]
    text = documents(session("specs", [artifact("REQ-001")], rounds), Format.VOLERE)["requirements.md"]
    assert "**Rationale:** from product-manager's answer in round 1: Customers ask for it; Others have it\n" in text


def test_volere_says_where_nothing_could_be_tested() -> None:
    bare = artifact("REQ-001", fields={"acceptance": []}, proposed_by="", created_round=9)
    text = documents(session("specs", [bare]), Format.VOLERE)["requirements.md"]
    assert "**Fit criterion:** NONE" in text
    assert "**Rationale:** none on record" in text
    assert "**Originator:** nobody on record" in text


def test_simple_is_one_list() -> None:
    entries = section(written(Format.SIMPLE), "List")
    ids = re.findall(r"^- \*\*([A-Z]+-\d+)\*\*", entries, re.MULTILINE)
    assert ids == [each["id"] for each in eventful() if each["status"] not in ("superseded", "withdrawn")]
    assert "Pay by card (requirement, must, agreed) <!-- quorate REQ-001" in entries


@pytest.mark.parametrize("format_", Format)
def test_other_types_are_not_dropped(format_: Format) -> None:
    strange = [artifact("REQ-001"), artifact("IDEA-001", "A strange idea"), artifact("COMP-001", "A part")]
    text = documents(session("specs", strange), format_, session=NAME)["requirements.md"]
    assert set(anchored(text, NAME)) == {"REQ-001", "IDEA-001", "COMP-001"}
    assert "A shop that speaks." in text


# How it ended


def test_a_complete_session_says_so_and_nothing_more() -> None:
    text = written(Format.SRS)
    assert "# Requirements (complete): The shop" in text
    assert "not complete" not in text
    assert f"**Session:** `{NAME}`, 2026-03-01, workflow specs, strategy standard, 3 rounds" in text
    assert "**Artifacts:** 8 in force (6 agreed, 1 not agreed, 1 in conflict); 2 superseded or withdrawn" in text
    assert "**Left open:** 1 question (1 blocking), 1 conflict" in text


@pytest.mark.parametrize(
    ("verdict", "words"),
    [("INCOMPLETE", "INCOMPLETE"), ("CLOSED", "CLOSED EARLY"), ("ABORTED", "ABORTED"), (None, "UNDER WAY")],
)
@pytest.mark.parametrize("format_", Format)
def test_an_incomplete_one_cannot_pass_for_complete(format_: Format, verdict: str | None, words: str) -> None:
    agenda = [topic("user-workflows"), topic("business-rules", "partial")]
    text = written(format_, verdict=verdict, agenda=agenda)
    title = next(line for line in text.splitlines() if line.startswith("# "))
    assert title == f"# Requirements ({words}): The shop"
    assert "> **This document is not complete.**" in text
    assert "1 of 2 topics not closed." in text
    assert "- **Business rules** (partial, required): 0 of 1 agreed artifacts\n  - not met: Criterion of" in text


def test_complete_with_a_topic_open_says_both() -> None:
    text = written(Format.SRS, agenda=[topic("user-workflows"), topic("out-of-scope", "open", critical=False)])
    assert "# Requirements (complete, 1 topic open): The shop" in text
    assert "> **This document is not complete.**" in text


def test_degraded_seats_are_named() -> None:
    rounds = [round_(1, absent=["qa-lead"]), round_(2, absent=["qa-lead"], fallback_question=True)]
    text = documents(session("specs", [artifact("REQ-001")], rounds, warnings=["a misquotation"]))["requirements.md"]
    assert "# Requirements (complete, degraded): The shop" in text
    assert "qa-lead gave no answer in rounds 1, 2; the facilitator asked no usable question in round 2" in text
    assert "**Warnings:** 1, listed under Traceability" in text
    assert "### Warnings\n\n- a misquotation\n" in text


@pytest.mark.parametrize(
    ("told", "title", "words"),
    [
        ("none", "(complete)", ""),
        ("within settings", "(complete, degraded)", "**Degraded:** somebody was missing"),
        ("below settings", "(complete, degraded)", "**Degraded:** more was missing than the settings allow"),
    ],
)
def test_degradation_is_told_as_the_session_has_it(told: str, title: str, words: str) -> None:
    """W35"""
    text = written(Format.SRS, degradation=told)
    assert f"# Requirements {title}: The shop" in text
    assert words in text


def test_a_topic_of_many_lines_is_named_by_its_first_and_shown_whole() -> None:
    text = written(Format.SRS, topic="\n# An audit log\n\nWho changed what?\n- when\n")
    assert "# Requirements (complete): An audit log\n" in text
    assert "**Subject:** \\# An audit log\n\nWho changed what?\\\n\\- when\n" in text


def test_an_amendment_tells_what_was_refused_of_it() -> None:
    entry = amendment(2, {"title": {"changed_from": "A", "changed_to": "B", "added": ["C"]}})
    entry["refused"] = ["REQ has no severity"]
    text = documents(session("specs", [artifact("REQ-001", amendments=[entry])]))["requirements.md"]
    assert "  - Title: changed from “A” to “B”; added C\n  - Refused: REQ has no severity\n" in text


@pytest.mark.parametrize("format_", Format)
@pytest.mark.parametrize("workflow", ["specs", "design", "brainstorm", "open"])
def test_an_empty_session_makes_a_document_all_the_same(workflow: str, format_: Format) -> None:
    empty = session(workflow, rounds=[], agenda=[topic("a", "open")], verdict="ABORTED", closed_by="no participant")
    made = documents(empty, format_)
    assert len(made) == 1
    text = next(iter(made.values()))
    assert "(ABORTED)" in text
    assert "**Ended by:** no participant" in text
    assert "None." in text
    assert "0 in force (0 agreed)" in text
