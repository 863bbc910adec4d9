"""The tutorial's hiring panel: the page is the package, and the package is what the page says it is."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

import quorate
from quorate import Quorate, api, catalog
from quorate.api.opening import inputs_schema
from quorate.api.protocol_data import describe_protocol
from quorate.cli.main import cli
from quorate.kit.definition import Definition
from quorate.verify import ProofStatus
from quorate_verifier.__main__ import main as verifier
from tests.docs.book import ROOT, blocks

PAGE = ROOT / "docs" / "how-to" / "own-protocol.md"
PACKAGE = ROOT / "examples" / "hiring"
NOTES = "Ada found the race."
ALL_FOR = {"technical": "yes", "product": "yes", "peer": "yes"}


@pytest.fixture
def hiring(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The package as it is once installed: importable, and found by its entry point."""
    monkeypatch.syspath_prepend(str(PACKAGE))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    module = importlib.import_module("hiring")
    known: dict[str, Definition] = dict(catalog.definitions())
    monkeypatch.setattr(catalog, "definitions", lambda: known | {"hiring": module.DEFINITION})
    yield module
    del sys.modules["hiring"]


def panel(votes: dict[str, str], manager: str | None = None) -> dict[str, Any]:
    """Interviewers who vote as they are told, and a manager who does or says nothing."""

    def voting(vote: str | None) -> Any:
        return lambda _: None if vote is None else {"evidence": "I saw it.", "vote": vote}

    absent = dict.fromkeys(ALL_FOR)
    return {"seats": {seat: voting(vote) for seat, vote in {**absent, **votes, "manager": manager}.items()}}


def test_its_bundle_holds_by_the_engine_alone_and_check_says_so(hiring: ModuleType, tmp_path: Path) -> None:
    """The independent verifier knows five protocols; of others it vouches for nothing."""
    path = tmp_path / "bundle.json"
    with Quorate(tmp_path, store="memory:") as place:
        session = place.open("hiring", NOTES, panel=panel(ALL_FOR))
        assert session.run() is not None
        path.write_text(json.dumps(session.bundle()), encoding="utf-8")
    ended = CliRunner().invoke(cli, ["check", str(path)])
    assert ended.exit_code == 0, ended.output
    assert ended.stdout == f"{path}: holds by the engine alone\n"
    assert "not verified by the independent verifier: this verifier does not know the protocol 'hiring'" in ended.stderr
    assert verifier([str(path)]) == 1
    data = json.loads(path.read_text(encoding="utf-8"))
    data["verdict"]["verdict"] = "NO_HIRE"
    path.write_text(json.dumps(data), encoding="utf-8")
    ended = CliRunner().invoke(cli, ["check", str(path)])
    assert ended.exit_code == 1
    assert "/verdict/verdict: it is 'NO_HIRE'" in ended.stdout


# The page


def test_the_page_shows_the_whole_package() -> None:
    shown = [block.body for block in blocks(PAGE) if any(word.startswith("from=") for word in block.words)]
    module = (PACKAGE / "hiring" / "__init__.py").read_text(encoding="utf-8")
    assert "\n\n".join(part.strip() for part in shown).split() == module.split()
    for block in blocks(PAGE):
        file = PACKAGE / block.title
        if block.title and file.suffix in (".md", ".toml", ".yaml"):
            assert file.read_text(encoding="utf-8") == block.body, f"{block} is not {file.name}"


def test_every_file_of_the_package_is_on_the_page() -> None:
    files = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*") if path.suffix in (".md", ".yaml")}
    assert files <= {block.title for block in blocks(PAGE)}


def test_it_is_some_fifty_lines() -> None:
    lines = (PACKAGE / "hiring" / "__init__.py").read_text(encoding="utf-8").splitlines()
    assert sum(bool(line.strip()) for line in lines) <= 50


# The protocol


def test_it_is_proven(hiring: ModuleType) -> None:
    report = quorate.prove(hiring.DEFINITION)
    assert report.ok, report.text()
    assert {result.number for result in report.results if result.status is ProofStatus.BOUNDED} == {6}


