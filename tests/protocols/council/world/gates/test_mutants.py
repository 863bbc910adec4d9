"""The gates find nothing in a good RFC, and in each of its mutants exactly what was broken, each at its line (C8)."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from quorate.protocols.council.rules.sample import SAMPLE as STARTER
from quorate.protocols.council.rules.taxonomy import Subcategory
from quorate.protocols.council.world.gates.run import run_gates
from quorate.protocols.council.world.rfc.model import Shape
from quorate.protocols.council.world.rfc.read import read_rfc
from tests.protocols.council.world.gates.mutated import RFC, SAMPLE, SECRET, examine, mutants, try_mutant
from tests.support.generated import write_rfc

MUTANTS = mutants()
BENCHMARK = Path(__file__).parents[5] / "benchmarks" / "gates.py"


def test_the_sample_has_no_finding_of_any_severity() -> None:
    found, messages, _ = examine(SAMPLE / RFC)
    assert not found, messages


def test_the_sample_is_as_large_and_as_mixed_as_a_real_rfc() -> None:
    rfc = read_rfc(SAMPLE / RFC)
    assert (rfc.id, rfc.version.value, rfc.prd_id) == ("RFC-0042", "v4", "PRD-0007")
    assert len(rfc.documents) == 10
    assert len([each for each in rfc.requirements if each.imported]) == 12
    assert {ticket.shape for ticket in rfc.tickets} == set(Shape)
    assert 10 <= len(rfc.tickets) <= 12
    assert len(rfc.atlas.components) == 6
    assert sum(len(component.extension_points) for component in rfc.atlas.components) == 5
    assert 55 <= len(rfc.atlas.files) <= 70
    assert len(rfc.decisions) == 6
    assert rfc.atlas.source == "index"


def test_every_ticket_of_the_sample_can_be_implemented() -> None:
    for ticket in read_rfc(SAMPLE / RFC).tickets:
        assert ticket.requirements, ticket.id
        assert ticket.steps or (ticket.shape is Shape.D and ticket.summary), ticket.id
        assert ticket.criteria, ticket.id
        assert ticket.tests or ticket.commands, ticket.id


def test_the_longest_chain_of_the_sample_is_the_one_it_names() -> None:
    tickets = {ticket.id: ticket for ticket in read_rfc(SAMPLE / RFC).tickets}

    def chain(name: str) -> list[str]:
        before = [chain(reference.id) for reference in tickets[name].depends_on]
        return [*max(before, key=len, default=[]), name]

    longest = max((chain(name) for name in tickets), key=len)
    named = f"longest_chain: [{', '.join(longest)}]"
    assert named in (SAMPLE / RFC / "06_ticket_decomposition.yaml").read_text()


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_has_exactly_the_findings_that_it_must_have(name: str, tmp_path: Path) -> None:
    result = try_mutant(MUTANTS[name], tmp_path)
    assert not result.missed, [str(each) for each in result.extra]
    assert not result.extra, [result.messages[each] for each in result.extra]
    assert not result.cousins_missed


def test_the_mutants_cover_every_kind_of_defect_that_code_can_prove() -> None:
    assert len(MUTANTS) >= 30
    covered = {expected.subcategory for mutant in MUTANTS.values() for expected in mutant.expected}
    assert covered >= {
        Subcategory.DEPENDENCY_CYCLE,
        Subcategory.BROKEN_REF,
        Subcategory.SCHEMA_VIOLATION,
        Subcategory.PHASE_MISORDERING,
        Subcategory.SCOPE_GAP,
        Subcategory.ORPHAN_TICKET,
        Subcategory.SCOPE_OVERLAP,
        Subcategory.EVIDENCE_GAP,
        Subcategory.CCP_MISMATCH,
        Subcategory.MISSING_VERIFICATION,
        Subcategory.SCOPE_TOO_LARGE,
        Subcategory.MULTI_COMPONENT,
        Subcategory.SECRET_EXPOSURE,
        Subcategory.BOUNDARY_VIOLATION,
    }


def test_a_secret_is_found_and_shown_nowhere(tmp_path: Path) -> None:
    result = try_mutant(MUTANTS["secret"], tmp_path)
    report = run_gates(read_rfc(tmp_path / "sample" / RFC))
    assert result.hit
    assert SECRET not in repr(report)


def test_the_starter_has_no_finding_and_fits_a_small_window(tmp_path: Path) -> None:
    for name, text in STARTER.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    rfc = read_rfc(tmp_path)
    found, messages, _ = examine(tmp_path)
    assert not found, messages
    assert (len(rfc.documents), len(rfc.tickets), len(rfc.requirements)) == (10, 3, 3)
    assert all(requirement.imported and requirement.statement for requirement in rfc.requirements)
    assert len(rfc.atlas.components) == 2
    assert not rfc.left_out
    assert rfc.atlas.files
    assert sum(len(text.encode()) for text in STARTER.values()) < 9_000


def test_a_large_rfc_is_read_whole_and_has_no_finding(tmp_path: Path) -> None:
    rfc = read_rfc(write_rfc(tmp_path, tickets=66, edges=164))
    assert len(rfc.tickets) == 66
    assert sum(len(ticket.depends_on) for ticket in rfc.tickets) == 164
    assert [str(finding.message) for finding in run_gates(rfc).findings] == []


@pytest.fixture(scope="module")
def command() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("benchmark_gates", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    path = list(sys.path)
    spec.loader.exec_module(module)
    yield module
    sys.path[:] = path


def test_the_command_prints_recall_and_precision(command: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.try_all([MUTANTS["cycle-of-two"], MUTANTS["cousin"]])
    told = capsys.readouterr().out
    assert "recall     100.0 % (2 of 2)" in told
    assert "precision  100.0 % (2 of 2)" in told
    assert "0 false findings in the sample itself" in told


def test_the_command_tells_what_was_missed_and_fails(command: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    cycle, orphan = MUTANTS["cycle-of-two"], MUTANTS["orphan"]
    assert not command.try_all([replace(cycle, expected=orphan.expected[1:])])
    told = capsys.readouterr().out
    assert "SCOPE_GAP BLOCKER in 01_problem_and_imports.yaml (document): MISSED" in told
    assert "DEPENDENCY_CYCLE BLOCKER in TCK-00401.yaml (ticket): EXTRA" in told
    assert "recall     0.0 % (0 of 1)" in told


def test_a_finding_at_another_line_is_no_hit(tmp_path: Path) -> None:
    cycle = MUTANTS["cycle-of-two"]
    elsewhere = replace(cycle, expected=(replace(cycle.expected[0], at=("implementation:",)),))
    result = try_mutant(elsewhere, tmp_path)
    assert not result.hit
    assert len(result.missed) == len(result.extra) == 1
