"""Merging: numbers go on, references follow, nothing that was there is lost, and twice is as good as once (W36)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from quorate.core.errors import RuleViolation
from quorate.protocols.workshop.rules.documents import Format, MergeOutcome, documents, merge, merge_files
from quorate.protocols.workshop.rules.documents.marks import anchored, session_marks
from tests.protocols.workshop.rules.documents.sessions import FIELDS, artifact, eventful, round_, session, topic

FIRST = "workshop-20260301-120000-ab12"
SECOND = "workshop-20260302-120000-cd34"


def requirements(name: str = FIRST, format_: Format = Format.SRS, **changes: Any) -> str:
    return documents(session("specs", eventful(), **changes), format_, session=name)["requirements.md"]


def designed(name: str = FIRST) -> dict[str, str]:
    made = [
        artifact("ARCH-001", "One process", status="superseded", superseded_by="ARCH-002"),
        artifact("ARCH-002", "Two processes", supersedes=["ARCH-001"], fields={"context": "See ARCH-001 and COMP-1."}),
        artifact("COMP-001", "Orders", fields={"dependencies": ["COMP-002"]}),
        artifact("COMP-002", "Payments"),
    ]
    return dict(documents(session("design", made), session=name))


def test_numbers_go_on_from_the_highest_of_their_type() -> None:
    existing = "# Mine\n\nREQ-012 is ours, (BR-3) too; NFR-0007, XREQ-99 and REQ-1234567 are nothing.\n"
    merged = merge(existing, requirements())
    assert merged.outcome is MergeOutcome.MERGED
    assert merged.ids["REQ-001"] == "REQ-013"
    assert merged.ids["REQ-007"] == "REQ-019"
    assert merged.ids["BR-001"] == "BR-004"
    assert merged.ids["NFR-001"] == "NFR-008"
    assert merged.ids["EX-001"] == "EX-001"
    part = merged.text[len(existing) :]
    assert set(anchored(part, FIRST)) == set(merged.ids.values())
    assert "- Superseded by REQ-015" in part
    assert "- Supersedes REQ-014" in part
    assert "| REQ-001 | REQ-013 |" in part
    numbers = {int(number) for number in re.findall(r"#### REQ-(\d+)", part)}
    assert numbers == {13, 14, 15, 16, 17, 18, 19}


def test_the_new_part_stands_one_level_below_a_heading_of_its_own() -> None:
    merged = merge("# Mine\n", requirements(verdict="INCOMPLETE"))
    headings = re.findall(r"^(#+) (.*)$", merged.text, re.MULTILINE)
    assert headings[0] == ("#", "Mine")
    assert headings[1] == ("##", f"Merged from {FIRST}: Requirements (INCOMPLETE): The shop")
    assert all(len(marks) >= 3 for marks, _ in headings[2:])


@pytest.mark.parametrize("format_", Format)
def test_two_sessions_stand_side_by_side(format_: Format) -> None:
    once = merge("", requirements(FIRST, format_))
    assert once.ids == {each["id"]: each["id"] for each in eventful()}
    twice = merge(once.text, requirements(SECOND, format_))
    assert twice.text.startswith(once.text)
    first, second = set(anchored(twice.text, FIRST)), set(anchored(twice.text, SECOND))
    assert first == set(once.ids)
    assert second == set(twice.ids.values())
    assert not first & second


@pytest.mark.parametrize("format_", Format)
def test_merging_twice_is_merging_once(format_: Format) -> None:
    once = merge("REQ-004\n", requirements(format_=format_))
    again = merge(once.text, requirements(format_=format_))
    assert again.outcome is MergeOutcome.ALREADY
    assert again.text == once.text
    assert again.ids == once.ids


def test_the_document_itself_already_holds_its_session() -> None:
    own = requirements()
    merged = merge(own, own)
    assert merged.outcome is MergeOutcome.ALREADY
    assert merged.text == own
    assert merged.ids == {each["id"]: each["id"] for each in eventful()}


def test_another_state_of_a_session_is_not_put_beside_it() -> None:
    once = merge("REQ-004\n", requirements(verdict="INCOMPLETE"))
    again = merge(once.text, requirements())
    assert again.outcome is MergeOutcome.OTHER_STATE
    assert again.text == once.text


BROUGHT = st.text(max_size=200) | st.lists(
    st.sampled_from(
        [
            *("REQ-001", "REQ-17", "BR-2 ", "\r\n", "\n", "# Heading\n", "```\n", "<!--", "-->", "| a |\n", " ", "\t"),
            *(
                "<!-- quorate session x 0123456789ab -->\n",
                "<!-- quorate REQ-005 y -->\n",
                "\ufeff",
                "\x00",
                "\u2028",
                "é",
            ),
        ]
    ),
    max_size=12,
).map("".join)


@given(BROUGHT, st.sampled_from(Format))
@example("", Format.SRS)
@example(" ", Format.SRS)
@example("no newline at its end", Format.SRS)
@example("a\r\nb\r\n", Format.SIMPLE)
@settings(max_examples=60, deadline=None)
def test_what_was_there_stays_byte_by_byte(existing: str, format_: Format) -> None:
    merged = merge(existing, requirements(format_=format_))
    assert merged.text.startswith(existing)
    assert merged.outcome is MergeOutcome.MERGED
    taken = set(re.findall(r"(?<![A-Za-z0-9])[A-Z]+-\d{3}(?!\d)", existing))
    assert not taken & set(merged.ids.values())
    assert len(set(merged.ids.values())) == len(merged.ids)
    again = merge(merged.text, requirements(format_=format_))
    assert again.text == merged.text
    assert again.ids == merged.ids


def test_lines_end_as_they_do_in_the_file() -> None:
    existing = "# Mine\r\n\r\nREQ-004\r\n"
    merged = merge(existing, requirements())
    assert "\n" not in merged.text.replace("\r\n", "")
    assert merge(merged.text, requirements()).outcome is MergeOutcome.ALREADY


def test_references_in_prose_follow_and_foreign_ids_stay() -> None:
    words = "Like REQ-001, REQ-2 and REQ-001-based; not ACME-REQ-001, REQ-001x, REQ-0015 or REQ-999."
    made = [artifact("REQ-001", fields={"description": words}), artifact("REQ-002")]
    new = documents(session("specs", made), session=FIRST)["requirements.md"]
    text = merge("REQ-100\n", new).text
    expected = "Like REQ-101, REQ-102 and REQ-101-based; not ACME-REQ-001, REQ-001x, REQ-0015 or REQ-999."
    assert expected in text


SAID = "Extend REQ-001 and REQ-002 of the old file"


def quoting(name: str = FIRST, format_: Format = Format.SRS) -> str:
    """A specification in which people, the agenda and the facilitator's questions name REQ-001 and REQ-002."""
    parties = [{"participant": "qa-lead", "stance": SAID, "rationale": SAID}]
    made = [
        artifact("REQ-001", fields={"description": "Like REQ-002."}),
        artifact("REQ-002", supersedes=["REQ-001"]),
        artifact("CONF-001", "REQ-001 is contested", fields={"positions": parties}),
        artifact("CONF-002", status="resolved", resolution=SAID, resolution_method="person", resolved_round=1),
        artifact("CONF-003", status="resolved", resolution="REQ-002 it is", resolution_method="majority"),
    ]
    agenda = [topic("user-workflows", "partial", name=SAID, criteria=[{"text": SAID, "met": False, "round": None}])]
    agenda += [topic("more", coverage=[SAID])]
    ruled = {"choice": "decide", "decision": SAID, "reason": SAID, "conflicts": ["CONF-002"]}
    rounds = [round_(1, facilitator_question=SAID, rulings=[ruled])]
    rounds[0]["positions"][0]["rationale"] = [SAID]
    warnings = [f"{SAID} is partial", "round 1: refused, REQ-001: it is gone"]
    data = session("specs", made, rounds, topic=SAID, agenda=agenda, warnings=warnings, verdict="INCOMPLETE")
    return documents(data, format_, session=name)["requirements.md"]


