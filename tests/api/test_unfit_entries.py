"""Entries that did not fit a form: one fate each in every protocol, told everywhere and proven by the verifier."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from jsonschema import Draft202012Validator

from quorate import api, catalog
from quorate.api.results import bundle, check, explain, report, summary
from quorate.core.form_values import LEFT, Unfit, unfit_text
from quorate.core.record import Said
from quorate.evidence.bundle import schema
from quorate.kit.definition import Definition
from quorate.protocols.debate.definition import DEFINITION
from quorate.protocols.review.rules.forms import Ballot
from quorate.protocols.review.world.change.source import Branch
from quorate.protocols.review.world.review import open_review
from quorate.runtime import asks
from quorate.store.journal import Journal
from quorate.workspace import Workspace, find_workspace
from quorate_verifier import verify
from tests.support.damaging import PROBLEM
from tests.support.reviewing import Project, ballot, item, replies
from tests.verifier.played import resealed

LOST = Unfit("notes[9]", "refused", "the list has at most 9 entries", "words: a tenth note")


@pytest.fixture
async def result(workspace: Workspace, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A debate in which one entry of every reply did not fit."""
    real = asks.envelope_of
    monkeypatch.setattr("quorate.runtime.executor.envelope_of", lambda *given: replace(real(*given), unfit=(LOST,)))
    session = await api.open_session(workspace, journal, "debate", {"problem": PROBLEM})
    return await api.run(workspace, journal, session)


def rows(data: Any) -> list[dict[str, Any]]:
    return [each for each in data["fates"] if each["what"] == "unfit entry"]


async def test_each_is_told_in_report_explain_and_for_programs(result: Any) -> None:
    first = rows(summary(result))[0]
    assert first["said"] == "words: a tenth note"
    assert (first["became"], first["rule"]) == ("refused: the list has at most 9 entries", "D33")
    assert first["id"].endswith(" notes[9]")
    assert "it said: words: a tenth note" in explain(result)
    text = report(result, "md")
    assert "unfit entry" in text.partition("## What became of what was said")[2].partition("\n## ")[0]


async def test_a_bundle_carries_them_and_they_are_derived_again(result: Any, tmp_path: Path) -> None:
    made = bundle(result)
    assert Draft202012Validator(schema()).is_valid(made)
    assert len(rows(made)) == sum(len(each["body"].get("unfit", ())) for each in made["entries"]) > 0
    kept = tmp_path / "bundle.json"
    kept.write_text(json.dumps(made), encoding="utf-8")
    assert check(kept) == []
    rows(made)[0]["said"] = "nothing at all"
    kept.write_text(json.dumps(made), encoding="utf-8")
    assert [problem.place.rpartition("/")[2] for problem in check(kept)] == ["said"]


async def test_the_verifier_derives_them_from_the_entries(result: Any) -> None:
    assert verify(bundle(result)).differences == []


@pytest.mark.parametrize("name", ["id", "by", "said", "became", "rule"])
async def test_the_verifier_refuses_a_forged_one(result: Any, name: str) -> None:
    made = bundle(result)
    rows(made)[-1][name] = ["security"] if name == "by" else "D1"
    assert "/fates" in [each.place for each in verify(made).differences]


async def test_the_verifier_refuses_one_left_out_and_one_too_many(result: Any) -> None:
    made = bundle(result)
    del made["fates"][-1]
    assert "/fates" in [each.place for each in verify(made).differences]
    made = bundle(result)
    made["fates"].append(dict(made["fates"][-1]))
    assert "/fates" in [each.place for each in verify(made).differences]
    made = bundle(result)
    index = next(index for index, each in enumerate(made["entries"]) if "unfit" in each["body"])
    del made["entries"][index]["body"]["unfit"]
    places = [each.place for each in verify(resealed(made)).differences]
    assert "/fates" in places
    assert any(place.startswith("/transcript") for place in places)


async def test_the_verifier_looks_at_those_of_a_protocol_that_it_does_not_know(result: Any) -> None:
    made = bundle(result)
    made["entries"][0]["body"]["opening"]["protocol"] = made["protocol"]["name"] = "poll"
    made = resealed(made)
    assert "/fates" not in [each.place for each in verify(made).differences]
    rows(made)[0]["said"] = "nothing at all"
    assert "/fates" in [each.place for each in verify(made).differences]


async def test_a_protocol_without_fates_has_those_of_its_forms(result: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    known = cast("dict[str, Definition]", catalog.definitions())
    monkeypatch.setitem(known, "debate", replace(DEFINITION, fates=None, entries_rule="the form"))
    told = bundle(result)["fates"]
    assert {each["rule"] for each in told} == {"the form"}
    assert told == rows({"fates": told})


def test_they_are_counted_by_what_became_of_them() -> None:
    kept, cut, left = (Unfit("a", became, "", "") for became in ("kept at F0", "cut to 9 characters", LEFT))
    told = "2 entries refused, 1 entry kept elsewhere, 1 text cut, 1 line named that was not shown"
    assert unfit_text((LOST, LOST, kept, cut, left)) == told


async def test_what_a_person_names_is_put_in_and_told_as_anybodys_is(tmp_path: Path) -> None:
    """R40, R41."""
    project = Project(tmp_path)
    project.change()
    panel = project.panel(replies(), seats={"operations-sre": "person"})
    workspace = find_workspace(project.folder, {})
    journal = workspace.open()
    review = await open_review(workspace, journal, Branch("main"), folder=project.folder, panel=panel, seed=3)
    (ask,) = (await api.run(workspace, journal, review.session)).waiting
    given = ballot(items=[item(evidence="F1:3"), item(evidence="F1:33")])
    assert await api.answer(workspace, journal, review.session, str(ask.id), given)
    record = (await api.load(workspace, journal, review.session)).record
    said = next(line for line in record.log if isinstance(line, Said) and line.ask.id == ask.id)
    assert isinstance(said.reply, Ballot)
    kept = [(each.evidence.text, each.quoted) for each in said.reply.items]
    assert kept == [('+    return "-".join(text.lower().split())', True), ("F1:33", False)]
    assert [str(each) for each in said.envelope.unfit] == [
        "items[1].evidence: left as typed: F1:33: no such line was shown"
    ]
