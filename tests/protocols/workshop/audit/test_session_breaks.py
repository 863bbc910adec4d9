"""Checking a session file: each check passes a good file, and names the one thing that is wrong with a broken one."""

from __future__ import annotations

import pytest

from quorate.protocols.workshop.audit import CHECKS, examine, verdict
from tests.protocols.workshop.audit.session_breaks import (
    Break,
    after_the_end,
    amended_before_it_was,
    artifact,
    closed_unmet,
    drop,
    gap,
    good,
    heir_denies,
    history,
    made_again,
    names_itself,
    of,
    open_but_met,
    position_of_a_stranger,
    problems,
    put,
    rename_artifact,
    reverted,
    silent,
    swap_rounds,
    twice,
    unamended,
    unlisted_amendment,
    unmade,
)
from tests.protocols.workshop.audit.session_courses import (
    calm,
    early,
    ended_by_agenda,
    goes_on_past_the_end,
    groundless,
    phases,
    standing_block,
    unsupported,
    unsure,
    unvoted,
)
from tests.protocols.workshop.audit.session_disputes import (
    all_opposed,
    blocked_and_outvoted,
    complete,
    decided_over_a_participant,
    ends_as,
    invented,
    left_in_conflict,
    left_partial,
    lost_its_minimum,
    minority,
    quotes_the_absent,
    raise_conflict,
    settled_at_once,
    unlisted_resolution,
    unsupported_majority,
)

