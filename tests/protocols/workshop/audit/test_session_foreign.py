"""Session files by others: what they lack is not checked and is no failure; what is hostile in them does no harm."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest

from quorate.protocols.workshop.audit import check_session, examine, looks_like_session_file, verdict
from tests.protocols.workshop.audit.session_breaks import good

FOREIGN: dict[str, Any] = {
    "id": "20260107-requirements-game",
    "topic": "Requirements of a small game",
    "workflow_type": "specs",
    "strategy": "consensus-driven",
    "status": "closed",
    "timing": {"started_at": "2026-01-07T13:05:00Z", "closed_at": "2026-01-07T13:25:00Z"},
    "artifacts": {
        "requirements": {
            "REQ-001": {
                "status": "active",
                "agreement": "consensus",
                "created_round": 1,
                "topic_id": "user-workflows",
                "title": "Entry",
                "priority": "must",
                "proposed_by": "facilitator",
                "supported_by": ["product-manager"],
            }
        },
        "conflicts": {
            "CONF-001": {
                "status": "resolved",
                "created_round": 1,
                "topic_id": "user-workflows",
                "title": "Input",
                "positions": [{"participant": "product-manager", "stance": "A joystick"}],
                "resolution": "Touch and drag",
                "resolved_round": 2,
            }
        },
    },
    "agenda": [{"topic_id": "user-workflows", "status": "closed", "coverage": ["REQ-001", "Entry"]}],
    "rounds": [
        {"number": 1, "artifacts_created": ["REQ-001", "CONF-001"], "next": "continue"},
        {"number": 2, "artifacts_created": [], "conflicts_resolved": ["CONF-001"], "next": "conclude"},
    ],
    "metrics": {"rounds": 2, "artifacts": {"total": 2, "by_status": {"active": 1, "open": 0, "resolved": 1}}},
}


def test_a_plain_file_by_another_tool_passes_and_says_what_was_not_checked() -> None:
    found = examine(FOREIGN)
    assert found.problems == ()
    assert {each.check for each in found.not_checked} == {
        "STR-003",
        "STR-006",
        "STR-007",
        "STR-008",
        "STRAT-C1",
        "STRAT-C2",
        "DIAG-001",
        "DIAG-002",
        "DIAG-003",
    }
    assert all(each.why for each in found.not_checked)


@pytest.mark.parametrize(
    ("path", "value", "check"),
    [
        ("rounds.1.conflicts_resolved", ["CONF-002"], "STR-003"),
        ("rounds.1.number", 3, "STR-004"),
        ("metrics.rounds", 3, "STR-004"),
        ("metrics.artifacts.total", 3, "STR-005"),
        ("rounds.0.next", "conclude", "STR-008"),
        ("artifacts.conflicts.CONF-001.resolved_round", 0, "STR-003"),
        ("agenda.0.coverage", ["REQ-002"], "STR-003"),
    ],
)
def test_what_it_does_say_is_checked(path: str, value: object, check: str) -> None:
    file = copy.deepcopy(FOREIGN)
    here: Any = file
    *parts, last = path.split(".")
    for part in parts:
        here = here[int(part)] if isinstance(here, list) else here[part]
    here[last] = value
    assert check in {each.check for each in check_session(file)}


def test_a_file_with_the_bare_ids_of_artifacts() -> None:
    file = copy.deepcopy(FOREIGN)
    file["artifacts"] = {"requirements": ["REQ-001"], "conflicts": ["CONF-001"]}
    del file["metrics"]["artifacts"]["by_status"]
    found = examine(file)
    assert found.problems == ()
    assert "STR-001 not checked: the file has only the ids of 2 artifacts, not what they say" in map(
        str, found.not_checked
    )


@pytest.mark.parametrize("hats", [["blue", "white", "red"], ["Blue Open", "white", "white"]])
def test_hats_by_other_names(hats: list[str]) -> None:
    rounds = [{"round": n, "artifacts_created": [], "phase": hat} for n, hat in enumerate(hats, 1)]
    file = {**FOREIGN, "strategy": "six-hats", "rounds": rounds}
    assert "STRAT-S2" not in {each.check for each in check_session(file)}


def test_settled_by_a_conflict_a_block_no_longer_stands() -> None:
    """W24, W31: what resolves the conflict about a blocked draft settles the draft."""
    block = {"REQ-001": {"stance": "BLOCK", "minimum_change": "Name it.", "reason": ""}}
    positions = {"product-manager": {"position": "No.", "confidence": 0.9, "stances": block}}
    file = copy.deepcopy(FOREIGN)
    file["rounds"][1]["participant_positions"] = positions
    conflict = file["artifacts"]["conflicts"]["CONF-001"]
    assert check_session(file) == (), "the file does not say who settled it"
    conflict["resolution_method"] = "person"
    assert check_session(file) == ()
    conflict["resolution_method"] = "majority"
    assert {each.check for each in check_session(file)} == {"STRAT-C1"}, "only a person settles it"
    conflict |= {"resolution_method": "person", "title": "REQ-002 is blocked"}
    assert {each.check for each in check_session(file)} == {"STRAT-C1"}, "it was about something else"
    conflict |= {"resolved_round": 1, "title": "REQ-001 is blocked"}
    assert {each.check for each in check_session(file)} == {"STRAT-C1"}, "it was before the vote"


def test_a_bound_agenda_may_pass_over_a_stage_whose_topics_are_closed() -> None:
    """W6: and one that does not bind its topics may not."""
    agenda = [{"topic_id": name, "status": "closed"} for name in ("dreams", "plans", "doubts")]
    agenda[2]["status"] = "open"
    steps = [("dreamer", "dreams"), ("realist", "plans"), ("critic", "doubts"), ("critic", "doubts")]
    file = _disney(agenda, [*steps[:3], ("dreamer", "dreams"), ("critic", "doubts")])
    assert check_session(file) == ()
    agenda[1]["status"] = "partial"
    assert {each.path for each in check_session(file)} == {"rounds[4].phase"}


def _disney(agenda: list[dict[str, Any]], steps: list[tuple[str, str]]) -> dict[str, Any]:
    rounds = [
        {"round": n, "artifacts_created": [], "phase": phase, "topic_id": topic, "next_action": "continue"}
        for n, (phase, topic) in enumerate(steps, 1)
    ]
    made = {
        "artifacts": {"ideas": {}},
        "agenda": agenda,
        "rounds": rounds,
        "metrics": {"rounds_completed": len(rounds)},
    }
    named = {"strategy": "disney", "workflow_type": "brainstorm", "status": "active", "timing": {"started_at": "x"}}
    return {**FOREIGN, **named, **made}


# Recognised


def test_a_session_file_is_told_from_other_files() -> None:
    assert looks_like_session_file(FOREIGN)
    assert looks_like_session_file(good()[0])
    assert looks_like_session_file({"agenda": [], "rounds": [], "artifacts": {}}), "a broken one is still one"
    assert not looks_like_session_file({"format": "quorate-bundle", "rounds": [], "agenda": [], "metrics": {}})
    assert not looks_like_session_file(
        {"rfc_id": "RFC-1", "verdict": "APPROVED", "metrics": {}, "rounds": [], "agenda": []}
    )
    assert not looks_like_session_file({"topics": [], "workflow": "specs", "title": "An agenda"})
    assert not any(map(looks_like_session_file, ([], None, "text", 7)))


# Hostile

ODD: tuple[Any, ...] = (
    None, True, -1, 10**30, 1.5, float("nan"), float("inf"), "", " ", "\x00", "REQ-001", "\ud800", "x" * 10_000,
    [], {}, [[]], [None], {"": None}, {7: 8}, [{"id": "REQ-001"}], {"REQ-001": []}, (1, 2), object(),
)  # fmt: skip


def places(value: Any) -> list[tuple[Any, Any]]:
    """Everything that holds something, and under which name."""
    found: list[tuple[Any, Any]] = []
    to_do = [value]
    while to_do:
        here = to_do.pop()
        inner = list(here.items() if isinstance(here, dict) else enumerate(here if isinstance(here, list) else ()))
        found += [(here, name) for name, _ in inner]
        to_do += [each for _, each in inner]
    return found


@pytest.mark.parametrize("strategy", ["consensus-driven", "debate", "disney", "six-hats"])
def test_nothing_that_a_file_holds_makes_the_checks_raise(strategy: str) -> None:
    chance = random.Random(strategy)
    whole = json.dumps(good(strategy))
    for _ in range(40):
        file, dumps = json.loads(whole)
        for part in (file, dumps):
            for _ in range(chance.choice((1, 1, 5))):
                home, name = chance.choice(places(part))
                if chance.random() < 0.2 and name in (home if isinstance(home, dict) else range(len(home))):
                    del home[name]
                elif isinstance(home, dict) or name < len(home):
                    home[name] = chance.choice(ODD)
        found = examine(file, dumps)
        assert verdict(found.problems) in ("pass", "warn", "fail")
        assert all(len(str(each)) < 1_000 for each in found.problems), "messages stay short"


@pytest.mark.parametrize("data", ODD, ids=map(str, range(len(ODD))))
def test_what_is_no_mapping_is_no_session(data: Any) -> None:
    found = examine(data)
    assert [each.check for each in found.problems][:1] == ["STR-001"]
    assert verdict(found.problems) == "fail"


def test_a_file_with_very_many_of_everything_is_checked_in_one_pass() -> None:
    """Every loop is over what the file has, never over its square; this would take minutes otherwise."""
    many = range(1, 5_000)
    entry = {"status": "active", "created_round": 1, "amendments": [{"round": 1}]}
    file = {
        **FOREIGN,
        "participants": [f"p{n}" for n in many],
        "artifacts": {
            "requirements": {f"REQ-{n:03}": entry for n in many},
            "conflicts": {f"CONF-{n:03}": {"created_round": n} for n in many},
        },
        "agenda": [{"topic_id": f"t{n}", "status": "closed", "minimum": 3, "counted": 1} for n in many],
        "rounds": [{"round": n, "artifacts_created": [f"REQ-{n:03}"], "artifacts_amended": []} for n in many],
        "settings": {"min_rounds": 1, "max_rounds": 10**9, "escalation": True, "max_rounds_per_conflict": 3},
    }
    assert verdict(check_session(file)) == "fail"
