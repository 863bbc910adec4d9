"""What code counts for ATOMICITY and IMPLEMENTABILITY, the depth of a review, and candidates for cousins (C8, C44)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.protocols.council.rules.taxonomy import Gate, GateStatus
from quorate.protocols.council.world.gates.likeness import distance, names_alike, words_alike, words_in
from quorate.protocols.council.world.gates.run import run_gates
from quorate.protocols.council.world.rfc.model import Atlas, Criterion, Place, Rfc
from quorate.protocols.council.world.rfc.model import TestCase as Trial
from tests.protocols.council.world.gates.rfcs import (
    ATLAS,
    FILES,
    all_told,
    clean_tickets,
    make_rfc,
    make_ticket,
    replacing,
    req,
    tck,
)


def receipt(rfc: Rfc) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run_gates(rfc).receipt.text)
    return found


def with_paths(modifies: Sequence[str] = (), creates: Sequence[str] = ()) -> Rfc:
    changes: dict[str, Any] = {"modifies": modifies, "creates": creates}
    return make_rfc(replacing(5, requirements=[req(5)], needs=[tck(3), tck(4)], **changes))


@pytest.mark.parametrize(("files", "too_many"), [(10, False), (11, True)])
def test_a26_a_ticket_has_at_most_ten_files(files: int, too_many: bool) -> None:
    report = run_gates(with_paths(creates=[f"src/cli/part_{number}.py" for number in range(files)]))
    expected = ("SCOPE_TOO_LARGE", "MAJOR", "T5", "files_to_create", "TCK-00005.yaml", 25)
    assert all_told(report) == ([expected] if too_many else [])
    if too_many:
        assert report.findings[0].evidence.text == "src/cli/part_10.py"


def test_a_path_that_is_changed_and_created_is_one_file() -> None:
    paths = [f"src/cli/part_{number}.py" for number in range(10)]
    assert run_gates(with_paths(paths, [f"./{path}" for path in paths])).findings == ()


def test_a26_a_ticket_touches_at_most_two_components_and_the_odd_one_is_named() -> None:
    two = ["src/web/page.py", "src/web/server.py", "src/store/journal.py", "src/store/index_reader.py"]
    assert run_gates(with_paths(two)).findings == ()
    report = run_gates(with_paths(["src/core/tally.py", *two]))
    assert all_told(report) == [("MULTI_COMPONENT", "MAJOR", "T5", "files_to_modify", "TCK-00005.yaml", 14)]
    assert report.findings[0].evidence.text == "src/core/tally.py"
    assert {run.gate: run.status for run in report.gates}[Gate.ATOMICITY] is GateStatus.PASSED


def test_the_numbers_of_every_ticket_are_in_the_receipt() -> None:
    facts = receipt(make_rfc())["facts"]
    assert [row["ticket"] for row in facts] == ["T1", "T2", "T3", "T4", "T5"]
    assert facts[3] == {"ticket": "T4", "files": 2, "components": ["COMP-0003"], "steps": 2, "criteria": 1, "tests": 0}


# Verification


@pytest.mark.parametrize("text", ["-", "...", "TBD", "todo:", "(N/A)", "none.", "__", "n.a."])
def test_a_verification_that_says_nothing_is_none(text: str) -> None:
    at = Place("documents/work/tickets/TCK-00004.yaml", 9)
    hollow: dict[str, Any] = {
        "criteria": (Criterion("It works.", text, at),),
        "tests": (Trial("UT-1", text, text, at),),
        "commands": (text,),
    }
    tickets = replacing(4, requirements=[req(4)], needs=[tck(2)], **hollow)
    assert [each[:3] for each in all_told(run_gates(make_rfc(tickets)))] == [("MISSING_VERIFICATION", "MAJOR", "T4")]
    told = replacing(4, requirements=[req(4)], needs=[tck(2)], **hollow | {"commands": (f"make {text}",)})
    assert run_gates(make_rfc(told)).findings == ()


def test_a_ticket_that_nobody_could_verify() -> None:
    report = run_gates(make_rfc(replacing(4, requirements=[req(4)], needs=[tck(2)], verified=False)))
    assert all_told(report) == [("MISSING_VERIFICATION", "MAJOR", "T4", "criteria", "TCK-00004.yaml", 14)]


def test_one_without_criteria_is_told_as_a_whole() -> None:
    bare = make_ticket(4, requirements=[req(4)], needs=[tck(2)], verified=False, criteria=())
    fields = {field: place for field, place in bare.fields.items() if field.value not in ("criteria", "tests")}
    tickets = tuple(replace(bare, fields=fields) if each.key == "T4" else each for each in clean_tickets())
    assert all_told(run_gates(make_rfc(tickets))) == [
        ("MISSING_VERIFICATION", "MAJOR", "T4", "whole", "TCK-00004.yaml", 1)
    ]


@pytest.mark.parametrize(
    "more",
    [
        {"commands": ("make check",)},
        {"tests": (Trial("UT-4-01", "it holds", "", Place("x")),)},
        {"criteria": (Criterion("a", "", Place("x")), Criterion("b", "run it", Place("x")))},
    ],
)
def test_any_way_to_tell_is_enough(more: dict[str, Any]) -> None:
    tickets = replacing(4, requirements=[req(4)], needs=[tck(2)], verified=False, **more)
    assert run_gates(make_rfc(tickets)).findings == ()


# Depth


def sized(tickets: int, components: Sequence[str], new_files: int) -> dict[str, Any]:
    made = [
        make_ticket(number, requirements=[req(1)], needs=[tck(number - 1)] if number > 1 else [])
        for number in range(1, tickets)
    ]
    paths = [
        f"src/{component}/new_{number}.py"
        for number, component in zip(range(new_files), [*components] * 20, strict=False)
    ]
    made.append(make_ticket(tickets, requirements=[req(1)], creates=paths))
    depth: dict[str, Any] = receipt(make_rfc(made, requirements=1))["depth"]
    return depth


@pytest.mark.parametrize(
    ("tickets", "components", "new_files", "depth"),
    [
        (15, ("core", "store"), 10, "STANDARD"),
        (16, ("core", "store"), 10, "COUNCIL"),
        (15, ("core", "store", "web"), 10, "COUNCIL"),
        (15, ("core", "store"), 11, "COUNCIL"),
    ],
)
def test_c44_depth_by_size(tickets: int, components: tuple[str, ...], new_files: int, depth: str) -> None:
    found = sized(tickets, components, new_files)
    assert (found["depth"], found["tickets"], found["components"], found["new_files"]) == (
        depth,
        tickets,
        len(components),
        new_files,
    )
    assert found["why"]


# Cousins


def test_a_new_file_that_is_named_as_an_old_one_is_a_candidate_and_no_finding() -> None:
    rfc = with_paths(creates=["src/store/index_readers.py"])
    assert run_gates(rfc).findings == ()
    best = receipt(rfc)["cousins"][0]
    assert (best["ticket"], best["path"], best["existing"], best["component"]) == (
        "T5",
        "src/store/index_readers.py",
        "src/store/index_reader.py",
        "COMP-0002",
    )
    assert best["score"] == (60 * 93 + 40 * 50) // 100
    assert best["why"].startswith("possible: names alike to 93 %, words to 50 %")


def test_a_purpose_that_says_what_an_extension_point_is_for_makes_a_candidate() -> None:
    tickets = replacing(
        5, requirements=[req(5)], needs=[tck(3), tck(4)], creates=["src/cli/store_backends.py"],
        purpose="where another store is plugged in",
    )  # fmt: skip
    found = {row["existing"]: row["score"] for row in receipt(make_rfc(tickets))["cousins"]}
    assert found["EXT-0001"] >= 80


def test_a_name_that_an_example_defines_is_compared_too() -> None:
    code = "class IndexReader:\n    pass\n\ndef test_index_reader():\n    pass\n"
    tickets = replacing(4, requirements=[req(4)], needs=[tck(2)], example=code)
    rows = receipt(make_rfc(tickets))["cousins"]
    assert [(row["ticket"], row["name"], row["existing"]) for row in rows] == [
        ("T4", "index_reader", "src/store/index_reader.py")
    ]


def test_what_the_ticket_changes_itself_is_no_cousin() -> None:
    tickets = replacing(
        4,
        requirements=[req(4)],
        needs=[tck(2)],
        example="class IndexReader: ...",
        modifies=["src/store/index_reader.py"],
    )
    assert receipt(make_rfc(tickets))["cousins"] == []


def test_tests_and_files_of_another_kind_are_no_cousins() -> None:
    atlas = replace(ATLAS, files=FILES | {"src/store/tests/test_journal.py"})
    rfc = replace(with_paths(creates=["src/store/journal.md", "src/store/tests/test_journals.py"]), atlas=atlas)
    assert receipt(rfc)["cousins"] == []


def test_candidates_are_bounded_and_the_best_come_first() -> None:
    atlas = replace(ATLAS, files=frozenset(f"src/store/index_reader_{number}.py" for number in range(80)))
    creates = [f"src/store/index_reader_{number}.py" for number in range(100, 110)]
    rows = receipt(replace(with_paths(creates=creates), atlas=atlas))["cousins"]
    assert len(rows) == 50
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)


def test_without_an_index_there_is_nothing_to_be_a_cousin_of() -> None:
    assert receipt(replace(with_paths(creates=["src/store/journal2.py"]), atlas=Atlas()))["cousins"] == []


def dumb_distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        above, row = row, [at]
        for place, rival in enumerate(other, start=1):
            row.append(min(above[place] + 1, row[-1] + 1, above[place - 1] + (letter != rival)))
    return row[-1]


@given(st.text("abc", max_size=12), st.text("abc", max_size=12))
def test_the_distance_of_names_against_a_second_dumb_way(one: str, other: str) -> None:
    assert distance(one, other) == dumb_distance(one, other)


def test_likeness_of_nothing() -> None:
    assert (words_alike((), ()), words_alike((), ("a",)), words_alike(("a",), ("a", "b"))) == (100, 0, 50)
    assert (names_alike("", ""), names_alike("", "a"), names_alike("retry", "retry")) == (100, 0, 100)


def test_words_of_a_name() -> None:
    assert list(words_in("HTTPServer2_fastPath/retry-policy.py")) == [
        "http", "server", "2", "fast", "path", "retry", "policy", "py",
    ]  # fmt: skip