BREAKS: list[tuple[str, str, Break]] = [
    # Required fields
    ("STR-001", "standard", drop("id")),
    ("STR-001", "standard", drop("workflow_type")),
    ("STR-001", "standard", put("strategy", "")),
    ("STR-001", "standard", drop("timing.started_at")),
    ("STR-001", "standard", put("artifacts", [])),
    ("STR-001", "standard", put("agenda", {})),
    ("STR-001", "standard", put("rounds", None)),
    ("STR-001", "standard", drop("metrics")),
    ("STR-001", "standard", drop("rounds[0].round")),
    ("STR-001", "standard", put("rounds[0].artifacts_created", "REQ-001")),
    ("STR-001", "standard", of("status", None, status="active")),
    ("STR-001", "standard", drop("agenda[0].status")),
    ("STR-001", "standard", put("rounds[0].facilitator_question", "")),
    # Words
    ("STR-002", "standard", put("status", "done")),
    ("STR-002", "standard", put("workflow_type", "spec")),
    ("STR-002", "standard", put("agenda[0].status", "half")),
    ("STR-002", "standard", of("status", "open", status="active")),
    ("STR-002", "standard", of("status", "active", status="open")),
    ("STR-002", "standard", of("agreement", "agreed", status="active")),
    ("STR-002", "standard", of("priority", "urgent", type="REQ")),
    ("STR-002", "standard", put("rounds[0].next_action", "go")),
    ("STR-002", "standard", put("rounds[0].next_action", "")),
    ("STR-002", "standard", put("rounds[0].focus.type", "topic")),
    ("STR-002", "standard", put("rounds[0].participant_positions.qa-lead.confidence", 90)),
    ("STR-002", "debate", put("rounds[0].participant_positions.qa-lead.side", "against")),
    ("STR-002", "standard", of("resolution_method", "vote", type="CONF", status="resolved")),
    # Ids and references
    ("STR-003", "standard", rename_artifact),
    ("STR-003", "standard", gap),
    ("STR-003", "standard", twice),
    ("STR-003", "standard", made_again),
    ("STR-003", "standard", unmade),
    ("STR-003", "standard", put("rounds[0].artifacts_created", ["REQ-099"])),
    ("STR-003", "standard", put("rounds[1].artifacts_resolved", ["CONF-099"])),
    ("STR-003", "standard", unlisted_amendment),
    ("STR-003", "standard", of("superseded_by", "REQ-099", status="superseded")),
    ("STR-003", "standard", names_itself),
    ("STR-003", "disney", of("builds_on", ["IDEA-099"], type="IDEA")),
    ("STR-003", "disney", of("builds_on", ["RISK-001"], type="IDEA")),
    ("STR-003", "disney", of("affected_ideas", ["IDEA-099"], type="RISK")),
    ("STR-003", "disney", of("mitigation_id", "MIT-099", type="RISK")),
    ("STR-003", "disney", of("risk_id", "RISK-099", type="MIT")),
    ("STR-003", "standard", of("topic_id", "topic-9", status="active")),
    ("STR-003", "standard", put("rounds[0].topic_id", "topic-9")),
    ("STR-003", "standard", put("rounds[0].focus.id", "CONF-099")),
    ("STR-003", "standard", put("agenda[1].topic_id", "topic-1")),
    ("STR-003", "standard", of("proposed_by", "qa-leed", status="active")),
    ("STR-003", "standard", position_of_a_stranger),
    ("STR-003", "standard", of("created_round", 99, status="active")),
    ("STR-003", "standard", of("resolved_round", 99, type="CONF", status="resolved")),
    ("STR-003", "standard", put("agenda[0].criteria[0].round", 99)),
    ("STR-003", "standard", unlisted_resolution),
    ("STR-003", "standard", invented),
    ("STR-003", "standard", quotes_the_absent),
    # Rounds
    ("STR-004", "standard", swap_rounds),
    ("STR-004", "standard", put("rounds[0].round", 0)),
    ("STR-004", "standard", put("metrics.rounds_completed", 2)),
    ("STR-004", "standard", put("rounds[1].timestamp", "2025-12-31T12:00:00Z")),
    ("STR-004", "standard", put("timing.closed_at", "2026-01-01T12:00:00Z")),
    # Metrics
    ("STR-005", "standard", put("metrics.artifacts.total", 1)),
    ("STR-005", "standard", put("metrics.artifacts.by_type.OQ", 99)),
    ("STR-005", "standard", put("metrics.artifacts.by_status.active", 99)),
    ("STR-005", "standard", put("metrics.topics.total", 2)),
    ("STR-005", "standard", put("metrics.topics.closed", 9)),
    ("STR-005", "standard", put("metrics.consensus_rate", 101)),
    ("STR-005", "standard", put("metrics.tokens.estimated_total", 1)),
    ("STR-005", "standard", put("metrics.tokens.by_round[1]", 1)),
    ("STR-005", "standard", put("agenda[0].counted", 17)),
    # Participants
    ("STR-006", "standard", silent),
    # Life cycles
    ("STR-007", "standard", unamended),
    ("STR-007", "standard", reverted),
    ("STR-007", "standard", amended_before_it_was),
    ("STR-007", "standard", of("status", "amended", status="active")),
    ("STR-007", "standard", of("superseded_by", "", status="superseded")),
    ("STR-007", "standard", of("withdrawn_because", " ", status="withdrawn")),
    ("STR-007", "standard", of("withdrawn_because", "Twice gone.", status="superseded")),
    ("STR-007", "standard", heir_denies),
    ("STR-007", "standard", after_the_end),
    ("STR-007", "standard", of("status", "open", type="CONF", status="resolved")),
    ("STR-007", "standard", of("resolved_round", None, type="CONF", status="resolved")),
    ("STR-007", "standard", open_but_met),
    ("STR-007", "standard", closed_unmet),
    ("STR-007", "standard", history),
    ("STR-007", "standard", put("timing.closed_at", None)),
    ("STR-007", "standard", decided_over_a_participant),
    ("STR-007", "standard", settled_at_once),
    ("STR-007", "consensus-driven", blocked_and_outvoted),
    ("STR-007", "standard", unsupported_majority),
    ("STR-007", "disney", all_opposed),
    ("STR-007", "standard", minority),
    # What comes next
    ("STR-008", "standard", put("settings.min_rounds", 99)),
    ("STR-008", "standard", early),
    ("STR-008", "standard", put("rounds[0].next_action", "escalate")),
    ("STR-008", "standard", put("rounds[4].next_action", "conclude")),
    ("STR-008", "standard", goes_on_past_the_end),
    ("STR-008", "standard", ended_by_agenda),
    ("STR-008", "standard", unsure),
    ("STR-008", "standard", ends_as("INCOMPLETE", "agenda closed")),
    ("STR-008", "standard", ends_as("INCOMPLETE", "max_rounds reached")),
    ("STR-008", "standard", ends_as("ABORTED", "agenda closed")),
    ("STR-008", "standard", ends_as("ABORTED", "max_rounds reached")),
    ("STR-008", "standard", ends_as("CLOSED", "agenda closed")),
    ("STR-008", "standard", ends_as("COMPLETE", "max_rounds reached")),
    ("STR-008", "standard", ends_as("COMPLETE", "unrecoverable error")),
    ("STR-008", "standard", lost_its_minimum),
    ("STR-008", "standard", left_partial),
    ("STR-008", "standard", left_in_conflict),
    # Strategies
    ("STRAT-D1", "debate", phases("rebuttal")),
    ("STRAT-D1", "debate", phases("opening", "closing")),
    ("STRAT-D1", "debate", phases("opening", "rebuttal", "opening")),
    ("STRAT-D1", "debate", phases("opening", "rebutal")),
    ("STRAT-D1", "debate", put("rounds[0].debate_phase", "closing")),
    ("STRAT-D2", "debate", drop("debate_sides")),
    ("STRAT-D2", "debate", put("debate_sides.con", [])),
    ("STRAT-D2", "debate", put("debate_sides.pro[0]", "qa-leed")),
    ("STRAT-D2", "debate", put("debate_sides.con[0]", "product-manager")),
    ("STRAT-D2", "debate", put("rounds[0].participant_positions.product-manager.side", "con")),
    ("STRAT-C1", "consensus-driven", phases("refinement")),
    ("STRAT-C1", "consensus-driven", phases("proposal", "convergence")),
    ("STRAT-C1", "consensus-driven", phases("proposal", "refinement", "proposal")),
    ("STRAT-C1", "consensus-driven", standing_block),
    ("STRAT-C1", "consensus-driven", unvoted),
    ("STRAT-C1", "consensus-driven", unsupported),
    ("STRAT-C2", "consensus-driven", groundless),
    ("STRAT-S1", "disney", phases("realist")),
    ("STRAT-S1", "disney", phases("dreamer", "critic")),
    ("STRAT-S1", "disney", phases("dreamer", "realist", "dreamer")),
    ("STRAT-S1", "disney", put("current_phase", "sleeper")),
    ("STRAT-S2", "six-hats", phases("white")),
    ("STRAT-S2", "six-hats", phases("blue-open", "red")),
    ("STRAT-S2", "six-hats", phases("blue-open", "white", "red", "white")),
]


