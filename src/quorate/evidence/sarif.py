"""Findings as SARIF 2.1.0 for code scanning: all open findings, not only new ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from quorate.kit.findings import Finding, Severity
from quorate.kit.visible_text import visible

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "quorateFindingKey/v1"
ROOT = "%SRCROOT%"
LEVELS = {Severity.CRITICAL: "error", Severity.HIGH: "error", Severity.MEDIUM: "warning", Severity.LOW: "note"}
SCORES = {Severity.CRITICAL: "9.5", Severity.HIGH: "8.0", Severity.MEDIUM: "5.5", Severity.LOW: "2.0"}
"""What `security-severity` says of a security rule: code scanning reads it as critical, high, medium and low."""
SECURITY = re.compile(r"(?:secrets?|security|bandit|injection|hidden[-_ ]?text)(?:/|$)")
"""Rules of this project that are about security; a rule that proves such a veto is one as well."""
SECURITY_VETOES = ("hard-coded secret", "security hole")
_LINK = re.compile(r"\](?=\()")
"""Plain text of SARIF may hold links as Markdown does; hostile text may not."""
UNFINISHED = ("ABORTED", "")

Dismissed = Mapping[str, Any]
"""A finding that somebody has dismissed: key, rule, path and reason."""


def sarif(
    findings: Iterable[Finding],
    *,
    session: str,
    verdict: str | None,
    version: str = "",
    protocol: str,
    exit_code: int | None = None,
    degraded: str = "",
    anchor: str = "",
    dismissed: Iterable[Dismissed] = (),
    became: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return a log with all findings, one rule entry for each rule id, and how the session ended.

    `anchor` is the file at which findings about the change as a whole are shown: code scanning takes no result without
    a place. `became` says by key what became of findings: one that does not count is a note, whatever it claims.
    `degraded` says what was missing, if anything was. Dismissed findings are listed as suppressed.
    """
    found, gone = list(findings), list(dismissed)
    rules = _rules(found, gone)
    index = {rule["id"]: place for place, rule in enumerate(rules)}
    driver: dict[str, Any] = {"name": "Quorate", "rules": rules}
    if version:
        driver["version"] = version
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "automationDetails": {"id": f"quorate/{_name(protocol)}/{_name(session)}"},
                "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the reviewed repository."}}},
                "columnKind": "unicodeCodePoints",
                "invocations": [_invocation(verdict, exit_code, degraded)],
                "results": [
                    *(_result(finding, index, anchor, (became or {}).get(finding.key, "")) for finding in found),
                    *(_suppressed(each, index, anchor) for each in gone),
                ],
            }
        ],
    }


