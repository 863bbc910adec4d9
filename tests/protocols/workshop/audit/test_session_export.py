"""Writing a session file: whatever a workshop came to, its file keeps every check, and nothing is lost on the way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quorate.evidence.text import to_yaml
from quorate.files.yaml import load
from quorate.protocols.workshop.audit import CHECKS, dumps, examine, export_session, verdict
from quorate.protocols.workshop.audit.moment import moment
from quorate.protocols.workshop.rules.strategies import BY_NAME
from tests.protocols.workshop.audit.session_files import Play
from tests.protocols.workshop.audit.session_words import MAKES, STAGES

EXAMPLE = Path(__file__).parents[4] / "examples" / "workshop-session.yaml"


def exported(play: Play) -> dict[str, Any]:
    return export_session(play.result(), play.session())


@pytest.mark.parametrize("strategy", STAGES)
@pytest.mark.parametrize("workflow", MAKES)
def test_what_is_exported_passes_every_check(strategy: str, workflow: str) -> None:
    for seed in range(6):
        people, left = 2 + seed, (99, 2, 5)[seed % 3]
        play = Play(seed, strategy=strategy, workflow=workflow, people=people, stops_after=left).run()
        file = exported(play)
        found = examine(file, dumps(play.result(), play.session(), play.asks))
        assert found.problems == (), f"seed {seed}"
        assert verdict(found.problems) == "pass" == file["validation"]["status"]
        assert {each.check for each in found.not_checked} <= {"STRAT-C1", "STRAT-C2"}, "all but votes is in every file"


def test_plays_are_worth_checking() -> None:
    """The dice roll everything that a file can hold, or the test above would show little."""
    plays = [Play(seed, strategy=name, workflow=flow).run() for seed in range(6) for name in STAGES for flow in MAKES]
    statuses = {each["status"] for play in plays for each in play.artifacts}
    assert statuses == {"active", "amended", "superseded", "withdrawn", "open", "resolved"}
    assert {each["type"] for play in plays for each in play.artifacts} == {*sum(MAKES.values(), ()), "OQ", "CONF"}
    assert any(entry["reverted"] for play in plays for each in play.artifacts for entry in each["amendments"])
    rounds = [each for play in plays for each in play.rounds]
    assert {each["next_action"] for each in rounds} == {"continue", "conclude", "escalate"}
    assert {each["escalation"]["choice"] for each in rounds if each["escalation"]} == {"accept", "decide", "go_on"}
    assert {play.closed_by for play in plays} == {"agenda closed", "max_rounds reached"}
    assert {name: tuple(stage.value for stage in BY_NAME[name].stages) for name in BY_NAME} == STAGES


def test_the_absent_are_warned_of_and_nothing_else() -> None:
    play = Play(3, absences=0.3, people=5).run()
    missing = sum(len(each["absent"]) for each in play.rounds)
    found = examine(exported(play), dumps(play.result(), play.session(), play.asks)).problems
    assert missing > 0
    assert [each.check for each in found] == ["STR-006"] * missing
    assert verdict(found) == "warn" == exported(play)["validation"]["status"]


@pytest.mark.parametrize("strategy", STAGES)
def test_a_file_is_the_same_after_it_was_written_and_read(strategy: str) -> None:
    play = Play(5, strategy=strategy, workflow="open").run()
    file = exported(play)
    assert load(to_yaml(file), "session.yaml").plain() == file == json.loads(json.dumps(file))


def test_nothing_of_an_artifact_is_lost() -> None:
    """Every field of every artifact stands in the file, under the format's name where it has one."""
    for flow in MAKES:
        play = Play(4, strategy="standard", workflow=flow).run()
        groups = exported(play)["artifacts"]
        entries = {key: entry for group in groups.values() for key, entry in group.items()}
        assert list(entries) != []
        assert set(entries) == {each["id"] for each in play.artifacts}
        for each in play.artifacts:
            entry = entries[each["id"]]
            flat = {**entry, **entry.get("interfaces", {})}
            flat |= {"kind": entry.get("type"), "risk": entry.get("risk_id")}
            for name, value in each["fields"].items():
                assert flat[name] == value
            assert entry.get("proposed_by", entry.get("raised_by")) == each["proposed_by"]
            assert [a["changes"] for a in entry.get("amendments", [])] == [a["changes"] for a in each["amendments"]]


def test_a_risk_names_the_mitigation_that_names_it() -> None:
    play = Play(2, strategy="disney", workflow="brainstorm").run()
    groups = exported(play)["artifacts"]
    mitigated = {entry["risk_id"] for entry in groups["mitigations"].values()} - {""}
    assert mitigated
    for key, risk in groups["risks"].items():
        assert (risk["mitigation_id"] is not None) == (key in mitigated)