@pytest.mark.parametrize("strategy", ["consensus-driven", "debate", "disney", "six-hats", "standard"])
def test_a_good_file_passes_every_check(strategy: str) -> None:
    file, of_rounds = good(strategy)
    found = examine(file, of_rounds)
    assert found.problems == ()
    assert found.not_checked == ()
    assert set(found.ran) == {check.name for check in CHECKS if check.strategy in ("", strategy)}


@pytest.mark.parametrize(("check", "strategy", "broken"), BREAKS, ids=[f"{n}-{b[0]}" for n, b in enumerate(BREAKS)])
def test_one_break_is_named_with_its_check_and_path(check: str, strategy: str, broken: Break) -> None:
    file, _ = good(strategy)
    path = broken(file)
    found = problems(file)
    assert (check, path) in {(each.check, each.path) for each in found}, [str(each) for each in found]
    told = next(each for each in found if (each.check, each.path) == (check, path))
    assert told.what
    assert verdict(found) == ("warn" if check == "STR-006" else "fail")


@pytest.mark.parametrize("method", ["consensus", "majority", "person"])
def test_what_a_participant_raised_may_be_settled_by_the_others_or_a_person(method: str) -> None:
    """W19: and a title alone does not make a conflict one that a participant has raised."""
    file, _ = good("standard")
    _, entry = raise_conflict(file)
    entry["resolution_method"] = method
    assert problems(file) == ()
    for each in file["rounds"]:
        for position in each["participant_positions"].values():
            position.pop("contested", None)
    entry["resolution_method"] = "facilitator_decision"
    assert problems(file) == ()


