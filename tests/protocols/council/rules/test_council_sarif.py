"""A council's open findings for pipelines: the worst first, with keys that last, at the file and line of the YAML."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.evidence.sarif import FINGERPRINT, sarif
from quorate.kit.findings import Severity
from quorate.protocols.council.rules.result import findings, result
from tests.support.council_words import rfc
from tests.support.councils import SEATS, SESSION, Sitting
from tests.support.councils_ended import ENDED, refuted, rejected_by_gate, remediated, split, with_remediation
from tests.support.sarif_schema import official_validator

OPEN = {"UPHELD", "REMEDIATION_AGREED", "DEADLOCKED", "OPEN"}


@pytest.fixture(scope="module")
def validator() -> Any:
    return official_validator()


def log_of(sitting: Sitting) -> dict[str, Any]:
    receipt = result(sitting.record)["receipt"]
    return sarif(
        findings(sitting.record),
        session=SESSION,
        verdict=sitting.verdict,
        protocol="council",
        exit_code=sitting.protocol.exit_codes[sitting.conclusion.verdict],
        anchor=next((each["path"] for each in receipt["files"]), ""),
        dismissed=receipt["dismissed"],
    )


def results(sitting: Sitting) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = log_of(sitting)["runs"][0]["results"]
    return found


@pytest.mark.parametrize("name", ENDED)
def test_a_log_is_valid_by_the_official_schema(validator: Any, name: str) -> None:
    assert [each.message for each in validator.iter_errors(log_of(ENDED[name]()))] == []


@pytest.mark.parametrize("name", ENDED)
def test_exactly_the_open_findings_are_there_each_with_a_key_of_its_own(name: str) -> None:
    sitting = ENDED[name]()
    told = result(sitting.record)["findings"]
    keys = [finding.key for finding in findings(sitting.record)]
    assert sorted(keys) == sorted(each["key"] for each in told if each["resolution"] in OPEN)
    assert len(set(keys)) == len(keys)


def test_a_result_points_into_the_yaml() -> None:
    (found,) = results(with_remediation())
    place = found["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "rfcs/RFC-0042/tickets/TCK-00001.yaml"
    assert place["region"]["startLine"] == 14
    assert found["ruleId"] == "implementability/MISSING_VERIFICATION"
    assert found["level"] == "error"
    assert found["properties"]["raisedBy"] == ["SA-1", "SA-2"]
    assert found["properties"]["action"] == "Write the missing steps into the ticket."


@pytest.mark.parametrize(
    ("root", "path"),
    [
        ("rfcs/RFC-0042", "rfcs/RFC-0042/tickets/TCK-00001.yaml"),
        ("./rfcs//RFC-0042/", "rfcs/RFC-0042/tickets/TCK-00001.yaml"),
        (".", "tickets/TCK-00001.yaml"),
        ("", "tickets/TCK-00001.yaml"),
        ("/home/ann/rfc", "tickets/TCK-00001.yaml"),
        ("C:\\rfc", "tickets/TCK-00001.yaml"),
    ],
)
def test_a_path_is_as_the_folder_was_named_unless_that_was_absolute(root: str, path: str) -> None:
    sitting = Sitting(about=rfc(root=root)).review({"SA-1": ["AMBIGUOUS_SCOPE T1"]}).finish()
    assert [finding.path for finding in findings(sitting.record)] == [path]


def test_severities_blocking_and_sources() -> None:
    """BLOCKER and MAJOR block; a gate's finding is a check's, a seat's the committee's."""
    sitting = (
        Sitting()
        .gates("SCOPE_OVERLAP T1", "SCOPE_GAP R01")
        .review({seat: ["ANOMALY_IGNORED T2", "ORPHAN_TICKET T3 INFO"] for seat in SEATS})
    )
    found = findings(sitting.respond("CONFIRM fix").vote().finish().record)
    assert [(each.severity, each.blocking, each.source) for each in found] == [
        (Severity.CRITICAL, True, "check"),
        (Severity.HIGH, True, "committee"),
        (Severity.MEDIUM, False, "check"),
        (Severity.LOW, False, "committee"),
    ]
    assert found[0].raised_by == ("GATE-TCK-SCOPE-COVERAGE",)


def test_a_security_defect_is_one_for_code_scanning() -> None:
    sitting = Sitting().gates("SECRET_EXPOSURE T1").finish()
    (rule,) = log_of(sitting)["runs"][0]["tool"]["driver"]["rules"]
    assert rule["id"] == "security/SECRET_EXPOSURE"
    assert rule["properties"]["security-severity"] == "9.5"


def test_what_a_quorum_dismissed_is_suppressed() -> None:
    (found,) = results(refuted())
    assert found["suppressions"][0]["justification"] == "dismissed by the council: SA-1 OPPOSE, SA-2 OPPOSE"
    assert findings(refuted().record) == ()


def test_what_is_remediated_is_not_open_and_what_is_deadlocked_is() -> None:
    assert findings(remediated().record) == ()
    assert [finding.rule for finding in findings(split().record)] == ["implementability/AMBIGUOUS_SCOPE"]


def test_a_key_lasts_from_one_council_to_the_next() -> None:
    """Neither the seed nor the words of a seat change what a finding is known by."""
    first = Sitting(seed=1).review({"SA-1": ["AMBIGUOUS_SCOPE T1 steps L3"]}).finish()
    words = {"subcategory": "AMBIGUOUS_SCOPE", "place": "T1", "field": "steps", "severity": "MINOR", "evidence": "else"}
    second = Sitting(seed=2).gates("SCOPE_GAP R01").review({"SA-2": [words]}).finish()
    (key,) = (finding.key for finding in findings(first.record))
    assert key in {finding.key for finding in findings(second.record)}


def test_the_fingerprint_is_the_key() -> None:
    sitting = rejected_by_gate()
    assert [each["partialFingerprints"][FINGERPRINT] for each in results(sitting)] == [
        finding.key for finding in findings(sitting.record)
    ]
