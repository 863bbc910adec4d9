"""Governance: a change of the rules by which it is judged is told, in sight or out of it."""

from __future__ import annotations

import pytest

from quorate.kit.change import LeftOut, Why
from quorate.kit.debt import Dismissal
from quorate.kit.findings import Finding, Severity
from quorate.kit.ledger import Ledger, dismiss, merge
from quorate.protocols.review.world.checks.governance import check_governance
from quorate.store.ledger import ledger_text
from tests.support.changes import change_of


@pytest.mark.parametrize(
    ("path", "text", "rule"),
    [
        ("quorate.yaml", "review:\n  rounds: 1\n", "settings"),
        ("sub/quorate.yml", "x\n", "settings"),
        ("quorate.rules.yaml", "rules: []\n", "house-rules"),
        (".quorateignore", "*.py\n", "ignored-files"),
        (".quorate/briefs/roles/chair.md", "be kind\n", "briefs"),
        (".github/workflows/review.yml", "run: quorate review\n", "pipeline"),
        (".pre-commit-config.yaml", "- id: quorate-review\n", "pipeline"),
        (".gitattributes", "*.py linguist-generated\n", "attributes"),
    ],
)
def test_a_change_of_the_rules_is_high(path: str, text: str, rule: str) -> None:
    for before, after in (({}, {path: text}), ({path: text}, {}), ({path: "y\n"}, {path: text})):
        findings = check_governance(change_of(before, after), deciding=()).findings
        assert [(finding.rule, finding.severity, finding.path) for finding in findings] == [
            (f"governance/{rule}", Severity.HIGH, path)
        ]
        assert "the change alters the rules that it is judged by" in findings[0].message


def test_what_takes_effect_on_this_review_is_a_veto() -> None:
    """R14: a change that sets its own thresholds, seats or personas cannot be voted through."""
    ours = ("quorate.yaml", ".quorate/", "ci/panel.yaml")
    for path in ("quorate.yaml", ".quorate/briefs/roles/chair.md", "ci/panel.yaml"):
        (finding,) = check_governance(change_of({}, {path: "x\n"}), ours).findings
        assert (finding.severity, finding.veto) == (Severity.CRITICAL, "rule violation"), path
    for path in ("quorate.yaml", "ci/panel.yaml"):
        unread = change_of({}, {"a.py": "x\n"}, left_out=(LeftOut(path, Why.IGNORED),))
        assert [each.veto for each in check_governance(unread, ours).findings] == ["rule violation"], path
    moved = change_of({"quorate.yaml": "x\n"}, {"sub/quorate.yaml": "x\n"}, moved={"sub/quorate.yaml": "quorate.yaml"})
    assert [each.veto for each in check_governance(moved, ours).findings] == ["rule violation"]
    link = change_of({}, {"ci": "elsewhere"})
    assert [each.veto for each in check_governance(link, ours).findings] == ["rule violation"]
    for path in ("sub/quorate.yaml", "quorate.rules.yaml", "other/panel.yaml"):
        assert all(not each.veto for each in check_governance(change_of({}, {path: "x\n"}), ours).findings), path


def test_a_ledger_may_keep_count_and_may_not_excuse() -> None:
    path = ".quorate/ledger.json"
    found, _ = merge(Ledger(), (Finding("lint/x", Severity.HIGH, "a.py"),), lambda _: True, "run-1")
    excused = dismiss(found, next(iter(found.entries)), Dismissal("it is fine", "Ada"))
    counted, dismissed = ledger_text(found), ledger_text(excused)
    for before, after in (("", counted), (dismissed, counted)):
        assert check_governance(change_of({path: before}, {path: after})).findings == (), after
    forged = dismissed.replace("a.py", "b.py")
    for before, after in (("", dismissed), (counted, dismissed), (dismissed, forged), (counted, "nonsense\n")):
        findings = check_governance(change_of({path: before}, {path: after})).findings
        assert [each.rule for each in findings] == ["governance/ledger"], after
    assert check_governance(change_of({path: dismissed}, {})).findings == ()


def test_renaming_rules_away_and_leaving_them_out_is_told_too() -> None:
    moved = change_of({"quorate.yaml": "x\n"}, {"old.yaml": "x\n"}, moved={"old.yaml": "quorate.yaml"})
    assert [finding.rule for finding in check_governance(moved).findings] == ["governance/settings"]
    out = change_of({}, {"a.py": "x\n"}, left_out=(LeftOut(".quorate/ledger.json", Why.TOO_LARGE),))
    assert [finding.path for finding in check_governance(out).findings] == [".quorate/ledger.json"]
    twice = change_of({}, {"quorate.yaml": "x\n"}, left_out=(LeftOut("quorate.yaml", Why.GENERATED),))
    assert len(check_governance(twice).findings) == 1


def test_other_files_are_nobodys_rules() -> None:
    after = {"src/quorate.py": "x\n", "quorate.yaml.md": "x\n", ".github/workflows/test.yml": "run: make\n"}
    assert check_governance(change_of({}, {**after, ".gitattributes": "* text=auto\n"})).findings == ()
