"""What a review came to: open findings, votes with their arithmetic, compromises, claims, the receipt, the log."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from quorate.core.types import AbsentReason, Reason
from quorate.core.view import estimate_tokens
from quorate.kit.findings import Finding
from quorate.protocols.review.rules.result import findings, result, show
from quorate.protocols.review.rules.result.places import PatchIndex
from tests.support.reviewed import (
    APP,
    CLAIMS,
    DOCS,
    FOUR,
    HOLE,
    TWO,
    Reviewed,
    approved,
    compromised,
    inconclusive,
    item,
    proven,
    receipt,
    reported,
    vetoed,
    withheld,
)


def told(found: tuple[Finding, ...]) -> list[tuple[Any, ...]]:
    return [(each.severity.name, each.path, each.line, each.rule, each.raised_by, each.blocking) for each in found]


# Open findings


def test_findings_of_checks_block_by_severity_or_veto_and_keep_their_place_r14_r22() -> None:
    review = Reviewed(TWO, findings=[reported(), reported("complexity/long", "medium", line=9), HOLE]).table()
    assert told(findings(review.record)) == [
        ("CRITICAL", "src/app.py", 22, "bandit/B605", ("python",), True),
        ("MEDIUM", "src/app.py", 9, "complexity/long", ("lint",), True),
        ("LOW", "src/app.py", 1, "ruff/F401", ("lint",), False),
    ]
    assert findings(review.record)[0].veto == "security hole"
    low = Reviewed(TWO, findings=[{**HOLE, "severity": "low"}]).table()
    assert findings(low.record)[0].blocking


def test_findings_keep_the_keys_that_the_checks_gave_them() -> None:
    alike = [reported(), reported(line=5, occurrence=1), reported(line=7, fingerprint="ab12")]
    found = findings(Reviewed(TWO, findings=alike).table().record)
    assert [(each.occurrence, each.fingerprint) for each in found] == [(0, ""), (1, ""), (0, "ab12")]
    assert len({each.key for each in found}) == 3


def test_items_of_members_stay_apart_in_findings_and_keys_r22() -> None:
    review = compromised()
    assert told(findings(review.record)) == [
        ("CRITICAL", "src/app.py", 22, "security", ("operations-sre",), True),
        ("HIGH", "", 0, "claim/AC-1", ("business-driver", "operations-sre"), True),
        ("HIGH", "src/app.py", 22, "security", ("engineering-architect",), True),
        ("MEDIUM", "", 0, "claim/AC-2", ("business-driver", "operations-sre"), True),
        ("MEDIUM", "docs/guide.md", 2, "documentation", ("knowledge-manager",), True),
        ("MEDIUM", "src/app.py", 1, "complexity/long", ("lint",), True),
    ]


def test_what_the_skeptic_made_of_items_stands_with_them_and_refuted_ones_are_apart_r23() -> None:
    found = result(compromised().record)
    standing = {each["rule"]: each["standing"] for each in found["findings"]}
    assert standing["security"] == "confirmed"
    assert len({each["key"] for each in found["findings"]}) == len(found["findings"])
    assert standing["documentation"] == "refuted without a quotation that has to do with it"
    assert standing["complexity/long"] == standing["claim/AC-1"] == ""
    (refuted,) = found["refuted"]
    assert (refuted["rule"], refuted["standing"], refuted["doubt"]) == ("performance", "refuted", "The file is small.")


def test_an_item_without_evidence_is_a_note_r22() -> None:
    review = Reviewed(TWO).table()
    review.vote("operations-sre", items=[item(severity="critical", evidence=" ")])
    review.rest().agree()
    assert review.verdict == "APPROVED"
    (found,) = findings(review.record)
    assert (found.severity.name, found.blocking) == ("CRITICAL", False)


def test_a_veto_that_stands_is_critical_with_its_class_where_its_evidence_is_r13() -> None:
    review = vetoed()
    veto = next(each for each in findings(review.record) if each.source == "committee")
    assert (veto.rule, veto.severity.name, veto.veto) == ("security", "CRITICAL", "security hole")
    assert (veto.path, veto.line, veto.raised_by) == ("src/app.py", 22, ("operations-sre",))


def test_a_veto_of_an_earlier_round_stands_while_its_member_abstains_r13() -> None:
    review = Reviewed(FOUR, rounds=2).table()
    review.vote("knowledge-manager", "veto", veto_class="rule violation", veto_evidence="import os")
    review.rest()
    review.absent("proposer", AbsentReason.SILENT)
    offer = {"debt_owner": "a", "acceptance_criteria": "b", "cod_evidence": "c"}
    review.say("business-driver", offers={"V1": offer}).say("chair")
    review.vote("knowledge-manager", "synthesis", confidence=10).rest()
    assert review.verdict == "REQUEST_CHANGES"
    found = result(review.record)
    (veto,) = [each for each in found["findings"] if each["veto"]]
    assert (veto["rule"], veto["path"], veto["raised_by"]) == ("house-rule", "src/app.py", ["knowledge-manager"])
    assert found["compromises"][0]["status"] == "not answered"
    member = next(each for each in found["committee"] if each["seat"] == "knowledge-manager")
    assert (member["position"], member["said"], member["veto"]) == ("abstain", "synthesis", "rule violation")
    assert (member["veto_round"], member["why"]) == (1, "confidence 10 is under 50 (R7)")


def test_a_veto_without_the_right_to_one_is_a_critical_item_where_its_evidence_stands_r8() -> None:
    review = Reviewed(FOUR).table()
    review.vote("engineering-architect", "veto", veto_class="circular dependency", veto_evidence="import os")
    review.rest()
    review.say("skeptic").agree()
    (found,) = findings(review.record)
    assert (found.rule, found.severity.name, found.path, found.veto) == ("structure", "CRITICAL", "src/app.py", "")
    ballot = result(review.record)["tallies"][0]["ballots"][0]
    assert (ballot["said"], ballot["counts"]) == ("veto", "oppose")
    assert ballot["why"] == "engineering-architect holds no veto (R8)"


def test_what_was_said_in_a_ballot_that_was_cut_short_is_kept_as_notes_r29() -> None:
    review = Reviewed(FOUR, redebate=True).table()
    review.vote("engineering-architect", "oppose", items=[item(rule="tests", evidence="import os")])
    review.rest("oppose")
    review.say("chair")
    review.vote("operations-sre", "veto", veto_class="security hole", veto_evidence="x", items=[item()])
    review.interrupt(Reason.BUDGET)
    assert review.verdict == "INCONCLUSIVE"
    assert told(findings(review.record)) == [
        ("HIGH", "src/app.py", 1, "tests", ("engineering-architect",), True),
        ("CRITICAL", "", 0, "security", ("operations-sre",), False),
        ("HIGH", "src/app.py", 22, "security", ("operations-sre",), False),
    ]
    assert any("cut short" in warning for warning in result(review.record)["warnings"])


def test_after_an_amendment_that_nobody_voted_on_older_items_are_notes_about_the_older_change_r17() -> None:
    review = Reviewed(FOUR).table()
    review.vote(
        "operations-sre", "veto", veto_class="security hole", veto_evidence="os.system(command)", items=[item()]
    )
    review.rest()
    review.say("proposer", reason="It is gone now.", patch="--- a\n+++ b\n")
    renamed = receipt(files=[{"key": "F1", "path": "src/other.py", "status": "added", "added": 1, "removed": 0}])
    amended = {**review.examination, "receipt": json.dumps(renamed), "change": DOCS, "files": 1}
    review.say("checks", amended)
    review.interrupt(Reason.WISH)
    review.say("chair")
    found = findings(review.record)
    assert told(found) == [("CRITICAL", "src/app.py", 22, "security", ("operations-sre",), True)]
    assert found[0].veto == "security hole"  # R13: it stands until its member votes
    assert result(review.record)["receipt"]["files"][0]["path"] == "src/other.py"


def test_a_dismissed_item_that_the_committee_raises_again_is_not_open_and_is_told() -> None:
    key = Finding("security", findings(inconclusive().record)[0].severity, "src/app.py", source="committee").key
    gone = [{"key": key, "rule": "security", "path": "src/app.py", "reason": "accepted"}]
    review = Reviewed(TWO, told=receipt(dismissed=gone)).table()
    review.vote("operations-sre", items=[item()])
    review.rest().say("skeptic", doubts={}).agree()
    assert review.verdict == "REQUEST_CHANGES"
    found = result(review.record)
    assert (found["findings"], len(found["dismissed_again"])) == ([], 1)
    assert "1 fix item remains" in found["grounds"][-1]
    assert any("dismissed" in warning for warning in found["warnings"])


# Claims, compromises, agreement


def test_the_worst_judgement_of_a_claim_counts_and_folds_into_an_item_r24() -> None:
    found = result(compromised().record)
    first, second = found["claims"]
    assert (first["id"], first["judgement"], first["severity"]) == ("AC-1", "FAIL", "high")
    assert (second["judgement"], second["severity"]) == ("INSUFFICIENT-EVIDENCE", "medium")
    assert first["by"]["knowledge-manager"] == "PASS"
    types = {fix["rule"]: fix["type"] for fix in found["fixes"]}
    assert (types["claim/AC-1"], types["claim/AC-2"], types["security"]) == ("code-fix", "harvest-required", "code-fix")


def test_claims_that_nobody_was_asked_about_are_told_as_not_judged() -> None:
    review = Reviewed(TWO, claims=CLAIMS).table().interrupt(Reason.BUDGET)
    found = result(review.record)
    assert [claim["judgement"] for claim in found["claims"]] == [None, None]
    assert "the acceptance claims were not judged" in found["warnings"]


def test_a_veto_lifted_after_an_offer_is_a_debt_with_owner_and_days_r18() -> None:
    found = result(compromised().record)
    (offer,) = found["compromises"]
    assert (offer["status"], offer["debt_owner"], offer["timeline_days"]) == ("accepted", "team docs", 14)
    assert offer["veto_target"] == "knowledge-manager"
    assert "Debt: defer-as-debt within 14 days by team docs (veto of knowledge-manager)" in show(found)


def test_an_offer_that_is_refused_or_never_put_is_no_debt_r18() -> None:
    def offered(**changes: Any) -> Reviewed:
        review = Reviewed(FOUR).table()
        review.vote("knowledge-manager", "veto", veto_class="rule violation", veto_evidence="import os").rest()
        review.absent("proposer", AbsentReason.SILENT)
        offer = {"debt_owner": "a", "acceptance_criteria": "b", "cod_evidence": "c", **changes}
        return review.say("business-driver", offers={"V1": offer}).say("chair")

    refused = offered()
    refused.vote("knowledge-manager", "veto", veto_class="rule violation", veto_evidence="import os").rest()
    assert [each["status"] for each in result(refused.record)["compromises"]] == ["refused"]
    groundless = offered()
    groundless.vote("knowledge-manager", "veto").rest()
    assert [each["status"] for each in result(groundless.record)["compromises"]] == ["refused"], "the veto stands, R13"
    assert [each["status"] for each in result(offered(debt_owner="").record)["compromises"]] == [
        "not put to the committee"
    ]
    assert [each["status"] for each in result(offered().record)["compromises"]] == ["not answered"]


def test_the_agreement_is_the_chairs_or_put_together_by_code_r25_r26() -> None:
    assert result(approved().record)["agreement"] == {
        "by": "chair",
        "text": "The change may go in.",
        "next_steps": ["Release it."],
    }
    review = Reviewed(TWO).table().rest().absent("chair")
    mechanical = result(review.record)["agreement"]
    assert mechanical["by"] == "code"
    assert "3 x 2 ayes = 6 against 2 x 2 = 4" in mechanical["text"]
    assert "engineering-architect: SYNTHESIS; operations-sre: SYNTHESIS" in mechanical["text"]
    assert result(vetoed().record)["agreement"] is None


# Votes, committee, grounds


def test_the_arithmetic_is_spelled_out_for_every_round_r10() -> None:
    first, second = result(compromised().record)["tallies"]
    assert (first["synthesis"], first["opposing"], first["absent"], first["to"]) == (2, 2, 0, "VETO")
    assert (second["synthesis"], second["absent"], second["to"]) == (3, 1, "ABSTAIN")
    assert "3 x 3 ayes = 9 against 2 x 3 = 6" in second["arithmetic"]
    assert {each["seat"]: each["why"] for each in second["ballots"]}["business-driver"] == "timed_out"


def test_the_committee_is_told_with_persona_basis_and_final_position() -> None:
    found = result(vetoed().record)
    assert [(each["persona"], each["position"], each["holds_veto"]) for each in found["committee"]] == [
        ("engineering-architect", "synthesis", False),
        ("operations-sre", "veto", True),
    ]
    assert found["committee"][0]["basis"] == "2 files in 2 modules, no interface changed"


@pytest.mark.parametrize(
    ("review", "ground"),
    [
        (approved, "APPROVED: the quorum is met and no fix item remains (R27)"),
        (compromised, "REQUEST_CHANGES: the quorum is met and 6 fix items remain"),
        (proven, "REQUEST_CHANGES: a check has proven a veto (R14): security hole"),
        (
            withheld,
            "INCONCLUSIVE: the quorum is met and no fix item remains, but a veto is withheld for low confidence",
        ),
        (vetoed, "REQUEST_CHANGES: a veto stands (R28): operations-sre (security hole)"),
        (inconclusive, "INCONCLUSIVE: no ballot met the quorum (R28)"),
    ],
)
def test_the_last_ground_is_what_the_verdict_was_mapped_by(review: Any, ground: str) -> None:
    made = review()
    assert result(made.record)["grounds"][-1].startswith(ground)
    assert made.verdict == ground.partition(":")[0]


def test_a_majority_that_abstains_and_a_degraded_run_are_warned_of_r11_r30() -> None:
    review = Reviewed(FOUR).table().vote("operations-sre").absent("knowledge-manager").rest("abstain").agree()
    assert review.verdict == "APPROVED"
    warnings = result(review.record)["warnings"]
    assert warnings[0] == "majority-abstain: 3 of 4 members abstained or were absent (R11)"
    assert warnings[1] == "degraded within settings: absent: knowledge-manager (timed_out) (R30)"
    failed = Reviewed(TWO).absent("checks").say("chair").rest().agree()
    assert "the checks gave no result" in result(failed.record)["warnings"][0]
    assert result(failed.record)["grounds"][-1] == "INCONCLUSIVE: there is no result of the checks (R27)"
    assert findings(failed.record) == ()


# Fix requests


def test_fix_requests_are_numbered_the_worst_first_one_for_each_path_and_rule() -> None:
    many = [reported("ruff/E1", "medium", line=line, evidence=f"line {line}") for line in (30, 4, 17)]
    review = Reviewed(TWO, findings=[*many, HOLE]).table()
    fixes = result(review.record)["fixes"]
    assert [(fix["id"], fix["rule"], fix["lines"]) for fix in fixes] == [
        ("FIX-001", "bandit/B605", [22]),
        ("FIX-002", "ruff/E1", [4, 17, 30]),
    ]
    assert len(fixes[1]["keys"]) == 3


def test_the_order_of_findings_does_not_depend_on_the_order_in_which_they_were_reported() -> None:
    reports = [HOLE, *(reported(f"ruff/E{n}", "medium", line=n, evidence=f"line {n}") for n in range(6))]
    there = findings(Reviewed(TWO, findings=reports).table().record)
    assert there == findings(Reviewed(TWO, findings=reports[::-1]).table().record)


# Places


@pytest.mark.parametrize(
    ("evidence", "line"),
    [
        ("os.system(command)", 22),
        ("+    os.system(command)", 22),
        ("`os.system(command)`", 22),
        ("    start()\n+    os.system(command)", 21),
        ("system(command)", 22),
        ("def read(path, retries):\n    return open(path).read()", 2),
        ("it calls\nos.system(command)\nwithout a check", 22),
        ("def read(path):", 2),  # removed: where it was
        ("stop()", 0),  # too short to be a quotation
        ("not in the patch at all", 0),
        ("", 0),
    ],
)
def test_evidence_is_looked_up_in_the_patch_added_lines_first(evidence: str, line: int) -> None:
    assert PatchIndex(APP).line(evidence) == line


def test_added_lines_come_before_context_lines_that_say_the_same() -> None:
    patch = "@@ -1,2 +1,3 @@\n value = compute(1)\n+value = compute(1)\n other\n"
    assert PatchIndex(patch).line("value = compute(1)") == 2
    assert PatchIndex("no patch\n+value = compute(1)\n").line("value = compute(1)") == 0


# Receipt and log


def test_the_receipt_says_what_was_left_out_and_what_was_cut_from_whose_view_r33() -> None:
    whole = result(approved().record)["receipt"]
    assert (whole["left_out"][0]["path"], whole["cut"]) == ("logo.png", [])
    long = APP + "".join(f"+value_{n} = compute({n})\n" for n in range(3_000)) + DOCS
    review = Reviewed(TWO, change=long, persona_tokens=1_000).table().rest().agree()
    cut = result(review.record)["receipt"]["cut"]
    ballots = [each for each in cut if each["brief"] == "ballot"]
    assert [seat for each in ballots for seat in each["seats"]] == ["engineering-architect", "operations-sre"]
    for each in ballots:
        assert each["shown"] < each["of"]
        assert any(part["section"].startswith("F1 src/app.py") for part in each["sections"])


@pytest.mark.parametrize("tokens", [1_000, 4_000, 30_000])
def test_two_hundred_files_fit_every_budget_and_the_receipt_tells_r33(tokens: int) -> None:
    """Where even the notes of what was cut are too much, whole files go."""
    names = [f"src/a/rather/long/path/to/module_{n}.py" for n in range(1, 201)]
    body = "".join(f"+value_{n} = compute({n})\n" for n in range(60))
    change = "".join(
        f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -0,0 +1,60 @@\n{body}" for name in names
    )
    files = [{"key": f"F{n}", "path": p, "status": "added", "added": 60, "removed": 0} for n, p in enumerate(names, 1)]
    review = Reviewed(TWO, change=change, told=receipt(files=files), persona_tokens=tokens).table()
    for ask in review.record.session.open:
        view, cuts = review.protocol.view.with_receipt(review.record, ask)  # type: ignore[attr-defined]
        assert estimate_tokens(view.text()) <= tokens
        assert len(cuts) >= 50


def test_the_log_has_an_entry_for_each_visit_of_a_phase_with_everybodys_words() -> None:
    log = result(compromised().record)["log"]
    assert [(entry["round"], entry["state"], entry["next"]) for entry in log] == [
        (1, "PROPOSAL", "DEBATE"),
        (1, "DEBATE", "VETO"),
        (1, "VETO", "DEBATE"),
        (2, "DEBATE", "ABSTAIN"),
        (2, "ABSTAIN", "CONCLUSION"),
    ]
    assert [each["who"] for each in log[3]["words"]] == list(FOUR)
    assert log[2]["mediation"] == ["One side wants documents first.\n\nWhat would be enough?"]
    assert log[4]["words"][0]["points"][1] == "performance in src/app.py: REFUTED. The file is small."


def test_a_review_under_way_has_a_result_too() -> None:
    review = Reviewed(FOUR)
    assert result(review.record)["verdict"] is None
    review.table().vote("operations-sre", items=[item()])
    found = result(review.record)
    assert (found["log"][-1]["state"], found["log"][-1]["next"]) == ("DEBATE", None)
    assert found["findings"] == []  # a ballot under way is sealed (R31)
    assert "Committee:" in show(found)


def test_what_the_command_line_prints() -> None:
    assert show(result(vetoed().record)) == (
        "Committee: engineering-architect, operations-sre (veto)\n"
        "Basis:     MEDIUM: 2 files in 2 modules, no interface changed\n"
        "Checks:    1 passed, 1 skipped, 1 failed (lint)\n\n"
        "Round 1: 1 synthesis, 1 opposing, 0 abstained, 0 absent\n"
        "  3 x 1 ayes = 3 against 2 x 2 = 4 (2/3 of those who voted aye or no): lost → VETO "
        "(R15: vetoes standing 1 >= 1)\n"
        "  engineering-architect  SYNTHESIS, confidence 80\n"
        "  operations-sre         VETO, confidence 80, security hole\n\n"
        "FIX-001 CRITICAL src/app.py:22 security [operations-sre]\n"
        "  A veto stands: security hole\n"
        "1 note that does not block, in the report\n\n"
        "Because: Round 1: VETO → CONCLUSION, R18: vetoes of a class that is never deferred 1 >= 1\n"
        "         REQUEST_CHANGES: a veto stands (R28): operations-sre (security hole)"
    )


def test_the_result_is_plain_data() -> None:
    for review in (approved(), compromised(), vetoed(), proven(), withheld(), inconclusive()):
        assert json.loads(json.dumps(result(review.record))) == result(review.record)


def test_a_finding_is_known_by_the_same_key_in_the_next_run() -> None:
    first, again = findings(compromised().record), findings(compromised().record)
    assert [each.key for each in first] == [each.key for each in again]
    assert replace(first[0], line=99).key == first[0].key


# Any review at all


def play(seed: int) -> Reviewed:
    """A review in which everybody says something drawn at random, and some say nothing."""
    draw = random.Random(seed)
    members = draw.choice([TWO, FOUR, ("adjudicator",)])
    checks = draw.choice([[], [reported()], [reported("complexity/long", "medium")], [HOLE]])
    review = Reviewed(members, findings=checks, claims=draw.choice([[], CLAIMS]), rounds=draw.choice([1, 3]))
    while review.verdict is None:
        ask = review.ask(draw.choice(review.open).seat)
        if draw.random() < 0.08:
            review.absent(ask.seat)
        elif draw.random() < 0.01:
            review.interrupt(draw.choice([Reason.BUDGET, Reason.WISH]))
        elif ask.brief in ("examine", "apply"):
            review.say(ask.seat, {**review.examination, "applied": draw.random() < 0.9})
        elif ask.brief == "ballot":
            stance = draw.choice(["synthesis", "synthesis", "synthesis", "oppose", "veto", "abstain"])
            veto = {"veto_class": "rule violation", "veto_evidence": "os.system(command)"} if stance == "veto" else {}
            some = [item(draw.choice(ask.keys), severity=draw.choice(["low", "high"]))]
            plain: dict[str, Any] = {"veto_class": "none", "veto_evidence": "", "confidence": draw.choice([20, 80, 80])}
            review.say(ask.seat, {**plain, "stance": stance, "items": draw.choice([[], [], some]), **veto})
        elif ask.brief == "judge":
            given = {key: {"judgement": draw.choice(["pass", "pass", "pass", "fail"])} for key in ask.keys}
            review.say(ask.seat, claims=given)
        elif ask.brief == "doubt":
            doubt = {"quotation": "os.system(command)", "standing": draw.choice(["confirmed", "refuted"])}
            review.say(ask.seat, doubts=dict.fromkeys(ask.keys, doubt))
        else:
            review.say(ask.seat)
    return review


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_open_findings_and_the_verdict_never_contradict_each_other(start: int) -> None:
    seen = set()
    for seed in range(start, start + 50):
        review = play(seed)
        found = result(review.record)
        blocking = [each for each in findings(review.record) if each.blocking]
        assert review.verdict != "APPROVED" or not blocking, seed
        assert review.verdict != "REQUEST_CHANGES" or blocking, seed
        assert found["grounds"][-1].startswith(f"{review.verdict}: "), seed
        assert [fix["id"] for fix in found["fixes"]] == [f"FIX-{n:03}" for n in range(1, len(found["fixes"]) + 1)]
        assert len({each["key"] for each in found["findings"]}) == len(found["findings"]), seed
        assert show(found)
        seen.add(review.verdict)
    assert {"APPROVED", "REQUEST_CHANGES", "INCONCLUSIVE"} <= seen
