"""What became of what was said: in the report, explain and the bundle, and derived again where a bundle is checked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from quorate import api, catalog
from quorate.api.results import bundle, check, explain, report, summary
from quorate.core.record import Record
from quorate.core.types import Seat
from quorate.kit.definition import Definition
from quorate.kit.fates import Fate
from quorate.protocols.debate.definition import DEFINITION
from quorate.protocols.debate.rules.model import Proposal
from quorate.store.journal import Journal
from quorate.workspace import Workspace
from quorate_verifier import verify
from quorate_verifier.debate import Debate
from quorate_verifier.rules import Rules
from tests.support.damaging import PROBLEM


def _fates(record: Record) -> tuple[Fate, ...]:
    said = [(line.ask.seat, line.reply) for line in record.said(Seat("architect"), "propose")]
    texts = [(seat, reply.text.text) for seat, reply in said if isinstance(reply, Proposal)]
    return tuple(Fate("P1", "proposal", (seat,), text, "refined", "D14") for seat, text in texts)


@pytest.fixture
async def result(workspace: Workspace, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A debate of a definition that says what became of one proposal."""
    known = cast("dict[str, Definition]", catalog.definitions())
    monkeypatch.setitem(known, "debate", replace(DEFINITION, fates=_fates))
    session = await api.open_session(workspace, journal, "debate", {"problem": PROBLEM})
    return await api.run(workspace, journal, session)


async def test_report_and_explain_tell_them(result: Any) -> None:
    sections = [line for line in report(result, "md").splitlines() if line.startswith("## ")]
    assert sections[0] == "## What became of what was said"
    assert "| P1 | proposal | architect |" in report(result, "md")
    assert "P1 (proposal of architect): refined (D14)" in explain(result)


async def test_programs_are_told_beside_the_result(result: Any) -> None:
    assert [(each["id"], each["became"], each["rule"]) for each in summary(result)["fates"]] == [
        ("P1", "refined", "D14")
    ]


async def test_a_bundle_holds_them_and_they_are_derived_again(result: Any, tmp_path: Path) -> None:
    made = bundle(result)
    assert [each["became"] for each in made["fates"]] == ["refined"]
    kept = tmp_path / "bundle.json"
    kept.write_text(json.dumps(made), encoding="utf-8")
    assert check(kept) == []
    made["fates"][0]["became"] = "accepted"
    kept.write_text(json.dumps(made), encoding="utf-8")
    assert [problem.place for problem in check(kept)] == ["/fates/0/became"]
    del made["fates"]
    kept.write_text(json.dumps(made), encoding="utf-8")
    assert [problem.place for problem in check(kept)] == ["/fates"]


async def test_the_verifier_does_not_vouch_for_what_it_does_not_derive(
    result: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Debate, "fates", Rules.fates)
    report = verify(bundle(result))
    assert report.differences == []
    assert any(each.startswith("/fates") for each in report.unverified)


async def test_a_protocol_without_fates_tells_none(
    workspace: Workspace, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = cast("dict[str, Definition]", catalog.definitions())
    monkeypatch.setitem(known, "debate", replace(DEFINITION, fates=None))
    session = await api.open_session(workspace, journal, "debate", {"problem": PROBLEM})
    result = await api.run(workspace, journal, session)
    assert "fates" not in bundle(result)
    assert "became of" not in report(result, "md") + explain(result)
