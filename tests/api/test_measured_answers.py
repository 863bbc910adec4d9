"""Measured fields: kept beside the reply, told everywhere, and proven by the verifier to be what the reply says."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from quorate import api
from quorate.api.results import bundle, check, explain, report
from quorate.core.form_values import Measured
from quorate.evidence.bundle import schema
from quorate.evidence.events import Teller
from quorate.protocols.debate.rules.model import Critiques
from quorate.runtime import asks
from quorate.store.journal import Journal
from quorate.workspace import Workspace
from quorate_verifier import verify
from tests.support.damaging import PROBLEM
from tests.verifier.played import resealed

Bundle = dict[str, Any]


def weighed(reply: Any) -> tuple[Measured, ...]:
    """What would be told had the weights of a critique been measured, with what was filled in kept."""
    if not isinstance(reply, Critiques):
        return ()
    told = [(f"critiques.{key}.weight", each.weight.value) for key, each in reply.critiques.items()]
    return tuple(Measured(at, value, value, ((value, 610), ("other", 390)), 900, 61, 90) for at, value in told)


@pytest.fixture
async def result(workspace: Workspace, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> Any:
    real = asks.envelope_of
    monkeypatch.setattr(
        "quorate.runtime.executor.envelope_of",
        lambda answer, *more: replace(real(answer, *more), measured=weighed(answer.reply)),
    )
    session = await api.open_session(workspace, journal, "debate", {"problem": PROBLEM})
    return await api.run(workspace, journal, session)


def measured_entries(made: Bundle) -> list[Bundle]:
    return [each["body"] for each in made["entries"] if "measured" in each["body"]]


async def test_they_are_told_in_report_and_explain(result: Any) -> None:
    assert "confidence 61, measured; it said 90" in explain(result)
    text = report(result, "md").partition("## What was measured")[2].partition("\n## ")[0]
    assert "| 61 | 90 |" in text
    assert "610" in text


async def test_a_bundle_carries_them_and_holds(result: Any, tmp_path: Path) -> None:
    made = bundle(result)
    assert Draft202012Validator(schema()).is_valid(made)
    told = [each for each in made["transcript"] if "measured" in each]
    assert len(told) == len(measured_entries(made)) > 0
    kept = tmp_path / "bundle.json"
    kept.write_text(json.dumps(made), encoding="utf-8")
    assert check(kept) == []
    assert verify(made).differences == []


def other_value(each: Bundle) -> None:
    each["value"] = each["said"] = "grave"


def unlikely(each: Bundle) -> None:
    each["said"], each["shares"][0]["share"], each["shares"][1]["share"] = "other", 390, 610


def too_much(each: Bundle) -> None:
    each["shares"][0]["share"] += 1


@pytest.mark.parametrize("forge", [other_value, unlikely, too_much])
async def test_the_verifier_refuses_what_the_reply_or_the_shares_do_not_say(
    result: Any, forge: Callable[[Bundle], None]
) -> None:
    made = bundle(result)
    (number, line), *_ = [(n, each) for n, each in enumerate(made["transcript"]) if "measured" in each]
    body = next(each for each in measured_entries(made) if each["ask"] == line["ask"])
    for told in (body, made["transcript"][number]):
        forge(told["measured"][0])
    places = [each.place for each in verify(resealed(made)).differences]
    assert any("/measured/0/" in place for place in places), places


async def test_the_events_of_the_page_tell_them(result: Any) -> None:
    record = result.record
    teller = Teller(record.protocol, record.opening, record.material)
    told = [teller.take(entry).shown for entry in result.entries[1:]]
    found = [each["measured"] for each in told if "measured" in each]
    assert len(found) == len(measured_entries(bundle(result))) > 0
    assert found[0][0]["stated"] == 90
