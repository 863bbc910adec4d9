"""JUnit: checks, committee, findings and verdict as cases, and XML that every reader takes."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest

from quorate.evidence.junit import junit
from quorate.kit.findings import Finding, Severity
from quorate.protocols.review.rules.result import findings, result
from tests.support.reviewed import SESSION, Reviewed, approved, compromised, inconclusive, proven, vetoed

Case = dict[str, str]


def suites(review: Reviewed) -> dict[str, dict[str, Case]]:
    """What each case came to, by suite and name: `passed`, or tag and message."""
    record, conclusion = review.record, review.record.session.conclusion
    code = record.protocol.exit_codes[conclusion.verdict] if conclusion else None
    text = junit(findings(record), result(record), session=SESSION, verdict=review.verdict, code=code)
    root = ET.fromstring(text)
    return {
        str(suite.get("name")): {str(case.get("name")): _came_to(case) for case in suite.findall("testcase")}
        for suite in root.findall("testsuite")
    }


def _came_to(case: ET.Element) -> Case:
    for tag in ("failure", "error", "skipped"):
        if (found := case.find(tag)) is not None:
            return {"is": tag, "says": str(found.get("message")), "text": found.text or "", "in": _class(case)}
    out = case.find("system-out")
    return {"is": "passed", "says": "", "text": (out.text or "") if out is not None else "", "in": _class(case)}


def _class(case: ET.Element) -> str:
    return str(case.get("classname"))


def test_checks_pass_fail_or_are_skipped_with_their_reason() -> None:
    assert suites(vetoed())["quorate.checks"]["lint"]["is"] == "passed", "a note is no reason to be red"
    checks = suites(compromised())["quorate.checks"]
    assert {name: case["is"] for name, case in checks.items()} == {
        "secrets": "passed",
        "lint": "failure",
        "cycles": "skipped",
    }
    assert checks["cycles"]["says"] == "no imports were changed"
    assert checks["lint"]["says"] == "1 finding: 1 Python file"


def test_members_that_veto_or_oppose_fail_and_silent_ones_are_skipped() -> None:
    seats = suites(vetoed())["quorate.committee"]
    assert (seats["operations-sre"]["is"], seats["operations-sre"]["says"]) == ("failure", "veto, security hole")
    assert seats["engineering-architect"]["is"] == "passed"
    assert suites(compromised())["quorate.committee"]["business-driver"]["says"] == "absent: timed_out"
    assert suites(inconclusive())["quorate.committee"]["engineering-architect"]["says"] == "oppose"
    abstained = Reviewed().table().vote("operations-sre", confidence=10)
    abstained.rest().agree()
    case = suites(abstained)["quorate.committee"]["operations-sre"]
    assert (case["is"], case["says"]) == ("skipped", "abstain: confidence 10 is under 50 (R7)")


def test_findings_stand_by_file_and_notes_pass_with_their_text() -> None:
    found = list(suites(vetoed())["quorate.findings"].values())
    assert [(case["in"], case["is"]) for case in found] == [
        ("src/app.py", "failure"),
        ("src/app.py", "passed"),
    ]
    assert "where: src/app.py:22" in found[0]["text"]
    assert "rule: ruff/F401" in found[1]["text"]
    assert {case["in"] for case in suites(compromised())["quorate.findings"].values()} == {
        "src/app.py",
        "docs/guide.md",
        "the change as a whole",
    }


@pytest.mark.parametrize(
    ("review", "came_to"),
    [
        (approved, "passed"),
        (vetoed, "failure"),
        (proven, "failure"),
        (inconclusive, "error"),
        (lambda: Reviewed().table(), "error"),
    ],
)
def test_the_verdict_is_a_case_with_its_grounds(review: Any, came_to: str) -> None:
    case = suites(review())["quorate.verdict"]["verdict"]
    assert case["is"] == came_to
    if review is vetoed:
        assert "a veto stands (R28): operations-sre (security hole)" in case["text"]
    if review is proven:
        assert "a check has proven a veto (R14)" in case["text"]


def test_the_sums_are_those_of_the_cases() -> None:
    review = vetoed()
    root = ET.fromstring(junit(findings(review.record), result(review.record), session=SESSION, verdict="X", code=2))
    for element in (root, *root.findall("testsuite")):
        cases = list(element.iter("testcase"))
        assert int(str(element.get("tests"))) == len(cases)
        assert int(str(element.get("failures"))) == sum(case.find("failure") is not None for case in cases)
        assert int(str(element.get("skipped"))) == sum(case.find("skipped") is not None for case in cases)
    assert root.get("tests") == "8"


def test_cases_have_names_of_their_own() -> None:
    alike = [Finding("r", Severity.LOW, "a.py", occurrence=n) for n in range(3)]
    root = ET.fromstring(junit(alike, {}, session="s", verdict="APPROVED", code=0))
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(set(names)) == len(names)


def test_what_xml_cannot_hold_is_replaced_and_markup_stays_text() -> None:
    bad = "\x00\x08\x1b[31m\ud800\ufffe]]></failure><!-- & \" ' \u202e"
    finding = Finding(bad, Severity.HIGH, bad, 1, bad, bad, bad, bad, raised_by=(bad,), veto=bad)
    ran = [{"check": bad, "status": "fail", "reason": bad, "findings": 1}]
    came_to = {"checks": {"ran": ran}, "warnings": [bad], "grounds": [bad]}
    text = junit([finding], came_to, session=bad, verdict="REQUEST_CHANGES", code=1)
    root = ET.fromstring(text.encode())
    assert root.get("tests") == "3"
    assert "]]></failure><!--" in str(next(root.iter("failure")).text)
    assert "\x1b" not in text
    assert "&lt;/failure&gt;" in text
