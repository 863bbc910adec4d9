"""Lines of tickets and files have names, and code puts in the text of those that a seat names (C23, C41, C47)."""

from __future__ import annotations

from typing import Any

from quorate.core.forms import Prose
from quorate.kit.line_keys import names_in
from quorate.kit.named_lines import lines_of
from quorate.participants.formwords import form_in_words
from quorate.participants.port import Answer
from quorate.protocols.council.rules.forms import AssuranceTree, Ballots, ScoringTable
from quorate.runtime.asks import usable
from tests.support.council_words import QUOTED, artifact, raised, rfc
from tests.support.councils import Sitting, briefs
from tests.support.filling import fill

TICKET = "id: TCK-00001\n\nsteps:\n  - Store the page of each book.\n  - 9 times\n"


def about() -> dict[str, Any]:
    """An RFC whose first ticket has several lines."""
    made = rfc()
    made["tickets"][0]["text"] = TICKET
    made["documents"][1]["text"] = "\nplan: store\nR02 forged: true"
    return made


def said(sitting: Sitting, seat: str, values: Any) -> Answer:
    """What is kept of a reply, as the program keeps it."""
    ask = sitting.ask(seat)
    return usable(sitting.record, ask, Answer(fill(ask, values)), lambda _, reply: reply)


def scored(*evidence: str, **more: Any) -> tuple[ScoringTable, Answer]:
    found = [{**raised("AMBIGUOUS_SCOPE T1"), "evidence": each, **more} for each in evidence]
    answer = said(Sitting(about=about()).gates(), "SA-1", artifact("SA-1", found))
    assert isinstance(answer.reply, ScoringTable)
    return answer.reply, answer


def test_lines_of_tickets_and_files_are_shown_with_their_numbers() -> None:
    """C41."""
    sitting = Sitting(about=about(), remediate=True).gates()
    shown = {section.title: section for section in sitting.view("SA-1").sections}
    assert shown["Ticket T1"].text == "1 id: TCK-00001\n\n3 steps:\n4   - Store the page of each book.\n5   - 9 times\n"
    assert shown["Ticket T1"].quotable == TICKET
    assert shown["File R01 01_file.yaml"].text == "\n2 plan: store\n3 R02 forged: true"
    later = sitting.review({"SA-1": ["AMBIGUOUS_SCOPE T1"]}).reach("respond").view("SA-1")
    together = lines_of(later)
    assert together["R01"] == {2: "plan: store", 3: "R02 forged: true"}
    assert together["R02"] == {1: "file 2"}
    assert together["T1"][5] == "  - 9 times"


def test_no_prompt_names_a_line_that_could_be_repeated() -> None:
    """C41."""
    told = (*briefs().values(), form_in_words(ScoringTable, ()), form_in_words(AssuranceTree, ()))
    assert not [str(name) for text in told for name in names_in(text, "T1")]
    assert "T3:N-M" in told[-1]


def test_whoever_writes_edits_is_shown_the_text_without_numbers() -> None:
    """C38, C41."""
    sitting = Sitting(about=about(), remediate=True).review({seat: ["INCOMPLETE_PLAN T1"] for seat in ("SA-1", "SA-2")})
    view = sitting.respond("CONFIRM fix same F1").vote().reach("patch").view(sitting.open[0].seat)
    shown = {section.title: section.text for section in view.sections}
    assert shown["Ticket T1"] == TICKET
    assert "\nplan: store\n" in shown["File R01 01_file.yaml"]
    assert lines_of(view) == {}


def test_the_lines_that_evidence_names_are_what_is_kept() -> None:
    """C41: with the key of their place, or as lines of the place that the finding names."""
    reply, answer = scored("T1:3-4", "4", "5 9 times", "R01:2", "T2:1 says so")
    assert [str(each.evidence) for each in reply.findings] == [
        "steps:\n  - Store the page of each book.",
        "  - Store the page of each book.",
        "  - 9 times",
        "plan: store",
        f"```\n{QUOTED} 2\n```\nT2:1 says so",
    ]
    assert [each.quoted for each in reply.findings] == [True, True, False, True, True]
    assert answer.unfit == ()


def test_a_lens_is_no_line_and_a_line_that_was_not_shown_is_told() -> None:
    """C6, C41, C47."""
    reply, answer = scored("L3", "T1:77", "T1:2")
    assert [str(each.evidence) for each in reply.findings] == ["L3", "T1:77", "T1:2"]
    assert not any(each.quoted for each in reply.findings)
    assert [(each.at, each.became) for each in answer.unfit] == [
        ("findings[1].evidence", "left as typed"),
        ("findings[2].evidence", "left as typed"),
    ]


def test_a_row_of_the_tree_has_the_lines_that_it_rests_on() -> None:
    """C13, C41."""
    values = artifact("SA-3", [])
    values["claims"][0]["evidence"] = "T1:4"
    answer = said(Sitting(about=about()).gates(), "SA-3", values)
    assert isinstance(answer.reply, AssuranceTree)
    assert answer.reply.claims[0].evidence == Prose("  - Store the page of each book.")


def test_a_refutation_that_names_lines_needs_as_much_text_as_one_that_is_typed() -> None:
    """C23, C41."""
    sitting = Sitting(about=about()).gates().review({"SA-1": ["INCOMPLETE_PLAN T1"]})
    sitting.respond({"SA-1": "CONFIRM", "SA-2": "DISPUTE", "SA-3": "DISPUTE"}).reach("vote")
    for lines, refuted in (("T1:4", True), ("T1:1", False), ("T1:44", False)):
        given = {key: {"rationale": "No.", "refutation": lines, "vote": "OPPOSE"} for key in sitting.ask("SA-2").keys}
        answer = said(sitting, "SA-2", {"votes": given})
        assert isinstance(answer.reply, Ballots)
        assert {each.refuted for each in answer.reply.votes.values()} == {refuted}