@pytest.mark.parametrize("format_", Format)
def test_what_somebody_said_keeps_its_numbers_and_reads_as_it_was_said(format_: Format) -> None:
    """W12, W36: topic, agenda, questions, positions and a person's words; references and fields follow."""
    new = quoting(format_=format_)
    words = SAID.replace("-", r"\-")
    part = merge("REQ-007\n", new).text[len("REQ-007\n") :]
    assert SAID not in new, "nothing that was said is written as a reference"
    assert part.count(words) == new.count(words) >= (9 if format_ is Format.SIMPLE else 10)
    assert "Extend REQ-008" not in part
    assert "Like REQ-009." in part
    assert "REQ-008 is contested" in part
    assert "REQ-009 it is" in part
    assert "round 1: refused, REQ-008: it is gone" in part
    shown = MarkdownIt("commonmark").enable("table").render(new)
    assert shown.count(SAID) == new.count(words), "it reads as it was said"


def test_quoted_numbers_are_taken_all_the_same() -> None:
    """W36: an id that somebody spoke of is not given to something else."""
    once = merge(
        "", documents(session("specs", [artifact("REQ-001")], topic="See REQ-050"), session=FIRST)["requirements.md"]
    )
    again = merge(once.text, requirements(SECOND))
    assert again.ids["REQ-001"] == "REQ-051"


