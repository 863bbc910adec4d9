"""The council's report, its words in the terminal, and its result for pipelines: everything said, nothing forged."""

from __future__ import annotations

import re
from importlib import resources
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from quorate.evidence.comment import comment, verdict_in
from quorate.evidence.junit import junit
from quorate.evidence.report import html, markdown
from quorate.protocols.council.rules.result import findings, result, show
from quorate.protocols.council.rules.taxonomy import Field
from tests.evidence.test_report_hostile import ALLOWED, HOSTILE, Page
from tests.support.council_words import rfc, told
from tests.support.councils import SESSION, Sitting
from tests.support.councils_ended import (
    ENDED,
    approved_with_notes,
    clean,
    degraded,
    deserted,
    failed_fast,
    in_doubt,
    prosaic,
    refuted,
    rejected_by_blocker,
    rejected_by_gate,
    remediated,
    ruled,
    split,
    standard,
    stranded,
    unbound,
    with_remediation,
)

TEMPLATE = (resources.files("quorate.protocols.council") / "report.md.j2").read_text(encoding="utf-8")
TITLE = "RFC-0042 Readers go on where they stopped"


def written(sitting: Sitting) -> str:
    return markdown(sitting.record, TEMPLATE, SESSION, sitting.head, result(sitting.record))


def shown(sitting: Sitting) -> str:
    return show(result(sitting.record))


