"""The text checks are quiet on honest code: this project's own source, read as if a change brought all of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest

from quorate.kit.change import Change
from quorate.kit.check_result import CheckResult
from quorate.kit.findings import Finding
from quorate.protocols.review.world.checks.conflicts import check_conflicts
from quorate.safety.hidden import check_hidden_text
from quorate.safety.instructions import check_instructions
from quorate.safety.secrets import check_secrets
from tests.support.changes import change_of

SOURCE = Path(__file__).parents[5] / "src"
ABOUT_INJECTION = (
    "safety/fence.py",
    "participants/prompt.py",
    "safety/phrases.py",
    "protocols/council/world/gates/address.py",
    "mcp/quotations.py",
    "lab/redteam/families.py",
    "lab/redteam/orders.py",
    "lab/redteam/material.py",
    "lab/redteam/invariants.py",
    "lab/redteam/seats.py",
)
"""They define the markers and the phrases that the check looks for."""


FROZEN = "version_1/"
"""Earlier versions of protocols say once more what stands beside them."""


@cache
def _own_source() -> dict[str, str]:
    files = {path.relative_to(SOURCE).as_posix(): path for path in sorted(SOURCE.rglob("*.py"))}
    return {
        name: path.read_text("utf-8")
        for name, path in files.items()
        if not name.endswith(ABOUT_INJECTION) and FROZEN not in name
    }


@pytest.mark.parametrize("check", [check_secrets, check_conflicts, check_hidden_text])
def test_the_own_source_has_no_findings(check: Callable[[Change], CheckResult]) -> None:
    assert len(_own_source()) > 100
    assert check(change_of({}, _own_source())).findings == ()


def test_the_own_source_hardly_speaks_to_reviewers() -> None:
    found: Sequence[Finding] = check_instructions(change_of({}, _own_source())).findings
    told = [(each.rule, each.path, each.line, each.severity.value) for each in found]
    assert [each for each in told if each[3] in ("critical", "high")] == []
    claims = [each for each in told if each[0] == "injection/claim"]
    assert len(told) - len(claims) <= 3, told
    assert [each[3] for each in claims] == ["low"], "one comment says that something is harmless, and stops nobody"
