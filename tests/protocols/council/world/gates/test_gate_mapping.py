"""The gate CCP-MAPPING: which paths map to the index of the code, and which are justified (C8, C10)."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from quorate.protocols.council.rules.forms import GateRun
from quorate.protocols.council.rules.taxonomy import Gate, GateStatus
from quorate.protocols.council.world.gates.paths import Components, lies_in, normal, refusal
from quorate.protocols.council.world.gates.run import run_gates
from quorate.protocols.council.world.rfc.model import Atlas, Defect, Flaw, Place, Rfc, Version
from tests.protocols.council.world.gates.rfcs import (
    ATLAS,
    COMPONENTS,
    FILES,
    all_told,
    clean_tickets,
    justification,
    make_rfc,
    make_ticket,
    replacing,
    req,
    tck,
)

LINE = 13
"""The line of the first path to change in a ticket with one requirement and two dependencies."""


def changing(*paths: str) -> Rfc:
    return make_rfc(replacing(5, requirements=[req(5)], needs=[tck(3), tck(4)], modifies=paths))


def creating(*paths: str, **more: Any) -> Rfc:
    return make_rfc(replacing(5, requirements=[req(5)], needs=[tck(3), tck(4)], creates=paths), **more)


def mapping(rfc: Rfc) -> GateRun:
    return next(run for run in run_gates(rfc).gates if run.gate is Gate.CCP_MAPPING)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("../secrets.py", "leads out"),
        ("src/core/../../secrets.py", "leads out"),
        ("src\\core\\..\\secrets.py", "leads out"),
        ("/etc/passwd", "absolute"),
        ("\\\\server\\share", "absolute"),
        ("~/notes.py", "absolute"),
        ("C:\\code\\engine.py", "drive"),
        ("c:engine.py", "drive"),
        ("src/core/en\x00gine.py", "control"),
        ("src/core/engine.py\n", "control"),
        ("   ", "empty"),
        ("a/" * 600, "characters"),
        ("src/core/%2e%2E/x.py", "encodes"),
        ("src%2fcore/x.py", "encodes"),
        ("src/core/\uff0e\uff0e/x.py", "stands for"),
        ("src/core\uff0fx.py", "stands for"),
        ("src/core/\u2025/x.py", "stands for"),
        ("src/core/ x.py", "space"),
        ("src/core /x.py", "space"),
        (" src/core/x.py", "space"),
        ("src/core/.git/hooks/x", ".git"),
        (".GIT/config", ".git"),
        ("src/core/*.py", "pattern"),
        ("src/core/?.py", "pattern"),
        ("src/core/[ab].py", "pattern"),
        ("src/core/new/", "ends with a slash"),
    ],
)
def test_a24_a_path_that_is_none_of_a_repository(path: str, why: str) -> None:
    assert why in refusal(path)
    report = run_gates(creating(path))
    # A control character in the text is told of once more, as hidden text.
    assert all_told(report)[0] == ("CCP_MISMATCH", "BLOCKER", "T5", "files_to_create", "TCK-00005.yaml", LINE + 2)
    assert [each[0] for each in all_told(report)[1:]] == ["BOUNDARY_VIOLATION"] * path.count("\0")
    assert why in report.findings[0].message.text


@pytest.mark.parametrize(
    "path", ["src/core/engine.py", "./src/core//engine.py", "src\\core\\engine.py", "src/./core/engine.py"]
)
def test_one_file_may_be_written_in_several_ways(path: str) -> None:
    assert refusal(path) == ""
    assert normal(path) == "src/core/engine.py"
    assert run_gates(changing(path)).findings == ()


def test_a_path_to_change_that_is_no_known_file() -> None:
    report = run_gates(changing("src/core/missing.py"))
    assert all_told(report) == [("CCP_MISMATCH", "BLOCKER", "T5", "files_to_modify", "TCK-00005.yaml", LINE + 1)]
    assert report.findings[0].evidence.text == "src/core/missing.py"
    assert mapping(changing("src/core/missing.py")).status is GateStatus.FAILED


def test_a_folder_is_not_a_file_to_change() -> None:
    assert "it is a folder" in run_gates(changing("src/core")).findings[0].message.text


def test_all_paths_are_told_not_the_first_alone() -> None:
    report = run_gates(changing("src/core/a.py", "src/core/engine.py", "src/core/b.py"))
    assert [finding.line for finding in report.findings] == [LINE + 1, LINE + 3]


def test_a_path_to_create_that_exists() -> None:
    report = run_gates(creating("src/core/engine.py"))
    assert [finding.message.text for finding in report.findings] == [
        "TCK-00005 creates 'src/core/engine.py', but it exists already."
    ]


def test_a_path_to_create_that_exists_in_other_letters() -> None:
    report = run_gates(creating("src/Core/ENGINE.py"))
    assert [finding.message.text for finding in report.findings] == [
        "TCK-00005 creates 'src/Core/ENGINE.py', but it exists already, as 'src/core/engine.py'."
    ]


@pytest.mark.parametrize("path", [".gitignore", ".github/ci.yml", "docs/r\u00e9sum\u00e9 (1).md", "a/100%25.txt"])
def test_unusual_names_are_paths_nevertheless(path: str) -> None:
    assert refusal(path) == ""


def test_what_a_finished_ticket_created_exists_as_it_must() -> None:
    tickets = replacing(
        5, requirements=[req(5)], needs=[tck(3), tck(4)], creates=["src/core/engine.py"], status="COMPLETED"
    )
    assert run_gates(make_rfc(tickets)).findings == ()


@pytest.mark.parametrize("path", ["src/core-extra/new.py", "src/cor/new.py", "src/new.py", "new.py"])
def test_a24_a_path_to_create_lies_in_a_component_name_by_name(path: str) -> None:
    report = run_gates(creating(path))
    assert all_told(report) == [("CCP_MISMATCH", "BLOCKER", "T5", "files_to_create", "TCK-00005.yaml", LINE + 2)]
    assert not lies_in("src/core-extra/new.py", "src/core")


@pytest.mark.parametrize(
    ("path", "allowed", "fits"),
    [
        ("tools/new.py", "tools/", True),
        ("tools/new.py", "tools/new.py", True),
        ("tools/new.py", "tools", False),
        ("tools-extra/new.py", "tools/", False),
        ("tools/new.py", "../tools/", False),
        ("tools/new.py", "./", False),
        ("tools/new.py", ".\\", False),
        ("tools/new.py", "*/", False),
    ],
)
def test_a24_allowed_new_files_are_paths_and_folders_that_end_in_a_slash(path: str, allowed: str, fits: bool) -> None:
    assert (run_gates(creating(path, allowed_new_files=(allowed,))).findings == ()) is fits


# Justifications


def test_a_valid_justification_excuses_a_path() -> None:
    rfc = creating("tools/council.py", justifications=(justification(),))
    assert run_gates(rfc).findings == ()
    assert json.loads(mapping(rfc).evidence.text)["justified"] == 1


@pytest.mark.parametrize(
    ("changes", "lacks"),
    [
        ({"capability_gap": " "}, "capability_gap is empty"),
        ({"existing_component": ""}, "existing_component is empty"),
        ({"decision_rationale": ""}, "decision_rationale is empty"),
        ({"evidence_artifact": ""}, "evidence_artifact is empty"),
        ({"evidence_artifact": "EVID-0404"}, "the evidence EVID-0404 exists nowhere"),
        ({"decision": "MAYBE"}, "decision is neither EXTEND nor CREATE_NEW"),
        ({"decision": ""}, "decision is empty"),
        ({"existing_component": "COMP-0404"}, "the component COMP-0404 exists nowhere"),
    ],
)
def test_a_justification_that_lacks_something_is_the_finding(changes: dict[str, str], lacks: str) -> None:
    report = run_gates(creating("tools/council.py", justifications=(justification(**changes),)))
    assert all_told(report) == [("CCP_MISMATCH", "BLOCKER", "T5", "files_to_create", "TCK-00005.yaml", 30)]
    assert lacks in report.findings[0].message.text


def test_an_invalid_justification_is_a_finding_even_where_none_is_needed() -> None:
    about = justification(file_path="src/cli/council.py", decision="")
    assert len(run_gates(make_rfc(justifications=(about,))).findings) == 1


def test_a_justification_is_for_its_own_ticket_and_path() -> None:
    other = justification(ticket_id=tck(4))
    assert [finding.line for finding in run_gates(creating("tools/council.py", justifications=(other,))).findings] == [
        LINE + 2
    ]


def test_nothing_justifies_a_path_out_of_the_repository() -> None:
    excuse = justification(file_path="../council.py")
    assert len(run_gates(creating("../council.py", justifications=(excuse,))).findings) == 1


def test_nothing_justifies_the_creation_of_what_exists() -> None:
    excuse = justification(file_path="src/core/engine.py")
    report = run_gates(creating("src/core/engine.py", justifications=(excuse,)))
    assert "exists already" in report.findings[0].message.text


# Where there is no index


def test_without_components_a_new_file_lies_in_a_folder_of_the_repository() -> None:
    tree = Atlas((), FILES, "tree", ".")
    assert run_gates(creating("src/anything/new.py", atlas=tree)).findings == ()
    assert run_gates(creating("README.rst", atlas=tree)).findings == ()
    assert len(run_gates(creating("nowhere/new.py", atlas=tree)).findings) == 1


def test_an_index_without_a_list_of_files_knows_components_alone() -> None:
    bare = replace(ATLAS, files=frozenset())
    assert run_gates(replace(changing("src/core/unheard_of.py"), atlas=bare)).findings == ()
    assert len(run_gates(replace(changing("lib/unheard_of.py"), atlas=bare)).findings) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"atlas": Atlas()},
        {"prd_id": "NONE", "atlas": Atlas()},
        {"prd_id": "n/a", "atlas": Atlas()},
        {"version": Version.V0},
    ],
)
def test_c10_without_an_index_it_is_not_applicable_and_says_why(changes: dict[str, object]) -> None:
    run = mapping(replace(changing("src/core/missing.py"), **changes))  # type: ignore[arg-type]
    assert run.status is GateStatus.NOT_APPLICABLE
    assert run.reason.text
    assert run_gates(replace(changing("src/core/missing.py"), **changes)).findings == ()  # type: ignore[arg-type]


def test_c10_an_rfc_without_a_prd_is_held_against_what_is_known_nevertheless() -> None:
    run = mapping(replace(changing("src/core/missing.py"), prd_id="NONE"))
    assert run.status is GateStatus.FAILED


def test_c10_without_files_new_paths_are_held_against_the_components() -> None:
    bare = Atlas(COMPONENTS)
    run = mapping(creating("src/cli/new.py", atlas=bare))
    assert run.status is GateStatus.NOT_APPLICABLE
    assert "3 paths to change could not be checked" in run.reason.text
    assert json.loads(run.evidence.text)["unchecked"] == 3
    report = run_gates(creating("evil/x.py", atlas=bare, prd_id="NONE"))
    assert [finding.evidence.text for finding in report.findings] == ["evil/x.py"]


def test_c7_where_no_path_could_be_checked_it_has_not_passed() -> None:
    """Neither where tickets change files that no index lists, nor where they name no path at all."""
    unlisted = mapping(replace(changing("src/core/store.py"), atlas=Atlas(COMPONENTS)))
    assert unlisted.status is GateStatus.NOT_APPLICABLE
    idle = mapping(make_rfc((make_ticket(1, requirements=[req(1)]),)))
    assert (idle.status, idle.reason.text) == (GateStatus.NOT_APPLICABLE, "No ticket names a path.")


@pytest.mark.parametrize("root", [".", "./", "/", ""])
def test_a_component_at_the_root_owns_nothing(root: str) -> None:
    everywhere = replace(COMPONENTS[0], id="COMP-0009", path=root)
    atlas = replace(ATLAS, components=(*COMPONENTS, everywhere))
    assert len(Components((everywhere,))) == 0
    assert len(run_gates(creating("evil/backdoor.py", atlas=atlas)).findings) == 1


def test_a_path_that_no_index_could_have_needs_none_to_be_refused() -> None:
    rfc = replace(creating("../../etc/passwd"), atlas=Atlas())
    assert [finding.subcategory.value for finding in run_gates(rfc).findings] == ["CCP_MISMATCH"]
    assert mapping(rfc).status is GateStatus.FAILED


def test_a_file_that_a_ticket_creates_which_could_not_be_read_is_not_judged() -> None:
    unread = Flaw(Defect.NOT_YAML, "cannot be read", Place("documents/work/tickets/TCK-00001.yaml"))
    run = mapping(make_rfc(clean_tickets()[1:], flaws=(unread,)))
    assert run.status is GateStatus.NOT_APPLICABLE
    assert "TCK-00001.yaml could not be read" in run.reason.text


def test_the_longest_folder_is_the_component() -> None:
    inner = replace(COMPONENTS[0], id="COMP-0009", path="src/core/deep")
    components = Components((*COMPONENTS, inner))
    assert [
        each.id if (each := components.of(path)) else "" for path in ("src/core/deep/a.py", "src/core/a.py", "a.py")
    ] == [
        "COMP-0009",
        "COMP-0001",
        "",
    ]


def test_a_cancelled_ticket_is_not_held_against_the_index() -> None:
    tickets = (*clean_tickets(), make_ticket(6, requirements=[req(5)], modifies=["nowhere.py"], status="CANCELLED"))
    assert run_gates(make_rfc(tickets)).findings == ()