def test_words_are_quoted_whatever_the_white_space() -> None:
    """W12: and what a file does not have is not asked for."""
    file, _ = good("standard")
    _, entry = artifact(file, type="CONF")
    words = entry["positions"][0]["stance"].split()
    entry["positions"][0]["stance"] = "\n ".join(words[:6])
    assert problems(file) == ()
    entry["positions"][0]["stance"] = "In short: no."
    for each in file["rounds"]:
        for position in each["participant_positions"].values():
            del position["position"]
    assert problems(file) == ()


def test_a_majority_by_weight_is_enough_at_its_threshold() -> None:
    """W18: 60 percent are enough; support from an amendment or from those who settled a conflict counts too."""
    file, _ = good("standard")
    path = minority(file)
    _, group, key, _ = path.split(".")
    entry = file["artifacts"][group][key]
    assert path in {each.path for each in problems(file)}
    entry["supported_by"] = file["participants"][:3]
    assert problems(file) == ()
    entry |= {"supported_by": [], "contested_by": [file["participants"][0]]}
    assert problems(file) == (), "those who settled it are not in the file"


@pytest.mark.parametrize("closed_by", ["agenda closed", "closed by a person"])
def test_a_session_with_nothing_left_is_complete(closed_by: str) -> None:
    """W26: whoever closed it; with `conclude_on: required` the other topics may be left."""
    file, _ = good("standard")
    complete(file)["closed_by"] = closed_by
    assert "verdict" not in {each.path for each in problems(file)}
    file["settings"]["conclude_on"] = "required"
    file["agenda"][1]["status"] = "partial"
    assert file["agenda"][0]["critical"]
    assert not file["agenda"][1]["critical"]
    assert not [each for each in problems(file) if "COMPLETE" in each.what]


def test_every_check_but_those_of_dumps_has_a_break() -> None:
    assert {check for check, _, _ in BREAKS} == {each.name for each in CHECKS if not each.name.startswith("DIAG")}


def test_required_fields_are_critical_and_the_rest_is_not() -> None:
    file, _ = good("standard")
    del file["metrics"]
    assert {(each.check, each.severity.value) for each in problems(file)} == {("STR-001", "critical")}


def test_the_nearest_word_is_offered() -> None:
    file, _ = good("standard")
    file["workflow_type"] = "spec"
    _, entry = artifact(file, status="active")
    entry["proposed_by"] = "qa-leed"
    told = {each.check: each for each in problems(file)}
    assert told["STR-002"].nearest == "specs"
    assert told["STR-003"].nearest == "qa-lead"
    assert str(told["STR-002"]).endswith("did you mean 'specs'?")


def test_the_limit_itself_is_sure_enough() -> None:
    """0.49 asks for escalation on a required topic, 0.5 does not (W23)."""
    file, _ = good("standard")
    index = calm(file)
    file["rounds"][index]["participant_positions"]["qa-lead"]["confidence"] = 0.5
    assert not [each for each in problems(file) if each.check == "STR-008"]


def test_a_conflict_in_its_last_round_has_to_be_escalated() -> None:
    """W23: open in its third round, nobody has given it more, and yet the session goes on."""
    file, _ = good("standard")
    index = calm(file)
    for each in file["rounds"][: index + 1]:
        each["escalation"] = None
    _, entry = artifact(file, type="CONF")
    entry |= {"created_round": index - 1, "resolved_round": None, "status": "open"}
    assert f"rounds[{index}].next_action" in {each.path for each in problems(file) if each.check == "STR-008"}
    file["settings"]["escalation"] = False
    assert f"rounds[{index}].next_action" not in {each.path for each in problems(file) if each.check == "STR-008"}


def test_one_mistake_made_a_thousand_times_hides_nothing_else() -> None:
    file, _ = good("standard")
    file["rounds"][0]["artifacts_created"] = [f"REQ-{number:03}" for number in range(100, 999)]
    file["status"] = "done"
    found = problems(file)
    assert "status" in {each.path for each in found}
    assert len(found) < 150
    assert any(each.what == "and more like this follow" for each in found)