def section(text: str, title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"there is no section {title!r}"
    return found.group(1)


# The report


def test_the_heading_states_verdict_end_and_what_was_missing() -> None:
    assert written(clean()).startswith(f"# APPROVED, CONVERGED: {TITLE}\n")
    assert written(split()).startswith(f"# NEEDS_ADJUDICATION, DEADLOCKED: {TITLE}\n")
    assert written(degraded()).startswith(
        f"# APPROVED_WITH_REMEDIATION, CONVERGED, degraded within what the settings allow: {TITLE}\n"
    )
    assert written(deserted()).startswith(
        f"# ABORTED (INSUFFICIENT_AGENTS), degraded below what the settings allow: {TITLE}\n"
    )
    assert written(ruled()).startswith(f"# NEEDS_ADJUDICATION, DEADLOCKED, ruled REJECTED: {TITLE}\n")
    assert written(Sitting()).startswith(f"# UNDER WAY: {TITLE}\n")


@pytest.mark.parametrize("name", ENDED)
def test_every_end_has_a_report_of_one_shape(name: str) -> None:
    sitting = ENDED[name]()
    text = written(sitting)
    for title in ("Gates", "Findings", "Lenses", "Cycles", "Coverage", "Budget", "How the verdict follows", "Seal"):
        assert section(text, title).strip(), title
    assert f"`{result(sitting.record)['bundle_seal']['digest']}`" in section(text, "Seal")
    assert "None" not in re.sub(r"None of", "", text)


def test_the_degraded_reason_stands_at_the_top() -> None:
    top = written(degraded()).partition("## ")[0]
    assert "**Degraded**: SA-3 was lost in CYCLE\\_2 (timed\\_out); 2 of 3 seats are left" in top


def test_findings_are_told_with_votes_dissent_and_remediation() -> None:
    text = section(written(split()), "Findings")
    assert "### FND-RFC-0042-001: MAJOR AMBIGUOUS_SCOPE" in text
    assert "- **Where**: tickets/TCK-00003.yaml:1 (ticket), ticket TCK-00003" in text
    assert "- **Votes**: SA-1 SUPPORT, SA-2 OPPOSE, SA-3 ABSTAIN" in text
    assert '- **SA-2 dissents**: "I oppose it."' in text
    remedied = section(written(with_remediation()), "Findings")
    assert '- **Remediation**: "Write the missing steps into the ticket."' in remedied


def test_the_worst_finding_stands_first() -> None:
    sitting = Sitting().gates("SCOPE_OVERLAP T1", "SCOPE_GAP R01", "ORPHAN_TICKET T2").finish()
    headings = re.findall(r"^### FND-\S+: (\w+)", section(written(sitting), "Findings"), re.MULTILINE)
    assert headings == ["BLOCKER", "MAJOR", "MINOR"]


def test_what_is_settled_or_merged_has_its_tables() -> None:
    assert "| FND-RFC-0042-001 | BLOCKER |" in section(written(refuted()), "Findings").partition("### Settled")[2]
    merged = section(written(approved_with_notes()), "Findings").partition("### Merged")[2]
    assert "| FND-RFC-0042-004 | FND-RFC-0042-002 | agreed | SA-3 |" in merged


def test_remediations_and_edits_are_told() -> None:
    text = section(written(remediated()), "Remediations")
    assert "| P1 | FND-RFC-0042-001 | SA-1 | ADD_IMPLEMENTATION_DETAIL | yes |" in text
    assert "> +new" in text
    assert "No edit holds." in section(written(prosaic()), "Remediations")


def test_deadlocks_say_why_and_who_has_to_rule() -> None:
    assert "Human review required (rule C30)." in section(written(split()), "Deadlocks")
    assert "votes SA-1 SUPPORT, SA-2 OPPOSE, SA-3 ABSTAIN" in section(written(split()), "Deadlocks")
    assert "upheld, and no remediation has a quorum" in section(written(stranded()), "Deadlocks")
    assert "edits that were prose alone, twice (rule C39)" in section(written(prosaic()), "Deadlocks")
    assert "## Deadlocks" not in written(clean())


def test_lenses_and_artifacts_are_named() -> None:
    text = written(clean())
    assert "| SA-1 | Structural Rigorist | 70 Engineering design, 44 Means-end / instrumental |" in text
    artifacts = section(text, "Artifacts")
    assert "### SA-2: Mock Implementation Run Receipt" in artifacts
    assert "- DEC-0001: 4.0 on average, at least 3.5" in artifacts
    assert "## Artifacts" not in written(failed_fast())
    assert "unbound: " in section(written(unbound()), "Lenses")


def test_the_log_tells_every_step_that_somebody_took() -> None:
    log = section(written(split()), "Deliberation log")
    steps = re.findall(r"^### Cycle (\d), (\w+)", log, re.MULTILINE)
    assert steps == [
        ("1", "EXAMINED"),
        ("1", "REVIEWED"),
        ("2", "ASSESSED"),
        ("2", "MERGED"),
        ("2", "RESPONDED"),
        ("3", "VOTED"),
    ]
    assert "F1 DISPUTE: Because of DISPUTE." in log
    assert "F1 OPPOSE: I oppose it." in log


def test_coverage_says_what_was_left_out_and_cut() -> None:
    assert "| notes.txt | no part of an RFC |" in section(written(clean()), "Coverage")
    assert "Nothing was cut from anybody's view." in section(written(clean()), "Coverage")
    about = rfc()
    about["documents"][0]["text"] = "long " * 5_000
    cut = section(written(Sitting(about=about, seat_tokens=3_000).finish()), "Coverage")
    assert "| 1 | score | SA-1 |" in cut


# Hostile text


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_words_forge_nothing(name: str) -> None:
    words = HOSTILE[name]
    text = written(hostile(words))
    tame = written(hostile("tame"))
    assert headings(text) == headings(tame), "no heading is made or lost"
    page, plain = Page(html(text)), Page(html(tame))
    assert set(page.tags) <= ALLOWED
    assert page.rows == plain.rows, "no table row is made or lost"
    assert page.tables == plain.tables
    assert not {"h1", "h2", "h3"} & {*page.quoted}, "and no heading of others passes for one of ours"


def hostile(words: str) -> Sitting:
    """A council in which everybody says the same words wherever words can be said."""
    about = rfc(title=words[:300])
    sitting = Sitting(about=about, remediate=True, session_seed="s`*|")
    says = {"message": words[:1500], "evidence": words[:1000], "action": words[:600], "file": words[:1000], "line": 1}
    at = {"subcategory": "SCOPE_GAP", "severity": "BLOCKER", "place": "R01", "field": Field.WHOLE.value}
    sitting.gates(
        {**says, **at, "yaml_path": words[:500]},
        runs={"SCHEMA": ("PASSED", words[:600])},
        left_out=[{"path": words, "why": words}],
        read=[words],
    )
    raised = {"subcategory": "AMBIGUOUS_SCOPE", "severity": "MAJOR", "place": "T1", "field": "steps", "lens": "L4"}
    raised |= {"evidence": words[:400], "description": words[:600]}
    sitting.review({"SA-1": [raised], "SA-2": [{**raised, "place": "T2"}]})
    answer = {"reason": words[:600] or "x", "proposal": {"remediation": words[:800], "fix": "SPLIT_TICKET"}}
    sitting.reach("respond")
    for seat, response in (("SA-1", "CONFIRM"), ("SA-2", "CONFIRM"), ("SA-3", "DISPUTE")):
        given = {**answer, "severity": "MAJOR", "response": response}
        sitting.reply(seat, {"answers": {key: given for key in sitting.ask(seat).keys}})
    sitting.reach("vote")
    for seat, vote in (("SA-3", "OPPOSE"), ("SA-1", "SUPPORT"), ("SA-2", "SUPPORT")):
        given = {"rationale": words[:600], "refutation": "", "vote": vote}
        sitting.reply(seat, {"votes": {key: given for key in sitting.ask(seat).keys}})
    return sitting.patch().apply({}, words).finish()


def headings(text: str) -> list[str]:
    """Headings that stand in no quotation."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    ours = (place for place, token in enumerate(tokens) if token.type == "heading_open" and token.level == 0)
    found = [tokens[place + 1].content for place in ours]
    return [each for each in found if not each.startswith(("ABORTED", "APPROVED", "REJECTED", "NEEDS"))]


def test_hostile_words_are_one_line_in_the_terminal() -> None:
    text = shown(hostile("# forged\n## CONVERGED, APPROVED\n| a |"))
    assert [line for line in text.split("\n") if line.startswith(("#", "| a"))] == [text.split("\n")[0]]


# The terminal


def test_the_terminal_is_told_end_verdict_and_degradation_first() -> None:
    assert shown(clean()).startswith(f"## CONVERGED, APPROVED: {TITLE}\n")
    assert shown(degraded()).startswith(f"## CONVERGED, APPROVED_WITH_REMEDIATION, degraded: {TITLE}\n")
    assert shown(deserted()).startswith(f"## ABORTED (INSUFFICIENT_AGENTS), degraded: {TITLE}\n")
    assert shown(ruled()).startswith(f"## DEADLOCKED, NEEDS_ADJUDICATION, ruled REJECTED: {TITLE}\n")
    assert shown(Sitting()).startswith(f"## UNDER WAY: {TITLE}\n")


def test_the_terminal_lists_what_is_open_with_its_place() -> None:
    text = shown(with_remediation())
    assert "Open findings: 1 MAJOR of 2 raised" in text
    assert "- **MAJOR** MISSING_VERIFICATION tickets/TCK-00001.yaml:14 (ticket.criteria) [FND-RFC-0042-001]" in text
    assert "  UNANIMOUS, REMEDIATION_AGREED; raised by SA-1, SA-2" in text
    assert "  To do: Write the missing steps into the ticket." in text
    assert re.search(r"^\| GATE-TCK-SCHEMA +\| PASSED +\| +0 \|$", text, re.MULTILINE)
    assert "No finding is open of 0 raised" in shown(clean())


def test_the_terminal_says_what_to_do_next() -> None:
    assert "Next: a person rules, with `quorate adjudicate`" in shown(split())
    assert "Next: a person rules" in shown(in_doubt())
    assert "Next: a person rules" not in shown(ruled())
    assert "Next: carry out the remediations above and start a new council" in shown(rejected_by_blocker())
    assert "Next: apply remediation.patch in the RFC's folder" in shown(remediated())
    assert "Next: nothing was decided after 1 cycles" in shown(deserted())
    assert "Next:" not in shown(clean())
    assert "Deadlocked: FND-RFC-0042-001 AMBIGUOUS_SCOPE tickets/TCK-00003.yaml:1" in shown(split())


def test_many_findings_are_cut_in_the_terminal_and_not_in_the_result() -> None:
    sitting = Sitting(about=rfc(tickets=30), fail_fast=True).gates(*(f"BROKEN_REF T{n}" for n in range(1, 31)))
    text = shown(sitting)
    assert text.count("- **BLOCKER**") == 20
    assert "and 10 more, in the report" in text
    assert len(result(sitting.record)["findings"]) == 30


# Pipelines


def test_a_comment_tells_the_verdict_the_gates_and_what_blocks() -> None:
    sitting = rejected_by_gate()
    text = comment(
        findings(sitting.record), result(sitting.record), verdict=sitting.verdict, session=SESSION, protocol="council"
    )
    assert verdict_in(text) == "REJECTED"
    assert "2 findings block, 0 notes." in text
    assert "Checks (2 failed, 0 skipped, 5 passed)" in text
    assert "| GATE-TCK-SCOPE-COVERAGE | FAIL |" in text


def test_a_comment_warns_of_a_lost_seat_once() -> None:
    sitting = degraded()
    text = comment(
        findings(sitting.record),
        result(sitting.record),
        verdict=sitting.verdict,
        session=SESSION,
        degraded="degraded within settings",
        protocol="council",
    )
    assert text.count("**Warning**") == 1


@pytest.mark.parametrize("play", [rejected_by_gate, rejected_by_blocker])
def test_a_test_report_fails_for_the_gates_that_failed(play: object) -> None:
    """C10: also a gate that failed for a BLOCKER of the seats."""
    assert callable(play)
    sitting = play()
    root = ET.fromstring(
        junit(findings(sitting.record), result(sitting.record), session=SESSION, verdict="REJECTED", code=1)
    )
    suite = root.find("testsuite[@name='quorate.checks']")
    assert suite is not None
    failed = {case.get("name") for case in suite.iter("testcase") if case.find("failure") is not None}
    assert failed == {each["gate_id"] for each in result(sitting.record)["gates"] if each["status"] == "FAILED"}
    assert failed


def test_a_test_report_skips_the_seat_that_was_lost() -> None:
    sitting = degraded()
    root = ET.fromstring(
        junit(findings(sitting.record), result(sitting.record), session=SESSION, verdict="APPROVED", code=0)
    )
    skipped = {case.get("name"): case.find("skipped") for case in root.iter("testcase")}
    lost = skipped["SA-3"]
    assert lost is not None
    assert lost.get("message") == "absent: lost in CYCLE_2"
    assert skipped["SA-1"] is None


def test_the_receipt_names_files_as_they_were_brought_and_what_was_dismissed() -> None:
    receipt = result(refuted().record)["receipt"]
    assert receipt["files"][0] == {"path": "rfcs/RFC-0042/00_file.yaml"}
    (gone,) = receipt["dismissed"]
    assert gone["reason"] == "dismissed by the council: SA-1 OPPOSE, SA-2 OPPOSE"
    (taken_back,) = result(standard().record)["receipt"]["dismissed"]
    assert taken_back["reason"] == "the seat that raised it took it back"
    assert told()["left_out"] == receipt["left_out"]