def test_a_block_that_names_no_change_is_exported_as_it_counts() -> None:
    """W30: it is a STAND_ASIDE, and the file says what was said."""
    play = next(play for seed in range(20) if _groundless(play := Play(seed).run()))
    written = [
        stance
        for each in exported(play)["rounds"]
        for position in each["participant_positions"].values()
        for stance in position.get("stances", {}).values()
    ]
    turned = [stance for stance in written if stance.get("said") == "BLOCK"]
    assert len(turned) == len(_groundless(play))
    assert {stance["stance"] for stance in turned} == {"STAND_ASIDE"}


def _groundless(play: Play) -> list[dict[str, Any]]:
    stances = [
        each for round_ in play.rounds for position in round_["positions"] for each in position["stances"].values()
    ]
    return [each for each in stances if each["stance"] == "BLOCK" and not each["minimum_change"]]


def test_a_session_under_way_is_active_and_has_no_end() -> None:
    file = exported(Play(1, stops_after=2).run())
    assert (file["status"], file["verdict"], file["timing"]["closed_at"]) == ("active", None, None)
    assert file["agent_state"]["facilitator"] == {
        "agent_id": "facilitator",
        "last_round": 2,
        "last_action": "synthesis",
    }


def test_a_session_without_a_round_can_be_exported() -> None:
    file = exported(Play(1, stops_after=0).run())
    assert file["rounds"] == []
    assert file["validation"]["status"] == "pass"


def test_a_result_that_contradicts_itself_says_so_in_its_own_file() -> None:
    play = Play(1).run()
    result = play.result()
    result["metrics"]["artifacts"]["total"] += 1
    validation = export_session(result, play.session())["validation"]
    assert validation["status"] == "fail"
    assert "STR-005 metrics.artifacts.total" in validation["errors"][0]


def test_dumps_are_named_by_round_part_and_actor() -> None:
    play = Play(1, people=2, stops_after=1).run()
    made = dumps(play.result(), play.session(), play.asks)
    assert list(made) == [
        "rounds/001-01-facilitator.yaml",
        "rounds/001-02-product-manager.yaml",
        "rounds/001-02-business-analyst.yaml",
        "rounds/001-03-facilitator.yaml",
    ]
    assert made["rounds/001-02-product-manager.yaml"] == {
        "session": "20260101-specs-checkout",
        "round": 1,
        "phase": 2,
        "stage": "proposal",
        "actor": "product-manager",
        "started": "2026-01-01T12:00:00Z",
        "completed": "2026-01-01T12:01:30Z",
        "input": play.asks[1]["view"],
        "response": {"position": play.rounds[0]["positions"][0]["position"]},
        "result": {"status": "answered"},
        "tokens": 700,
    }
    assert made["rounds/001-03-facilitator.yaml"]["result"]["next_action"] == "continue"


def test_who_was_asked_twice_has_one_dump_that_keeps_both() -> None:
    play = Play(1, people=2, stops_after=1).run()
    again = {**play.asks[0], "reply": {"question": "Once more?"}}
    made = dumps(play.result(), play.session(), [*play.asks, again, again])
    dump = made["rounds/001-01-facilitator.yaml"]
    assert dump["response"] == {"question": "Once more?"}
    assert [each["response"] for each in dump["earlier"]] == [play.asks[0]["reply"], again["reply"]]


@pytest.mark.parametrize("actor", ["../../etc/passwd", "a/b", "..", "", "ünï", "x" * 500])
def test_no_name_leads_a_dump_out_of_its_folder(actor: str) -> None:
    ask = {"round": 1, "part": 2, "actor": actor, "started": 0, "completed": 0, "view": "", "reply": {}, "tokens": 0}
    (name,) = dumps(Play(1, stops_after=1).run().result(), {"id": "x"}, [ask])
    folder, _, file = name.partition("/")
    assert folder == "rounds"
    assert "/" not in file
    assert ".." not in file
    assert len(file) < 120


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (1_767_268_800_000, "2026-01-01T12:00:00Z"),
        (951_782_399_999, "2000-02-28T23:59:59Z"),
        (951_782_400_000, "2000-02-29T00:00:00Z"),
        (1_709_251_199_000, "2024-02-29T23:59:59Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00Z"),
        (0, None),
    ],
)
def test_times_are_reckoned_as_the_calendar_has_them(milliseconds: int, text: str | None) -> None:
    assert moment(milliseconds) == text


def test_the_calendar_agrees_with_the_library() -> None:
    from datetime import UTC, datetime

    for day in range(1, 60_000, 13):
        seconds = day * 86_400 + day % 86_400
        assert moment(seconds * 1000) == datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def specimen() -> Play:
    """The workshop that the example in `examples/` is made of."""
    return Play(14, people=3, topics=2, most=9).run()


def test_the_example_is_what_the_code_writes() -> None:
    assert EXAMPLE.read_text(encoding="utf-8") == to_yaml(exported(specimen()))


def test_every_check_has_a_name_of_its_own() -> None:
    names = [check.name for check in CHECKS]
    assert len(names) == len(set(names)) == 17
