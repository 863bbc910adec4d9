"""SARIF: all open findings, valid by the official schema where it is at hand, and safe to take into code scanning."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from quorate.evidence.sarif import FINGERPRINT, is_security, sarif, uri
from quorate.kit.findings import Finding, Severity
from quorate.protocols.review.rules.result import findings
from tests.support.reviewed import SESSION, Reviewed, approved, compromised, inconclusive, vetoed
from tests.support.sarif_schema import official_validator

SCHEMA_NAME = "sarif-schema-2.1.0.json"
REVIEWS = {"approved": approved, "compromised": compromised, "vetoed": vetoed, "inconclusive": inconclusive}
HOSTILE = "\x00\x1b[31m [click](javascript:alert(1)) <script> \u202e \ud800 {0} \U0001f600"
GONE = [{"key": "0123456789ab", "rule": "ruff/E9", "path": "old name.py", "reason": "kept on purpose"}]


def log_of(review: Reviewed, **more: Any) -> dict[str, Any]:
    fixed = {"session": SESSION, "protocol": "review", "exit_code": 1, "anchor": "src/app.py"}
    given: dict[str, Any] = {**fixed, "verdict": review.verdict}
    return sarif(findings(review.record), **{**given, **more})


def run_of(log: dict[str, Any]) -> dict[str, Any]:
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


@pytest.fixture(scope="module")
def validator() -> Any:
    return official_validator()


@pytest.mark.parametrize("name", REVIEWS)
def test_a_log_is_valid_by_the_official_schema(validator: Any, name: str) -> None:
    log = log_of(REVIEWS[name](), degraded="degraded within settings", dismissed=GONE, version="1.2.3")
    assert list(validator.iter_errors(log)) == []
    bare = sarif([], session="", protocol="review", verdict=None)
    assert list(validator.iter_errors(bare)) == []


def test_hostile_text_leaves_a_log_valid(validator: Any) -> None:
    log = sarif([hostile()], session=HOSTILE, protocol="review", verdict="APPROVED", degraded=HOSTILE, anchor=HOSTILE)
    assert list(validator.iter_errors(log)) == []


def hostile() -> Finding:
    texts = {name: HOSTILE for name in ("rule", "path", "message", "evidence", "consequence", "action", "veto")}
    return Finding(**{**texts, "severity": Severity.HIGH, "line": 3, "raised_by": (HOSTILE,)})  # type: ignore[arg-type]


def test_every_open_finding_is_there_once_notes_included() -> None:
    review = vetoed()
    results = run_of(log_of(review))["results"]
    assert [each["partialFingerprints"][FINGERPRINT] for each in results] == [
        finding.key for finding in findings(review.record)
    ]
    assert [each["level"] for each in results] == ["error", "note"]


def test_levels_and_security_severity_follow_the_severity() -> None:
    made = [Finding("secrets/key" if n else "style", severity, "a.py") for severity in Severity for n in (0, 1)]
    run = run_of(sarif(made, session="s", protocol="review", verdict="APPROVED"))
    assert [each["level"] for each in run["results"]] == ["error"] * 4 + ["warning"] * 2 + ["note"] * 2
    style, secret = run["tool"]["driver"]["rules"]
    assert secret["properties"]["security-severity"] == "9.5"
    assert "properties" not in style
    low = run_of(sarif([Finding("bandit/B101", Severity.LOW, "a.py")], session="s", protocol="review", verdict=None))
    assert low["tool"]["driver"]["rules"][0]["properties"]["security-severity"] == "2.0"


def test_what_is_a_security_rule() -> None:
    def made(rule: str, veto: str = "") -> Finding:
        return Finding(rule, Severity.LOW, "a.py", veto=veto)

    assert all(is_security(made(rule)) for rule in ("security", "secret", "secrets/aws", "bandit/B605"))
    assert is_security(made("house/no-shell", "security hole"))
    assert not any(is_security(made(rule)) for rule in ("ruff/F401", "tests", "secretary", "claim/security"))


def test_one_entry_for_each_rule_and_every_result_points_at_its_own() -> None:
    run = run_of(log_of(compromised(), dismissed=GONE))
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(set(rules)) == len(rules)
    assert all(rules[each["ruleIndex"]] == each["ruleId"] for each in run["results"])


def test_a_region_stands_only_where_there_is_a_line_and_the_whole_change_has_an_anchor() -> None:
    results = run_of(log_of(compromised()))["results"]
    places = [each["locations"][0]["physicalLocation"] for each in results]
    regions = {each["ruleId"]: place.get("region") for each, place in zip(results, places, strict=True)}
    assert regions["security"] == {"startLine": 22, "snippet": {"text": "os.system(command)"}}
    assert regions["claim/AC-1"] is None
    assert all(place["artifactLocation"]["uri"] for place in places)
    claim = next(each for each in results if each["ruleId"] == "claim/AC-1")
    assert claim["message"]["text"].startswith("The change as a whole: ")
    assert "locations" not in run_of(log_of(compromised(), anchor=""))["results"][1]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a b.py", "src/a%20b.py"),
        ("ä/#?.py", "%C3%A4/%23%3F.py"),
        ("/etc/passwd", "etc/passwd"),
        ("../../out.py", "out.py"),
        ("//host/x.py", "host/x.py"),
        ("https://host/x", "https%3A/host/x"),
        ("a:b.py", "a%3Ab.py"),
        ("dir\\file.py", "dir/file.py"),
        ("100%.py", "100%25.py"),
        ("half\ud800", "half%ED%A0%80"),
    ],
)
def test_paths_become_relative_percent_encoded_uris(path: str, expected: str) -> None:
    made = uri(path)
    assert made == expected
    split = urlsplit(made)
    assert (split.scheme, split.netloc) == ("", "")
    assert ".." not in unquote(made).split("/")


def test_the_invocation_says_how_the_review_ended() -> None:
    (invocation,) = run_of(log_of(inconclusive(), degraded="degraded below settings", exit_code=2))["invocations"]
    assert (invocation["exitCode"], invocation["exitCodeDescription"]) == (2, "INCONCLUSIVE")
    assert invocation["properties"]["verdict"] == "INCONCLUSIVE"
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "degraded below settings"
    assert invocation["executionSuccessful"] is True
    (aborted,) = run_of(sarif([], session="s", protocol="review", verdict="ABORTED"))["invocations"]
    assert aborted["executionSuccessful"] is False
    assert run_of(log_of(approved()))["automationDetails"]["id"] == f"quorate/review/{SESSION}"


def test_dismissed_findings_are_suppressed_with_their_reason() -> None:
    last = run_of(log_of(approved(), dismissed=GONE))["results"][-1]
    assert last["partialFingerprints"][FINGERPRINT] == "0123456789ab"
    assert last["suppressions"] == [{"kind": "external", "status": "accepted", "justification": "kept on purpose"}]
    assert last["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "old%20name.py"


def test_hostile_text_hides_nothing_and_makes_no_link() -> None:
    text = json.dumps(sarif([hostile()], session=HOSTILE, protocol="review", verdict="APPROVED"), ensure_ascii=False)
    text.encode()
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "](" not in text
    assert "⟨U+202E⟩" in text


def test_a_finding_that_does_not_count_is_a_note_and_says_its_fate() -> None:
    made = [Finding("a", Severity.CRITICAL, "a.py", blocking=False), Finding("b", Severity.CRITICAL, "a.py")]
    became = {made[0].key: "ungrounded", made[1].key: "blocks"}
    results = run_of(sarif(made, session="s", protocol="review", verdict="APPROVED", became=became))["results"]
    assert [(each["level"], each["properties"]["fate"]) for each in results] == [
        ("note", "ungrounded"),
        ("error", "blocks"),
    ]
