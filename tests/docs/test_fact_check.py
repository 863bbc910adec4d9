"""The example of a phase from outside: it runs, it is recorded like any other, and it is proven."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import Enum
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from quorate import catalog
from quorate.codec import decode_entry, digest_text, encode_opening, protocol_digest
from quorate.codec.chain import Entry
from quorate.core.protocol import Protocol
from quorate.core.record import Envelope, Moved, Opening, Record
from quorate.core.types import Interrupted, Reason
from quorate.evidence.bundle import check_bundle, make_bundle
from quorate.evidence.explain import explain_text
from quorate.evidence.report import markdown
from quorate.kit.definition import Definition
from quorate.kit.settings import read_settings
from quorate.participants.panel import load_panel
from quorate.runtime.budget import Budget, Purse
from quorate.runtime.executor import Executor
from quorate.store.memory import MemoryJournal
from quorate.verify import ProofStatus, verify


def example() -> ModuleType:
    """Import the example as a program that has it installed would."""
    path = Path(__file__).parents[2] / "examples" / "fact_check.py"
    spec = spec_from_file_location("fact_check", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


FACT_CHECKING = example()
DEFINITION: Definition = FACT_CHECKING.DEFINITION
FACT_CHECK: Enum = FACT_CHECKING.FactPhase.FACT_CHECK
FACTS_CHECKED: Enum = FACT_CHECKING.FactOutcome.FACTS_CHECKED
SCRIPT = """\
seats:
  checker: {checks}
  "*":
    propose: {{reasoning: r, text: "text of <seat>"}}
    criticise: {{critiques: {{"*": {{strengths: s, weaknesses: w, suggestion: g, weight: minor}}}}}}
    refine: {{responses: {{"*": {{reason: r, stance: accepted}}}}, text: "refined by <seat>"}}
    synthesize: {{solution: s, tradeoffs: [], recommendations: [], unfulfilled_major_requirements: [],
      open_questions: [], confidence: 60}}
"""
DOUBT = "Nobody can know that."


def built(values: dict[str, Any], seed: int = 3) -> Protocol[Any]:
    return DEFINITION.build(read_settings(DEFINITION.settings, values), catalog.briefs(DEFINITION), seed)


async def run(protocol: Protocol[Any], folder: Path, checks: str) -> tuple[Record, list[Entry]]:
    """Run a session with scripted participants on a real journal."""
    (folder / "replies.yaml").write_text(SCRIPT.format(checks=checks))
    (folder / "panel.yaml").write_text("script: replies.yaml\n")
    panel = load_panel(folder / "panel.yaml", protocol.seats)
    panel.check(protocol)
    material = {"problem": "Where should the log live?"}
    digests = {name: digest_text(text) for name, text in material.items()}
    opening = Opening(
        protocol.name, protocol.version, protocol_digest(protocol), "t", 3, protocol.settings, panel.describe(), digests
    )
    journal = MemoryJournal()
    await journal.create(
        "s", protocol.name, "t", 0, encode_opening(opening, Envelope()), {digests["problem"]: material["problem"]}
    )
    record = Record(protocol, opening, material)
    await Executor("s", record, journal, panel, Purse(Budget()), "me").drive()
    return record, await journal.entries("s")


def phases(record: Record) -> list[str]:
    return [line.move.phase.name for line in record.log if isinstance(line, Moved)]


async def test_the_checker_is_asked_between_critique_and_refinement_and_the_authors_see_what_it_said(
    tmp_path: Path,
) -> None:
    protocol = built({"rounds": 2})
    record, entries = await run(protocol, tmp_path, f"{{check-facts: {{doubtful: ['{DOUBT}']}}}}")
    assert record.session.conclusion is not None
    assert record.session.conclusion.verdict.name == "SOLUTION"
    order = phases(record)
    assert order.count("FACT_CHECK") == 2
    assert all(
        order[i - 1] == "CRITIQUE" and order[i + 1] == "REFINEMENT" for i, p in enumerate(order) if p == "FACT_CHECK"
    )
    assert f"F1   the checker has replied: held [{FACTS_CHECKED.name}]" in explain_text(record)
    assert DOUBT in markdown(record, catalog.package_text(DEFINITION, "report.md.j2") or "", "s", entries[-1].hash)


async def test_what_the_checker_said_is_shown_to_authors_alone(tmp_path: Path) -> None:
    protocol = built({"rounds": 1})
    record, entries = await run(protocol, tmp_path, f"{{check-facts: {{doubtful: ['{DOUBT}']}}}}")
    again = Record(protocol, record.opening, record.material)
    shown: dict[str, list[bool]] = {}
    for entry in entries[1:]:
        for ask in again.session.open:
            shown.setdefault(ask.brief, []).append(DOUBT in protocol.view(again, ask).text())
        again.take(*decode_entry(entry.body, again.session.asks))
    assert all(shown["refine"])
    assert {brief for brief, seen in shown.items() if any(seen)} == {"refine"}


async def test_without_the_checker_the_debate_goes_on_and_says_so(tmp_path: Path) -> None:
    record, _ = await run(built({"rounds": 1}), tmp_path, "{check-facts: {absent: timed_out}}")
    assert record.session.conclusion is not None
    assert record.session.conclusion.verdict.name == "SOLUTION"
    assert "F2   nothing else applied: held [FALLBACK]" in explain_text(record)


async def test_its_bundle_holds_and_derives_again(tmp_path: Path) -> None:
    protocol = built({"rounds": 1})
    record, entries = await run(protocol, tmp_path, "{check-facts: {doubtful: []}}")
    bundle = make_bundle(record, entries, "s")
    assert check_bundle(bundle, protocol) == []
    assert check_bundle(bundle, catalog.build("debate", {"rounds": 1}, seed=3)), "these are other rules"


async def test_an_interruption_during_the_check_loses_nothing(tmp_path: Path) -> None:
    protocol = built({"rounds": 1})
    record, entries = await run(protocol, tmp_path, "{check-facts: {doubtful: []}}")
    again = Record(protocol, record.opening, record.material)
    for entry in entries[1:]:
        if again.session.phase is FACT_CHECK:
            break
        again.take(*decode_entry(entry.body, again.session.asks))
    again.take(Interrupted(Reason.CANCELLED), Envelope(seq=99))
    assert again.session.conclusion is not None
    assert again.session.conclusion.verdict.name == "ABORTED"
    assert set(DEFINITION.result(again)["texts"]) == {"architect", "performance", "simplicity"}


@pytest.mark.slow
def test_it_is_proven_like_any_other_protocol() -> None:
    report = verify(
        {name: built(dict(values)) for name, values in DEFINITION.profiles.items()}, DEFINITION.proven_with()
    )
    assert report.ok, report.text()


def test_a_forgotten_row_is_found_with_its_story() -> None:
    small = {"agents": ["architect", "security"], "rounds": 1, "retries": 0, "summarization": {"enabled": False}}
    whole = built(small)
    rows = {outcome: to for outcome, to in whole.table[FACT_CHECK].items() if outcome is FACTS_CHECKED}
    report = verify({"small": replace(whole, table={**whole.table, FACT_CHECK: rows})})
    failed = next(result for result in report.results if result.number == 3)
    assert failed.status is ProofStatus.FAILED
    assert failed.counterexample is not None
    assert "checker: absent" in failed.counterexample.text()
