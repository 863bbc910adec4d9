"""What became of what was said in a review: each thing once, in the bundle, the report and what machines read (R41)."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from quorate.core.record import Said
from quorate.core.types import AbsentReason, Reason
from quorate.protocols.review import DEFINITION
from quorate.protocols.review.rules.fates import RULES, fates
from quorate.protocols.review.rules.result import findings, result
from tests.protocols.review.rules.test_review_result import play
from tests.support.reviewed import (
    CLAIMS,
    TWO,
    Reviewed,
    approved,
    compromised,
    inconclusive,
    item,
    proven,
    reported,
    vetoed,
    withheld,
)


def became(review: Reviewed) -> dict[str, str]:
    """What became of everything else: files and parts are in `test_readings.py`, reservations have their own tests."""
    apart = ("file", "part", "reservation")
    return {each.id: each.became for each in fates(review.record) if each.what not in apart}


def test_the_definition_gives_them() -> None:
    record = compromised().record
    assert DEFINITION.fates is not None
    assert DEFINITION.fates(record) == fates(record) != ()


def test_every_end_of_an_item_a_claim_and_a_veto_is_told_once() -> None:
    assert became(compromised()) == {
        "I1": "taken back",
        "I2": "blocks",
        "I3": "refuted",
        "I4": "blocks",
        "I5": "blocks",
        "V1": "compromised",
        "E1.1": "blocks",
        "C1": "blocks",
        "C2": "blocks",
    }
    assert became(approved()) == {"I1": "note", "E1.1": "note"}
    assert became(vetoed()) == {"V1": "stands", "E1.1": "note"}
    assert became(proven()) == {"E1.1": "proves a veto", "E1.2": "note"}
    assert became(withheld()) == {"I1": "withheld"}
    assert became(inconclusive()) == {"I1": "blocks"}


def test_a_veto_at_49_stands_among_the_findings_that_machines_read() -> None:
    """Once it left no trace: no warning, no finding, nothing in SARIF (R38)."""
    review = withheld()
    assert review.verdict == "INCONCLUSIVE"
    (found,) = findings(review.record)
    assert (found.severity.name, found.blocking, found.raised_by) == ("CRITICAL", True, ("operations-sre",))
    assert found.evidence == "os.system(command)"
    assert any("withheld for low confidence" in each for each in result(review.record)["warnings"])


def test_what_is_ungrounded_is_shown_and_counted_and_blocks_nothing_r40() -> None:
    review = Reviewed(TWO, quorum="1/2").table()
    secret = {"veto_class": "hard-coded secret", "veto_evidence": 'password = "hunter2"'}
    review.vote("operations-sre", "veto", **secret)
    review.rest().agree()
    assert review.verdict == "APPROVED"
    assert became(review) == {"I1": "ungrounded"}
    (found,) = findings(review.record)
    assert (found.severity.name, found.blocking) == ("CRITICAL", False)
    told = result(review.record)
    assert [each["item"] for each in told["ungrounded"]] == ["I1"]
    assert any("evidence that was not found" in each for each in told["warnings"])


@pytest.mark.parametrize(
    "evidence",
    [
        "+    os.system(command)",
        "line 22: `os.system(command)`",
        "    start()\n    os.system(command)\n    stop()",
        'It calls "os.system(command)" with what a user sends.',
    ],
)
def test_evidence_counts_however_it_is_quoted_r40(evidence: str) -> None:
    review = Reviewed(TWO).table().vote("operations-sre", items=[item(evidence=evidence)])
    review.rest().say("skeptic", doubts={}).agree()
    assert (review.verdict, became(review)) == ("REQUEST_CHANGES", {"I1": "blocks"})


def test_a_ballot_that_was_cut_short_leaves_ids_that_count_for_nothing_r29() -> None:
    review = Reviewed(claims=CLAIMS).table()
    review.vote("operations-sre", "veto", veto_class="security hole", veto_evidence="os.system(command)")
    review.vote("engineering-architect", items=[item()]).interrupt(Reason.BUDGET)
    assert became(review) == {"I1": "not counted", "V1": "not counted", "C1": "not judged", "C2": "not judged"}


def test_rulings_have_fates_and_the_last_one_holds_r28() -> None:
    review = inconclusive()
    review.rule("REQUEST_CHANGES", "Ada", "The guide is missing.").rule("APPROVED", "Grace", "I read it.")
    told = [each for each in fates(review.record) if each.what == "ruling"]
    assert [(each.by, each.became) for each in told] == [(("Ada",), "replaced"), (("Grace",), "holds")]


def test_findings_of_a_change_that_was_amended_are_superseded_r17() -> None:
    review = Reviewed(TWO, findings=[reported()]).table()
    review.vote("operations-sre", "veto", veto_class="security hole", veto_evidence="os.system(command)").rest()
    review.say("proposer", reason="So it is safe.", patch="--- a/src/app.py\n+++ b/src/app.py\n")
    review.say("checks", review.examination).say("chair").rest().agree()
    assert became(review) == {"V1": "lifted", "E1.1": "superseded", "E2.1": "note"}


def test_a_proof_asks_nobody_but_the_proposer_r14() -> None:
    """Once the chair and all members were asked, which could lift nothing."""
    review = proven()
    said = [f"{line.ask.seat} {line.ask.brief}" for line in review.record.log if isinstance(line, Said)]
    assert said == ["checks examine", "proposer amend"]
    assert review.verdict == "REQUEST_CHANGES"
    assert result(review.record)["tallies"] == []


def test_an_absent_veto_holder_leaves_its_item_standing_r39() -> None:
    review = Reviewed(TWO).table()
    review.vote("operations-sre", "oppose", confidence=95, items=[item(severity="critical")]).rest("oppose")
    review.say("chair").vote("engineering-architect").absent("operations-sre", AbsentReason.TIMED_OUT)
    review.say("skeptic", doubts={}).agree()
    assert (review.verdict, became(review)) == ("REQUEST_CHANGES", {"I1": "blocks"})


@pytest.mark.parametrize("start", range(0, 120, 40))
def test_whatever_is_said_each_thing_has_one_fate(start: int) -> None:
    for seed in range(start, start + 40):
        review = play(seed)
        told = fates(review.record)
        assert max(Counter(each.id for each in told).values(), default=1) == 1, seed
        assert all(RULES.get(each.became, each.rule) == each.rule or each.what != "fix item" for each in told), seed
        found: dict[str, Any] = result(review.record)
        by_id = {each.id: each.became for each in told}
        for each in (*found["findings"], *found["refuted"], *found["ended"], *found["dismissed_again"]):
            if each["item"]:
                assert each["became"] == by_id[each["item"]], seed
        raised = {each["item"] for each in (*found["findings"], *found["refuted"], *found["ended"]) if each["item"]}
        raised |= {each["item"] for each in found["dismissed_again"] if each["item"]}
        assert {each.id for each in told if each.id.startswith("I")} >= raised, seed
        assert json.loads(json.dumps(found)) == found
