"""The report states its verdict plainly, tells everything that was said, and adds nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from typing import Any

import pytest
from jinja2 import UndefinedError
from jinja2.exceptions import SecurityError

from quorate.core.record import Record
from quorate.core.types import Absent, AbsentReason, Reason
from quorate.evidence.report import GENERIC, context, html, markdown, moment, style
from quorate.protocols.debate.rules.model import Phase
from tests.support import councils_ended as ended

DEBATE = (resources.files("quorate.protocols.debate") / "report.md.j2").read_text(encoding="utf-8")
SESSION = "debate-20260101-120000-abcd"


def report(played: Any, template: str = DEBATE) -> str:
    return markdown(played.record, template, SESSION, played.entries[-1].hash)


def heading(played: Any, template: str = DEBATE) -> str:
    first = report(played, template).split("\n", 1)[0]
    assert first.startswith("# ")
    return first.removeprefix("# ")


def stopped(debate: Callable[..., Any], reason: Reason, why: str) -> Any:
    played = debate()
    played.play(4)
    return played.stop(reason, why)


# Headings


@pytest.mark.parametrize("template", [DEBATE, GENERIC], ids=["debate", "generic"])
def test_the_heading_states_the_verdict(debate: Callable[..., Any], template: str) -> None:
    title = "How do we shard the ledger?"
    assert heading(debate().play(), template) == f"SOLUTION: {title}"
    assert heading(debate(gaps=True).play(), template) == f"PARTIAL_SOLUTION: {title}"
    assert heading(debate(), template) == f"UNDER WAY: {title}"


def test_a_degraded_run_says_so_in_its_heading_and_names_who_and_which_threshold_d27(full: Any) -> None:
    text = report(full)
    assert heading(full).startswith("SOLUTION, degraded within what the settings allow: ")
    assert "2 of 3 agents were at the table at the end; the settings ask for 2." in text
    assert "- testing gave no reply to ask 7.2 in CRITIQUE, round 1: timed_out (gave up after 2 attempts)" in text
    assert "- testing left the table in CRITIQUE, round 1." in text
    assert "- The rule that applied in CRITIQUE: D22, agents left 2 >= needed 2. It led to FALLBACK." in text


def test_an_unjudged_debate_is_a_mechanical_synthesis_of_the_last_texts_d25(debate: Callable[..., Any]) -> None:
    played = debate(say={"judge": Absent(AbsentReason.MALFORMED)}).play()
    text = report(played)
    assert heading(played).startswith(
        "UNJUDGED, mechanical synthesis, degraded below what the settings allow: How do we shard"
    )
    assert "The judge gave no synthesis; the settings require one." in text
    assert "## The solution" not in text
    side_by_side = text.split("## The last texts, side by side", 1)[1].split("\n## ", 1)[0]
    for seat in ("architect", "performance", "simplicity"):
        assert f"### {seat}, round 1" in side_by_side
        assert f"> refinement of {seat}" in side_by_side


def test_an_aborted_debate_gives_its_reason_and_the_last_texts_d26(debate: Callable[..., Any]) -> None:
    played = stopped(debate, Reason.BUDGET, "0.10 dollars are spent")
    text = report(played)
    assert heading(played) == "ABORTED (budget): How do we shard the ledger?"
    assert "(rule D26): interrupted: budget (0.10 dollars are spent)." in text
    assert "> proposal of simplicity" in text


def test_a_failed_debate_keeps_everything_that_was_said_d23(debate: Callable[..., Any]) -> None:
    gone = {seat: Absent(AbsentReason.FAILED) for seat in ("performance", "simplicity")}
    played = debate(say=gone).play()
    text = report(played)
    assert heading(played).startswith("FAILED, degraded below")
    assert "> proposal of architect" in text
    assert "performance, which left the table\n\nIt gave no text." in text


def test_a_wish_is_told(debate: Callable[..., Any]) -> None:
    wished = debate(settings={"rounds": 3})
    wished.play(1)
    wished.stop(Reason.WISH)
    wished.play()
    assert heading(wished).startswith("SOLUTION (wish): ")
    assert "A person wished the debate to conclude" in report(wished)


# Contents


def test_everything_that_was_said_is_in_the_report(full: Any) -> None:
    text = report(full)
    for entry_text in (
        *("question of architect (1.0)", "answer to q3 of person (2.0)", "proposal of testing (6.2)"),
        *("reasoning of security (6.1)", "weakness of proposal-1 of architect (7.0)", "suggestion of security (14.1)"),
        *("reason on critique-2 of architect (9.0)", "refinement of security (15.1)", "evaluation of judge (10.0)"),
        *("summary of judge (17.0)", "solution of judge (18.0)", "point of judge (18.0)", "open of judge (18.0)"),
    ):
        assert entry_text in text, entry_text
    assert "### Critique: security → architect, major" in text
    assert "The critique of security was **accepted**:" in text
    assert "The refinements of round 1 are the proposals of this round (rule D12)." in text
    assert "The judge's confidence is 75 of 100; 90 ends the debate (rule D17)." in text
    assert "| judge | judge | test:judge | 360 | $0.0036 |" in text
    assert full.entries[-1].hash in text
    assert full.record.opening.digest in text


def test_sections_come_in_reading_order(full: Any) -> None:
    sections = [line.removeprefix("## ") for line in report(full).split("\n") if line.startswith("## ")]
    assert sections == [
        *("Who was missing", "The problem", "The solution", "The agents", "Clarifications", "Round 1", "Round 2"),
        *("The judge's summary of the debate", "How the verdict follows", "What it cost", "Seal"),
    ]


def test_the_cap_on_confidence_is_explained_d19(debate: Callable[..., Any]) -> None:
    text = report(debate(gaps=True, confidence=90).play())
    assert "Its confidence is 40 of 100." in text
    assert (
        "40 of 100. The judge said 90; while a major requirement is unfulfilled it is capped at 40 (rule D19)." in text
    )
    assert "### Unfulfilled major requirements\n\n- unmet of judge" in text


def test_a_question_without_an_answer_is_told_d8(debate: Callable[..., Any]) -> None:
    played = debate(
        settings={"interactive_clarifications": True, "rounds": 1}, say={"person": Absent(AbsentReason.SILENT)}
    ).play()
    clarifications = report(played).split("## Clarifications", 1)[1].split("\n## ", 1)[0]
    assert clarifications.count("It was not answered.") == 3
    assert "**q2, asked by performance**\n\n> question of performance" in clarifications


def test_unknown_costs_are_unknown_in_the_report(debate: Callable[..., Any]) -> None:
    assert "| **all** | 10 | 10 | 0 | 1,000 | 200 | unknown |" in report(debate(cost=None).play())


def test_the_cost_of_a_session_in_which_code_was_asked_and_a_vote_was_spared() -> None:
    sitting = ended.with_remediation()
    cost = markdown(sitting.record, GENERIC, "s", "0" * 64).partition("## What it cost\n")[2].partition("\n## ")[0]
    rows = {cells[0]: cells[1:] for line in cost.splitlines() if (cells := line.strip("| ").split(" | "))}
    assert rows["gates"][:3] == ["code", "–", "–"]
    assert rows["SA-3"][:3] == ["3", "3", "0"], "its vote was spared"
    assert rows["**all**"][:3] == ["11", "11", "0"]
    assert "Code answered 3 more asks without a model." in cost
    assert "seats work at the same time, so working times need not add up to that." in cost


def test_a_session_without_an_answer_took_no_time(debate: Callable[..., Any]) -> None:
    assert "From the first reply" not in report(debate())


def test_the_derivation_stands_in_the_report(full: Any) -> None:
    text = report(full)
    assert "| CRITIQUE | 1 | testing timed\\_out | D22 (agents left 2 >= needed 2) | FALLBACK | REFINEMENT |" in text
    assert "CONCLUDED concludes with the verdict SOLUTION. Degradation: within settings." in text


def test_the_same_record_gives_the_same_report(full: Any) -> None:
    assert report(full) == report(full)
    assert "\n\n\n" not in report(full)


def test_the_generic_report_tells_every_reply_field_by_field(full: Any) -> None:
    text = report(full, GENERIC)
    assert "### CRITIQUE, round 1: testing on criticise\n\nNo reply: timed_out (gave up after 2 attempts)" in text
    assert "**critiques › proposal-1 › weaknesses**\n\n> weakness of proposal-1 of architect (7.0)" in text
    assert "**confidence**: 75" in text


def test_what_a_protocol_that_extends_the_debate_asks_is_told_too(debate: Callable[..., Any]) -> None:
    played = debate()
    protocol = played.record.protocol
    node = protocol.nodes[Phase.PROPOSAL]
    checking = replace(node, asks=lambda state: tuple(replace(q, brief="fact-check") for q in node.asks(state)))
    extended = replace(protocol, nodes={**protocol.nodes, Phase.PROPOSAL: checking})
    again = Record(extended, played.record.opening, played.record.material)
    text = report(replace(played, record=again).play())
    assert "## What else was said\n\n### PROPOSAL, round 1: architect on fact-check" in text
    assert "**text**\n\n> proposal of architect" in text


# Templates


def test_a_template_that_names_what_is_not_there_fails(full: Any) -> None:
    with pytest.raises(UndefinedError, match="nonsense"):
        report(full, "{{ nonsense }}")


def test_templates_are_confined(full: Any) -> None:
    for attempt in ("{{ record.__class__.__mro__ }}", "{{ record.log.append(1) }}", "{{ view.__init__.__globals__ }}"):
        with pytest.raises(SecurityError):
            report(full, attempt)
    assert full.record.log[-1] is full.record.session.conclusion


def test_a_protocol_may_add_its_own_facts_to_the_context(full: Any) -> None:
    full.record.protocol.view.report_context = lambda record: {"agents_at_the_end": len(record.session.state.active)}
    assert context(full.record)["agents_at_the_end"] == 2
    assert report(full, "{{ agents_at_the_end }}") == "2\n"


def test_moments() -> None:
    assert moment(1_767_268_800_000) == "2026-01-01 12:00:00 UTC"
    assert moment(0) == moment(-5) == moment(10**18) == "–"


# The page


def test_the_html_is_whole_and_has_its_contents(full: Any) -> None:
    page = html(report(full))
    assert page.startswith('<nav aria-label="Contents">')
    assert '<a href="#s1">Who was missing</a>' in page
    assert '<h2 id="s1">Who was missing</h2>' in page
    assert page.endswith("</main>\n")
    assert "prefers-color-scheme: dark" in style()
    assert "@media print" in style()
