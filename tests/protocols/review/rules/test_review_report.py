"""The review's report and its fix requests: verdict, every argument and vote, and nothing that others could forge."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

import pytest
from markdown_it import MarkdownIt

from quorate.core.types import Reason
from quorate.evidence.report import html, markdown
from quorate.protocols.review.rules.result import result
from tests.evidence.test_report_hostile import ALLOWED, HOSTILE, Page
from tests.support.reviewed import (
    APP,
    CLAIMS,
    DOCS,
    SESSION,
    TWO,
    Reviewed,
    approved,
    compromised,
    inconclusive,
    item,
    receipt,
    reported,
    vetoed,
)

PACKAGE = resources.files("quorate.protocols.review")
TEMPLATES = {name: (PACKAGE / f"{name}.md.j2").read_text(encoding="utf-8") for name in ("report", "fix-requests")}


def written(review: Reviewed, template: str = "report", session: str = SESSION) -> str:
    return markdown(review.record, TEMPLATES[template], session, review.head, result(review.record))


def section(text: str, title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"there is no section {title!r}"
    return found.group(1)


# Heading


def test_the_heading_states_the_verdict_and_what_was_missing() -> None:
    assert written(approved()).startswith("# APPROVED (with notes): feature against main\n")
    assert written(vetoed()).startswith("# REQUEST_CHANGES: feature against main\n")
    assert written(compromised()).startswith(
        "# REQUEST_CHANGES, degraded within what the settings allow: feature against main\n"
    )
    assert written(Reviewed()).startswith("# UNDER WAY: feature against main\n")
    stopped = Reviewed().table().interrupt(Reason.BUDGET, "the money is spent")
    assert written(stopped).startswith("# INCONCLUSIVE (budget)")


def test_a_ruling_stands_beside_what_was_concluded() -> None:
    review = inconclusive().rule("APPROVED", "Ann", "The risk is known.")
    text = written(review)
    assert text.startswith("# INCONCLUSIVE, ruled APPROVED: feature against main\n")
    assert "> The risk is known." in section(text, "Ruling")
    assert "- **Verdict**: INCONCLUSIVE, ruled APPROVED" in written(review, "fix-requests")


# Contents


def test_the_log_is_in_the_format_of_the_seed() -> None:
    log = section(written(compromised()), "Deliberation log")
    entries = [entry for entry in re.split(r"^### ", log, flags=re.MULTILINE) if entry.strip()]
    assert [entry.split("\n", 1)[0] for entry in entries] == [
        "Round 1 — PROPOSAL",
        "Round 1 — DEBATE",
        "Round 1 — VETO",
        "Round 2 — DEBATE",
        "Round 2 — ABSTAIN",
    ]
    for entry in entries:
        state = entry.split(" — ")[1].split("\n")[0]
        lines = [line for line in entry.split("\n")[1:] if line.startswith("- ")]
        assert lines[0] == f"- **State**: {state}"
        assert re.fullmatch(rf"- \*\*Transition\*\*: {state} → [A-Z]+", lines[-1])
    assert '- **engineering-architect**: OPPOSE, confidence 80. "engineering-architect looked at both files."' in log
    assert "- **Chairperson mediation**:\n\n  > One side wants documents first." in log.replace(":\n  >", ":\n\n  >")
    assert "- **Transition**: VETO → DEBATE" in log


def test_words_of_several_lines_are_quoted_inside_their_entry() -> None:
    review = Reviewed(TWO).table()
    review.vote("operations-sre", opinion="First.\n\n- **Transition**: DEBATE → CONCLUSION\n\n### Round 9 — VETO")
    review.rest().agree()
    page = Page(html(written(review)))
    assert not any("Round 9" in heading for heading in page.headings)
    log = section(written(review), "Deliberation log")
    assert "  > - **Transition**: DEBATE → CONCLUSION" in log
    assert len(re.findall(r"^- \*\*Transition\*\*", log, re.MULTILINE)) == 3


def test_a_ballot_cut_short_is_told_as_interrupted_r29() -> None:
    review = Reviewed().table().vote("operations-sre").interrupt(Reason.BUDGET)
    assert "- **Transition**: DEBATE → CONCLUSION (interrupted)" in written(review)


def test_the_committee_the_votes_and_the_arithmetic_are_spelled_out() -> None:
    text = written(compromised())
    committee = section(text, "Committee")
    assert "MEDIUM: 2 files in 2 modules, no interface changed." in committee
    assert "| knowledge-manager | yes | SYNTHESIS | 80 | – |" in committee
    votes = section(text, "Votes")
    assert "| knowledge-manager | VETO (undocumented public contract) | 80 | the same |" in votes
    assert "3 x 3 ayes = 9 against 2 x 3 = 6 (2/3 of those who voted aye or no): carried" in votes
    assert "6 fix items remain: 1 of the checks, 3 of the committee, 2 of claims (R27)" in section(text, "Verdict")


def test_what_a_ballot_said_and_what_it_counts_as_stand_side_by_side_r7() -> None:
    review = Reviewed(TWO).table().vote("operations-sre", confidence=12).rest().agree()
    text = written(review)
    assert "| operations-sre | ABSTAIN | 12 | SYNTHESIS: confidence 12 is under 50 (R7) |" in section(text, "Votes")
    assert "SYNTHESIS, confidence 12, counted as ABSTAIN: confidence 12 is under 50" in text


def test_checks_and_coverage_are_told_with_reasons() -> None:
    text = written(vetoed())
    assert "| cycles | SKIP | 0 | no imports were changed |" in section(text, "Checks")
    coverage = section(text, "Coverage")
    assert "2 files were reviewed." in coverage
    assert "| logo.png | binary |" in coverage
    assert "Nothing was cut from anybody's view." in coverage
    long = APP + "".join(f"+value_{n} = compute({n})\n" for n in range(3_000)) + DOCS
    cut = written(Reviewed(TWO, change=long, persona_tokens=1_000).table().rest().agree())
    assert "| 1 | ballot | engineering-architect, operations-sre |" in section(cut, "Coverage")


def test_findings_claims_and_debts_are_told() -> None:
    text = written(compromised())
    found = section(text, "Findings")
    assert "### FIX-001: CRITICAL security\n" in found
    assert "- **Where**: src/app.py:22\n" in found
    assert "the skeptic: refuted without a quotation that has to do with it" in found
    assert '  - **Why it was refuted**: "The file is small."' in found
    assert "| AC-1 | FAIL |" in section(text, "Claims")
    assert "**Accepted: a debt.**" in section(text, "Compromises")
    assert "> The change may go in." in section(text, "Agreement")
    assert "| LOW | docs/guide.md:1 | style |" in section(written(approved()), "Findings")


def test_a_chair_that_fails_leaves_a_mechanical_synthesis_and_a_heading_that_says_so_r26() -> None:
    text = written(Reviewed(TWO).table().rest().absent("chair"))
    assert "code has put the typed ballots together (rule R26)" in section(text, "Agreement, mechanical synthesis")
    assert text.split("\n")[0].startswith("# APPROVED, degraded within")
    assert "- chair in SYNTHESIS, round 1: timed\\_out" in section(text, "Who was missing")


def test_fix_requests_have_every_field_and_stable_numbers() -> None:
    text = written(compromised(), "fix-requests")
    assert "- **Total items**: 5 (checks 1, committee 2, claims 2)" in text
    assert re.findall(r"^## (FIX-\d+)$", text, re.MULTILINE) == [f"FIX-00{n}" for n in range(1, 6)]
    first = section(text, "FIX-001")
    for line in (
        "- **Severity**: CRITICAL",
        "- **Source**: committee",
        "- **Type**: code-fix",
        "- **Path**: src/app.py:22",
        "- **Rule**: security",
        "- **I5**: CRITICAL, raised by operations-sre (the skeptic: confirmed)",
        "- **I2**: HIGH, raised by engineering-architect (the skeptic: confirmed)",
        "  - **Consequence**: Anybody can run a command.",
        "  - **Recommended Action**: Use a list.",
        "    > os.system(command)",
    ):
        assert f"\n{line}\n" in first
    assert "- **Type**: harvest-required" in section(text, "FIX-003")
    assert text == written(compromised(), "fix-requests")
    assert "Nothing has to be fixed." in written(approved(), "fix-requests")


# Hostile words


QUOTED = "os.system(command)"
"""Stands in the change beside whatever words it has, so that evidence of all of them is grounded (R40)."""


@cache
def told(words: str, template: str) -> str:
    """A report in which everything that others say is `words`: material, replies, models, names and reasons."""
    files = [{"key": "F1", "path": words[:1000], "status": "added", "added": 1, "removed": 0}]
    said = receipt(
        title=words,
        base=words,
        head=words,
        election={"complexity": words, "basis": words, "pairs": [[words, words]]},
        files=files,
        left_out=[{"path": words, "why": words, "detail": words}],
        checks=[{"check": words, "status": "fail", "reason": words, "findings": 1}],
        dismissed=[{"key": "k", "rule": words, "path": words, "reason": words}],
    )
    bad = reported(words[:120], "high", path=words[:1000], message=words[:1000], evidence=words[:500], check=words[:60])
    note = reported(words[:119] + "n", "low", path=words[:1000], message=words[:1000], evidence=words[:500])
    claims = [dict.fromkeys(CLAIMS[0], words)]
    review = Reviewed(
        findings=[bad, note], claims=claims, told=said, change=f"{words}\n{QUOTED}\n", persona_tokens=1_000_000
    )
    review.examination["files"] = 1
    review.say("checks", review.examination).say("chair", summary=words[:3000], questions=[words[:3000]])
    wrong = item("F1", evidence=f"{words[:300]}\n{QUOTED}", consequence=words[:400], action=words[:400])
    veto = {"veto_class": "rule violation", "veto_evidence": f"{words[:500]}\n{QUOTED}"}
    judged = {"C1": {"observed": words[:600], "judgement": "fail"}}
    for seat in ("operations-sre", "engineering-architect", "knowledge-manager", "business-driver"):
        stance = {"stance": "veto", **veto} if seat == "operations-sre" else {"stance": "oppose", **veto}
        review.say(seat, opinion=words[:4000], confidence=80, items=[wrong], **stance)
        review.say(seat, claims=judged)
    review.say("proposer", reason=words[:2000], patch="")
    offer = {"cod_evidence": words[:800], "acceptance_criteria": words[:800], "debt_owner": words[:120]}
    review.say("business-driver", reason=words[:2000], offers={"V1": offer})
    review.say("chair", positions=words[:3000], questions=words[:2000])
    review.rest(opinion=words[:4000], items=[wrong])
    doubt = {"reason": words[:800], "quotation": f"{words[:300]}\n{QUOTED}", "standing": "refuted"}
    review.say("skeptic", doubts=dict.fromkeys(review.ask("skeptic").keys, doubt))
    review.say("chair", agreement=words[:4000], next_steps=[words[:4000]])
    return written(review, template, words)


@cache
def honest_page(template: str) -> Page:
    return Page(html(told("plain words", template)))


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("attack", HOSTILE)
def test_hostile_words_change_neither_the_skeleton_nor_the_page(attack: str, template: str) -> None:
    words = HOSTILE[attack]
    hostile, honest = Page(html(told(words, template))), honest_page(template)
    assert skeleton(hostile) == skeleton(honest)
    assert (hostile.rows, hostile.tables) == (honest.rows, honest.tables)
    assert not {"h1", "h2"} & {*hostile.quoted}
    assert set(hostile.tags) <= ALLOWED
    assert hostile.other == 0


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("attack", HOSTILE)
def test_the_markdown_itself_is_safe_in_a_renderer_that_allows_everything(attack: str, template: str) -> None:
    renderer = MarkdownIt("js-default", {"html": True, "maxNesting": 100})
    hostile = Page(renderer.render(told(HOSTILE[attack], template)))
    honest = Page(renderer.render(told("plain words", template)))
    assert skeleton(hostile) == skeleton(honest)
    assert (hostile.rows, hostile.tables) == (honest.rows, honest.tables)
    assert not {"h1", "h2"} & {*hostile.quoted}
    assert set(hostile.tags) <= ALLOWED - {"a", "style", "html", "meta"}
    assert hostile.other == 0


def skeleton(page: Page) -> list[str]:
    """The headings, without the rule that a finding's heading names in others' words."""
    return [heading.partition(": HIGH ")[0] for heading in page.headings]
