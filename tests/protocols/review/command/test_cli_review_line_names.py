"""Lines that a scripted committee names, in everything that a review leaves (R40, R41)."""

from __future__ import annotations

import json

from quorate_verifier import verify_file
from tests.protocols.review.command.reviewed import review
from tests.support.reviewing import Project, ballot, item, replies

LINE = '    return "-".join(text.lower().split())'


def test_record_report_and_verifier_have_the_lines_that_were_named(project: Project) -> None:
    project.change()
    named = item(evidence="F1:3 joins what split() parts")
    lost = item(evidence="F1:33", rule="tests")
    project.panel(replies(engineering_architect={"ballot": ballot(items=[named, lost])}))
    ran = review(project, "--out", "left")
    assert ran.code == 1, ran.err
    assert "1 line named that was not shown" in ran.err
    left = project.folder / "left"
    report = (left / "review-report.md").read_text()
    assert LINE in report
    assert "left as typed: F1:33: no such line was shown" in report
    (found, *_) = json.loads((left / "findings.sarif").read_text())["runs"][0]["results"]
    assert found["locations"][0]["physicalLocation"]["region"]["startLine"] == 3
    bundle = json.loads((left / "bundle.json").read_text())
    kept = next(
        reply["items"]
        for each in bundle["entries"]
        if (reply := each["body"].get("reply", {})).get("items") and each["body"]["ask"]
    )
    assert [(each["evidence"], each["quoted"]) for each in kept] == [
        (f"```\n+{LINE}\n```\nF1:3 joins what split() parts", True),
        ("F1:33", False),
    ]
    assert verify_file(left / "bundle.json").differences == []
