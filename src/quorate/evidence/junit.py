"""A review as JUnit XML for CI systems: the checks, the committee, the findings by file, and the verdict."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from xml.etree import ElementTree as ET

from quorate.kit.findings import Finding

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, escaped or not."""
MOST_ATTRIBUTE = 300
AGAINST = ("veto", "oppose")
WHOLE = "the change as a whole"


def junit(
    findings: Iterable[Finding], result: Mapping[str, Any], *, session: str, verdict: str | None, code: int | None
) -> str:
    """Return the XML; `result` is the plain result of a session that makes findings, such as a review.

    `verdict` is the one that counts, a ruling included, and `code` its exit code in the protocol's table: 0 passes, 1
    fails, and with any other nobody has decided.
    """
    root = ET.Element("testsuites", name=_short(f"quorate {session}"))
    _checks(_suite(root, "quorate.checks"), result)
    _committee(_suite(root, "quorate.committee"), result)
    _findings(_suite(root, "quorate.findings"), findings)
    _verdict(_suite(root, "quorate.verdict"), result, verdict or "UNDER WAY", code)
    _count(root)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False, short_empty_elements=True).join(
        ('<?xml version="1.0" encoding="UTF-8"?>\n', "\n")
    )


def _suite(root: ET.Element, name: str) -> ET.Element:
    return ET.SubElement(root, "testsuite", name=name)


def _case(suite: ET.Element, classname: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=_short(classname), name=_short(name), time="0")


def _fail(case: ET.Element, kind: str, message: str, text: str = "", tag: str = "failure") -> None:
    ET.SubElement(case, tag, message=_short(message), type=_short(kind)).text = _clean(text or message)


def _skip(case: ET.Element, message: str) -> None:
    ET.SubElement(case, "skipped", message=_short(message))


def _checks(suite: ET.Element, result: Mapping[str, Any]) -> None:
    """Add the checks; one fails only if a finding of it blocks."""
    blocking = {name for each in result.get("findings", ()) if each["blocking"] for name in each["raised_by"]}
    for each in result.get("checks", {}).get("ran", ()):
        case = _case(suite, "quorate.checks", each["check"])
        if each["status"] == "fail" and each["check"] in blocking:
            count = "1 finding" if each["findings"] == 1 else f"{each['findings']} findings"
            _fail(case, "check", f"{count}: {each['reason']}")
        elif each["status"] == "skip":
            _skip(case, each["reason"])


def _committee(suite: ET.Element, result: Mapping[str, Any]) -> None:
    for each in result.get("committee", ()):
        case = _case(suite, "quorate.committee", each["seat"])
        position, why = each["position"], f": {each['why']}" if each["why"] else ""
        if each["veto"]:
            _fail(case, "veto", f"veto, {each['veto']}")
        elif position in AGAINST:
            _fail(case, position, f"{position}{why}")
        elif position != "synthesis":
            _skip(case, f"{position}{why}")


def _findings(suite: ET.Element, findings: Iterable[Finding]) -> None:
    for finding in findings:
        place = f":{finding.line}" if finding.line else ""
        case = _case(suite, finding.path or WHOLE, f"{finding.rule}{place} [{finding.key}]")
        if finding.blocking:
            _fail(case, finding.severity.value, _says(finding), _told(finding))
        else:
            ET.SubElement(case, "system-out").text = _clean(_told(finding))


def _verdict(suite: ET.Element, result: Mapping[str, Any], verdict: str, code: int | None) -> None:
    case = _case(suite, "quorate.verdict", "verdict")
    told = "\n".join((*result.get("warnings", ()), *result.get("grounds", ())))
    if code == 0:
        ET.SubElement(case, "system-out").text = _clean(f"{verdict}\n{told}")
    elif code == 1:
        _fail(case, verdict, verdict, told)
    else:
        # Nobody has decided, which is neither a pass nor a defect that was found.
        _fail(case, verdict, verdict, told, tag="error")


def _says(finding: Finding) -> str:
    return finding.message or finding.consequence or finding.evidence or finding.rule


def _told(finding: Finding) -> str:
    where = f"{finding.path}:{finding.line}" if finding.path and finding.line else finding.path or WHOLE
    rows = {
        "severity": finding.severity.value,
        "where": where,
        "rule": finding.rule,
        "says": _says(finding),
        "evidence": finding.evidence,
        "action": finding.action,
        "veto": finding.veto,
        "raised by": ", ".join(finding.raised_by),
    }
    return "\n".join(f"{name}: {value}" for name, value in rows.items() if value)


def _count(root: ET.Element) -> None:
    """Set the totals that readers expect on every suite and on the root."""
    for element in (*root.findall("testsuite"), root):
        cases = list(element.iter("testcase"))
        element.set("tests", str(len(cases)))
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            element.set(name, str(sum(case.find(tag) is not None for case in cases)))
        element.set("time", "0")


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def _short(text: str) -> str:
    flat = " ".join(_clean(text).split())
    return flat if len(flat) <= MOST_ATTRIBUTE else flat[: MOST_ATTRIBUTE - 1] + "…"