@pytest.mark.parametrize("taken", ["REQ-999999", "REQ-999998 REQ-999997"])
def test_no_id_goes_past_the_last_number(taken: str) -> None:
    with pytest.raises(RuleViolation, match=r"REQ-999999 is taken, so no number is left for REQ-00\d"):
        merge(taken, requirements())


def test_no_record_goes_past_the_last_number() -> None:
    existing = {"decisions/999998-old.md": "# Ours\n"}
    with pytest.raises(RuleViolation, match=r"decisions/999999 is taken, so no number is left for decisions/0002"):
        merge_files(existing, designed())


def test_all_types_are_renumbered() -> None:
    made = [artifact(f"{kind}-001") for kind in FIELDS]
    new = documents(session("open", made), session=FIRST)["summary.md"]
    merged = merge(" ".join(f"{kind}-041" for kind in FIELDS), new)
    assert merged.ids == {f"{kind}-001": f"{kind}-042" for kind in FIELDS}
    assert "**Against:** RISK-042" in merged.text
    assert "- IDEA-042" in merged.text


# Decision records


def test_decision_records_get_the_next_free_numbers() -> None:
    existing = {"architecture.md": "ARCH-004\n", "decisions/0007-old.md": "# ARCH-005\n", "decisions/README.md": "x"}
    merged = merge_files(existing, designed())
    assert set(merged.files) == {
        *("architecture.md", "decisions/0008-one-process.md", "decisions/0009-two-processes.md")
    }
    assert merged.ids["ARCH-001"] == "ARCH-006"
    assert merged.ids["decisions/0001-one-process.md"] == "decisions/0008-one-process.md"
    overview = merged.files["architecture.md"]
    assert overview.startswith(existing["architecture.md"])
    assert "[decisions/0009-two-processes.md](decisions/0009-two-processes.md)" in overview
    record = merged.files["decisions/0009-two-processes.md"]
    assert "# ARCH-007: Two processes" in record
    assert "Supersedes ARCH-006 (decisions/0008-one-process.md)" in record
    assert "See ARCH-006 and COMP-001." in record
    assert session_marks(record)[0].renamed["ARCH-001"] == "ARCH-006"


def test_numbers_that_move_up_by_one_do_not_move_twice() -> None:
    existing = {"architecture.md": "ARCH-001 COMP-001\n", "decisions/0001-one-process.md": "# Ours\n"}
    merged = merge_files(existing, designed())
    assert merged.ids["ARCH-001"] == "ARCH-002"
    assert merged.ids["ARCH-002"] == "ARCH-003"
    assert "Superseded by ARCH-003 (decisions/0003-two-processes.md)" in merged.files["decisions/0002-one-process.md"]
    assert "decisions/0001-one-process.md" not in merged.files


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_a_merge_cut_short_is_completed_alike(lost: int) -> None:
    existing = {"architecture.md": "ARCH-004\n", "decisions/0007-old.md": "# ARCH-005\n"}
    whole = merge_files(existing, designed())
    written = dict(whole.files)
    name = list(written)[lost]
    del written[name]
    again = merge_files({**existing, **written}, designed())
    assert dict(again.files) == {name: whole.files[name]}
    assert again.ids == whole.ids


def test_nothing_is_written_for_another_state() -> None:
    merged = merge_files(designed(), {**designed(), "architecture.md": designed()["architecture.md"]})
    assert merged.files == {}
    assert set(merged.outcomes.values()) == {MergeOutcome.ALREADY}
    other = dict(documents(session("design", [artifact("ARCH-001"), artifact("ARCH-002")]), session=FIRST))
    changed = merge_files(designed(), other)
    assert changed.files == {}
    assert set(changed.outcomes.values()) == {MergeOutcome.OTHER_STATE}


@pytest.mark.parametrize("new", ["", "# Somebody's own\n", "# First\n<!-- quorate session x -->\n"])
def test_only_documents_of_ours_can_be_merged(new: str) -> None:
    with pytest.raises(RuleViolation, match="begins with its marker"):
        merge("REQ-001", new)


def test_documents_of_two_sessions_cannot_be_merged_at_once() -> None:
    with pytest.raises(RuleViolation, match="of one session"):
        merge_files({}, {"a.md": requirements(FIRST), "b.md": requirements(SECOND)})