def became_of(findings: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return by key what became of the findings of a protocol that says so."""
    return {str(each["key"]): str(each["became"]) for each in findings if each.get("key") and each.get("became")}


def uri(path: str) -> str:
    """Return a path as a relative URI: percent-encoded, and never out of the root or to another host."""
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return "/".join(quote(part.encode("utf-8", "surrogatepass"), safe="") for part in parts)


def is_security(finding: Finding) -> bool:
    """Whether a finding is about security: by its rule, or by the veto that it proves."""
    return SECURITY.match(finding.rule) is not None or finding.veto in SECURITY_VETOES


def _rules(findings: list[Finding], dismissed: list[Dismissed]) -> list[dict[str, Any]]:
    """One entry for each rule id, in order of appearance, with the worst severity found under it."""
    by_rule: dict[str, list[Finding]] = {}
    for finding in findings:
        by_rule.setdefault(_rule_id(finding.rule), []).append(finding)
    rules = [_rule(name, group) for name, group in by_rule.items()]
    names = dict.fromkeys(_rule_id(str(each["rule"])) for each in dismissed)
    return rules + [{"id": name, "shortDescription": {"text": name}} for name in names if name not in by_rule]


def _rule(name: str, group: list[Finding]) -> dict[str, Any]:
    worst = min((finding.severity for finding in group), key=lambda severity: severity.rank)
    entry: dict[str, Any] = {
        "id": name,
        "shortDescription": {"text": name},
        "defaultConfiguration": {"level": LEVELS[worst]},
    }
    if any(map(is_security, group)):
        entry["properties"] = {"tags": ["security"], "security-severity": SCORES[worst]}
    return entry


def _result(finding: Finding, index: Mapping[str, int], anchor: str, became: str) -> dict[str, Any]:
    rule = _rule_id(finding.rule)
    properties: dict[str, Any] = {
        "severity": finding.severity.value,
        "source": finding.source,
        "blocking": finding.blocking,
        "raisedBy": [_text(name) for name in finding.raised_by],
    }
    if became:
        properties["fate"] = _text(became)
    for name in ("veto", "consequence", "action"):
        if said := getattr(finding, name):
            properties[name] = _text(said)
    return {
        "ruleId": rule,
        "ruleIndex": index[rule],
        "level": "note" if became and not finding.blocking else LEVELS[finding.severity],
        "message": {"text": _message(finding)},
        **_locations(finding.path, finding.line, finding.evidence, anchor),
        "partialFingerprints": {FINGERPRINT: finding.key},
        "properties": properties,
    }


def _message(finding: Finding) -> str:
    """Return the message, followed by consequence and action if they add anything."""
    said = finding.message or finding.consequence or finding.evidence or finding.rule
    more = [f"{finding.severity.value}, raised by {', '.join(finding.raised_by) or finding.source}"]
    if finding.consequence and finding.consequence != said:
        more.append(finding.consequence)
    if finding.action and finding.action != said:
        more.append(f"Action: {finding.action}")
    whole = "" if finding.path else "The change as a whole: "
    return _text(f"{whole}{said}\n\n" + "\n\n".join(more))


def _suppressed(each: Dismissed, index: Mapping[str, int], anchor: str) -> dict[str, Any]:
    rule = _rule_id(str(each["rule"]))
    reason = _text(str(each["reason"])) or "no reason is recorded"
    return {
        "ruleId": rule,
        "ruleIndex": index[rule],
        "level": "none",
        "message": {"text": f"Dismissed: {reason}"},
        **_locations(str(each["path"]), 0, "", anchor),
        "partialFingerprints": {FINGERPRINT: str(each["key"])},
        "suppressions": [{"kind": "external", "status": "accepted", "justification": reason}],
    }


def _locations(path: str, line: int, evidence: str, anchor: str) -> dict[str, Any]:
    where = uri(path) or uri(anchor)
    if not where:
        return {}
    place: dict[str, Any] = {"artifactLocation": {"uri": where, "uriBaseId": ROOT}}
    if uri(path) and line >= 1:
        place["region"] = {"startLine": line}
        if evidence.strip():
            place["region"]["snippet"] = {"text": _text(evidence)}
    return {"locations": [{"physicalLocation": place}]}


def _invocation(verdict: str | None, exit_code: int | None, degraded: str) -> dict[str, Any]:
    told: dict[str, Any] = {
        "executionSuccessful": (verdict or "") not in UNFINISHED,
        "exitCodeDescription": verdict or "under way",
        "properties": {"verdict": verdict, "degraded": _text(degraded) or None},
    }
    if exit_code is not None:
        told["exitCode"] = exit_code
    if degraded:
        told["toolExecutionNotifications"] = [{"level": "warning", "message": {"text": _text(degraded)}}]
    return told


def _text(text: str) -> str:
    """Return text without hidden characters and links that can always be encoded."""
    return _LINK.sub("] ", visible(text))


def _rule_id(rule: str) -> str:
    return " ".join(_text(rule).split()) or "unnamed"


def _name(text: str) -> str:
    """Return a segment of a hierarchical id: no slash, no white space."""
    return re.sub(r"[^\w.\-]", "_", text) or "_"
