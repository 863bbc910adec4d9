"""What a session leaves behind: every format, every file of `--out`, and clear errors where there is nothing."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest

from quorate.api.results import FORMATS, open_findings, report, reports
from quorate.api.sessions import Result
from quorate.cli.evidence import FORMATS as OFFERED
from quorate.core.errors import SettingError
from quorate.evidence.comment import verdict_in
from tests.support.played_debate import open_debate
from tests.support.reviewed import SESSION, Reviewed, compromised, inconclusive, vetoed


def result_of(review: Reviewed) -> Result:
    return Result(SESSION, review.record, review.entries)


def test_a_review_leaves_its_reports_a_page_and_the_bundle() -> None:
    left = reports(result_of(compromised()))
    assert list(left) == [
        "review-report.md",
        "fix-requests.md",
        "review-report.html",
        "findings.sarif",
        "findings.junit.xml",
        "bundle.json",
    ]
    assert left["review-report.md"].startswith("# REQUEST_CHANGES")
    assert left["fix-requests.md"].startswith("# Fix requests")
    assert left["review-report.html"].startswith("<!doctype html>")
    assert json.loads(left["bundle.json"])["protocol"]["name"] == "review"
    assert report(result_of(compromised()), "md") == left["review-report.md"]


def test_a_debate_leaves_what_it_always_did() -> None:
    played = open_debate().play()
    assert list(reports(Result("s", played.record, played.entries))) == [
        "report.md",
        "report.html",
        "bundle.json",
    ]


def test_every_format_that_is_offered_can_be_written() -> None:
    assert OFFERED == FORMATS
    result = result_of(vetoed())
    written = {format_: report(result, format_) for format_ in FORMATS}
    assert all(written.values())
    log = json.loads(written["sarif"])
    assert len(log["runs"][0]["results"]) == len(open_findings(result)) == 2
    assert log["runs"][0]["invocations"][0]["exitCode"] == 1
    assert ET.fromstring(written["junit"]).get("failures") == "3"
    assert verdict_in(written["comment"]) == "REQUEST_CHANGES"


def test_a_ruling_counts_in_every_format() -> None:
    result = result_of(inconclusive().rule("APPROVED", "Ann", "The risk is known."))
    assert verdict_in(report(result, "comment")) == "APPROVED"
    invocation = json.loads(report(result, "sarif"))["runs"][0]["invocations"][0]
    assert (invocation["exitCodeDescription"], invocation["exitCode"]) == ("APPROVED", 0)
    case = next(
        each for each in ET.fromstring(report(result, "junit")).iter("testcase") if each.get("name") == "verdict"
    )
    assert case.find("failure") is None
    assert case.find("error") is None


@pytest.mark.parametrize("format_", ["sarif", "junit", "comment"])
def test_a_protocol_without_findings_says_so(format_: str) -> None:
    played = open_debate().play()
    with pytest.raises(SettingError, match="a debate makes no findings"):
        report(Result("s", played.record, played.entries), format_)


def test_an_unknown_format_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(SettingError, match="sarif"):
        report(result_of(vetoed()), "sarf")