@pytest.mark.parametrize("outcome", ["AGREED", "REFUSED", "SPLIT"])
def test_every_row_is_needed(hiring: ModuleType, outcome: str) -> None:
    whole = hiring.build(None, catalog.briefs(hiring.DEFINITION), 0)
    rows = {each: to for each, to in whole.table[hiring.INTERVIEWS].items() if each.name != outcome}
    report = quorate.prove(replace(whole, table={**whole.table, hiring.INTERVIEWS: rows}))
    failed = next(result for result in report.results if result.number == 3)
    assert failed.status is ProofStatus.FAILED
    assert f"INTERVIEWS has no row for {outcome}" in failed.detail
    assert failed.counterexample is not None
    assert "Where: hiring.count" in failed.counterexample.text(), "the author's own function is named"


@pytest.mark.parametrize(
    ("votes", "manager", "verdict", "code", "degraded"),
    [
        (ALL_FOR, None, "HIRE", 0, "none"),
        ({**ALL_FOR, "peer": "veto"}, "yes", "DECLINE", 1, "none"),
        ({**ALL_FOR, "peer": "no"}, "yes", "HIRE", 0, "none"),
        ({**ALL_FOR, "peer": "no"}, "no", "DECLINE", 1, "none"),
        ({**ALL_FOR, "peer": "no"}, None, "UNDECIDED", 2, "within settings"),
        ({"technical": "yes"}, "yes", "HIRE", 0, "within settings"),
        ({}, None, "UNDECIDED", 2, "within settings"),
    ],
    ids=str,
)
def test_the_verdict_follows_from_the_votes(
    hiring: ModuleType,
    tmp_path: Path,
    votes: dict[str, str],
    manager: str | None,
    verdict: str,
    code: int,
    degraded: str,
) -> None:
    with Quorate(tmp_path, store="memory:") as place:
        session = place.open("hiring", NOTES, panel=panel(votes, manager))
        assert session.run() == verdict
        assert session.exit_code == code
        assert session.summary()["degradation"] == degraded


def test_nobody_sees_a_vote_before_all_have_voted_and_the_manager_sees_all(hiring: ModuleType, tmp_path: Path) -> None:
    shown: dict[str, str] = {}

    def vote(request: quorate.Request) -> dict[str, str]:
        shown[str(request.ask.seat)] = request.view.text()
        return {"evidence": f"As {request.ask.seat} saw it.", "vote": "no"}

    with Quorate(tmp_path, store="memory:") as place:
        session = place.open("hiring", NOTES, panel={"seats": dict.fromkeys([*ALL_FOR, "manager"], vote)})
        assert session.run() == "DECLINE"
        assert "As manager saw it." in session.solution()
    assert all(NOTES in text for text in shown.values())
    assert not any("saw it" in shown[seat] for seat in ALL_FOR)
    assert all(f"As {seat} saw it." in shown["manager"] for seat in ALL_FOR)


def test_a_cancelled_session_is_undecided(hiring: ModuleType, tmp_path: Path) -> None:
    with Quorate(tmp_path, store="memory:") as place:
        session = place.open("hiring", NOTES, panel=panel(ALL_FOR))
        session.cancel()
        assert session.verdict == "UNDECIDED"
        assert session.summary()["interrupted"] == "cancelled"


# The surfaces


def test_every_surface_gets_to_know_it(hiring: ModuleType) -> None:
    assert "hiring" in {each.name for each in api.protocols()}
    assert inputs_schema("hiring")["required"] == ["notes"]
    told = describe_protocol("hiring")
    assert told["inputs"] == inputs_schema("hiring")
    assert {row["to"] for row in told["table"]} == {"HIRE", "DECLINE", "DECISION", "UNDECIDED"}
    assert told["exit_codes"] == {"HIRE": 0, "DECLINE": 1, "UNDECIDED": 2}
    assert "INTERVIEWS" in api.graph("hiring", "mermaid")


def test_a_person_manages_and_the_reports_are_whole(hiring: ModuleType, tmp_path: Path) -> None:
    seats = {**panel({**ALL_FOR, "peer": "no"})["seats"], "manager": "person"}
    with Quorate(tmp_path, store="memory:") as place:
        session = place.open("hiring", NOTES, panel={"seats": seats})
        assert session.run() is None
        (question,) = session.questions()
        assert question.seat == "manager"
        assert question.says.startswith("# Decide")
        session.answer(question.ask, {"evidence": "The test.", "vote": "yes"})
        assert session.run() == "HIRE"
        assert session.report().startswith("# HIRE")
        assert "votes for 2 >= 3" in session.explain()
        assert session.summary()["result"]["verdict"] == "HIRE"
