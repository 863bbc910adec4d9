"""The real agendas of specs, design and brainstorm are played through to COMPLETE, under every strategy."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.protocols.workshop.rules.strategies import BY_NAME
from quorate.protocols.workshop.rules.taxonomy import MAKES, Workflow
from quorate.protocols.workshop.rules.workflows import ROSTERS, STRATEGIES, WORKFLOWS, agenda
from tests.support.workshops import Meeting, broken, req

LISTS = {
    "REQ": "requirements",
    "BR": "business_rules",
    "NFR": "qualities",
    "EX": "exclusions",
    "ARCH": "decisions",
    "COMP": "components",
    "INT": "interfaces",
    "IDEA": "ideas",
    "RISK": "risks",
    "MIT": "mitigations",
}


def played(workflow: str, strategy: str, **settings: Any) -> Meeting:
    """A session in which every round brings what its topic still needs, and everybody agrees."""
    roster = list(ROSTERS[workflow])
    about = agenda(workflow)
    meeting = Meeting(about, workflow=workflow, strategy=strategy, participants=roster, **settings)
    everybody = [f"P{n}" for n in range(1, len(roster) + 1)]
    while not meeting.record.session.conclusion:
        meeting.question().respond()
        ask = meeting.ask("facilitator")
        topic = meeting.topic(str(meeting.state.focus))
        made = [each for each in meeting.state.artifacts if each.topic == topic.key]
        missing = max(0, topic.minimum - len(made))
        said: dict[str, Any] = {LISTS[topic.counts[0].value]: [req(*everybody)] * missing} if missing else {}
        meeting.synthesise(covered=[str(key) for key in ask.keys if key[0] == "K"], **said)
    return meeting


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_a_workflow_comes_to_its_end_with_its_own_strategy(workflow: str) -> None:
    """W26: within the default limits, and every promise holds at every move."""
    meeting = played(workflow, STRATEGIES[workflow], min_rounds=3)
    assert (meeting.verdict, meeting.conclusion.degradation.value) == ("COMPLETE", "none")
    assert all(topic["counted"] >= topic["minimum"] for topic in meeting.result["agenda"])
    kinds = {kind.value for kind in MAKES[Workflow(workflow)]}
    assert {each["type"] for each in meeting.result["artifacts"]} <= kinds
    assert broken(meeting) == []


@pytest.mark.parametrize("workflow", WORKFLOWS)
@pytest.mark.parametrize("strategy", BY_NAME)
def test_every_workflow_ends_under_every_strategy(workflow: str, strategy: str) -> None:
    """W26, W28"""
    meeting = played(workflow, strategy, min_rounds=3, max_rounds=50)
    assert meeting.verdict == "COMPLETE"
    assert list(dict.fromkeys(meeting.stages)) == [stage.value for stage in BY_NAME[strategy].stages]


def test_specs_by_consent_take_three_rounds_a_topic() -> None:
    """W27, W30"""
    meeting = played("specs", "consensus-driven", min_rounds=3)
    assert meeting.stages == ["proposal", "refinement", "convergence"] * 6
    assert all(each["agreement"] == "consensus" for each in meeting.result["artifacts"])


def test_a_brainstorm_takes_its_stages_in_turn() -> None:
    """W6, W28"""
    meeting = played("brainstorm", "disney", min_rounds=3)
    assert meeting.stages == ["dreamer", "realist", "critic"]
    assert [each["type"] for each in meeting.result["artifacts"]] == ["IDEA"] * 3 + ["RISK"] * 2
