"""The four calibration changes: does the review block what it should, and nothing else?

Clean, style only, a seeded secret with a vague error text, and acceptance claims. With a scripted committee the whole
result is asserted; with the embedded model what must hold whatever it thinks.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import Ran, Shell
from tests.support.reviewing import SECRET, TEST, Project, ballot, item, replies

CLEAN = 'def slug(text: str) -> str:\n    """Return a slug."""\n    return "-".join(text.lower().split())\n'
STYLE = CLEAN.replace(
    '    return "-".join(text.lower().split())\n',
    '    # join the words\n    theWords = text.lower().split()\n    return "-".join(theWords)\n',
)
SEEDED = f'KEY = "{SECRET}"\n\n\n' + CLEAN.replace(
    "    return", '    if not text:\n        raise ValueError("error")\n    return'
)
CLAIMS = [
    {
        "id": "SLUG-1",
        "scope": "src",
        "claim": "Words are joined by hyphens.",
        "observable": "slug('A b')",
        "expected": "'a-b'",
    },
    {
        "id": "SLUG-2",
        "scope": "src",
        "claim": "An empty text is refused.",
        "observable": "slug('')",
        "expected": "ValueError",
    },
]
VAGUE = CLEAN.replace("    return", '    if not text:\n        raise ValueError("error")\n    return')
VARIANTS = {"run-a": CLEAN, "run-b": STYLE, "run-c": SEEDED, "run-d": CLEAN, "run-e": VAGUE}
"""The names do not tell which is which."""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    for name, text in VARIANTS.items():
        made.git("checkout", "-q", "-B", name, "main")
        made.write({"src/slug.py": text, "src/test_slug.py": TEST})
        made.commit("Slugs get hyphens")
    (made.beside / "claims.yaml").write_text(json.dumps(CLAIMS))
    return made


def review(project: Project, run: str, *words: str) -> Ran:
    project.git("checkout", "-q", "-f", run)
    claims = ("--claims", str(project.beside / "claims.yaml")) if run == "run-d" else ()
    usual = ("--base", "main", "--json", "--no-input", "--no-ledger")
    return Shell(project.folder).call("review", *usual, *claims, *words)


def scripted(project: Project, run: str, script: dict[str, Any]) -> dict[str, Any]:
    ran = review(project, run, "--panel", str(project.panel(script)))
    found: dict[str, Any] = ran.json()
    assert found["exit_code"] == ran.code, ran.err
    return found


def blocking(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["severity"], each["rule"]) for each in found["result"]["findings"] if each["blocking"]]


def notes(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["severity"], each["rule"]) for each in found["result"]["findings"] if not each["blocking"]]


def test_a_clean_change_is_approved_without_a_blocking_finding(project: Project) -> None:
    found = scripted(project, "run-a", replies())
    assert found["verdict"] == "APPROVED"
    assert blocking(found) == []


def test_style_alone_is_a_note(project: Project) -> None:
    remark = item("low", rule="naming", evidence="theWords", consequence="Readers expect another case here.")
    found = scripted(project, "run-b", replies(engineering_architect={"ballot": ballot(items=[remark])}))
    assert found["verdict"] == "APPROVED"
    assert blocking(found) == []
    assert ("low", "naming") in notes(found)


def test_a_seeded_secret_requests_changes_and_nobody_is_asked(project: Project) -> None:
    """No vote decides what a check has proven (R14)."""
    found = scripted(project, "run-c", replies())
    assert found["verdict"] == "REQUEST_CHANGES"
    assert blocking(found) == [("critical", "secrets/stripe")]
    assert found["result"]["tallies"] == []
    assert SECRET not in json.dumps(found)


def test_a_vague_error_requests_changes(project: Project) -> None:
    vague = item("medium", rule="usability", evidence='raise ValueError("error")', consequence="Nobody can tell why.")
    found = scripted(project, "run-e", replies(operations_sre={"ballot": ballot(items=[vague])}))
    assert found["verdict"] == "REQUEST_CHANGES"
    assert blocking(found) == [("medium", "usability")]


def test_a_broken_claim_requests_changes(project: Project) -> None:
    judged = {"C1": {"observed": "join", "judgement": "pass"}, "C2": {"observed": "no check", "judgement": "fail"}}
    found = scripted(project, "run-d", replies(**{"*": {"judge": {"claims": judged}}}))
    assert found["verdict"] == "REQUEST_CHANGES"
    claims = {each["id"]: each["judgement"] for each in found["result"]["claims"]}
    assert claims == {"SLUG-1": "PASS", "SLUG-2": "FAIL"}
    assert [severity for severity, _ in blocking(found)] == ["high"]


@pytest.mark.long
@pytest.mark.model
@pytest.mark.parametrize("run", VARIANTS)
def test_the_embedded_model_completes_every_variant(project: Project, run: str) -> None:
    """Completion, valid forms and the verdict that follows from a proof; never the model's opinion."""
    ran = review(project, run, "--model", "local:smollm2", "--solo", "--seed", "7", "--set", "rounds=2")
    found = ran.json()
    assert ran.code in (0, 1, 2), ran.err
    assert found["verdict"] in ("APPROVED", "REQUEST_CHANGES", "INCONCLUSIVE")
    assert found["degradation"] == "none"
    for said in found["result"]["tallies"]:
        assert said["absent"] == 0
    if run == "run-c":
        assert found["verdict"] == "REQUEST_CHANGES"
